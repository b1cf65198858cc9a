# SPDX-License-Identifier: Apache-2.0
"""What a call returns: values under two names, statistics that add up, and something to look at."""

import copy
import functools
import operator
import pickle

import numpy as np
import pytest

import gaspipe as gp
import references
from gaspipe._description import PATHS

FIELDS = {"bfs": "depth", "sssp": "distance", "pagerank": "rank"}
X = {"x": lambda graph: np.ones(graph.num_vertices)}


@pytest.fixture
def graph():
    return gp.Graph(references.matrix("kronecker"))


@pytest.mark.parametrize(("name", "field"), FIELDS.items())
def test_values_stand_under_the_fields_name_too(graph, name, field):
    result = getattr(gp, name)(graph)
    assert isinstance(result, gp.Result)
    assert result.field == field
    assert result.algorithm == name
    assert getattr(result, field) is result.values
    assert result.values.shape == (graph.num_vertices,)
    assert field in dir(result)


def test_another_fields_name_is_an_attribute_error(graph):
    with pytest.raises(AttributeError, match="bfs has no 'rank'; it has 'depth'"):
        gp.bfs(graph).rank  # noqa: B018


@pytest.mark.parametrize(
    ("name", "dtype"), [("bfs", np.int32), ("pagerank", np.float64), ("sssp", np.int64)],
)  # fmt: skip
def test_dtype_is_the_documented_one(graph, name, dtype):
    assert getattr(gp, name)(graph).values.dtype == dtype


@pytest.mark.parametrize("number", ["float64", "float32", "fixed"])
def test_ranks_are_float64_in_every_number_format_and_sum_to_one(graph, number):
    result = gp.pagerank(graph, number=number, tol=1e-5)
    assert result.rank.dtype == np.float64
    assert result.rank.sum() == pytest.approx(1, abs=1e-4)
    assert result.stats.number == number


def test_precision_is_another_way_to_say_number(graph):
    assert gp.pagerank(graph, precision="single", tol=1e-4).stats.number == "float32"
    assert gp.pagerank(graph, precision="double").stats.number == "float64"


@pytest.mark.parametrize(
    ("weights", "number", "dtype", "unreached"),
    [
        (None, "uint32", "int64", -1), ("bool", "uint32", "int64", -1), ("int8", "uint32", "int64", -1),
        ("int32", "uint32", "int64", -1), ("int64", "uint64", "int64", -1), ("uint32", "uint64", "int64", -1),
        ("float32", "float32", "float32", np.inf), ("float64", "float64", "float64", np.inf),
    ],
)  # fmt: skip
def test_distances_follow_the_weights_dtype(weights, number, dtype, unreached):
    edges = ([0, 1], [1, 2]) if weights is None else ([0, 1], [1, 2], np.ones(2, weights))
    result = gp.sssp(gp.Graph(edges, num_vertices=4))
    assert result.stats.number == number
    assert result.distance.dtype == dtype
    assert result.distance.tolist() == [0, 1, 2, unreached]


@pytest.mark.parametrize(
    ("number", "dtype"), [("uint32", "int64"), ("uint64", "int64"), ("float32", "float32"), ("float64", "float64")]
)
def test_number_overrides_the_weights_dtype(number, dtype):
    result = gp.sssp(([0, 1], [1, 2], [2.0, 3.0]), number=number)
    assert (result.stats.number, result.distance.dtype) == (number, dtype)
    assert result.distance.tolist() == [0, 2, 5]


def test_asarray_gives_the_values_without_a_copy(graph):
    result = gp.bfs(graph)
    assert np.asarray(result) is result.values
    assert np.shares_memory(np.asarray(result, dtype=np.int32), result.values)


def test_array_with_copy_or_dtype_is_a_copy(graph):
    result = gp.bfs(graph)
    assert not np.shares_memory(np.array(result), result.values)
    as_float = np.asarray(result, dtype=np.float64)
    assert as_float.dtype == np.float64
    assert np.array_equal(as_float, result.values)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="copy= of asarray is NumPy 2's")
def test_asarray_without_a_copy_refuses_another_dtype(graph):
    result = gp.bfs(graph)
    assert np.asarray(result, copy=False) is result.values
    with pytest.raises(ValueError, match="must be copied"):
        np.asarray(result, dtype=np.float32, copy=False)


def test_values_are_the_callers_own(graph):
    result = gp.bfs(graph)
    wanted = result.values.copy()
    result.values[:] = 7
    assert np.array_equal(gp.bfs(graph).values, wanted)


def test_result_works_as_its_array_does(graph):
    result = gp.bfs(graph)
    assert len(result) == graph.num_vertices
    assert list(result) == result.values.tolist()
    assert result[3] == result.values[3]
    assert np.array_equal(result[2:5], result.values[2:5])
    assert np.max(result) == result.values.max()


