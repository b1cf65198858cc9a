# SPDX-License-Identifier: Apache-2.0
"""The kernels as Vitis gets them: every top is rendered, compiled, and held against the ports."""

import functools
import itertools
import json
import os
import re
import shutil
import subprocess
from collections import Counter

import pytest

import gaspipe as gp
import kept
from conftest import REPOSITORY
from gaspipe import _description
from gaspipe._card import boards as _boards
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels
from gaspipe._card import links as _links
from tools import whole

INCLUDE = gp.get_include()
STUB = REPOSITORY / "tests" / "hls" / "vitis_stub"
SHAPES = [(8, 8), (16, 16), (8, 4), (16, 8)]  # lanes, PEs
UNITS = (1, 4, 16)
KERNELS = ("gather_scatter", "apply")  # of the plain pipeline
OF_PIPELINES = sorted({kernel for config in _kernels.pipelines(INCLUDE).values() for kernel in config.kernels})


def instances():
    """Algorithm and number of every pair of kernels."""
    return [(a.name, number) for a in _description.algorithms().values() for number in _build.numbers(a)]


def design(algorithm, number, weighted=None, **sizes):
    instance = _description.algorithms()[algorithm].instance(number)
    reads = instance.reads_weights if weighted is None else weighted
    return _kernels.Design(algorithm, number, instance.num_aux, reads, **sizes)


COMPILER = os.environ.get("CXX", "c++").split()
COMPILERS = [
    pytest.param(COMPILER, id="c++"),
    pytest.param(["clang++"], id="clang++", marks=pytest.mark.needs("clang++")),
]
both_compilers = pytest.mark.parametrize("compiler", COMPILERS)


def compilers_in_turn(cases):
    """Every algorithm and number with one of the compilers, the next one with the other; all with GASPIPE_WHOLE=1."""
    return [
        pytest.param(*case, *compiler.values, id="-".join((*case, compiler.id)), marks=compiler.marks)
        for turn, case in enumerate(cases)
        for compiler in (COMPILERS if whole() else [COMPILERS[turn % 2]])
    ]


