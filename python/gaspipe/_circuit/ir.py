# SPDX-License-Identifier: Apache-2.0
"""LLVM's intermediate code as text: types and their layout, constants, functions as blocks of instructions.

Only what clang makes of a leaf once everything is inlined and unrolled (`intermediate`), in LLVM 15 and later, where
pointers have no type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

NAME = r'%(?:"[^"]+"|[\w.$-]+)'
_ATTRIBUTE = (
    r"(?:noundef|nonnull|nocapture|readonly|writeonly|readnone|noalias|zeroext|signext|writable|dead_on_unwind"
    r"|align \d+|dereferenceable\(\d+\)|captures\([^)]*\)|immarg|returned|range\([^)]*\))"
)
_ALIGNAS_FILL = (3, 7, 15, 31, 56, 60, 62, 63)  # bytes behind a struct's last field that only `alignas` makes


class CircuitError(Exception):
    """A construct that no circuit is made of, with the line of the source where it is (`where`, "" if unknown)."""

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.reason, self.where = message, where


class NotMeasured(CircuitError):
    """A circuit, whose cost was not found in the time that there is."""


@dataclass
class Type:
    """A type with its layout in memory: sizes and offsets are in bytes."""

    kind: str  # "int", "ptr", "float", "array" or "struct"
    size: int
    align: int
    bits: int = 0  # of a scalar
    fields: list[tuple[int, Type]] = field(default_factory=list)  # of a struct: offset and type
    count: int = 0  # of an array
    element: Type | None = None

    def cells(self, at: int = 0) -> Iterator[tuple[int, int]]:
        """Offset and size of every scalar in it."""
        if self.kind == "array":
            assert self.element is not None
            for i in range(self.count):
                yield from self.element.cells(at + i * self.element.size)
        elif self.kind == "struct":
            for offset, part in self.fields:
                yield from part.cells(at + offset)
        else:
            yield at, self.size


@dataclass
class Instruction:
    """A line of a block."""

    text: str  # without the result, metadata and attributes
    target: str = ""  # the name of the result, or ""
    location: str = ""  # number of the !DILocation

    @property
    def op(self) -> str:
        """The first word."""
        return self.text.split(None, 1)[0]


@dataclass
class Function:
    """A function's parameters and blocks, in order."""

    name: str
    params: list[tuple[str, str]]  # type and name
    blocks: dict[str, list[Instruction]]


def split(text: str) -> list[str]:
    """Split at the commas outside brackets and quotes."""
    out, depth, start, quoted = [], 0, 0, False
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        if quoted:
            continue
        depth += (c in "[{(<") - (c in "]})>")
        if c == "," and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
    if text[start:].strip():
        out.append(text[start:].strip())
    return out


def typed(text: str) -> tuple[str, str]:
    """Split `type [attributes] value` into type and value."""
    text = text.strip()
    depth, quoted = 0, False
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        if quoted:
            continue
        depth += (c in "[{(<") - (c in "]})>")
        if c == " " and depth == 0:
            rest = text[i + 1 :]
            while m := re.match(_ATTRIBUTE + r" ?", rest):
                rest = rest[m.end() :]
            return text[:i], rest.strip()
    return text, ""


