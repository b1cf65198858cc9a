# SPDX-License-Identifier: Apache-2.0
"""A circuit as text of Verilog.

A FIFO is a port as Vitis' ap_fifo has it (`_dout`, `_empty_n`, `_read`; `_din`, `_full_n`, `_write`). Memory outside is
a port of words: `_raddr` and `_read` ask, and the word is `_rdata` once `_rvalid` is set; `_waddr`, `_wdata` and
`_wmask` (a bit per byte) are taken where `_write` and `_wready` meet. A cycle happens once all that its path uses is
ready. A leaf that calls __port_word has `_ask`, `_at` and `_last` too, before the word is there or taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .datapath import Ask, Datapath, State, Transfer
from .ir import CircuitError
from .storage import WORD, Access, port_name
from .wires import register


@dataclass(frozen=True)
class Circuit:
    """A leaf as Verilog, and what there is to say of it."""

    name: str
    text: str
    synthesized: str  # the same with its memories of the chip outside: their addresses and data are ports
    warnings: list[str]  # why a loop cannot have II = 1
    streams: dict[str, tuple[bool, int]]  # of each FIFO: whether tokens come in, and their bytes
    memories: dict[str, tuple[int, int]]  # on chip: rows and bits of a row
    ports: dict[str, list[str]]  # of memory outside: "read", "write"
    parameters: dict[str, int]  # bits of each scalar


def write(circuit: Datapath) -> Circuit:
    """Write a circuit's module."""
    return _Writer(circuit).write()


