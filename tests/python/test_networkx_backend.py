# SPDX-License-Identifier: Apache-2.0
"""NetworkX with backend="gaspipe" beside NetworkX alone: values, orders, errors, and calls that are not answered."""

import math
import random
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

BACKEND = {"backend": "gaspipe"}
EACH = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def backend_is_installed():
    assert "gaspipe" in nx.utils.backends.backends, (
        "the entry points of pyproject.toml are not installed; pip install ."
    )
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


@pytest.fixture(scope="module")
def own():
    from gaspipe._networkx import backend, functions

    return backend, functions()


def outcome(function, *args, **kwargs):
    """The answer with all orders and types made visible, or the type of the error."""
    try:
        found = function(*args, **kwargs)
        if hasattr(found, "adj"):
            found = [list(found), list(found.edges)]
        elif not isinstance(found, (dict, list, tuple, set, bool, int, float)):
            found = list(found)
    except (nx.NetworkXException, ValueError, KeyError, ZeroDivisionError) as error:
        return type(error)
    return ordered(found)


def ordered(found):
    if isinstance(found, dict):
        return ("dict", [(key, ordered(value)) for key, value in found.items()])
    if isinstance(found, (list, tuple)):
        return (type(found).__name__, [ordered(value) for value in found])
    return (type(found).__name__, found)


def same(function, graph, *args, **kwargs):
    expected = outcome(function, graph, *args, **kwargs, backend="networkx")
    assert outcome(function, graph, *args, **kwargs, **BACKEND) == expected


