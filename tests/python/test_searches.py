# SPDX-License-Identifier: Apache-2.0
"""Searches and walks: multi_source and diameter against NetworkX, SciPy and counting."""

import networkx as nx
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


@pytest.mark.parametrize("name", MATRICES)
def test_eccentricities_lie_between_their_bounds(name):
    matrix = MATRICES[name]
    hops = shortest_path(matrix, directed=False, unweighted=True)
    wanted = np.where(np.isinf(hops), 0, hops).max(axis=1)
    for num_threads in (1, 3):
        result = gp.diameter(matrix, num_threads=num_threads)
        assert result.lower == result.upper == wanted.max()
        assert result.num_searches <= matrix.shape[0]
        assert (result.eccentricity_lower <= wanted).all()
        assert (result.eccentricity_upper >= wanted).all()
        assert result.eccentricity_lower.max() == result.lower
        for limit in (1, 2, 9, 30):
            result = gp.diameter(matrix, max_searches=limit, num_threads=num_threads)
            assert result.num_searches <= limit
            assert result.lower <= wanted.max() <= result.upper
            assert (result.eccentricity_lower <= wanted).all()
            assert (result.eccentricity_upper >= wanted).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_diameter_is_that_of_networkx(seed):
    graph = nx.connected_watts_strogatz_graph(150, 4, 0.1, seed=seed)
    assert gp.diameter(graph).lower == nx.diameter(graph)
    tree = nx.from_prufer_sequence(list(np.random.default_rng(seed).integers(0, 120, 118)))
    assert gp.diameter(tree).upper == nx.diameter(tree)


def test_few_searches_find_the_diameter_of_many_graphs():
    assert gp.diameter(gp.generate.grid(100, 100)).num_searches < 20
    assert gp.diameter(gp.generate.kronecker(12, seed=1)).num_searches < 100
    assert gp.diameter(gp.generate.chain(1000)).num_searches < 10


@pytest.fixture
def command(tmp_path, capsys):
    from gaspipe.cli import main

    (tmp_path / "graph.txt").write_text("10 20\n20 30\n30 40\n40 10\n40 50\n60 70\n")

    def run(*arguments, out):
        name, *options = arguments
        with pytest.raises(SystemExit) as done:
            main([name, str(tmp_path / "graph.txt"), "--relabel", *options, "--verify", "--out", str(tmp_path / out)])
        told = capsys.readouterr()
        return done.value.code, told.out + told.err, tmp_path / out

    return run


def test_the_command_tells_the_diameter(command):
    code, told, out = command("diameter", out="x.csv")
    assert not code, told
    assert "sum 14, lower 3, upper 3, num_searches 2" in told
    assert out.read_text().startswith("vertex,eccentricity_lower,eccentricity_upper\n10,2,3\n")
