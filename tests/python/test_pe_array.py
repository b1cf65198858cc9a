# SPDX-License-Identifier: Apache-2.0
"""Cell's search as a kernel, an array of PEs: its answers in the emulator, what it predicts, what a build writes."""

import json
import re
import sys

import numpy as np
import pytest

import gaspipe as gp
import references
import zoo
from conftest import REPOSITORY
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels
from searches import check_tree, hops
from test_kernels import both_compilers, check_syntax, parse_link, pragmas, signature
from test_region import LIBRARY, check_ends, lines_of

sys.path.insert(0, str(REPOSITORY / "tests" / "hls"))
import lint

INCLUDE = gp.get_include()
CONFIG = "local_store_bfs"
PES = _kernels.kernels_alone(INCLUDE)[CONFIG].units
SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)


def search(graph, root=0, device="emulator:u250", **options):
    return gp.bfs(graph, root, method="local_store", device=device, **options)


# CEL-18
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("workers", PES)
def test_levels_and_parents_are_those_of_scipy(name, workers):
    matrix = references.matrix(name)
    root = matrix.shape[0] // 2
    wanted = hops(matrix, root)
    found = [search(matrix, root, workers=workers, execution=how) for how in ("exact", "shallow", "fast")]
    for result in found:
        assert result.depth.dtype == np.int32
        np.testing.assert_array_equal(result.depth, wanted)
        np.testing.assert_array_equal(result.stats.pe_array.parent, found[0].stats.pe_array.parent)
    check_tree(matrix, root, wanted, found[0].stats.pe_array.parent)
    smallest = search(matrix, root, workers=workers, parents=True)
    np.testing.assert_array_equal(smallest.parent, gp.bfs(matrix, root, parents=True).parent)


@pytest.mark.parametrize("workers", PES)
def test_kronecker_graphs_too(workers):
    graph = gp.generate.kronecker(10, seed=3)
    for root in (0, 77):
        result = search(graph, root, workers=workers, device="emulator:u280")
        np.testing.assert_array_equal(result.depth, gp.bfs(graph, root).depth)


def test_a_run_tells_what_the_board_would_take():
    graph = gp.generate.uniform(4000, 100_000, seed=2)
    steps = []
    runs = {
        (board, workers): search(
            graph, device=f"emulator:{board}", workers=workers, progress=lambda *step: steps.append(step)
        ).stats
        for board in ("u250", "u280")
        for workers in PES
    }
    reached = int(np.diff(graph.indptr)[gp.bfs(graph).depth >= 0].sum())
    for (board, workers), stats in runs.items():
        profile, prediction = stats.pe_array, stats.prediction
        assert (stats.device, stats.method, stats.board) == ("emulator", "local_store", board)
        assert stats.edges_skipped == 0  # it looks at the edges of vertices it reaches, and passes none over
        assert (stats.execution, stats.number, prediction.config) == ("exact", "uint32", "local_store")
        assert (profile.workers, prediction.num_units) == (workers, workers)
        assert profile.edges == stats.edges_streamed == reached
        assert profile.kernel_cycles >= reached / workers  # a code per PE and cycle
        assert profile.kernel_seconds == profile.kernel_cycles / (stats.clock_mhz * 1e6)
        assert profile.edges_per_second == pytest.approx(reached / profile.kernel_seconds)
        around = prediction.launch_seconds + prediction.step_overhead_seconds
        wanted = profile.kernel_seconds + stats.num_supersteps * around
        assert stats.predicted_seconds == pytest.approx(wanted)
        assert prediction.pe_updates.sum() == reached
        assert prediction.resources["uram"] == workers * profile.capacity // (4096 * 64)
        assert prediction.limiting_stage
        assert "edges_per_second" in repr(profile)
        assert json.dumps(prediction.to_dict())
        # Codes of 8 bytes, a header for every list, and the queues.
        assert prediction.bytes_per_edge > 8
    rates = [runs["u250", workers].pe_array.edges_per_second for workers in PES]
    assert rates == sorted(rates)
    assert len(steps) == sum(stats.num_supersteps for stats in runs.values())
    fast = search(graph, execution="fast").stats
    assert fast.prediction is None
    assert np.isnan(fast.pe_array.kernel_seconds)
    assert "cycles" not in repr(fast.pe_array)


def test_by_default_every_pe_has_a_bank():
    graph = gp.generate.chain(20)
    assert search(graph).stats.pe_array.workers == 4
    assert search(graph, device="emulator:u280").stats.pe_array.workers == 8
    result = search(graph, device="emulator")
    assert (result.stats.execution, result.stats.board) == ("fast", "u250")
    assert search(graph, workers=2).stats.pe_array.workers == 2  # split again
    graph.clear_cache()
    assert search(graph, workers=2).depth.tolist() == list(range(20))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"workers": 3}, 'workers is 3; with device="emulator:u250" method="local_store" is a kernel of 2, 4 or 8'),
        ({"workers": 16}, "workers is 16"),
        ({"workers": 1}, "2, 4 or 8 PEs"),
        ({"local_store_bytes": 4096}, "has the stores of the kernel: omit it"),
        ({"hide_latency": False}, "hide_latency is False"),
        ({"trace": True}, "trace is True"),
        ({"scheduler": "longest_first"}, "has one kernel: omit it"),
        ({"checkpoint": "folder"}, "checkpoint is given"),
        ({"resume": "folder"}, "cannot go on from one: omit it"),
        ({"config": "packed"}, 'config is "packed"'),
        ({"design": "graphops"}, 'design is "graphops"'),
        ({"skip_idle": False}, "has no edges to pass over"),
        ({"device": "emulator:u9"}, 'there is no board "u9"'),
        ({"root": 20}, "root"),
    ],
)
def test_bad_input_is_told(options, says):
    with pytest.raises(gp.InputError) as raised:
        search(gp.generate.chain(20), **options)
    assert says in str(raised.value)


