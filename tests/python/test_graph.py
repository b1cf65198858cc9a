# SPDX-License-Identifier: Apache-2.0
"""Graphs from everything a user may hand in, and back."""

import copy
import gc
import pickle
import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import gaspipe as gp
import references
import zoo
from small_matrices import edges_of, small_dense, sparse

SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)
FORMATS = ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")


@pytest.mark.parametrize("name", zoo.ZOO)
def test_csr_is_stored_as_it_is(name):
    matrix = references.matrix(name)
    graph = gp.Graph(matrix)
    assert (graph.num_vertices, graph.num_edges) == (matrix.shape[0], matrix.nnz)
    assert np.array_equal(graph.indptr, matrix.indptr)
    assert np.array_equal(graph.indices, matrix.indices)
    assert graph.is_weighted == (matrix.dtype != bool)
    if graph.is_weighted:
        assert graph.weights.dtype == matrix.dtype
        assert np.array_equal(graph.weights, matrix.data)


@pytest.mark.parametrize("name", zoo.ZOO)
def test_to_scipy_gives_the_same_entries_back_duplicates_included(name):
    matrix = references.matrix(name)
    back = gp.Graph(matrix).to_scipy()
    assert back.format == "csr"
    assert back.shape == matrix.shape
    for part in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(back, part), getattr(matrix, part)), part


def test_to_scipy_shares_no_memory_with_the_graph():
    graph = gp.Graph(sparse("csr", "array"))
    back = graph.to_scipy()
    for mine, theirs in [(back.data, graph.weights), (back.indices, graph.indices), (back.indptr, graph.indptr)]:
        assert not np.shares_memory(mine, theirs)
    back.data[:] = 0
    assert graph.weights.tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_sparse_format_gives_the_same_graph(form, kind):
    graph = gp.Graph(sparse(form, kind))
    wanted = gp.Graph(sparse("csr", "array"))
    assert sorted(edges_of(graph)) == edges_of(wanted)
    assert np.array_equal(graph.to_scipy().toarray(), small_dense())
    assert gp.bfs(sparse(form, kind), 3).depth.tolist() == [1, 2, -1, 0, 1, 2]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_parallel_edges_and_zeros_stay_in_formats_that_hold_them(form):
    sources, destinations, weights = [0, 0, 1, 2, 2], [1, 1, 2, 0, 0], [4, 0, 3, 5, 5]
    if form == "coo":
        matrix = sp.coo_array((weights, (sources, destinations)), shape=(3, 3))
    else:
        matrix = zoo.matrix_of(3, sources, destinations, np.array(weights, np.int32))
        if form == "csc":
            matrix = sp.csc_array((matrix.data, matrix.indices, matrix.indptr), shape=(3, 3))
            sources, destinations = destinations, sources
    assert sorted(edges_of(gp.Graph(matrix))) == sorted(zip(sources, destinations, weights))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_index_arrays_of_both_widths_are_taken(form, dtype):
    matrix = sparse(form, "array")
    for part in ("indptr", "indices", "row", "col"):
        if part in ("row", "col") and form == "coo":
            matrix.coords = tuple(c.astype(dtype) for c in matrix.coords)
        elif part in ("indptr", "indices") and form != "coo":
            setattr(matrix, part, getattr(matrix, part).astype(dtype))
    for copied in (True, None):
        assert np.array_equal(gp.Graph(matrix, copy=copied).to_scipy().toarray(), small_dense())


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("bool", None), ("int8", "int32"), ("uint8", "int32"), ("int16", "int32"), ("uint16", "int32"),
        ("int32", "int32"), ("uint32", "int64"), ("int64", "int64"), ("uint64", "int64"),
        ("float32", "float32"), ("float64", "float64"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["csr", "coo"])
def test_weights_are_stored_in_the_next_dtype_that_holds_them(form, given, stored):
    graph = gp.Graph(sparse(form, "array", np.dtype(given)))
    if stored is None:
        assert graph.weights is None
        assert not graph.is_weighted
    else:
        assert graph.weights.dtype == stored
        assert graph.weights.tolist() == [1, 2, 3, 4, 5, 6]


