# SPDX-License-Identifier: Apache-2.0
"""Arrays of PEs with `device="fpga"`, through the real XRT: searches and shortest paths, each by one kernel."""

import concurrent.futures
import os
import warnings

import card
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import card_process
import gaspipe as gp
import references
import zoo
from card_process import Session, keep, told
from card_scene import Scene, check_that_ctrl_c_waits
from searches import check_tree, hops

pytestmark = pytest.mark.needs("driver")

KERNELS = {
    "local_store": ("bfs", "local_store_bfs", "uint32"),
    "direction_optimizing": ("bfs", "pull_bfs", "uint32"),
    "delta_stepping": ("sssp", "delta_stepping", "uint32"),
    "floats": ("sssp", "delta_stepping", "float32"),
}
NUM_PES, CAPACITY = 2, 4096
GRAPHS = sorted(set(zoo.ZOO) - zoo.LARGE - {"long_chain"})


@pytest.fixture(scope="module")
def u50(xrt, tmp_path_factory):
    """Card, its process, and xclbins by method; the last one is of shortest paths in float32."""
    with card.EmulatedCard(tmp_path_factory.mktemp("pes"), "u50", bank_bytes=4 << 20) as made:

        def build(kernel):
            algorithm, config, number = kernel
            return str(made.add(algorithm, number, config=config, units=NUM_PES, capacity=CAPACITY))

        with concurrent.futures.ThreadPoolExecutor(2) as builders:
            xclbins = dict(zip(KERNELS, builders.map(build, KERNELS.values())))
        worker = card_process.Worker(made, GASPIPE_CARD_TRACE=made.folder / "trace")
        yield made, worker, xclbins
        worker.close()
        card_process.wait_until(lambda: made.processes() == [])


def search(graph, method, xclbin, root=0, progress=None, **options):
    """Search for a card's answer: values, stats, profile, and what `progress` was told."""
    steps = []
    if progress:
        options["progress"] = lambda *step: steps.append(step)
    call = gp.sssp if method == "delta_stepping" else gp.bfs
    graph = Session.graphs[graph] if isinstance(graph, str) else graph
    options = {"device": "fpga", "fallback": False, **options}
    result = call(graph, root=root, method=method, xclbin=xclbin, **options)
    profile = result.stats.pe_array
    stats = told(result.stats)
    stats["active"] = result.stats.supersteps["active_vertices"].tolist()
    return result.values, stats, {} if profile is None else vars(profile), steps


def started(made):
    """Starts of units, and what went to the card, so far."""
    lines = [line.split() for line in card_process.traced(made.folder / "trace")]
    return [line[1] for line in lines if line[0] == "start"], [line for line in lines if line[0] == "allocate"]


@pytest.mark.parametrize("method", ["local_store", "direction_optimizing"])
def test_searches_agree_with_scipy(u50, method):
    made, worker, xclbins = u50
    unit = {"local_store": "cell_1", "direction_optimizing": "pull_1"}[method]
    for name in GRAPHS:
        matrix = references.matrix(name)
        if references.refuses("bfs", matrix) or matrix.shape[0] == 0:
            continue
        before = len(started(made)[0])
        values, stats, profile, _ = worker(search, matrix, method, xclbins[method])
        wanted = hops(matrix, 0)
        np.testing.assert_array_equal(values, wanted, err_msg=name)
        check_tree(matrix, 0, wanted, profile["parent"])
        assert (stats["device"], stats["method"], stats["board"]) == ("fpga", method, "u50")
        assert stats["library"] == f"XRT {card.xrt_version()}"
        assert (profile["workers"], profile["capacity"]) == (NUM_PES, CAPACITY)
        # The number of vertices in each level is right, with one launch and with several.
        assert stats["active"] == [int((wanted == level).sum()) for level in range(wanted.max() + 1)], name
        launches = started(made)[0][before:]
        assert launches == [unit] * (1 if method == "direction_optimizing" else stats["num_supersteps"]), name


