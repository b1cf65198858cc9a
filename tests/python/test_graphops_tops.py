# SPDX-License-Identifier: Apache-2.0
"""The accelerators of GraphOps' blocks as Vitis gets them: rendered, compiled, held against their ports."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import gaspipe as gp
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels
from test_kernels import both_compilers, check_syntax, parse_link, pragmas, signature

INCLUDE = gp.get_include()
KERNELS = {
    "graphops_bfs": ("bfs", ["uint32"]),
    "graphops_conductance": ("any", ["uint32"]),
    "graphops_pagerank": ("pagerank", ["fixed", "float32"]),
    "graphops_replicate": ("pagerank", ["fixed", "float32"]),
    "graphops_spmv": ("spmv", ["int32", "int64", "float32"]),
    "graphops_sssp": ("sssp", ["uint32", "uint64", "float32"]),
    "graphops_vertex_cover": ("any", ["uint32"]),
}
TOPS = [(kernel, algorithm, number) for kernel, (algorithm, numbers) in KERNELS.items() for number in numbers]
BUILT = [kernel for kernel in KERNELS if kernel != "graphops_replicate"]
STREAM = re.compile(r"GASPIPE_STREAMS?\(\w+, (\w+), (\d+)(?:, \d+){0,2}\);")
CALL = re.compile(r"GASPIPE_TASK\((block::\w+)(?:<.*>)?\((.*)\)\);")


def rendered(kernel, algorithm, number):
    made = _kernels.Design(algorithm, number, 0, True)
    return _kernels.render_kernel(INCLUDE, kernel, made, "kernel"), _kernels.ports(INCLUDE, kernel, made)


def test_every_accelerator_is_here():
    assert [name for name in _kernels.all_kernels(INCLUDE) if name.startswith("graphops_")] == list(KERNELS)


@both_compilers
def test_compilers_accept_every_rendered_top(compiler, tmp_path):
    paths = []
    for kernel, algorithm, number in TOPS:
        paths.append(tmp_path / f"{kernel}_{number}.cpp")
        paths[-1].write_text(rendered(kernel, algorithm, number)[0])
    done = check_syntax(paths, compiler)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("kernel", "algorithm", "number"), TOPS)
def test_ports_equal_the_signature_and_the_pragmas(kernel, algorithm, number):
    text, ports = rendered(kernel, algorithm, number)
    assert [(port.name, port.kind, port.type) for port in ports] == signature(text)
    found = pragmas(text)
    memory = {port.name: port for port in ports if port.kind != "scalar"}
    assert {port for mode, port in found if mode == "m_axi"} == set(memory)
    assert {port for mode, port in found if mode == "s_axilite"} == {port.name for port in ports} | {"return"}
    assert all(found["m_axi", name]["bundle"] == port.bundle for name, port in memory.items())
    bundles = {}
    for port in memory.values():
        bundles.setdefault(port.bundle, []).append(port)
    for shared in bundles.values():  # one that reads and one that writes the same memory
        assert len({port.kind for port in shared}) == len(shared)
        assert len({port.bank for port in shared}) == 1


@pytest.mark.parametrize(("kernel", "algorithm", "number"), TOPS)
def test_tops_consist_of_blocks_alone(kernel, algorithm, number):
    # GOP-28, GOP-36: streams with two ends each, and calls of blocks, each with what it reads and writes.
    text, ports = rendered(kernel, algorithm, number)
    body = text[text.index("GASPIPE_DATAFLOW;") :].splitlines()
    streams, ends, calls = {}, {}, []
    for line in map(str.strip, body[1 : body.index("  GASPIPE_RUN;")]):
        stream, call = STREAM.fullmatch(line), CALL.fullmatch(line)
        assert stream or call, line
        if stream:
            streams[stream[1]] = line
            continue
        calls.append(call[1])
        for argument in call[2].split(", "):
            name = argument.partition("[")[0]
            assert name in streams or name.isdigit() or name in [port.name for port in ports], line
            if name in streams:
                ends.setdefault(argument, []).append(call[1])
    arrays = {name for name, line in streams.items() if line.startswith("GASPIPE_STREAMS")}
    assert arrays == {"last_words"}
    for name in set(streams) - arrays:
        assert len(ends[name]) == 2, name
    assert ends["last_words"] == ["block::end_collect"]
    assert sum(name.startswith("last_words[") for name in ends) == int(re.search(r"last_words, (\d+)", text)[1])
    memory_units = [call for call in calls if call in ("block::mem_rd_unit", "block::mem_wr_unit")]
    assert len(memory_units) == sum(port.kind != "scalar" for port in ports) - 1  # and the one of the last words


@pytest.mark.parametrize("kernel", KERNELS)
def test_last_words_name_their_ports(kernel):
    # GOP-37: every port of memory but that of the last words has its counter.
    text = _kernels.read_text(INCLUDE, f"hls/kernel/{kernel}.ports.h")
    words = re.findall(r'"(\w*)"', re.search(r"kEnds\[\] = \{(.*?)\};", text, re.DOTALL)[1])
    region = _kernels.read_text(INCLUDE, f"hls/kernel/{kernel}.h")
    assert len(words) == int(re.search(r"kEnds = (\d+)", region)[1])
    memory = [row[0] for row in _kernels.read_ports(INCLUDE, kernel) if row[1] != "scalar"]
    assert sorted(filter(None, words)) == sorted(set(memory) - {"ends"})
    for at, port in enumerate(words):
        if port:
            assert re.search(rf"mem_(rd|wr)_unit<[\w:]+>\(\s*{port}\b[^;]*last_words\[{at}\]\)", region), port


BOARD = {board: gp.Board(board)["memory"] for board in ("u250", "u280")}


def plan(config, board="u250", **asked):
    algorithm = config.removeprefix("graphops_")
    return _build.plan(INCLUDE, algorithm, board, config=config, **asked)


@pytest.mark.parametrize("board", BOARD)
@pytest.mark.parametrize("config", BUILT)
def test_builds_link_every_port_to_the_bank_that_the_emulator_has_it_in(config, board):
    made = plan(config, board)
    texts = _build.files(INCLUDE, made)
    linked = parse_link(texts["link.cfg"])
    short = _kernels.short_name(INCLUDE, config)
    assert linked["nk"] == {made.names[config]: f"1:{short}_1"}
    assert not linked["slr"]
    ports = _kernels.ports(INCLUDE, config, made.design)
    assert set(linked["sp"]) == {f"{short}_1.{port.name}" for port in ports if port.kind != "scalar"}
    kind, num = ("DDR", 1) if board == "u250" else ("HBM", 8)
    banks = {port["name"]: port["bank"] for port in small_run(config).stats.blocks.ports}
    for name, bank in banks.items():
        last = f":{num * bank + num - 1}" if num > 1 else ""
        assert linked["sp"][f"{short}_1.{name}"] == f"{kind}[{num * bank}{last}]"
    manifest = json.loads(texts["manifest.json"])
    assert (manifest["config"], manifest["units"], manifest["capacity"]) == (config, 1, 0)
    assert set(manifest["kernels"]) == {config}
    assert f"--kernel {made.names[config]}" in texts[_build.SCRIPT]
    assert made.names[config] in texts[f"{config}.cpp"]
    assert {"include/hls/block/mem_unit.h", f"include/hls/kernel/{config}.h"} <= set(texts)


def small_run(config):
    graph = gp.generate.kronecker(5, 4, seed=1)
    name = config.removeprefix("graphops_")
    arguments = {"spmv": {"x": np.ones(32)}, "conductance": {"members": [1]}}.get(name, {})
    return getattr(gp, name)(graph, device="emulator", design="graphops", **arguments)


@both_compilers
def test_folders_of_builds_have_all_that_compilers_need(compiler, tmp_path):
    for config in BUILT:
        made = plan(config)
        folder = tmp_path / config
        _build.write(INCLUDE, made, str(folder))
        done = check_syntax([folder / f"{config}.cpp"], compiler, include=folder / "include")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("config", BUILT)
def test_a_command_writes_a_build(config, tmp_path):
    out = tmp_path / "built"
    command = ["build", config.removeprefix("graphops_"), "--board", "u250", "--config", config, "--out", str(out)]
    done = subprocess.run([sys.executable, "-m", "gaspipe", *command, "--no-run"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"{config}.cpp" in {path.name for path in out.iterdir()}
    assert "vertices" not in done.stdout  # it keeps none on the chip


@pytest.mark.parametrize(
    ("algorithm", "config", "asked", "says"),
    [
        ("wcc", "graphops_bfs", {}, "config 'graphops_bfs' is a kernel of bfs; wcc has none like it"),
        ("bfs", "graphops_conductance", {}, "is a kernel of conductance; bfs has none like it"),
        ("conductance", "plain", {}, "config is 'plain'; the kernel of conductance is config 'graphops_conductance'"),
        ("triangles", "graphops_bfs", {}, "algorithm is 'triangles'; known are"),
        ("bfs", "graphops_bfs", {"units": 2}, "2 units; config 'graphops_bfs' has 1"),
        ("bfs", "graphops_bfs", {"lanes": 8}, "lanes is 8"),
        ("bfs", "graphops_bfs", {"capacity": 1 << 20}, "capacity is 1048576; config 'graphops_bfs' keeps no"),
        ("bfs", "graphops_bfs", {"number": "fixed"}, "number is 'fixed'; kernels of bfs may have uint32"),
        ("sssp", "graphops_sssp", {"weighted": False}, "config 'graphops_sssp' reads weights; build it with them"),
        ("vertex_cover", "graphops_vertex_cover", {"number": "uint32"}, "number is 'uint32'; kernels of vertex_cover"),
        ("bfs", "graphops_replicate", {}, "config is 'graphops_replicate'; allowed are plain"),
    ],
)
def test_builds_that_cannot_be_are_refused(algorithm, config, asked, says):
    with pytest.raises(gp.InputError, match=re.escape(says)):
        _build.plan(INCLUDE, algorithm, "u250", config=config, **asked)