@st.composite
def graphs(draw, directed=None, weights=None, loops=True):
    is_directed = draw(st.booleans()) if directed is None else directed
    n = draw(st.integers(1, 12))
    nodes = draw(st.permutations([*range(n // 2), *(f"n{i}" for i in range(n - n // 2))]))
    ends = st.sampled_from(nodes)
    edges = draw(st.lists(st.tuples(ends, ends), max_size=3 * n))
    G = nx.DiGraph() if is_directed else nx.Graph()
    G.add_nodes_from(nodes)
    for u, v in edges:
        if loops or u != v:
            G.add_edge(u, v, **({} if weights is None else {"weight": draw(weights)}))
    return G


HOPS = [
    (nx.single_source_shortest_path_length, {}),
    (nx.single_source_shortest_path_length, {"cutoff": 1.5}),
    (nx.single_source_shortest_path, {}),
    (nx.single_source_shortest_path, {"cutoff": 2}),
    (nx.bfs_edges, {}),
    (nx.bfs_edges, {"depth_limit": 2}),
    (nx.bfs_tree, {}),
    (nx.bfs_predecessors, {}),
    (nx.bfs_successors, {}),
    (nx.bfs_layers, {}),
    (nx.descendants, {}),
    (nx.ancestors, {}),
    (nx.shortest_path, {}),
    (nx.shortest_path_length, {}),
]


@EACH
@given(graphs(), st.data())
def test_searches_by_hops_are_networkxs_in_the_same_order(G, data):
    source = data.draw(st.sampled_from(list(G)))
    for function, options in HOPS:
        same(function, G, source, **options)
    same(nx.descendants_at_distance, G, source, data.draw(st.integers(0, 3)))
    target = data.draw(st.sampled_from([*G, "missing"]))
    same(nx.has_path, G, source, target)
    same(nx.shortest_path_length, G, source, target)
    if not G.is_directed():
        same(nx.single_target_shortest_path, G, source)
        same(nx.single_target_shortest_path_length, G, source)
        same(nx.shortest_path, G, target=source)


@EACH
@given(graphs(weights=st.one_of(st.integers(0, 3), st.integers(1, 2**40))), st.data())
def test_dijkstras_answers_have_networkxs_order_with_ties_and_zero_weights(G, data):
    check_dijkstra(G, data)


@EACH
@given(graphs(weights=st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1e300])), st.data())
def test_dijkstras_answers_have_networkxs_order_with_floats(G, data):
    check_dijkstra(G, data)


def check_dijkstra(G, data):
    source, target = (data.draw(st.sampled_from([*G, *others])) for others in ([], ["missing"]))
    for function in (
        nx.single_source_dijkstra,
        nx.single_source_dijkstra_path,
        nx.single_source_dijkstra_path_length,
    ):
        same(function, G, source)
        same(function, G, source, cutoff=1)
    same(nx.single_source_dijkstra, G, source, target)
    same(nx.dijkstra_path, G, source, target)
    same(nx.dijkstra_path_length, G, source, target)
    same(nx.shortest_path, G, source, weight="weight")
    same(nx.shortest_path_length, G, source, target, weight="weight")


UNDIRECTED = [
    nx.connected_components,
    nx.number_connected_components,
    nx.is_connected,
    nx.triangles,
    nx.clustering,
    nx.average_clustering,
    nx.transitivity,
    nx.core_number,
]
ANY = [nx.diameter, nx.radius, nx.periphery, nx.eccentricity, nx.average_shortest_path_length]
DIRECTED = [
    nx.weakly_connected_components,
    nx.number_weakly_connected_components,
    nx.is_weakly_connected,
    nx.number_strongly_connected_components,
    nx.is_strongly_connected,
]


@EACH
@given(graphs())
def test_whole_numbers_and_sets_are_networkxs(G):
    for function in [*(DIRECTED if G.is_directed() else UNDIRECTED), *ANY]:
        same(function, G)


@EACH
@given(graphs(directed=True))
def test_strong_components_come_after_those_they_lead_to(G):
    found = list(nx.strongly_connected_components(G, **BACKEND))
    assert {frozenset(c) for c in found} == {frozenset(c) for c in nx.strongly_connected_components(G)}
    at = {node: i for i, component in enumerate(found) for node in component}
    assert all(at[u] >= at[v] for u, v in G.edges)


@EACH
@given(graphs(directed=False, loops=False), st.data())
def test_colors_and_shared_neighbors_are_networkxs(G, data):
    same(nx.greedy_color, G)
    node = st.sampled_from(list(G))
    pairs = data.draw(st.lists(st.tuples(node, node), max_size=5))
    same(nx.jaccard_coefficient, G, pairs)
    nodes = data.draw(st.one_of(node, st.lists(node, max_size=4)))
    same(nx.triangles, G, nodes)
    same(nx.clustering, G, nodes)


def close(function, G, **options):
    expected = function(G, **options, backend="networkx")
    found = function(G, **options, **BACKEND)
    assert list(found) == list(expected)
    assert {type(value) for value in found.values()} == {float}
    # Both stop at the same change of a step; the last steps differ by rounding only.
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@EACH
@given(graphs(weights=st.sampled_from([0.5, 1, 2, 7])), st.data())
def test_centralities_are_networkxs(G, data):
    close(nx.closeness_centrality, G)
    close(nx.closeness_centrality, G, wf_improved=False)
    close(nx.betweenness_centrality, G)
    close(nx.betweenness_centrality, G, normalized=False)
    close(nx.pagerank, G)
    close(nx.pagerank, G, weight=None, alpha=0.6)
    some = {node: data.draw(st.integers(1, 5)) for node in list(G)[:3]}
    close(nx.pagerank, G, personalization=some)
    close(nx.pagerank, G, dangling=some)
    close(nx.pagerank, G, nstart=some, personalization=some)
    close(nx.katz_centrality, G, alpha=0.01)
    close(nx.katz_centrality, G, alpha=0.001, weight="weight", normalized=False)
    node = data.draw(st.sampled_from(list(G)))
    assert nx.closeness_centrality(G, u=node, **BACKEND) == pytest.approx(nx.closeness_centrality(G, u=node))


@pytest.mark.parametrize("weight", [None, "weight"])
def test_eigenvector_centrality_is_networkxs(weight):
    G = nx.karate_club_graph()
    close(nx.eigenvector_centrality, G, weight=weight)
    close(nx.eigenvector_centrality, G, weight=weight, nstart={v: 1 + v % 3 for v in G})


def test_louvain_divides_the_nodes_as_well_as_networkx_does():
    G = nx.karate_club_graph()
    found = nx.community.louvain_communities(G, **BACKEND)
    assert sorted(v for c in found for v in c) == list(G)
    own = [nx.community.modularity(G, nx.community.louvain_communities(G, seed=s)) for s in range(10)]
    assert nx.community.modularity(G, found) >= np.median(own)


def test_independent_sets_are_maximal_and_differ():
    G = nx.random_regular_graph(3, 40, seed=5)
    sets = [set(nx.maximal_independent_set(G, **BACKEND)) for _ in range(8)]
    for found in sets:
        assert all(not found & set(G[v]) for v in found)
        assert all(v in found or found & set(G[v]) for v in G)
    assert len({frozenset(found) for found in sets}) > 1


@pytest.mark.parametrize("function", [nx.pagerank, nx.katz_centrality, nx.eigenvector_centrality])
def test_too_few_steps_fail_as_in_networkx(function):
    G = nx.path_graph(30, create_using=nx.DiGraph)
    for steps in (0, 1):
        with pytest.raises(nx.PowerIterationFailedConvergence):
            function(G, max_iter=steps, tol=1e-15, **BACKEND)


def test_a_graph_without_nodes_has_networkxs_answers_and_errors():
    assert nx.pagerank(nx.Graph(), **BACKEND) == {}
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.is_connected(nx.Graph(), **BACKEND)
    with pytest.raises(nx.NodeNotFound):
        nx.single_source_dijkstra(nx.Graph(), 0, **BACKEND)


def test_a_changed_graph_is_converted_again():
    G = nx.path_graph(4)
    assert nx.single_source_dijkstra_path_length(G, 0, **BACKEND)[3] == 3
    G.add_edge(0, 3, weight=0.5)
    assert nx.single_source_dijkstra_path_length(G, 0, **BACKEND)[3] == 0.5
    G.remove_edge(0, 3)
    assert nx.single_source_dijkstra_path_length(G, 0, **BACKEND)[3] == 3
    G[0][1]["weight"] = 7  # which NetworkX cannot see; it says to clear its cache
    G.__networkx_cache__.clear()
    assert nx.single_source_dijkstra_path_length(G, 0, **BACKEND)[3] == 9


def test_conversions_are_kept_and_used_again():
    G = nx.karate_club_graph()
    nx.pagerank(G, **BACKEND)
    [kept] = G.__networkx_cache__["backends"]["gaspipe"].values()
    nx.closeness_centrality(G, **BACKEND)  # needs no weights
    assert list(G.__networkx_cache__["backends"]["gaspipe"].values()) == [kept]


@pytest.mark.parametrize("create", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_a_converted_graph_answers_and_converts_back(create, own):
    from gaspipe._networkx import convert_from_nx, convert_to_nx

    G = create([("b", "a"), ("a", "c"), ("c", "c")], name="three")
    H = convert_from_nx(G, preserve_graph_attrs=True)
    assert nx.closeness_centrality(H) == pytest.approx(nx.closeness_centrality(G))
    back = convert_to_nx(H)
    assert type(back) is create
    assert nx.utils.graphs_equal(back, G)
    assert H.number_of_edges() == G.number_of_edges()
    assert "gaspipe" in repr(H).lower()
    W = nx.Graph()
    W.add_edge(0, 1, cost=2.5)
    assert nx.utils.graphs_equal(convert_to_nx(convert_from_nx(W, edge_attrs={"cost": 1})), W)


def test_a_class_that_reads_neighbors_itself_is_left_to_networkx(own):
    class Complement(nx.Graph):
        def __getitem__(self, node):
            return {other: {} for other in self if other != node and other not in self._adj[node]}

    G = Complement([(0, 1), (2, 3)])
    assert "Complement defines __getitem__" in own[0].can_run("is_connected", (G,), {})
    with nx.config(backend_priority=["gaspipe"]):
        assert nx.single_source_shortest_path_length(G, 0) == {0: 0, 1: 1}


def test_a_view_is_converted_as_it_looks():
    G = nx.karate_club_graph()
    view = G.subgraph([5, 6, 0, 10, 16])
    same(nx.single_source_shortest_path, view, 5)
    assert nx.pagerank(view, **BACKEND) == pytest.approx(nx.pagerank(view))


# What is not answered: the call's options, and a word of the reason.
REFUSED = [
    (nx.single_source_dijkstra, nx.path_graph(3), {"source": 0, "weight": lambda u, v, d: 1}, "function"),
    (nx.pagerank, nx.MultiGraph([(0, 1), (0, 1)]), {}, "parallel"),
    (nx.betweenness_centrality, nx.path_graph(3), {"k": 2, "seed": 1}, "k="),
    (nx.betweenness_centrality, nx.path_graph(3), {"endpoints": True}, "endpoints"),
    (nx.closeness_centrality, nx.path_graph(3), {"distance": "weight"}, "distance"),
    (nx.clustering, nx.DiGraph([(0, 1)]), {}, "directed"),
    (nx.bfs_edges, nx.DiGraph([(0, 1)]), {"source": 1, "reverse": True}, "order"),
    (nx.shortest_path, nx.path_graph(3), {"source": 0, "target": 2}, "which of several"),
    (nx.shortest_path_length, nx.path_graph(3), {"source": 0, "method": "bellman-ford", "weight": "weight"}, "method"),
    (nx.community.louvain_communities, nx.path_graph(3), {"seed": 1}, "seed"),
    (nx.greedy_color, nx.path_graph(3), {"strategy": "DSATUR"}, "largest_first"),
    (nx.jaccard_coefficient, nx.path_graph(3), {}, "ebunch"),
]


@pytest.mark.parametrize(("function", "G", "options", "word"), REFUSED, ids=lambda x: getattr(x, "__name__", ""))
def test_what_cannot_be_answered_says_why_and_falls_back(function, G, options, word, own):
    options = {**options, "seed": random.Random(options["seed"])} if "seed" in options else options
    assert word in own[0].can_run(function.__name__, (G,), options)
    with pytest.raises(NotImplementedError, match="for the given arguments"):
        function(G, **options, **BACKEND)
    with nx.config(backend_priority=["gaspipe"]):
        assert outcome(function, G, **options) == outcome(function, G, **options, backend="networkx")


@pytest.mark.parametrize(
    ("weight", "text"),
    [("heavy", "type str"), (None, "NoneType"), (2**70, "too large"), (-1, "weights >= 0"), (math.nan, "")],
)
def test_weights_that_are_no_lengths_fall_back(weight, text):
    G = nx.path_graph(4)
    G.add_edge(1, 2, weight=weight)
    with pytest.raises(NotImplementedError) as error:
        nx.single_source_dijkstra_path_length(G, 0, **BACKEND)
    assert text in str(error.value.__cause__)
    with nx.config(backend_priority=["gaspipe"]):
        try:
            expected = nx.single_source_dijkstra_path_length(G, 0, backend="networkx")
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                nx.single_source_dijkstra_path_length(G, 0)
        else:
            assert repr(nx.single_source_dijkstra_path_length(G, 0)) == repr(expected)


def test_attributes_of_nodes_are_not_read():
    G = nx.path_graph(3)
    G.nodes[1]["size"] = "large"
    same(nx.single_source_shortest_path_length, G, 0)


def test_multigraphs_are_simplified_where_parallel_edges_do_not_matter():
    G = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 2)])
    same(nx.single_source_shortest_path, G, 0)
    same(nx.connected_components, G)
    close(nx.betweenness_centrality, G)
    close(nx.closeness_centrality, G)


