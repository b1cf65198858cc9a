# SPDX-License-Identifier: Apache-2.0
"""Finds real numbers in hooks whose values are integers, where C++ would cut off the fraction without a word.

`src * 0.5` of an integer property is a double that C++ converts back: 0 for 1. A number is taken as meant where the
conversion is written (`prop_t(src * 0.5)`, `static_cast<...>`, `(unsigned)`), where it is an argument of a function or
part of a comparison or a condition, and where a variable declared `double` or `float` takes it.
"""

from __future__ import annotations

import re

from ._core import InputError
from ._program import KEYWORDS, Definition
from ._snippet import plain

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


def check(d: Definition) -> None:
    """Raise InputError for the first real number that hooks or expressions would cut to an integer."""
    if d.is_fixed:
        holds = "hooks see words of fixed point, where it is cut to an integer"
        remedy = 'for values give prop="float64"; in hooks multiply_fraction(word, share, 31) takes a real parameter'
        initial = 'word(...) makes a word of a value, prop="float64" keeps values'
    else:
        holds = f"properties are {d.prop}, which cuts off the fraction"
        remedy = initial = 'give prop="float64" or "float32"'
    cast = ", or cast what is meant to be an integer: prop_t(...)"
    if d.is_fixed or "float" not in d.prop:
        for key, hook in KEYWORDS.items():
            if hook in d.bodies:
                _refuse(d.bodies[hook], key, holds, remedy + cast)
            if hook in d.outline.functions:
                function = d.outline.functions[hook]
                _refuse(function.body, function.spelled, holds, remedy + cast, (d.file_name, function.body_line))
        expressions = {"initial": d.initial, "identity": d.identity, **{i.name: i.expression for i in d.inputs}}
        for name, text in expressions.items():
            _refuse(text, name, holds, initial + cast)
    if "float" not in d.value_type:
        remedy = 'give dtype="float64" or "float32"'
        _refuse(d.finish, "finish", f"answers are {d.value_type}, which cuts off the fraction", remedy)
    if _arg_is_integer(d):
        remedy = "cast what is meant, take all parameters in a struct (Arg arg), or make it one of inputs="
        _refuse(d.arg, "arg", "it reaches applyFunc as an unsigned integer", remedy)


def _refuse(text: str | None, what: str, holds: str, remedy: str, place: tuple[str, int] | None = None) -> None:
    """Raise for a real number in a text; `place` is the file and line where it starts, if it is part of a file."""
    found = real_numbers(text or "")
    if text is None or not found:
        return
    line, number = found[0]
    if place is None:
        what += f" is {text.splitlines()[line - 1].strip()!r}, which"
    else:
        what = f"{place[0]}:{place[1] + line - 1}: {what}"
    raise InputError(f"{what} has the real number {number}, but {holds}; {remedy}")


def _arg_is_integer(d: Definition) -> bool:
    apply = d.outline.functions.get("applyFunc")
    if apply is None or d.outline.has_struct:
        return not d.outline.has_struct
    kind = apply.parameters[4].type
    return kind in ("unsigned", "int", "unsigned int") or (kind == "prop_t" and "float" not in d.prop)


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
    if end < 0 or tokens[end] != ")":
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
