# SPDX-License-Identifier: Apache-2.0
"""Accelerators of GraphOps' blocks with `device="fpga"`, through the real XRT: one kernel, and the host's part."""

import concurrent.futures
import os
import warnings

import card
import networkx as nx
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
from searches import hops

pytestmark = pytest.mark.needs("driver")

NUMBERS = {"bfs": "uint32", "sssp": "uint32", "pagerank": "fixed", "spmv": "float32"}
OF_CPU = ("conductance", "vertex_cover")
GRAPHS = sorted(set(zoo.ZOO) - zoo.LARGE - {"long_chain"})


@pytest.fixture(scope="module")
def u250(xrt, tmp_path_factory):
    """Card, its process, and xclbins by algorithm."""
    with card.EmulatedCard(tmp_path_factory.mktemp("blocks"), "u250", bank_bytes=4 << 20) as made:

        def build(algorithm):
            return str(made.add(algorithm, NUMBERS.get(algorithm), config=f"graphops_{algorithm}"))

        names = [*NUMBERS, *OF_CPU]
        with concurrent.futures.ThreadPoolExecutor(2) as builders:
            xclbins = dict(zip(names, builders.map(build, names)))
        worker = card_process.Worker(made, GASPIPE_CARD_TRACE=made.folder / "trace")
        yield made, worker, xclbins
        worker.close()
        card_process.wait_until(lambda: made.processes() == [])


def ask(algorithm, graph, xclbin, arguments=None, **options):
    """Ask a card: the fields of the answer, and of its stats what travels."""
    graph = Session.graphs[graph] if isinstance(graph, str) else graph
    options = {"device": "fpga", "design": "graphops", "fallback": False, "xclbin": xclbin, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gp.NotConvergedWarning)
        result = getattr(gp, algorithm)(graph, **(arguments or {}), **options)
    stats = told(result.stats)
    stats["active"] = result.stats.supersteps["active_vertices"].tolist()
    if result.stats.blocks is not None:
        stats["ports"] = {port["name"]: port["beats"] for port in result.stats.blocks.ports}
        stats["kernel"] = result.stats.blocks.kernel
    fields = {name: getattr(result, name) for name in ("cut", "size", "member") if hasattr(result, name)}
    return result.values, stats, fields


def launches(made):
    """Starts of units so far."""
    return [line.split()[1] for line in card_process.traced(made.folder / "trace") if line.startswith("start")]


def matrices(algorithm):
    """The zoo's graphs that an algorithm takes, as matrices."""
    for name in GRAPHS:
        matrix = references.matrix(name)
        if not references.refuses(algorithm, matrix) and matrix.shape[0] > 0:
            yield name, matrix


def test_searches_agree_with_scipy(u250):
    made, worker, xclbins = u250
    for name, matrix in matrices("bfs"):
        before = len(launches(made))
        values, stats, _ = worker(ask, "bfs", matrix, xclbins["bfs"], {"root": 0})
        wanted = hops(matrix, 0)
        np.testing.assert_array_equal(values, wanted, err_msg=name)
        assert (stats["device"], stats["board"], stats["kernel"]) == ("fpga", "u250", "graphops_bfs")
        assert stats["library"] == f"XRT {card.xrt_version()}"
        assert stats["active"][: wanted.max() + 1] == [int((wanted == d).sum()) for d in range(wanted.max() + 1)], name
        assert launches(made)[before:] == ["gobfs_1"] * stats["num_supersteps"], name


def test_shortest_paths_agree_with_scipy(u250):
    _, worker, xclbins = u250
    rng, checked = np.random.default_rng(5), 0
    for name, matrix in matrices("sssp"):
        lengths = rng.integers(1, 300, matrix.nnz).astype(np.int32)
        given = sp.csr_array((lengths, matrix.indices, matrix.indptr), matrix.shape, copy=True)
        given.sum_duplicates()  # as SciPy does
        values, _, _ = worker(ask, "sssp", given, xclbins["sssp"], {"root": 0})
        wanted = csgraph.dijkstra(given.astype(np.float64), indices=0)  # integers: exact
        np.testing.assert_array_equal(values, np.where(np.isinf(wanted), -1, wanted), err_msg=name)
        checked += 1
    assert checked > 10


