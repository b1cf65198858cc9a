# SPDX-License-Identifier: Apache-2.0
"""Graphs in another shape, against SciPy, NetworkX and plain Python."""

import pickle

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph
from hypothesis import given, settings
from hypothesis import strategies as st

import gaspipe as gp
import references
import zoo

THREADS = (1, 2, 3)
threaded = pytest.mark.parametrize("threads", THREADS)
DTYPES = (np.int32, np.int64, np.float32, np.float64)


def rows_of(graph):
    """Source of every edge."""
    return np.repeat(np.arange(graph.num_vertices), graph.out_degrees())


def edges_of(graph):
    """(source, destination, weight) of every edge, in storage order; weight None without weights."""
    weights = [None] * graph.num_edges if graph.weights is None else graph.weights.tolist()
    return list(zip(rows_of(graph).tolist(), graph.indices.tolist(), weights))


def by_label(graph):
    """Edges with the labels for ids, sorted."""
    weights = [0] * graph.num_edges if graph.weights is None else graph.weights.tolist()
    ends = graph.labels[rows_of(graph)].tolist(), graph.labels[graph.indices].tolist()
    return sorted(zip(*ends, weights))


def induced(graph, vertices):
    """Edges among `vertices`, as by_label gives them; unlabelled graphs only."""
    inside = set(vertices)
    return sorted((i, j, w or 0) for i, j, w in edges_of(graph) if i in inside and j in inside)


def assert_same(one, other):
    for part in ("indptr", "indices", "weights", "labels"):
        a, b = getattr(one, part), getattr(other, part)
        assert (a is None) == (b is None), part
        assert a is None or (a.dtype == b.dtype and np.array_equal(a, b)), part


def is_sorted(graph):
    rows = rows_of(graph)
    return bool(np.all((np.diff(graph.indices.astype(np.int64)) >= 0) | (np.diff(rows) > 0)))


def pattern_of(matrix):
    """A matrix of ones in its own memory."""
    ones = np.ones(matrix.nnz, np.int32)
    return sp.csr_array((ones, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)


@st.composite
def graphs(draw, most_vertices=12, most_edges=40):
    n = draw(st.integers(1, most_vertices))
    end = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(end, end, st.integers(-3, 3)), max_size=most_edges))
    columns = np.array(edges, np.int64).reshape(-1, 3).T
    dtype = draw(st.sampled_from((None, *DTYPES)))
    weights = () if dtype is None else (columns[2].astype(dtype),)
    return gp.Graph((columns[0], columns[1], *weights), num_vertices=n)


def simplified(graph, self_loops, parallel_edges):
    """What simplify must leave, in plain Python."""
    edges = [edge for edge in edges_of(graph) if self_loops or edge[0] != edge[1]]
    if parallel_edges:
        return edges
    best = {}
    for i, j, weight in edges:
        best[i, j] = weight if (i, j) not in best or weight is None else min(best[i, j], weight)
    return [(i, j, weight) for (i, j), weight in sorted(best.items())]


@settings(deadline=None)
@given(graphs(), st.booleans(), st.booleans(), st.sampled_from(THREADS))
def test_simplify_drops_what_is_not_kept(graph, self_loops, parallel_edges, threads):
    simple = graph.simplify(self_loops=self_loops, parallel_edges=parallel_edges, num_threads=threads)
    assert edges_of(simple) == simplified(graph, self_loops, parallel_edges)
    assert simple.num_vertices == graph.num_vertices
    if graph.is_weighted:
        assert simple.weights.dtype == graph.weights.dtype


@threaded
@pytest.mark.parametrize("name", zoo.ZOO)
def test_simple_graph_is_scipys_pattern_without_its_diagonal(name, threads):
    matrix = references.matrix(name)
    pattern = pattern_of(matrix)
    pattern.sum_duplicates()
    pattern.setdiag(0)
    pattern.eliminate_zeros()
    simple = gp.Graph(matrix).simplify(num_threads=threads)
    assert np.array_equal(simple.indptr, pattern.indptr)
    assert np.array_equal(simple.indices, pattern.indices)


def test_simplify_keeps_labels_and_leaves_its_graph_alone():
    graph = gp.Graph(([30, 30, 10], [10, 10, 10], [5, 2, 1]), relabel=True)
    simple = graph.simplify()
    assert simple.labels.tolist() == [10, 30]
    assert edges_of(simple) == [(1, 0, 2)]
    assert edges_of(graph) == [(0, 0, 1), (1, 0, 5), (1, 0, 2)]
    assert_same(graph.simplify(self_loops=True, parallel_edges=True), graph)


