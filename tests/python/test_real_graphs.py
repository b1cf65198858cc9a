# SPDX-License-Identifier: Apache-2.0
"""Real graphs of the data folder, read from their files, against SciPy."""

import functools
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
    "cnr-2000-sym": "cnr-2000-sym.graph.xz",
    "wing": "wing.graph.gz",
    "lesmis": "lesmis.graph",
    "chesapeake": "chesapeake.mtx",
    "USA-road-d.NY": "USA-road-d.NY.gr.xz",
    **{
        name: f"olive/{name}"
        for name in (
            "acyclicGraph_100",
            "chainGraph_1K",
            "disorderedGraph_9",
            "gridGraph_15",
            "isolatedGraph_1K",
            "maxflowGraph_100",
            "orderedGraph_9",
            "singletonGraph_1",
            "starGraph_1K",
        )
    },
}
# Vertices and directed edges as published (data/README.md); of wiki-Vote, one more than the largest id; cal-road is
# undirected and taken in both directions.
SIZES = {
    "wiki-Vote": (8298, 103_689),
    "web-NotreDame": (325_729, 1_497_134),
    "cnr-2000": (325_557, 3_216_152),
    "cal-road": (21_048, 2 * 21_693),
    "cnr-2000-sym": (325_557, 2 * 2_738_969),
    "wing": (62_032, 2 * 121_544),
    "lesmis": (77, 2 * 254),
    "chesapeake": (39, 2 * 170),
    "USA-road-d.NY": (264_346, 730_100),
    "acyclicGraph_100": (100, 4_950),
    "chainGraph_1K": (1_000, 1_998),
    "disorderedGraph_9": (9, 11),
    "gridGraph_15": (15, 44),
    "isolatedGraph_1K": (1_000, 0),
    "maxflowGraph_100": (100, 395),
    "orderedGraph_9": (9, 11),
    "singletonGraph_1": (1, 0),
    "starGraph_1K": (1_000, 1_998),
}
WEIGHTED = {"cal-road", "lesmis", "USA-road-d.NY", "acyclicGraph_100", "gridGraph_15", "maxflowGraph_100"}


def numbers_of(text, columns):
    return np.fromstring(text, np.float64, sep=" ").reshape(-1, columns)


