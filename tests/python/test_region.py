# SPDX-License-Identifier: Apache-2.0
"""Tops are canonical dataflow: of every design a compiler's preprocessor leaves declarations, pragmas and calls."""

import re
import subprocess
import sys

import pytest

import gaspipe as gp
from conftest import REPOSITORY
from gaspipe._card import kernels as _kernels
from gaspipe._card import region as _region
from test_kernels import COMPILER, OF_PIPELINES, STUB, design, instances

sys.path.insert(0, str(REPOSITORY / "tests" / "hls"))
import lint

INCLUDE = gp.get_include()
CONFIGS = _kernels.pipelines(INCLUDE)
ARGUMENT = r"(?:\w+|\w+\[\d+\])"
LINES = {
    "stream": re.compile(r'::gaspipe::stream<(\w+)> (\w+)(?:\("\2"\)|\[([1-9]\d*)\]);'),
    "depth": re.compile(r"#pragma HLS STREAM variable = (\w+) depth = ([1-9]\d*)"),
    "call": re.compile(rf"(\w+)(?:<(?:\w+|, )+>)?\(({ARGUMENT}(?:, {ARGUMENT})*)\);"),
}
LIBRARY = "".join(
    path.read_text()
    for folder in ("kernel", "module", "local_store")
    for path in sorted((REPOSITORY / "hls" / folder).glob("*.h"))
)


def designs():
    """One of every algorithm, number and pipeline, with and without weights, of several sizes."""
    for algorithm, number in instances():
        for name, config in CONFIGS.items():
            for units, (lanes, pes) in zip((1, 3, 16), ((config.lanes, config.pes), (8, 8), (16, 16))):
                sizes = {"units": units, "lanes": lanes, "pes": pes, "config": name, "capacity": 4096}
                made = design(algorithm, number, **sizes)
                yield made
                if made.weighted:
                    yield design(algorithm, number, weighted=False, **sizes)


def tops(algorithm, number):
    for made in designs():
        if (made.algorithm, made.number) == (algorithm, number):
            for kernel in _kernels.kernels_of(INCLUDE, made):
                yield kernel, made, _kernels.render_kernel(INCLUDE, kernel, made, "kernel_of_test")


