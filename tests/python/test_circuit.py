# SPDX-License-Identifier: Apache-2.0
"""Leaves become circuits (gaspipe._circuit): small ones with known answers, and what no circuit is made of."""

import math
import re
import subprocess

import pytest

import kept
from conftest import REPOSITORY
from gaspipe._circuit import CircuitError, Leaves, arrays, missing_packages, tools
from gaspipe._circuit.control import Control
from gaspipe._circuit.intermediate import mark_loops
from gaspipe._circuit.ir import Module, split, typed
from gaspipe._circuit.synthesis import CARRY_BIT, CARRY_IN, CARRY_OUT, CLOCK_TO_Q, LUT, NET, SETUP, recurrence

needs_tools = pytest.mark.needs("circuit")


@pytest.fixture(autouse=True)
def costs(monkeypatch):
    """What yosys made of the same circuit before is taken."""
    monkeypatch.setattr("gaspipe._circuit.synthesize", kept.cost)


HEAD = """#include "hls/platform.h"
#include <cstdint>
using namespace gaspipe;
using U = std::uint32_t;
"""


def read(folder, text):
    """The leaves of a text; its first line is number 1."""
    source = folder / "small.cpp"
    source.write_text(f'{HEAD}\n#line 1 "small.cpp"\n{text}', encoding="utf-8")
    return Leaves(source, REPOSITORY, folder)


def leaf(body, params="stream<U>& in, stream<U>& out"):
    return f'extern "C" void leaf({params}) {{\n{body}\n}}\n'


LOOP = "U x = 0; while (true) {{ GASPIPE_PIPELINE(1); {} }}"


# Text.


def test_layout_follows_the_abi():
    module = Module("%struct.A = type { i32, i1, i64 }\n%struct.B = type { [3 x %struct.A], i8, [63 x i8] }\n")
    a, b = module.type("%struct.A"), module.type("%struct.B")
    assert (a.size, a.align, [offset for offset, _ in a.fields]) == (16, 8, [0, 4, 8])
    assert list(b.cells())[-1] == (48, 1)  # what only fills up is no cell
    assert module.bytes_of("%struct.A { i32 1, i1 true, i64 -1 }") == bytes([1, 0, 0, 0, 1, 0, 0, 0]) + b"\xff" * 8


def test_operands_are_split_at_the_outer_commas():
    assert split("i32 1, { i32, i32 } %a, [2 x i8] zeroinitializer") == [
        "i32 1",
        "{ i32, i32 } %a",
        "[2 x i8] zeroinitializer",
    ]
    assert typed("ptr noundef nonnull align 4 dereferenceable(8) %p") == ("ptr", "%p")


def test_loops_are_marked_by_the_pragma_of_their_body_and_lines_stay():
    loops = "for (int i = 0; i < (n); ++i) {\n#pragma HLS UNROLL\n  while (g()) {\n#pragma HLS PIPELINE II = 1\n}\n}\n"
    text = f"void f() {{\n{loops}#pragma HLS UNROLL\n}}\n"
    marked = mark_loops(text)
    assert marked.count("\n") == text.count("\n")
    lines = marked.split("\n")
    assert lines[1].startswith('_Pragma("clang loop unroll(full)") for')
    assert '_Pragma("clang loop unroll(disable)") while' in lines[3]
    assert marked.count("_Pragma") == 2  # the last pragma is in no loop


def test_arrays_are_declared_by_the_first_name_of_a_member():
    text = (
        "#pragma HLS ARRAY_PARTITION variable = window.pending dim = 1 complete\n"
        "  #pragma HLS BIND_STORAGE variable = row type = RAM_S2P impl = URAM\n"
    )
    assert arrays.declared(text) == ({"window"}, {"row"})
    assert arrays.variable_name("%set.sroa.0.i") == "set"


def test_states_are_the_entry_the_loops_and_what_follows_them():
    text = """define void @f(ptr %in) {
entry:
  br label %while.body
while.body:
  %a = phi i32 [ 0, %entry ], [ %b, %more ]
  %b = add i32 %a, 1
  %c = icmp eq i32 %b, 7
  br i1 %c, label %after, label %more
more:
  br label %while.body
after:
  %d = add i32 %b, 1
  ret void
}
"""
    control = Control(Module(text).function("f"))
    assert control.states == ["%entry", "%while.body", "%after"]
    assert control.region("%while.body") == ["%while.body", "%more"]
    assert control.loops == {"%while.body": {"%while.body", "%more"}}


# Netlists.


def cell(kind, inputs, outputs):
    directions = {p: "input" for p in inputs} | {p: "output" for p in outputs}
    return {"type": kind, "port_directions": directions, "connections": {**inputs, **outputs}}


