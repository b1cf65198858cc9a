# SPDX-License-Identifier: Apache-2.0
"""Places of C++ sources where a mutant may be, and the sources with all of them, each asleep.

Clang parses a source; every operator, constant, condition and statement of kinds that are listed here gets a number
and a call of mutant.h around it. `pip install libclang==16.0.6` is what reads C++.
"""

from __future__ import annotations

import re
import subprocess
from ctypes import POINTER, byref, c_uint, c_void_p
from dataclasses import dataclass, field
from pathlib import Path

from clang.cindex import Config, Cursor, CursorKind, Index, SourceLocation

OPERATORS = {  # what an operator becomes
    "<": ("Less", "LessEqual"),
    "<=": ("LessEqual", "Less"),
    ">": ("Greater", "GreaterEqual"),
    ">=": ("GreaterEqual", "Greater"),
    "==": ("Equal", "NotEqual"),
    "!=": ("NotEqual", "Equal"),
    "+": ("Plus", "Minus"),
    "-": ("Minus", "Plus"),
    "*": ("Times", "Plus"),
    "/": ("Over", "Times"),
    "%": ("Rest", "Over"),
    "<<": ("Left", "Right"),
    ">>": ("Right", "Left"),
    "&": ("And", "Or"),
    "|": ("Or", "And"),
    "^": ("Xor", "And"),
    "+=": ("PlusIs", "MinusIs"),
    "-=": ("MinusIs", "PlusIs"),
    "*=": ("TimesIs", "PlusIs"),
    "/=": ("OverIs", "TimesIs"),
    "<<=": ("LeftIs", "RightIs"),
    ">>=": ("RightIs", "LeftIs"),
    "&=": ("AndIs", "OrIs"),
    "|=": ("OrIs", "AndIs"),
    "^=": ("XorIs", "AndIs"),
}
SIGNS = {name: sign for sign, (name, _) in OPERATORS.items()}
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
BODIES = (CursorKind.IF_STMT, CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.CXX_FOR_RANGE_STMT)
DECLARED = (CursorKind.PARM_DECL, CursorKind.VAR_DECL, CursorKind.FIELD_DECL)
NOT_LEFT_OUT = re.compile(rb"GASPIPE_|(gaspipe_)?(static_)?assert|__builtin_prefetch")
CONDITION = {  # where a statement has it
    CursorKind.IF_STMT: 0,
    CursorKind.WHILE_STMT: 0,
    CursorKind.CONDITIONAL_OPERATOR: 0,
    CursorKind.DO_STMT: 1,
}
CALL = "::gaspipe_mutant::"


@dataclass
class Place:
    """One mutant: where it is, and what becomes of what."""

    number: int
    file: str
    line: int
    column: int
    kind: str
    text: str  # what is mutated, cut to a line

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.kind}: {self.text}"


@dataclass
class Edits:
    """What is put into a text: at an offset, closing first, then opening, outer first."""

    opening: dict[int, list[tuple[int, str]]] = field(default_factory=dict)  # by offset: end of the range, text
    closing: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    replaced: dict[int, tuple[int, str]] = field(default_factory=dict)  # by offset: end, text

    def around(self, first: int, end: int, before: str, after: str) -> None:
        """Put texts around a range."""
        self.opening.setdefault(first, []).append((end, before))
        self.closing.setdefault(end, []).append((first, after))

    def apply(self, text: bytes) -> bytes:
        """Return the text with everything put in."""
        points = sorted({0, len(text), *self.opening, *self.closing, *self.replaced})
        out, skip = [], 0
        for at, following in zip(points, [*points[1:], len(text)]):
            # Of ranges that end here the inner, which began last, closes first; of equal ones, the last opened.
            for _, put in sorted(reversed(self.closing.get(at, [])), key=lambda each: -each[0]):
                out.append(put.encode())
            for _, put in sorted(self.opening.get(at, []), key=lambda each: -each[0]):
                out.append(put.encode())
            if at in self.replaced:
                skip, put = self.replaced[at]
                out.append(put.encode())
            out.append(text[max(at, skip) : following] if following > skip else b"")
        return b"".join(out)