@pytest.mark.parametrize("compare", [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge])
def test_results_compare_as_their_arrays_do(graph, compare):
    result, other = gp.bfs(graph, 1), gp.bfs(graph, 2)
    plain = result.values
    for value in (-1, 2, 1.5, np.int64(2), np.int32(-1), other.values, other.values.astype(float), None):
        if value is None and compare not in (operator.eq, operator.ne):
            with pytest.raises(TypeError):
                compare(result, value)
            continue
        for found, wanted in (
            (compare(result, value), compare(plain, value)), (compare(value, result), compare(value, plain)),
        ):  # fmt: skip
            assert type(found) is np.ndarray
            assert found.dtype == bool
            assert np.array_equal(found, wanted)
    assert np.array_equal(compare(result, other), compare(plain, other.values))
    assert compare(result, other).any() and not compare(result, other).all()


def test_comparisons_are_masks_and_counts():
    result = gp.bfs(([0, 1], [1, 2]), root=1)
    assert (result == -1).tolist() == [True, False, False]
    assert (result > 0).sum() == 1
    assert result[result >= 0].tolist() == [0, 1]
    assert (result == "far").tolist() == [False] * 3
    with pytest.raises(ValueError, match="ambiguous"):
        bool(result == result)
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


def test_every_algorithm_has_a_class_of_results_that_pickles(graph):
    for name, (field, arguments) in {**{k: (f, {}) for k, f in FIELDS.items()}, "spmv": ("product", X)}.items():
        result = getattr(gp, name)(graph, **{k: f(graph) for k, f in arguments.items()})
        kind = getattr(gp, f"{name.capitalize()}Result")
        assert type(result) is kind
        assert issubclass(kind, gp.Result)
        paths = [PATHS[name].field] if name in PATHS else []
        assert list(kind.__annotations__) == ["values", field, *paths]
        assert f"`gaspipe.{name}`" in kind.__doc__
        for again in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
            assert type(again) is kind
            assert (again == result).all()
            assert getattr(again, field) is again.values
            assert again.stats.num_supersteps == result.stats.num_supersteps
    assert gp.ArticleRankResult.__name__ == "ArticleRankResult"


def test_to_dict_has_labels_as_keys_and_plain_values():
    graph = gp.Graph(([30, 10], [10, 20]), relabel=True)
    answer = gp.bfs(graph, 30).to_dict()
    assert answer == {30: 0, 10: 1, 20: 2}
    assert all(type(depth) is int for depth in answer.values())
    assert gp.bfs(([0], [1])).to_dict() == {0: 0, 1: 1}


def test_repr_tells_algorithm_values_and_run(graph):
    text = repr(gp.bfs(graph))
    for part in ("Result(bfs: depth=[", "...", "int32", "device='cpu'", "supersteps="):
        assert part in text
    assert len(text) < 400


def test_notebook_table_shows_both_ends_and_escapes_labels():
    graph = gp.Graph(([0] * 30, range(30)))
    table = gp.bfs(graph)._repr_html_()
    assert table.count("<tr>") == 1 + 8 + 1
    assert "<td>29</td><td>1</td>" in table
    assert "30 vertices" in table
    small = gp.bfs(([0], [1]))._repr_html_()
    assert small.count("<tr>") == 1 + 2
    labelled = gp.Result("bfs", "depth", np.array([0]), gp.bfs(([0], [0])).stats, np.array(["<b>&"], object))
    assert "<td>&lt;b&gt;&amp;</td>" in labelled._repr_html_()


@pytest.mark.parametrize("method", ["auto", "gas"])
@pytest.mark.parametrize("name", FIELDS)
def test_statistics_describe_the_run(graph, name, method):
    stats = getattr(gp, name)(graph, method=method, num_threads=2).stats
    assert (stats.device, stats.method, stats.num_threads, stats.attempts) == ("cpu", method, 2, 1)
    assert stats.converged
    assert stats.num_edges == graph.num_edges
    assert (stats.capacity, stats.partitioner) == (65_536, "equal")
    assert stats.seconds > 0
    assert stats.prepare_seconds >= 0
    steps = stats.supersteps
    names = ("kind", "active_vertices", "edges", "scatter_gather_seconds", "apply_seconds")
    assert len(steps) == stats.num_supersteps > 0
    assert steps.dtype.names == ("step", *names)
    assert (steps["step"] == np.arange(len(steps))).all()
    assert stats.edges_streamed == steps["edges"].sum()
    assert stats.mteps == pytest.approx(steps["edges"].sum() / stats.seconds / 1e6)
    assert steps["scatter_gather_seconds"].sum() + steps["apply_seconds"].sum() <= stats.seconds
    assert (steps["scatter_gather_seconds"] >= 0).all()
    if method == "gas" or name == "pagerank":
        assert set(steps["kind"]) == {"gas" if method == "gas" else "pull"}
        assert (steps["edges"] == graph.num_edges).all()


