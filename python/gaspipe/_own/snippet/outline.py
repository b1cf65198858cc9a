# SPDX-License-Identifier: Apache-2.0
"""Reads a user's C++ snippet: which hooks it defines, in which form, on which lines.

Only the outline is read (names, parameters, lines); what the code means is the compiler's affair.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..._core import InputError

# The hooks and their parameters, as the literature names them.
HOOKS = {
    "preprocessProperty": ("prop_t prop",),
    "scatterFunc": ("prop_t source", "edge_prop_t edge"),
    "updateMergeInRAWSolver": ("prop_t a", "prop_t b"),
    "gatherFunc": ("prop_t accumulated", "prop_t arriving"),
    "applyMerge": ("prop_t a", "prop_t b"),
    "applyFunc": ("prop_t tProp", "prop_t source", "prop_t outDeg", "unsigned int &extra", "unsigned int arg"),
}
OPTIONAL = {"isActive": ("prop_t update",), "isSource": ("prop_t prop",), "priority": ("prop_t prop",)}
ALIASES = {"updateCalculation": "scatterFunc", "updateDestination": "gatherFunc"}
_KNOWN = {**HOOKS, **OPTIONAL}
_TYPE_WORDS = "void bool char short int long signed unsigned float double const auto prop_t edge_prop_t"
_TOKENS = re.compile(
    r'R"(?P<tag>[^()\\ ]*)\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|//(?:\\\n|[^\n])*"
    r"|/\*.*?(?:\*/|\Z)",
    re.DOTALL,
)
_NEAR = 0.88  # of difflib: a letter too many, too few or another one
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:\\\n|[^\n])*)", re.MULTILINE)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a hook."""

    type: str  # without const, & and name
    name: str  # "" where it has none
    size: str | None = None  # of an array, as written; None for a single value
    is_used: bool = True


@dataclass(frozen=True)
class Function:
    """A hook as the snippet defines it."""

    name: str  # as in HOOKS
    spelled: str  # in the snippet
    line: int
    parameters: tuple[Parameter, ...]
    body: str = ""  # without comments and strings
    body_line: int = 0  # where it starts


@dataclass
class Outline:
    """What a snippet holds."""

    text: str  # with its #include lines blanked, lines as they were
    includes: list[tuple[int, str]] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    has_struct: bool = False
    struct_is_template: bool = False
    active_macro: bool = False
    declared: set[str] = field(default_factory=set)  # traits (kIdentity, Extra, ...) found where hooks may declare them


def plain(text: str) -> str:
    """Text with comments, strings and characters blanked; every line and column stays where it is."""
    return _TOKENS.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def read(text: str, name: str) -> Outline:
    """Outline of a snippet; `name` is what messages call it.

    Raises
    ------
    InputError
        If a hook is defined twice, in two forms, or with a wrong number of parameters.

    """
    code = plain(text)
    outline = Outline(text)
    kept = list(text)
    blanked = list(code)
    for found in _DIRECTIVE.finditer(code):
        for i in range(found.start(), found.end()):
            if blanked[i] != "\n":
                blanked[i] = " "
        if found[1] == "include":
            line = code.count("\n", 0, found.start()) + 1
            outline.includes.append((line, text[found.start() : found.end()].strip()))
            for i in range(found.start(), found.end()):
                if kept[i] != "\n":
                    kept[i] = " "
        elif found[1] == "define" and re.match(r"\s*IS_ACTIVE_VERTEX\b", found[2]):
            outline.active_macro = True
    outline.text = "".join(kept)
    code = "".join(blanked)
    depths = outline_depths(code, name)
    struct = re.search(r"\bstruct\s+Hooks\b[^;{()]*\{", code)
    if struct and depths[struct.start()] == 0:
        outline.has_struct = True
        outline.struct_is_template = bool(re.search(r"template\s*<[^;{}]*>\s*$", code[: struct.start()]))
    inside = (struct.end(), closing(code, struct.end() - 1)) if outline.has_struct and struct else (0, len(code))
    wanted = int(outline.has_struct)
    for function, _ in _functions(code, depths, wanted, *inside, name):
        if function.name in outline.functions:
            first = outline.functions[function.name]
            raise InputError(
                f"{name}:{function.line}: {function.spelled} defines {function.name} again; line {first.line} has it"
            )
        _check(function, name, outline.has_struct)
        outline.functions[function.name] = function
    if outline.has_struct:
        outside = [f for f, at in _functions(code, depths, 0, 0, len(code), name) if not inside[0] <= at < inside[1]]
        if outside:
            raise InputError(
                f"{name}:{outside[0].line}: {outside[0].spelled} stands beside struct Hooks; hooks are either all in "
                "the struct or all free functions"
            )
    _check_spelling(code, depths, wanted, inside, outline.functions, name)
    for found in re.finditer(r"\b(k[A-Z]\w*)\s*(?:=|\{)|\busing\s+(\w+)\s*=", code[slice(*inside)]):
        if depths[inside[0] + found.start()] == wanted:
            outline.declared.add(found[1] or found[2])
    return outline


