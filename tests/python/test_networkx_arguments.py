# SPDX-License-Identifier: Apache-2.0
"""Arguments that cannot be nodes or limits: the backend's answers and errors are NetworkX's."""

import math
from collections.abc import Iterator

import networkx as nx
import pytest

BACKEND = {"backend": "gaspipe"}


@pytest.fixture(autouse=True)
def no_note_of_the_cache():
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


def outcome(function, *args, **options):
    try:
        found = function(*args, **options)
        if isinstance(found, dict):
            return list(found.items())
        return list(found) if isinstance(found, Iterator) else found
    except (TypeError, nx.NetworkXException) as error:
        return type(error)


def same(function, *args, **options):
    assert outcome(function, *args, **options, **BACKEND) == outcome(function, *args, **options, backend="networkx")


@pytest.mark.parametrize("weight", [1, 0.5])
def test_limits_leave_out_what_networkx_leaves_out(weight):
    G = nx.path_graph(4, create_using=nx.DiGraph)
    G.add_edge(1, 2, weight=weight)
    for cutoff in (math.nan, math.inf, -1, 0, 1.5):
        for function in (
            nx.single_source_dijkstra,
            nx.single_source_dijkstra_path,
            nx.single_source_dijkstra_path_length,
            nx.single_source_shortest_path,
            nx.single_source_shortest_path_length,
        ):
            same(function, G, 0, cutoff=cutoff)
        same(nx.single_source_dijkstra, G, 0, 3, cutoff=cutoff)
        same(nx.bfs_edges, G, 0, depth_limit=cutoff)


SEARCHES = [
    (nx.single_source_dijkstra, {}),
    (nx.single_source_dijkstra_path, {}),
    (nx.single_source_dijkstra_path_length, {}),
    (nx.dijkstra_path, {"target": 1}),
    (nx.dijkstra_path_length, {"target": 1}),
    (nx.shortest_path, {"weight": "weight"}),
    (nx.shortest_path_length, {"weight": "weight"}),
    (nx.shortest_path, {}),
    (nx.single_source_shortest_path, {}),
    (nx.single_source_shortest_path_length, {}),
    (nx.bfs_edges, {}),
    (nx.bfs_tree, {}),
    (nx.bfs_predecessors, {}),
    (nx.bfs_successors, {}),
    (nx.descendants, {}),
    (nx.ancestors, {}),
    (nx.descendants_at_distance, {"distance": 1}),
    (nx.has_path, {"target": 1}),
]


@pytest.mark.parametrize("create", [nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("source", [[0], {0}, (0, [1])], ids=repr)
def test_unhashable_sources_raise_networkxs_errors(source, create):
    G = nx.path_graph(3, create_using=create)
    for function, options in SEARCHES:
        same(function, G, source, **options)


@pytest.mark.parametrize("target", [[2], {2}, (0, [1])], ids=repr)
def test_unhashable_targets_raise_networkxs_errors(target):
    G = nx.path_graph(3)
    for function in (nx.single_source_dijkstra, nx.dijkstra_path, nx.dijkstra_path_length, nx.has_path):
        same(function, G, 0, target)
        same(function, G, "missing", target)
    same(nx.shortest_path_length, G, 0, target, weight="weight")
    same(nx.shortest_path, G, target=target, weight="weight")