def test_float16_weights_become_float32():
    assert gp.Graph(([0], [1], np.array([1.5], np.float16))).weights.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_edge_arrays_of_every_integer_dtype_are_taken(dtype):
    graph = gp.Graph((np.array([2, 0, 1], dtype), np.array([0, 1, 3], dtype)))
    assert graph.num_vertices == 4
    assert edges_of(graph) == [(0, 1, None), (1, 3, None), (2, 0, None)]


def test_edge_arrays_may_be_lists_and_byte_swapped_and_strided():
    wanted = [(0, 1, 7), (1, 2, 8)]
    table = np.array([[0, 1, 7], [1, 2, 8]])
    assert edges_of(gp.Graph(([0, 1], [1, 2], [7, 8]))) == wanted
    assert edges_of(gp.Graph((table[:, 0], table[:, 1], table[:, 2]))) == wanted
    swapped = table.astype(">i4")
    assert edges_of(gp.Graph((swapped[:, 0], swapped[:, 1], swapped[:, 2]))) == wanted


def test_edges_of_a_row_keep_the_order_of_the_list():
    graph = gp.Graph(([1, 0, 1, 0, 1], [5, 3, 2, 3, 2], [10, 11, 12, 13, 14]))
    assert edges_of(graph) == [(0, 3, 11), (0, 3, 13), (1, 5, 10), (1, 2, 12), (1, 2, 14)]


def test_num_vertices_adds_vertices_without_edges():
    graph = gp.Graph(([0], [1]), num_vertices=5)
    assert graph.num_vertices == 5
    assert gp.bfs(graph).depth.tolist() == [0, 1, -1, -1, -1]


def test_edge_arrays_may_be_empty_when_num_vertices_is_given():
    for empty in ([], np.zeros(0, np.int64), np.zeros(0)):
        graph = gp.Graph((empty, empty), num_vertices=3)
        assert (graph.num_vertices, graph.num_edges) == (3, 0)


def test_int64_matrices_are_checked_and_copied():
    matrix = sparse("csr", "array", np.float64)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    graph = gp.Graph(matrix)
    assert graph.indptr.dtype == np.uint32
    assert np.array_equal(graph.to_scipy().toarray(), matrix.toarray())
    for wrong in (matrix.shape[0], -1, 2**32, -(2**63), 2**32 + 1):
        matrix.indices[1] = wrong
        for copied in (True, None):
            with pytest.raises(gp.InputError, match=re.escape(f"indices[1] is {wrong}; ")):
                gp.Graph(matrix, copy=copied)


def test_calling_with_a_matrix_leaves_it_alone():
    matrix = sparse("csr", "array", np.float64)
    before = matrix.copy()
    for name in gp.algorithms:
        getattr(gp, name)(matrix, **references.arguments(name, matrix.shape[0]))
    for part in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(matrix, part), getattr(before, part))
        assert getattr(matrix, part).flags.writeable


def test_graph_of_a_graph_is_the_same_graph():
    graph = gp.Graph(([10, 20], [20, 30], [1, 2]), relabel=True)
    again = gp.Graph(graph)
    assert edges_of(again) == edges_of(graph)
    assert again.labels.tolist() == [10, 20, 30]