def register(d, q):
    return cell("FDRE", {"C": [0], "D": [d]}, {"Q": [q]})


def test_a_recurrence_is_the_slowest_path_on_a_cycle():
    cells = {
        "r": register(4, 2),
        "a": cell("LUT2", {"I0": [2], "I1": [9]}, {"O": [3]}),
        "b": cell("LUT1", {"I0": [3]}, {"O": [4]}),
    }
    ns, levels = recurrence({"cells": cells})
    assert levels == 2
    assert ns == pytest.approx(CLOCK_TO_Q + 2 * (LUT + NET) + SETUP)


def test_a_path_on_no_cycle_is_no_recurrence():
    cells = {"r": register(9, 2), "a": cell("LUT1", {"I0": [2]}, {"O": [3]}), "s": register(3, 5)}
    assert recurrence({"cells": cells}) == (0.0, 0)


def test_a_carry_chain_counts_its_bits():
    inputs = {"S": [2, 6, 7, 8], "DI": [9, 9, 9, 9], "CI": [9]}
    carry = cell("CARRY4", inputs, {"O": [10, 11, 12, 4], "CO": [13, 14, 15, 16]})
    cells = {"r": register(4, 2), "c": carry}
    ns, levels = recurrence({"cells": cells})
    assert levels == 0
    assert ns == pytest.approx(CLOCK_TO_Q + NET * 0.3 + CARRY_IN + 3 * CARRY_BIT + CARRY_OUT + SETUP)


def test_an_operator_counts_the_slowest_path_through_it():
    operator = {
        "a": cell("LUT1", {"I0": [2]}, {"O": [3]}),
        "b": cell("LUT2", {"I0": [3], "I1": [4]}, {"O": [5]}),
        "c": cell("LUT1", {"I0": [5]}, {"O": [6]}),
    }
    cells = {"r": register(4, 2), "o": cell("product", {"x": [2], "y": [9]}, {"result": [4]})}
    ns, levels = recurrence({"cells": cells}, {"product": {"cells": operator}})
    assert levels == 3
    assert ns == pytest.approx(CLOCK_TO_Q + 3 * (LUT + NET) + SETUP)


# Leaves.


@needs_tools
def test_a_leaf_has_the_ports_of_its_streams_and_scalars(tmp_path):
    body = "U x; for (U i = 0; i < n; ++i) { GASPIPE_PIPELINE(1); in.read(x); out.write(x + n); }"
    circuit = read(tmp_path, leaf(body, "U n, stream<U>& in, stream<U>& out")).circuit("leaf")
    assert circuit.streams == {"in": (True, 4), "out": (False, 4)}
    assert circuit.parameters == {"n": 32}
    assert circuit.warnings == []
    assert "input [31:0] in_dout, input in_empty_n, output in_read" in circuit.text


@needs_tools
def test_two_operations_on_a_stream_in_a_trip_are_reported(tmp_path):
    body = LOOP.format("U y; in.read(x); in.read(y); if (y == 7) break; out.write(x + y);")
    assert any("II > 1" in w for w in read(tmp_path, leaf(body)).circuit("leaf").warnings)


@needs_tools
def test_two_operations_behind_a_loop_take_two_cycles(tmp_path):
    body = LOOP.format("in.read(x); if (x == 7) break; out.write(x);") + " out.write(1); out.write(2);"
    assert read(tmp_path, leaf(body)).circuit("leaf").warnings == []


@needs_tools
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("out.write(\nunknown(x));", r"small\.cpp:\d+: a call of unknown, which is no part of the circuit"),
        ("out.write(\nfactorial(x));", r"small\.cpp:\d+: factorial.* calls itself; a circuit has no stack"),
        ("out.write(U(float(x)\n* 1.5f));", r"small\.cpp:\d+: an operation on floating point \(\w+\); those are not"),
    ],
)
def test_what_no_circuit_is_made_of_is_named_with_its_line(tmp_path, body, message):
    recursive = "inline U factorial(U n) {\n  return n < 2 ? 1 : n * factorial(n - 1) + 3 * factorial(n / 2);\n}\n"
    functions = f'extern "C" U unknown(U);\n{recursive}'
    leaves = read(tmp_path, functions + leaf(LOOP.format(f"in.read(x); if (x == 7) break; {body}")))
    with pytest.raises(CircuitError, match=message) as error:
        leaves.circuit("leaf")
    line = int(re.search(r":(\d+)", error.value.where)[1])
    assert line in ({2, 3, 4} if "factorial" in body else {6, 7})


