# SPDX-License-Identifier: Apache-2.0
"""SpMV is SciPy's product in every pair of dtypes: numbers that wrap around, bools, uint64, no entries at all."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from gaspipe._verify import verify

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
DTYPES = [np.bool_, *INTEGERS, *FLOATS]
UINT64 = np.dtype(np.uint64)


def name(dtype):
    return np.dtype(dtype).name


def numbers(rng, dtype, size):
    """Numbers of the whole range: of integers, so that products wrap around; a weight is below 2**63."""
    if dtype == np.bool_:
        return rng.random(size) < 0.6
    if dtype in FLOATS:
        return rng.normal(size=size).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, size, dtype, endpoint=True)


def expected_dtype(entries, x):
    """NumPy's, once what is below 32 bits counts as 32 bits, and uint32 as int64."""
    if UINT64 in (np.dtype(entries), np.dtype(x)):
        return np.result_type(entries, x)
    counted = [
        np.int64 if d == np.uint32 else np.float32 if d == np.float16 else np.int32 if np.dtype(d).itemsize < 4 else d
        for d in (entries, x)
    ]
    return np.result_type(*counted)


@pytest.mark.parametrize("entries", DTYPES, ids=name)
@pytest.mark.parametrize("x", DTYPES, ids=name)
def test_product_is_scipys_in_every_pair_of_dtypes(entries, x):
    rng = np.random.default_rng([DTYPES.index(entries), DTYPES.index(x)])
    pattern = sp.random_array((30, 40), density=0.15, random_state=rng, format="csr")
    data = numbers(rng, entries, pattern.nnz)
    data = data // 2 if entries == np.uint64 else data
    vector = numbers(rng, x, 40)
    # SciPy has no float16; to float32 it is exact.
    stored = data.astype(np.float32) if entries == np.float16 else data
    matrix = sp.csr_array((stored, pattern.indices, pattern.indptr), pattern.shape)
    wanted = matrix @ (vector.astype(np.float32) if x == np.float16 else vector)
    for made in (matrix, matrix.tocoo(), matrix.tocsc()):
        found = gp.spmv(made, vector).product
        assert found.dtype == expected_dtype(entries, x)
        if found.dtype.kind == "f":
            size = abs(matrix.astype(np.float64)) @ abs(vector.astype(np.float64))
            precise = matrix.astype(np.float64) @ vector.astype(np.float64)
            assert (abs(found - precise) <= 50 * np.finfo(found.dtype).eps * size).all()
        else:
            # SciPy keeps 8 and 16 bits, uint32 and bool: what is left of ours there.
            assert np.array_equal(found.astype(wanted.dtype), wanted)


IN_SCIPY = [dtype for dtype in DTYPES if dtype != np.float16]


@pytest.mark.parametrize(
    ("entries", "x"),
    [pair for pair in itertools.product(IN_SCIPY, DTYPES) if np.uint64 in pair],
    ids=name,
)
def test_uint64_gives_scipys_dtype(entries, x):
    matrix, vector = sp.csr_array(np.ones((2, 2), entries)), np.array([1, 0], x)
    assert gp.spmv(matrix, vector).product.dtype == (matrix @ vector).dtype


def test_uint64_wraps_around_as_scipys_on_the_emulator_too():
    matrix = sp.csr_array(np.array([[1, 3], [2, 2], [0, 5]], np.uint64))
    x = np.array([2**64 - 1, 2**63 + 7], np.uint64)
    for how in ({}, {"method": "gas"}, {"device": "emulator"}, {"device": "emulator", "execution": "exact"}):
        result = gp.spmv(matrix, x, **how)
        assert result.product.dtype == np.uint64
        assert np.array_equal(result.product, matrix @ x)
    pattern = gp.Graph(([0, 0, 1], [0, 1, 1]))
    assert gp.spmv(pattern, x).product.tolist() == [(2**64 - 1 + 2**63 + 7) % 2**64, 2**63 + 7]
    signed = gp.Graph(([0, 0, 1], [0, 1, 1], [1, 1, -1]))
    assert gp.spmv(signed, x).product.tolist() == [float(2**64 + 2**63), -float(2**63)]
    for graph in (pattern, signed):
        assert verify(gp.spmv(graph, x), graph, {"x": x}).agrees
        assert not verify(gp.spmv(graph, x), graph, {"x": x - np.uint64(2**62)}).agrees