def test_statistics_of_a_long_run_keep_the_first_and_the_last_supersteps():
    n, kept = 70_001, 32_768
    stats = gp.bfs(gp.generate.chain(n, symmetric=False)).stats  # a super-step per vertex
    steps = stats.supersteps
    assert stats.num_supersteps == n
    assert steps["step"].tolist() == [*range(kept), *range(n - kept, n)]
    assert stats.edges_streamed == n - 1  # the edge of every vertex but the last
    assert (steps["active_vertices"] == 1).all()


def test_statistics_of_bfs_count_vertices_by_level():
    graph = gp.Graph(references.matrix("binary_tree"))
    for method in ("auto", "gas"):
        stats = gp.bfs(graph, method=method).stats
        assert stats.supersteps["active_vertices"].tolist() == [2**level for level in range(8)]
    steps = gp.bfs(graph).stats.supersteps
    assert "push" in steps["kind"]
    degree = graph.out_degrees()
    levels = gp.bfs(graph).depth
    for level, step in enumerate(steps):
        assert step["edges"] == (degree[levels == level].sum() if step["kind"] == "push" else graph.num_edges)


def test_pushed_steps_are_also_taken_by_all_threads():
    # Frontiers of this many edges are split among the threads; the agreement suite relies on them.
    steps = gp.bfs(references.matrix("two_cpu_partitions"), num_threads=2).stats.supersteps
    assert (steps["edges"][steps["kind"] == "push"] > 4096).any()


def test_pagerank_counts_every_vertex_as_active(graph):
    stats = gp.pagerank(graph, tol=0, max_iter=4).stats
    assert stats.supersteps["active_vertices"].tolist() == [graph.num_vertices] * 4


def test_partitioning_given_is_the_one_used(graph):
    parts = graph.partition(capacity=100, compute_units=3, partitioner="balanced")
    stats = gp.pagerank(graph, partitioning=parts).stats
    assert (stats.capacity, stats.compute_units, stats.partitioner) == (100, 3, "balanced")


def test_second_call_finds_the_graph_prepared():
    graph = gp.generate.kronecker(14)
    first, second = gp.pagerank(graph).stats, gp.pagerank(graph).stats
    assert second.prepare_seconds < first.prepare_seconds


def test_small_graphs_run_on_one_thread_unless_told(graph):
    assert gp.bfs(graph).stats.num_threads == 1
    assert gp.bfs(graph, num_threads=3).stats.num_threads == 3


def test_iteration_that_ends_at_its_limit_warns_and_says_so(graph):
    with pytest.warns(gp.NotConvergedWarning, match="pagerank did not converge in 2 super-steps") as caught:
        result = gp.pagerank(graph, max_iter=2)
    assert not result.stats.converged
    assert "not converged" in repr(result)
    assert "not converged" in result._repr_html_()
    assert caught[0].filename == __file__


def test_tolerance_zero_runs_exactly_the_limit_and_does_not_warn(graph, recwarn):
    result = gp.pagerank(graph, tol=0, max_iter=7)
    assert (result.stats.num_supersteps, result.stats.converged) == (7, True)
    assert not recwarn.list


def test_fixed_point_says_its_scale_and_how_often_it_was_coarsened():
    stats = gp.pagerank(references.matrix("star_in"), number="fixed").stats
    assert stats.scale_bits > 0
    assert stats.attempts > 1
    assert gp.pagerank(references.matrix("star_in")).stats.scale_bits == 0


def test_results_can_be_copied_and_pickled(graph):
    result = gp.bfs(graph)
    for again in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert np.array_equal(again.depth, result.depth)
        assert again.stats.num_supersteps == result.stats.num_supersteps


def test_answers_outlive_their_graph():
    result = gp.bfs(gp.generate.kronecker(8))
    assert result.depth[0] == 0
    assert result.depth.flags.writeable


def test_times_of_supersteps_hold_no_preparation():
    graph = gp.generate.kronecker(14, 16, seed=1)  # the search makes sure of its in-edges on the way
    stats = gp.bfs(graph, 1).stats
    assert "pull" in stats.supersteps["kind"]
    assert stats.supersteps["scatter_gather_seconds"].sum() <= stats.seconds


@pytest.mark.parametrize("name", ["pagerank", "spmv"])
def test_partitions_that_are_asked_for_are_streamed(graph, name):
    arguments = references.arguments(name, graph.num_vertices)
    run = functools.partial(getattr(gp, name), graph, **arguments)
    assert set(run().stats.supersteps["kind"]) == {"pull"}
    asked = run(partitioning=graph.partition(capacity=64))
    assert set(asked.stats.supersteps["kind"]) == {"gas"}
    np.testing.assert_array_equal(asked.values, run(method="gas", partitioning=graph.partition(capacity=64)).values)
