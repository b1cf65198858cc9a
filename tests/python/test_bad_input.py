# SPDX-License-Identifier: Apache-2.0
"""Bad input: one clear error of the right class each, and a library that still works afterwards."""

import copy
import re

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
import references

WEIGHTED = ([0, 1, 2], [1, 2, 3], [5, 6, 7])


@pytest.fixture(autouse=True)
def library_still_works():
    """After every test of this file, right answers."""
    yield
    assert gp.bfs(([0, 1], [1, 2])).depth.tolist() == [0, 1, 2]
    assert gp.sssp(WEIGHTED).distance.tolist() == [0, 5, 11, 18]
    assert gp.pagerank(WEIGHTED, tol=1e-12, max_iter=1000).rank.sum() == pytest.approx(1)


@pytest.fixture
def graph():
    return gp.Graph(WEIGHTED)


def csr(indptr, indices, data=None, n=3):
    """Matrix whose arrays SciPy would not let pass."""
    matrix = sp.csr_array((n, n), dtype=np.int32)
    matrix.indptr, matrix.indices = np.asarray(indptr), np.asarray(indices)
    matrix.data = np.ones(len(matrix.indices), np.int32) if data is None else np.asarray(data)
    return matrix


def test_errors_are_of_the_documented_classes():
    assert issubclass(gp.InputError, gp.Error)
    assert issubclass(gp.InputError, ValueError)
    assert issubclass(gp.GraphFormatError, gp.Error)
    assert issubclass(gp.GraphFormatError, ValueError)
    for other in (gp.CapacityError, gp.DeviceError):
        assert issubclass(other, gp.Error)
        assert not issubclass(other, ValueError)


# What is no graph.


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (0, 5), (1, 0)])
@pytest.mark.parametrize("name", sorted({*gp.algorithms, *gp.cpu_algorithms} - {"spmv"}))
def test_matrices_that_are_not_square_are_refused(name, shape, form):
    matrix = getattr(sp, f"{form}_array")(shape, dtype=np.int32)
    with pytest.raises(gp.InputError, match=f"{shape[0]} rows and {shape[1]} columns.*square"):
        getattr(gp, name)(matrix)
    with pytest.raises(gp.InputError, match=f"{name} needs a square matrix; this one is {shape[0]} x {shape[1]}"):
        getattr(gp, name)(gp.Graph(matrix, rectangular=True))


def test_sparse_arrays_of_one_dimension_are_refused():
    with pytest.raises(gp.InputError, match="1 dimension"):
        gp.Graph(sp.coo_array(np.array([1, 0, 2])))


@pytest.mark.parametrize(
    "empty",
    [sp.csr_array((0, 0)), sp.csc_array((0, 0)), sp.coo_array((0, 0)), nx.Graph(), nx.DiGraph()],
    ids=["csr", "csc", "coo", "networkx", "networkx directed"],
)
def test_graphs_without_vertices_are_refused(empty):
    with pytest.raises(gp.InputError, match="no vertices; at least 1"):
        gp.Graph(empty)
    with pytest.raises(gp.InputError, match="no vertices; at least 1"):
        gp.bfs(empty)


@pytest.mark.parametrize("name", sorted({*gp.algorithms, *gp.cpu_algorithms} - {"spmv"}))
def test_an_empty_matrix_is_refused_by_all_but_spmv(name):
    with pytest.raises(gp.InputError, match=f"{name} needs at least 1 vertex; this one is a matrix of 0 x 0"):
        getattr(gp, name)(gp.Graph(sp.csr_array((0, 0)), rectangular=True))


def test_edge_arrays_without_edges_need_a_number_of_vertices():
    with pytest.raises(gp.InputError, match="give num_vertices="):
        gp.Graph(([], []))
    with pytest.raises(gp.InputError, match="vertices"):
        gp.Graph(([], []), num_vertices=0)
    with pytest.raises(gp.InputError, match="vertices"):
        gp.Graph(([], []), relabel=True)


