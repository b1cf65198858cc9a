# SPDX-License-Identifier: Apache-2.0
"""Arguments that are arrays: the vector of SpMV, the vertices of closeness, data of vertices; masked ones."""

import re

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp


@pytest.fixture(scope="module")
def graph():
    return gp.generate.kronecker(8, 8, weights=(1, 100))


@pytest.mark.parametrize("shape", [(50, 80), (80, 50), (1, 9), (9, 1), (4, 4)])
@pytest.mark.parametrize("entries", [np.int8, np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("numbers", [np.int8, np.int32, np.uint32, np.int64, np.float32, np.float64])
def test_spmv_is_scipys_product(shape, entries, numbers):
    rng = np.random.default_rng(5)
    dense = rng.integers(-9, 9, shape) * (rng.random(shape) < 0.2)
    matrix, x = sp.csr_array(dense.astype(entries)), rng.integers(0, 9, shape[1]).astype(numbers)
    result = gp.spmv(matrix, x)
    assert np.array_equal(result.product, dense @ x.astype(np.int64))  # small integers: exact in every dtype
    dtype = np.result_type(entries, numbers)
    assert result.product.dtype.kind == dtype.kind
    assert result.product.dtype.itemsize >= dtype.itemsize
    if min(np.dtype(entries).itemsize, np.dtype(numbers).itemsize) >= 4:
        assert result.product.dtype == dtype
    kept = gp.spmv(gp.Graph(matrix, rectangular=True), x.tolist())
    assert np.array_equal(kept.product, result.product)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-15)])
def test_spmv_of_fractions_is_scipys_product_up_to_rounding(dtype, tolerance):
    rng = np.random.default_rng(11)
    matrix = sp.random_array((300, 700), density=0.1, random_state=rng).tocsr().astype(dtype)
    x = rng.random(700).astype(dtype)
    result = gp.spmv(matrix, x, method="gas")
    assert result.product.dtype == dtype
    wanted = matrix.astype(np.float64) @ x.astype(np.float64)
    assert np.abs(result.product - wanted).sum() <= tolerance * wanted.sum()


def test_spmv_of_integers_wraps_around_as_numpys():
    for dtype in (np.int32, np.int64):
        high = np.iinfo(dtype).max // 2
        matrix, x = sp.csr_array(np.array([[high, high], [-high, 1]], dtype)), np.array([3, 3], dtype)
        assert np.array_equal(gp.spmv(matrix, x).product, matrix @ x)


def test_spmv_hands_on_what_is_not_finite():
    matrix = sp.csr_array(np.array([[1.0, 0], [np.inf, 1], [np.nan, 2]]))
    x = np.array([0.0, np.inf])
    assert np.array_equal(gp.spmv(matrix, x).product, matrix @ x, equal_nan=True)


@pytest.mark.parametrize(
    ("x", "match"),
    [
        ([1, 2, 3], "x has 3 entries; the matrix has 2 columns"),
        (None, "real numbers|must be an array"),
        (4, "x must be an array, found int"),
        ([[1, 2]], "2 dimensions"),
        (["a", "b"], "real numbers are needed"),
        ([1j, 2], "real numbers are needed"),
        (np.array([1, 2], np.longdouble), "float64"),
        ([[1], [2, 3]], "x "),
    ],
)
def test_vectors_that_are_none_are_refused(x, match):
    with pytest.raises(gp.InputError, match=match):
        gp.spmv(sp.csr_array(np.ones((3, 2))), x)


def test_spmv_in_a_format_that_does_not_hold_the_numbers_is_refused():
    matrix = sp.csr_array(np.array([[2]], np.int32))
    with pytest.raises(gp.InputError, match=r"x\[0\] is 1.5, which does not fit int32"):
        gp.spmv(matrix, [1.5], number="int32")
    assert gp.spmv(matrix, [1.0], number="int32").product.dtype == np.int32
    assert gp.spmv(matrix, [3], number="float32").product.dtype == np.float32


@pytest.mark.parametrize("improved", [True, False])
@pytest.mark.parametrize("directed", [True, False])
def test_closeness_is_networkxs(directed, improved):
    peer = nx.gnp_random_graph(150, 0.015, seed=3, directed=directed)
    wanted = np.array(list(nx.closeness_centrality(peer, wf_improved=improved).values()))
    result = gp.closeness(peer, wf_improved=improved)
    np.testing.assert_allclose(result.closeness, wanted, rtol=1e-14)
    for number in ("uint32", "uint64"):
        for some in ([5, 3, 3, 149], range(0, 150, 2), np.array([7], np.uint8)):
            values = gp.closeness(peer, list(some), wf_improved=improved, number=number).closeness
            others = np.setdiff1d(np.arange(150), some)
            np.testing.assert_allclose(np.delete(values, others), np.delete(wanted, others), rtol=1e-14)
            assert np.isnan(values[others]).all()


def test_closeness_of_no_vertices_is_nothing(graph):
    assert np.isnan(gp.closeness(graph, []).closeness).all()