FUNCTION = re.compile(r'^(?:extern "C" )?void (\w+)\((.*?)\) \{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
BEGIN = "int tops_begin_here;"


def for_vitis(texts):
    """Of each top after Vitis' preprocessor its functions, the top's last: signatures, and lines without interfaces."""
    command = [*COMPILER, "-std=c++14", "-E", "-P", "-x", "c++", "-DGASPIPE_VITIS", "-I", STUB, "-I", INCLUDE, "-"]
    # What headers hold is no matter here; platform.h has the macros.
    own = re.sub(r"^#include .*$", "", "\n".join(texts), flags=re.MULTILINE)
    whole = f'#include "hls/platform.h"\n{BEGIN}\n{own}'
    done = subprocess.run(list(map(str, command)), input=whole, capture_output=True, text=True, check=True)
    functions = []
    for name, signature, body in FUNCTION.findall(done.stdout.partition(BEGIN)[2]):
        lines = [line.strip() for line in body.splitlines()]
        functions.append((signature, [line for line in lines if line not in ("", ";") and " INTERFACE " not in line]))
        if name == "kernel_of_test":
            yield functions
            functions = []


def lines_of(text):
    """Streams of a top with how many they are, and the arguments of all calls."""
    [[(_, lines)]] = for_vitis([text])
    streams, arguments = {}, []
    for line in lines[1:]:
        kind, found = next((k, f) for k, pattern in LINES.items() if (f := pattern.fullmatch(line)))
        if kind == "stream":
            streams[found[2]] = int(found[3] or 0)
        elif kind == "call":
            arguments += found[2].split(", ")
    return streams, arguments


@pytest.mark.parametrize(("algorithm", "number"), instances())
def test_tops_are_declarations_pragmas_and_calls(algorithm, number):
    seen = set()
    rendered = list(tops(algorithm, number))
    bodies = list(for_vitis(text for _, _, text in rendered))
    assert len(bodies) == len(rendered) > 5
    for (kernel, made, _), functions in zip(rendered, bodies):
        seen.add((kernel, made.weighted))
        *_, (signature, lines) = functions
        assert names_of(signature) == [port.name for port in _kernels.ports(INCLUDE, kernel, made)]
        has_two = kernel in ("dense_gather_scatter", "sparse_gather_scatter")
        assert len(functions) == 1 + 2 * has_two
        if has_two:  # a launch runs one of two regions
            calls = [
                f"{name}({', '.join(names_of(own))});" for name, (own, _) in zip(("gather_all", "exchange"), functions)
            ]
            assert lines == ["if (num_vertices == 0) {", calls[0], "} else {", calls[1], "}"]
        ports = [port.name for port in _kernels.ports(INCLUDE, kernel, made) if port.kind != "scalar"]
        used = [check_region(own, region, ports, made.units) for own, region in functions[: 1 + has_two]]
        assert set().union(*used) == set(ports)
    assert {kernel for kernel, _ in seen} == {*OF_PIPELINES}


def names_of(signature):
    return re.findall(r"(\w+)(?:,|$)", signature)


def check_region(signature, lines, ports, units):
    """Return the ports that it uses, each in one task."""
    assert lines[0] == "#pragma HLS DATAFLOW"
    streams, arguments, last = {}, [], "depth"
    for line in lines[1:]:
        kind, found = next(((k, f) for k, p in LINES.items() if (f := p.fullmatch(line))), (line, None))
        # A stream, its depth; then calls, and nothing after them.
        assert kind == {"stream": "depth"}.get(last, kind) and (last, kind) != ("call", "stream"), line
        if kind == "stream":
            streams[found[2]] = int(found[3] or 0)
        elif kind == "depth":
            assert found[1] == list(streams)[-1]
        else:
            assert found is not None, line
            arguments += found[2].split(", ")
        last = kind
    check_ends(streams, names_of(signature), arguments, units)
    found = [port for port in ports if port in arguments]
    assert [arguments.count(port) for port in found] == [1] * len(found)
    return found


def check_ends(streams, parameters, arguments, units):
    """All arguments are declared, and every stream has two ends."""
    ends = {}
    for argument in arguments:
        name, _, index = argument.rstrip("]").partition("[")
        if name in streams:
            size = streams[name]
            assert index == "" or int(index) < size
            for i in [int(index)] if index else range(max(size, 1)):
                ends[name, i] = ends.get((name, i), 0) + 1
        else:
            assert name in parameters or name.isdigit(), argument
    assert ends == {(name, i): 2 for name, size in streams.items() for i in range(max(size, 1))}


@pytest.mark.parametrize("config", CONFIGS)
def test_the_linter_reads_tops_too(config):
    made = design("sssp", "uint32", config=config, lanes=CONFIGS[config].lanes, pes=CONFIGS[config].pes)
    for kernel in CONFIGS[config].kernels:
        text = _kernels.render_kernel(INCLUDE, kernel, made, "kernel_of_test")
        assert lint.faults(text, library=LIBRARY) == set()


def test_the_linter_refuses_static_memory_of_several_calls():
    config = CONFIGS["packed"]
    made = design("sssp", "uint32", config="packed", lanes=config.lanes, pes=config.pes)
    text = _kernels.render_kernel(INCLUDE, "packed_gather_scatter", made, "kernel_of_test")
    shared, num = re.subn(r"(gatherRows<[^>]*), \d+>", r"\1, 0>", text)
    assert num == config.pes
    found = {what for _, what in lint.faults(shared, library=LIBRARY)}
    assert found == {"static memory in a task that is called more than once"}


def region(body, ports=None, **known):
    text = f"constexpr int kDepth = 8;\ntemplate <class Hooks>\nvoid k(int units) {{\n{body}\n}}\n"
    ports = {"in": ["in"], "out": [f"out_{i}" for i in range(known.get("units", 1))], **(ports or {})}
    return _region.expand({"hls/kernel/k.h": text}.__getitem__, "k", known, ports, {"out"})


WHOLE = """
  constexpr int kTwo = 2, kFour = kTwo * 2;
  using Word = int;  // a word
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Word, a, kDepth << 1, kFour);
  GASPIPE_STREAM(Word, unused, 4);
  GASPIPE_STREAMS(Word, b, units, kDepth);
  GASPIPE_TASK(read<Word>(in, 0, a));
  if (weighted && units > 1) {
    GASPIPE_TASK(spread<kTwo>(a, b));
  } else {
    GASPIPE_TASK(copy<weighted>(a,
                                unused, b[units - 1]));
  }
  for (int i = 0; i < units; ++i) {
    GASPIPE_TASK_I(i, write<Word, kCopy>(i, b[i], out[i]));
  }
  GASPIPE_RUN;
"""


def test_a_region_is_expanded():
    found = region(WHOLE, units=2, weighted=True)
    assert found.declarations == ["constexpr int kTwo = 2;", "using Word = int;"]
    assert found.statements == [
        "GASPIPE_DATAFLOW;",
        "GASPIPE_STREAM(Word, a, 16, 4);",
        "GASPIPE_STREAMS(Word, b, 2, 8);",
        "GASPIPE_TASK(read<Word>(in, 0, a));",
        "GASPIPE_TASK(spread<kTwo>(a, b));",
        "GASPIPE_TASK(write<Word, 0>(0, b[0], out_0));",
        "GASPIPE_TASK(write<Word, 1>(1, b[1], out_1));",
        "GASPIPE_RUN;",
    ]
    found = region(WHOLE, units=1, weighted=False)
    assert "GASPIPE_STREAM(Word, unused, 4);" in found.statements
    assert "GASPIPE_TASK(copy<false>(a, unused, b[0]));" in found.statements


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("int n = 4;", "none of what a region consists of"),
        ("read(in);", "none of what a region consists of"),
        ("while (true) { GASPIPE_TASK(read(in)); }", "none of what a region consists of"),
        ("for (int i = 0; i < 2; ++i) { GASPIPE_TASK(read(in)); }", "none of what a region consists of"),
        ("GASPIPE_TASK_I(i, read(in));", "none of what a region consists of"),
        ("GASPIPE_TASK(read(in + 1));", "no port, stream, scalar or constant"),
        ("GASPIPE_TASK(read(nullptr));", "no port, stream, scalar or constant"),
        ("GASPIPE_TASK(read(out));", "no port, stream, scalar or constant"),
        ("GASPIPE_TASK(read(out[7]));", "no port, stream, scalar or constant"),
        ("GASPIPE_TASK(read(in)[0]);", "no call of a task"),
        ("GASPIPE_TASK(read<kCopy>(in));", "kCopy outside of a loop"),
        ("GASPIPE_STREAM(int, s, depth);", "no integer that is known"),
        ("if (found) { GASPIPE_TASK(read(in)); }", "no integer that is known"),
        ("if (units +) { GASPIPE_TASK(read(in)); }", "no integer that is known"),
        ("GASPIPE_TASK(read(in);", "is not closed"),
    ],
)
def test_another_form_is_refused(statement, says):
    with pytest.raises(_region.RegionError, match=re.escape(says)):
        region(f"GASPIPE_DATAFLOW; {statement} GASPIPE_RUN;", units=1)


def test_a_region_has_its_first_and_last_line():
    for body in (
        "GASPIPE_RUN;",
        "GASPIPE_DATAFLOW; GASPIPE_RUN",
        "GASPIPE_DATAFLOW; GASPIPE_TASK(read(in));",
        "int n; GASPIPE_DATAFLOW; GASPIPE_RUN;",
    ):
        with pytest.raises(_region.RegionError):
            region(body)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(a + 1) / 2", 3),
        ("A<B>::c - 1", 8),
        ("a == 5 && !(d > 2)", 1),
        ("d != 1 || false", 0),
        ("1u << 20", 1 << 20),
        ("0x10u", 16),
        ("e", 10),
    ],
)
def test_integers_are_evaluated_as_in_cpp(text, value):
    assert _region.evaluate(text, {"a": 5, "A<B>::c": 9, "d": 1, "e": "a * 2", "true": 1, "false": 0}) == value
