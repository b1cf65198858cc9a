# SPDX-License-Identifier: Apache-2.0
"""Reads what gp.Algorithm is given: C++ text, hooks by name, expressions, the rule that ends a run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._core import InputError
from .cpp import KEYWORDS
from .snippet import Outline, check_brackets, plain, read

MOST_STEPS = 2**31 - 1
_UNTIL = ("no_active", "no_change")


class Snippet(NamedTuple):
    """The hooks as their author wrote them."""

    file_name: str  # what compilers and messages call the text
    text: str | None  # None: hooks by name alone
    outline: Outline
    bodies: dict[str, str]  # hooks by name


def read_snippet(name: str, source: str | os.PathLike[str] | None, by_name: Mapping[str, str | None]) -> Snippet:
    """Read a C++ text or its file, and hooks by the keywords of gp.Algorithm."""
    file_name = f"{name}.h"
    if isinstance(source, os.PathLike):
        file_name = os.path.basename(source)
        source = read_file(source)
    if source is not None and not isinstance(source, str):
        raise InputError(f"source is of type {type(source).__name__}; C++ text or a path (pathlib.Path) is needed")
    bodies = {}
    for key, body in by_name.items():
        if body is None:
            continue
        if not isinstance(body, str) or not body.strip():
            raise InputError(f"{key} is {body!r}; C++ text is needed")
        check_brackets(body, key)
        bodies[KEYWORDS[key]] = body
    if source is not None and re.fullmatch(r"\s*[^\s(){};]+\.(?:h|hh|hpp|hxx|c|cc|cpp|cxx)\s*", source):
        raise InputError(f"source is {source!r}, which is no C++; for a file, give pathlib.Path({source.strip()!r})")
    return Snippet(file_name, source, read(source or "", file_name), bodies)


def read_file(path: os.PathLike[str]) -> str:
    """Text of a file of C++, without a byte order mark."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason} at byte {error.start}; save it as UTF-8") from None


def read_expression(value: Any, what: str) -> str | None:
    """C++ text of an expression or a number; None for None."""
    if value is None:
        return None
    if isinstance(value, str):
        if not value.strip() or ";" in plain(value):
            raise InputError(f"{what} is {value!r}; a C++ expression is needed, without ';'")
        check_brackets(value, what)
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{what} is {value!r}; a number or a C++ expression is needed")
    if isinstance(value, (int, np.integer)):
        number = int(value)
        if number == -(2**63):
            return "(-9223372036854775807 - 1)"
        if -(2**63) < number < 2**64:
            return f"{number}u" if number >= 2**31 else str(number)
    try:
        real = float(value)  # of an integer too that C++ has no type for
    except OverflowError:
        raise InputError(f"{what} is an integer of {int(value).bit_length()} bits; no number format holds it") from None
    return {"inf": "__builtin_huge_val()", "-inf": "-__builtin_huge_val()", "nan": '__builtin_nan("")'}.get(
        str(real), repr(real)
    )


def read_until(until: Any) -> tuple[str, dict[str, float]]:
    """Rule that ends a run, and the limits that come with it."""
    if isinstance(until, str) and until in _UNTIL:
        return until, {}
    if isinstance(until, tuple) and len(until) == 2:
        kind, value = until
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if kind == "steps" and number and 1 <= value <= MOST_STEPS and value == int(value):
            return "steps", {"max_iter": int(value)}
        if kind == "tol" and number and 0 <= value < float("inf"):
            return "tol", {"tol": float(value), "max_iter": 100}
    raise InputError(
        f"until is {until!r}; allowed are 'no_active', 'no_change', ('steps', n) with n >= 1 and ('tol', x) with x >= 0"
    )