@pytest.mark.parametrize("name", gp.algorithms)
def test_one_vertex_is_a_graph(name):
    for data in (sp.csr_array((1, 1)), sp.csr_array([[7]]), ([0], [0]), nx.empty_graph(1)):
        arguments = references.arguments(name, 1)
        result = getattr(gp, name)(data, **arguments)
        wanted = references.reference(name).answer(gp.Graph(data).to_scipy(), **arguments)
        np.testing.assert_allclose(result.values, wanted, rtol=1e-5)


@pytest.mark.parametrize(
    "data",
    [None, 7, "graph.txt", b"graph", {0: [1]}, object(), np.eye(3), np.array([[0, 1], [1, 2]]), {1, 2}, iter([])],
    ids=["None", "int", "str", "bytes", "dict", "object", "dense", "table", "set", "iterator"],
)
def test_what_is_no_graph_is_named_with_what_would_be(data):
    with pytest.raises(gp.InputError, match=r"cannot make a graph of .*SciPy sparse matrix.*NetworkX"):
        gp.Graph(data)
    with pytest.raises(gp.InputError, match="cannot make a graph"):
        gp.pagerank(data)


def test_hints_name_the_way_out():
    with pytest.raises(gp.InputError, match=r"Graph\.from_file"):
        gp.Graph("edges.txt")
    with pytest.raises(gp.InputError, match="csr_array"):
        gp.Graph(np.eye(2))


# Ids.


@pytest.mark.parametrize("bad", [3, 100, 2**31 - 1, -1, -(2**31)])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("copied", [True, None])
def test_indices_out_of_range_are_named_with_their_place(bad, dtype, copied):
    matrix = csr(np.array([0, 1, 2, 3]), np.array([0, 1, bad], dtype))
    with pytest.raises(gp.InputError, match=rf"indices\[2\] is {bad}\b"):
        gp.Graph(matrix, copy=copied)


@pytest.mark.parametrize("bad", [2**32, 2**40, 2**63 - 1, -(2**63)])
def test_indices_of_64_bits_are_not_cut_to_32(bad):
    with pytest.raises(gp.InputError, match=rf"indices\[0\] is {bad}"):
        gp.Graph(csr([0, 1, 1, 1], np.array([bad], np.int64)))
    with pytest.raises(gp.InputError, match=rf"destinations\[1\] is {bad}"):
        gp.Graph(([0, 1], np.array([1, bad])), num_vertices=3)


@pytest.mark.parametrize("bad", [3, -1, -7])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_edge_arrays_out_of_range_are_named_with_their_place(bad, dtype):
    good, wrong = np.array([0, 1, 2, 2], dtype), np.array([0, 1, 2, bad], dtype)
    with pytest.raises(gp.InputError, match=rf"sources\[3\] is {bad}\b"):
        gp.Graph((wrong, good), num_vertices=3)
    with pytest.raises(gp.InputError, match=rf"destinations\[3\] is {bad}\b"):
        gp.Graph((good, wrong), num_vertices=3)


def test_negative_ids_are_refused_when_vertices_are_counted_from_them():
    with pytest.raises(gp.InputError, match=r"is -4\b"):
        gp.Graph(([0, -4], [1, 0]))
    with pytest.raises(gp.InputError, match=r"is -4\b"):
        gp.Graph(([-4], [-5]))


def test_coo_with_ids_out_of_range_is_refused():
    matrix = sp.coo_array(([1, 1], ([0, 1], [1, 2])), shape=(3, 3))
    for bad in (3, -1):
        broken = copy.deepcopy(matrix)
        broken.coords[1][1] = bad
        with pytest.raises(gp.InputError, match=rf"\[1\] is {bad}\b"):
            gp.Graph(broken)


