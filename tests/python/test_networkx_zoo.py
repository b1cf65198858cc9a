# SPDX-License-Identifier: Apache-2.0
"""Graphs that have broken graph code before, as NetworkX's, with the backend and without."""

import networkx as nx
import numpy as np
import pytest

from zoo import LARGE, ZOO

BACKEND = {"backend": "gaspipe"}
SMALL = sorted(set(ZOO) - LARGE)
MOST_FOR_ALL_PAIRS = 300  # vertices


def graph_of(name, create_using):
    matrix = ZOO[name]()
    G = nx.empty_graph(matrix.shape[0], create_using=create_using)
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    edges = zip(sources, matrix.indices.tolist(), matrix.data.tolist())
    if matrix.dtype == bool:
        G.add_edges_from((u, v) for u, v, _ in edges)
    else:
        G.add_weighted_edges_from(edges)
    return G


def answer(function, G, *args, **options):
    """Pairs in their order, or the type of the error."""
    try:
        found = function(G, *args, **options)
    except (nx.NetworkXException, ValueError) as error:
        return type(error)
    return list(found.items()) if isinstance(found, dict) else found


def check(function, G, *args):
    expected = answer(function, G, *args, backend="networkx")
    try:
        found = answer(function, G, *args, **BACKEND)
    except NotImplementedError:  # negative, infinite or NaN weights, which NetworkX takes: it answers itself
        assert function is nx.single_source_dijkstra_path_length
        weights = [w for _, _, w in G.edges(data="weight", default=1)]
        assert any(not 0 <= w < np.inf for w in weights)
        return
    assert repr(found) == repr(expected) or found == expected


@pytest.fixture(autouse=True)
def no_note_of_the_cache():
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


@pytest.mark.parametrize("name", SMALL)
def test_searches_agree_in_values_and_order(name):
    G = graph_of(name, nx.DiGraph)
    for source in [*G][:: max(1, len(G) // 3)]:
        check(nx.single_source_shortest_path_length, G, source)
        check(nx.single_source_shortest_path, G, source)
        check(nx.single_source_dijkstra_path_length, G, source)


@pytest.mark.parametrize("name", SMALL)
def test_directed_graphs_agree(name):
    G = graph_of(name, nx.DiGraph)
    for function in (
        nx.number_strongly_connected_components,
        nx.number_weakly_connected_components,
        nx.is_weakly_connected,
    ):
        check(function, G)
    assert list(nx.weakly_connected_components(G, **BACKEND)) == list(nx.weakly_connected_components(G))
    rank = dict(nx.pagerank(G, weight=None, backend="networkx"))
    assert nx.pagerank(G, weight=None, **BACKEND) == pytest.approx(rank, rel=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_undirected_graphs_agree(name):
    G = graph_of(name, nx.Graph)
    for function in (
        nx.number_connected_components,
        nx.triangles,
        nx.clustering,
        nx.average_clustering,
        nx.transitivity,
        nx.core_number,
    ):
        check(function, G)
    if len(G) <= MOST_FOR_ALL_PAIRS:
        for function in (nx.diameter, nx.eccentricity, nx.average_shortest_path_length):
            check(function, G)
        expected = nx.betweenness_centrality(G, backend="networkx")
        assert nx.betweenness_centrality(G, **BACKEND) == pytest.approx(expected, rel=1e-9, abs=1e-12)
        expected = nx.closeness_centrality(G, backend="networkx")
        assert nx.closeness_centrality(G, **BACKEND) == pytest.approx(expected, rel=1e-12)
