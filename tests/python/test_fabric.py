# SPDX-License-Identifier: Apache-2.0
"""LUTs and BRAM of kernels: against the emulator's declarations and the leaves that were measured, and what refuses."""

import csv
import re

import pytest

import gaspipe as gp
from command import gaspipe
from conftest import REPOSITORY
from gaspipe import _core

with (REPOSITORY / "tests" / "rtl" / "leaves.csv").open(encoding="utf-8", newline="") as _text:
    LEAVES = {row["leaf"]: int(row["luts"]) for row in csv.DictReader(_text)}
# Rows of leaves.csv for the tasks of a kernel, with BFS's values of 4 bytes.
APPLY = {
    "readGathered": "burstReadLite_4", "readRange": "burstReadLite_4", "cuMerge": "cuMerge_bfs",
    "applyProcess": "applyProcess_bfs", "cuDuplicate": "cuDuplicate_4", "writeRange": "writeBackLite_4",
    "writeSums": "writeSums",
}  # fmt: skip
PLAIN = {
    "burstRead": "burstRead", "markLines": "markLines_4", "lineCommands": "lineCommands_4", "lineRead": "lineRead_4",
    "fetchSources": "fetchSources_bfs_8", "propProcess": "propProcess_bfs_8", "broadcast": "broadcast_4_8",
    "shuffleDecoder": "shuffleDecoder_4_8", "tupleFilter": "tupleFilter_4_8", "rawSolver": "rawSolver_bfs",
    "dstPropertyProcess": "dstPropertyProcess_bfs", "collect": "collect_4_8", "writeBack": "writeBack_4",
}  # fmt: skip
SUB_PARTITIONS = {
    "decodeEdges": "decodeEdges_4", "lineCommands": "lineCommandsParts_4", "fetchSources": "fetchSourcesParts_bfs_16",
    "propProcess": "propProcessParts_bfs_16", "rawSolver": "rawSolverRows_bfs_16",
}  # fmt: skip
SHUFFLED = {
    **SUB_PARTITIONS, "broadcastRows": "broadcastRows_4_16", "shuffleDecoder": "shuffleDecoderParts_4_16",
    "tupleFilter": "tupleFilterParts_4_16", "writeRows": "writeRows_4_16",
}  # fmt: skip
PACKED = {
    **SHUFFLED, "readSubPartitions": "readSubPartitions_plain", "readEdges": "readEdges",
    "lineRead": "lineReadParts_4", "gatherRows": "gatherRows_bfs_16",
}  # fmt: skip
EXCHANGE = {"readParts": "readParts_4", "sendParts": "sendParts_bfs", "writeRange": "writeBackLite_4"}
SPARSE = {
    **SHUFFLED, **EXCHANGE, "readEdgeList": "readEdgeList_plain", "lineFetch": "lineFetch_4",
    "gatherBank": "gatherBank_bfs",
}  # fmt: skip
DENSE = {
    **SUB_PARTITIONS, **EXCHANGE, "readEdgeList": "readEdgeList_plain", "lineFetch": "lineFetch_4",
    "splitLanes": "splitLanes_4", "gatherCopy": "gatherCopy_bfs", "mergeCopies": "mergeCopies_bfs",
    "writeWords": "writeWords_4",
}  # fmt: skip
# Of a plain compute unit, of apply after four of them, for BFS: tests/cpp/predict/fabric_test.cpp adds them up.
UNIT_LUTS, UNIT_BRAM, APPLY_LUTS, APPLY_BRAM = 67_193, 34, 10_372, 64
ALL_LUTS, ALL_BRAM = 4 * UNIT_LUTS + APPLY_LUTS, 4 * UNIT_BRAM + APPLY_BRAM


@pytest.fixture(scope="module")
def graph():
    return gp.generate.kronecker(9, 8, seed=2, symmetric=False)


def luts_of(tasks, streams, rows):
    """LUTs of a kernel: its tasks' leaves, and of FIFOs that are shift registers one per bit, or per two."""
    names = [re.sub(r"[\[(].*", "", task["name"]) for task in tasks if any(task[k] for k in task if k != "name")]
    shallow = [s for s in streams if s["tokens"] and s["depth"] <= 32]
    fifos = sum((4 if s["depth"] <= 16 else 8) * int(s["token_bytes"]) for s in shallow)
    return sum(LEAVES[rows[name]] for name in names) + fifos


def test_the_core_has_the_luts_of_the_measured_leaves():
    text = (REPOSITORY / "cpp" / "src" / "predict" / "leaf_luts.h").read_text(encoding="utf-8")
    rows = dict(re.findall(r'\{"(\w+)", (\d+)\}', text))
    assert len(rows) > 80
    assert {leaf: LEAVES[leaf] for leaf in rows} == {leaf: int(luts) for leaf, luts in rows.items()}


@pytest.mark.parametrize(("config", "rows"), [("plain", PLAIN), ("packed", PACKED)])
def test_an_estimate_is_that_of_the_streams_and_tasks_that_ran(config, rows, graph):
    p = gp.predict("bfs", graph, board="u250", config=config).stats.prediction
    unit = luts_of(p._tasks, p.streams, rows)
    apply = luts_of(p._apply_tasks, p.apply_streams, APPLY)
    assert p.resources["luts"] == 4 * unit + apply
    assert p.resources["luts_available"] == 1_380_000
    if config == "plain":
        assert (unit, apply) == (UNIT_LUTS, APPLY_LUTS)


