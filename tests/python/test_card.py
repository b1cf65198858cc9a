# SPDX-License-Identifier: Apache-2.0
"""`device="fpga"` through the real XRT, on an emulated card: answers, what lies where, what is asked of the card."""

import concurrent.futures
import math

import card
import numpy as np
import pytest
import scipy.sparse as sp

import card_process
import gaspipe as gp
import references
import zoo
from card_process import agree, ask, beside_cpu, counts, forget, keep, on_every_schedule
from test_agreement import holds_weights, instance, only_number
from tools import whole

pytestmark = pytest.mark.needs("driver")

# Algorithm, number format, weights: the kernels that there are xclbins of.
PROGRAMS = [
    ("bfs", "uint32", False),
    ("wcc", "uint32", False),
    ("pagerank", "fixed", False),
    ("weighted_pagerank", "fixed", True),
    ("closeness", "uint32", False),
    ("spmv", "float32", True),
    ("sssp", "uint32", True),
]
# Each takes a compiler five seconds, and has ports of the kinds of one above: only with GASPIPE_WHOLE=1.
OTHERS = [
    ("pagerank", "float32", False),
    ("article_rank", "fixed", False),
    ("spmv", "int32", True),
    ("sssp", "float32", True),
    ("sssp", "uint32", False),
]
PROGRAMS += OTHERS if whole() else []
CAPACITY = 1 << 16
MB = 1 << 20
# Those with a super-step per hop are for one algorithm.
GRAPHS = sorted(set(zoo.ZOO) - zoo.LARGE - {"long_chain"})


class Cards:
    """A card of either kind of memory, each with a process that uses it, and xclbins that are built side by side."""

    def __init__(self, folder):
        self.made = {}
        for board in ("u250", "u50"):
            (folder / board).mkdir()
            self.made[board] = card.EmulatedCard(folder / board, board, bank_bytes=64 * MB)
        self.workers = {}
        self._builders = concurrent.futures.ThreadPoolExecutor(2)
        self._xclbins = {}

    def order(self, board, algorithm, number, weighted, units=2):
        key = (board, algorithm, number, weighted, units)
        if key not in self._xclbins:
            sizes = {"units": units, "capacity": CAPACITY}
            weights = {"weighted": weighted} if instance(algorithm, number).reads_weights else {}
            self._xclbins[key] = self._builders.submit(self.made[board].add, algorithm, number, **weights, **sizes)
        return self._xclbins[key]

    def xclbin(self, *key, **options):
        return str(self.order(*key, **options).result())

    def worker(self, board):
        if board not in self.workers:
            self.workers[board] = card_process.Worker(self.made[board])
        return self.workers[board]

    def close(self):
        self._builders.shutdown(cancel_futures=True)
        for worker in self.workers.values():
            worker.close()
        for made in self.made.values():
            card_process.wait_until(lambda made=made: made.processes() == [])
            made.close()


@pytest.fixture(scope="module")
def boards(xrt, tmp_path_factory):
    boards = Cards(tmp_path_factory.mktemp("cards"))
    try:
        for program in PROGRAMS:
            boards.order("u250", *program)
        yield boards
    finally:
        boards.close()


def graphs_for(algorithm, number, weighted):
    """Graphs of the zoo whose weights, or lack of them, the kernels take."""
    chosen = instance(algorithm, number)
    any_will_do = not chosen.reads_weights or chosen.transition_probabilities
    for name in GRAPHS:
        matrix = references.matrix(name)
        if references.refuses(algorithm, matrix):
            continue
        if any_will_do or ((matrix.data.dtype != bool) == weighted and holds_weights(chosen, matrix)):
            yield name, matrix


