# SPDX-License-Identifier: Apache-2.0
"""The accelerators of GraphOps' blocks as Vitis gets them: rendered, compiled, held against their ports."""

import re

import pytest

import gaspipe as gp
from gaspipe._card import kernels as _kernels
from test_kernels import both_compilers, check_syntax, pragmas, signature

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
