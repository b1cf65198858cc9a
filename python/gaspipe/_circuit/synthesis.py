# SPDX-License-Identifier: Apache-2.0
"""What a circuit costs, and the slowest path that lies on a cycle through registers (its recurrence).

Paths that lie on no cycle can be cut by pipeline stages; the recurrence cannot, so it bounds the clock at II = 1. yosys
maps to LUTs of UltraScale+. Delays are a model, made to rank leaves and to see a change, not to replace place and
route; LUT levels are what they are. yosys finds more LUTs than Vivado would.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from .ir import CircuitError, NotMeasured
from .verilog import Circuit

# ns: a LUT and the net behind it, a carry chain's start, step and end, a wide multiplexer, a memory's or multiplier's
# output, a register's clock-to-output and setup.
LUT, NET, CARRY_IN, CARRY_BIT, CARRY_OUT, MUXF, OTHER, CLOCK_TO_Q, SETUP = (
    0.12,
    0.35,
    0.12,
    0.008,
    0.10,
    0.10,
    0.9,
    0.10,
    0.05,
)
_SYNTHESIZE = "synth_xilinx -family xcup -flatten -noiopad -noclkbuf -nodsp -top {top}; write_json {netlist}"
# Products and quotients are mapped once for all of their instances (operator/operators.v).
_MAP_OPERATORS = (
    "proc; opt_expr; opt_clean; wreduce; techmap -map {operators}/map.v; read_verilog {operators}/operators.v; "
)
_OPERATORS = Path(__file__).parent / "operator"


@dataclass(frozen=True)
class Cost:
    """What a leaf takes, and how fast its recurrence is."""

    luts: int
    registers: int
    levels: int  # LUTs along the recurrence
    ns: float  # of the recurrence; 0 where there is none

    @property
    def mhz(self) -> float:
        """The clock up to which II = 1 is possible; infinite without a recurrence."""
        return 1000 / self.ns if self.ns > 0 else float("inf")


def synthesize(circuit: Circuit, work: Path, most_seconds: float | None = None) -> Cost:
    """Return what yosys makes of a circuit, its memories of the chip apart.

    No path goes through those: a memory that a loop reads and writes is declared with a DEPENDENCE that gives it time.
    """
    text, top = circuit.synthesized, circuit.name
    source, netlist = work / f"{top}.yosys.v", work / f"{top}.json"
    source.write_text(text, encoding="utf-8")
    script = "read_verilog {source}; " + (_MAP_OPERATORS if re.search(r" [*/%] ", text) else "") + _SYNTHESIZE
    yosys(script.format(source=source, top=top, netlist=netlist, operators=_OPERATORS), most_seconds)
    modules = json.loads(netlist.read_text(encoding="utf-8"))["modules"]
    operators = {name: module for name, module in modules.items() if "keep_hierarchy" in module["attributes"]}
    kinds = list(_kinds(modules[top], operators))
    ns, levels = recurrence(modules[top], operators)
    return Cost(sum(bool(re.match(r"LUT\d|INV", k)) for k in kinds), sum(k.startswith("FD") for k in kinds), levels, ns)


def yosys(script: str, most_seconds: float | None = None) -> None:
    """Run a script of yosys.

    Raises
    ------
    CircuitError
        If there is none, or it fails; NotMeasured if it takes longer than `most_seconds`.

    """
    # In a group of its own, with the programs that it starts, so that all of them can be ended.
    command, pipe = ["yosys", "-q", "-p", script], subprocess.PIPE
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )
    except OSError:
        raise CircuitError("there is no yosys (Debian: yosys)") from None
    try:
        said, complained = process.communicate(timeout=most_seconds)
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"yosys has not mapped it to LUTs in {most_seconds:g} seconds") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode != 0:
        raise CircuitError(f"yosys: {(complained or said).strip().splitlines()[-1]}")


def _kinds(module: dict[str, Any], operators: dict[str, Any]) -> Iterator[str]:
    """Yield the types of a module's cells, in place of an operator those of its cells."""
    for cell in module["cells"].values():
        kind = cell["type"]
        yield from _kinds(operators[kind], operators) if kind in operators else [kind]