@pytest.mark.parametrize(
    "make", [set, frozenset, iter, dict.fromkeys, lambda v: dict.fromkeys(v).keys(), lambda v: map(gp.index, v)]
)
def test_vertices_come_as_any_iterable(graph, make):
    wanted = gp.closeness(graph, [5, 3]).closeness
    assert np.array_equal(gp.closeness(graph, make([5, 3])).closeness, wanted, equal_nan=True)


@pytest.mark.parametrize(
    ("vertices", "match"),
    [
        ({150}, r"vertices\[0\] is 150"),
        ({"a"}, "vertices: there is no vertex 'a'; this graph has no labels"),
        ({1.0}, "vertices: there is no vertex 1.0; "),
        ([150], r"vertices\[0\] is 150"),
        ([0, -1], r"vertices\[1\] is -1"),
        ([1.0], "vertex ids are integers"),
        ([True], "vertex ids are integers"),
        (7, "vertices must be an array"),
        ("all", "vertices must be an array"),
        (np.array([0, 2**64 - 1], np.uint64), r"vertices\[1\] is 18446744073709551615; no graph has so many vertices"),
        ([2**63], r"vertices\[0\] is 9223372036854775808; no graph has so many vertices"),
    ],
)
def test_vertices_that_are_none_are_refused(vertices, match):
    with pytest.raises(gp.InputError, match=match):
        gp.closeness(([0], [149]), vertices)


def test_pairs_of_huge_ids_are_refused():
    pairs = np.array([[0, 1], [2, 2**63]], np.uint64)
    with pytest.raises(gp.InputError, match=r"pairs\[1, 1\] is 9223372036854775808; no graph has so many vertices"):
        gp.jaccard(([0, 1], [2, 2]), pairs)
    assert gp.jaccard(([0, 1], [2, 2]), pairs[:1]).coefficient.tolist() == [1.0]


def masked(values, mask):
    return np.ma.array(values, mask=mask)


MASKED = {
    "x": lambda graph, of: gp.spmv(graph, of([1, 2, 3])),
    "x ": lambda graph, of: gp.spmv(graph, of(np.array([1, 2, 3], np.uint64))),
    "root": lambda graph, of: gp.bfs(graph, of([2, 1, 0])[2:].reshape(())),
    "personalization": lambda graph, of: gp.pagerank(graph, personalization=of([1.0, 2, 3])),
    "vertices": lambda graph, of: gp.closeness(graph, of([0, 1, 2])),
    "vertices ": lambda graph, of: gp.closeness((["a", "b"], ["b", "c"]), of(["a", "b", "c"])),
    "labels": lambda graph, of: gp.Graph((["a", "b"], ["b", "c"])).ids_of(of(["a", "b", "c"])),
    "gp.index()": lambda graph, of: gp.index(of([0, 1, 2])),
    "sources": lambda graph, of: gp.Graph((of([0, 1, 2]), [1, 2, 3])),
    "destinations": lambda graph, of: gp.Graph(([0, 1, 2], of([1, 2, 3]))),
    "weights": lambda graph, of: gp.Graph(([0, 1, 2], [1, 2, 0], of([1, 2, 3]))),
    "vertex_data['a']": lambda graph, of: gp.Graph(([0, 1], [1, 2]), vertex_data={"a": of([1, 2, 3])}),
}


@pytest.mark.parametrize("call", MASKED)
def test_masked_values_are_refused(call):
    graph = gp.Graph(([0, 1], [1, 2]))
    size = 1 if call == "root" else 3
    with pytest.raises(gp.InputError, match=re.escape(f"{call.strip()}: 1 of {size} values are masked; ")):
        MASKED[call](graph, lambda values: masked(values, [False, False, True]))
    for mask in (False, [False, False, False]):  # nothing is masked
        MASKED[call](graph, lambda values, mask=mask: masked(values, mask))


def test_data_of_vertices_is_copied():
    given = np.arange(3)
    graph = gp.Graph(([0, 1], [1, 2]), vertex_data={"a": given})
    given[0] = 99
    assert graph.vertex_data["a"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("vertex_data", "match"),
    [
        (5, "vertex_data is of type int; a dict of arrays by name is needed"),
        ("ab", "vertex_data is of type str; a dict of arrays by name is needed"),
        ({"a": [1, [2]]}, r"vertex_data\['a'\] cannot be read as an array"),
        ({5: [1, [2]]}, "vertex_data has the name 5; names are strings"),
    ],
)
def test_data_of_vertices_is_numbers_by_name(vertex_data, match):
    with pytest.raises(gp.InputError, match=match):
        gp.Graph(([0], [1]), vertex_data=vertex_data)


@pytest.mark.parametrize("flag", [1, 0, None, "yes", 1.0])
def test_flags_are_bools(graph, flag):
    with pytest.raises(gp.InputError, match=r"wf_improved is .*; a bool is needed"):
        gp.closeness(graph, wf_improved=flag)
    assert np.isnan(gp.closeness(graph, [0], wf_improved=np.False_).closeness[1])