@pytest.mark.parametrize(
    ("indptr", "match"),
    [
        ([0, 1, 2], "indptr has 3 entries"),
        ([0, 1, 2, 3, 3], "indptr has 5 entries"),
        ([1, 1, 2, 3], "starts with 1"),
        ([0, 1, 2, 4], "ends with 4 but there are 3"),
        ([0, 2, 1, 3], "falls from 2 to 1 at row 1"),
        ([0, 9, 9, 3], "falls from 9 to 3 at row 2"),
        ([0, -1, 2, 3], "falls from"),
    ],
)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("copied", [True, False, None])
def test_broken_indptr_is_refused(indptr, match, dtype, copied):
    with pytest.raises(gp.InputError, match=f"indptr.*{match}" if "indptr" not in match else match):
        gp.Graph(csr(np.array(indptr, dtype), np.array([0, 1, 2], np.int32)), copy=copied)


def test_arrays_of_different_lengths_are_refused():
    with pytest.raises(gp.InputError, match="data has 2 entries and indices 3"):
        gp.Graph(csr([0, 1, 2, 3], [0, 1, 2], data=np.ones(2)))
    with pytest.raises(gp.InputError, match="lengths 2, 3"):
        gp.Graph(([0, 1], [0, 1, 2]))
    with pytest.raises(gp.InputError, match="lengths 2, 2, 1"):
        gp.Graph(([0, 1], [0, 1], [1.0]))


@pytest.mark.parametrize("count", [0, 1, 4])
def test_tuples_of_another_number_of_arrays_are_refused(count):
    with pytest.raises(gp.InputError, match=f"found {count} parts"):
        gp.Graph(([0, 1],) * count)


def test_list_of_pairs_is_not_taken_for_three_arrays():
    # Three edges as pairs look like (sources, destinations, weights) of two edges.
    with pytest.raises(gp.InputError):
        gp.Graph([(0, 1), (1, 2), (2, 0)])


