# SPDX-License-Identifier: Apache-2.0
"""Generated graphs: sizes, repeatability, and the properties that make them what they are called."""

import networkx as nx
import numpy as np
import pytest

import gaspipe as gp

BUILDERS = {
    "kronecker": lambda **options: gp.generate.kronecker(10, 8, **options),
    "rmat": lambda **options: gp.generate.rmat(10, 8, 0.4, 0.3, 0.2, **options),
    "uniform": lambda **options: gp.generate.uniform(1500, 9000, **options),
}
builder = pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)


def parts(graph):
    return graph.indptr, graph.indices, graph.weights


def assert_same(one, other):
    for a, b in zip(parts(one), parts(other)):
        assert (a is None) == (b is None)
        assert a is None or np.array_equal(a, b)


@builder
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("weights", [None, (1, 255)])
def test_same_arguments_give_the_same_graph_on_any_number_of_threads(build, symmetric, weights):
    first = build(seed=7, symmetric=symmetric, weights=weights, num_threads=1)
    for threads in (1, 2, 3):
        assert_same(build(seed=7, symmetric=symmetric, weights=weights, num_threads=threads), first)


@builder
def test_another_seed_gives_another_graph(build):
    assert not np.array_equal(build(seed=1, symmetric=False).indices, build(seed=2, symmetric=False).indices)


@builder
def test_largest_seed_is_taken(build):
    assert build(seed=2**64 - 1).num_edges > 0


def test_directed_kronecker_has_all_drawn_edges():
    graph = gp.generate.kronecker(scale=11, edge_factor=5, symmetric=False)
    assert (graph.num_vertices, graph.num_edges) == (2048, 5 * 2048)
    assert graph.weights is None


def test_uniform_has_all_drawn_edges_and_is_directed_by_default():
    graph = gp.generate.uniform(1000, 5000)
    assert (graph.num_vertices, graph.num_edges) == (1000, 5000)


def test_kronecker_defaults_are_the_benchmarks():
    graph = gp.generate.kronecker()
    assert graph.num_vertices == 2**18
    assert 12 * 2**18 < graph.num_edges / 2 <= 16 * 2**18


@builder
def test_symmetric_graphs_have_both_directions_once_and_no_loops(build):
    graph = build(symmetric=True, weights=(1, 100))
    matrix = graph.to_scipy()
    assert matrix.has_canonical_format
    assert (matrix != matrix.T).nnz == 0
    assert matrix.diagonal().sum() == 0


@builder
def test_symmetric_graph_is_the_directed_one_in_both_directions(build):
    drawn = build(symmetric=False).to_scipy()
    both = drawn + drawn.T
    both.setdiag(0)
    both.eliminate_zeros()
    both.sort_indices()
    graph = build(symmetric=True)
    assert np.array_equal(graph.indptr, both.indptr)
    assert np.array_equal(graph.indices, both.indices)


@builder
@pytest.mark.parametrize("symmetric", [False, True])
def test_weights_fill_their_range_and_leave_the_edges_alone(build, symmetric):
    graph = build(weights=(-3, 4), symmetric=symmetric)
    assert graph.weights.dtype == np.int32
    assert np.array_equal(np.unique(graph.weights), np.arange(-3, 5))
    assert np.array_equal(graph.indices, build(symmetric=symmetric).indices)
    assert gp.generate.uniform(10, 100, weights=(9, 9)).weights.tolist() == [9] * 100
    widest = gp.generate.uniform(10, 1000, weights=(-(2**31), 2**31 - 1)).weights
    assert widest.min() < -(2**30) < 2**30 < widest.max()


def test_kronecker_degrees_are_skewed_and_uniform_ones_are_not():
    skewed = gp.generate.kronecker(12, 16, symmetric=False).out_degrees()
    even = gp.generate.uniform(4096, 16 * 4096).out_degrees()
    assert skewed.max() > 20 * 16
    assert even.max() < 4 * 16
    assert (skewed == 0).sum() > 100 > (even == 0).sum()


