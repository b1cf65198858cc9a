# SPDX-License-Identifier: Apache-2.0
"""PageRank where sums are long, against a power iteration in float64."""

import numpy as np
import pytest

import gaspipe as gp

STEPS = 30


def star(num_vertices, center=0):
    leaves = np.delete(np.arange(num_vertices), center)
    return np.full(leaves.size, center), leaves


def both_ways(sources, targets):
    return np.concatenate([sources, targets]), np.concatenate([targets, sources])


def double_star():
    """Two centers, far apart, with an edge between them and 2^18 leaves each."""
    n = 1 << 19
    sources = np.where(np.arange(n) < n // 2, 0, n - 1)
    leaves = np.arange(n)
    keep = sources != leaves
    return both_ways(np.append(sources[keep], 0), np.append(leaves[keep], n - 1))


def many_hubs():
    """Hubs of all sizes in several partitions of 2^16 vertices, some late in the order of sources only."""
    n = 200_000
    rng = np.random.default_rng(5)
    sources, targets = [rng.integers(0, n, 300_000)], [rng.integers(0, n, 300_000)]
    for hub, first, last in [
        (3, 0, n),
        (70_000, n // 2, n),
        (70_001, n - 3000, n),
        (140_000, 0, 40_000),
        (n - 1, 0, n),
    ]:
        sources.append(np.arange(first, last))
        targets.append(np.full(last - first, hub))
    return np.concatenate(sources), np.concatenate(targets)


GRAPHS = {"star": lambda: both_ways(*star(1 << 20)), "double star": double_star, "many hubs": many_hubs}


def power_iteration(edges, steps, damping=0.85):
    """Ranks in float64. NumPy adds up a vertex's terms pairwise."""
    sources, targets = edges
    n = max(sources.max(), targets.max()) + 1
    order = np.argsort(targets, kind="stable")
    sources, targets = sources[order], targets[order]
    starts = np.flatnonzero(np.diff(targets, prepend=-1))
    degree = np.bincount(sources, minlength=n)
    rank = np.full(n, 1 / n)
    for _ in range(steps):
        arriving = np.zeros(n)
        arriving[targets[starts]] = np.add.reduceat((rank / np.maximum(degree, 1))[sources], starts)
        rank = (1 - damping + damping * rank[degree == 0].sum()) / n + damping * arriving
    return rank


@pytest.fixture(scope="module", params=GRAPHS)
def graph(request):
    edges = GRAPHS[request.param]()
    return gp.Graph(edges), power_iteration(edges, STEPS)


@pytest.mark.parametrize("method", ["auto", "gas"])
@pytest.mark.parametrize(("number", "tolerance"), [("float64", 1e-13), ("float32", 3e-5)])
def test_ranks_of_long_sums_are_those_of_float64(graph, number, tolerance, method):
    g, expected = graph
    r = gp.pagerank(g, number=number, method=method, tol=0, max_iter=STEPS)
    assert abs(r.rank.sum() - 1) <= tolerance
    assert np.abs(r.rank - expected).sum() <= tolerance
    assert np.abs(r.rank / expected - 1).max() <= 10 * tolerance


def test_ranks_in_fixed_point_sum_to_1_within_the_bound_of_the_docstring(graph):
    g, _ = graph
    r = gp.pagerank(g, number="fixed", tol=0, max_iter=STEPS)
    bound = (g.num_edges / 2 + 3 * g.num_vertices) / 2**r.stats.scale_bits / (1 - 0.85)
    assert abs(r.rank.sum() - 1) <= bound


@pytest.mark.parametrize("num_threads", [2, 3])
def test_long_sums_are_the_same_bits_for_any_number_of_threads(num_threads):
    g = gp.Graph(many_hubs())
    options = {"number": "float32", "tol": 0, "max_iter": 5, "partitioning": g.partition(capacity=1 << 14)}
    assert np.array_equal(
        gp.pagerank(g, num_threads=1, **options).rank, gp.pagerank(g, num_threads=num_threads, **options).rank
    )


@pytest.mark.parametrize("method", ["auto", "gas"])
def test_sums_of_a_custom_float32_algorithm_are_those_of_float64(method):
    edges = many_hubs()
    add = gp.Algorithm(
        "adds_thirds",
        prop="float32",
        scatter="src",
        gather="a + b",
        apply="acc",
        initial="1.0f / 3",
        until=("steps", 1),
    )
    expected = np.bincount(edges[1], minlength=200_000) * np.float64(np.float32(1 / 3))
    assert np.allclose(add(gp.Graph(edges), method=method).values, expected, rtol=2e-6, atol=0)
