# SPDX-License-Identifier: Apache-2.0
"""A whole kernel as Verilog: the tasks of its rendered top, each a circuit, and the FIFOs between them.

What the top says is what there is: a FIFO for each stream that is declared, of its depth; a module for each call that
differs from the others by more than numbers; a bus for each array that a call names.
"""

from __future__ import annotations

import importlib
import re
import sys
import types
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from leaf import is_joined
from measure import REPOSITORY, circuit


def _card() -> types.ModuleType:
    """Return gaspipe._card.kernels, which needs nothing of gaspipe to be built."""
    package = types.ModuleType("gaspipe_card")
    package.__path__ = [str(REPOSITORY / "python" / "gaspipe" / "_card")]
    sys.modules["gaspipe_card"] = package
    return importlib.import_module("gaspipe_card.kernels")


card = _card()

# Where tasks read and write memory they say so to their ports (GASPIPE_WORD): here to those of the circuit.
_HEAD = """#include "hls/platform.h"
#undef GASPIPE_PORT
#undef GASPIPE_WORD
#define GASPIPE_PORT(kind, port, memory) const void* const port = memory
#define GASPIPE_WORD(port, at, last) __port_word(port, at, last)
"""
_STREAM = re.compile(r"GASPIPE_STREAM(S?)\((\w+), (\w+), (.*)\);")
_TASK = re.compile(r"GASPIPE_TASK\(([\w:]+(?:<.*?>)?)\((.*)\)\);")
_BANKS = {"sources": 0, "destinations": 1, "weights": 2, "vertices": 3}  # of a compute unit


class Stream(NamedTuple):
    """A stream that a top declares, or an array of them."""

    type: str
    count: int  # 0: no array
    depth: int


class Leaf(NamedTuple):
    """A function that becomes a circuit: a call without the numbers and names that it is called with."""

    call: str
    parameters: tuple[str, ...]


@dataclass
class Task:
    """A call of a top."""

    leaf: int  # its number among the leaves
    arguments: list[str]