class _Graph:
    """Bits of a netlist that a cell drives, each with the bits before it, the delay and the levels between."""

    def __init__(self, cells: dict[str, Any], operators: dict[str, tuple[float, int]] | None = None) -> None:
        self.operators = operators or {}
        driver = {}
        for cell in cells.values():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "output":
                    for k, bit in enumerate(bits):
                        driver[bit] = (cell, k)
        self.node = {bit: i for i, bit in enumerate(driver)}
        self.is_register = [cell["type"].startswith("FD") for cell, _ in driver.values()]
        self.before = [self._before(cell, k) for cell, k in driver.values()]

    def _before(self, cell: dict[str, Any], k: int) -> list[tuple[int, float, int]]:
        kind, pins, way = cell["type"], cell["connections"], cell["port_directions"]
        inputs = {p: bits for p, bits in pins.items() if way[p] == "input"}
        out: list[tuple[int, float, int]] = []

        def add(bits: list[Any], delay: float, levels: int) -> None:
            out.extend((self.node[b], delay, levels) for b in bits if b in self.node)

        if kind.startswith("FD"):
            for p, bits in inputs.items():
                if p != "C":
                    add(bits, SETUP, 0)
        elif kind.startswith("CARRY"):
            for p in ("S", "DI"):
                for j, bit in enumerate(pins.get(p, [])[: k + 1]):
                    add([bit], NET * 0.3 + CARRY_IN + (k - j) * CARRY_BIT + CARRY_OUT, 0)
            for p in ("CI", "CYINIT"):
                add(pins.get(p, []), (k + 1) * CARRY_BIT, 0)
        else:
            delay, levels = (OTHER, 1)
            if kind.startswith(("LUT", "INV")):
                delay, levels = (LUT + NET, 1)
            elif kind.startswith("MUXF"):
                delay, levels = (MUXF, 0)
            elif kind in self.operators:
                delay, levels = self.operators[kind]
            for p, bits in inputs.items():
                if p not in ("CLK", "WCLK"):
                    add(bits, delay, levels)
        return out


def _slowest(module: dict[str, Any]) -> tuple[float, int]:
    """Return ns and LUT levels of the slowest path through a module without registers."""
    graph = _Graph(module["cells"])
    at: list[tuple[float, int]] = [(0.0, 0)] * len(graph.before)
    order = TopologicalSorter({i: [w for w, _, _ in edges] for i, edges in enumerate(graph.before)})
    for i in order.static_order():
        own = [(at[w][0] + delay, at[w][1] + levels) for w, delay, levels in graph.before[i]]
        at[i] = max(own, default=(LUT + NET, 1))
    return max(at, default=(0.0, 0))


def recurrence(module: dict[str, Any], operators: dict[str, Any] | None = None) -> tuple[float, int]:
    """Return ns and LUT levels of the slowest path from register to register that lies on a cycle.

    `operators`: modules without registers, by the types of their cells.
    """
    kinds = {cell["type"] for cell in module["cells"].values()}
    graph = _Graph(module["cells"], {k: _slowest(m) for k, m in (operators or {}).items() if k in kinds})
    component = _components([[w for w, _, _ in edges] for edges in graph.before])
    arrival: dict[int, tuple[float, int] | None] = {}

    def arrive(root: int) -> tuple[float, int] | None:
        work = [root]
        while work:
            i = work[-1]
            if i in arrival:
                work.pop()
                continue
            if graph.is_register[i]:
                arrival[i] = (CLOCK_TO_Q, 0)
                continue
            inside = [(w, delay, levels) for w, delay, levels in graph.before[i] if component[w] == component[i]]
            open_ones = [w for w, _, _ in inside if w not in arrival]
            if open_ones:
                work += open_ones
                continue
            best = None
            for w, delay, levels in inside:
                at = arrival[w]
                if at is not None and (best is None or at[0] + delay > best[0]):
                    best = (at[0] + delay, at[1] + levels)
            arrival[i] = best
        return arrival[root]

    worst = (0.0, 0)
    for i, edges in enumerate(graph.before):
        if not graph.is_register[i]:
            continue
        for w, delay, levels in edges:
            if component[w] == component[i] and (at := arrive(w)) is not None:
                worst = max(worst, (at[0] + delay, at[1] + levels))
    return worst


def _components(before: list[list[int]]) -> list[int]:
    """Return the number of every node's strongly connected component (R. Tarjan, 1972)."""
    n = len(before)
    number, low, component = [0] * n, [0] * n, [-1] * n
    stack: list[int] = []
    count = found = 0
    for root in range(n):
        if number[root]:
            continue
        count += 1
        number[root] = low[root] = count
        stack.append(root)
        path = [(root, 0)]
        while path:
            v, k = path[-1]
            if k < len(before[v]):
                path[-1] = (v, k + 1)
                w = before[v][k]
                if not number[w]:
                    count += 1
                    number[w] = low[w] = count
                    stack.append(w)
                    path.append((w, 0))
                elif component[w] < 0:
                    low[v] = min(low[v], number[w])
                continue
            path.pop()
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[v])
            if low[v] == number[v]:
                while True:
                    w = stack.pop()
                    component[w] = found
                    if w == v:
                        break
                found += 1
    return component