def check_syntax(paths, compiler, include=INCLUDE, options=()):
    command = [*compiler, "-std=c++14", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror"]
    command += ["-DGASPIPE_VITIS", "-I", str(STUB), "-I", str(include), *options, *map(str, paths)]
    return kept.compiled(command, os.path.commonpath([os.path.dirname(path) for path in paths]))


def test_every_algorithm_has_a_kernel():
    found = instances()
    assert {algorithm for algorithm, _ in found} == set(gp.algorithms)
    assert {"fixed", "float32", "uint32", "int32"} <= {number for _, number in found}
    assert "float64" not in {number for _, number in found}


def design_of(kernel, algorithm, number, units):
    """A design of the first pipeline that has the kernel."""
    config = next(p for p in _kernels.pipelines(INCLUDE).values() if kernel in p.kernels)
    return design(algorithm, number, units=units, lanes=config.lanes, pes=config.pes, config=config.name)


@pytest.mark.parametrize(("algorithm", "number", "compiler"), compilers_in_turn(instances()))
def test_compilers_accept_every_rendered_top(algorithm, number, compiler, tmp_path):
    paths = []

    def add(kernel, made):
        path = tmp_path / f"{len(paths)}_{kernel}.cpp"
        path.write_text(_kernels.render_kernel(INCLUDE, kernel, made, "kernel"))
        paths.append(path)

    for units in UNITS:
        add("apply", design(algorithm, number, units=units))
    for (lanes, pes), capacity in zip(SHAPES, (1 << 20, 1 << 16, 16, 48)):
        made = design(algorithm, number, lanes=lanes, pes=pes, capacity=capacity)
        add("gather_scatter", made)
        if made.weighted:
            add("gather_scatter", design(algorithm, number, weighted=False, lanes=lanes, pes=pes))
    done = check_syntax(paths, compiler)
    assert done.returncode == 0, done.stderr


@both_compilers
def test_a_top_that_does_not_fit_the_program_is_refused(compiler, tmp_path):
    # What the test above would see: an input too few, and an error inside a module.
    top = tmp_path / "apply.cpp"
    right = _kernels.Design("pagerank", "fixed", 2, False)
    top.write_text(_kernels.render_kernel(INCLUDE, "apply", right, "kernel"))
    assert check_syntax([top], compiler).returncode == 0
    wrong = _kernels.Design("pagerank", "fixed", 1, False)
    top.write_text(_kernels.render_kernel(INCLUDE, "apply", wrong, "kernel"))
    assert "a port for each input" in check_syntax([top], compiler).stderr
    copy = tmp_path / "copy"
    shutil.copytree(INCLUDE + "/hls", copy / "hls")
    module = copy / "hls" / "module" / "merge.h"
    module.write_text(module.read_text().replace("read_from_stream(a, merged)", "raed_from_stream(a, merged)"))
    top.write_text(_kernels.render_kernel(str(copy), "apply", right, "kernel"))
    assert "raed" in check_syntax([top], compiler, include=copy).stderr


# The ports, the signature and the pragmas say the same.

PARAMETER = re.compile(r"(const )?(?:Word<([\w:]+)>\*|stream<Word<([\w:]+)>>&|([\w:]+)) (\w+)")


def signature(text):
    """Name, kind and type of every parameter, from the text of a rendered top."""
    found = re.search(r'extern "C" void \w+\((.*?)\) \{', text, re.DOTALL)
    rows = []
    for parameter in found[1].split(","):
        constant, lanes, streamed, scalar, name = PARAMETER.fullmatch(parameter.strip()).groups()
        kind = "scalar" if scalar else "stream" if streamed else "read" if constant else "write"
        rows.append((name, kind, lanes or streamed or scalar))
    return rows


def pragmas(text):
    """Settings of the pragmas for interfaces: {(mode, port): {setting: value}}."""
    found = {}
    for line in re.findall(r"^#pragma HLS INTERFACE (.*)$", text, re.MULTILINE):
        mode, settings = line.split(" ", 1)
        values = dict(re.findall(r"(\w+) = (\w+)", settings))
        key = (mode, values.pop("port"))
        assert key not in found
        found[key] = values
    return found


CASES = [
    ("bfs", "uint32", 1),
    ("bfs", "uint32", 4),
    ("bfs", "uint32", 16),
    ("sssp", "uint64", 3),
    ("pagerank", "fixed", 4),
    ("article_rank", "float32", 16),
]


@pytest.mark.parametrize("kernel", OF_PIPELINES)
@pytest.mark.parametrize(("algorithm", "number", "units"), CASES)
def test_ports_equal_the_signature_and_the_pragmas(algorithm, number, units, kernel):
    made = design_of(kernel, algorithm, number, units)
    text = _kernels.render_kernel(INCLUDE, kernel, made, "kernel")
    ports = _kernels.ports(INCLUDE, kernel, made)
    streams = {port.name for port in ports if port.kind in ("send", "take")}
    assert [(p.name, "stream" if p.name in streams else p.kind, p.type) for p in ports] == signature(text)
    found = pragmas(text)
    memory = {port.name: port for port in ports if port.kind in ("read", "write")}
    assert {port for mode, port in found if mode == "m_axi"} == set(memory)
    assert {port for mode, port in found if mode == "axis"} == streams
    assert {port for mode, port in found if mode == "s_axilite"} == {p.name for p in ports} - streams | {"return"}
    assert {values["bundle"] for (mode, _), values in found.items() if mode == "s_axilite"} == {"control"}
    for name, port in memory.items():
        settings = found["m_axi", name]
        assert settings["bundle"] == port.bundle
        assert settings["offset"] == "slave"
        assert settings[f"max_{port.kind}_burst_length"] == ("8" if port.ahead else "64")
        assert f"num_{port.kind}_outstanding" in settings
        assert found["s_axilite", name] == {"bundle": "control"}


@pytest.mark.parametrize("kernel", OF_PIPELINES)
@pytest.mark.parametrize(("algorithm", "number", "units"), CASES)
def test_ports_that_share_an_axi_port_read_and_write_one_memory(algorithm, number, units, kernel):
    made = design_of(kernel, algorithm, number, units)
    bundles = {}
    for port in _kernels.ports(INCLUDE, kernel, made):
        if port.kind in ("read", "write"):
            bundles.setdefault(port.bundle, []).append(port)
    text = _kernels.render_kernel(INCLUDE, kernel, made, "kernel")
    regions = [set(re.findall(r"\w+", r)) for r in re.findall(r"GASPIPE_DATAFLOW;(.*?)GASPIPE_RUN;", text, re.DOTALL)]
    assert len(regions) == 1 + (kernel in ("dense_gather_scatter", "sparse_gather_scatter"))
    for shared in bundles.values():
        # Of a region, one reads and one writes.
        for named in regions:
            kinds = [port.kind for port in shared if port.name in named]
            assert len(set(kinds)) == len(kinds)
        assert all(any(port.name in named for named in regions) for port in shared)
        # What apply reads and writes of vertices lies in a range of two banks: each of them has the range.
        assert len({(port.bank.replace("new", "old"), port.unit) for port in shared}) == 1


@pytest.mark.parametrize("kernel", [*OF_PIPELINES, *_kernels.kernels_alone(INCLUDE)])
def test_ports_are_read_ahead_where_lines_are_fetched(kernel):
    """So many requests are under way as the emulator assumes, and ports of one bundle agree."""
    alone = _kernels.kernels_alone(INCLUDE).get(kernel)
    if alone:
        made = _kernels.Design(alone.algorithm, (*alone.numbers, "uint32")[0], 0, False, alone.units[0], config=kernel)
    else:
        made = design_of(kernel, "sssp", "uint32", 3)
    ports = _kernels.ports(INCLUDE, kernel, made)
    text = _kernels.render_kernel(INCLUDE, kernel, made, "kernel")
    fetched = set(re.findall(r"lineFetch(?:<\w+>)?\((\w+)", text))
    bundles = {port.bundle for port in ports if port.name in fetched}
    assert bool(bundles) == (kernel in ("dense_gather_scatter", "sparse_gather_scatter", "pull_bfs", "delta_stepping"))
    assert {p.name for p in ports if p.ahead} == {p.name for p in ports if p.kind == "read" and p.bundle in bundles}


def test_the_table_that_cpp_sees_is_the_one_that_python_reads(tmp_path):
    source, program = tmp_path / "ports.cpp", tmp_path / "ports"
    kernels = _kernels.all_kernels(INCLUDE)
    source.write_text(
        "#include <cstdio>\n#include <initializer_list>\n"
        + "".join(f'#include "hls/kernel/{kernel}.ports.h"\n' for kernel in kernels)
        + "using namespace gaspipe;\n"
        "template <int rows> void print(const char* kernel, const Port (&ports)[rows], KernelShape shape) {\n"
        "  int index = 0;\n"
        "  for (int row = 0; row < rows; ++row)\n"
        "    for (int i = 0; i < num_of(ports[row].each, shape); ++i)\n"
        '      std::printf("%s %d %d %d %s %s %d %d %s\\n", kernel, shape.units,\n'
        "                  index++, i,\n"
        "                  ports[row].name, ports[row].type, int(ports[row].kind), int(ports[row].bank),\n"
        "                  ports[row].bundle);\n"
        "}\n"
        "int main() {\n"
        "  for (int units : {1, 3, 16}) {\n"
        "    const KernelShape shape = {units != 3, units, units % 4};\n"
        + "".join(f'    print("{kernel}", kernel::{kernel}::kPorts, shape);\n' for kernel in kernels)
        + "  }\n"
        "}\n"
    )
    subprocess.run([*COMPILER, "-std=c++14", "-I", INCLUDE, source, "-o", program], check=True)
    printed = [line.split() for line in subprocess.run([program], capture_output=True, text=True).stdout.splitlines()]
    kinds = ["read", "write", "scalar", "send", "take"]
    banks = ["", "sources", "destinations", "weights", "vertices", "rows", "replicas", "sets", "old", "new", "inputs"]
    for units in (1, 3, 16):
        made = _kernels.Design("any", "uint32", units % 4, units != 3, units)
        for kernel in kernels:
            ports = _kernels.ports(INCLUDE, kernel, made)
            rows = [row[2:] for row in printed if row[:2] == [kernel, str(units)]]
            assert len(rows) == len(ports)
            for at, (port, row) in enumerate(zip(ports, rows)):
                index, number, name, element, kind, bank, bundle = row
                assert int(index) == at
                assert port.name in (name, f"{name}_{number}")
                assert (port.type, port.kind, port.bank) == (element, kinds[int(kind)], banks[int(bank)])
                assert port.bundle.replace("gmem_", "") in (bundle, f"{bundle}_{number}")


def test_a_row_that_python_cannot_read_is_an_error(tmp_path):
    (tmp_path / "hls" / "kernel").mkdir(parents=True)
    text = _kernels.read_text(INCLUDE, "hls/kernel/apply.ports.h")
    path = tmp_path / "hls" / "kernel" / "apply.ports.h"
    path.write_text(text)
    assert _kernels.read_ports(str(tmp_path), "apply") == _kernels.read_ports(INCLUDE, "apply")
    path.write_text(text.replace("PortKind::kWrite", "PortKind::kReadWrite"))
    with pytest.raises(ValueError, match="is no row of a table"):
        _kernels.read_ports(str(tmp_path), "apply")


def test_a_template_is_filled_with_names_only():
    assert _kernels.render("a @b@ c@d@", {"b": "1", "d": "@b@"}) == "a 1 c@b@"
    with pytest.raises(KeyError):
        _kernels.render("@unknown@", {})


# Links.

BOARDS = _boards.names()


def parse_link(text):
    """Return nk, sp, sc and slr of a link configuration as dictionaries."""
    section, found = None, {"nk": {}, "sp": {}, "sc": {}, "slr": {}}
    for line in text.splitlines():
        if line.startswith("["):
            section = line
        elif line and section == "[connectivity]":
            key, value = line.split("=")
            left, right = value.split(":", 1)
            assert left not in found[key]
            found[key][left] = right
    return found


def banks_of(memory):
    """Banks of an sp, by their names: "HBM[1:2]" are HBM[1] and HBM[2]."""
    kind, first, last = re.fullmatch(r"(\w+)\[(\d+)(?::(\d+))?\]", memory).groups()
    assert last is None or int(first) < int(last)
    return [f"{kind}[{i}]" for i in range(int(first), int(last or first) + 1)]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(("algorithm", "number", "units"), CASES)
def test_links_connect_every_memory_port_once(algorithm, number, units, board):
    found = _boards.read(board)
    units = min(units, 7 if found.memory == "HBM" else 12 if board == "u250" else 9)  # that a board has LUTs for
    plan = _build.plan(INCLUDE, algorithm, board, number, units=units)
    texts = _build.files(INCLUDE, plan)
    linked = parse_link(texts["link.cfg"])
    assert linked["nk"] == {
        plan.names["gather_scatter"]: f"{units}:" + ".".join(f"gs_{i + 1}" for i in range(units)),
        plan.names["apply"]: "1:apply_1",
    }
    wanted, bundles = set(), {}
    for kernel in KERNELS:
        text = texts[f"{kernel}.cpp"]
        for cu in linked["nk"][plan.names[kernel]].split(":")[1].split("."):
            for (mode, port), settings in pragmas(text).items():
                if mode == "m_axi":
                    wanted.add(f"{cu}.{port}")
                    bundles.setdefault((cu, settings["bundle"]), set()).add(linked["sp"][f"{cu}.{port}"])
    assert set(linked["sp"]) == wanted
    assert all(len(memories) == 1 for memories in bundles.values())  # an AXI port leads to one memory
    if found.memory == "DDR":
        masters = Counter(bank for memories in bundles.values() for memory in memories for bank in banks_of(memory))
        assert max(masters.values()) <= 15
    else:
        masters = {"HBM": len(bundles)}
        assert len(bundles) <= 31
    assert masters == _links.num_masters(INCLUDE, plan.design, found.memory, found.num_banks)
    known = {f"{found.memory}[{i}]" for i in range(found.num_banks)}
    assert all(known.issuperset(banks_of(memory)) for memory in linked["sp"].values())
    # What a unit writes, the apply kernel reads from the same memory, and the other way round.
    for unit in range(units):
        gathered = linked["sp"][f"gs_{unit + 1}.gathered"]
        assert linked["sp"][f"apply_1.gathered_{unit}"] == gathered
        assert linked["sp"][f"apply_1.updated_{unit}"] == linked["sp"][f"gs_{unit + 1}.properties"]
    cus = {f"gs_{unit + 1}" for unit in range(units)} | {"apply_1"}
    # The manifest lists the banks one by one.
    manifest = json.loads(texts["manifest.json"])
    listed = {
        f"{cu['name']}.{argument['name']}": argument["memory"]
        for kernel in manifest["kernels"].values()
        for cu in kernel["compute_units"]
        for argument in cu["arguments"]
        if argument["kind"] != "scalar"
    }
    assert listed == {port: banks_of(memory) for port, memory in linked["sp"].items()}
    if found.slrs:
        assert set(linked["slr"]) == cus
        assert set(linked["slr"].values()) <= {f"SLR{i}" for i in range(len(found.slrs))}
    else:
        assert not linked["slr"]


@pytest.mark.parametrize(
    ("memory", "banks", "units", "number", "expected"),
    # Banks of unit 3, or of unit 0 where there are fewer: of sources, destinations, weights (none where no number
    # is given) and vertices.
    [
        ("DDR", 4, 4, "uint32", "3 3 3 3"),
        ("DDR", 4, 16, "uint32", "3 3 3 3"),
        ("DDR", 4, 1, None, "0 1 2"),
        ("DDR", 4, 2, None, "0 0 1"),
        ("HBM", 32, 16, "uint32", "6 6 6 7"),
        ("HBM", 32, 10, None, "9 10 11"),
        ("HBM", 32, 10, "uint32", "9 9 10 11"),
        ("HBM", 32, 8, "uint32", "12 13 14 15"),
        # More banks than kinds of data: the edges take them all.
        ("HBM", 32, 8, None, "12-13 14 15"),
        ("HBM", 32, 6, "uint64", "15 16 17-18 19"),
        ("HBM", 32, 4, None, "24-26 27-29 30-31"),
        ("HBM", 32, 4, "uint32", "24-25 26-27 28-29 30-31"),
        ("HBM", 32, 2, None, "0-6 7-13 14-15"),
        ("HBM", 32, 1, "float32", "0-9 10-19 20-29 30-31"),
        ("HBM", 32, 1, "int64", "0-7 8-15 16-29 30-31"),
    ],
)
def test_units_spread_over_their_banks(memory, banks, units, number, expected):
    made = _kernels.Design("any", number or "uint32", 0, number is not None, units)
    kinds = ["sources", "destinations", *(["weights"] if made.weighted else []), "vertices"]
    found = [_links.channels(INCLUDE, kind, 3 if units > 3 else 0, made, memory, banks) for kind in kinds]
    assert " ".join("-".join(map(str, sorted({numbers[0], numbers[-1]}))) for numbers in found) == expected


@pytest.mark.parametrize("memory", ["DDR", "HBM"])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_unit_reaches_into_the_banks_of_another(memory, weighted):
    for banks, units in itertools.product((1, 2, 4, 32), range(1, 17)):
        made = _kernels.Design("any", "uint64", 0, weighted, units)
        kinds = ["sources", "destinations", *(["weights"] if weighted else []), "vertices"]
        place = functools.partial(_links.channels, INCLUDE, design=made, memory=memory, num_banks=banks)
        found = [[place(kind, unit) for kind in kinds] for unit in range(units)]
        used = [set().union(*unit) for unit in found]
        assert set().union(*used) <= set(range(banks))
        if units <= banks:
            assert sum(map(len, used)) == len(set().union(*used))
            if memory == "HBM":  # and none of its own is left out
                assert [len(own) for own in used] == [banks // units] * units
        for unit in found:
            assert all(len(numbers) for numbers in unit)
            if banks // units >= len(kinds):
                assert sum(map(len, unit)) == len(set().union(*unit))