def adjacency_by_hand(lines):
    """Table and number of vertices of a METIS file, with edge weights or none."""
    header, *rows = [line for line in lines if not line.startswith("%")]
    step = 2 if header.split()[2:] == ["1"] else 1
    numbers = numbers_of(" ".join(rows), step)
    sources = np.repeat(np.arange(len(rows)), [len(row.split()) // step for row in rows])
    return np.column_stack([sources, numbers[:, 0] - 1, *numbers[:, 1:].T]), int(header.split()[0])


def read_by_hand(path):
    """The file's edges as a csr_array, read without gaspipe."""
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rt") as file:
        lines = file.read().splitlines()
    first = next(i for i, line in enumerate(lines) if line[:1] not in "#%")
    if ".mtx" in path.name:
        n, _, num_edges = map(int, lines[first].split())
        table = numbers_of(" ".join(lines[first + 1 :]), 2) - 1
        assert len(table) == num_edges
        if lines[0].endswith("symmetric"):
            table = np.concatenate([table, table[table[:, 0] != table[:, 1], ::-1]])
    elif ".graph" in path.name:
        table, n = adjacency_by_hand(lines)
    elif ".gr" in path.name:
        n = int(next(line for line in lines if line.startswith("p")).split()[2])
        table = numbers_of(" ".join(line[2:] for line in lines if line.startswith("a")), 3) - [1, 1, 0]
    elif path.parent.name == "olive":
        n, num_edges = map(int, lines[first].split())
        table = numbers_of(" ".join(lines[first + 1 :]), len(lines[-1].split()))
        assert len(table) == num_edges
    else:
        table = numbers_of(" ".join(lines[first:]), len(lines[first].split()))
        n = int(table[:, :2].max()) + 1
    sources, destinations = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    weights = np.ones(len(sources))
    if table.shape[1] == 3:
        weights = table[:, 2]
    if path.name.startswith("cal-road"):  # undirected
        sources, destinations = np.concatenate([sources, destinations]), np.concatenate([destinations, sources])
        weights = np.tile(weights, 2)
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
    starts = np.flatnonzero(degree) if degree.any() else np.array([0])
    return [int(starts[0]), int(starts[len(starts) // 3]), int(starts[-1]), int(degree.argmax())]


@pytest.fixture(scope="module")
def wanted_of(pair):
    """Function that tells an answer in NumPy, computed once for all methods and numbers: by whom, and its arguments."""
    return functools.cache(lambda answer, *arguments: answer(pair[2], *arguments))


def test_graph_has_the_published_size(pair):
    name, graph, matrix = pair
    assert (graph.num_vertices, graph.num_edges) == SIZES[name]
    assert graph.is_weighted == (name in WEIGHTED)
    assert (graph.to_scipy() != matrix).nnz == 0


def few(roots, method, matrix):
    """Fewer where a run takes long: gas walks all edges in every super-step."""
    return roots if method == "auto" else roots[: 2 if matrix.shape[0] < 100_000 else 1]


def levels(matrix, root):
    order, parent = csgraph.breadth_first_order(matrix, root)
    order, parents = order.tolist(), parent.tolist()
    found = [-1] * matrix.shape[0]
    found[root] = 0
    for v in order[1:]:
        found[v] = found[parents[v]] + 1
    return np.array(found)


@pytest.mark.parametrize("method", METHODS)
def test_bfs_gives_the_levels_of_scipys_breadth_first_tree(pair, roots, method, wanted_of):
    _, graph, matrix = pair
    for root in few(roots, method, matrix):
        assert np.array_equal(gp.bfs(graph, root, method=method).depth, wanted_of(levels, root)), root


def distances(matrix, root):
    return csgraph.dijkstra(matrix, indices=root)


@pytest.mark.parametrize("method", METHODS)
def test_sssp_gives_scipys_dijkstra(pair, roots, method, wanted_of):
    _, graph, matrix = pair
    for root in few(roots, method, matrix):
        wanted = wanted_of(distances, root)
        distance = gp.sssp(graph, root, method=method).distance
        distance = np.where(distance < 0, np.inf, distance)
        np.testing.assert_allclose(distance, wanted, rtol=1e-12 if graph.weights is not None else 0, err_msg=str(root))


def ranks(matrix):
    n = matrix.shape[0]
    degree = np.diff(matrix.indptr)
    arriving = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=(n, n)).T.tocsr()
    wanted = np.full(n, 1 / n)
    for _ in range(30):
        teleport = 0.15 + 0.85 * wanted[degree == 0].sum()
        wanted = teleport / n + 0.85 * (arriving @ (wanted / np.maximum(degree, 1)))
    return wanted


@pytest.mark.parametrize(("number", "tolerance"), [("float64", 1e-10), ("float32", 1e-3), ("fixed", 1e-4)])
def test_pagerank_gives_the_power_iteration_of_scipys_matrix(pair, number, tolerance, wanted_of):
    graph, wanted = pair[1], wanted_of(ranks)
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


@pytest.mark.parametrize("method", METHODS)
def test_wcc_gives_scipys_weak_components_by_their_smallest_vertex(pair, method):
    _, graph, matrix = pair
    _, component = csgraph.connected_components(matrix, connection="weak")
    _, smallest = np.unique(component, return_index=True)
    assert np.array_equal(gp.wcc(graph, method=method).component, smallest[component])


def article_ranks(matrix):
    n = matrix.shape[0]
    degree = np.diff(matrix.indptr)
    arriving = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=(n, n)).T.tocsr()
    wanted = np.full(n, 0.15)
    for _ in range(20):
        wanted = 0.15 + 0.85 * (arriving @ (wanted / (degree + (degree.mean() or 1))))
    return wanted


@pytest.mark.parametrize(("number", "tolerance"), [("float64", 1e-12), ("float32", 1e-4), ("fixed", 1e-4)])
def test_article_rank_gives_the_power_iteration_of_scipys_matrix(pair, number, tolerance, wanted_of):
    graph, wanted = pair[1], wanted_of(article_ranks)
    for method in METHODS if number != "float32" else ("auto",):
        rank = gp.article_rank(graph, tol=0, max_iter=20, number=number, method=method).rank
        assert np.abs(rank - wanted).sum() <= tolerance * wanted.sum()


def test_spmv_gives_the_product_of_scipys_matrix(pair, rng):
    _, graph, matrix = pair
    x = rng.normal(size=matrix.shape[1])
    wanted = matrix @ x
    allowed = 1e-13 * (abs(matrix) @ abs(x)) + 1e-300
    assert (np.abs(np.asarray(gp.spmv(graph, x)) - wanted) <= allowed).all()
    if graph.weights is None or graph.weights.dtype.kind == "i":
        x = rng.integers(-1000, 1000, matrix.shape[1])
        assert np.array_equal(np.asarray(gp.spmv(graph, x)), matrix.astype(np.int64) @ x)


def hops_to(matrix, root):
    """Hops to a vertex from all that reach it."""
    hops = csgraph.dijkstra(matrix.T.tocsr(), indices=root, unweighted=True)
    return hops[np.isfinite(hops)]


def test_closeness_of_a_few_vertices_gives_that_of_scipys_distances(pair, roots, wanted_of):
    _, graph, matrix = pair
    n = matrix.shape[0]
    for wf_improved in (True, False):
        found = np.asarray(gp.closeness(graph, roots, wf_improved=wf_improved))
        assert np.array_equal(np.flatnonzero(~np.isnan(found)), np.unique(roots))
        for root, value in zip(roots, found[roots]):
            # Of those that reach it, the mean distance.
            hops = wanted_of(hops_to, root)
            wanted = (len(hops) - 1) / hops.sum() if hops.sum() else 0.0
            wanted *= (len(hops) - 1) / (n - 1) if wf_improved and n > 1 else 1
            assert value == pytest.approx(wanted, rel=1e-12)