def test_kronecker_labels_are_permuted():
    # Without, the vertex of the largest degree would be 0 for any seed.
    hubs = {int(gp.generate.kronecker(10, 16, seed).out_degrees().argmax()) for seed in range(8)}
    assert len(hubs) > 4


def test_uniform_ends_are_uniform():
    graph = gp.generate.uniform(16, 160_000)
    degrees = np.concatenate([graph.out_degrees(), np.bincount(graph.indices, minlength=16)])
    # 10000 expected; a standard deviation is 97.
    assert np.abs(degrees - 10_000).max() < 600


@pytest.mark.parametrize("scale", [0, 1])
def test_smallest_scales_work(scale):
    graph = gp.generate.kronecker(scale, 3, symmetric=False)
    assert (graph.num_vertices, graph.num_edges) == (2**scale, 3 * 2**scale)
    assert gp.generate.kronecker(0).num_edges == 0


def test_uniform_may_have_no_edges():
    assert gp.generate.uniform(5, 0).num_edges == 0
    assert gp.generate.uniform(1, 4).indices.tolist() == [0] * 4


def test_numpy_integers_are_integers():
    assert_same(gp.generate.uniform(np.int64(10), np.uint8(20), np.int32(3)), gp.generate.uniform(10, 20, 3))


@pytest.mark.parametrize("scale", [-1, 32, 10**6, -(2**40), 2**70])
def test_kronecker_refuses_scales_out_of_range(scale):
    with pytest.raises(gp.InputError, match="scale"):
        gp.generate.kronecker(scale)


@pytest.mark.parametrize("edge_factor", [0, -4, 2**40])
def test_kronecker_refuses_edge_factors_out_of_range(edge_factor):
    with pytest.raises(gp.InputError, match="edge_factor"):
        gp.generate.kronecker(5, edge_factor)


@pytest.mark.parametrize("num_vertices", [0, -1, 2**32, 2**64])
def test_uniform_refuses_numbers_of_vertices_out_of_range(num_vertices):
    with pytest.raises(gp.InputError, match="num_vertices"):
        gp.generate.uniform(num_vertices, 10)


@pytest.mark.parametrize("num_edges", [-1, 2**50, 2**64])
def test_uniform_refuses_numbers_of_edges_out_of_range(num_edges):
    with pytest.raises(gp.InputError, match="num_edges"):
        gp.generate.uniform(10, num_edges)


@builder
@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", None, True])
def test_seeds_that_are_no_64_bit_numbers_are_refused(build, seed):
    with pytest.raises(gp.InputError, match="seed"):
        build(seed=seed)


