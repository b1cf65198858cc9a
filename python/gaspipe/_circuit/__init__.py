# SPDX-License-Identifier: Apache-2.0
"""Leaves (the tasks of a kernel) as circuits, by open tools: C++ -> LLVM's intermediate code -> Verilog -> yosys.

What it proves: that a leaf means the same as a circuit (its Verilog is simulated against the emulator: `tests/rtl`),
that each trip through its loops is one clock cycle in which no FIFO or port is used twice, and how long the slowest
path on a cycle through registers is, which bounds the clock at II = 1.

What it does not: that a vendor's tool accepts a pragma, how it schedules, what place and route make of it. Delays are a
model. Memories of the chip are read combinationally. Floating point is not covered: `CircuitError`.

    leaves = Leaves(source, include, work)          # extern "C" functions over streams
    leaves.names, leaves.circuit(name).text, leaves.cost(name).mhz
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from . import arrays, tools
from .datapath import Datapath
from .intermediate import compile_leaves, preprocess
from .ir import CircuitError, Module, NotMeasured
from .memories import memory_blocks
from .synthesis import Cost, synthesize
from .verilog import Circuit, write

__all__ = [
    "Circuit",
    "CircuitError",
    "Cost",
    "Leaves",
    "NotMeasured",
    "identity",
    "memory_blocks",
    "missing_packages",
    "synthesize",
]


def missing_packages(*, simulation: bool = False) -> list[str]:
    """Return Debian's packages that must be installed before leaves are measured or, too, simulated."""
    return tools.missing(simulation=simulation)


def identity() -> str:
    """Return the names of the compilers that are used: what they make may differ from version to version."""
    return " ".join(tools.llvm() or ())


class Leaves:
    """The leaves of a file of C++: its `extern "C"` functions."""

    def __init__(self, source: Path, include: Path, work: Path) -> None:
        self._work = work
        text = preprocess(source, include)
        self._partitioned, self._memories = arrays.declared(text)
        self._module = Module(compile_leaves(text, source.stem, work))

    @cached_property
    def names(self) -> list[str]:
        """Names of the leaves."""
        return [name for name in self._module.functions() if not name.startswith("_Z")]

    def circuit(self, name: str, *, joined: bool = False) -> Circuit:
        """Return a leaf as Verilog; `joined`: with no cycles between the turns of inner loops (control.py).

        Raises
        ------
        CircuitError
            For a construct that no circuit is made of, with its line.

        """
        return write(Datapath(self._module, name, self._memories, joined=joined))

    def undeclared_arrays(self, name: str) -> dict[str, int]:
        """Return the arrays with variable indices that are neither partitioned nor memories, and how many indices."""
        return arrays.undeclared(self._module.function(name), self._partitioned | self._memories)

    def cost(self, name: str, most_seconds: float | None = None) -> Cost:
        """Return what yosys makes of a leaf; NotMeasured where that takes longer."""
        return synthesize(self.circuit(name), self._work, most_seconds)