@pytest.mark.parametrize(
    "ids",
    [[0.0, 1.0], [0.5, 1], ["0", "1"], [True, False], [1j, 0], [None, 1], np.array([0, 1], object), [[0], [1]], 7,
     [[0, 1], [2]], np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"), [2**64, 1]],
    ids=str,
)  # fmt: skip
def test_ids_that_are_no_integers_are_refused(ids):
    with pytest.raises(gp.InputError, match="source"):
        gp.Graph((ids, [0, 1]))
    with pytest.raises(gp.InputError, match="destination"):
        gp.Graph(([0, 1], ids))


@pytest.mark.parametrize("dtype", [np.float64, bool, complex])
def test_index_arrays_that_are_no_integers_are_refused(dtype):
    with pytest.raises(gp.InputError, match=r"indptr.*integers"):
        gp.Graph(csr(np.array([0, 1, 1, 1], dtype), [0]))
    with pytest.raises(gp.InputError, match=r"indices.*integers"):
        gp.Graph(csr([0, 1, 1, 1], np.array([0], dtype)))


# How many vertices.


def test_too_many_vertices_are_refused():
    with pytest.raises(gp.InputError, match="too many"):
        gp.Graph(([0], [1]), num_vertices=2**32)
    with pytest.raises(gp.InputError, match="too many"):
        gp.Graph(([0], [1]), num_vertices=2**70)
    with pytest.raises(gp.InputError, match="too many"):
        gp.Graph(sp.coo_array(([1], ([0], [1])), shape=(2**33, 2**33)))


@pytest.mark.parametrize("largest", [2**32 - 2, 2**40, 2**63 - 1])
def test_sparse_ids_are_suspected_and_the_remedy_named(largest):
    rest = "num_vertices=" if largest < 2**32 - 1 else "at most 4294967295 fit 32-bit ids"
    with pytest.raises(gp.InputError, match=f"{largest}.*relabel=True.*{rest}"):
        gp.Graph(([0, 1], [1, largest]))
    assert gp.Graph(([0, 1], [1, largest]), relabel=True).num_vertices == 3


@pytest.mark.parametrize("bad", [-1, 1.5, "3", True, [3]])
def test_num_vertices_that_is_no_count_is_refused(bad):
    with pytest.raises(gp.InputError, match="num_vertices"):
        gp.Graph(([0], [1]), num_vertices=bad)


def test_options_of_edge_arrays_are_refused_elsewhere():
    for options in ({"num_vertices": 3}, {"relabel": True}):
        with pytest.raises(gp.InputError, match="are for edge arrays"):
            gp.Graph(sp.csr_array((3, 3)), **options)
    with pytest.raises(gp.InputError, match="relabel=True counts the vertices itself"):
        gp.Graph(([0], [1]), num_vertices=2, relabel=True)


# Weights.


@pytest.mark.parametrize("bad", [-1.0, -1e-45, -np.inf, np.nan])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sssp_refuses_negative_and_nan_weights_and_names_the_edge(bad, dtype):
    graph = gp.Graph(([0, 1, 2], [1, 2, 3], np.array([1, bad, 2], dtype)))
    for options in ({}, {"method": "gas"}, {"number": "float64"}, {"root": 3}):
        with pytest.raises(gp.InputError, match=r"edge 1 -> 2 has weight .*sssp needs weights >= 0"):
            gp.sssp(graph, **options)
    assert gp.bfs(graph).depth.tolist() == [0, 1, 2, 3]
    assert gp.pagerank(graph).rank.sum() == pytest.approx(1)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
@pytest.mark.parametrize("form", ["csr", "coo"])
def test_sssp_refuses_negative_integers(form, dtype):
    dense = np.zeros((3, 3), dtype)
    dense[0, 1], dense[2, 0] = 4, -3
    matrix = getattr(sp, f"{form}_array")(dense)
    with pytest.raises(gp.InputError, match="edge 2 -> 0 has weight -3"):
        gp.sssp(matrix)
    assert gp.bfs(matrix).depth.tolist() == [0, 1, -1]


def test_sssp_takes_zero_and_negative_zero():
    assert gp.sssp(([0, 1], [1, 2], [0.0, -0.0])).distance.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "weights",
    [[1j, 2], np.array([1, 2], object), ["1", "2"], [None, 1], [[1], [2]], np.array([1, 2], np.longdouble),
     np.array([1, 2], "datetime64[D]"), np.array([1, 2], "timedelta64[D]"), [[1, 2], [3]]],
    ids=["complex", "object", "str", "None", "two dimensions", "longdouble", "datetime", "timedelta", "ragged"],
)  # fmt: skip
def test_weights_of_no_number_type_are_refused(weights):
    with pytest.raises(gp.InputError, match="weights"):
        gp.Graph(([0, 1], [1, 2], weights))


@pytest.mark.parametrize("dtype", [complex, np.complex64, np.longdouble])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_matrices_of_no_number_type_are_refused(form, dtype):
    with pytest.raises(gp.InputError, match="weights have dtype"):
        gp.Graph(getattr(sp, f"{form}_array")(np.eye(3, dtype=dtype)))


def test_networkx_weights_that_are_no_numbers_are_refused():
    source = nx.DiGraph()
    source.add_edge(0, 1, weight="far")
    with pytest.raises(gp.InputError, match="weights"):
        gp.Graph(source)


def test_unsigned_weights_beyond_63_bits_are_refused():
    with pytest.raises(gp.InputError, match=f"{2**63}.*too large"):
        gp.Graph(([0], [1], np.array([2**63], np.uint64)))


def test_weights_that_do_not_fit_the_number_asked_for_are_refused():
    with pytest.raises(gp.InputError, match=r"weight 1.5 .*does not fit uint32"):
        gp.sssp(([0], [1], [1.5]), number="uint32")
    with pytest.raises(gp.InputError, match=f"weight {2**40} .*does not fit uint32"):
        gp.sssp(([0], [1], [2**40]), number="uint32")
    with pytest.raises(gp.InputError, match=r"weight inf .*does not fit uint64"):
        gp.sssp(([0], [1], [np.inf]), number="uint64")


# Sums that leave the number format.


