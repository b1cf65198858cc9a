# SPDX-License-Identifier: Apache-2.0
"""Algorithms whose answer is a list of edges: minimum spanning forests."""

import random

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

import gaspipe as gp

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
