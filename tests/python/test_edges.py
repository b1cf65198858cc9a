# SPDX-License-Identifier: Apache-2.0
"""Algorithms whose answer is a list of edges: minimum spanning forests and k-trusses."""

import random

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

import gaspipe as gp
import zoo
from gaspipe.cli import main

THREADS = (1, 2, 3)


def listed(result, field):
    """(u, v, value) of every edge."""
    return [(u, v, value) for (u, v), value in zip(result.edges.tolist(), getattr(result, field).tolist())]


def by_kruskal(num_vertices, sources, targets, weights):
    """The forest, edges in order (weight, u, v), in Python's own numbers."""
    parent = list(range(num_vertices))

    def root(v):
        while parent[v] != v:
            parent[v] = v = parent[parent[v]]
        return v

    forest = []
    for weight, u, v in sorted((w, min(s, t), max(s, t)) for s, t, w in zip(sources, targets, weights)):
        if root(u) != root(v):
            parent[root(u)] = root(v)
            forest.append((u, v, weight))
    return sorted(forest)


def drawn_weights(rng, kind, size):
    return {
        "ties": rng.integers(-2, 3, size),
        "real": rng.normal(size=size),
        "float32": rng.normal(size=size).astype(np.float32),
        "int32": rng.integers(0, 300, size).astype(np.int32),
        "beyond doubles": 2**62 + rng.integers(0, 60, size),
        "infinite": rng.choice([1.0, 2.0, np.inf], size),
        "zeros of both signs": rng.choice([0.0, -0.0], size),
        "equal": np.ones(size),
    }[kind]


@pytest.mark.parametrize(
    "kind", ["ties", "real", "float32", "int32", "beyond doubles", "infinite", "zeros of both signs", "equal", None]
)
@pytest.mark.parametrize("density", [0.6, 2, 40])
def test_a_forest_is_that_of_kruskal(kind, density):
    rng = np.random.default_rng(11)
    for n in (1, 2, 7, 60, 900):
        size = int(n * density)
        sources, targets = rng.integers(0, n, size), rng.integers(0, n, size)
        weights = np.ones(size) if kind is None else drawn_weights(rng, kind, size)
        graph = gp.Graph((sources, targets) if kind is None else (sources, targets, weights), num_vertices=n)
        wanted = by_kruskal(n, sources.tolist(), targets.tolist(), weights.tolist())
        for num_threads in THREADS:
            found = gp.minimum_spanning_forest(graph, num_threads=num_threads)
            assert listed(found, "weight") == [(u, v, float(weight)) for u, v, weight in wanted]
            assert found.num_components == n - len(wanted)
            total = sum(weight for _, _, weight in wanted)
            assert found.total_weight == pytest.approx(float(total), rel=1e-15, abs=1e-12)


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_forest_of_a_larger_graph_weighs_what_scipy_says(symmetric):
    plain = gp.generate.kronecker(14, seed=6, symmetric=symmetric)
    rng = np.random.default_rng(8)
    matrix = sp.csr_array((np.ones(plain.num_edges), plain.indices, plain.indptr), shape=plain.shape)
    matrix = sp.triu(matrix + matrix.T, 1).tocsr()
    matrix.data = rng.permutation(matrix.nnz) + 1.0
    wanted = minimum_spanning_tree(matrix).tocoo()
    found = [gp.minimum_spanning_forest(matrix, num_threads=t) for t in THREADS]
    ends = sorted(zip(np.minimum(wanted.row, wanted.col).tolist(), np.maximum(wanted.row, wanted.col).tolist()))
    for result in found:
        assert list(map(tuple, result.edges.tolist())) == ends
        assert result.total_weight == wanted.data.sum()
        assert result.num_components == connected_components(matrix)[0]


def test_a_forest_is_that_of_networkx():
    graph = nx.gnp_random_graph(80, 0.08, seed=3)
    order = random.Random(5).sample(range(1000), graph.number_of_edges())
    for (u, v), weight in zip(graph.edges, order):
        graph.edges[u, v]["weight"] = weight
    graph = nx.relabel_nodes(graph, {v: f"v{v}" for v in graph})
    wanted = {frozenset((u, v)): data["weight"] for u, v, data in nx.minimum_spanning_edges(graph)}
    table = gp.minimum_spanning_forest(graph).to_table()
    assert table.columns.tolist() == ["source", "target", "weight"]
    found = {frozenset((u, v)): weight for u, v, weight in table.itertuples(index=False)}
    assert found == wanted


def test_integers_are_compared_and_summed_exactly():
    one, other = 2**53, 2**53 + 1  # the same double
    graph = gp.Graph(([0, 1, 0], [1, 2, 2], np.array([other, one, -3])))
    found = gp.minimum_spanning_forest(graph)
    assert found.edges.tolist() == [[0, 2], [1, 2]]
    big = gp.Graph(([0, 1, 2], [1, 2, 3], np.array([2**62, -(2**62) + 1, -(2**62)])))
    assert gp.minimum_spanning_forest(big).total_weight == float(-(2**62) + 1)


def test_the_lightest_of_parallel_edges_counts_and_loops_do_not():
    graph = gp.Graph(([0, 1, 0, 2], [1, 0, 1, 2], [5.0, 2.0, 7.0, -9.0]))
    found = gp.minimum_spanning_forest(graph)
    assert listed(found, "weight") == [(0, 1, 2.0)]
    assert (found.total_weight, found.num_components) == (2.0, 2)


