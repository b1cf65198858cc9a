# SPDX-License-Identifier: Apache-2.0
"""Leaves and whole kernels as circuits against the emulator: a sample of what tests/rtl/run compares in full."""

import re
import shutil
import sys
from dataclasses import replace

import pytest

from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "rtl"))

import kernels
import launches
import measure
from leaves import leaves

import kept
from gaspipe._card.build import uram_blocks

LEAVES = {leaf.name: leaf for leaf in leaves()}
# A read and a write of memory outside, a memory of the chip, a hook in a recurrence, packed edges.
COMPARED = ["lineRead_4", "writeBack_4", "rawSolver_bfs", "gatherRows_bfs_16", "nbrPropFilter_bfs", "setWriter"]
MEASURED = ["rawSolver_bfs", "collect_8_8"]
# Cheap to build, and what the two others do not have: several units, end tokens.
SIMULATED = {"apply_bfs": ["power", "few"], "gather_scatter_pagerank_8_4": ["star", "few"]}

needs_tools = pytest.mark.needs("circuit")
RTL = REPOSITORY / "tests" / "rtl"


def keep(file, key, make):
    """What was found of the same circuit, testbench and headers (the key) by the same tools."""
    tools = [kept.tool(name) for name in ("verilator", "yosys", "c++")]
    return kept.values([file.name, key, kept.files_in(RTL), *tools], make)


@pytest.fixture(scope="module")
def table():
    return measure.read_table()


def test_rows_are_of_leaves_and_have_their_costs(table):
    assert set(table) == set(LEAVES)
    assert all({"luts", "levels", "mhz", "rtl", "emulator"} <= set(row) for row in table.values())


@needs_tools
@pytest.mark.parametrize("name", COMPARED)
def test_a_circuit_does_what_the_emulator_does(name, table, tmp_path):
    found = measure.measure(LEAVES[name], REPOSITORY, tmp_path, synthesize=False, keep=keep)
    assert measure.findings(found, table) == list(found.warnings)


@needs_tools
@pytest.mark.parametrize("name", MEASURED)
def test_a_circuit_costs_no_more_than_the_table_has(name, table, tmp_path):
    found = measure.measure(LEAVES[name], REPOSITORY, tmp_path, simulate=False, keep=keep)
    assert measure.findings(found, table) == list(found.warnings)


def plant_a_fault(folder):
    """Copy the kernels, and change a hook of BFS in the copy."""
    shutil.copytree(REPOSITORY / "hls", folder / "hls")
    header = folder / "hls" / "algorithm" / "bfs.h"
    text = header.read_text(encoding="utf-8")
    assert text.count("return update < level ? update : level") == 1
    header.write_text(text.replace("update < level ? update : level", "update < level + 2 ? update : level"), "utf-8")


@needs_tools
def test_a_fault_in_a_circuit_is_found(tmp_path):
    plant_a_fault(tmp_path)
    found = measure.measure(LEAVES["rawSolver_bfs"], tmp_path, tmp_path / "work", synthesize=False, keep=keep)
    assert found.bad > 0
    assert any("differ" in problem for problem in measure.findings(found, measure.read_table()))


@needs_tools
def test_all_leaves_become_circuits_without_a_second_use_of_a_port(tmp_path):
    source = tmp_path / "all.cpp"
    source.write_text(measure.bench.source(list(LEAVES.values())), encoding="utf-8")

    def circuits():
        found = measure.circuit.Leaves(source, REPOSITORY, tmp_path)
        return {name: [c.warnings, c.memories] for name in found.names for c in [found.circuit(name)]}

    code = kept.files_in(REPOSITORY / "hls"), kept.files_in(kept.CIRCUIT), kept.files_in(RTL)
    found = kept.values(["circuits", *code, *map(kept.tool, measure.circuit.identity().split())], circuits)
    assert set(found) == set(LEAVES)
    assert {name: warnings for name, (warnings, _) in found.items() if warnings} == {}
    # Both banks of a PE, and the project's own count for a partition of that capacity.
    _, banks = found["gatherRows_bfs_16"]
    assert len(banks) == 2
    blocks = sum(kept.memory_blocks(rows, bits, "URAM", tmp_path) for rows, bits in banks.values())
    assert blocks == uram_blocks(1 << 12, 16, "packed", 4) / 16


