# SPDX-License-Identifier: Apache-2.0
"""Graphs that are not plain dicts under NetworkX's methods: views, classes derived from NetworkX's, multigraphs."""

import networkx as nx
import pytest

BACKEND = {"backend": "gaspipe"}
LARGE = 2500  # edges; with fewer than SOME_EDGES a call stays with NetworkX

VIEWS = {
    "subgraph": lambda G: G.subgraph([0, 1, 2, 3]),
    "subgraph_view": lambda G: nx.subgraph_view(G, filter_node=lambda node: node < 4),
    "restricted_view": lambda G: nx.restricted_view(G, [5], []),
    "edge_subgraph": lambda G: G.edge_subgraph([(0, 1), (1, 2), (2, 3)]),
    "subgraph of a view": lambda G: nx.subgraph_view(G, filter_node=lambda node: node < 5).subgraph([0, 1, 2, 3]),
    "to_directed": lambda G: G.to_directed(as_view=True),
    "to_undirected": lambda G: G.to_undirected(as_view=True),
    "copy": lambda G: G.copy(as_view=True),
    "reverse": lambda G: G.to_directed(as_view=True).reverse(copy=False),
}


@pytest.fixture(autouse=True)
def no_note_of_the_cache():
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


def answer(function, G, *args, **options):
    found = function(G, *args, **options)
    return list(found.items()) if isinstance(found, dict) else found


def same(function, G, *args):
    assert answer(function, G, *args, **BACKEND) == answer(function, G, *args, backend="networkx")


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("create", [nx.Graph, nx.DiGraph])
def test_a_view_shows_the_changes_of_its_graph(view, create):
    G = nx.path_graph(6, create_using=create)
    V = view(G)
    same(nx.single_source_shortest_path, V, 0)
    same(nx.single_source_dijkstra_path_length, V, 0)
    G.add_edge(0, 2, weight=0.5)
    same(nx.single_source_shortest_path, V, 0)
    same(nx.single_source_dijkstra_path_length, V, 0)
    G.remove_edge(1, 2)
    same(nx.single_source_shortest_path, V, 0)
    G.remove_node(3)
    same(nx.single_source_shortest_path, V, 0)
    assert not V.__networkx_cache__


def test_a_view_whose_conversion_failed_is_converted_again():
    G = nx.path_graph(3)
    G.add_edge(0, 1, weight="heavy")
    V = G.subgraph([0, 1])
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(V, 0, **BACKEND)
    G.add_edge(0, 1, weight=2)
    assert nx.single_source_dijkstra_path_length(V, 0, **BACKEND) == {0: 0, 1: 2}


def sorted_nodes(graph):
    return iter(sorted(graph._node))


# Methods that a class can define to read its graph in another way.
OWN = {
    "__iter__": sorted_nodes,
    "__len__": lambda graph: 2,
    "__contains__": lambda graph, node: True,
    "nodes": property(sorted_nodes),
    "adj": property(lambda graph: {}),
    "edges": property(lambda graph: []),
    "degree": property(lambda graph: {}),
    "nbunch_iter": lambda graph, nbunch=None: sorted_nodes(graph),
    "successors": lambda graph, node: iter(()),
    "predecessors": lambda graph, node: iter(()),
    "is_directed": lambda graph: False,
}


@pytest.mark.parametrize("name", OWN)
def test_a_class_that_reads_itself_differently_is_refused(name):
    from gaspipe._networkx import backend, convert_from_nx

    kind = type("Changed", (nx.DiGraph,), {name: OWN[name]})
    below = type("Below", (kind,), {})
    for create in (kind, below):
        G = create()
        G._node.update({3: {}, 2: {}, 1: {}})
        G._adj.update({3: {2: {}}, 2: {1: {}}, 1: {}})
        assert f"defines {name} itself" in backend.can_run("pagerank", (G,), {})
        with pytest.raises(NotImplementedError, match=f"defines {name} itself"):
            convert_from_nx(G)


def test_a_class_with_an_order_of_its_own_is_left_to_networkx():
    class Sorted(nx.Graph):
        def __iter__(self):
            return sorted_nodes(self)

    G = Sorted()
    nx.add_path(G, range(LARGE, -1, -1))
    with nx.config(backend_priority=["gaspipe"]):
        assert list(nx.single_source_shortest_path_length(G, LARGE)) == [*range(LARGE, -1, -1)]


def test_rows_are_found_by_node_where_a_class_keeps_its_nodes_in_another_order():
    class Sorted(dict):
        def __iter__(self):
            return iter(sorted(self.keys()))

    class Graph(nx.Graph):
        node_dict_factory = Sorted

    G = Graph([(3, 2), (2, 1), (5, 4)])
    assert list(nx.connected_components(G, **BACKEND)) == [{1, 2, 3}, {4, 5}]
    same(nx.single_source_shortest_path, G, 3)


@pytest.mark.parametrize(
    ("function", "create"),
    [
        (nx.pagerank, nx.MultiGraph),
        (nx.pagerank, nx.MultiDiGraph),
        (nx.community.louvain_communities, nx.MultiGraph),
    ],
)
@pytest.mark.parametrize("weight", [None, "weight"])
def test_multigraphs_are_refused_where_parallel_edges_count_without_weights_too(function, create, weight):
    from gaspipe._networkx import backend

    G = create([(0, 1), (0, 1), (1, 2)])
    reason = backend.can_run(function.__name__, (G,), {"weight": weight})
    assert "adds up the parallel edges" in reason
    assert "pass weight=None" not in reason
    with pytest.raises(NotImplementedError, match="for the given arguments"):
        function(G, weight=weight, **BACKEND)


def test_pagerank_of_a_multigraph_falls_back_to_networkxs():
    G = nx.MultiGraph([*nx.path_graph(LARGE).edges, *nx.path_graph(3).edges])
    for options in ({}, {"dangling": {0: 1}}):
        expected = nx.pagerank(G, weight=None, **options, backend="networkx")
        with nx.config(backend_priority=["gaspipe"]):
            assert nx.pagerank(G, weight=None, **options) == expected
