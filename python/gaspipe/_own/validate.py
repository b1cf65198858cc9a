# SPDX-License-Identifier: Apache-2.0
"""Refuses what makes no algorithm: parts that are each well formed, but do not go together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._core import InputError
from .._flags import check_flags
from .cpp import KEYWORDS, Definition
from .parse import Snippet
from .snippet import real_numbers

_MOST_SECONDS = 1_000_000  # poll() counts milliseconds in 31 bits
_WHOLE = ("units", "lanes", "pes", "capacity", "clock_mhz")  # options of a build


def check_hooks(name: str, snippet: Snippet) -> None:
    """Refuse hooks that are defined twice, and a program without a gather."""
    file_name, outline, bodies = snippet.file_name, snippet.outline, snippet.bodies
    if outline.has_struct and bodies:
        raise InputError(f"{name} has struct Hooks and hooks by name; give one of them")
    short = {hook: key for key, hook in KEYWORDS.items()}
    for hook in bodies:
        if hook in outline.functions:
            line = outline.functions[hook].line
            raise InputError(f"{short[hook]}= and {file_name}:{line} both define {hook}; give one of them")
    if "gatherFunc" not in outline.functions and "gatherFunc" not in bodies:
        found = [f.spelled for f in outline.functions.values()] + [short[hook] + "=" for hook in bodies]
        raise InputError(
            f"{name} has no gatherFunc(accumulated, arriving), which merges two updates to one vertex; "
            f"found {', '.join(found) or 'no hooks'}"
        )


def check_edge_prop(d: Definition) -> None:
    """Refuse weights in fixed point."""
    if d.edge_prop == "fixed":
        raise InputError("edge_prop cannot be fixed point; weights are integers or floats")


def check_identity(d: Definition, identity: float) -> None:
    """Refuse a number that the integers of a property do not hold."""
    dtype = np.dtype("uint32" if d.is_fixed else d.prop)
    info = np.iinfo(dtype)
    is_finite = math.isfinite(identity)
    if not is_finite or identity != int(identity) or not info.min <= identity <= info.max:
        hint = '; prop="float64" holds it' if is_finite and identity != int(identity) else ""
        raise InputError(f"identity is {identity!r}, which is no {dtype}{hint}")


def check_view(d: Definition) -> None:
    """Refuse an unknown view, and components of one that has none."""
    idempotent = d.traits["idempotent"]
    if d.traits["components"] and not (idempotent and d.view == "undirected"):
        raise InputError(
            f"components=True with view={d.view!r} and idempotent={idempotent!r}; components are those of an "
            "undirected view, of an idempotent gather: give view='undirected' and idempotent=True"
        )
    if d.view not in ("forward", "reverse", "undirected"):
        raise InputError(f"view is {d.view!r}; allowed are 'forward', 'reverse' and 'undirected'")


def check_types(parameters: Any, inputs: Any, doc: Any, timeout: Any) -> None:
    """Refuse keywords of another type."""
    for what, mapping in (("parameters", parameters), ("inputs", inputs)):
        if mapping is not None and not isinstance(mapping, Mapping):
            raise InputError(f"{what} is {mapping!r}; a dict is needed, by name")
    if not isinstance(doc, str):
        raise InputError(f"doc is {doc!r}; text is needed")
    check_timeout(timeout)


def check_timeout(timeout: Any) -> None:
    """Refuse what is no number of seconds that a process can be waited for."""
    if timeout is None:
        return
    is_number = isinstance(timeout, (int, float, np.integer, np.floating)) and not isinstance(timeout, bool)
    if not is_number or not 0 < timeout <= _MOST_SECONDS:
        raise InputError(f"timeout is {timeout!r}; seconds above 0 and up to {_MOST_SECONDS} are needed, or None")


def build_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a build; InputError for those of another type."""
    check_flags(weighted=options.get("weighted"))
    for name in _WHOLE:
        value = options.get(name)
        if value is not None and (isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer))):
            raise InputError(f"{name} is {value!r}; a whole number is needed")
    return {name: int(value) if isinstance(value, np.integer) else value for name, value in options.items()}


def check_real_numbers(d: Definition) -> None:
    """Raise InputError for the first real number that hooks or expressions would cut to an integer."""
    if d.is_fixed:
        holds = "hooks see words of fixed point, where it is cut to an integer"
        remedy = 'for values give prop="float64"; in hooks multiply_fraction(word, share, 31) takes a real parameter'
        initial = 'word(...) makes a word of a value, prop="float64" keeps values'
    else:
        holds = f"properties are {d.prop}, which cuts off the fraction"
        remedy = initial = 'give prop="float64" or "float32"'
    cast = ", or cast what is meant to be an integer: prop_t(...)"
    if d.holds_integers:
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
