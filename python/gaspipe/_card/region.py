# SPDX-License-Identifier: Apache-2.0
"""Expands a kernel's dataflow region into the canonical text of a top: declarations of streams, and calls of tasks.

A region is the function <name> of hls/kernel/<name>.h, which the emulator compiles as it is. Its form:

    declarations: using, constexpr and const numbers, static_assert
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM, GASPIPE_STREAMS
    GASPIPE_TASK; GASPIPE_TASK_I in `for (int i = A; i < B; ++i) { ... }`; both in `if (A) { ... } else { ... }`
    GASPIPE_RUN;

Bounds, conditions, depths and indices are integers when a top is rendered: of the design, of constants of headers, of
the loops around. Arguments are names, elements of ports or streams, and integers. A region of another form is an error.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

# In template arguments, instead of the number of the loop's turn (hls/kernel/units.h).
COPY = "kCopy"

Names = Mapping[str, int]
_COMMENT = re.compile(r"//[^\n]*")
_INCLUDE = re.compile(r'^#include "(hls/(?!emulator/)[^"]+)"', re.MULTILINE)
_CONSTANT = re.compile(r"^constexpr (?:int|VertexId|std::u?int\d+_t) ([^;{}]+);", re.MULTILINE)
_NAME = r"[A-Za-z_]\w*"
_QUALIFIED = re.compile(rf"(?:{_NAME}(?:<\w+>)?::)*{_NAME}")
_PAIRS = {"(": ")", "{": "}", "[": "]"}


class RegionError(ValueError):
    """A region that has another form."""


class Region(NamedTuple):
    """What a top is made of, in lines."""

    declarations: list[str]  # of types and constants, for a namespace
    statements: list[str]


def expand(
    include: Callable[[str], str], kernel: str, known: Names, ports: Mapping[str, list[str]], parameters: set[str]
) -> Region:
    """Expand the region of a kernel.

    Parameters
    ----------
    include
        Returns the text of a header.
    known
        What names of a design stand for: "units", "Width::kLanes".
    ports
        Arguments of the top by their rows in the table of ports.
    parameters
        Rows whose arguments the region takes by an index: gathered[unit].
    """
    return _Expansion(include, kernel, known, ports, parameters).run()


def constants(include: Callable[[str], str], header: str) -> dict[str, str]:
    """Integer constants of a header and of those that it includes, as written."""
    found: dict[str, str] = {}
    waiting, seen = [header], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        text = _COMMENT.sub("", include(name))
        for declared in _CONSTANT.finditer(text):
            found.update(_values(declared[1]))
        waiting += _INCLUDE.findall(text)
    return found


def evaluate(text: str, known: Mapping[str, int | str]) -> int:
    """Return the value of an integer expression of C++."""

    def value(node: ast.AST) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return int(node.value)
        if isinstance(node, ast.Name):
            meant = known.get(spelled.get(node.id, node.id))
            if meant is not None:
                return meant if isinstance(meant, int) else evaluate(meant, known)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
            return int(_OPERATORS[type(node.ops[0])](value(node.left), value(node.comparators[0])))
        if isinstance(node, ast.BoolOp):
            values = [value(each) for each in node.values]
            return int(all(values) if isinstance(node.op, ast.And) else any(values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return int(not value(node.operand))
        raise RegionError(f"{text!r} is no integer that is known when a top is rendered")

    # Qualified names and operators as Python has them.
    spelled: dict[str, str] = {"True": "true", "False": "false"}

    def spell(found: re.Match[str]) -> str:
        name = f"name_{len(spelled)}"
        spelled[name] = found[0]
        return name

    written = re.sub(rf"(?<![\w.]){_QUALIFIED.pattern}", spell, re.sub(r"\b(\d+|0x[0-9a-fA-F]+)[uUlL]+\b", r"\1", text))
    for cpp, python in (("&&", " and "), ("||", " or ")):
        written = written.replace(cpp, python)
    written = re.sub(r"!(?!=)", " not ", written)
    try:
        return value(_parsed(written.strip()))
    except SyntaxError:
        raise RegionError(f"{text!r} is no integer that is known when a top is rendered") from None


@functools.lru_cache(maxsize=1 << 10)
def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


_OPERATORS: dict[type, Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.LShift: lambda a, b: a << b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}


class _Expansion:
    def __init__(
        self,
        include: Callable[[str], str],
        kernel: str,
        known: Names,
        ports: Mapping[str, list[str]],
        indexed: set[str],
    ) -> None:
        self.path = f"hls/kernel/{kernel}.h"
        self.known: dict[str, int | str] = {**constants(include, self.path), "true": 1, "false": 0, **known}
        self.design, self.ports, self.indexed = known, ports, indexed
        self.body = _function(include(self.path), kernel, self.path)
        self.constants: set[str] = set()  # of the region, integers
        self.streams: dict[str, str] = {}  # declaration by name
        self.declarations: list[str] = []
        self.calls: list[str] = []

    def run(self) -> Region:
        statements = list(_statements(self.body, self.path))
        begin = next((i for i, text in enumerate(statements) if text == "GASPIPE_DATAFLOW"), -1)
        if begin < 0 or statements[-1] != "GASPIPE_RUN":
            raise RegionError(f"{self.path}: a region begins with GASPIPE_DATAFLOW and ends with GASPIPE_RUN")
        for text in statements[:begin]:
            self.declare(text)
        for text in statements[begin + 1 : -1]:
            self.statement(text, {})
        # A stream that no call names, as that of weights where there are none, is not there.
        used = {name for call in self.calls for name in re.findall(_NAME, call)}
        streams = [text for name, text in self.streams.items() if name in used]
        statements = ["GASPIPE_DATAFLOW;", *streams, *self.calls, "GASPIPE_RUN;"]
        # Nor are constants that loops and conditions alone needed.
        declarations: list[str] = []
        for text in reversed(self.declarations):
            name = re.match(r"const(?:expr)? [\w:]+ (\w+)", text)
            if name is None or any(re.search(rf"(?<!::)\b{name[1]}\b", t) for t in [*declarations, *statements]):
                declarations.insert(0, text)
        return Region(declarations, statements)

    def declare(self, text: str) -> None:
        found = re.match(r"(const(?:expr)? (?:int|VertexId|std::\w+)) (.*)", text)
        if found:
            values = _values(found[2])
            self.known.update(values)
            self.constants.update(values)
            self.declarations += [f"{found[1]} {name} = {value};" for name, value in values.items()]
        elif re.match(r"(using \w+ =|static_assert\()", text):
            self.declarations.append(f"{text};")
        else:
            raise RegionError(f"{self.path}: {text!r} is no declaration of a type or a constant")

    def statement(self, text: str, turn: dict[str, int]) -> None:
        loop = re.match(r"for \(int (\w+) = ([^;]+); (\w+) < ([^;]+); \+\+(\w+)\) \{", text)
        macro = re.fullmatch(r"GASPIPE_(STREAMS?|TASK|TASK_I)\((.*)\)", text)
        if loop and loop[1] == loop[3] == loop[5]:
            body = list(_statements(text[loop.end() : -1], self.path))
            for i in range(self.value(loop[2], turn), self.value(loop[4], turn)):
                for inner in body:
                    self.statement(inner, {**turn, loop[1]: i})
        elif text.startswith("if ("):
            end = _closing(text, 3)
            then = _closing(text, end + 2)
            branches = text[end + 3 : then], text[then:].removeprefix("} else {").removesuffix("}")
            for inner in _statements(branches[0 if self.value(text[4:end], turn) else 1], self.path):
                self.statement(inner, turn)
        elif macro and macro[1].startswith("STREAM") and not turn:
            self.stream(macro[1], _split(macro[2]))
        elif macro and macro[1] == "TASK" and not turn:
            self.call(macro[2].strip(), turn)
        elif macro and macro[1] == "TASK_I" and turn and macro[2].split(",")[0].strip() in turn:
            self.call(macro[2].split(",", 1)[1].strip(), turn)
        else:
            raise RegionError(f"{self.path}: {text!r} is none of what a region consists of")

    def stream(self, macro: str, arguments: list[str]) -> None:
        element, name, *sizes = arguments
        # Of an array with no elements nothing is left.
        values = [self.value(size, {}) for size in sizes]
        if min(values) > 0:
            self.streams[name] = f"GASPIPE_{macro}({', '.join([element, name, *map(str, values)])});"

    def call(self, text: str, turn: dict[str, int]) -> None:
        task = re.match(rf"(?:{_NAME}::)*{_NAME}", text)
        opens = task.end() if task else 0
        templates = ""
        if text[opens : opens + 1] == "<":
            closes = text.index(">(", opens) + 1
            templates, opens = text[opens:closes], closes
        if not task or text[opens : opens + 1] != "(" or _closing(text, opens) != len(text) - 1:
            raise RegionError(f"{self.path}: {text!r} is no call of a task")
        arguments = [self.argument(each, turn, text) for each in _split(text[opens + 1 : -1])]
        self.calls.append(f"GASPIPE_TASK({task[0]}{self.templates(templates, turn, text)}({', '.join(arguments)}));")

    def templates(self, text: str, turn: dict[str, int], call: str) -> str:
        def replace(found: re.Match[str]) -> str:
            name = found[0]
            if name == COPY:
                if len(turn) != 1:
                    raise RegionError(f"{self.path}: {COPY} outside of a loop, in {call!r}")
                return str(next(iter(turn.values())))
            if name in self.design and isinstance(self.design[name], bool):
                return "true" if self.design[name] else "false"
            return str(self.design[name]) if name in self.design else name

        return _QUALIFIED.sub(replace, text)

    def argument(self, text: str, turn: dict[str, int], call: str) -> str:
        element = re.fullmatch(rf"({_NAME})\[(.+)\]", text)
        name, index = (element[1], self.value(element[2], turn)) if element else (text, -1)
        if name in self.ports and element is not None and name in self.indexed:
            if 0 <= index < len(self.ports[name]):
                return self.ports[name][index]
        elif name in self.ports and element is None and name not in self.indexed and self.ports[name]:
            return self.ports[name][0]
        elif name in self.streams:
            return f"{name}[{index}]" if element else name
        elif re.fullmatch(r"\d+", text) or text in turn or text in self.design or text in self.constants:
            return str(self.value(text, turn))
        raise RegionError(f"{self.path}: {text!r} in {call!r} is no port, stream, scalar or constant")

    def value(self, text: str, turn: dict[str, int]) -> int:
        return evaluate(text, {**self.known, **turn})


def _values(text: str) -> dict[str, str]:
    """Names and values of `kA = 1, kB = kA`."""
    return dict(re.split(r"\s*=\s*", part, maxsplit=1) for part in _split(text))


def _function(text: str, name: str, path: str) -> str:
    """Text of the body of a function, without comments."""
    text = _COMMENT.sub("", text)
    found = re.search(rf"^void {name}\(", text, re.MULTILINE)
    if found is None:
        raise RegionError(f"{path} has no function {name}")
    opens = text.index("{", _closing(text, found.end() - 1))
    return text[opens + 1 : _closing(text, opens)]


def _statements(text: str, path: str) -> Iterator[str]:
    """Statements without their semicolons, white space as one blank; blocks with what they hold."""
    text = " ".join(text.split())
    at = 0
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        stop = at
        while stop < len(text) and text[stop] not in ";{":
            stop = _closing(text, stop) + 1 if text[stop] in _PAIRS else stop + 1
        if stop < len(text) and text[stop] == "{":
            stop = _closing(text, stop) + 1
            while text[stop:].startswith(" else {"):
                stop = _closing(text, stop + len(" else {") - 1) + 1
            yield text[at:stop]
        elif stop == len(text):
            raise RegionError(f"{path}: {text[at:]!r} has no end")
        else:
            yield text[at:stop].strip()
            stop += 1
        at = stop


def _closing(text: str, at: int) -> int:
    """Where the bracket at `at` is closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == text[at]) - (text[i] == _PAIRS[text[at]])
        if depth == 0:
            return i
    raise RegionError(f"{text[at : at + 40]!r} is not closed")


def _split(text: str) -> list[str]:
    """Parts between commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text.replace("<<", "  ")):
        depth += (c in "({[<") - (c in ")}]>")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]
