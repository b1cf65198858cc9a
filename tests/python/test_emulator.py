# SPDX-License-Identifier: Apache-2.0
"""`device="emulator"`: the kernels of hls/kernel, against the CPU's plain pipeline and the plain answers."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
import references
import zoo
from gaspipe import _core
from test_agreement import NUMBERS, holds_weights, instance, is_exact, only_number
from tools import whole

SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)
EXACT = ("exact", "shallow")
# Partitions and compute units that small graphs are cut into, besides the default.
CUTS = [(16, 1, "equal"), (32, 3, "balanced"), (64, 16, "equal"), (4096, 2, "balanced"), (48, 4, "interleaved")]


def run(algorithm, graph, parameters, number, **how):
    return getattr(gp, algorithm)(graph, **parameters, **only_number(algorithm, number), **how)


@pytest.mark.filterwarnings("ignore::gaspipe.NotConvergedWarning")
@pytest.mark.parametrize("name", zoo.ZOO)
@pytest.mark.parametrize(("algorithm", "number"), NUMBERS)
def test_emulator_agrees_with_the_plain_pipeline(algorithm, number, name):
    matrix = references.matrix(name)
    graph = gp.Graph(matrix)
    module = references.reference(algorithm)
    if references.refuses(algorithm, matrix) or not holds_weights(instance(algorithm, number), matrix):
        with pytest.raises(gp.InputError, match=r"does not fit|need finite weights >= 0"):
            run(algorithm, graph, references.arguments(algorithm, matrix.shape[0]), number, device="emulator")
        return
    turn = list(zoo.ZOO).index(name)
    # Two questions of every third graph, another one for each program: all with GASPIPE_WHOLE=1.
    most = 2 if whole() or (turn + NUMBERS.index((algorithm, number))) % 3 == 0 else 1
    seen = False
    for index, parameters in enumerate(module.parameters(matrix.shape[0])[:most]):
        cut = CUTS[(turn + index) % len(CUTS)] if name in SMALL else (16_384, 4, "equal")
        partitioning = graph.partition(capacity=cut[0], compute_units=cut[1], partitioner=cut[2])
        plain = run(algorithm, graph, parameters, number, method="gas", partitioning=partitioning)
        wanted = references.expected(algorithm, name, index)
        tolerance = module.tolerance(number, matrix, **parameters)
        # The whole hardware on every small graph, but long ones (a super-step per hop) once only.
        executions = ["fast"]
        if name in SMALL and plain.stats.num_supersteps <= 60:
            # For further arguments of a graph one of the two in turn, both only with GASPIPE_WHOLE=1.
            executions += EXACT if whole() or not seen else EXACT[turn % 2 :][:1]
            seen = True
        elif index == 0 and plain.stats.num_supersteps <= 60:
            executions += ["exact"]
        answers = {}
        for execution in executions:
            result = run(
                algorithm, graph, parameters, number, device="emulator", execution=execution, partitioning=partitioning
            )
            context = f"{algorithm}({index=}, {number=}, {execution=}, {cut=}) on {name}"
            ran = (result.stats.device, result.stats.execution, result.stats.method)
            assert ran == ("emulator", execution, "gas"), context
            references.assert_agrees(algorithm, result.values, wanted, tolerance, context)
            if is_exact(algorithm, number):
                assert result.values.tobytes() == plain.values.tobytes(), f"{context}: other bits than the CPU's"
            assert result.stats.num_supersteps == plain.stats.num_supersteps or not is_exact(algorithm, number), context
            assert (result.stats.predicted_cycles > 0) == (execution != "fast"), context
            answers[execution] = result.values.tobytes()
        assert len(set(answers.values())) == 1, f"{algorithm} on {name}: executions differ in {list(answers)}"


@pytest.mark.parametrize("shape", [(40, 90), (90, 40), (1, 5), (5, 1)])
@pytest.mark.parametrize("execution", ["fast", "exact"])
def test_rectangular_matrices_run_as_well(shape, execution):
    dense = np.random.default_rng(2).integers(-3, 4, shape)
    x = np.arange(shape[1]) - 2
    result = gp.spmv(sp.csr_array(dense), x, device="emulator", execution=execution)
    assert result.stats.device == "emulator"
    assert np.array_equal(result.product, dense @ x)


def test_capacity_must_be_whole_words():
    graph = gp.Graph(references.matrix("path"))
    with pytest.raises(gp.InputError, match="capacity of 7; the emulator needs a multiple of 16"):
        gp.bfs(graph, device="emulator", partitioning=graph.partition(capacity=7))
    whole = graph.partition(capacity=100)  # one partition, whatever its capacity
    assert np.array_equal(gp.bfs(graph, device="emulator", partitioning=whole).depth, gp.bfs(graph).depth)


@pytest.mark.parametrize("device", ["emulator", "cpu"])
def test_unknown_executions_are_refused(device):
    with pytest.raises(gp.InputError, match='execution is "slow"; allowed are "auto", "fast", "exact" and "shallow"'):
        gp.bfs(([0], [1]), device=device, execution="slow")


def test_predicted_cycles_are_the_same_in_every_run_and_more_for_more_edges():
    few, many = (gp.generate.uniform(4096, m, seed=3) for m in (10_000, 40_000))
    cycles = [gp.bfs(g, device="emulator", execution="exact").stats.predicted_cycles for g in (few, few, many)]
    steps = [gp.bfs(g, method="gas").stats.num_supersteps for g in (few, many)]
    assert cycles[0] == cycles[1]
    assert cycles[2] / steps[1] > cycles[0] / steps[0]


def test_named_board_predicts_and_the_answer_is_the_same():
    graph = gp.generate.uniform(3000, 20_000, seed=5)
    plain = gp.bfs(graph)
    fast = gp.bfs(graph, device="emulator").stats
    assert (fast.execution, fast.board, fast.predicted_cycles) == ("fast", "u250", 0)
    assert np.isnan(fast.predicted_seconds)
    for board in _core.boards():
        result = gp.bfs(graph, device=f"emulator:{board}")
        assert np.array_equal(result.depth, plain.depth)
        stats = result.stats
        assert (stats.device, stats.execution, stats.board) == ("emulator", "exact", board)
        assert stats.predicted_seconds > 0
        cycles = stats.predicted_seconds * 1e6 * stats.clock_mhz
        assert stats.predicted_cycles == pytest.approx(cycles, abs=stats.num_supersteps)  # each rounded
        assert stats.predicted_mteps == pytest.approx(stats.edges_streamed / stats.predicted_seconds / 1e6)
        assert f"on {board}" in repr(stats)


def test_unknown_boards_are_refused_with_the_known_ones():
    with pytest.raises(gp.InputError, match=r'there is no board "u9000"; known are .*u250.*vcu1525'):
        gp.bfs(([0], [1]), device="emulator:u9000")


def test_partitions_larger_than_the_chip_are_refused():
    graph = gp.Graph(([0], [3_000_000]))
    with pytest.raises(gp.CapacityError, match="capacity of 4194304; the kernels of the emulator have room"):
        gp.bfs(graph, device="emulator", partitioning=graph.partition(capacity=1 << 22))


def test_graphs_over_the_boards_memory_are_refused():
    graph = gp.Graph(([0], [1]), num_vertices=1 << 27)
    message = (
        "a compute unit of u50 would hold .* bytes of this graph .*; its memory has 1073741824, enough for 0 edges"
    )
    with pytest.raises(gp.CapacityError, match=message):
        gp.bfs(graph, device="emulator:u50")


@pytest.mark.slow
@pytest.mark.parametrize("execution", ["fast", "exact"])
def test_ctrl_c_stops_the_emulator_soon(execution):
    script = (
        "import gaspipe as gp, sys\n"
        "graph = gp.generate.kronecker(14, 16)\n"
        "print('ready', flush=True)\n"
        f"gp.pagerank(graph, tol=0, max_iter=10**6, device='emulator', execution={execution!r}, num_threads=2)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("data", ["cnr-2000.mtx.xz", "web-NotreDame.txt.gz"])
@pytest.mark.parametrize("algorithm", ["pagerank", "article_rank"])
@pytest.mark.data
def test_fixed_point_kernels_stay_near_float64_on_real_graphs(data_dir, data, algorithm):
    graph = gp.Graph.from_file(data_dir / data)
    result = getattr(gp, algorithm)(graph, number="fixed", device="emulator")
    assert result.stats.device == "emulator"
    wanted = references.reference(algorithm).answer(graph.to_scipy())
    assert np.abs(result.rank - wanted).sum() <= 1e-4 * wanted.sum()