def component_of(graph):
    """Vertices of the largest component, by NetworkX."""
    other = nx.Graph(list(zip(rows_of(graph).tolist(), graph.indices.tolist())))
    other.add_nodes_from(range(graph.num_vertices))
    return sorted(max(nx.connected_components(other), key=lambda members: (len(members), -min(members))))


@settings(deadline=None)
@given(graphs(most_vertices=30, most_edges=30), st.sampled_from(THREADS))
def test_largest_component_is_networkxs(graph, threads):
    component = graph.largest_component(num_threads=threads)
    assert component.labels.tolist() == component_of(graph)
    assert component.labels.dtype == np.int64
    assert by_label(component) == induced(graph, component_of(graph))
    assert is_sorted(component)


@threaded
@pytest.mark.parametrize("name", zoo.ZOO)
def test_largest_component_of_the_zoo_is_scipys(name, threads):
    matrix = references.matrix(name)
    _, labels = csgraph.connected_components(pattern_of(matrix), directed=False)
    sizes = np.bincount(labels)
    first_of_largest = np.flatnonzero(sizes[labels] == sizes.max())[0]
    component = gp.Graph(matrix).largest_component(num_threads=threads)
    assert np.array_equal(component.labels, np.flatnonzero(labels == labels[first_of_largest]))


def test_of_equal_components_the_one_with_the_smallest_vertex_is_taken():
    graph = gp.Graph(([5, 3, 2], [4, 1, 2]), num_vertices=6)
    assert graph.largest_component().labels.tolist() == [1, 3]
    assert gp.Graph(([], []), num_vertices=3).largest_component().labels.tolist() == [0]


def test_largest_component_keeps_the_names_of_its_vertices():
    other = nx.DiGraph([("a", "x"), ("b", "c"), ("c", "d")])
    graph = gp.Graph(other)
    component = graph.largest_component()
    assert component.labels.tolist() == ["b", "c", "d"]
    assert component.id_of("d") == 2
    assert component.largest_component().labels.tolist() == ["b", "c", "d"]
    assert_same(pickle.loads(pickle.dumps(component)), component)


@threaded
def test_answers_about_the_component_are_those_about_the_graph(threads):
    graph = gp.generate.uniform(3000, 2500, seed=5, weights=(1, 9))
    component = graph.largest_component(num_threads=threads)
    root = int(component.out_degrees().argmax())
    whole = gp.bfs(graph, int(component.labels[root])).depth
    assert np.array_equal(gp.bfs(component, gp.index(root)).depth, whole[component.labels])
    assert 1 < component.num_vertices < graph.num_vertices


def heat(graph):
    """Class of every vertex relative to the mean degree, in exact numbers."""
    degrees = graph.out_degrees().tolist()
    n, m = graph.num_vertices, graph.num_edges
    return [sum(2 * degree * n >= doubled * m for doubled in (1, 2, 4, 8, 16, 32, 64)) for degree in degrees]


ORDERS = {
    "degree": lambda graph: sorted(range(graph.num_vertices), key=lambda v: -graph.out_degrees()[v]),
    "hub": lambda graph: sorted(range(graph.num_vertices), key=lambda v: -heat(graph)[v]),
}


@pytest.mark.parametrize("order", ORDERS)
@settings(deadline=None)
@given(graph=graphs(), threads=st.sampled_from(THREADS))
def test_reorder_sorts_the_vertices_and_moves_their_edges(order, graph, threads):
    new = graph.reorder(order, num_threads=threads)
    assert new.labels.tolist() == ORDERS[order](graph)
    assert by_label(new) == induced(graph, range(graph.num_vertices))
    assert is_sorted(new)


@settings(deadline=None)
@given(st.data(), graphs(), st.sampled_from(THREADS), st.sampled_from((np.int32, np.uint32, np.int64, np.uint64, list)))
def test_reorder_by_a_permutation_is_scipys_indexing(data, graph, threads, kind):
    order = data.draw(st.permutations(range(graph.num_vertices)))
    new = graph.reorder(order if kind is list else np.array(order, kind), num_threads=threads)
    assert new.labels.tolist() == order
    assert by_label(new) == induced(graph, range(graph.num_vertices))
    assert np.array_equal(new.to_scipy().toarray(), graph.to_scipy().toarray()[np.ix_(order, order)])
    assert np.array_equal(new.out_degrees(), graph.out_degrees()[order])


@threaded
def test_reorder_of_a_large_graph_is_the_same_for_any_number_of_threads(threads):
    graph = gp.generate.kronecker(14, 16, weights=(1, 255))
    matrix = graph.to_scipy()
    for order in ("degree", "hub", np.random.default_rng(3).permutation(graph.num_vertices)):
        new = graph.reorder(order, num_threads=threads)
        wanted = matrix[new.labels][:, new.labels].tocsr()
        wanted.sort_indices()
        assert np.array_equal(new.indptr, wanted.indptr)
        assert np.array_equal(new.indices, wanted.indices)
        assert np.array_equal(new.weights, wanted.data)
    degrees = graph.reorder("degree").out_degrees()
    assert (np.diff(degrees) <= 0).all()


