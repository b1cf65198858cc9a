# SPDX-License-Identifier: Apache-2.0
"""Kernels that pass over edges along which nothing new is sent: answers against SciPy, and what is left to stream."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra, shortest_path

import gaspipe as gp

WAYS = [("emulator:u250", "plain"), ("emulator:u250", "packed"), ("emulator:u280", "hbm")]


def strip(length, width, seed):
    """Cells of a long strip, each joined to its neighbors, with weights: a search sweeps over the ids."""
    cells = np.arange(length * width).reshape(length, width)
    pairs = np.concatenate(
        [
            np.stack([cells[:-1].ravel(), cells[1:].ravel()], 1),
            np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], 1),
        ]
    )
    weights = np.random.default_rng(seed).integers(1, 20, len(pairs))
    matrix = sp.coo_array((weights, pairs.T), shape=(cells.size,) * 2)
    return sp.csr_array(matrix + matrix.T)


def check(found, skipping, matrix, values, wanted):
    assert np.array_equal(values, wanted)
    steps = found.stats.num_supersteps * matrix.nnz
    assert found.stats.edges_streamed + found.stats.edges_skipped == steps
    if skipping is not None:
        assert (found.stats.edges_skipped > 0) == skipping
    assert found.stats.supersteps["edges"].sum() == found.stats.edges_streamed
    if found.stats.prediction is not None:
        assert found.stats.prediction.edges_streamed == found.stats.edges_streamed


@pytest.mark.parametrize(("device", "config"), WAYS)
@pytest.mark.parametrize("execution", ["fast", "exact"])
def test_searches_are_those_of_scipy_whether_or_not_edges_are_passed_over(device, config, execution):
    matrix = strip(30 if execution == "exact" and config != "hbm" else 120, 6, seed=4)
    n = matrix.shape[0]
    how = {"device": device, "config": config, "execution": execution}
    depth = shortest_path(matrix, unweighted=True, indices=7).astype(np.int32)
    distance = dijkstra(matrix, indices=n - 1).astype(np.int64)
    label = np.zeros(n, np.int64)
    streamed = {}
    for skip_idle in (True, False):
        # With clocks so few edges are passed over in the first super-steps only: then the host would take longer.
        skipping = None if skip_idle and execution == "exact" else skip_idle
        found = gp.bfs(matrix, 7, skip_idle=skip_idle, **how)
        check(found, skipping, matrix, found.depth, depth)
        streamed[skip_idle] = found.stats
        found = gp.sssp(matrix, n - 1, skip_idle=skip_idle, **how)
        check(found, skipping, matrix, found.distance, distance)
        found = gp.wcc(matrix, skip_idle=skip_idle, **how)
        check(found, skipping, matrix, found.component, label)
    assert streamed[True].num_supersteps == streamed[False].num_supersteps
    if execution == "exact":
        assert 0 < streamed[True].edges_skipped <= 2 * matrix.nnz
        assert streamed[True].prediction.seconds <= streamed[False].prediction.seconds
    else:
        assert streamed[True].edges_streamed < 0.7 * streamed[False].edges_streamed


def shortest(name, **declared):
    """Shortest paths as an algorithm of the user's."""
    return gp.Algorithm(
        name,
        scatter="src == MAX_PROP ? MAX_PROP : src + edge",
        gather="a < b ? a : b",
        identity="MAX_PROP",
        active="update != MAX_PROP",
        idempotent=True,
        initial="v == root ? 0 : MAX_PROP",
        parameters={"root": 0},
        until="no_change",
        **declared,
    )


@pytest.mark.parametrize(("device", "config"), WAYS)
def test_the_first_step_streams_what_the_start_vertex_may_send(device, config):
    matrix = strip(500, 16, seed=4)
    search = shortest("shortest", is_source="prop != MAX_PROP")
    for run in (gp.bfs, gp.sssp, search):
        edges = run(matrix, root=4000, device=device, config=config, execution="fast").stats.supersteps["edges"]
        assert edges.max() > matrix.nnz / 5
        # A unit has slices of 1,024 edges, of which the start vertex is in one; plain kernels begin with the first.
        assert edges[0] <= (matrix.nnz / 2 if config == "plain" else 0) + 4 * 1024, run


