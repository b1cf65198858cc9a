# SPDX-License-Identifier: Apache-2.0
"""Finds in a snippet what cannot become hardware: recursion, the heap, exceptions, virtual functions.

Read from the text, before a compiler is asked. The CPU does not mind; the emulator and cards refuse.
"""

from __future__ import annotations

import re

from .outline import closing, plain, split

_BANNED = {
    "exceptions": r"\b(?:throw|try|catch)\b",
    "the heap": r"\bnew\b|\bdelete\b(?!\s*;)|\b(?:malloc|calloc|realloc|free|alloca)\s*\("
    r"|\bstd\s*::\s*(?:vector|string|map|set|unordered_map|unordered_set|list|deque|function|make_unique|make_shared"
    r"|unique_ptr|shared_ptr)\b",
    "virtual functions": r"\bvirtual\b|\bdynamic_cast\b|\btypeid\b",
    "state between calls": r"\bthread_local\b"
    r"|\bstatic\s+(?!constexpr\b|const\b|inline\b)[\w:<>]+\s+\w+\s*(?:=|;|\{|\[)",
    "input and output": r"\bstd\s*::\s*(?:cout|cerr|clog|cin)\b|\b(?:f?printf|puts|scanf|fopen)\s*\(",
    "goto": r"\bgoto\b",
}
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_BODY = re.compile(r"\s*(?:const|noexcept|override|\s)*(?:->[^{;]*)?\{")
_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_NO_FUNCTIONS = frozenset(("if", "for", "while", "switch", "return", "sizeof", "decltype", "static_assert", "alignas"))


def lint(text: str, name: str) -> list[str]:
    """Faults of a snippet, each with file and line, in order."""
    code = _DIRECTIVE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), plain(text))
    faults = []
    for what, pattern in _BANNED.items():
        for found in re.finditer(pattern, code):
            faults.append((found.start(), f"{what} ({' '.join(found[0].split()).rstrip('( ')})"))
    faults += _recursion(code)
    return [f"{name}:{code.count(chr(10), 0, at) + 1}: hardware has no {what}" for at, what in sorted(faults)]


_Call = tuple[str, int]  # a function and how many arguments: overloads are told apart by these


def _recursion(code: str) -> list[tuple[int, str]]:
    """Calls by which a function reaches itself."""
    bodies: dict[_Call, list[tuple[int, int]]] = {}
    for found in _FUNCTION.finditer(code):
        if found[1] in _NO_FUNCTIONS:
            continue
        close = closing(code, found.end() - 1)
        body = _BODY.match(code, close + 1)
        if body is not None:
            function = found[1], len(split(code[found.end() : close]))
            bodies.setdefault(function, []).append((body.end(), closing(code, body.end() - 1)))
    calls: dict[_Call, dict[_Call, int]] = {}
    for caller, places in bodies.items():
        for start, end in places:
            for found in _FUNCTION.finditer(code, start, end):
                called = found[1], len(split(code[found.end() : closing(code, found.end() - 1)]))
                # x.f() and other::f() are functions of something else.
                if called in bodies and not code[: found.start()].rstrip().endswith((".", "->", "::")):
                    calls.setdefault(caller, {}).setdefault(called, found.start())
    faults = []
    for caller, functions in calls.items():
        for called, at in functions.items():
            if _reaches(calls, called, caller):
                how = "calls itself" if called == caller else f"calls {called[0]}, which leads back to it"
                faults.append((at, f"recursion ({caller[0]} {how})"))
    return faults


def _reaches(calls: dict[_Call, dict[_Call, int]], start: _Call, end: _Call) -> bool:
    seen: set[_Call] = set()
    waiting = [start]
    while waiting:
        function = waiting.pop()
        if function == end:
            return True
        if function not in seen:
            seen.add(function)
            waiting += calls.get(function, {})
    return False
