# SPDX-License-Identifier: Apache-2.0
"""PageRank where sums are long, against a power iteration in float64; and with weights, against NetworkX."""

import networkx as nx
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
    assert np.allclose(add(gp.Graph(edges), method=method).values, expected, rtol=3e-5, atol=0)


# Weights.


@pytest.fixture(scope="module")
def weighted():
    """Random graph as (sources, targets, weights), with dangling vertices, edges of weight 0 and parallel ones."""
    rng = np.random.default_rng(8)
    n, m = 300, 2500
    sources, targets = rng.integers(0, n, m), rng.integers(0, n, m)
    keep = sources % 11 != 0  # without out-edges
    sources, targets = sources[keep], targets[keep]
    weights = rng.integers(0, 50, sources.size)
    weights[sources % 13 == 0] = 0  # with some that weigh nothing
    return sources, targets, weights


def by_networkx(edges, **options):
    sources, targets, weights = (part.tolist() for part in edges)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(max(sources + targets) + 1))
    graph.add_weighted_edges_from(zip(sources, targets, weights))
    rank = nx.pagerank(graph, weight="weight", tol=1e-15, max_iter=2000, **options)
    return np.array([rank[v] for v in range(len(rank))])


PLACES = [
    {"method": "auto"},
    {"method": "gas"},
    {"device": "emulator"},
    {"device": "emulator", "execution": "exact"},
]


@pytest.mark.parametrize("place", PLACES, ids=lambda p: "-".join(p.values()))
@pytest.mark.parametrize(("number", "tolerance"), [("float64", 1e-9), ("float32", 1e-5), ("fixed", 1e-6)])
def test_weighted_ranks_are_networkxs(weighted, number, tolerance, place):
    tol = 1e-11 if number == "float64" else 1e-6
    r = gp.pagerank(weighted, weights=True, number=number, tol=tol, max_iter=500, **place)
    assert r.stats.number == number and r.stats.converged
    assert r.algorithm == "pagerank" and r.field == "rank"
    assert np.abs(r.rank - by_networkx(weighted)).sum() <= tolerance + 10 * tol
    assert np.abs(r.rank - gp.pagerank(weighted).rank).sum() > 0.01, "weights matter here"


def test_weighted_ranks_follow_damping_and_personalization_as_networkxs_do(weighted):
    n = max(weighted[0].max(), weighted[1].max()) + 1
    shares = np.arange(n) % 7
    r = gp.pagerank(weighted, weights=True, damping=0.6, personalization=shares, tol=1e-13, max_iter=500)
    expected = by_networkx(weighted, alpha=0.6, personalization=dict(enumerate(shares.tolist())))
    # NetworkX hands dangling ranks to where the teleport goes, as we do.
    assert np.abs(r.rank - expected).max() <= 1e-9


@pytest.mark.parametrize(
    ("scale", "dtype"),
    [(2.5e-320, np.float64), (1e300, np.float64), (7, np.float64), (7, np.float32), (7, np.int64), (7, np.int32)],
)
def test_weighted_ranks_do_not_depend_on_the_unit_of_the_weights(weighted, scale, dtype):
    sources, targets, weights = weighted
    scaled = (weights * scale).astype(dtype)
    expected = gp.pagerank(weighted, weights=True, tol=1e-12, max_iter=500).rank
    for number, tolerance in [("float64", 1e-9), ("float32", 1e-5), ("fixed", 1e-6)]:
        r = gp.pagerank((sources, targets, scaled), weights=True, number=number, tol=0, max_iter=150)
        assert np.abs(r.rank - expected).sum() <= tolerance


def test_weights_whose_sum_is_no_double_are_shares_all_the_same():
    r = gp.pagerank(([0, 0, 1, 2], [1, 2, 0, 0], [1.7e308, 0.85e308, 1.0, 1.0]), weights=True, tol=0, max_iter=1)
    assert np.allclose(r.rank, [0.05 + 0.85 * 2 / 3, 0.05 + 0.85 / 3 * 2 / 3, 0.05 + 0.85 / 3 / 3], rtol=1e-14, atol=0)


@pytest.mark.parametrize("number", ["float64", "float32", "fixed"])
def test_a_hub_spreads_all_its_rank_whatever_its_weights(number):
    n = 50_000
    leaves = np.arange(1, n)
    weights = np.random.default_rng(3).random(n - 1)
    edges = (
        np.append(np.zeros(n - 1, int), leaves),
        np.append(leaves, np.zeros(n - 1, int)),
        np.append(weights, weights),
    )
    for method in ("auto", "gas"):
        r = gp.pagerank(edges, weights=True, number=number, method=method, tol=0, max_iter=40)
        bound = {"float64": 1e-13, "float32": 1e-5, "fixed": 4 * n / 2**r.stats.scale_bits / 0.15}[number]
        assert abs(r.rank.sum() - 1) <= bound
        assert np.abs(r.rank - gp.pagerank(edges, weights=True, tol=0, max_iter=40).rank).sum() <= max(1e-5, bound)


@pytest.mark.parametrize("number", ["float64", "float32", "fixed"])
def test_without_weights_every_edge_weighs_1(number):
    g = gp.Graph(many_hubs())
    options = {"number": number, "tol": 0, "max_iter": 4}
    plain = gp.pagerank(g, **options).rank
    assert np.array_equal(gp.pagerank(g, weights=True, **options).rank, plain)
    assert np.abs(gp.weighted_pagerank(g, **options).rank - plain).sum() <= {"float64": 1e-13}.get(number, 1e-4)


def test_default_ignores_weights(weighted):
    assert np.array_equal(gp.pagerank(weighted).rank, gp.pagerank(weighted[:2]).rank)
    assert np.array_equal(gp.pagerank(weighted, weights=False).rank, gp.pagerank(weighted).rank)


@pytest.mark.parametrize("bad", [-1.0, -0.5e-300, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [*PLACES[:3], {"number": "fixed"}], ids=lambda p: "-".join(p.values()))
def test_weights_that_are_no_shares_are_refused_with_their_edge(bad, place):
    edges = ([0, 0, 1, 2], [1, 2, 2, 0], [1.0, 2.0, bad, 3.0])
    with pytest.raises(gp.InputError, match=r"edge 1 -> 2 has weight \S+; .* need finite weights >= 0"):
        gp.pagerank(edges, weights=True, **place)
    assert gp.pagerank(edges).stats.converged, "which do not matter without"


@pytest.mark.parametrize("bad", ["weight", 1, None, 0.5, np.ones(3)])
def test_weights_must_be_true_or_false(bad):
    with pytest.raises(gp.InputError, match=r"weights is .*; allowed are True, for the graph's own weights, and False"):
        gp.pagerank(([0, 1], [1, 0]), weights=bad)


def test_weighted_ranks_are_the_same_bits_in_fixed_point_everywhere(weighted):
    g = gp.Graph(weighted)
    parts = g.partition(capacity=64, compute_units=3)
    places = [
        {},
        {"method": "gas", "num_threads": 2},
        {"partitioning": parts},
        {"device": "emulator", "partitioning": parts},
    ]
    answers = {gp.pagerank(g, weights=True, number="fixed", **place).rank.tobytes() for place in places}
    assert len(answers) == 1


def test_a_board_is_predicted_for_the_kernels_that_read_weights(weighted):
    plain, heavy = (
        gp.predict("pagerank", weighted, weights=w, tol=0, max_iter=3).stats.prediction for w in (False, True)
    )
    assert heavy.bytes_per_edge > plain.bytes_per_edge