@pytest.mark.parametrize(("entries", "x"), [("u8", "i4"), ("u8", "u8"), ("u1", "u8"), ("bool", "u8")])
def test_uint64_of_the_other_byte_order_gives_the_same_product(entries, x):
    matrix, vector = sp.csr_array(np.array([[1, 0], [1, 1]], entries)), np.array([-3, 5], "i4")
    if entries == "u8":
        matrix.data *= np.uint64(2**62)
    if x == "u8":
        vector = np.array([2**53 + 1, 2**64 - 1], x)
    swapped = matrix.copy()
    swapped.data = matrix.data.astype(matrix.dtype.newbyteorder())
    found = gp.spmv(swapped, vector.astype(vector.dtype.newbyteorder())).product
    wanted = gp.spmv(matrix, vector).product
    assert found.dtype == wanted.dtype and np.array_equal(found, wanted)


def test_uint64_in_a_format_asked_for_must_fit_it():
    matrix = sp.csr_array(np.array([[2, 0], [0, 3]], np.int32))
    fits, too_large = np.array([1, 2], np.uint64), np.array([1, 2**63], np.uint64)
    assert gp.spmv(matrix, fits, number="int32").product.dtype == np.int32
    with pytest.raises(gp.InputError, match=r"x\[1\] is 9223372036854775808, which does not fit int64"):
        gp.spmv(matrix, too_large, number="int64")
    with pytest.raises(gp.InputError, match="the weight 9223372036854775808 is too large"):
        gp.spmv(sp.csr_array(np.array([[2**63]], np.uint64)), fits[:1])


@pytest.mark.parametrize("x", [np.int32, np.uint64, np.float64, np.bool_], ids=name)
def test_a_stored_false_counts_as_zero(x):
    data, rows, columns = np.array([True, False, True, False]), np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])
    matrix = sp.coo_array((data, (rows, columns)), (3, 3))
    vector = np.array([1, 0, 1]).astype(x) if x == np.bool_ else np.array([2, 3, 5], x)
    for made in (matrix, matrix.tocsr(), matrix.tocsc(), gp.Graph(matrix.tocsr())):
        found = gp.spmv(made, vector).product
        assert np.array_equal(found.astype((matrix @ vector).dtype), matrix @ vector)
    assert gp.Graph(matrix.tocsr()).weights.tolist() == [1, 0, 1, 0]
    assert gp.Graph((rows, columns, data)).weights.tolist() == [1, 0, 1, 0]
    assert gp.Graph(sp.coo_array((data | True, (rows, columns)), (3, 3))).weights is None


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3)])
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_array])
@pytest.mark.parametrize("how", [{}, {"method": "gas"}, {"device": "emulator"}, {"device": "emulator:u250"}], ids=str)
def test_a_matrix_without_entries_has_scipys_product(shape, form, how):
    for entries, x in ((np.float64, np.float64), (np.int32, np.int32), (np.uint64, np.uint64), (np.float32, np.int64)):
        matrix, vector = form(shape, dtype=entries), np.ones(shape[1], x)
        result, wanted = gp.spmv(matrix, vector, **how), matrix @ vector
        assert np.array_equal(result.product, wanted)
        assert result.product.dtype == wanted.dtype
    with pytest.raises(gp.InputError, match="x has 9 entries"):
        gp.spmv(matrix, np.ones(9), **how)


def test_an_empty_matrix_is_no_graph():
    matrix = gp.Graph(sp.csr_array((0, 0)), rectangular=True)
    assert (matrix.shape, matrix.num_edges) == ((0, 0), 0)
    assert gp.spmv(matrix, []).product.tolist() == []
    with pytest.raises(gp.InputError, match="no vertices"):
        gp.Graph(sp.csr_array((0, 0)))
    with pytest.raises(gp.InputError, match="no vertices"):
        gp.bfs(sp.csr_array((0, 0)))