@pytest.mark.parametrize(
    ("config", "kernel", "apply", "lanes", "pes"),
    [
        ("plain", "gather_scatter", "apply", 8, 8),
        ("packed", "packed_gather_scatter", "apply", 16, 16),
        ("thundergp", "thundergp", "thundergp", 8, 16),
    ],
)
@pytest.mark.parametrize(
    ("algorithm", "aux", "weighted"), [("bfs", 0, False), ("pagerank", 2, False), ("sssp", 0, True)]
)
def test_blocks_without_a_run_are_those_that_the_emulator_counts(
    config, kernel, apply, lanes, pes, algorithm, aux, weighted, graph
):
    how = {"number": "fixed", "max_iter": 1, "tol": 0} if algorithm == "pagerank" else {}
    if weighted:
        graph = gp.generate.kronecker(9, 8, seed=2, symmetric=False, weights=(1, 9))
    p = gp.predict(algorithm, graph, board="u250", config=config, **how).stats.prediction
    _, unit = _core.kernel_fabric(kernel, lanes, pes, 4, weighted, False)
    _, of_apply = _core.apply_fabric(apply, 4, 4, False, aux)
    assert p.resources["bram"] == 4 * unit + of_apply


STREAM = re.compile(r"GASPIPE_STREAM(S?)\((\w+), (\w+), ([^;]*)\);")
TASK = re.compile(r"GASPIPE_TASK(_I)?\((?:pe|lane)?,?\s*(\w+)")
# Bytes of a token with values of 4 bytes, as a compiler lays it out.
BYTES = {
    "SubPartitionToken": 24, "Ids": 68, "MarkedSources": 80, "SourcePlaces": 16, "LineRun": 12, "Line": 64,
    "Sources": 68, "Updates": 136, "Listed": 144, "Single": 12, "Solved": 24, "Row": 8, "Group": 32, "Words": 64,
    "PartToken": 12,
}  # fmt: skip
DEPTHS = {
    "kSubPartitionDepth": 4, "kMemoryDepth": 128, "kLinkDepth": 16, "2 * kSourcesAhead": 256, "kApplyLinkDepth": 16,
}  # fmt: skip


@pytest.mark.parametrize(("kernel", "rows"), [("sparse_gather_scatter", SPARSE), ("dense_gather_scatter", DENSE)])
def test_pipelines_for_hbm_have_what_their_regions_declare(kernel, rows):
    """Without weights: streams and tasks by the text of the regions, 16 of what comes once per lane or PE."""
    region = ""
    for name in (kernel, "exchange_parts"):
        text = (REPOSITORY / "hls" / "kernel" / f"{name}.h").read_text(encoding="utf-8")
        text = text[text.index("GASPIPE_DATAFLOW;") :]
        region += re.sub(r"if \(weighted\) \{.*?\} else ", "", text, flags=re.DOTALL)
    luts = bram = 0
    for many, token, name, arguments in STREAM.findall(region):
        if "weight" in name or name == "group_runs":
            continue
        number, depth = (16, arguments.split(", ")[1]) if many else (1, arguments.split(", ")[0])
        if DEPTHS[depth] <= 32:
            luts += number * (4 if DEPTHS[depth] <= 16 else 8) * BYTES[token]
        else:
            bram += number * -(-8 * BYTES[token] // 72)
    for many, task in TASK.findall(region):
        luts += (16 if many else 1) * LEAVES[rows[task]]
    assert _core.kernel_fabric(kernel, 16, 16, 4, False, False) == (luts, bram)


def board(**region):
    return gp.Board("u250", name="mine", slrs=[{"uram": 4096, "bram": 9999, "luts": 9_999_999, **region}])


@pytest.mark.parametrize(("what", "enough"), [("luts", ALL_LUTS), ("bram", ALL_BRAM)])
def test_a_prediction_refuses_what_a_region_lacks(what, enough, graph):
    p = gp.predict("bfs", graph, board=board(**{what: enough})).stats.prediction
    assert (p.resources["luts"], p.resources["bram"]) == (ALL_LUTS, ALL_BRAM)
    assert p.resources[f"{what}_available"] == enough
    said = (
        rf'configuration "plain" takes {UNIT_BRAM} blocks of BRAM and about {UNIT_LUTS} LUTs, apply {APPLY_BRAM} '
        rf"blocks of BRAM and about {APPLY_LUTS} LUTs, each in one region; 4 units are asked for, and mine has room "
        r"for 4 without apply; its regions .* use fewer units"
    )
    with pytest.raises(gp.CapacityError, match=said):
        gp.predict("bfs", graph, board=board(**{what: enough - 1}))


def test_what_is_not_estimated_or_not_known_is_not_refused(graph):
    p = gp.predict("pagerank", graph, board=board(luts=1), number="float32", max_iter=1, tol=0).stats.prediction
    assert (p.resources["luts"], p.resources["luts_available"]) == (0, 1)
    assert "LUTs not estimated" in str(p)
    p = gp.predict("bfs", graph, board=board(luts=0)).stats.prediction
    assert (p.resources["luts"], p.resources["luts_available"]) == (ALL_LUTS, 0)
    assert f"about {ALL_LUTS:,} LUTs" in str(p)
    assert gp.predict("bfs", graph, board="u250", config="thundergp").stats.prediction.resources["luts"] == 0


def test_the_command_shows_the_estimate(tmp_path):
    gp.generate.kronecker(6, 4, seed=1).to_file(tmp_path / "small.txt")
    said = gaspipe("predict", "bfs", tmp_path / "small.txt", "--config", "plain").stdout
    assert f"{ALL_LUTS:,} of 1,380,000" in said