def test_reorder_keeps_the_order_of_parallel_edges():
    graph = gp.Graph(([0, 0, 0, 0], [1, 0, 1, 1], [9, 5, 7, 8]), num_vertices=2)
    assert edges_of(graph.reorder([1, 0])) == [(1, 0, 9), (1, 0, 7), (1, 0, 8), (1, 1, 5)]


def test_labels_of_reordered_graphs_are_those_of_the_first():
    graph = gp.Graph(([30, 20, 20, 20], [10, 10, 30, 20]), relabel=True)
    new = graph.reorder()
    assert new.labels.tolist() == [20, 30, 10]
    assert by_label(new) == by_label(graph)
    again = new.reorder([2, 1, 0])
    assert again.labels.tolist() == [10, 30, 20]
    assert gp.bfs(again, 20).depth.tolist() == [1, 1, 0]


@pytest.mark.parametrize("name", ["uniform", "kronecker"])
def test_results_on_a_reordered_graph_map_back(name):
    graph = gp.generate.uniform(500, 2000) if name == "uniform" else gp.generate.kronecker(9, 4, symmetric=False)
    whole = gp.pagerank(graph).values
    for order in ("degree", "hub"):
        new = graph.reorder(order)
        assert gp.pagerank(new).values == pytest.approx(whole[new.labels], rel=1e-6)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("rabbit", "allowed are 'degree', 'hub'"),
        ([0, 1], "2 entries"),
        ([0, 1, 2, 3], "4 entries"),
        ([0, 1, 3], r"order\[2\] is 3; 3 vertices allow 0 to 2"),
        ([0, -1, 2], r"order\[1\] is -1"),
        ([2, 0, 2], r"order\[2\] is 2, as order\[0\]"),
        (np.array([0, 2**64 - 1, 1], np.uint64), r"order\[1\] is 18446744073709551615"),
        ([0.0, 1.0, 2.0], "float64"),
        ([True, False, True], "bool"),
        ([], "float64"),
        ([[0, 1], [2]], "ragged"),
        ([0, 1, 2**70], "object"),
        ([[0, 1, 2]], r"shape \(1, 3\)"),
        (None, "integers"),
        (1, r"shape \(\)"),
    ],
)
def test_reorder_refuses_what_is_no_permutation(order, message):
    with pytest.raises(gp.InputError, match=message):
        gp.Graph(([0, 1], [1, 2])).reorder(order)


def histogram_of(degrees):
    """Buckets by counting, up to that of the largest degree."""
    buckets = [degree.bit_length() for degree in degrees]
    return [0] + [2**k for k in range(max(buckets))], [buckets.count(k) for k in range(max(buckets) + 1)]


@settings(deadline=None)
@given(graphs(most_vertices=6, most_edges=80), st.sampled_from(("out", "in")), st.sampled_from(THREADS))
def test_degree_histogram_counts_vertices_by_bucket(graph, direction, threads):
    ends = rows_of(graph) if direction == "out" else graph.indices
    bounds, counts = graph.degree_histogram(direction, num_threads=threads)
    degrees = np.bincount(ends, minlength=graph.num_vertices).tolist()
    assert (bounds.tolist(), counts.tolist()) == histogram_of(degrees)
    assert bounds.dtype == counts.dtype == np.int64


@threaded
def test_degree_histogram_of_a_large_graph_agrees_with_numpy(threads):
    graph = gp.generate.kronecker(15, 8, symmetric=False)
    for direction, ends in (("out", rows_of(graph)), ("in", graph.indices)):
        degrees = np.bincount(ends, minlength=graph.num_vertices)
        bounds, counts = graph.degree_histogram(direction, num_threads=threads)
        assert np.array_equal(counts, np.histogram(degrees, [*bounds, 2**40])[0])
        assert counts.sum() == graph.num_vertices
        assert counts[-1] > 0


@pytest.mark.parametrize("direction", ["both", None, 1])
def test_degree_histogram_refuses_other_directions(direction):
    with pytest.raises(gp.InputError, match="allowed are 'out' and 'in'"):
        gp.Graph(([0], [1])).degree_histogram(direction)


@pytest.mark.parametrize("call", ["simplify", "largest_component", "reorder", "degree_histogram"])
@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_numbers_of_threads_are_checked(call, threads):
    with pytest.raises(gp.InputError, match="num_threads"):
        getattr(gp.Graph(([0], [1])), call)(num_threads=threads)