@pytest.mark.parametrize("kernel", ["delta_stepping", "floats"])
def test_shortest_paths_agree_with_scipy(u50, kernel):
    _, worker, xclbins = u50
    rng, dtype, checked = np.random.default_rng(5), np.float32 if kernel == "floats" else np.int32, 0
    for name in GRAPHS:
        matrix = references.matrix(name)
        if references.refuses("sssp", matrix) or matrix.shape[0] == 0:
            continue
        lengths = rng.integers(1, 300, matrix.nnz)
        given = sp.csr_array((lengths.astype(dtype), matrix.indices, matrix.indptr), matrix.shape, copy=True)
        given.sum_duplicates()  # as SciPy does
        values, stats, profile, _ = worker(search, given, "delta_stepping", xclbins[kernel])
        wanted = csgraph.dijkstra(given.astype(np.float64), indices=0)  # integers: exact in both
        nowhere = np.inf if dtype == np.float32 else -1
        np.testing.assert_array_equal(values, np.where(np.isinf(wanted), nowhere, wanted), err_msg=name)
        reached = int(np.isfinite(wanted).sum())
        assert (stats["device"], stats["number"]) == ("fpga", np.dtype(dtype).name.replace("int32", "uint32"))
        assert stats["active"] == [reached]  # the kernel went through by itself
        assert profile["num_buckets"] == 0
        checked += 1
    assert checked > 10


def test_levels_and_phases_can_be_watched(u50):
    """Then each is a launch, and the answer is the same bits."""
    made, worker, xclbins = u50
    graph = gp.generate.kronecker(9, 6, seed=2)
    matrix = graph.to_scipy()
    rng = np.random.default_rng(3)
    weighted = matrix.astype(np.int32)
    weighted.data[:] = rng.integers(1, 200, weighted.nnz)
    root = int(np.argmax(np.diff(matrix.indptr)))
    for method, given in (("direction_optimizing", matrix), ("delta_stepping", weighted)):
        alone = worker(search, given, method, xclbins[method], root)
        before = len(started(made)[0])
        watched = worker(search, given, method, xclbins[method], root, True)
        assert watched[0].tobytes() == alone[0].tobytes()
        assert len(watched[3]) == watched[1]["num_supersteps"] == len(started(made)[0]) - before
        assert [active for _, active, _ in watched[3]] == watched[1]["active"]
        if method == "direction_optimizing":
            assert watched[1]["active"] == alone[1]["active"]
            assert watched[2]["level_pulled"].tolist() == alone[2]["level_pulled"].tolist()
            assert watched[2]["level_pulled"].any()
        else:
            emulated = gp.sssp(gp.Graph(given), root, method=method, device="emulator:u50", workers=NUM_PES)
            assert watched[2]["num_buckets"] == emulated.stats.pe_array.num_buckets > 1
            assert watched[1]["active"] == emulated.stats.supersteps["active_vertices"].tolist()
            wanted = csgraph.dijkstra(given, indices=root)
            assert watched[0].tolist() == np.where(np.isinf(wanted), -1, wanted).tolist()


def test_a_graph_stays_on_the_card(u50):
    made, worker, xclbins = u50
    matrix = gp.generate.uniform(700, 5000, seed=4).to_scipy()
    worker(keep, "stays", matrix)
    worker(search, "stays", "direction_optimizing", xclbins["direction_optimizing"])
    allocated = len(started(made)[1])
    for root in (1, 2):
        values, stats, _, _ = worker(search, "stays", "direction_optimizing", xclbins["direction_optimizing"], root)
        np.testing.assert_array_equal(values, hops(matrix, root))
        assert stats["edge_bytes_uploaded"] == 0
    assert len(started(made)[1]) == allocated


FAR = 10**9  # levels up to a limit; what is reached behind it does not send
LIMITED = {
    "scatter": "src + 1", "gather": "min(a, b)", "identity": FAR, "active": f"update < {FAR}",
    "apply": f"old != {FAR} ? old : acc > prop_t(most) ? prop_t({FAR + 1}) : acc", "is_source": f"prop < {FAR}",
    "initial": f"v == root ? 0 : {FAR}", "parameters": {"root": 0, "most": 2},
}  # fmt: skip


def custom(matrix, xclbin, root, most, **options):
    """Levels by hooks of the user's, and how they were found."""
    limited = gp.Algorithm("limited_levels", **LIMITED, idempotent=True, final_once_set=True)
    options = {"device": "fpga", "xclbin": xclbin, "fallback": False, **options}
    result = limited(matrix, root=root, most=most, method="direction_optimizing", **options)
    return result.values, told(result.stats)