def test_labels_follow_the_graph_through_its_views():
    graph = gp.Graph(([10, 20], [20, 30]), relabel=True)
    for view in (graph.transpose(), graph.symmetrize(), pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert view.labels.tolist() == [10, 20, 30]


@pytest.mark.parametrize("name", zoo.ZOO)
def test_transpose_reverses_every_edge(name):
    graph = gp.Graph(references.matrix(name))
    reverse = graph.transpose(num_threads=2)
    wanted = sorted(((d, s, w) for s, d, w in edges_of(graph)), key=lambda edge: edge[:2])
    assert sorted(edges_of(reverse), key=lambda edge: edge[:2]) == wanted
    assert [edge[:2] for edge in edges_of(reverse)] == [edge[:2] for edge in wanted]


@pytest.mark.parametrize("name", zoo.ZOO)
def test_symmetrize_is_scipys_union_with_the_smallest_weight(name):
    matrix = references.matrix(name)
    graph = gp.Graph(matrix).symmetrize(num_threads=2)
    smallest = {}
    for s, d, w in edges_of(gp.Graph(matrix)):
        for edge in ((s, d), (d, s)):
            smallest[edge] = w if edge not in smallest or w is None else min(w, smallest[edge])
    assert edges_of(graph) == [(s, d, smallest[s, d]) for s, d in sorted(smallest)]
    ones = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    both = ones + ones.T
    both.sort_indices()
    assert np.array_equal(graph.indptr, both.indptr)
    assert np.array_equal(graph.indices, both.indices)


@pytest.mark.parametrize("name", SMALL)
def test_pickle_keeps_everything(name):
    graph = gp.Graph(references.matrix(name))
    for again in (pickle.loads(pickle.dumps(graph)), copy.copy(graph), copy.deepcopy(graph)):
        assert again.indptr.dtype == graph.indptr.dtype
        assert edges_of(again) == edges_of(graph)
        for algorithm in gp.algorithms:
            if references.refuses(algorithm, references.matrix(name)):
                continue
            call = getattr(gp, algorithm)
            arguments = references.arguments(algorithm, graph.num_vertices)
            answers = [call(g, **arguments).values for g in (again, graph)]
            assert np.array_equal(*answers, equal_nan=answers[0].dtype.kind == "f")


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil"])
@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (1, 3), (6, 6), (0, 2), (0, 0)])
def test_rectangular_matrix_keeps_its_shape(shape, layout):
    dense = np.random.default_rng(3).integers(0, 3, shape)
    graph = gp.Graph(sp.csr_array(dense).asformat(layout), rectangular=True)
    assert graph.shape == shape
    assert graph.num_vertices == max(*shape, 1)
    assert np.array_equal(graph.to_scipy().toarray(), dense)
    assert graph.transpose().shape == shape[::-1]
    assert np.array_equal(graph.transpose().to_scipy().toarray(), dense.T)
    for again in (pickle.loads(pickle.dumps(graph)), copy.copy(graph), copy.deepcopy(graph), gp.Graph(graph)):
        assert again.shape == shape
        assert np.array_equal(again.to_scipy().toarray(), dense)
    if shape[0] != shape[1]:
        assert f"matrix of {shape[0]} x {shape[1]}" in repr(graph)
        for shaped in ("symmetrize", "simplify", "largest_component", "reorder"):
            with pytest.raises(gp.InputError, match=f"{shaped} needs a square matrix"):
                getattr(graph, shaped)()


@pytest.mark.parametrize("shaped", ["symmetrize", "simplify", "largest_component", "reorder"])
def test_an_empty_matrix_does_not_get_a_vertex(shaped):
    empty = gp.Graph(sp.csr_array((0, 0)), rectangular=True)
    with pytest.raises(gp.InputError, match=f"{shaped} needs at least 1 vertex; this one is a matrix of 0 x 0"):
        getattr(empty, shaped)()


def test_rectangular_matrix_may_be_borrowed():
    matrix = sp.csr_array(np.eye(3, 5))
    graph = gp.Graph(matrix, rectangular=True, copy=False)
    assert np.shares_memory(graph.weights, matrix.data)


def test_column_outside_the_rectangle_is_refused():
    wrong = sp.csr_array(np.ones((4, 2)))
    wrong.indices[3] = 3
    with pytest.raises(gp.InputError, match="column 3; the matrix has 2"):
        gp.Graph(wrong, rectangular=True)


def test_vertex_data_follows_the_vertices():
    graph = gp.Graph(
        ([0, 1, 3], [1, 0, 3]), num_vertices=5, vertex_data={"age": [10, 11, 12, 13, 14], "at": np.eye(5)[:, :2]}
    )
    assert graph.vertex_data["age"].tolist() == [10, 11, 12, 13, 14]
    same = (graph.transpose(), graph.simplify(), graph.symmetrize(), gp.Graph(graph), pickle.loads(pickle.dumps(graph)))
    for other in same:
        assert other.vertex_data["age"].tolist() == [10, 11, 12, 13, 14]
        assert np.array_equal(other.vertex_data["at"], np.eye(5)[:, :2])
    turned = graph.reorder([4, 2, 0, 1, 3])
    assert turned.vertex_data["age"].tolist() == [14, 12, 10, 11, 13]
    assert graph.largest_component().vertex_data["at"].tolist() == [[1, 0], [0, 1]]
    with pytest.raises(TypeError):
        graph.vertex_data["age"] = 3


