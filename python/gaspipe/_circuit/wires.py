# SPDX-License-Identifier: Apache-2.0
"""Wires of a circuit: Verilog's declarations with names of their own, and what values of the code are on them."""

from __future__ import annotations

import re

from .ir import CircuitError, Function, Module

SIMPLE = re.compile(r"\w+")


def is_name(expression: str) -> bool:
    """Whether an expression is a wire's or register's name, of which bits can be taken."""
    return SIMPLE.fullmatch(expression) is not None


class Wires:
    """What is common to all states, and the values of the state at hand."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module, self.function = module, function
        self.declarations: list[str] = []
        self.registers: dict[str, int] = {}  # values that a later cycle uses, with their bits
        self.roms: dict[tuple[int, int, int], str] = {}  # rows, bits, content
        self.values: dict[str, str] = {}  # of the state at hand
        self.pair_bits: dict[str, int] = {}  # bits of values that come with an overflow
        self._count = 0

    def wire(self, bits: int, expression: str, hint: str = "w") -> str:
        """Declare a wire and return its name."""
        self._count += 1
        name = f"{hint}_{self._count}"
        self.declarations.append(f"  wire [{bits - 1}:0] {name} = {expression};")
        return name

    def set(self, target: str, bits: int, expression: str) -> None:
        """Give a value of the code a wire."""
        self.values[target] = self.wire(bits, expression, "s")

    def value(self, text: str, bits: int) -> str:
        """Return the expression of a value: a wire, a constant, or the register that an earlier cycle left it in."""
        text = text.strip()
        if text in self.values:
            return self.values[text]
        if re.fullmatch(r"-?\d+", text):
            return f"{bits}'d{int(text) & (1 << bits) - 1}"
        if text in ("true", "false"):
            return f"1'd{int(text == 'true')}"
        if text in ("undef", "poison", "zeroinitializer", "null"):
            return f"{bits}'d0"
        if text.startswith("%"):
            self.registers.setdefault(text, bits)
            self.values[text] = register(text)
            return self.values[text]
        raise CircuitError(f"the value {text} is none that a circuit is made of")

    def bits_of(self, type_text: str) -> int:
        """Bits of a scalar type; integers and pointers only."""
        t = self.module.type(type_text)
        if t.kind not in ("int", "ptr"):
            raise CircuitError(f"values of {_KINDS.get(t.kind, t.kind)} are not covered")
        return t.bits

    def rom(self, rows: int, bits: int, content: int) -> str:
        """Return the name of a table that is never written."""
        return self.roms.setdefault((rows, bits, content), f"rom_{len(self.roms)}")

    def tree(self, values: list[str], index: str, index_bits: int, bits: int) -> str:
        """Return the value of an index, by a tree of two-way multiplexers."""
        for k in range(index_bits):
            values = [
                values[j]
                if j + 1 >= len(values)
                else self.wire(bits, f"{index}[{k}] ? {values[j + 1]} : {values[j]}", "x")
                for j in range(0, len(values), 2)
            ]
        return values[0] if is_name(values[0]) else self.wire(bits, values[0], "x")


_KINDS = {"float": "floating point", "struct": "a struct", "array": "an array"}


def register(name: str) -> str:
    """Return the register of a value of the code."""
    return "r_" + re.sub(r"\W", "_", name[1:])