class _Writer:
    def __init__(self, circuit: Datapath) -> None:
        self.circuit, self.states = circuit, circuit.states
        self.bits = max(1, len(circuit.states).bit_length())
        self.warnings = list(circuit.control.slow)
        self.checks: list[tuple[int, str, list[str]]] = []  # state, port, conditions of which one at most may hold

    def write(self) -> Circuit:
        """Write the module."""
        circuit = self.circuit
        inside = self._module(with_memories=True)
        outside = self._module(with_memories=False) if circuit.memories else inside
        return Circuit(
            circuit.function.name,
            inside,
            outside,
            sorted(set(self.warnings)),
            {circuit.stream_name(s): (port.is_input, port.size) for s, port in circuit.streams.items()},
            {_short(name): (rows, 8 * width) for name, (rows, width, _) in circuit.memories.items()},
            {port_name(base): sorted(kinds) for base, kinds in circuit.ports.items()},
            {v[1:]: circuit.bits_of(t) for t, v in circuit.function.params if t != "ptr"},
        )

    def _module(self, *, with_memories: bool) -> str:
        circuit = self.circuit
        self.warnings, self.checks = list(circuit.control.slow), []
        fires = [self._fire(k, state) for k, state in enumerate(self.states)]
        always = [self._registers(k, state, with_memories) for k, state in enumerate(self.states)]
        ports, wires = self._module_ports(), circuit.declarations
        writes: list[str] = []
        if not with_memories:
            more, wires, writes = self._memories_outside()
            ports = ports + more
        lines = [f"module {circuit.function.name}(" + ", ".join(ports) + ");"]
        lines += [*self._declarations(with_memories), *wires, *fires, *self._stream_outputs(), *self._port_outputs()]
        lines += writes
        lines.append(f"  assign done = state == {self.bits}'d{len(self.states)};")
        lines.append("  assign busy = " + " | ".join(f"fire_{k}" for k in range(len(self.states))) + ";")
        lines.append(f"  always @(posedge clk) if (rst) state <= {self.bits}'d0; else begin")
        lines += [*always, "  end", *self._checks(), "endmodule"]
        return "\n".join(lines) + "\n"

    def _memories_outside(self) -> tuple[list[str], list[str], list[str]]:
        """Return ports of the memories of the chip, the wires without their reads, and what drives the ports."""
        ports, drives, reads = [], [], {}
        for name, bits, _, row in self.circuit.row_wires:
            reads[name] = f"  wire [{bits - 1}:0] {name} = {name}_data;"
            ports += [f"input [{bits - 1}:0] {name}_data", f"output [31:0] {name}_row"]
            drives.append(f"  assign {name}_row = {row};")
        wires = [reads.get(line.split("]", 1)[1].split()[0], line) for line in self.circuit.declarations]
        count = 0
        for k, state in enumerate(self.states):
            for w in state.row_writes:
                name, count = f"row_write_{count}", count + 1
                ports += [f"output [{w.high - w.low - 1}:0] {name}_data", f"output [31:0] {name}_row", f"output {name}"]
                drives += [f"  assign {name}_data = {w.data};", f"  assign {name}_row = {w.row};"]
                drives.append(f"  assign {name} = fire_{k} & {w.condition};")
        return ports, wires, drives

    def _module_ports(self) -> list[str]:
        circuit = self.circuit
        ports = ["input clk", "input rst", "output done", "output busy"]
        for kind, name in circuit.function.params:
            if kind != "ptr":
                ports.append(f"input [{circuit.bits_of(kind) - 1}:0] p_{name[1:]}")
        for stream, port in circuit.streams.items():
            n, top = circuit.stream_name(stream), 8 * port.size - 1
            if port.is_input:
                ports += [f"input [{top}:0] {n}_dout", f"input {n}_empty_n", f"output {n}_read"]
            else:
                ports += [f"output [{top}:0] {n}_din", f"input {n}_full_n", f"output {n}_write"]
        top = 8 * WORD - 1
        for base, kinds in circuit.ports.items():
            n = port_name(base)
            if "read" in kinds:
                ports += [f"output [63:0] {n}_raddr", f"output {n}_read"]
                ports += [f"input [{top}:0] {n}_rdata", f"input {n}_rvalid"]
            if "write" in kinds:
                ports += [f"output [63:0] {n}_waddr", f"output [{top}:0] {n}_wdata", f"output [{WORD - 1}:0] {n}_wmask"]
                ports += [f"output {n}_write", f"input {n}_wready"]
            if self._asks(base):
                ports += [f"output {n}_ask", f"output [31:0] {n}_at", f"output [31:0] {n}_last"]
        return ports

    def _asks(self, base: str) -> list[tuple[str, Ask]]:
        """Return what is said of the words of a port, and when: once the tokens that the cycle takes are there."""
        circuit, found = self.circuit, []
        for k, state in enumerate(self.states):
            there = [
                f"(~{t.condition} | {circuit.stream_name(t.stream)}_empty_n)" for t in state.transfers if not t.data
            ]
            cycle = " & ".join([f"(state == {self.bits}'d{k})", *there])
            found += [(f"{cycle} & {a.condition}", a) for a in state.asks if a.port == base]
        return found

    def _declarations(self, with_memories: bool) -> list[str]:
        circuit = self.circuit
        out = [f"  reg [{self.bits - 1}:0] state;"]
        for (rows, bits, content), name in circuit.roms.items():
            out += [f"  reg [{bits - 1}:0] {name} [0:{rows - 1}];", _initial(name, rows, bits, content)]
        for array, cells in circuit.cells.items():
            out += [f"  reg [{8 * size - 1}:0] {register(array)}_{offset};" for offset, size in cells]
        for memory, (rows, width, content) in circuit.memories.items() if with_memories else ():
            name = register(memory)
            out.append(f"  reg [{8 * width - 1}:0] {name} [0:{rows - 1}];")
            if memory in circuit.module.variables:  # of a static array: as the chip is configured
                out.append(_initial(name, rows, 8 * width, content))
        return out + [f"  reg [{bits - 1}:0] {register(v)};" for v, bits in circuit.registers.items()]

    def _fire(self, k: int, state: State) -> str:
        """Return when a cycle happens."""
        circuit, ready = self.circuit, []
        by: dict[tuple[str, int], list[Transfer]] = {}
        for t in state.transfers:
            by.setdefault(t.stream, []).append(t)
            ready.append(f"(~{t.condition} | {circuit.stream_name(t.stream)}_{'full_n' if t.data else 'empty_n'})")
        for stream, transfers in by.items():
            name = circuit.stream_name(stream)
            self._once(k, name, [(t.block, t.condition, "") for t in transfers])
        for base in circuit.ports:
            name = port_name(base)
            for data, wait in ((False, "rvalid"), (True, "wready")):
                found = [a for a in state.accesses if a.port == base and bool(a.data) == data]
                ready += [f"(~{c} | {name}_{wait})" for c in dict.fromkeys(a.condition for a in found)]
                self._once(k, name, [(a.block, a.condition, a.address) for a in found])
        for memory, rows in state.row_reads.items():
            if len(rows) > 1 and k < len(circuit.control.states) and circuit.control.states[k] in circuit.control.loops:
                self.warnings.append(f"{memory[2:]} is read at {len(rows)} places in a cycle: II > 1")
        return f"  wire fire_{k} = (state == {self.bits}'d{k})" + "".join(f" & {r}" for r in ready) + ";"

    def _once(self, k: int, name: str, uses: list[tuple[str, str, str]]) -> None:
        """Take down if a port is used twice along a path; a use is a block, a condition and an address."""
        control = self.circuit.control
        for i, (a, _, at) in enumerate(uses):
            for b, _, other in uses[i + 1 :]:
                if a == b and (not at or at != other):
                    self.warnings.append(f"state {k}: {name} is used twice in a cycle: II > 1")
                elif a != b and (not at or at != other) and control.reaches(a, b, control.states[k]):
                    self.checks.append((k, name, [c for _, c, _ in uses]))

    def _registers(self, k: int, state: State, with_memories: bool) -> str:
        """Return what registers hold after a cycle."""
        circuit = self.circuit
        lines = [f"      if ({e}) state <= {self.bits}'d{target};" for e, target in state.nexts]
        lines += [f"      if ({e}) state <= {self.bits}'d{len(self.states)};" for e in state.ends]
        arms: dict[str, list[tuple[str, str]]] = {}
        for value, edge, x in state.phis:
            arms.setdefault(value, []).append((edge, x))
        for value, following in arms.items():
            if value in circuit.registers:
                expression = register(value)
                for edge, x in following:
                    expression = f"{edge} ? {x} : {expression}"
                lines.append(f"      {register(value)} <= {expression};")
        for value in circuit.registers:
            if not circuit.is_phi(value) and circuit.control.defined.get(value) in state.blocks:
                x = state.values.get(value, register(value))
                reached = state.late.get(circuit.control.defined[value])
                if x != register(value):
                    lines.append(f"      {f'if ({reached}) ' if reached else ''}{register(value)} <= {x};")
        for array, cells in state.held.items():
            for offset, held in cells.items():
                if held is not None and held != f"{register(array)}_{offset}":
                    lines.append(f"      {register(array)}_{offset} <= {held};")
        widths = {register(m): 8 * width for m, (_, width, _) in circuit.memories.items()}
        for w in state.row_writes if with_memories else ():
            part = "" if (w.low, w.high) == (0, widths[w.memory]) else f"[{w.high - 1}:{w.low}]"
            lines.append(f"      if ({w.condition}) {w.memory}[{w.row}]{part} <= {w.data};")
        return f"    if (fire_{k}) begin\n" + "\n".join(lines) + "\n    end"

    def _stream_outputs(self) -> list[str]:
        circuit, out = self.circuit, []
        uses: dict[tuple[str, int], list[tuple[int, Transfer]]] = {s: [] for s in circuit.streams}
        for k, state in enumerate(self.states):
            for t in state.transfers:
                uses[t.stream].append((k, t))
        for stream, port in circuit.streams.items():
            n = circuit.stream_name(stream)
            fired = " | ".join(f"(fire_{k} & {t.condition})" for k, t in uses[stream])
            if port.is_input:
                out.append(f"  assign {n}_read = {fired};")
                continue
            out.append(f"  assign {n}_write = {fired};")
            last = uses[stream][-1][1].data
            for k, t in uses[stream][-2::-1]:
                last = f"(state == {self.bits}'d{k}) & {t.condition} ? {t.data} : {last}"
            out.append(f"  assign {n}_din = {last};")
        return out

    def _port_outputs(self) -> list[str]:
        out = []
        for base, kinds in self.circuit.ports.items():
            n = port_name(base)
            for kind in sorted(kinds):
                writes = kind == "write"
                found = [
                    (f"(state == {self.bits}'d{k}) & {a.condition}", f"(fire_{k} & {a.condition})", a)
                    for k, state in enumerate(self.states)
                    for a in state.accesses
                    if a.port == base and bool(a.data) == writes
                ]
                address = found[-1][2].address
                for condition, _, a in found[-2::-1]:
                    if a.address != address:
                        address = f"{condition} ? {a.address} : {address}"
                out.append(f"  assign {n}_{'waddr' if writes else 'raddr'} = {address};")
                # A read is asked for before it can happen, so its condition has no part in itself.
                asked = dict.fromkeys(fired if writes else f"({condition})" for condition, fired, _ in found)
                out.append(f"  assign {n}_{kind} = {' | '.join(asked)};")
                if writes:
                    out += self._written(n, [(c, a) for c, _, a in found])
            if asks := self._asks(base):
                at, last = asks[-1][1].at, asks[-1][1].last
                for condition, ask in asks[-2::-1]:
                    at, last = f"{condition} ? {ask.at} : {at}", f"{condition} ? {ask.last} : {last}"
                out.append(f"  assign {n}_ask = {' | '.join(f'({condition})' for condition, _ in asks)};")
                out += [f"  assign {n}_at = {at};", f"  assign {n}_last = {last};"]
        return out

    def _written(self, name: str, found: list[tuple[str, Access]]) -> list[str]:
        """Return the word that is written, from its pieces."""
        pieces: dict[tuple[int, int], list[tuple[str, Access]]] = {}
        for condition, a in found:
            pieces.setdefault((a.offset, a.size), []).append((condition, a))
        data, mask, at = [], [], 0
        for (offset, size), uses in sorted(pieces.items()):
            if offset < at:
                raise CircuitError(f"{name} is written in pieces that overlap")
            if offset > at:
                data.append(f"{8 * (offset - at)}'d0")
                mask.append(f"{offset - at}'d0")
            piece = uses[-1][1].data
            for condition, a in uses[-2::-1]:
                piece = f"{condition} ? {a.data} : {piece}"
            data.append(f"({piece})")
            mask.append(f"{{{size}{{{' | '.join(f'({c})' for c, _ in uses)}}}}}")
            at = offset + size
        if at < WORD:
            data.append(f"{8 * (WORD - at)}'d0")
            mask.append(f"{WORD - at}'d0")
        return [
            f"  assign {name}_wdata = {{{', '.join(data[::-1])}}};",
            f"  assign {name}_wmask = {{{', '.join(mask[::-1])}}};",
        ]

    def _checks(self) -> list[str]:
        """Return what stops a simulation in which a cycle uses a port twice."""
        if not self.checks:
            return []
        name = self.circuit.function.name
        out = ["`ifdef VERILATOR", "  always @(posedge clk) if (!rst) begin"]
        for k, port, conditions in self.checks:
            total = " + ".join(f"{{3'd0, {c}}}" for c in conditions)
            message = f"{name}: two operations on {port} in a cycle: II > 1"
            out.append(f'    if (fire_{k} && ({total}) > 4\'d1) begin $display("{message}"); $stop; end')
        return [*out, "  end", "`endif"]


def _initial(name: str, rows: int, bits: int, content: int) -> str:
    if content == 0:
        i = f"i_{name}"
        return f"  integer {i}; initial for ({i} = 0; {i} < {rows}; {i} = {i} + 1) {name}[{i}] = 0;"
    cells = (f"{name}[{i}] = {bits}'d{content >> (bits * i) & (1 << bits) - 1};" for i in range(rows))
    return "  initial begin " + " ".join(cells) + " end"


def _short(name: str) -> str:
    """Return a memory's name as the source has it; that of a static variable is mangled."""
    name = re.sub(r"(\.i)+\d*$", "", name[1:])
    while m := re.search(r"\d+", name):
        if len(name) - m.end() == int(m[0]):
            return name[m.end() :]
        name = name[m.end() :]
    return name