@pytest.mark.parametrize(
    ("name", "values"), [("age", [1, 2]), ("age", 5), ("age", ["a", "b", "c"]), ("", [1, 2, 3]), (3, [1, 2, 3])]
)
def test_vertex_data_must_be_numbers_with_a_row_per_vertex(name, values):
    with pytest.raises(gp.InputError, match="vertex_data"):
        gp.Graph(([0], [2]), vertex_data={name: values})


def test_id_of_refuses_unknown_labels_and_graphs_without():
    graph = gp.Graph(([10], [20]), relabel=True)
    with pytest.raises(gp.InputError, match="no vertex 15"):
        graph.id_of(15)
    with pytest.raises(gp.InputError, match="no labels"):
        gp.Graph(([0], [1])).id_of(0)


def test_out_degrees_count_stored_edges():
    graph = gp.Graph(references.matrix("bundle_of_parallel_edges"))
    assert graph.out_degrees().tolist() == [70, 70, 70, 0, 0, 0]
    assert graph.out_degrees().dtype == np.int64


def test_repr_tells_size_weights_and_labels():
    assert repr(gp.Graph(([0], [1]))) == "Graph(2 vertices, 1 edges, no weights)"
    labelled = gp.Graph(([5], [9], [1.5]), relabel=True)
    assert repr(labelled) == "Graph(2 vertices, 1 edges, float64 weights, labelled)"


def test_clear_cache_changes_no_answer():
    graph = gp.Graph(references.matrix("kronecker"))
    parts = graph.partition(capacity=64)
    before = gp.sssp(graph).values
    graph.clear_cache()
    assert np.array_equal(gp.sssp(graph).values, before)
    assert parts[0].num_edges == graph.partition(capacity=64)[0].num_edges


def test_graph_can_be_weakly_referenced_and_released():
    import weakref

    graph = gp.Graph(([0], [1]))
    gp.pagerank(graph)
    seen = weakref.ref(graph)
    del graph
    gc.collect()
    assert seen() is None


@st.composite
def edge_tables(draw):
    num_vertices = draw(st.integers(1, 30))
    vertex = st.integers(0, num_vertices - 1)
    return num_vertices, draw(st.lists(st.tuples(vertex, vertex, st.integers(-5, 5)), max_size=80))


@settings(deadline=None, max_examples=80)
@given(edge_tables(), st.sampled_from([np.int32, np.uint32, np.int64, np.uint64]), st.integers(1, 3))
def test_edge_arrays_survive_the_round_trip_through_scipy(table, dtype, num_threads):
    num_vertices, edges = table
    sources, destinations = (np.array([e[k] for e in edges], dtype) for k in (0, 1))
    weights = np.array([e[2] for e in edges], np.int64)
    graph = gp.Graph((sources, destinations, weights), num_vertices=num_vertices, num_threads=num_threads)
    assert sorted(edges_of(graph)) == sorted(edges)
    matrix = graph.to_scipy()
    assert edges_of(gp.Graph(matrix)) == edges_of(graph)
    assert edges_of(gp.Graph(matrix.tocoo())) == edges_of(graph)
    assert sorted(edges_of(gp.Graph(matrix.tocsc()))) == sorted(edges)
    assert sorted(edges_of(graph.transpose().transpose())) == sorted(edges)


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize("copied", [True, None])
def test_spare_entries_past_the_last_row_are_no_edges(layout, copied):
    matrix = sp.csr_array([[0, 1, 2], [3, 0, 0], [0, 0, 0]]).asformat(layout)
    wanted = matrix.toarray()
    matrix.data, matrix.indices = np.append(matrix.data, [9, 9]), np.append(matrix.indices, np.array([0, 7], np.int32))
    assert np.array_equal(gp.Graph(matrix, copy=copied).to_scipy().toarray(), wanted)