def test_a_worse_leaf_is_a_finding(table):
    row = table["rawSolver_bfs"]
    same = measure.Measure("rawSolver_bfs", row["luts"], row["levels"], row["mhz"], 0, row["rtl"], row["emulator"])
    assert measure.findings(same, table) == []
    slow = replace(same, mhz=row["mhz"] // 2, luts=2 * row["luts"], bad=3, rtl=2 * row["rtl"])
    assert len(measure.findings(slow, table)) == 4
    unknown = replace(same, leaf="newcomer")
    assert measure.findings(unknown, table) == ["no row in leaves.csv: tests/rtl/run --update writes it"]


def test_the_kernels_clocks_are_those_of_their_slowest_leaves(table):
    text = (REPOSITORY / "hls" / "kernel" / "clocks.h").read_text(encoding="utf-8")
    rows = re.findall(r'\{"(\w+)", (\d+), (\d+), "(\w+)"\}', text)
    assert len(rows) == 3
    for kernel, lanes, mhz, slowest in rows:
        own = [
            leaf.name
            for leaf in LEAVES.values()
            if leaf.kernel in (kernel, "apply") and leaf.lanes in (0, int(lanes)) and leaf.name in table
        ]
        assert min((table[name]["mhz"], name) for name in own) == (int(mhz), slowest)


def test_kernels_csv_has_every_launch_within_the_margin():
    rows = kernels.read_table()
    assert set(rows) == {(kernel, graph) for kernel in kernels.kernels() for graph in launches.graphs()}
    assert {k.name for k in kernels.kernels().values()} == {"gather_scatter", "packed_gather_scatter", "apply"}
    far = {at for at, row in rows.items() if abs(row["rtl"] / row["emulator"] - 1) > kernels.MOST_DIFFERENCE}
    assert far == set()


@needs_tools
@pytest.mark.parametrize("name", SIMULATED)
def test_a_whole_kernel_does_what_the_emulator_does(name, tmp_path):
    found = kernels.simulate(name, kernels.kernels()[name], tmp_path, SIMULATED[name], keep)
    table = kernels.read_table()
    assert [(run.graph, kernels.findings(run, table)) for run in found] == [(g, []) for g in SIMULATED[name]]


@needs_tools
def test_a_fault_in_a_hook_and_a_shallow_stream_of_a_whole_kernel_are_found(tmp_path):
    plant_a_fault(tmp_path)
    right = kernels.kernels(tmp_path)["apply_bfs"]
    assert right.streams["merged"].depth > 1
    (run,) = kernels.simulate("apply_bfs", replace(right, depths={"merged": 1}), tmp_path / "work", ["power"], keep)
    assert run.bad > 0 and run.wrong > 0
    assert run.difference > kernels.MOST_DIFFERENCE
    assert sum("differ" in f or "the emulator takes" in f for f in kernels.findings(run, kernels.read_table())) == 3


def test_a_stream_without_a_reader_or_a_task_of_another_form_is_refused(tmp_path):
    kernel = kernels.kernels()["apply_bfs"]
    unread = replace(kernel)
    vars(unread)["text"] = kernel.text.replace("GASPIPE_TASK(writeSums<kResults>(results, sums));", "")
    with pytest.raises(RuntimeError, match="results has not one writer and one reader"):
        unread.verilog(tmp_path)
    other = replace(kernel)
    vars(other)["text"] = kernel.text.replace("GASPIPE_TASK(writeSums<kResults>(results, sums));", "GASPIPE_TASK(x);")
    with pytest.raises(RuntimeError, match="a task of another form"):
        other.calls  # noqa: B018


def test_a_launch_that_differs_is_a_finding():
    table = kernels.read_table()
    same = kernels.Run("apply_bfs", "grid", 0, 0, **table["apply_bfs", "grid"])
    assert kernels.findings(same, table) == []
    assert len(kernels.findings(replace(same, bad=1, wrong=1, rtl=2 * same.rtl), table)) == 4
    assert kernels.findings(replace(same, rtl=-1), table) == ["the circuit came to no end"]
    assert kernels.findings(same, {}) == ["no row in kernels.csv: tests/rtl/run --update writes it"]
