# SPDX-License-Identifier: Apache-2.0
"""Answers against other people's code: SciPy's csgraph and NetworkX."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp

METHODS = ("auto", "gas")


def random_matrix(rng, num_vertices, num_edges, integers):
    """Csr without parallel edges, which these peers would sum; weights of at least 1."""
    cells = np.unique(rng.integers(0, num_vertices**2, num_edges))
    weights = rng.integers(1, 100, len(cells)) if integers else rng.uniform(1, 2, len(cells))
    # Older csgraph takes 32-bit indices only.
    sources, destinations = (ids.astype(np.int32) for ids in np.divmod(cells, num_vertices))
    return sp.csr_array((weights, (sources, destinations)), shape=(num_vertices, num_vertices))


def structured(name):
    graphs = {
        "grid": nx.grid_2d_graph(20, 30),
        "tree": nx.balanced_tree(3, 5),
        "barbell": nx.barbell_graph(20, 30),
        "wheel": nx.wheel_graph(50),
        "ladder": nx.circular_ladder_graph(60),
        "small_world": nx.connected_watts_strogatz_graph(300, 6, 0.1, seed=1),
        "scale_free": nx.barabasi_albert_graph(500, 3, seed=1),
    }
    return nx.convert_node_labels_to_integers(graphs[name])


STRUCTURED = ("grid", "tree", "barbell", "wheel", "ladder", "small_world", "scale_free")


def scipy_depth(matrix, root):
    order, parent = csgraph.breadth_first_order(matrix, root)
    depth = np.full(matrix.shape[0], -1)
    depth[root] = 0
    for v in order[1:]:
        depth[v] = depth[parent[v]] + 1
    return depth


def by_vertex(answer, num_vertices, missing):
    return np.array([answer.get(v, missing) for v in range(num_vertices)])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("degree", [0.5, 1.2, 3, 20])
def test_bfs_gives_the_levels_of_scipys_breadth_first_tree(rng, degree, method):
    matrix = random_matrix(rng, 2000, int(2000 * degree), True)
    for root in rng.integers(0, 2000, 5):
        assert np.array_equal(gp.bfs(matrix, root, method=method).depth, scipy_depth(matrix, root))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("degree", [0.5, 1.2, 3, 20])
def test_sssp_gives_scipys_dijkstra_in_integers(rng, degree, method):
    matrix = random_matrix(rng, 2000, int(2000 * degree), True)
    for root in rng.integers(0, 2000, 5):
        wanted = csgraph.dijkstra(matrix, indices=root)
        result = gp.sssp(matrix, root, method=method)
        assert result.distance.dtype == np.int64
        assert np.array_equal(np.where(result.distance < 0, np.inf, result.distance), wanted)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-14)])
@pytest.mark.parametrize("method", METHODS)
def test_sssp_gives_scipys_dijkstra_in_floats(rng, method, dtype, tolerance):
    matrix = random_matrix(rng, 2000, 8000, False).astype(dtype)
    for root in rng.integers(0, 2000, 5):
        wanted = csgraph.dijkstra(matrix, indices=root)
        result = gp.sssp(matrix, root, method=method)
        assert result.distance.dtype == dtype
        np.testing.assert_allclose(result.distance, wanted, rtol=tolerance)


@pytest.mark.parametrize("name", STRUCTURED)
def test_bfs_gives_networkx_path_lengths(name):
    graph = structured(name)
    wanted = by_vertex(nx.single_source_shortest_path_length(graph, 3), len(graph), -1)
    assert np.array_equal(gp.bfs(graph, 3).depth, wanted)


@pytest.mark.parametrize("name", STRUCTURED)
def test_sssp_gives_networkx_dijkstra(rng, name):
    graph = structured(name)
    for _, _, attributes in graph.edges(data=True):
        attributes["weight"] = int(rng.integers(0, 50))
    wanted = by_vertex(nx.single_source_dijkstra_path_length(graph, 5), len(graph), -1)
    assert np.array_equal(gp.sssp(graph, 5).distance, wanted)


def networkx_rank(graph, tol, **options):
    # NetworkX stops at n * tol.
    wanted = nx.pagerank(graph, tol=tol / len(graph), max_iter=1000, weight=None, **options)
    return by_vertex(wanted, len(graph), None)


@pytest.mark.parametrize("name", STRUCTURED)
def test_pagerank_gives_networkx_ranks_of_undirected_graphs(name):
    graph = structured(name)
    result = gp.pagerank(graph, tol=1e-10, max_iter=1000)
    assert np.abs(result.rank - networkx_rank(graph, 1e-10)).sum() <= 1e-8


@pytest.mark.parametrize("damping", [0.5, 0.85, 0.95])
@pytest.mark.parametrize("degree", [0.3, 2, 8])
def test_pagerank_gives_networkx_ranks_of_directed_graphs(rng, degree, damping):
    matrix = random_matrix(rng, 500, int(500 * degree), True)
    graph = nx.from_scipy_sparse_array(matrix, create_using=nx.DiGraph)
    result = gp.pagerank(matrix, damping=damping, tol=1e-10, max_iter=1000)
    assert result.stats.converged
    assert np.abs(result.rank - networkx_rank(graph, 1e-10, alpha=damping)).sum() <= 1e-8


@pytest.mark.parametrize("number", ["float64", "float32", "fixed"])
def test_pagerank_gives_networkx_personalized_ranks(rng, number):
    matrix = random_matrix(rng, 400, 900, True)
    graph = nx.from_scipy_sparse_array(matrix, create_using=nx.DiGraph)
    weights = np.where(rng.random(400) < 0.9, 0, rng.uniform(0, 7, 400))
    result = gp.pagerank(matrix, personalization=weights, tol=0, max_iter=200, number=number)
    wanted = networkx_rank(graph, 1e-12, personalization=dict(enumerate(weights)))
    allowed = {"float64": 1e-10, "float32": 1e-5, "fixed": 1e-6}[number]
    assert np.abs(result.rank - wanted).sum() <= allowed


def test_pagerank_counts_parallel_edges_as_networkx_does(rng):
    sources, destinations = rng.integers(0, 30, 200), rng.integers(0, 30, 200)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(30))
    graph.add_edges_from(zip(sources.tolist(), destinations.tolist()))
    result = gp.pagerank((sources, destinations), tol=1e-10, max_iter=1000)
    assert np.abs(result.rank - networkx_rank(graph, 1e-10)).sum() <= 1e-8


def test_sssp_takes_the_shortest_of_parallel_edges_as_networkx_does(rng):
    sources, destinations = rng.integers(0, 30, 200), rng.integers(0, 30, 200)
    weights = rng.integers(0, 40, 200)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(30))
    graph.add_weighted_edges_from(zip(sources.tolist(), destinations.tolist(), weights.tolist()))
    wanted = by_vertex(nx.single_source_dijkstra_path_length(graph, 0), 30, -1)
    assert np.array_equal(gp.sssp((sources, destinations, weights), 0).distance, wanted)
    assert np.array_equal(gp.sssp(graph, 0).distance, wanted)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("degree", [0.3, 0.9, 1.2, 3])
def test_wcc_names_scipys_components_by_their_smallest_vertex(rng, degree, method):
    matrix = random_matrix(rng, 2000, int(2000 * degree), True)
    count, labels = csgraph.connected_components(matrix, connection="weak")
    smallest = np.full(count, len(labels))
    np.minimum.at(smallest, labels, np.arange(len(labels)))
    assert np.array_equal(gp.wcc(matrix, method=method).component, smallest[labels])


@pytest.mark.parametrize("name", STRUCTURED)
def test_article_rank_solves_its_linear_system(name):
    # rank = (1 - d) + d * A^T D^-1 rank, solved directly.
    matrix = nx.to_scipy_sparse_array(structured(name), dtype=float, format="csr", weight=None)
    n, degree = matrix.shape[0], np.diff(matrix.indptr)
    shares = matrix.T.toarray() / (degree + degree.mean())
    solution = np.linalg.solve(np.eye(n) - 0.85 * shares, np.full(n, 0.15))
    np.testing.assert_allclose(gp.article_rank(matrix, tol=1e-10).rank, solution, rtol=1e-9)