@builder
@pytest.mark.parametrize("weights", [(5, 4), (1,), (1, 2, 3), 7, (0.5, 2), (0, 2**31), "ab"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_ranges_of_weights_that_are_none_are_refused(build, weights, symmetric):
    with pytest.raises(gp.InputError, match="weights"):
        build(weights=weights, symmetric=symmetric)


# Shapes: the builder, and the same graph by NetworkX. Directed ones are NetworkX DiGraphs.
SHAPES = {
    "grid": (
        lambda **o: gp.generate.grid(7, 5, **o),
        lambda: nx.convert_node_labels_to_integers(nx.grid_2d_graph(7, 5)),
    ),
    "star": (lambda **o: gp.generate.star(40, **o), lambda: nx.star_graph(39)),
    "chain": (lambda **o: gp.generate.chain(40, **o), lambda: nx.path_graph(40)),
    "complete": (lambda **o: gp.generate.complete(40, **o), lambda: nx.complete_graph(40)),
    "acyclic": (
        lambda **o: gp.generate.acyclic(40, **o),
        lambda: nx.DiGraph([(i, j) for i in range(40) for j in range(i + 1, 40)]),
    ),
}
EITHER_WAY = ("grid", "star", "chain")
shape = pytest.mark.parametrize("name", SHAPES)


def edges_of(graph):
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
    return list(zip(sources.tolist(), graph.indices.tolist()))


def both_ways(edges):
    return sorted({*edges, *((j, i) for i, j in edges)})


@shape
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_shapes_are_networkxs(name, threads):
    build, reference = SHAPES[name]
    other = reference()
    graph = build(num_threads=threads)
    assert graph.num_vertices == other.number_of_nodes()
    assert edges_of(graph) == (sorted(other.edges) if other.is_directed() else both_ways(other.edges))
    assert graph.weights is None
    assert graph.labels is None


@pytest.mark.parametrize("name", EITHER_WAY)
def test_shapes_of_one_direction_lead_away_from_vertex_0(name):
    build, reference = SHAPES[name]
    forward = edges_of(build(symmetric=False))
    assert forward == sorted((min(edge), max(edge)) for edge in reference().edges)
    assert both_ways(forward) == edges_of(build())
    assert nx.is_directed_acyclic_graph(nx.DiGraph(forward))


@pytest.mark.parametrize(
    ("file", "build"),
    [
        ("gridGraph_15", lambda: gp.generate.grid(3, 5)),
        ("starGraph_1K", lambda: gp.generate.star(1000)),
        ("chainGraph_1K", lambda: gp.generate.chain(1000)),
        ("acyclicGraph_100", lambda: gp.generate.acyclic(100)),
    ],
)
def test_shapes_are_olives_toys(data_dir, file, build):
    lines = [line.split() for line in (data_dir / "olive" / file).read_text().splitlines() if not line.startswith("#")]
    num_vertices, num_edges = map(int, lines[0][:2])
    graph = build()
    assert (graph.num_vertices, graph.num_edges) == (num_vertices, num_edges)
    assert edges_of(graph) == sorted((int(line[0]), int(line[1])) for line in lines[1:])


@shape
def test_weights_of_shapes_are_repeatable_and_the_same_both_ways(name):
    build, _ = SHAPES[name]
    graph = build(weights=(-3, 4), seed=7, num_threads=1)
    assert graph.weights.dtype == np.int32
    assert set(graph.weights.tolist()) <= set(range(-3, 5))
    assert len(set(graph.weights.tolist())) > 4
    for threads in (2, 3):
        assert_same(build(weights=(-3, 4), seed=7, num_threads=threads), graph)
    assert not np.array_equal(build(weights=(-3, 4), seed=8).weights, graph.weights)
    assert np.array_equal(build().indices, graph.indices)
    weights = dict(zip(edges_of(graph), graph.weights.tolist()))
    if name != "acyclic":
        assert all(weights[j, i] == weight for (i, j), weight in weights.items())


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_large_shapes_are_the_same_for_any_number_of_threads(threads):
    for build in (
        lambda **o: gp.generate.grid(300, 500, **o),
        lambda **o: gp.generate.star(200_000, **o),
        lambda **o: gp.generate.chain(200_000, **o),
        lambda **o: gp.generate.complete(700, **o),
        lambda **o: gp.generate.acyclic(900, **o),
    ):
        assert_same(build(weights=(1, 99), num_threads=threads), build(weights=(1, 99), num_threads=1))


@pytest.mark.parametrize("n", [1, 2])
def test_smallest_shapes_work(n):
    for name, num_edges in [("star", 2), ("chain", 2), ("complete", 2), ("acyclic", 1)]:
        graph = getattr(gp.generate, name)(n, weights=(1, 2))
        assert (graph.num_vertices, graph.num_edges) == (n, num_edges * (n - 1))
    assert gp.generate.grid(1, n).num_edges == gp.generate.grid(n, 1).num_edges == 2 * (n - 1)


@pytest.mark.parametrize("name", ["star", "chain", "complete", "acyclic"])
@pytest.mark.parametrize("num_vertices", [0, -1, 2**32, 2**64, 2.0, "5", None, True])
def test_shapes_refuse_numbers_of_vertices_out_of_range(name, num_vertices):
    with pytest.raises(gp.InputError, match="num_vertices"):
        getattr(gp.generate, name)(num_vertices)


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (0, 3, "rows"),
        (3, 0, "columns"),
        (2**32, 1, "rows"),
        (2**16, 2**16, "columns 65536; allowed are 1 to 65535"),
        (2**63, 2**63, "rows"),
        (2, 2**63, "columns"),
        (-1, 1, "rows"),
        (1.5, 1, "rows"),
        (1, None, "columns"),
    ],
)
def test_grid_refuses_sides_out_of_range(rows, columns, message):
    with pytest.raises(gp.InputError, match=message):
        gp.generate.grid(rows, columns)


