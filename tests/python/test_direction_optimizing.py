# SPDX-License-Identifier: Apache-2.0
"""Searches by an array of PEs that push or pull: answers in the emulator, what is predicted, what a build writes."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import gaspipe as gp
import references
import zoo
from command import environment
from conftest import REPOSITORY
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels
from searches import check_tree, hops
from test_kernels import both_compilers, check_syntax, parse_link
from test_region import check_ends, lines_of

INCLUDE = gp.get_include()
CONFIG = "pull_bfs"
SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)


def search(graph, root=0, device="emulator:u280", **options):
    return gp.bfs(graph, root, method="direction_optimizing", device=device, **options)


@pytest.mark.parametrize("name", SMALL)
def test_levels_and_parents_are_those_of_scipy(name):
    matrix = references.matrix(name)
    root = matrix.shape[0] // 2
    wanted = hops(matrix, root)
    for workers in (2, 8):
        found = [search(matrix, root, workers=workers, execution=how) for how in ("exact", "fast")]
        for result in found:
            np.testing.assert_array_equal(result.depth, wanted)
            np.testing.assert_array_equal(result.stats.pe_array.parent, found[0].stats.pe_array.parent)
        check_tree(matrix, root, wanted, found[0].stats.pe_array.parent)
    np.testing.assert_array_equal(
        search(matrix, root, workers=4, parents=True).parent, gp.bfs(matrix, root, parents=True).parent
    )


@pytest.mark.parametrize("symmetric", [True, False])
def test_levels_with_many_edges_are_pulled(symmetric):
    graph = gp.generate.kronecker(13, seed=3, symmetric=symmetric)
    root = int(np.flatnonzero(np.diff(graph.indptr) == 2)[0])
    wanted = hops(graph.to_scipy(), root)
    pushed = gp.bfs(graph, root, method="local_store", device="emulator:u280")
    result = search(graph, root)
    stats, profile, prediction = result.stats, result.stats.pe_array, result.stats.prediction
    np.testing.assert_array_equal(result.depth, wanted)
    check_tree(graph.to_scipy(), root, wanted, profile.parent)
    assert profile.level_pulled.dtype == bool
    assert profile.level_pulled.shape == (stats.num_supersteps,)
    assert profile.level_pulled.any()
    assert not profile.level_pulled[0]
    assert profile.edges == pushed.stats.pe_array.edges == np.diff(graph.indptr)[wanted >= 0].sum()
    assert stats.edges_streamed < profile.edges / 4
    assert profile.kernel_cycles < pushed.stats.pe_array.kernel_cycles / 3
    assert (stats.method, stats.execution, stats.board, prediction.config) == (
        "direction_optimizing", "exact", "u280", "direction_optimizing",
    )  # fmt: skip
    around = prediction.launch_seconds + prediction.step_overhead_seconds
    assert stats.predicted_seconds == pytest.approx(profile.kernel_seconds + around)  # one launch
    # For both ways the marks of a PE's vertices, and twice the frontier of all.
    frontier = 8 * profile.capacity // (4096 * 64)
    assert prediction.resources["uram"] == 8 * (2 * max(8, profile.capacity // (4096 * 64)) + 2 * frontier)
    assert prediction.resources["uram"] < prediction.resources["uram_available"]
    names = {re.split(r"[(\[]", name)[0] for name in prediction.task_names}
    assert {"dispatchLists", "lookUp", "joinAnswers"} < names
    assert json.dumps(prediction.to_dict())


def test_a_long_chain_is_pushed():
    result = search(gp.generate.chain(300), execution="fast")
    assert result.depth.tolist() == list(range(300))
    assert not result.stats.pe_array.level_pulled.any()
    assert result.stats.pe_array.parent[299] == 298


def test_lists_are_made_again_for_the_other_method():
    graph = gp.generate.kronecker(8)
    for method in ("direction_optimizing", "local_store", "direction_optimizing"):
        result = gp.bfs(graph, 3, method=method, device="emulator")
        np.testing.assert_array_equal(result.depth, gp.bfs(graph, 3).depth)
        assert result.stats.method == method


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"device": "cpu"}, 'runs in the emulator .*on the CPU method="auto" pushes or pulls as well'),
        ({"workers": 3}, 'workers is 3; with device="emulator:u280" method="direction_optimizing" is a kernel of 2, 4'),
        ({"trace": True}, 'trace is True; method="direction_optimizing"'),
        ({"domains": 2}, "has workers, not domains"),
        ({"execution": "quick"}, 'execution is "quick"; allowed are "auto", "fast", "exact" and "shallow"'),
        ({"root": 20}, "root"),
    ],
)
def test_bad_input_is_told(options, says):
    with pytest.raises(gp.InputError, match=says):
        search(gp.generate.chain(20), **options)
    with pytest.raises(gp.InputError, match='"direction_optimizing" is for bfs and custom algorithms'):
        gp.wcc(gp.generate.chain(20), method="direction_optimizing", device="emulator")


def test_a_graph_whose_frontier_the_board_does_not_hold_is_refused():
    large = gp.Graph((np.array([0]), np.array([1 << 23])))
    with pytest.raises(gp.CapacityError, match=r"would own 1049088 vertices, .* room for bitmaps of 1048576 in each"):
        search(large)
    assert search(large, device="emulator:u250", execution="fast").depth[-1] == 1


# What `gaspipe build` makes of it: a kernel with both regions.


def plan(board="u250", **asked):
    return _build.plan(INCLUDE, "bfs", board, config=CONFIG, **asked)


@both_compilers
def test_compilers_accept_every_rendered_top(compiler, tmp_path):
    paths = []
    for units in (2, 4, 8):
        paths.append(tmp_path / f"{units}.cpp")
        paths[-1].write_text(_build.files(INCLUDE, plan(units=units))[f"{CONFIG}.cpp"])
    done = check_syntax(paths, compiler)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("units", [2, 4, 8])
def test_both_regions_are_declarations_pragmas_and_calls(units):
    design = plan(units=units).design
    text = _kernels.render_kernel(INCLUDE, CONFIG, design, "kernel_of_test")
    ports = [port.name for port in _kernels.ports(INCLUDE, CONFIG, design)]
    memory = [port.name for port in _kernels.ports(INCLUDE, CONFIG, design) if port.kind != "scalar"]
    taken = []
    for region in ("push_level", "pull_level"):
        own = re.search(rf"^void {region}\((.*?)\) {{\n(.*?)\n}}\n", text, re.MULTILINE | re.DOTALL)
        streams, arguments = lines_of(f'extern "C" void kernel_of_test({own[1]}) {{\n{own[2]}\n}}\n')
        check_ends(streams, ports, arguments, units)
        taken += [name for name in memory if name in arguments]
        assert max(arguments.count(name) for name in memory) == 1
        if region == "pull_level":
            assert (streams["joined"], streams["spread"]) == (units - 1, units)
    assert set(taken) == set(memory)


@pytest.mark.parametrize(("board", "units"), [("u250", 4), ("u280", 8)])
def test_a_build_has_as_many_pes_as_banks_and_the_emulators_room(board, units):
    made = plan(board)
    assert made.design.units == units
    texts = _build.files(INCLUDE, made)
    assert parse_link(texts["link.cfg"])["nk"] == {made.names[CONFIG]: "1:pull_1"}
    arguments = json.loads(texts["manifest.json"])["kernels"][CONFIG]["compute_units"][0]["arguments"]
    scalars = ["num_state_words", "level", "num_groups", "num_levels", "num_list_words", "num_headed"]
    assert [row["name"] for row in arguments if row["kind"] == "scalar"] == scalars
    # A PE's lists, heads and rows are read through the same two AXI ports.
    assert len({row["bundle"] for row in arguments if row["kind"] != "scalar"}) == 3 * units
    profile = search(gp.generate.chain(9), device=f"emulator:{board}", workers=units).stats.pe_array
    assert made.design.capacity == profile.capacity
    blocks = max(1, profile.capacity // (4096 * 512)), max(1, units * profile.capacity // (4096 * 512))
    assert made.uram == units * 16 * sum(blocks)


def test_the_benchmark_predicts_and_checks_a_search():
    script = REPOSITORY / "benchmarks" / "direction_optimizing.py"
    command = [sys.executable, script, "--scale", 10, "--pes", 2, "--board", "u250"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith("| Kronecker 10"))
    levels, pulled = row.split("|")[4:6]
    assert 1 <= int(pulled) < int(levels)
    command = [sys.executable, script, "--scale", 10, "--pes", 8, "--custom"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith("| Kronecker 10"))
    assert all(float(cell) > 0 for cell in row.split("|")[5:10])