@pytest.mark.parametrize("weights", [[1.0, np.nan, 2.0], np.array([1, np.nan, np.nan], np.float32)])
def test_nan_is_refused(weights):
    graph = gp.Graph(([0, 3, 3], [1, 5, 5], weights))
    message = "edge 3 -> 5 has weight nan; minimum_spanning_forest needs numbers, .* drop the edge"
    with pytest.raises(gp.InputError, match=message):
        gp.minimum_spanning_forest(graph)


def trussness_of(graph):
    """{(u, v): the largest k whose truss has the edge}, from NetworkX's trusses."""
    found, k = {}, 2
    left = nx.Graph(graph)
    while left.number_of_edges():
        found.update({(min(e), max(e)): k for e in left.edges})
        k += 1
        left = nx.k_truss(left, k)
    return found


def undirected_graphs():
    yield nx.empty_graph(1)
    yield nx.empty_graph(5)
    yield nx.path_graph(6)
    yield nx.complete_graph(9)
    yield nx.karate_club_graph()
    yield nx.gnp_random_graph(70, 0.25, seed=1)
    yield nx.barabasi_albert_graph(120, 8, seed=2)
    yield nx.disjoint_union_all([nx.complete_graph(n) for n in range(1, 8)])
    yield nx.powerlaw_cluster_graph(150, 6, 0.8, seed=4)
    yield nx.wheel_graph(30)


@pytest.mark.parametrize("number", range(10))
def test_trusses_are_those_of_networkx(number):
    plain = list(undirected_graphs())[number]
    wanted = trussness_of(plain)
    for k in (2, 3, 4, 6, 100):
        of_k = sorted((u, v, trussness) for (u, v), trussness in wanted.items() if trussness >= k)
        for num_threads in THREADS:
            found = gp.k_truss(plain, k=k, num_threads=num_threads)
            assert listed(found, "trussness") == of_k
            assert found.edges.shape == (len(of_k), 2)
            assert found.num_vertices == len({v for u, w, _ in of_k for v in (u, w)})
            assert found.max_trussness == max(wanted.values(), default=0)


@pytest.mark.parametrize("name", ["kronecker", "bundle_of_parallel_edges", "self_loops", "uniform", "dangling_heavy"])
def test_trusses_ignore_directions_loops_and_repetition(name):
    matrix = zoo.ZOO[name]()
    plain = nx.Graph()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    plain.add_edges_from((u, v) for u, v in zip(rows.tolist(), matrix.indices.tolist()) if u != v)
    wanted = sorted((*ends, trussness) for ends, trussness in trussness_of(plain).items())
    for num_threads in THREADS:
        assert listed(gp.k_truss(matrix, k=2, num_threads=num_threads), "trussness") == wanted


def test_large_trusses_hold_together_and_cannot_grow():
    graph = gp.generate.kronecker(12, seed=4)
    all_edges = gp.k_truss(graph, k=2)
    for k in (3, 5, 12, int(all_edges.max_trussness)):
        found = gp.k_truss(graph, k=k, num_threads=2)
        assert np.array_equal(found.edges, all_edges.edges[all_edges.trussness >= k])
        u, v = found.edges.T
        part = sp.csr_array((np.ones(len(u)), (u, v)), shape=graph.shape)
        part = part + part.T
        assert (part @ part)[u, v].min() >= k - 2
    # Taking edges away until all that are left are in enough triangles gives the same.
    k = 9
    u, v = all_edges.edges.T
    while True:
        part = sp.csr_array((np.ones(len(u)), (u, v)), shape=graph.shape)
        part = part + part.T
        stays = np.asarray((part @ part)[u, v]).ravel() >= k - 2
        if stays.all():
            break
        u, v = u[stays], v[stays]
    assert np.array_equal(gp.k_truss(graph, k=k).edges, np.column_stack([u, v]))


@pytest.mark.parametrize("k", [1, -4, 2**31, 2.5, "3"])
def test_k_must_be_two_or_more(k):
    with pytest.raises(gp.InputError, match=r"k\b"):
        gp.k_truss(gp.Graph(([0], [1])), k=k)


def test_graphs_without_edges():
    for graph in (gp.Graph(([], []), num_vertices=1), gp.Graph(([0, 1], [0, 1]))):
        forest, truss = gp.minimum_spanning_forest(graph), gp.k_truss(graph)
        assert forest.edges.shape == truss.edges.shape == (0, 2)
        assert (forest.total_weight, forest.num_components) == (0, graph.num_vertices)
        assert (truss.num_vertices, truss.max_trussness) == (0, 0)
        assert forest.to_table().columns.tolist() == ["source", "target", "weight"]


def test_results_are_tables_of_edges():
    graph = nx.relabel_nodes(nx.complete_graph(3), dict(enumerate("abc")))
    result = gp.k_truss(graph)
    assert result.row == "edge"
    assert result.values is result.edges
    table = result.to_table()
    assert table.columns.tolist() == ["source", "target", "trussness"]
    assert table.to_numpy().tolist() == [["a", "b", 3], ["a", "c", 3], ["b", "c", 3]]


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (["minimum-spanning-forest"], "source,target,weight\n0,1,0.5\n1,2,1.0\n2,3,2.0\n"),
        (["k-truss", "--k", "3"], "source,target,trussness\n0,1,3\n0,2,3\n1,2,3\n"),
    ],
)
def test_commands_write_tables(command, wanted, tmp_path, capsys):
    file, out = tmp_path / "graph.txt", tmp_path / "out.csv"
    file.write_text("0 1 0.5\n1 2 1\n2 0 1.5\n2 3 2\n")
    with pytest.raises(SystemExit) as done:
        main([command[0], str(file), *command[1:], "--verify", "--out", str(out)])
    told = capsys.readouterr().out
    assert not done.value.code, told
    assert "Verified" in told
    assert out.read_text() == wanted