def outline_depths(code: str, name: str) -> list[int]:
    """Return how many braces are open at every character."""
    depths, depth = [], 0
    for i, c in enumerate(code):
        if c == "}":
            depth -= 1
            if depth < 0:
                raise InputError(f"{name}:{code.count(chr(10), 0, i) + 1}: a '}}' closes nothing")
        depths.append(depth)
        if c == "{":
            depth += 1
    if depth > 0:
        start = max(i for i, c in enumerate(code) if c == "{" and depths[i] == 0)
        raise InputError(f"{name}:{code.count(chr(10), 0, start) + 1}: this '{{' is never closed")
    return depths


_PAIRS = {"(": ")", "{": "}", "[": "]"}


def closing(code: str, start: int) -> int:
    """Return the position of the bracket that closes the one at `start`; the end of the text if none does."""
    opened, closed = code[start], _PAIRS[code[start]]
    depth = 0
    for i in range(start, len(code)):
        depth += (code[i] == opened) - (code[i] == closed)
        if depth == 0:
            return i
    return len(code)


def check_brackets(text: str, what: str) -> None:
    """Raise InputError for an expression or a body that would end, or take in, the text generated around it."""
    opened = []
    for c in plain(text):
        if c in _PAIRS:
            opened.append(c)
        elif c in _PAIRS.values() and (not opened or _PAIRS[opened.pop()] != c):
            raise InputError(f"{what} is {text!r}; its {c!r} closes nothing")
    if opened:
        raise InputError(f"{what} is {text!r}; its {opened[-1]!r} is never closed")


def _functions(
    code: str, depths: list[int], wanted: int, start: int, end: int, name: str
) -> Iterator[tuple[Function, int]]:
    """Definitions of hooks between two positions, at a depth of braces."""
    for found in re.compile(r"\b(" + "|".join([*_KNOWN, *ALIASES]) + r")\s*\(").finditer(code, start, end):
        if depths[found.start()] != wanted:
            continue
        close = closing(code, found.end() - 1)
        body = re.compile(r"\s*(?:const|noexcept|override|\s)*(?:->[^{;]*)?\{").match(code, close + 1)
        if body is None:
            continue  # declared, or called
        text = code[body.end() : closing(code, body.end() - 1)]
        parameters = tuple(_parameter(p, text) for p in split(code[found.end() : close]))
        line = code.count("\n", 0, found.start()) + 1
        body_line = code.count("\n", 0, body.end()) + 1
        hook = ALIASES.get(found[1], found[1])
        yield Function(hook, found[1], line, parameters, text, body_line), found.start()


def _check_spelling(
    code: str, depths: list[int], wanted: int, inside: tuple[int, int], hooks: dict[str, Function], name: str
) -> None:
    """Raise InputError for a function called nearly as a hook that is missing: its default would take its place."""
    spelled = {n.lower(): n for n in [*_KNOWN, *ALIASES] if ALIASES.get(n, n) not in hooks}
    for found in re.compile(r"\b(\w+)\s*\(").finditer(code, *inside):
        if depths[found.start()] != wanted or not re.match(r"[\s\w]*\{", code[closing(code, found.end() - 1) + 1 :]):
            continue
        near = difflib.get_close_matches(found[1].lower(), spelled, 1, _NEAR)
        if near and found[1] not in _KNOWN and found[1] not in ALIASES:
            line = code.count("\n", 0, found.start()) + 1
            raise InputError(
                f"{name}:{line}: {found[1]} is no hook; is it {spelled[near[0]]}? If not, give it a name less like it"
            )


def split(text: str) -> list[str]:
    """Return the parameters or arguments of a list, as written."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{<") - (c in ")]}>")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    parts = [p.strip() for p in parts]
    return [] if parts in ([""], ["void"]) else parts


def _parameter(text: str, body: str) -> Parameter:
    text = text.partition("=")[0].strip()
    array = re.fullmatch(r"(.*?)\(\s*&\s*(\w*)\s*\)\s*\[(.*)\]", text) or re.fullmatch(
        r"(.*?[\s*&])(\w*)\s*\[(.*)\]", text
    )
    if array:
        kind, name, size = array[1], array[2], array[3].strip()
        return Parameter(_bare(kind), name, size, _uses(name, body))
    found = re.fullmatch(r"(.*[\s&*])(\w+)", text, re.DOTALL)
    kind, name = (found[1], found[2]) if found and found[2] not in _TYPE_WORDS.split() else (text, "")
    size = "" if "*" in kind else None
    return Parameter(_bare(kind), name, size, _uses(name, body))


def _bare(kind: str) -> str:
    return " ".join(re.sub(r"\bconst\b|[&*]", " ", kind).split())


def _uses(name: str, body: str) -> bool:
    # `(void)name;` says that it is not used.
    body = re.sub(r"\(\s*void\s*\)\s*\w+\s*;", " ", body)
    return bool(name) and re.search(rf"\b{name}\b", body) is not None


def _check(function: Function, name: str, is_struct: bool) -> None:
    expected = _KNOWN[function.name]
    if len(function.parameters) != len(expected):
        number = len(function.parameters)
        raise InputError(
            f"{name}:{function.line}: {function.spelled} takes {number} parameter{'s' * (number != 1)}; it must be "
            f"{function.spelled}({', '.join(expected)})"
        )
    if function.name == "applyFunc" and not is_struct:
        extra = function.parameters[3]
        if extra.size is not None and not extra.size:
            raise InputError(
                f"{name}:{function.line}: extra is an array of no stated length; write unsigned int (&extra)[4]"
            )
