# SPDX-License-Identifier: Apache-2.0
"""`device="fpga"` with two kinds of pipelines, through the real XRT, on an emulated U280: kernels joined by streams."""

import concurrent.futures

import card
import numpy as np
import pytest
from scipy.sparse import csgraph

import card_process
import gaspipe as gp
import references
import zoo
from card_process import agree, ask, beside_cpu, keep, step_by_step
from test_agreement import holds_weights, instance, only_number

pytestmark = pytest.mark.needs("driver")

# Algorithm, number format, weights, pipelines: without and with weights, and with an input per vertex.
PROGRAMS = [("bfs", "uint32", False, 3), ("sssp", "uint32", True, 3), ("pagerank", "fixed", False, 2)]
CAPACITY = 4096
GRAPHS = sorted(set(zoo.ZOO) - zoo.LARGE - {"long_chain"})


@pytest.fixture(scope="module")
def u280(xrt, tmp_path_factory):
    """Card, its process, and xclbins by algorithm."""
    with card.EmulatedCard(tmp_path_factory.mktemp("hbm"), "u280", bank_bytes=4 << 20) as made:

        def build(program):
            algorithm, number, weighted, units = program
            sizes = {"config": "hbm", "units": units, "capacity": CAPACITY}
            return str(made.add(algorithm, number, weighted=weighted or None, **sizes))

        with concurrent.futures.ThreadPoolExecutor(2) as builders:
            xclbins = dict(zip((program[0] for program in PROGRAMS), builders.map(build, PROGRAMS)))
        worker = card_process.Worker(made, GASPIPE_CARD_TRACE=made.folder / "trace")
        yield made, worker, xclbins
        worker.close()
        card_process.wait_until(lambda: made.processes() == [])


@pytest.mark.parametrize(("algorithm", "number", "weighted", "units"), PROGRAMS)
def test_card_emulator_and_cpu_agree(u280, algorithm, number, weighted, units):
    _, worker, xclbins = u280
    checked = 0
    for name in GRAPHS:
        matrix = references.matrix(name)
        if references.refuses(algorithm, matrix):
            continue
        chosen = instance(algorithm, number)
        if chosen.reads_weights and not ((matrix.data.dtype != bool) == weighted and holds_weights(chosen, matrix)):
            continue
        parameters = references.arguments(algorithm, matrix.shape[0])
        answers = worker(agree, algorithm, matrix, xclbins[algorithm], parameters, **only_number(algorithm, number))
        values, stats = answers["fpga"]
        assert (stats["device"], stats["number"], stats["board"]) == ("fpga", number, "u280")
        assert stats["library"] == f"XRT {card.xrt_version()}"
        tolerance = references.reference(algorithm).tolerance(number, matrix, **parameters)
        references.assert_agrees(algorithm, values, references.expected(algorithm, name, 0), tolerance, name)
        checked += 1
    assert checked >= 5


def test_a_graph_stays_on_the_card_and_every_step_has_two_launches_of_each_pipeline(u280):
    made, worker, xclbins = u280
    matrix = gp.generate.kronecker(13, 4, seed=3).to_scipy()
    worker(keep, "kronecker", matrix)  # enough vertices for all pipelines
    trace = made.folder / "trace"
    before = len(card_process.traced(trace))
    values, stats = worker(ask, "bfs", "kronecker", xclbins["bfs"], None, skip_idle=False, root=0)
    lines = [line.split() for line in card_process.traced(trace)[before:]]
    started = [line[1] for line in lines if line[0] == "start"]
    # Nothing is passed over: pipelines gather for the next super-step before the sums say that none follows.
    steps = stats["num_supersteps"]
    assert {name: started.count(name) for name in set(started)} == {
        "dense_1": 2 * steps + 1, "dense_2": 2 * steps + 1, "sparse_1": 2 * steps + 1, "apply_parts_1": steps
    }  # fmt: skip
    assert sum(line[0] == "allocate" for line in lines) > 0
    before = len(card_process.traced(trace))
    again, _ = worker(ask, "bfs", "kronecker", xclbins["bfs"], None, root=3)
    assert not any(line.split()[0] == "allocate" for line in card_process.traced(trace)[before:])
    for root, found in ((0, values), (3, again)):
        wanted = csgraph.shortest_path(matrix, unweighted=True, indices=root)
        assert found.tolist() == np.where(np.isinf(wanted), -1, wanted).tolist()


def test_a_card_has_a_domain_beside_those_of_a_cpu(u280):
    _, worker, xclbins = u280
    for name in ("kronecker", "disconnected", "star_in", "no_edges"):
        matrix = references.matrix(name)
        parameters = references.arguments("bfs", matrix.shape[0])
        values, whole, devices = worker(beside_cpu, "bfs", matrix, xclbins["bfs"], parameters)
        assert devices == ["cpu", "fpga:u280", "cpu"]
        assert values.tobytes() == whole.tobytes(), name


def test_an_accelerator_takes_its_super_steps(u280):
    _, worker, xclbins = u280
    worker(keep, "small", references.matrix("kronecker"))
    instances, profile, told = worker(step_by_step, "small", xclbins["bfs"])
    assert instances == ["dense_1", "dense_2", "sparse_1", "apply_parts_1"]
    assert "every one verified" in profile
    assert told == "these kernels are started for all partitions at once, not for one"


def test_what_such_a_card_cannot_take_is_one_clear_error(u280):
    _, worker, xclbins = u280
    worker(keep, "small", references.matrix("kronecker"))
    with pytest.raises(gp.InputError, match='config "hbm" makes partitions of its own; omit partitioning'):
        worker(ask, "bfs", "small", xclbins["bfs"], {"capacity": 64, "compute_units": 3})
    with pytest.raises(gp.InputError, match='config "hbm" plans which pipeline takes what; omit scheduler'):
        worker(ask, "bfs", "small", xclbins["bfs"], None, scheduler="longest_first")