def test_a_search_with_weights_that_declares_no_sources_streams_all_in_the_first_step():
    matrix = strip(200, 16, seed=4)
    search = shortest("shortest_from_anywhere")
    for device, config in WAYS:
        found = search(matrix, root=5, device=device, config=config, execution="fast")
        assert np.array_equal(found.values, dijkstra(matrix, indices=5).astype(np.int64))
        assert found.stats.supersteps["edges"][0] == matrix.nnz


def test_programs_without_idle_vertices_stream_everything():
    matrix = strip(50, 4, seed=1)
    for device, config in WAYS:
        found = gp.pagerank(matrix, device=device, config=config, execution="fast", number="fixed", max_iter=5, tol=0)
        assert found.stats.edges_skipped == 0
        assert found.stats.edges_streamed == found.stats.num_supersteps * matrix.nnz


def test_searches_in_several_passes_begin_anew():
    rng = np.random.default_rng(3)
    matrix = sp.csr_array(sp.coo_array((np.ones(900), rng.integers(0, 400, (2, 900))), shape=(400, 400)))
    for device, config in WAYS:
        every = gp.closeness(matrix, device=device, config=config, execution="fast")
        assert np.array_equal(every.closeness, gp.closeness(matrix, number=every.stats.number).closeness)
        every = gp.predict("closeness", matrix, board=device[9:], config=config)
        assert np.array_equal(every.closeness, gp.closeness(matrix, number=every.stats.number).closeness)


@pytest.mark.parametrize(("device", "config"), WAYS)
def test_predictions_price_what_is_streamed(device, config):
    matrix = strip(150, 6, seed=5)
    board = gp.Board(device[9:], step_us=0.001)  # whose host passes over whatever it can
    wanted = shortest_path(matrix, unweighted=True, indices=0).astype(np.int32)
    found = {}
    for skipping in (True, False):
        result = gp.predict("bfs", matrix, board=board, config=config, skip_idle=skipping)
        assert np.array_equal(result.depth, wanted)
        found[skipping] = result.stats.prediction
    assert found[False].edges_streamed == len(found[False].steps) * matrix.nnz
    assert found[True].edges_streamed < 0.7 * found[False].edges_streamed
    # Of so few edges it is launches and flushes that take the time.
    assert found[True].steps["bytes"].sum() < found[False].steps["bytes"].sum()
    assert found[True].seconds <= found[False].seconds + 1e-6
    if config == "packed":
        exact = gp.bfs(matrix, device=device, config=config).stats.prediction
        usual = gp.predict("bfs", matrix, board=device[9:], config=config).stats.prediction
        assert usual.edges_streamed == exact.edges_streamed > found[True].edges_streamed
        assert usual.seconds == pytest.approx(exact.seconds, rel=0.2)


@pytest.mark.parametrize(("board", "config"), [("u250", "packed"), ("u280", "hbm")])
def test_a_search_takes_less_where_first_and_last_steps_have_few_sources(board, config):
    graph = gp.generate.kronecker(13, 16, seed=2)
    root = int(np.argmax(graph.out_degrees()))
    quick = gp.Board(board, step_us=0.001)
    found = {
        skipping: gp.predict("bfs", graph, root=root, board=quick, config=config, skip_idle=skipping)
        for skipping in (True, False)
    }
    assert np.array_equal(found[True].depth, found[False].depth)
    every, busy = (found[skipping].stats.prediction for skipping in (False, True))
    assert busy.edges_streamed < 0.8 * every.edges_streamed
    assert busy.seconds < every.seconds
    assert busy.graph_mteps > every.graph_mteps
    # With a host between super-steps, the default takes no longer than either.
    usual = {
        skipping: gp.predict("bfs", graph, root=root, board=board, config=config, skip_idle=skipping)
        for skipping in (True, False)
    }
    assert usual[True].stats.prediction.seconds <= usual[False].stats.prediction.seconds


def test_components_of_many_small_parts():
    rng = np.random.default_rng(8)
    ends = rng.integers(0, 2000, (2, 1500))
    matrix = sp.csr_array(sp.coo_array((np.ones(1500), ends), shape=(2000, 2000)))
    _, labels = connected_components(matrix, directed=False)
    smallest = np.full(labels.max() + 1, 2000)
    np.minimum.at(smallest, labels, np.arange(2000))
    for device, config in WAYS:
        found = gp.wcc(matrix, device=device, config=config, execution="fast")
        assert np.array_equal(found.component, smallest[labels])
        assert found.stats.edges_skipped > 0