@pytest.mark.parametrize("method", ["auto", "gas"])
def test_sums_beyond_32_bits_are_computed_again_in_64(method):
    longest = 2**31 - 1
    graph = gp.Graph((range(4), range(1, 5), np.full(4, longest, np.int32)))
    result = gp.sssp(graph, method=method)
    assert result.distance.tolist() == [k * longest for k in range(5)]
    assert (result.stats.number, result.stats.attempts) == ("uint64", 2)
    assert method == "auto" or result.stats.num_supersteps == 5
    again = gp.sssp(graph, 3, method=method)
    assert (again.distance.tolist(), again.stats.attempts) == ([-1, -1, -1, 0, longest], 1)


@pytest.mark.parametrize("total", [2**32 - 4, 2**32 - 3, 2**32 - 2, 2**32 - 1, 2**32])
def test_sums_around_the_end_of_32_bits_are_right(total):
    weights = np.array([2**31 - 1, 2**30, total - (2**31 - 1) - 2**30], np.int32)
    result = gp.sssp((range(3), range(1, 4), weights))
    assert result.distance[3] == total
    assert result.stats.attempts == (1 if total <= 2**32 - 2 else 2)


@pytest.mark.parametrize("method", ["auto", "gas"])
def test_sums_beyond_64_bits_are_a_capacity_error(method):
    with pytest.raises(gp.CapacityError, match="sssp: the answer does not fit"):
        gp.sssp(([0, 1], [1, 2], [2**62, 2**62]), method=method)
    largest = gp.sssp(([0, 1], [1, 2], [2**62, 2**62 - 1]), method=method)
    assert largest.distance.tolist() == [0, 2**62, 2**63 - 1]


def test_sums_that_leave_the_number_asked_for_are_a_capacity_error():
    with pytest.raises(gp.CapacityError, match='number="uint32"'):
        gp.sssp(([0, 1, 2], [1, 2, 3], np.full(3, 2**31 - 1, np.int32)), number="uint32")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["auto", "gas"])
def test_float_sums_that_overflow_are_not_taken_for_unreached(dtype, method):
    most = np.finfo(dtype).max
    edges = [0, 1, 3], [1, 2, 4]
    with pytest.raises(gp.CapacityError, match=f'number="{np.dtype(dtype).name}"'):
        gp.sssp((*edges, np.array([most, most / 2, 1], dtype)), method=method)
    # An infinite weight is a road nobody can take.
    r = gp.sssp((*edges, np.array([most / 2, np.inf, 1], dtype)), method=method)
    np.testing.assert_array_equal(r.distance, np.array([0, most / 2, np.inf, np.inf, np.inf], dtype))


# Parameters.


@pytest.mark.parametrize("name", ["bfs", "sssp"])
@pytest.mark.parametrize("root", [4, 5, -1, -4, 2**31, 2**32, 2**32 + 1, 2**63 - 1, 2**64, -(2**70)])
def test_roots_out_of_range_are_refused(graph, name, root):
    with pytest.raises(gp.InputError, match=f"root is {root}; "):
        getattr(gp, name)(graph, root)


@pytest.mark.parametrize("name", ["bfs", "sssp"])
@pytest.mark.parametrize(
    "root",
    [0.0, 1.5, np.float64(1), float("nan"), "0", b"0", True, np.True_, [0], (1,), np.array([0]), 1j, {}, object],
    ids=str,
)  # fmt: skip
def test_roots_that_are_no_integers_are_refused(graph, name, root):
    with pytest.raises(gp.InputError, match=r"root .*(integer|number)"):
        getattr(gp, name)(graph, root)


@pytest.mark.parametrize("name", ["bfs", "sssp"])
def test_root_none_is_refused_and_not_the_default(graph, name):
    with pytest.raises(gp.InputError, match="root"):
        getattr(gp, name)(graph, root=None)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.intp, np.array])
def test_numpy_integers_are_roots(graph, kind):
    assert gp.bfs(graph, kind(1)).depth.tolist() == [-1, 0, 1, 2]


