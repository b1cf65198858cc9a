# SPDX-License-Identifier: Apache-2.0
"""Searches and walks: multi_source against NetworkX, SciPy and counting."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path

import gaspipe as gp


def matrices():
    """Directed and not, with parts that are not connected, self-loops and parallel edges."""
    yield "one", sp.csr_array((1, 1))
    yield "no_edges", sp.csr_array((5, 5))
    yield "loops", sp.csr_array(np.eye(3))
    yield "path", sp.csr_array(np.eye(200, k=1))
    yield "cycle", sp.csr_array(np.roll(np.eye(150), 1, axis=1))
    rng = np.random.default_rng(3)
    for n, m in [(30, 40), (300, 500), (400, 3000), (2000, 9000)]:
        edges = sp.coo_array((np.ones(m), rng.integers(0, n, (2, m))), shape=(n, n))
        yield f"random{n}", sp.csr_array(edges)
        yield f"symmetric{n}", sp.csr_array(edges + edges.T)
    grid = gp.generate.grid(40, 50)
    yield "grid", sp.csr_array((np.ones(grid.num_edges), grid.indices, grid.indptr), shape=grid.shape)


MATRICES = dict(matrices())


@pytest.mark.parametrize("name", MATRICES)
def test_depths_are_those_of_scipy(name):
    matrix = MATRICES[name]
    n = matrix.shape[0]
    wanted = shortest_path(matrix, unweighted=True)
    wanted = np.where(np.isinf(wanted), -1, wanted).astype(np.int32)
    sources = np.random.default_rng(7).integers(0, n, 200)
    for given in (None, sources, sources[:64], sources[:65], [n - 1], [0, 0], []):
        for num_threads in (1, 2, 3):
            result = gp.multi_source(matrix, given, num_threads=num_threads)
            rows = np.arange(n) if given is None else np.asarray(given, int)
            assert np.array_equal(result.depth, wanted[rows])
            assert result.depth.dtype == np.int32
            assert np.array_equal(result.sources, rows)


def test_deep_and_flat_graphs_use_all_ways_to_search():
    # A path on a random graph: bundles are worth it, the path comes after. Then the same the other way round.
    n = 3000
    flat = gp.generate.uniform(n, 8 * n, seed=1)
    ends = np.repeat(np.arange(n), np.diff(flat.indptr)), flat.indices.astype(int)
    tail = np.arange(n - 1, n + 400)
    graph = gp.Graph((np.r_[ends[0], tail], np.r_[ends[1], tail + 1]))
    sources = np.r_[np.arange(300), n + 100, n + 400]
    depth = gp.multi_source(graph, sources, num_threads=2).depth
    for row, source in zip(depth, sources):
        assert np.array_equal(row, gp.bfs(graph, root=source).depth)
    back = graph.transpose()
    sources = sources[::-1]
    assert np.array_equal(gp.multi_source(back, sources).depth[:, sources], depth[:, sources][::-1].T)


def test_depths_that_do_not_fit_in_memory_are_one_clear_error():
    graph = gp.Graph((np.array([0]), np.array([999_999])))
    message = (
        r"depths from 1000000 sources to 1000000 vertices take 4000 GB; this machine has .* GB; give fewer sources="
    )
    with pytest.raises(gp.InputError, match=message):
        gp.multi_source(graph)