def test_other_algorithms_have_no_such_method():
    for call in (gp.wcc, gp.pagerank):
        with pytest.raises(gp.InputError, match='"local_store" is for bfs alone'):
            call(gp.generate.chain(20), method="local_store", device="emulator:u250")


def test_a_graph_that_the_board_does_not_hold_is_refused():
    large = gp.Graph((np.array([0]), np.array([(1 << 23) - 1])))
    with pytest.raises(gp.CapacityError) as raised:
        search(large, device="emulator:u50", workers=2)
    says = r"take 269484160 bytes of u50's memory, and 268435456 are there.*use more workers"
    assert re.search(says, str(raised.value))
    assert search(large, device="emulator:u50", workers=4, execution="fast").depth[-1] == 1


# What `gaspipe build` makes of it.


def plan(board="u250", **asked):
    return _build.plan(INCLUDE, "bfs", board, config=CONFIG, **asked)


@both_compilers
def test_compilers_accept_every_rendered_top(compiler, tmp_path):
    paths = []
    for units in PES:
        paths.append(tmp_path / f"{units}.cpp")
        paths[-1].write_text(_build.files(INCLUDE, plan(units=units))[f"{CONFIG}.cpp"])
    done = check_syntax(paths, compiler)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("units", PES)
def test_tops_are_declarations_pragmas_and_calls(units):
    made = plan(units=units).design
    text = _kernels.render_kernel(INCLUDE, CONFIG, made, "kernel_of_test")
    assert lint.faults(text, library=LIBRARY) == set()
    ports = _kernels.ports(INCLUDE, CONFIG, made)
    assert [(port.name, port.kind, port.type) for port in ports] == signature(text)
    streams, arguments = lines_of(text)
    assert streams["wires"] == units**2
    check_ends(streams, [port.name for port in ports], arguments, units)
    # Each memory port is in one task; of an AXI port one task reads and one writes.
    memory = [port for port in ports if port.kind != "scalar"]
    assert [arguments.count(port.name) for port in memory] == [1] * len(memory)
    assert len({(port.bundle, port.kind) for port in memory}) == len(memory)
    assert {values["bundle"] for (mode, _), values in pragmas(text).items() if mode == "m_axi"} == {
        port.bundle for port in memory
    }


@pytest.mark.parametrize("board", ["u250", "u280"])
@pytest.mark.parametrize("units", PES)
def test_links_give_every_pe_a_bank(board, units):
    made = plan(board, units=units)
    texts = _build.files(INCLUDE, made)
    linked = parse_link(texts["link.cfg"])
    assert linked["nk"] == {made.names[CONFIG]: "1:cell_1"}
    assert not linked["slr"]  # v++ places the PEs
    banks = [{linked["sp"][f"cell_1.{port}_{pe}"] for port in ("queue", "next_queue")} for pe in range(units)]
    assert all(len(own) == 1 for own in banks)
    assert len(set().union(*banks)) == min(units, 4 if board == "u250" else 8)
    for pe in range(units):
        assert linked["sp"][f"cell_1.lists_even_{pe}"] == linked["sp"][f"cell_1.lists_odd_{pe}"]
    if board == "u250":
        assert linked["sp"][f"cell_1.lists_even_{units - 1}"] in banks[units - 1]
    manifest = json.loads(texts["manifest.json"])
    assert (manifest["config"], manifest["units"]) == (CONFIG, units)
    assert set(manifest["kernels"]) == {CONFIG}
    headers = {name for name in texts if name.startswith("include/hls/local_store/")}
    assert len(headers) == 7
    # The emulator has the same room for bitmaps.
    profile = search(gp.generate.chain(9), device=f"emulator:{board}", workers=units).stats.pe_array
    assert made.design.capacity == profile.capacity


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"units": 3}, gp.InputError, "3 units; config 'local_store_bfs' has 2, 4, 8"),
        ({"lanes": 8}, gp.InputError, "lanes is 8"),
        ({"pes": 8}, gp.InputError, "pes is 8"),
        ({"units": 8, "capacity": 1 << 25}, gp.CapacityError, "need 1024 URAM blocks"),
    ],
)
def test_builds_that_cannot_be_are_refused(asked, error, says):
    with pytest.raises(error, match=re.escape(says)):
        plan(**asked)


def test_only_searches_have_such_a_kernel():
    with pytest.raises(gp.InputError, match="is a kernel of bfs; wcc has none like it"):
        _build.plan(INCLUDE, "wcc", "u250", config=CONFIG)
    with pytest.raises(gp.InputError, match=r"allowed are plain, packed, hbm, delta_stepping, .*, local_store_bfs"):
        _build.plan(INCLUDE, "bfs", "u250", config="local_store")
