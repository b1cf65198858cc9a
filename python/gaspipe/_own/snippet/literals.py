# SPDX-License-Identifier: Apache-2.0
"""Finds real numbers in hooks whose values are integers, where C++ would cut off the fraction silently.

`src * 0.5` of an integer property is a double that C++ converts back: 0 for 1. A number is taken as intended where the
conversion is written (`prop_t(src * 0.5)`, `static_cast<...>`, `(unsigned)`), where it is an argument of a function or
part of a comparison or a condition, and where a variable declared `double` or `float` takes it.
"""

from __future__ import annotations

import re

from .outline import plain

_TOKEN = re.compile(
    r"\.?\d(?:[eEpP][+-]|'\w|[\w.])*"  # a number, as the preprocessor splits text
    r"|[A-Za-z_]\w*"
    r"|<<=|>>=|->|::|<<|>>|&&|\|\||[-+*/%&|^<>=!]=|\S"
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_COMPARISONS = {"<", ">", "<=", ">=", "==", "!=", "not_eq"}
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
_SEPARATORS = {",", ";", "?", ":", "&&", "||", "and", "or", "return", "else", *_ASSIGNMENTS}
_BEFORE = {*_SEPARATORS, *_PAIRS, "}"}  # what an operand's part of an expression starts after, and ends before
_AFTER = {*_SEPARATORS, *_PAIRS.values(), "{"}
_CONDITIONS = {"if", "while", "switch"}
_NO_CALLS = {"return", "else", "min", "max", "abs"}  # the last three return what they take
_STORAGE = {"static", "const", "constexpr", "volatile", "long"}
_REAL = {"double", "float"}


def real_numbers(text: str) -> list[tuple[int, str]]:
    """Line (from 1 on) and spelling of every real number in a text that would silently be cut to an integer."""
    code = plain(text)
    found = [(token[0], token.start()) for token in _TOKEN.finditer(code)]
    tokens, starts = _without_template_arguments(found)
    matches = _brackets(tokens)
    declared = set(re.findall(r"\b(?:double|float)\s+(\w+)", code))
    return [
        (code.count("\n", 0, starts[i]) + 1, token)
        for i, token in enumerate(tokens)
        if _is_real(token) and not _is_meant(tokens, matches, i, declared)
    ]


def _is_real(token: str) -> bool:
    if not re.match(r"\.?\d", token):
        return False
    word = token.lower()
    return "." in word or ("p" if word.startswith("0x") else "e") in word


def _without_template_arguments(found: list[tuple[str, int]]) -> tuple[list[str], list[int]]:
    """Join `static_cast<unsigned>` into one token, so that every < left compares."""
    tokens, starts, i = [], [], 0
    while i < len(found):
        token, start = found[i]
        i += 1
        if re.match(r"[A-Za-z_]", token) and i < len(found) and found[i][0] == "<":
            end, depth = i, 0
            while end < len(found) and re.match(r"[\w:<>,*&]", found[end][0]):
                depth += {"<": 1, ">": -1, ">>": -2}.get(found[end][0], 0)
                end += 1
                if depth <= 0:
                    break
            if depth <= 0 and end < len(found) and found[end][0] in ("(", "::", "{"):
                token += "".join(word for word, _ in found[i:end])
                i = end
        tokens.append(token)
        starts.append(start)
    return tokens, starts


def _brackets(tokens: list[str]) -> dict[int, int]:
    """Positions of brackets that belong together, both ways."""
    matches: dict[int, int] = {}
    opened: list[int] = []
    for i, token in enumerate(tokens):
        if token in _PAIRS:
            opened.append(i)
        elif token in _PAIRS.values() and opened:
            matches[i] = opened.pop()
            matches[matches[i]] = i
    return matches


def _is_meant(tokens: list[str], matches: dict[int, int], at: int, declared: set[str]) -> bool:
    """Whether the conversion of the number at a position is the author's word; looks outwards, bracket by bracket."""
    while True:
        if _is_cast(tokens, matches, at - 1):
            return True
        first, last = at, matches.get(at, at)  # the operand, and then all of its part of the expression
        while first > 0 and tokens[first - 1] not in _BEFORE:
            first = matches.get(first - 1, first - 1)
        while last + 1 < len(tokens) and tokens[last + 1] not in _AFTER:
            last = matches.get(last + 1, last + 1)
        if any(tokens[i] in _COMPARISONS for i in _outside_brackets(matches, first, last)):
            return True
        opening = _opening(tokens, matches, at)
        before = tokens[opening - 1] if opening > 0 else ""
        if opening < 0 or tokens[opening] == "{" or before == "for":
            return _is_taken_by_real(tokens, matches, opening, at, declared)
        if before in _CONDITIONS:
            return True
        if re.match(r"[A-Za-z_]", before) and before not in _NO_CALLS and not _is_real_type(before):
            return True
        at = opening


def _outside_brackets(matches: dict[int, int], first: int, last: int) -> list[int]:
    found = []
    while first <= last:
        found.append(first)
        first = max(matches.get(first, first), first) + 1
    return found


def _opening(tokens: list[str], matches: dict[int, int], at: int) -> int:
    """Position of the bracket around a position; -1 where there is none."""
    at -= 1
    while at >= 0 and tokens[at] not in _PAIRS:
        at = matches.get(at, at) - 1
    return at


def _is_real_type(word: str) -> bool:
    return word in _REAL or word.rstrip(">").rpartition("<")[2] in _REAL


def _is_cast(tokens: list[str], matches: dict[int, int], end: int) -> bool:
    """Whether `(unsigned)` ends at a position: a conversion to what is no real type."""
    if end not in matches or tokens[end] != ")":  # one that closes nothing is the compiler's to refuse
        return False
    words = tokens[matches[end] + 1 : end]
    is_type = bool(words) and all(re.fullmatch(r"[A-Za-z_]\w*|::", word) for word in words)
    return is_type and not _REAL & set(words)


def _is_taken_by_real(tokens: list[str], matches: dict[int, int], opening: int, at: int, declared: set[str]) -> bool:
    """Whether the statement around a position declares, or assigns to, a variable of a real type."""
    start = at
    while start - 1 > opening and tokens[start - 1] not in (";", "}"):
        start = matches.get(start - 1, start - 1)
    words = tokens[start:at]
    while words and words[0] in _STORAGE:
        words = words[1:]
    if len(words) < 2:
        return False
    declares = words[0] in _REAL and re.match(r"[A-Za-z_]", words[1]) is not None
    return declares or (words[0] in declared and words[1] in _ASSIGNMENTS)
