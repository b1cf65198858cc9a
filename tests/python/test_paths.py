# SPDX-License-Identifier: Apache-2.0
"""The vertex before every one on a shortest path, and the paths: against the graph itself and SciPy."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

import gaspipe as gp
import references
import zoo

SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)


def smallest_before(matrix, distances, root, weights):
    """By definition, an edge at a time; without edges of weight 0."""
    before = np.full(matrix.shape[0], -1)
    before[root] = root
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    for u, v, w in zip(sources, matrix.indices, weights):
        reached = np.isfinite(distances[v]) and distances[u] >= 0
        if v != root and reached and distances[v] == distances[u] + w and (before[v] < 0 or u < before[v]):
            before[v] = u
    return before


def takes_part(matrix):
    """Whether sssp takes a graph's weights, and none is 0."""
    return not references.refuses("sssp", matrix) and (matrix.dtype == bool or (matrix.data != 0).all())


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("num_threads", [1, 3])
def test_parents_are_the_smallest_of_the_level_above(name, num_threads):
    matrix = references.matrix(name)
    root = matrix.shape[0] // 2
    result = gp.bfs(matrix, root, parents=True, num_threads=num_threads)
    wanted = smallest_before(matrix, result.depth, root, np.ones(matrix.nnz, int))
    assert result.parent.dtype == np.int64
    assert result.parent.tolist() == wanted.tolist()
    assert np.array_equal(result.depth, gp.bfs(matrix, root).depth)


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("symmetric", [True, False])
def test_parents_are_the_same_once_a_graph_is_known(ascending, symmetric, rng):
    n = 500
    ends = rng.integers(0, n, (2, 900))  # with loops, parallel edges, and vertices without edges
    sources, targets = np.concatenate([ends, ends[::-1]], axis=1) if symmetric else ends
    by_row = np.lexsort((targets if ascending else rng.random(len(targets)), sources))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=n))])
    matrix = sp.csr_array((np.ones(len(sources), bool), targets[by_row], indptr), (n, n))
    graph = gp.Graph(matrix)
    for root in (0, n // 2, 0, 1):  # whether edges have a reverse is not looked up at first
        result = gp.bfs(graph, root, parents=True, num_threads=2)
        assert result.parent.tolist() == smallest_before(matrix, result.depth, root, np.ones(matrix.nnz, int)).tolist()


@pytest.mark.parametrize("name", [n for n in SMALL if takes_part(references.matrix(n))])
def test_predecessors_are_the_smallest_before(name):
    matrix = references.matrix(name)
    result = gp.sssp(matrix, 0, predecessors=True)
    weights = np.ones(matrix.nnz) if matrix.dtype == bool else matrix.data.astype(result.distance.dtype)
    assert result.predecessor.tolist() == smallest_before(matrix, result.distance, 0, weights).tolist()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_paths_have_the_length_of_the_distance(dtype, rng):
    n = 300
    dense = np.where(rng.random((n, n)) < 0.02, rng.integers(1, 50, (n, n)), 0)
    matrix = sp.csr_array(dense.astype(dtype))
    result = gp.sssp(matrix, 7, predecessors=True)
    wanted = dijkstra(matrix, indices=7)
    for v in range(n):
        path = result.path_to(v)
        if np.isinf(wanted[v]):
            assert path == []
            continue
        assert (path[0], path[-1]) == (7, v)
        assert sum(dense[a, b] for a, b in zip(path, path[1:])) == wanted[v]
        assert all(dense[a, b] > 0 for a, b in zip(path, path[1:]))


def test_edges_of_weight_zero_lead_in_no_circle():
    # 0 -> 3 costs 1; 1, 2, 3 are a circle of zeros, into which only 3 leads; 4 hangs on it by another zero.
    edges = [(0, 3, 1), (1, 2, 0), (2, 1, 0), (2, 3, 0), (3, 2, 0), (1, 4, 0), (4, 4, 0), (5, 0, 0)]
    sources, targets, weights = map(np.array, zip(*edges))
    graph = gp.Graph((sources, targets, weights))
    result = gp.sssp(graph, 0, predecessors=True)
    assert result.distance.tolist() == [0, 1, 1, 1, 1, -1]
    assert result.predecessor.tolist() == [0, 2, 3, 0, 1, -1]
    assert result.path_to(4) == [0, 3, 2, 1, 4]
    tiny = gp.Graph((sources, targets, np.where(weights == 0, 1e-30, weights)))  # lost beside a 1
    assert gp.sssp(tiny, 0, predecessors=True).predecessor.tolist() == [0, 2, 3, 0, 1, -1]


def test_infinite_weights_are_no_paths():
    result = gp.sssp(gp.Graph(([0, 0], [1, 2], [np.inf, 1.0])), 0, predecessors=True)
    assert result.predecessor.tolist() == [0, -1, 0]
    assert result.path_to(1) == []


def test_answers_do_not_depend_on_threads_or_device():
    graph = gp.generate.kronecker(10, seed=3, weights=(0, 3))
    root = int(np.argmax(graph.out_degrees()))
    one = gp.sssp(graph, root, predecessors=True, num_threads=1)
    for options in ({"num_threads": 3}, {"device": "emulator"}, {"number": "float64"}):
        assert np.array_equal(gp.sssp(graph, root, predecessors=True, **options).predecessor, one.predecessor)


def test_paths_are_of_labels_where_there_are_labels():
    graph = nx.relabel_nodes(nx.path_graph(4), dict(enumerate(["oslo", "rome", "bonn", "bern"])))
    graph.add_node("lima")
    result = gp.bfs(graph, "oslo", parents=True)
    assert result.path_to("bern") == ["oslo", "rome", "bonn", "bern"]
    assert result.path_to(gp.index(2)) == ["oslo", "rome", "bonn"]
    assert result.path_to("oslo") == ["oslo"]
    assert result.path_to("lima") == []
    with pytest.raises(gp.InputError, match="there is no vertex 'paris'"):
        result.path_to("paris")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: gp.bfs(g, 0).path_to(1), r"no paths; ask for them: gp.bfs\(..., parents=True\)"),
        (lambda g: gp.sssp(g, 0).path_to(1), r"gp.sssp\(..., predecessors=True\)"),
        (lambda g: gp.wcc(g).path_to(1), "wcc finds no paths; gp.bfs and gp.sssp do"),
        (lambda g: gp.bfs(g, 0, parents=True).path_to(9), "vertex is 9; the graph's 3 vertices allow 0 to 2"),
        (lambda g: gp.bfs(g, 0, parents=True).path_to(-1), "vertex is -1"),
        (lambda g: gp.bfs(g, 0, parents=True).path_to("x"), "vertex is 'x'; an integer is needed, 0 to 2"),
        (lambda g: gp.bfs(g, 0, parents=True).path_to(True), "vertex is True"),
        (lambda g: gp.bfs(g, 0, parents=1), "parents is 1; a bool is needed"),
        (lambda g: gp.bfs(g, 7, parents=True), "root is 7"),
    ],
)
def test_bad_input_is_one_clear_error(call, message):
    with pytest.raises(gp.InputError, match=message):
        call(gp.Graph(([0, 1], [1, 2])))