@dataclass(frozen=True)
class Kernel:
    """A kernel with all that its circuit depends on."""

    name: str
    design: object
    depths: dict[str, int] = field(default_factory=dict)  # of streams that are to have another depth
    repository: Path = REPOSITORY

    @cached_property
    def text(self) -> str:
        """The kernel as a vendor's tool reads it."""
        return card.render_kernel(str(self.repository), self.name, self.design, "top")

    @cached_property
    def ports(self) -> list:
        """Its arguments."""
        return card.ports(str(self.repository), self.name, self.design)

    @cached_property
    def head(self) -> str:
        """What is before the top's function: includes and types."""
        return self.text[: self.text.index('extern "C"')]

    @cached_property
    def streams(self) -> dict[str, Stream]:
        """The streams that the top declares."""
        found = {}
        for several, type_, name, sizes in _STREAM.findall(self.text):
            count, *depth = [int(n) for n in sizes.split(",")] if several else [0, *map(int, sizes.split(","))]
            found[name] = Stream(type_, count, self.depths.get(name, depth[0]))
        return found

    @cached_property
    def calls(self) -> tuple[list[Leaf], list[Task]]:
        """The leaves and the tasks."""
        leaves: dict[Leaf, int] = {}
        tasks = []
        for call, arguments in _TASK.findall(self.text):
            names = [a.strip() for a in arguments.split(",")]
            leaf = Leaf(call, tuple(self._parameter(a, i) for i, a in enumerate(names)))
            tasks.append(Task(leaves.setdefault(leaf, len(leaves)), names))
        if len(tasks) != self.text.count("GASPIPE_TASK("):
            raise RuntimeError("a task of another form")
        return list(leaves), tasks

    def _parameter(self, argument: str, i: int) -> str:
        name = argument.split("[")[0]
        if name in self.streams:
            s = self.streams[name]
            whole = s.count and "[" not in argument
            return f"stream<{s.type}> (&p{i})[{s.count}]" if whole else f"stream<{s.type}>& p{i}"
        port = next((p for p in self.ports if p.name == argument), None)
        if port is None or port.kind == card.SCALAR:  # a number, or a scalar of the kernel
            return f"std::uint32_t p{i}"
        return f"{'const ' if port.kind == card.READ else ''}Word<{port.type}>* p{i}"

    def source(self) -> str:
        """Return the C++ of the leaves."""
        out = [_HEAD, self.head]
        for number, leaf in enumerate(self.calls[0]):
            head = f'extern "C" __attribute__((flatten)) void leaf_{number}({", ".join(leaf.parameters)})'
            names = ", ".join(f"p{i}" for i in range(len(leaf.parameters)))
            out.append(f"{head} {{ gaspipe::{leaf.call}({names}); }}")
        return "\n".join(out) + "\n"

    def buses(self) -> list[tuple[int, int, object]]:
        """Return the ports to memory: of which task, which of its parameters, which argument of the kernel."""
        memories = {p.name: p for p in self.ports if p.kind != card.SCALAR}
        return [
            (t, i, memories[a])
            for t, task in enumerate(self.calls[1])
            for i, a in enumerate(task.arguments)
            if a in memories
        ]

    def verilog(self, work: Path) -> str:
        """Return the modules and the top, whose module is `kernel`."""
        source = work / "leaves.cpp"
        source.write_text(self.source(), encoding="utf-8")
        made = circuit.Leaves(source, self.repository, work)
        leaves = [made.circuit(f"leaf_{i}", joined=is_joined(leaf.call)) for i, leaf in enumerate(self.calls[0])]
        return "\n".join([*(leaf.text for leaf in leaves), _Top(self, leaves).text()])

    def bank(self, port) -> int:
        """Return the memory that a port leads to."""
        return 4 * port.unit + _BANKS.get(port.bank, 0)

    def region(self) -> str:
        """Return the call of the kernel's region in the emulator."""
        names = {}
        for p in self.ports:
            names.setdefault(p.row, []).append(p.name)
        if self.name != "apply":
            rows = [row[0] for row in card.read_ports(str(self.repository), self.name)]
            given = [names[row][0] if row in names else "nullptr" for row in rows]
            weighted = str(self.design.weighted).lower()
            return f"gaspipe::{self.name}<Hooks, Width, {weighted}>({', '.join(given)});"
        lists = {"gathered": "const Word<Value>*", "aux": "const Word<Aux>*", "updated": "Word<Property>*"}
        out = [f"{t} const {row}[] = {{{', '.join(names.get(row, ['nullptr']))}}};" for row, t in lists.items()]
        out.append(f"const std::uint32_t arg[] = {{{', '.join(names['arg'])}}};")
        out.append(
            f"gaspipe::apply<Hooks>({self.design.units}, gathered, properties, aux, updated, sums, first, last, arg);"
        )
        return " ".join(out)

    def bench(self) -> str:
        """Return the program that compares the circuit with the emulator, for each launch that it is given."""
        out = [self.head, '#include "Vkernel.h"', '#include "whole_bench.h"']
        out += ["int main(int argc, char** argv) try {", "  for (int i = 1; i < argc; ++i) {"]
        out.append("    rtl::Launch launch(argv[i]);")
        memories = [p for p in self.ports if p.kind != card.SCALAR]
        for p in memories:
            out.append(f'    launch.add("{p.name}", {self.bank(p)}, {str(p.kind == card.WRITE).lower()});')
        scalars = [p.name for p in self.ports if p.kind == card.SCALAR]
        out += [f'    const std::uint32_t {name} = launch.scalar("{name}");' for name in scalars]
        for p in memories:
            const = "const " if p.kind == card.READ else ""
            pointed = f"{const}Word<{p.type}>"
            out.append(f'    {pointed}* const {p.name} = launch.emulated<{pointed}>("{p.name}");')
        out.append("    emulator::RunStats stats;")
        out.append(f"    const long emulated = rtl::emulate(launch, [&] {{ {self.region()} }}, stats);")
        out.append("    const auto dut = std::make_unique<Vkernel>();")
        out += [f"    dut->a_{name} = {name};" for name in scalars]
        out += ["    emulator::MemoryMap memory = launch.memory(false);", "    std::vector<rtl::Bus> buses;"]
        for t, i, p in self.buses():
            n = f"dut->m{t}_{i}"
            pins = f"{n}_ask, dut->busy_{t}, {n}_at, {n}_last, "
            if p.kind == card.READ:
                pins = f"rtl::read_pins({pins}{n}_rdata, {n}_raddr, {n}_rvalid)"
            else:
                pins = f"rtl::write_pins({pins}{n}_wdata, {n}_waddr, {n}_wmask, {n}_write, {n}_wready)"
            out.append(f'    buses.emplace_back(memory, launch.buffer("{p.name}"), {pins});')
        done = ", ".join(f"&dut->done_{t}" for t in range(len(self.calls[1])))
        out.append("    std::vector<long> ends;")
        out.append(f"    const long cycles = rtl::simulate(*dut, buses, {{{done}}}, ends, 2 * emulated + 10000);")
        out += ["    rtl::report(launch, cycles, emulated, ends, stats);", "  }", "  return 0;"]
        out += [
            "} catch (const std::exception& error) {",
            '  std::printf("  %s\\n", error.what());',
            "  return 1;",
            "}",
        ]
        return "\n".join(out) + "\n"


