# SPDX-License-Identifier: Apache-2.0
"""What a graph shares with the arrays it was made of, and what of them is never read."""

import gc

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
from small_matrices import edges_of, small_dense, sparse


def test_edge_arrays_are_never_borrowed():
    edges = np.array([0, 1], np.uint32), np.array([1, 2], np.uint32), np.array([3, 4], np.int32)
    graph = gp.Graph(edges)
    for part in edges:
        part[:] = 0
    assert edges_of(graph) == [(0, 1, 3), (1, 2, 4)]


def borrowed(graph, matrix):
    """Which of a matrix's three arrays a graph shares."""
    parts = {"indptr": graph.indptr, "indices": graph.indices, "data": graph.weights}
    return {name for name, array in parts.items() if np.shares_memory(array, getattr(matrix, name))}


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_copy_decides_whether_a_csr_is_shared(dtype):
    matrix = sparse("csr", "array", dtype)
    everything = {"indptr", "indices", "data"}
    assert borrowed(gp.Graph(matrix), matrix) == set()
    assert borrowed(gp.Graph(matrix, copy=True), matrix) == set()
    assert borrowed(gp.Graph(matrix, copy=False), matrix) == everything
    assert borrowed(gp.Graph(matrix, copy=None), matrix) == everything


def test_copy_none_borrows_what_it_can():
    matrix = sparse("csr", "array", np.int16)
    assert borrowed(gp.Graph(matrix, copy=None), matrix) == {"indptr", "indices"}


@pytest.mark.parametrize("part", ["indptr", "indices"])
def test_copy_none_takes_wide_index_arrays(part):
    matrix = sparse("csr", "array")
    setattr(matrix, part, getattr(matrix, part).astype(np.int64))
    graph = gp.Graph(matrix, copy=None)
    assert np.array_equal(graph.to_scipy().toarray(), small_dense())
    assert borrowed(graph, matrix) == {"indptr", "indices", "data"} - ({"indices"} if part == "indices" else set())


def test_copy_false_borrows_an_indptr_of_64_bits():
    matrix = sparse("csr", "array")
    matrix.indptr = matrix.indptr.astype(np.int64)
    assert borrowed(gp.Graph(matrix, copy=False), matrix) == {"indptr", "indices", "data"}


@pytest.mark.parametrize("matrix", [sparse("csc", "array"), sparse("coo", "array"), sparse("lil", "array")])
def test_copy_false_refuses_other_formats(matrix):
    with pytest.raises(gp.InputError, match=f"copy=False needs a csr.*{matrix.format}"):
        gp.Graph(matrix, copy=False)


@pytest.mark.parametrize(
    "given",
    [
        lambda: ([0, 1], [1, 0]),
        lambda: nx.path_graph(3),
        lambda: pd.DataFrame({"from": [0], "to": [1]}),
    ],
)
def test_what_is_no_matrix_cannot_be_borrowed(given):
    with pytest.raises(gp.InputError, match="copy=False needs a csr matrix to borrow from; this is"):
        gp.Graph(given(), copy=False)


def test_a_graph_of_a_graph_shares_it_and_its_data():
    graph = gp.Graph(([0, 1], [1, 0]), vertex_data={"kept": [1, 2]})
    again = gp.Graph(graph, copy=False, vertex_data={"more": [3, 4]})
    assert again.vertex_data["kept"] is graph.vertex_data["kept"]
    assert again.vertex_data["more"].tolist() == [3, 4]
    assert np.shares_memory(again.indices, graph.indices)
    with pytest.raises(gp.InputError, match="vertex_data is of type int; a dict"):
        gp.Graph(graph, vertex_data=5)


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.uint64])
def test_copy_false_refuses_weights_it_would_have_to_convert(dtype):
    with pytest.raises(gp.InputError, match="copy=False cannot borrow data"):
        gp.Graph(sparse("csr", "array", dtype), copy=False)


def test_copy_false_refuses_indices_of_64_bits():
    matrix = sparse("csr", "array")
    matrix.indices = matrix.indices.astype(np.int64)
    with pytest.raises(gp.InputError, match="copy=False cannot borrow indices of dtype int64"):
        gp.Graph(matrix, copy=False)


@pytest.mark.parametrize("dtype", [bool, np.int32, np.float64])
def test_copy_false_takes_a_matrix_without_edges(dtype):
    graph = gp.Graph(sp.csr_array((4, 4), dtype=dtype), copy=False)
    assert (graph.num_vertices, graph.num_edges) == (4, 0)


def test_borrowed_arrays_outlive_the_matrix():
    matrix = sparse("csr", "array")
    graph = gp.Graph(matrix, copy=False)
    del matrix
    gc.collect()
    assert graph.weights.tolist() == [1, 2, 3, 4, 5, 6]


def test_arrays_of_a_graph_outlive_it_and_are_read_only():
    graph = gp.Graph(sparse("csr", "array"))
    parts = (graph.indptr, graph.indices, graph.weights)
    del graph
    gc.collect()
    assert parts[2].tolist() == [1, 2, 3, 4, 5, 6]
    for part in parts:
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 1


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil"])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.float64, np.uint64])
def test_questions_without_weights_do_not_look_at_them(monkeypatch, format, dtype):
    """What is stored is an edge, whatever it weighs."""
    dense = np.random.default_rng(1).random((60, 60)) < 0.05
    matrix = sp.csr_array(dense)
    pattern = matrix.astype(np.float64)
    matrix.data = np.arange(matrix.nnz).astype(dtype)  # with a zero, of bools False
    given = matrix.asformat(format)
    levels = csgraph.shortest_path(pattern, unweighted=True, indices=3)
    _, components = csgraph.connected_components(pattern, directed=False)
    monkeypatch.setattr("gaspipe._inputs.weights_of", lambda array: pytest.fail("weights are read"))
    found = gp.bfs(given, 3).values
    np.testing.assert_array_equal(np.where(found < 0, np.inf, found), levels)
    assert len(np.unique(gp.wcc(given).values)) == components.max() + 1
    assert gp.pagerank(given).values.sum() == pytest.approx(1)
    with pytest.raises(pytest.fail.Exception, match="weights are read"):
        gp.sssp(given, 3)
    with pytest.raises(pytest.fail.Exception, match="weights are read"):
        gp.pagerank(given, weights=True)


def test_entries_that_are_no_weights_are_refused_where_weights_are_not_read():
    matrix = sp.csr_array(np.eye(3, dtype=complex))
    with pytest.raises(gp.InputError, match="weights have dtype complex128; allowed are bool, integers"):
        gp.bfs(matrix, 0)