def test_what_has_an_index_is_a_root(graph):
    class Two:
        def __index__(self):
            return 2

    class Broken:
        def __index__(self):
            raise RuntimeError("no index today")

    assert gp.bfs(graph, Two()).depth.tolist() == [-1, -1, 0, 1]
    with pytest.raises(RuntimeError, match="no index today"):
        gp.bfs(graph, Broken())


@pytest.mark.parametrize("damping", [-0.1, 1.0001, 2, -1, float("nan"), float("inf"), "0.85", [0.85], 1j, True])
def test_damping_out_of_range_is_refused(graph, damping):
    with pytest.raises(gp.InputError, match="damping"):
        gp.pagerank(graph, damping=damping)


@pytest.mark.parametrize("damping", [0, 1, 0.0, 1.0, np.float32(0.5)])
def test_ends_of_the_range_of_damping_are_allowed(graph, damping):
    assert gp.pagerank(graph, damping=damping).rank.sum() == pytest.approx(1)


@pytest.mark.parametrize("tol", [-1e-9, float("nan"), "small"])
def test_tolerances_out_of_range_are_refused(graph, tol):
    with pytest.raises(gp.InputError, match="tol"):
        gp.pagerank(graph, tol=tol)


@pytest.mark.parametrize("max_iter", [0, -1, 10.0, "10", True, [10], 2**64])
def test_limits_of_steps_that_are_none_are_refused(graph, max_iter):
    with pytest.raises(gp.InputError, match="max_iter"):
        gp.pagerank(graph, max_iter=max_iter)


@pytest.mark.parametrize(
    ("personalization", "match"),
    [
        ([1, 1, 1], "has 3 entries; the graph's 4 vertices need 4"),
        ([1] * 5, "has 5 entries"),
        ([], "has 0 entries"),
        ([1, 1, -1, 1], r"personalization\[2\] is -1"),
        ([1, np.nan, 1, 1], r"personalization\[1\] is nan"),
        ([1, np.inf, 1, 1], r"personalization\[1\] is inf"),
        ([0, 0, 0, 0], "sums to 0"),
        (np.ones((4, 1)), "2 dimensions"),
        (["a", "b", "c", "d"], "real numbers are needed"),
        (1.0, "must be an array"),
        ({4: 1.0}, "there is no vertex 4; this graph has no labels, its vertices are 0 to 3"),
        ({0: "much"}, "personalization has the value 'much'"),
        ("uniform", "personalization"),
        (np.ones(4) * (1 + 2j), "personalization"),
    ],
    ids=str,
)
@pytest.mark.parametrize("number", ["float64", "fixed"])
def test_personalizations_that_are_none_are_refused(graph, personalization, match, number):
    with pytest.raises(gp.InputError, match=match):
        gp.pagerank(graph, personalization=personalization, number=number)


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda w: np.array(w, np.float32), lambda w: np.array(w)[::1]])
def test_personalizations_of_every_array_type_are_taken(graph, kind):
    wanted = gp.pagerank(graph, personalization=np.array([0.0, 1.0, 2.0, 3.0])).rank
    assert np.array_equal(gp.pagerank(graph, personalization=kind([0, 1, 2, 3])).rank, wanted)
    assert np.array_equal(gp.pagerank(graph, personalization=[0, 10, 20, 30]).rank, wanted)


@pytest.mark.parametrize("personalization", [[1e308] * 4, [5e-324, 0, 0, 0]])
def test_extreme_personalizations_give_ranks_or_an_error(graph, personalization):
    try:
        rank = gp.pagerank(graph, personalization=personalization).rank
    except gp.InputError:
        return
    assert rank.sum() == pytest.approx(1)


# Where and how to run.


@pytest.mark.parametrize("name", gp.algorithms)
@pytest.mark.parametrize("method", ["push", "GAS", "", "auto "])
def test_unknown_methods_are_refused_with_the_known_ones(graph, name, method):
    with pytest.raises(gp.InputError, match=f'method is "{method}"; allowed are "auto" and "gas"'):
        getattr(gp, name)(graph, **references.arguments(name, graph.num_vertices), method=method)