@needs_tools
def test_a_file_that_does_not_compile_is_named_with_its_line(tmp_path):
    with pytest.raises(CircuitError, match=r"small\.cpp:2:\d+: error"):
        read(tmp_path, leaf("nonsense;"))


@needs_tools
def test_arrays_with_variable_indices_are_reported_unless_declared(tmp_path):
    loop = LOOP.format("in.read(x); if (x == 77) break; kept[x % 4] += x; out.write(kept[x / 4 % 4]);")
    body = "U kept[4] = {}; %s " + loop.replace("%", "%%")
    plain = read(tmp_path, leaf(body % ""))
    assert list(plain.undeclared_arrays("leaf")) == ["kept"]
    partition = "GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = kept dim = 1 complete);"
    assert read(tmp_path, leaf(body % partition)).undeclared_arrays("leaf") == {}


@needs_tools
def test_a_memory_is_rows_and_is_read_before_it_is_written(tmp_path):
    memory = "GASPIPE_ON_CHIP(U, kept, 1024, URAM); "
    loop = memory + LOOP.format("in.read(x); if (x == 77) break; BODY")
    text = "const U y = kept[x % 1024]; kept[x % 1024] = y + x; out.write(y);"
    good = read(tmp_path, leaf(loop.replace("BODY", text)))
    assert good.circuit("leaf").memories == {"kept": (1024, 32)}
    bad = read(tmp_path, leaf(loop.replace("BODY", "kept[x % 1024] = x; out.write(kept[x / 7 % 1024]);")))
    with pytest.raises(CircuitError, match="kept is read after it was written in the same cycle"):
        bad.circuit("leaf")


@needs_tools
def test_a_longer_recurrence_closes_at_a_lower_clock(tmp_path):
    step = "in.read(x); if (x == 7) break; {} out.write(sum);"
    once, thrice = (
        "U sum = 0; " + LOOP.format(step.format("sum = sum + x < sum ? 0xffffffffu : sum + x;" * n)) for n in (1, 3)
    )
    passing = LOOP.format("in.read(x); if (x == 7) break; out.write(x * 3 + 1);")
    texts = [leaf(b).replace("leaf", f"leaf{i}", 1) for i, b in enumerate((passing, once, thrice))]
    leaves = read(tmp_path, "".join(texts))
    assert leaves.names == ["leaf0", "leaf1", "leaf2"]
    free, short, long = (leaves.cost(name) for name in leaves.names)
    assert free.mhz > 600  # its state alone
    assert free.mhz > short.mhz > 1.8 * long.mhz
    assert 32 <= short.luts < 200
    assert short.levels < long.levels


@needs_tools
def test_operators_are_mapped_once_and_count_wherever_they_are(tmp_path):
    step = "in.read(x); if (x == 7) break; sum = {}; out.write(sum);"
    values = ["sum * x + 1", "x / (sum | 1)", "x / (sum | 1) + sum / (x | 1)"]
    bodies = ["U sum = 1; " + LOOP.format(step.format(value)) for value in values]
    texts = [leaf(b).replace("leaf", f"leaf{i}", 1) for i, b in enumerate(bodies)]
    leaves = read(tmp_path, "".join(texts))
    product, one, two = (leaves.cost(name) for name in leaves.names)
    assert product.mhz > 60 > one.mhz  # a quotient has as many subtractions, one after the other, as bits
    assert one.levels >= 32
    assert product.luts > 500  # 32 x 32, half of which are wanted
    assert 1.9 * one.luts < two.luts < 2.1 * one.luts


@needs_tools
@pytest.mark.parametrize(
    ("rows", "bits", "kind", "blocks"),
    [(4096, 64, "URAM", 1), (4097, 72, "URAM", 2), (64, 512, "BRAM", 8)],
)
def test_memories_take_the_blocks_that_the_project_counts(tmp_path, rows, bits, kind, blocks):
    assert math.ceil(kept.memory_blocks(rows, bits, kind, tmp_path)) == blocks


def test_missing_tools_are_named_by_debian_s_packages(monkeypatch, tmp_path):
    tools.llvm.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing_packages(simulation=True) == ["clang-16", "llvm-16", "yosys", "verilator"]
    tools.llvm.cache_clear()


@needs_tools
def test_the_stub_of_streams_is_c_plus_plus_14(tmp_path):
    folder = REPOSITORY / "python" / "gaspipe" / "_circuit" / "fifo"
    source = tmp_path / "uses.cpp"
    source.write_text("#include <hls_stream.h>\nhls::stream<int> s;\n", encoding="utf-8")
    command = [*tools.llvm()[:1], "-std=c++14", "-fsyntax-only", "-Wall", "-Wextra", f"-I{folder}", str(source)]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
