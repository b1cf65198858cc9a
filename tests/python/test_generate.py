# SPDX-License-Identifier: Apache-2.0
"""Generated graphs: sizes, repeatability, and the properties that make them what they are called."""

import numpy as np
import pytest

import gaspipe as gp

BUILDERS = {
    "kronecker": lambda **options: gp.generate.kronecker(10, 8, **options),
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