@pytest.mark.parametrize("name", ["sssp", "pagerank"])
@pytest.mark.parametrize("number", ["int8", "double", "", "FIXED"])
def test_unknown_numbers_are_refused_with_the_known_ones(graph, name, number):
    with pytest.raises(gp.InputError, match=f'number is "{number}"; {name} allows "auto"'):
        getattr(gp, name)(graph, number=number)


@pytest.mark.parametrize("bad", [None, 5, np.float64, b"gas"])
def test_names_that_are_no_strings_are_refused(graph, bad):
    for name in ("method", "number"):
        with pytest.raises(gp.InputError, match=re.escape(f"{name} is {bad!r}; a string is needed")):
            gp.pagerank(graph, **{name: bad})


def test_precision_is_checked(graph):
    with pytest.raises(gp.InputError, match="precision is 'half'; allowed are 'double' and 'single'"):
        gp.pagerank(graph, precision="half")
    with pytest.raises(gp.InputError, match="give one of them"):
        gp.pagerank(graph, precision="single", number="fixed")


@pytest.mark.parametrize("device", ["gpu", "CPU", "", "cpu:0", "auto:u250", ":u250"])
def test_unknown_devices_are_refused_with_the_known_ones(graph, device):
    with pytest.raises(gp.InputError, match=r"device is .*; allowed are 'cpu', 'emulator', 'fpga', 'auto'"):
        gp.bfs(graph, device=device)


def test_device_of_another_type_is_refused(graph):
    with pytest.raises(gp.InputError, match="device is of type int"):
        gp.bfs(graph, device=0)


@pytest.mark.parametrize("device", ["fpga", "fpga:u250"])
def test_card_that_cannot_be_used_is_a_warning_or_an_error(graph, device, tmp_path, monkeypatch):
    # Where there is a card, it has no xclbin.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("GASPIPE_XCLBIN", raising=False)
    with pytest.warns(gp.DeviceFallbackWarning, match="cannot be used: .*running on the CPU") as caught:
        result = gp.bfs(graph, device=device)
    assert caught[0].filename == __file__
    assert result.stats.device == "cpu"
    with pytest.raises(gp.DeviceError, match=f"device='{device}' cannot be used"):
        gp.bfs(graph, device=device, fallback=False)


def test_auto_is_the_cpu_without_a_warning(graph, recwarn):
    assert gp.bfs(graph, device="auto").stats.device == "cpu"
    assert not recwarn.list


@pytest.mark.parametrize("threads", [0, -1, 4097, 10**9, 2**70, 1.0, "2", [1]])
def test_numbers_of_threads_that_are_none_are_refused(graph, threads):
    calls = [
        lambda: gp.bfs(graph, num_threads=threads),
        lambda: gp.Graph(WEIGHTED, num_threads=threads),
        lambda: graph.transpose(num_threads=threads),
        lambda: graph.symmetrize(num_threads=threads),
        lambda: graph.partition(num_threads=threads),
        lambda: gp.generate.uniform(4, 4, num_threads=threads),
        lambda: gp.generate.kronecker(4, num_threads=threads),
    ]
    for call in calls:
        with pytest.raises(gp.InputError, match="num_threads"):
            call()


@pytest.mark.parametrize("progress", [1, "print", [], object()])
def test_progress_that_cannot_be_called_is_refused(graph, progress):
    with pytest.raises(gp.InputError, match="progress must be callable"):
        gp.bfs(graph, progress=progress)


@pytest.mark.parametrize("partitioning", ["equal", 3, [], {"capacity": 3}])
def test_partitionings_that_are_none_are_refused(graph, partitioning):
    with pytest.raises(gp.InputError, match=r"partitioning must come from Graph.partition"):
        gp.bfs(graph, partitioning=partitioning)


def test_unknown_arguments_are_type_errors(graph):
    with pytest.raises(TypeError, match="speed"):
        gp.bfs(graph, speed="fast")
    with pytest.raises(TypeError):
        gp.pagerank(graph, 0.85)
