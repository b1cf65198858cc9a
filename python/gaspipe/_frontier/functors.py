# SPDX-License-Identifier: Apache-2.0
"""Finds the functors in a C++ source: structs and functions outside of all braces. What they offer, C++ tells."""

from __future__ import annotations

import re
from typing import NamedTuple

from .._core import InputError
from .._own.snippet import closing, outline_depths, plain

_STRUCT = re.compile(r"\b(?:struct|class)\s+(\w+)\b[^;{}()=]*\{")
_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_NO_NAMES = {"if", "for", "while", "switch", "return", "sizeof", "decltype", "alignas", "noexcept", "static_assert"}
_TEMPLATE = re.compile(r"template\s*<[^;{}]*>\s*[^;{}]*$")
OURS = ("VertexValue", "EdgeValue", "AccumValue", "Parameters", "Engine")


class Functor(NamedTuple):
    """A struct, or a function."""

    name: str
    line: int
    is_struct: bool


class Source(NamedTuple):
    """What a user's text holds."""

    text: str  # its #include lines blanked, lines as they were
    includes: list[tuple[int, str]]
    functors: list[Functor]  # in the order of the text; of functions of one name the first


def read(text: str, name: str) -> Source:
    """Read a source; `name` is what messages call it. InputError if braces do not match or a name is taken."""
    code = plain(text)
    kept, blanked = list(text), list(code)
    includes = []
    for found in re.finditer(r"^[ \t]*#[ \t]*(\w+)(?:\\\n|[^\n])*", code, re.MULTILINE):
        for i in range(found.start(), found.end()):
            if blanked[i] != "\n":
                blanked[i] = " "
        if found[1] == "include":
            includes.append((code.count("\n", 0, found.start()) + 1, text[found.start() : found.end()].strip()))
            for i in range(found.start(), found.end()):
                if kept[i] != "\n":
                    kept[i] = " "
    code = "".join(blanked)
    depths = outline_depths(code, name)
    functors: dict[str, Functor] = {}
    for start, functor in sorted([*_structs(code, depths), *_functions(code, depths)]):
        if functor.name in OURS and functor.is_struct:
            raise InputError(
                f"{name}:{functor.line}: {functor.name} is declared already, by what FrontierEngine is given; remove it"
            )
        del start
        functors.setdefault(functor.name, functor)
    return Source("".join(kept), includes, list(functors.values()))


def _structs(code: str, depths: list[int]) -> list[tuple[int, Functor]]:
    return [
        (found.start(), Functor(found[1], code.count("\n", 0, found.start()) + 1, True))
        for found in _STRUCT.finditer(code)
        if depths[found.start()] == 0 and not _is_template(code, found.start())
    ]


def _functions(code: str, depths: list[int]) -> list[tuple[int, Functor]]:
    functions = []
    for found in _FUNCTION.finditer(code):
        if depths[found.start()] != 0 or found[1] in _NO_NAMES or _is_template(code, found.start()):
            continue
        if re.search(r"(?:\boperator\s*|::\s*|~)$", code[: found.start()]):
            continue
        close = closing(code, found.end() - 1)
        if re.compile(r"\s*(?:noexcept\s*)?(?:->[^{;]*)?\{").match(code, close + 1):
            functions.append((found.start(), Functor(found[1], code.count("\n", 0, found.start()) + 1, False)))
    return functions


def _is_template(code: str, start: int) -> bool:
    before = code[:start]
    return _TEMPLATE.search(before[max(before.rfind(";"), before.rfind("}")) + 1 :]) is not None