def test_custom_searches_run_on_the_same_kernel(u50, compiled_snippets):
    made, worker, xclbins = u50
    matrix = gp.generate.uniform(900, 2000, seed=6).to_scipy()
    pull = xclbins["direction_optimizing"]
    root = int(np.argmax(np.diff(matrix.indptr)))
    depth = hops(matrix, root)
    assert depth.max() > 4
    answers = {}
    for most in (3, int(depth.max()) - 1):
        before = len(started(made)[0])
        values, stats = worker(custom, matrix, pull, root, most)
        # Those behind the limit are found, and found anew in every later level, but lead nowhere.
        wanted = np.where(depth < 0, FAR, np.where(depth <= most, depth, np.where(depth == most + 1, FAR + 1, FAR)))
        np.testing.assert_array_equal(values, wanted)
        answers[most] = wanted
        assert (stats["device"], stats["method"]) == ("fpga", "direction_optimizing")
        launches = started(made)[0][before:]  # the host looks at every level, and the last one has none
        assert launches == ["pull_1"] * len(launches) and most < len(launches) <= stats["num_supersteps"]
    values, stats = worker(custom, matrix, xclbins["delta_stepping"], root, 3, device="auto")
    np.testing.assert_array_equal(values, answers[3])
    assert stats["device"] == "cpu"


def test_ctrl_c_waits_for_the_launch_and_the_card_goes_on(u50, tmp_path):
    made, worker, xclbins = u50
    worker(gp.release_devices)
    check_that_ctrl_c_waits(Scene(made, xclbins["direction_optimizing"], tmp_path), method="direction_optimizing")


def listed(xclbins):
    return [
        (found.holds, found.capacity, found.usable) for found in gp.devices(xclbin=os.path.dirname(xclbins)).xclbins
    ]


def test_files_of_kernels_that_are_alone_are_listed(u50):
    _, worker, xclbins = u50
    found = worker(listed, xclbins["floats"])
    assert sorted(found) == [
        ("bfs as local_store_bfs, uint32, without weights", CAPACITY, True),
        ("bfs as pull_bfs, uint32, without weights", CAPACITY, True),
        ("sssp as delta_stepping, float32, with weights", CAPACITY, True),
        ("sssp as delta_stepping, uint32, with weights", CAPACITY, True),
    ]


def failure(*arguments, **options):
    """What a call raises, as its type and text; or what it warns of, and its answer."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            values, stats, *_ = search(*arguments, **options)
        except gp.Error as error:
            return type(error).__name__, str(error)
    return [str(each.message) for each in caught], values, stats["device"]


def test_what_is_wrong_is_one_clear_error(u50):
    _, worker, xclbins = u50
    matrix = gp.generate.kronecker(7, 5, seed=1).to_scipy()
    pull, delta = xclbins["direction_optimizing"], xclbins["delta_stepping"]
    kind, text = worker(failure, matrix, "direction_optimizing", pull, workers=4)
    assert kind == "InputError" and "workers is 4; the kernel of" in text and "has 2 PEs: omit it" in text
    kind, text = worker(failure, matrix, "direction_optimizing", pull, root=10**6)
    assert kind == "InputError"
    kind, text = worker(failure, matrix, "direction_optimizing", delta)
    assert kind == "DeviceError" and "holds sssp as delta_stepping, uint32" in text
    assert "gaspipe build --board u50 --number uint32 --config pull_bfs bfs makes one" in text
    floats = matrix.astype(np.float32)
    kind, text = worker(failure, floats, "delta_stepping", delta)
    assert kind == "DeviceError" and "--number float32 --config delta_stepping sssp makes one" in text
    large = gp.generate.chain(3 * CAPACITY).to_scipy()
    kind, text = worker(failure, large, "direction_optimizing", pull)
    assert kind == "CapacityError" and f"have room for {CAPACITY}" in text
    warned, values, device = worker(failure, matrix, "direction_optimizing", delta, fallback=True)
    assert device == "cpu" and "running on the CPU" in warned[0]
    np.testing.assert_array_equal(values, hops(matrix, 0))
    warned, values, device = worker(failure, matrix, "direction_optimizing", pull, device="auto")
    assert (warned, device) == ([], "fpga")