@pytest.mark.parametrize(
    "build",
    [
        lambda: gp.generate.complete(2**32 - 1),
        lambda: gp.generate.complete(2**22),
        lambda: gp.generate.acyclic(2**32 - 1),
        lambda: gp.generate.rmat(31, 512),
        lambda: gp.generate.kronecker(31, 512),
        lambda: gp.generate.uniform(10, 2**40),
    ],
)
def test_graphs_beyond_the_machines_memory_are_refused_at_once(build):
    with pytest.raises(gp.CapacityError, match="this machine has"):
        build()


@shape
@pytest.mark.parametrize(
    "options", [{"weights": (5, 4)}, {"weights": 7}, {"seed": -1}, {"seed": 2**64}, {"num_threads": 0}]
)
def test_options_of_shapes_are_checked(name, options):
    with pytest.raises(gp.InputError, match=next(iter(options))):
        SHAPES[name][0](**options)


def test_rmat_with_the_defaults_is_the_kronecker_graph():
    assert_same(gp.generate.rmat(10, 8, weights=(1, 9)), gp.generate.kronecker(10, 8, weights=(1, 9)))
    assert_same(gp.generate.rmat(10, symmetric=False, seed=3), gp.generate.kronecker(10, symmetric=False, seed=3))


def test_rmat_quadrants_have_their_probabilities():
    graph = gp.generate.rmat(10, 200, 0.1, 0.2, 0.3, permute=False, symmetric=False)
    sources, destinations = np.array(edges_of(graph)).T
    for level in range(10):
        found = np.bincount(2 * (sources >> level & 1) + (destinations >> level & 1), minlength=4)
        # A standard deviation is at most 225.
        assert np.abs(found - graph.num_edges * np.array([0.1, 0.2, 0.3, 0.4])).max() < 1200


def test_permuting_an_rmat_graph_only_renames_its_vertices():
    plain = gp.generate.rmat(10, 8, permute=False, symmetric=False).out_degrees()
    permuted = gp.generate.rmat(10, 8, symmetric=False).out_degrees()
    assert plain.argmax() == 0
    assert not np.array_equal(plain, permuted)
    assert np.array_equal(np.sort(plain), np.sort(permuted))


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        (-0.1, 0.5, 0.5),
        (1.1, 0, 0),
        (0.5, 0.5, 0.1),
        (float("nan"), 0.1, 0.1),
        (0.1, float("inf"), 0.1),
        (None, 0.1, 0.1),
        ("0.5", 0.1, 0.1),
        (True, 0, 0),
        (1j, 0, 0),
    ],
)
def test_rmat_refuses_what_is_no_probability(a, b, c):
    with pytest.raises(gp.InputError, match="a "):
        gp.generate.rmat(5, 4, a, b, c)


def test_rmat_takes_probabilities_that_sum_to_one_but_for_rounding():
    graph = gp.generate.rmat(8, 16, 0.7, 0.2, 0.1, permute=False, symmetric=False)
    assert all(i & j == 0 for i, j in edges_of(graph))


@pytest.mark.parametrize(("scale", "edge_factor"), [(-1, 1), (32, 1), (5, 0), (5, 2**40), (2.5, 1), (5, None)])
def test_rmat_refuses_sizes_out_of_range(scale, edge_factor):
    with pytest.raises(gp.InputError, match=r"scale|edge_factor"):
        gp.generate.rmat(scale, edge_factor)