def test_small_graphs_stay_with_networkx_unless_they_are_converted(own):
    backend, _ = own
    small, large = nx.path_graph(10), nx.path_graph(5000)
    assert "fewer" in backend.should_run("pagerank", (small,), {})
    assert backend.should_run("pagerank", (large,), {}) is True
    nx.pagerank(small, **BACKEND)
    assert backend.should_run("pagerank", (small,), {}) is True


def test_the_lists_name_functions_of_networkx_and_every_one_is_there(own):
    import _gaspipe_networkx

    backend, tables = own
    dispatched = set(nx.utils.backends._registered_algorithms)
    assert set(tables["offered"]) <= dispatched
    assert all(callable(getattr(backend, name)) for name in tables["offered"])
    assert set(tables["offered"]) <= set(dir(backend))
    assert not set(tables["offered"]) & set(tables["not offered"])
    assert not hasattr(backend, "hits")
    assert set(_gaspipe_networkx.get_info()["functions"]) == set(tables["offered"])
    assert "gaspipe" in nx.pagerank.__doc__


def test_importing_networkx_imports_nothing_of_gaspipe_but_its_list():
    code = (
        "import sys, networkx as nx; assert 'gaspipe' in nx.config.backends; "
        "assert 'gaspipe' not in sys.modules and '_gaspipe_networkx' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import sys, gaspipe; assert 'networkx' not in sys.modules and '_gaspipe_networkx' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
