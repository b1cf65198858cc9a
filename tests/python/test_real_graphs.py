# SPDX-License-Identifier: Apache-2.0
"""Real graphs of the data folder, read from their files, against SciPy."""

import gzip
import lzma

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp

METHODS = ("auto", "gas")
FILES = {
    "wiki-Vote": "wiki-Vote.txt",
    "web-NotreDame": "web-NotreDame.txt.gz",
    "cnr-2000": "cnr-2000.mtx.xz",
    "cal-road": "cal-road.wel.gz",
}
# Vertices and directed edges as published (data/README.md); of wiki-Vote, one more than the largest id; cal-road is
# undirected and taken in both directions.
SIZES = {
    "wiki-Vote": (8298, 103_689),
    "web-NotreDame": (325_729, 1_497_134),
    "cnr-2000": (325_557, 3_216_152),
    "cal-road": (21_048, 2 * 21_693),
}


def numbers_of(text, columns):
    return np.array(text.split(), np.float64).reshape(-1, columns)


def read_by_hand(path):
    """The file's edges as a csr_array, read without gaspipe."""
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rt") as file:
        lines = file.read().splitlines()
    first = next(i for i, line in enumerate(lines) if line[0] not in "#%")
    if ".mtx" in path.name:
        n, _, num_edges = map(int, lines[first].split())
        table = numbers_of(" ".join(lines[first + 1 :]), 2) - 1
        assert len(table) == num_edges
    else:
        table = numbers_of(" ".join(lines[first:]), len(lines[first].split()))
        n = int(table[:, :2].max()) + 1
    sources, destinations = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    weights = np.ones(len(sources))
    if table.shape[1] == 3:  # cal-road, undirected
        sources, destinations = np.concatenate([sources, destinations]), np.concatenate([destinations, sources])
        weights = np.tile(table[:, 2], 2)
    return sp.csr_array((weights, (sources, destinations)), shape=(n, n))


@pytest.fixture(scope="module", params=list(FILES))
def pair(request, data_dir):
    """(name, Graph read from the file, SciPy matrix read by hand)."""
    path = data_dir / FILES[request.param]
    graph = gp.Graph.from_file(path)
    if request.param == "cal-road":
        graph = graph.symmetrize()
    return request.param, graph, read_by_hand(path)


@pytest.fixture(scope="module")
def roots(pair):
    """A few vertices with out-edges, spread over the ids, that with the most among them."""
    _, _, matrix = pair
    degree = np.diff(matrix.indptr)
    starts = np.flatnonzero(degree)
    return [int(starts[0]), int(starts[len(starts) // 3]), int(starts[-1]), int(degree.argmax())]


def test_graph_has_the_published_size(pair):
    name, graph, matrix = pair
    assert (graph.num_vertices, graph.num_edges) == SIZES[name]
    assert graph.is_weighted == (name == "cal-road")
    assert (graph.to_scipy() != matrix).nnz == 0


@pytest.mark.parametrize("method", METHODS)
def test_bfs_gives_the_levels_of_scipys_breadth_first_tree(pair, roots, method):
    _, graph, matrix = pair
    for root in roots if method == "auto" else roots[:2]:
        order, parent = csgraph.breadth_first_order(matrix, root)
        order, parents = order.tolist(), parent.tolist()
        wanted = [-1] * matrix.shape[0]
        wanted[root] = 0
        for v in order[1:]:
            wanted[v] = wanted[parents[v]] + 1
        assert np.array_equal(gp.bfs(graph, root, method=method).depth, wanted), root


@pytest.mark.parametrize("method", METHODS)
def test_sssp_gives_scipys_dijkstra(pair, roots, method):
    _, graph, matrix = pair
    for root in roots if method == "auto" else roots[:2]:
        wanted = csgraph.dijkstra(matrix, indices=root)
        distance = gp.sssp(graph, root, method=method).distance
        if graph.is_weighted:
            np.testing.assert_allclose(distance, wanted, rtol=1e-12)
        else:
            assert np.array_equal(np.where(distance < 0, np.inf, distance), wanted), root


@pytest.mark.parametrize(("number", "tolerance"), [("float64", 1e-10), ("float32", 1e-3), ("fixed", 1e-4)])
def test_pagerank_gives_the_power_iteration_of_scipys_matrix(pair, number, tolerance):
    _, graph, matrix = pair
    n = matrix.shape[0]
    degree = np.diff(matrix.indptr)
    arriving = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=(n, n)).T.tocsr()
    wanted = np.full(n, 1 / n)
    for _ in range(30):
        teleport = 0.15 + 0.85 * wanted[degree == 0].sum()
        wanted = teleport / n + 0.85 * (arriving @ (wanted / np.maximum(degree, 1)))
    for method in METHODS:
        result = gp.pagerank(graph, tol=0, max_iter=30, number=number, method=method)
        assert np.abs(result.rank - wanted).sum() <= tolerance
        assert result.rank.sum() == pytest.approx(1, abs=tolerance)


def test_pagerank_converges_at_its_tolerance(pair):
    _, graph, _ = pair
    result = gp.pagerank(graph, tol=1e-8, max_iter=500)
    assert result.stats.converged
    further = gp.pagerank(graph, tol=0, max_iter=result.stats.num_supersteps + 50)
    assert np.abs(result.rank - further.rank).sum() <= 1e-8 * 0.85 / 0.15
