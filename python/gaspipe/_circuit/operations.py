# SPDX-License-Identifier: Apache-2.0
"""Instructions of the intermediate code as expressions of Verilog."""

from __future__ import annotations

import re

from .ir import CircuitError, Instruction, split, typed
from .pointers import Either, Place
from .storage import Storage
from .wires import is_name

_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "lshr": ">>",
    "ashr": ">>>",
    "udiv": "/",
    "urem": "%",
    "sdiv": "/",
    "srem": "%",
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_FLOATING = re.compile(r"f(add|sub|mul|div|rem|neg|cmp|ptrunc|pext|ptoui|ptosi)$|[us]itofp$")


class Operations(Storage):
    """Storage, with the instructions that compute a value from others."""

    def compute(self, i: Instruction) -> None:
        """Give the result of an instruction, which is no call and touches no memory, a wire."""
        if i.op in _SIGNS:
            self._arithmetic(i)
        elif i.op == "icmp":
            self._compare(i)
        elif i.op in ("zext", "trunc", "sext"):
            self._convert(i)
        elif i.op == "select":
            self._select(i)
        elif i.op == "freeze":
            type_text, value = typed(i.text[7:])
            bits = self.bits_of(type_text)
            self.set(i.target, bits, self.value(value, bits))
        elif i.op == "extractvalue":
            m = re.match(r"extractvalue .*\} (\S+), (\d)", i.text)
            if m is None or f"{m[1]}.{m[2]}" not in self.values:
                raise CircuitError(f"the operation {i.text}")
            bits = self.pair_bits[m[1]] if m[2] == "0" else 1
            self.set(i.target, bits, self.values[f"{m[1]}.{m[2]}"])
        elif _FLOATING.match(i.op):
            raise CircuitError(f"an operation on floating point ({i.op}); those are not covered")
        else:
            raise CircuitError(f"the operation {i.op} is none that a circuit is made of")

    def _arithmetic(self, i: Instruction) -> None:
        first, second = split(re.sub(r"^\w+( nuw| nsw| exact| disjoint)*", "", i.text).strip())
        type_text, value = typed(first)
        bits = self.bits_of(type_text)
        x, y = self.value(value, bits), self.value(second, bits)
        if i.op == "ashr":
            expression = f"$signed({x}) >>> {y}"
        elif i.op in ("sdiv", "srem"):
            expression = f"$signed({x}) {_SIGNS[i.op]} $signed({y})"
        else:
            expression = f"{x} {_SIGNS[i.op]} {y}"
        self.set(i.target, bits, expression)

    def _compare(self, i: Instruction) -> None:
        m = re.match(r"icmp (?:samesign )?(\w+) (.*)", i.text)
        assert m is not None
        first, second = split(m[2])
        type_text, value = typed(first)
        bits = self.bits_of(type_text)
        x, y = self.value(value, bits), self.value(second, bits)
        if m[1][0] == "s":
            x, y = f"$signed({x})", f"$signed({y})"
        self.set(i.target, 1, f"{x} {_COMPARISONS[m[1] if m[1] in _COMPARISONS else m[1][1:]]} {y}")

    def _convert(self, i: Instruction) -> None:
        m = re.match(r"\w+ (?:nneg |nuw |nsw )*(\S+) (\S+) to (\S+)", i.text)
        assert m is not None
        before, after = self.bits_of(m[1]), self.bits_of(m[3])
        x = self.value(m[2], before)
        if i.op == "sext":
            self.set(i.target, after, f"{{{{{after - before}{{{x}[{before - 1}]}}}}, {x}}}")
            return
        if i.op == "trunc" and not is_name(x):
            x = self.wire(before, x, "t")
        self.set(i.target, after, x if i.op == "zext" else f"{x}[{after - 1}:0]")

    def _select(self, i: Instruction) -> None:
        chosen, first, second = split(i.text[7:])
        condition = self.value(typed(chosen)[1], 1)
        type_text, value = typed(first)
        if type_text == "ptr":
            self.pointers[i.target] = Either(condition, self.pointer(value), self.pointer(typed(second)[1]))
            return
        bits = self.bits_of(type_text)
        self.set(i.target, bits, f"{condition} ? {self.value(value, bits)} : {self.value(typed(second)[1], bits)}")

    def intrinsic(self, i: Instruction, name: str, args: list[str], block: str, condition: str) -> bool:
        """Do what an intrinsic function of LLVM does; False if it is none that is covered."""
        if name.startswith("llvm.lifetime.start"):  # what it held before means nothing
            self.forget(self.place(typed(args[1])[1]).base)
        elif re.match(r"llvm\.(lifetime|assume|experimental\.noalias|dbg)", name):
            pass
        elif name.startswith(("llvm.memcpy", "llvm.memmove")):
            size = int(typed(args[2])[1])
            source = self.pointer(typed(args[1])[1])
            data = self.wire(8 * size, self.load(size, source, block, condition, copy=True), "cp")
            self.store(size, data, self.pointer(typed(args[0])[1]), block, condition)
        elif name.startswith("llvm.memset"):
            byte, size = int(typed(args[1])[1]) & 255, int(typed(args[2])[1])
            data = self.wire(8 * size, f"{{{size}{{8'd{byte}}}}}", "ms")
            self.store(size, data, self.pointer(typed(args[0])[1]), block, condition)
        else:
            return self._function(i.target, name, args)
        return True

    def _function(self, target: str, name: str, args: list[str]) -> bool:
        """Give the result of a function of numbers a wire."""
        m = re.match(r"llvm\.(\w+(?:\.sat|\.with\.overflow)?)\.i\d+$", name)
        if m is None:
            return False
        bits = self.bits_of(typed(args[0])[0])
        values = [self.value(typed(a)[1], self.bits_of(typed(a)[0])) for a in args]
        x, y = values[0], values[1] if len(values) > 1 else ""
        if m[1] in ("umin", "umax", "smin", "smax"):
            a, b = (f"$signed({x})", f"$signed({y})") if m[1][0] == "s" else (x, y)
            self.set(target, bits, f"{a} {'<' if m[1].endswith('min') else '>'} {b} ? {x} : {y}")
        elif m[1] == "abs":
            a = self.wire(bits, x, "t")
            self.set(target, bits, f"{a}[{bits - 1}] ? {bits}'d0 - {a} : {a}")
        elif m[1] == "uadd.sat":
            s = self.wire(bits + 1, f"{{1'd0, {x}}} + {{1'd0, {y}}}", "sat")
            self.set(target, bits, f"{s}[{bits}] ? {{{bits}{{1'd1}}}} : {s}[{bits - 1}:0]")
        elif m[1] == "usub.sat":
            self.set(target, bits, f"{x} < {y} ? {bits}'d0 : {x} - {y}")
        elif m[1] == "uadd.with.overflow":
            s = self.wire(bits + 1, f"{{1'd0, {x}}} + {{1'd0, {y}}}", "ov")
            self._pair(target, bits, f"{s}[{bits - 1}:0]", f"{s}[{bits}]")
        elif m[1] == "usub.with.overflow":
            self._pair(target, bits, self.wire(bits, f"{x} - {y}", "ov"), self.wire(1, f"{x} < {y}", "ov"))
        elif m[1] == "umul.with.overflow":
            s = self.wire(2 * bits, f"{{{bits}'d0, {x}}} * {{{bits}'d0, {y}}}", "ov")
            self._pair(target, bits, f"{s}[{bits - 1}:0]", self.wire(1, f"|{s}[{2 * bits - 1}:{bits}]", "ov"))
        elif m[1] == "fshl":
            self.set(target, bits, f"({{{x}, {y}}} << ({values[2]} % {bits})) >> {bits}")
        elif m[1] == "fshr":
            self.set(target, bits, f"{{{x}, {y}}} >> ({values[2]} % {bits})")
        elif m[1] in ("ctpop", "ctlz", "cttz"):
            self._count_bits(target, m[1], x, bits)
        elif m[1] in ("bswap", "bitreverse"):
            a, step = self.wire(bits, x, "t"), 8 if m[1] == "bswap" else 1
            pieces = [f"{a}[{k + step - 1}:{k}]" for k in range(0, bits, step)]
            self.set(target, bits, "{" + ", ".join(pieces) + "}")
        else:
            return False
        return True

    def _pair(self, target: str, bits: int, value: str, overflow: str) -> None:
        self.values[f"{target}.0"], self.values[f"{target}.1"] = value, overflow
        self.pair_bits[target] = bits

    def _count_bits(self, target: str, kind: str, x: str, bits: int) -> None:
        a = self.wire(bits, x, "t")
        if kind == "ctpop":
            self.set(target, bits, " + ".join(f"{{{bits - 1}'d0, {a}[{k}]}}" for k in range(bits)))
            return
        expression = f"{bits}'d{bits}"
        for k in range(bits):
            position = k if kind == "ctlz" else bits - 1 - k  # the last one asked is the first that counts
            expression = f"{a}[{position}] ? {bits}'d{bits - 1 - k} : {expression}"
        self.set(target, bits, expression)


def stream_of(place: Place) -> tuple[str, int]:
    """Return the parameter and offset of a stream."""
    if place.indices:
        raise CircuitError("which stream is read or written is not a constant")
    return place.base, place.offset