class Module:
    """A file of intermediate code."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._named = dict(re.findall(r'^(%(?:"[^"]+"|[\w.$]+)) = type (.+)$', text, re.M))
        self.constants: dict[str, str] = {}  # type and initial value, by name
        self.variables: dict[str, str] = {}
        for name, kind, value in re.findall(r'^(@(?:"[^"]+"|[\w.$]+)) = [^\n]*?\b(constant|global) (.+)$', text, re.M):
            (self.constants if kind == "constant" else self.variables)[name] = value
        self._types: dict[str, Type] = {}

    def type(self, text: str) -> Type:
        """Return the type that a text names."""
        text = text.strip()
        if text not in self._types:
            self._types[text] = self._type(text)
        return self._types[text]

    def _type(self, text: str) -> Type:
        if text == "ptr":
            return Type("ptr", 8, 8, bits=64)
        if text in ("float", "double"):
            size = 4 if text == "float" else 8
            return Type("float", size, size, bits=8 * size)
        if m := re.fullmatch(r"i(\d+)", text):
            bits = int(m[1])
            size = 1 << max(0, (bits + 7) // 8 - 1).bit_length()
            return Type("int", size, min(size, 8), bits=bits)
        if text in self._named:
            return self.type(self._named[text])
        if m := re.fullmatch(r"\[(\d+) x (.*)\]", text, re.S):
            element = self.type(m[2])
            return Type("array", element.size * int(m[1]), element.align, count=int(m[1]), element=element)
        packed = text.startswith("<{")
        if not (packed or text.startswith("{")):
            raise CircuitError(f"the type {text} is none that a circuit is made of")
        fields: list[tuple[int, Type]] = []
        at, align = 0, 1
        for part in split(text[2:-2] if packed else text[1:-1]):
            t = self.type(part)
            own = 1 if packed else t.align
            at = (at + own - 1) // own * own
            fields.append((at, t))
            at += t.size
            align = max(align, own)
        if len(fields) > 1 and _fills(fields[-1][1]):
            fields.pop()
        return Type("struct", (at + align - 1) // align * align, align, fields=fields)

    def bytes_of(self, initializer: str) -> bytes:
        """Return the bytes of `type value`."""
        type_text, value = typed(re.sub(r", (?:align \d+|comdat.*|!dbg !\d+).*$", "", initializer))
        t = self.type(type_text)
        if value in ("zeroinitializer", "undef", "poison"):
            return bytes(t.size)
        if t.kind == "int":
            number = {"true": 1, "false": 0}.get(value)
            number = int(value) if number is None else number
            return (number & (1 << 8 * t.size) - 1).to_bytes(t.size, "little")
        if t.kind == "array" and value.startswith('c"'):
            return re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), value[2:-1]).encode("latin1")
        if value[:1] not in "[{<":
            raise CircuitError(f"the constant {value} is none that a circuit is made of")
        parts = [self.bytes_of(p) for p in split(value[2:-2] if value.startswith("<{") else value[1:-1])]
        if t.kind == "array":
            return b"".join(parts)
        out = bytearray(t.size)
        for (offset, f), part in zip(t.fields, parts):
            out[offset : offset + f.size] = part
        return bytes(out)

    def functions(self) -> list[str]:
        """Return the names of all functions that have a body."""
        return re.findall(r"^define [^@\n]*@([\w.$]+)\(", self.text, re.M)

    def function(self, name: str) -> Function:
        """Return a function by its name."""
        found = re.search(
            r"^define [^@\n]*@" + re.escape(name) + r"\(([^\n]*)\)[^()\n]*\{\n(.*?)^\}", self.text, re.M | re.S
        )
        if not found:
            raise CircuitError(f"there is no function {name}")
        blocks: dict[str, list[Instruction]] = {}
        current = ""
        lines = iter(found[2].split("\n"))
        for line in lines:
            while ("switch" in line and line.count("[") > line.count("]")) or line.rstrip().endswith("["):
                line += " " + next(lines).strip()
            if m := re.match(r'("?[\w.$<>:, &*()~+-]+"?):( |$)', line):
                current = "%" + m[1]
                blocks[current] = []
            elif line.strip() and not line.lstrip().startswith("#dbg"):
                blocks[current].append(_instruction(line.strip()))
        return Function(name, [typed(p) for p in split(found[1])], blocks)

    def where(self, location: str) -> str:
        """Return `file:line` of a !DILocation, "" where there is none."""
        at = self._metadata.get(location, "")
        line = re.search(r"line: (\d+)", at)
        seen = set()
        while line and (scope := re.search(r"scope: !(\d+)", at)) and scope[1] not in seen:
            seen.add(scope[1])
            at = self._metadata.get(scope[1], "")
            if file := re.search(r"file: !(\d+)", at):
                name = re.search(r'filename: "([^"]*)"', self._metadata.get(file[1], ""))
                return f"{name[1]}:{line[1]}" if name else ""
        return ""

    @cached_property
    def _metadata(self) -> dict[str, str]:
        return dict(re.findall(r"^!(\d+) = (?:distinct )?(!DI\w+\(.*\))$", self.text, re.M))


def _fills(t: Type) -> bool:
    return t.kind == "array" and t.element is not None and t.element.size == 1 and t.size in _ALIGNAS_FILL


def _instruction(line: str) -> Instruction:
    location = re.search(r", !dbg !(\d+)", line)
    line = re.sub(r" #\d+$", "", re.sub(r", !.*$", "", line))
    target = ""
    if m := re.match(f"({NAME}) = ", line):
        target, line = m[1], line[m.end() :]
    line = re.sub(r"^(?:tail|notail|musttail) (?=call)", "", line)
    return Instruction(line, target, location[1] if location else "")