def test_gathers_agree_with_scipy_and_give_the_emulators_bits(u250):
    _, worker, xclbins = u250
    rng = np.random.default_rng(6)
    emulated = {"device": "emulator", "design": "graphops"}
    for name, matrix in matrices("spmv"):
        given = sp.csr_array((rng.random(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape).astype(np.float32)
        x = rng.random(given.shape[1]).astype(np.float32)
        values, stats, _ = worker(ask, "spmv", given, xclbins["spmv"], {"x": x})
        np.testing.assert_allclose(values, given @ x, rtol=1e-4, atol=1e-6, err_msg=name)
        assert values.tobytes() == gp.spmv(given, x, number="float32", **emulated).values.tobytes(), name
        assert stats["num_supersteps"] == 1
        if given.nnz > 0:
            assert all(stats["ports"][port] > 0 for port in ("offsets", "replicas", "weights", "updated")), name
    for name, matrix in matrices("pagerank"):
        arguments = {"max_iter": 12, "tol": 0}
        values, _, _ = worker(ask, "pagerank", matrix, xclbins["pagerank"], arguments)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gp.NotConvergedWarning)
            same = gp.pagerank(matrix, number="fixed", **arguments, **emulated).values
            near = gp.pagerank(matrix, **arguments).values
        assert values.tobytes() == same.tobytes(), name
        np.testing.assert_allclose(values, near, atol=1e-6, err_msg=name)


def test_algorithms_of_the_cpu_agree_with_networkx(u250):
    made, worker, xclbins = u250
    for name, matrix in matrices("conductance"):
        if matrix.shape[0] > 300:  # a cover takes an edge a launch
            continue
        graph = nx.from_scipy_sparse_array(matrix, create_using=nx.DiGraph)
        members = list(range(matrix.shape[0] // 3 + 1))
        _, stats, found = worker(ask, "conductance", matrix, xclbins["conductance"], {"members": members})
        stored = sp.coo_array(matrix)  # with parallel edges, of which NetworkX has one
        inside = np.isin(np.arange(matrix.shape[0]), members)
        assert found["cut"] == int((inside[stored.row] & ~inside[stored.col]).sum()), name
        assert (stats["device"], stats["kernel"]) == ("fpga", "graphops_conductance")
        before = len(launches(made))
        _, stats, found = worker(ask, "vertex_cover", matrix, xclbins["vertex_cover"])
        member = found["member"]
        assert all(member[u] or member[v] for u, v in graph.edges), name
        np.testing.assert_array_equal(member, gp.vertex_cover(matrix).member, err_msg=name)
        assert launches(made)[before:] == ["gocover_1"] * stats["num_supersteps"]


def test_rows_stay_on_the_card(u250):
    _, worker, xclbins = u250
    matrix = gp.generate.uniform(700, 5000, seed=4).to_scipy()
    worker(keep, "stays", matrix)
    _, stats, _ = worker(ask, "bfs", "stays", xclbins["bfs"], {"root": 0})
    assert stats["edge_bytes_uploaded"] > 4 * matrix.nnz
    for root in (1, 2):
        values, stats, _ = worker(ask, "bfs", "stays", xclbins["bfs"], {"root": root})
        np.testing.assert_array_equal(values, hops(matrix, root))
        assert stats["edge_bytes_uploaded"] == 0


def test_ctrl_c_waits_for_the_launch_and_the_card_goes_on(u250, tmp_path):
    made, worker, xclbins = u250
    worker(gp.release_devices)
    check_that_ctrl_c_waits(Scene(made, xclbins["bfs"], tmp_path), design="graphops")


def listed(xclbins):
    return [(found.holds, found.usable) for found in gp.devices(xclbin=os.path.dirname(xclbins)).xclbins]


def test_files_are_listed(u250):
    _, worker, xclbins = u250
    found = worker(listed, xclbins["bfs"])
    assert sorted(found) == [
        ("bfs as graphops_bfs, uint32, without weights", True),
        ("conductance as graphops_conductance, uint32, without weights", True),
        ("pagerank as graphops_pagerank, fixed, without weights", True),
        ("spmv as graphops_spmv, float32, with weights", True),
        ("sssp as graphops_sssp, uint32, with weights", True),
        ("vertex_cover as graphops_vertex_cover, uint64, without weights", True),
    ]


def failure(*arguments, **options):
    """What a call raises, as its type and text; or what it warns of, and its answer."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            values, stats, _ = ask(*arguments, **options)
        except gp.Error as error:
            return type(error).__name__, str(error)
    return [str(each.message) for each in caught], values, stats["device"]


def test_what_is_wrong_is_one_clear_error(u250):
    _, worker, xclbins = u250
    matrix, root = gp.generate.kronecker(7, 5, seed=1).to_scipy(), {"root": 0}
    kind, text = worker(failure, "wcc", matrix, xclbins["bfs"])
    assert kind == "InputError" and "which has no accelerator for wcc; bfs, conductance, pagerank" in text
    kind, text = worker(failure, "bfs", matrix, xclbins["bfs"], {"root": 10**6})
    assert kind == "InputError"
    kind, text = worker(failure, "bfs", matrix, xclbins["bfs"], root, scheduler="longest_first")
    assert kind == "InputError" and "has one kernel: omit it" in text
    kind, text = worker(failure, "bfs", matrix, None, root, device="cpu")
    assert kind == "InputError" and 'use device="emulator", "emulator:u250" or "fpga"' in text
    kind, text = worker(failure, "bfs", matrix, xclbins["sssp"], root)
    assert kind == "DeviceError" and "holds sssp as graphops_sssp, uint32" in text
    assert "gaspipe build --board u250 --number uint32 --config graphops_bfs bfs makes one" in text
    kind, text = worker(failure, "bfs", matrix, xclbins["bfs"], root, design="gas")
    assert kind == "DeviceError" and "holds bfs as graphops_bfs" in text
    kind, text = worker(failure, "conductance", matrix, xclbins["bfs"], {"members": [0, 1]})
    assert kind == "DeviceError" and "--config graphops_conductance conductance makes one" in text
    large = gp.generate.uniform(60_000, 900_000, seed=1)
    kind, text = worker(failure, "bfs", large, xclbins["bfs"], root)
    assert kind == "CapacityError" and "has room for about" in text
    warned, values, device = worker(failure, "bfs", matrix, xclbins["sssp"], root, fallback=True)
    assert device == "cpu" and "running on the CPU" in warned[0]
    np.testing.assert_array_equal(values, hops(matrix, 0))
    warned, values, device = worker(failure, "vertex_cover", matrix, xclbins["sssp"], fallback=True)
    assert device == "cpu" and "running on the CPU" in warned[0]
    for algorithm, arguments in (("bfs", root), ("vertex_cover", {})):
        warned, _, device = worker(failure, algorithm, matrix, xclbins[algorithm], arguments, device="auto")
        assert (warned, device) == ([], "fpga")