class _Top:
    """The module of a kernel."""

    def __init__(self, kernel: Kernel, leaves: list) -> None:
        self.kernel, self.leaves = kernel, leaves
        self.bits: dict[str, int] = {}  # of a FIFO's tokens
        self.used: dict[tuple[str, bool], int] = {}  # how many tasks read, and write, a FIFO
        self.ports = ["input clk", "input rst", "output done", "output empty"]

    def text(self) -> str:
        kernel, instances = self.kernel, []
        tasks = kernel.calls[1]
        self.ports += [f"input [31:0] a_{p.name}" for p in kernel.ports if p.kind == card.SCALAR]
        for t, task in enumerate(tasks):
            self.ports += [f"output done_{t}", f"output busy_{t}"]
            pins = self._pins(t, task)
            instances.append(f"  leaf_{task.leaf} task_{t}({', '.join(f'.{n}({x})' for n, x in pins.items())});")
        fifos = [self._fifo(name) for name in self._names()]
        out = [f"module kernel({', '.join(self.ports)});", *(line for lines in fifos for line in lines), *instances]
        out.append(f"  assign done = {' & '.join(f'done_{t}' for t in range(len(tasks)))};")
        out.append(f"  assign empty = ~({' | '.join(f'{name}_empty_n' for name in self._names())});")
        return "\n".join([*out, "endmodule"]) + "\n"

    def _names(self) -> list[str]:
        return [
            f"f_{name}_{i}" if s.count else f"f_{name}"
            for name, s in self.kernel.streams.items()
            for i in range(s.count or 1)
        ]

    def _pins(self, t: int, task: Task) -> dict[str, str]:
        """Return what the ports of a task's instance are connected to."""
        leaf = self.leaves[task.leaf]
        pins = {"clk": "clk", "rst": "rst", "done": f"done_{t}", "busy": f"busy_{t}"}
        for i, argument in enumerate(task.arguments):
            if f"p{i}" in leaf.parameters:
                bits = leaf.parameters[f"p{i}"]
                pins[f"p_p{i}"] = f"{bits}'d{argument}" if argument.isdigit() else f"a_{argument}"
        for stream, (is_input, size) in leaf.streams.items():
            parameter, _, element = stream.partition("_")
            argument = task.arguments[int(parameter[1:])]
            name, _, index = argument.rstrip("]").partition("[")
            if self.kernel.streams[name].count:
                name = f"{name}_{index or element or 0}"
            fifo = f"f_{name}"
            self.bits[fifo] = 8 * size
            self.used[fifo, is_input] = self.used.get((fifo, is_input), 0) + 1
            for pin in ("dout", "empty_n", "read") if is_input else ("din", "full_n", "write"):
                pins[f"{stream}_{pin}"] = f"{fifo}_{pin}"
        for parameter, kinds in leaf.ports.items():
            n = f"m{t}_{parameter[1:]}"
            self.ports += [f"output {n}_ask", f"output [31:0] {n}_at", f"output [31:0] {n}_last"]
            names = ["ask", "at", "last"]
            if "read" in kinds:
                pins[f"{parameter}_read"] = ""
            if kinds == ["read"]:
                self.ports += [f"output [63:0] {n}_raddr", f"input [511:0] {n}_rdata", f"input {n}_rvalid"]
                names += ["raddr", "rdata", "rvalid"]
            elif kinds == ["write"]:
                self.ports += [f"output [63:0] {n}_waddr", f"output [511:0] {n}_wdata", f"output [63:0] {n}_wmask"]
                self.ports += [f"output {n}_write", f"input {n}_wready"]
                names += ["waddr", "wdata", "wmask", "write", "wready"]
            else:
                raise RuntimeError("a task reads and writes one array")
            pins.update({f"{parameter}_{pin}": f"{n}_{pin}" for pin in names})
        return pins

    def _fifo(self, name: str) -> list[str]:
        if self.used.get((name, True)) != 1 or self.used.get((name, False)) != 1:
            raise RuntimeError(f"{name[2:]} has not one writer and one reader")
        bits = self.bits[name]
        depth = self.kernel.streams[re.sub(r"_\d+$", "", name[2:]) if name[2:] not in self.kernel.streams else name[2:]]
        pins = ("din", "full_n", "write", "dout", "empty_n", "read")
        connected = ", ".join(f".{p}({name}_{p})" for p in pins)
        return [
            f"  wire [{bits - 1}:0] {name}_din, {name}_dout;",
            f"  wire {name}_full_n, {name}_write, {name}_empty_n, {name}_read;",
            f"  fifo #(.BITS({bits}), .DEPTH({depth.depth})) q_{name}(.clk(clk), .rst(rst), {connected});",
        ]