def resource_folder(compiler: str) -> str:
    """Where the compiler keeps the headers that libclang lacks."""
    return subprocess.run([compiler, "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()


def offset(location: SourceLocation) -> tuple[str | None, int]:
    """Name of the file and offset; of an argument of a macro, where it is written."""
    name, line, column, at = c_void_p(), c_uint(), c_uint(), c_uint()
    call = Config().lib.clang_getFileLocation
    call.argtypes = [SourceLocation, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)]
    call.restype = None
    call(location, byref(name), byref(line), byref(column), byref(at))
    return str(location.file) if location.file else None, at.value


class Finder:
    """Finds the places of one file."""

    def __init__(self, path: Path, name: str, numbers_from: int, arguments: list[str]) -> None:
        self.path, self.name, self.next = path, name, numbers_from
        self.text = path.read_bytes()
        self.edits, self.places, self.seen = Edits(), [], set()
        self.constants = 0  # what only a compiler evaluates
        unit = Index.create().parse(str(path), args=arguments)
        self.problems = [str(each) for each in unit.diagnostics if each.severity >= 3]
        for child in unit.cursor.get_children():
            if offset(child.location)[0] == str(path):
                self.walk(child, None)

    def range(self, cursor: Cursor) -> tuple[int, int]:
        return offset(cursor.extent.start)[1], offset(cursor.extent.end)[1]

    def between(self, first: int, end: int) -> str:
        return COMMENT.sub("", self.text[first:end].decode(errors="replace")).strip()

    def add(self, key: tuple[int, int, str], kind: str) -> int | None:
        """Take a number for what is at `key`; None where a macro made the same again."""
        if key in self.seen or key[0] >= key[1]:
            return None
        self.seen.add(key)
        before = self.text[: key[0]]
        line, column = before.count(b"\n") + 1, key[0] - before.rfind(b"\n")
        text = " ".join(self.text[key[0] : key[1]].decode(errors="replace").split())
        self.places.append(Place(self.next, self.name, line, column, kind, text[:90]))
        self.next += 1
        return self.next - 1

    def walk(self, cursor: Cursor, parent: Cursor | None) -> None:
        """Take the places of a cursor and of what is below it."""
        kind = cursor.kind
        if kind in (CursorKind.STATIC_ASSERT, CursorKind.ENUM_DECL, CursorKind.STRING_LITERAL):
            return
        if kind in (CursorKind.VAR_DECL, CursorKind.TEMPLATE_NON_TYPE_PARAMETER, CursorKind.TEMPLATE_TYPE_PARAMETER):
            first, _ = self.range(cursor)
            name = offset(cursor.location)[1]
            if kind != CursorKind.VAR_DECL or re.search(r"\bconstexpr\b", self.between(first, name)):
                self.constants += sum(
                    each.kind in (CursorKind.BINARY_OPERATOR, CursorKind.INTEGER_LITERAL)
                    for each in cursor.walk_preorder()
                )
                return
        if kind == CursorKind.CALL_EXPR and cursor.spelling.startswith("__builtin_prefetch"):
            return
        children = list(cursor.get_children())
        if kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, CursorKind.CALL_EXPR):
            self.binary(cursor, children)
        elif kind == CursorKind.UNARY_OPERATOR:
            self.unary(cursor, children, parent)
        elif kind in (CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL):
            first, end = self.range(cursor)
            is_bound = self.text[first - 1 : first] == b"[" and parent is not None and parent.kind in DECLARED
            is_number = re.fullmatch(r"[0-9][0-9a-fA-FxXuUlL.'e+-]*", self.text[first:end].decode(errors="replace"))
            if is_number and not is_bound:
                self.wrap(first, end, "constant", f"{CALL}constant(%d, ")
        elif kind == CursorKind.CXX_BOOL_LITERAL_EXPR:
            first, end = self.range(cursor)
            if self.text[first:end] in (b"true", b"false"):
                self.wrap(first, end, "constant", f"{CALL}flip(%d, ")
        self.conditions(kind, children)
        self.statements(kind, children)
        for child in children:
            self.walk(child, cursor)

    def wrap(self, first: int, end: int, kind: str, before: str) -> None:
        number = self.add((first, end, kind), kind)
        if number is not None:
            self.edits.around(first, end, before % number, ")")

    def binary(self, cursor: Cursor, children: list[Cursor]) -> None:
        operands = [each for each in map(self.range, children) if self.between(*each) not in OPERATORS]
        if len(operands) != 2 or self.range(cursor) != (operands[0][0], operands[1][1]):
            return
        (first, middle), (behind, end) = operands
        sign = self.between(middle, behind) if middle < behind else ""
        if sign in ("&&", "||"):
            number = self.add((first, end, sign), f"{sign} becomes {'||' if sign == '&&' else '&&'}")
            if number is not None:
                flip = f"{CALL}flip({number}, "
                self.edits.around(first, end, flip, ")")
                self.edits.around(first, middle, flip, ")")
                self.edits.around(behind, end, flip, ")")
        elif sign in OPERATORS:
            name, mutated = OPERATORS[sign]
            number = self.add((first, end, sign), f"{sign} becomes {SIGNS[mutated]}")
            if number is not None:
                call = f"{CALL}{name}_or_{mutated}({number}, "
                self.edits.around(first, end, call, ")")
                self.edits.replaced[middle] = (behind, ", ")

    def unary(self, cursor: Cursor, children: list[Cursor], parent: Cursor | None) -> None:
        if len(children) != 1:
            return
        first, end = self.range(cursor)
        inner, inner_end = self.range(children[0])
        sign = self.between(first, inner) or self.between(inner_end, end)
        if sign == "!" and first < inner:
            self.wrap(first, end, "! removed", f"{CALL}flip(%d, ")
        elif sign == "-" and children[0].kind not in (CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL):
            number = self.add((first, end, sign), "- removed")
            if number is not None:
                self.edits.around(first, end, f"{CALL}negative({number}, ", ")")
                self.edits.replaced[first] = (inner, "")
        elif sign in ("++", "--") and not (parent is not None and parent.kind == CursorKind.FOR_STMT):
            number = self.add((first, end, sign), f"{sign} becomes {'--' if sign == '++' else '++'}")
            if number is not None:
                name = ("increment" if sign == "++" else "decrement") + ("" if first < inner else "_after")
                self.edits.around(first, end, f"{CALL}{name}({number}, ", ")")
                at = (first, inner) if first < inner else (inner_end, end)
                self.edits.replaced[at[0]] = (at[1], "")

    def conditions(self, kind: CursorKind, children: list[Cursor]) -> None:
        """Take conditions that are no operators, which have places of their own."""
        if kind not in CONDITION or not children:
            return
        condition = children[CONDITION[kind]]
        plain = condition
        while plain.kind == CursorKind.UNEXPOSED_EXPR and len(list(plain.get_children())) == 1:
            plain = next(plain.get_children())
        if plain.kind in (CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR, CursorKind.ARRAY_SUBSCRIPT_EXPR) or (
            plain.kind == CursorKind.CALL_EXPR and self.between(*self.range(plain)).endswith(")")
        ):
            first, end = self.range(condition)
            self.wrap(first, end, "condition flipped", f"{CALL}flip(%d, ")

    def statements(self, kind: CursorKind, children: list[Cursor]) -> None:
        """Take statements that can be left out."""
        if kind == CursorKind.COMPOUND_STMT:
            bodies = children
        elif kind in BODIES:
            bodies = children[1:]
        else:
            return
        for child in bodies:
            first, end = self.range(child)
            rest = re.match(rb"\s*;", self.text[end:])
            plain = child
            while plain.kind == CursorKind.UNEXPOSED_EXPR and len(list(plain.get_children())) == 1:
                plain = next(plain.get_children())
            before = COMMENT.sub("", self.text[max(0, first - 500) : first].decode(errors="replace")).rstrip()
            if rest is None or not before.endswith(("{", "}", ";", ")", "else", ":")) or first >= end:
                continue
            whole = self.text[first:end]
            if kind == CursorKind.FOR_STMT and child.extent.end.offset != children[-1].extent.end.offset:
                continue
            called = plain.kind == CursorKind.CALL_EXPR and whole.endswith(b")")
            left = plain.kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)
            jumps = plain.kind in (CursorKind.CONTINUE_STMT, CursorKind.BREAK_STMT) or whole == b"return"
            steps = plain.kind == CursorKind.UNARY_OPERATOR or (plain.kind == CursorKind.CALL_EXPR and b"=" in whole)
            if (called or left or jumps or steps) and not re.match(
                rb"GASPIPE_|(gaspipe_)?(static_)?assert|__builtin_prefetch", whole
            ):
                number = self.add((first, end, "statement"), "statement left out")
                if number is not None:
                    self.edits.around(first, end + rest.end(), f"{{ if (!{CALL}on({number})) ", " }")


def mutate(root: Path, names: list[str], compiler: str, include: str) -> tuple[list[Place], int, list[str]]:
    """Put every mutant of the named files into the tree at `root`.

    Returns the places, how many constants only a compiler evaluates, and what Clang could not read.
    """
    arguments = ["-x", "c++", "-std=c++17", f"-I{root}", f"-I{root / 'cpp/include'}", "-ferror-limit=0"]
    arguments += ["-resource-dir", resource_folder(compiler)]
    finders, number = [], 1
    for name in names:  # all are read before one is changed
        finders.append(Finder(root / name, name, number, arguments))
        number = finders[-1].next
    for each in finders:
        text = each.edits.apply(each.text)
        if each.name.endswith(".h"):
            text = text.replace(b"#pragma once\n", f'#pragma once\n#include "{include}"\n'.encode(), 1)
        else:
            text = text.replace(b"#include", f'#include "{include}"\n#include'.encode(), 1)
        each.path.write_bytes(text)
    places = [place for each in finders for place in each.places]
    return places, sum(each.constants for each in finders), [one for each in finders for one in each.problems]