def cut_for(matrix, turn, units):
    """One to about eight partitions."""
    return {
        "capacity": max(16, math.ceil(matrix.shape[1] / (1, 3, 8)[turn % 3] / 16) * 16),
        "compute_units": units,
        "partitioner": ("equal", "balanced", "interleaved")[turn // 3 % 3],
    }


def check_agreement(worker, xclbin, algorithm, number, name, matrix, cut, **keywords):
    parameters = references.arguments(algorithm, matrix.shape[0])
    answers = worker(agree, algorithm, matrix, xclbin, parameters, cut, **only_number(algorithm, number), **keywords)
    assert {device: stats["device"] for device, (_, stats) in answers.items()} == {
        "cpu": "cpu", "emulator": "emulator", "fpga": "fpga",
    }  # fmt: skip
    values, stats = answers["fpga"]
    assert stats["number"] == number
    assert stats["library"] == f"XRT {card.xrt_version()}"
    tolerance = references.reference(algorithm).tolerance(number, matrix, **parameters)
    references.assert_agrees(algorithm, values, references.expected(algorithm, name, 0), tolerance, name)
    return answers


@pytest.mark.parametrize(("algorithm", "number", "weighted"), PROGRAMS)
@pytest.mark.parametrize("board", ["u250", "u50"])
def test_card_emulator_and_cpu_agree(boards, board, algorithm, number, weighted):
    xclbin, worker = boards.xclbin(board, algorithm, number, weighted), boards.worker(board)
    checked = 0
    for turn, (name, matrix) in enumerate(graphs_for(algorithm, number, weighted)):
        if board == "u50" and turn % 3:  # the same kernels in other banks
            continue
        check_agreement(worker, xclbin, algorithm, number, name, matrix, cut_for(matrix, turn, 2))
        checked += 1
    assert checked >= 3


def test_a_card_has_a_domain_beside_those_of_a_cpu(boards):
    xclbin, worker = boards.xclbin("u250", "bfs", "uint32", False), boards.worker("u250")
    for name, matrix in graphs_for("bfs", "uint32", False):
        parameters = references.arguments("bfs", matrix.shape[0])
        values, whole, devices = worker(beside_cpu, "bfs", matrix, xclbin, parameters)
        assert devices == ["cpu", "fpga:u250", "cpu"]
        assert values.tobytes() == whole.tobytes(), name
        tolerance = references.reference("bfs").tolerance("uint32", matrix, **parameters)
        references.assert_agrees("bfs", values, references.expected("bfs", name, 0), tolerance, name)


@pytest.mark.parametrize(("board", "units"), [("u250", 1), ("u250", 3), ("u250", 7), ("u50", 1), ("u50", 7)])
def test_any_number_of_compute_units_agrees(boards, board, units):
    xclbin, worker = boards.xclbin(board, "bfs", "uint32", False, units=units), boards.worker(board)
    for turn, name in enumerate(["kronecker", "self_loops", "disconnected", "no_edges", "single_vertex", "star_in"]):
        matrix = references.matrix(name)
        answers = check_agreement(worker, xclbin, "bfs", "uint32", name, matrix, cut_for(matrix, turn, units))
        assert answers["fpga"][1]["compute_units"] == units


def test_many_supersteps_agree(boards):
    matrix = references.matrix("long_chain")
    xclbin = boards.xclbin("u250", "bfs", "uint32", False)
    answers = check_agreement(boards.worker("u250"), xclbin, "bfs", "uint32", "long_chain", matrix, None)
    assert answers["fpga"][1]["num_supersteps"] == 500


def test_partitions_of_the_card_agree_on_a_larger_graph(boards):
    matrix = references.matrix("two_cpu_partitions")
    xclbin = boards.xclbin("u250", "bfs", "uint32", False)
    answers = check_agreement(
        boards.worker("u250"), xclbin, "bfs", "uint32", "two_cpu_partitions", matrix, {"compute_units": 2}
    )
    assert answers["fpga"][1]["capacity"] == CAPACITY


def test_a_rectangular_matrix_agrees(boards, rng):
    matrix = sp.csr_array(np.where(rng.random((300, 40)) < 0.1, rng.random((300, 40)), 0).astype(np.float32))
    x = rng.random(40, dtype=np.float32)
    xclbin = boards.xclbin("u250", "spmv", "float32", True)
    answers = boards.worker("u250")(agree, "spmv", matrix, xclbin, {"x": x}, number="float32")
    np.testing.assert_allclose(answers["fpga"][0], matrix @ x, rtol=1e-5)


@pytest.mark.parametrize(("board", "units"), [("u250", 2), ("u50", 7)])
def test_every_scheduler_gives_the_same_answer(boards, board, units):
    worker = boards.worker(board)
    worker(keep, "kronecker", references.matrix("kronecker"))
    cut = {"capacity": 64, "compute_units": units}
    found = worker(on_every_schedule, "kronecker", boards.xclbin(board, "bfs", "uint32", False, units=units), cut)
    assert set(found) == {*gp._core.schedulers(), "own"}
    wanted = references.expected("bfs", "kronecker", 0)
    for label, (values, device) in found.items():
        assert device == "fpga"
        references.assert_agrees("bfs", values, wanted, 0, label)


def test_a_distance_is_refused_only_where_no_other_path_fits(boards):
    most = 2**31 - 1
    xclbin, worker = boards.xclbin("u250", "sssp", "uint32", True), boards.worker("u250")
    # By 0, 1, 2 vertex 3 is 2**32 - 1 away, one too many; by 4 it is near.
    replaced = [0, 0, 1, 2, 4], [1, 4, 2, 3, 3], np.array([most, 7, most, 1, 8], np.int32)
    worker(keep, "replaced", replaced)
    values, stats = worker(ask, "sssp", "replaced", xclbin, root=0)
    assert values.tolist() == [0, most, 2 * most, 15, 7]
    assert (stats["device"], stats["number"], stats["attempts"]) == ("fpga", "uint32", 1)
    worker(keep, "too far", ([0, 1, 2], [1, 2, 3], np.array([most, most, 1], np.int32)))
    with pytest.raises(gp.CapacityError, match='sssp: the answer does not fit number="uint32"'):
        worker(ask, "sssp", "too far", xclbin, root=0)
    for name in ("replaced", "too far"):
        worker(forget, name)


# What is asked of the card.


def expected_calls(P, U, steps, *, first, num_aux=0, weighted=False):
    """Calls of a run whose argument never changes, as cpp/src/backend/card/device.h states them."""
    made = 2 * U + num_aux + P + P * U * (4 if weighted else 3)
    per_gather, per_apply = (8 if weighted else 7), 2 * U + num_aux + 4
    return {
        "allocations": made if first else 0,
        "runs": 2 * P * (U + 1) if first else 0,
        "arguments": 2 * P * (U * per_gather + per_apply) if first else 0,
        "starts": steps * P * (U + 1),
        "waits": steps * P * (U + 1),
        "syncs_to_card": U + num_aux + (P * U * (3 if weighted else 2) if first else 0),
        "syncs_from_card": steps * P + 1,
    }


@pytest.mark.parametrize(("capacity", "units"), [(4096, 1), (4096, 2), (512, 2), (1024, 3)])
def test_calls_are_as_many_as_stated(boards, rng, capacity, units):
    n = 3000
    worker, xclbin = boards.worker("u250"), boards.xclbin("u250", "bfs", "uint32", False, units=units)
    worker(keep, "counted", zoo.matrix_of(n, rng.integers(0, n, 50_000), rng.integers(0, n, 50_000)))
    cut = {"capacity": capacity, "compute_units": units}
    wanted, first = None, True
    for _ in range(3):
        values, stats = worker(ask, "bfs", "counted", xclbin, cut, skip_idle=False)
        calls, steps = stats["card_calls"], stats["num_supersteps"]
        partitions = math.ceil(n / capacity)
        stated = expected_calls(partitions, units, steps, first=first)
        # Nothing is passed over, so the first runs of another super-step began before the sums said that none follows.
        stated["starts"] += min(2, partitions) * units
        # The program's argument is set once for each run of apply, at its first start.
        arguments = calls["arguments"] - stated["arguments"]
        assert arguments % partitions == 0 if first else arguments == 0
        assert {**calls, "arguments": stated["arguments"]} == {**calls, **stated}
        assert (stats["edge_bytes_uploaded"] > 0) == first
        assert wanted is None or (values == wanted).all()
        wanted, first = values, False


def test_arguments_that_change_are_set_and_no_others(boards):
    worker, xclbin = boards.worker("u250"), boards.xclbin("u250", "pagerank", "fixed", False)
    worker(keep, "ranked", references.matrix("dangling_heavy"))
    for _ in range(2):
        _, stats = worker(ask, "pagerank", "ranked", xclbin, tol=0, max_iter=12)
    calls = stats["card_calls"]
    stated = expected_calls(1, 2, 12, first=False, num_aux=2)
    # The dangling share, of 64 bits, is another in every step; no more than that is set.
    assert 0 < calls["arguments"] <= 2 * 12
    assert {**calls, **stated, "arguments": 0} == {**calls, "arguments": 0}
    assert stats["edge_bytes_uploaded"] == 0


def test_bytes_that_move_are_those_of_the_vertices(boards, rng):
    n, m = 1000, 20_000
    worker, xclbin = boards.worker("u250"), boards.xclbin("u250", "bfs", "uint32", False)
    worker(keep, "moved", zoo.matrix_of(n, rng.integers(0, n, m), rng.integers(0, n, m)))
    _, first = worker(ask, "bfs", "moved", xclbin)
    _, second = worker(ask, "bfs", "moved", xclbin)
    words = -(-n * 4 // 64) * 64
    assert first["edge_bytes_uploaded"] >= 8 * m
    assert first["edge_bytes_uploaded"] <= 8 * m + 2 * 2 * 64
    assert second["bytes_to_card"] in (2 * 4 * n, 2 * words)
    assert first["bytes_to_card"] == second["bytes_to_card"] + first["edge_bytes_uploaded"]
    # The sums and the word of activity of its one partition, in every super-step.
    assert second["bytes_from_card"] in {second["num_supersteps"] * 2 * 64 + size for size in (4 * n, words)}


def test_another_graph_or_partitioning_uploads_and_the_old_ones_stay(boards, rng):
    n = 2000
    worker, xclbin = boards.worker("u250"), boards.xclbin("u250", "bfs", "uint32", False)
    matrices = [zoo.matrix_of(n, rng.integers(0, n, 9000), rng.integers(0, n, 9000)) for _ in range(2)]
    worker(keep, "one", matrices[0])
    worker(keep, "two", matrices[1])
    small = {"capacity": 512, "compute_units": 2}
    uploads = [
        worker(ask, "bfs", name, xclbin, cut)[1]["edge_bytes_uploaded"] > 0
        for name, cut in [("one", None), ("two", None), ("one", small), ("one", None), ("two", None), ("one", small)]
    ]
    assert uploads == [True, True, True, False, False, False]


@pytest.mark.parametrize("how", ["delete", "clear_cache"])
def test_a_graph_that_is_gone_frees_what_it_had_on_the_card(boards, rng, how):
    n = 500
    worker, xclbin = boards.worker("u250"), boards.xclbin("u250", "wcc", "uint32", False)
    matrix = zoo.matrix_of(n, rng.integers(0, n, 2000), rng.integers(0, n, 2000))
    worker(keep, "stays", references.matrix("path"))
    worker(ask, "wcc", "stays", xclbin)
    before = worker(counts)
    worker(keep, "goes", matrix)
    worker(ask, "wcc", "goes", xclbin)
    made = worker(counts)["allocations"] - before["allocations"]
    assert made == 11
    if how == "delete":
        worker(forget, "goes")
    else:
        worker(clear_cache, "goes")
    # Freed by who comes next, for only a call may talk to the card.
    assert worker(ask, "wcc", "stays", xclbin)[1]["edge_bytes_uploaded"] == 0
    assert worker(counts)["frees"] - before["frees"] == made
    if how == "clear_cache":
        assert worker(ask, "wcc", "goes", xclbin)[1]["edge_bytes_uploaded"] > 0


def clear_cache(name):
    card_process.Session.graphs[name].clear_cache()
