# SPDX-License-Identifier: Apache-2.0
"""Makes the definition of a custom algorithm, which decides its C++, of what has been read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._core import InputError
from . import validate
from .callables import names_of, parameters_of
from .cpp import OUT_DEGREE, Definition, Input, Scalar
from .names import check_argument
from .numbers import Fixed, number_format
from .parameter import Parameter, bounds_of, kind_of
from .parse import Snippet, read_expression
from .question import Question, Values
from .snippet import plain


def make_definition(
    name: str,
    snippet: Snippet,
    types: tuple[Any, Any, Any],
    *,
    identity: float | str | None,
    finish: str | None,
    view: str,
    until: str,
    traits: dict[str, bool],
) -> Definition:
    """Return the definition, without what parameters and inputs add; `types` are prop, edge_prop and dtype."""
    prop, edge_prop, dtype = types
    d = Definition(
        name,
        snippet.outline,
        number_format(prop, "prop"),
        None if edge_prop is None else number_format(edge_prop, "edge_prop"),
        snippet.bodies,
        identity=read_expression(identity, "identity"),
        finish=read_expression(finish, "finish"),
        until=until,
        scale=prop.scale if isinstance(prop, Fixed) else None,
        view=view,
        traits=traits,
        file_name=snippet.file_name,
    )
    validate.check_edge_prop(d)
    validate.check_view(d)
    if d.holds_integers and isinstance(identity, (int, float, np.integer, np.floating)):
        validate.check_identity(d, identity)
        d.identity = read_expression(int(identity), "identity")
    default_dtype = "float64" if d.is_fixed else d.prop
    d.value_type = default_dtype if dtype is None else number_format(dtype, "dtype")
    return d


def make_question(
    d: Definition,
    limits: dict[str, float],
    parameters: Mapping[str, float | Parameter] | None,
    inputs: Mapping[str, Values] | None,
    initial: Values,
    arg: str | None,
) -> Question:
    """Return what calls may ask, and add to the definition what of it reaches C++."""
    question = Question(limits)
    _add_parameters(question, d, parameters or {}, initial, inputs)
    _add_inputs(question, d, inputs, initial)
    _add_arg(question, d, arg, initial)
    return question


def _add_parameters(
    question: Question, d: Definition, declared: Mapping[str, float | Parameter], initial: Values, inputs: Any
) -> None:
    callables = [f for f in [initial, *(inputs or {}).values()] if callable(f)]
    found: dict[str, Any] = {}
    for function in callables:
        for name, default in parameters_of(function).items():
            if name not in (inputs or {}):
                found.setdefault(name, default)
    for name, default in {**found, **declared}.items():
        check_argument(name, "parameter", {d.name, *(inputs or {})})
        given = default if isinstance(default, Parameter) else Parameter(default)
        kind = kind_of(name, given)
        if kind is None:
            if name in declared:
                raise InputError(f"parameter {name} has the default {given.default!r}; a number is needed")
            question.python[name] = default
            continue
        if given.vertex and kind != "vertex":
            raise InputError(f"parameter {name} is a vertex and has the default {given.default!r}; give an integer")
        low, high = bounds_of(name, given, kind)
        if d.is_fixed and kind == "real":
            low, high = max(low, 0.0), min(high, 1.0)
        if not low <= high:
            raise InputError(f"parameter {name} has low={low} and high={high}; nothing lies between")
        if kind != "flag" and not low <= given.default <= high:
            allowed = f"{int(low)} to {int(high)}" if kind == "integer" else f"{low} to {high}"
            raise InputError(f"parameter {name} has the default {given.default}; allowed are {allowed}")
        d.scalars.append(Scalar(name, kind, low, high))
        question.defaults[name] = {"flag": bool, "real": float}.get(kind, int)(given.default)  # not NumPy's own
        question.docs[name] = given.doc


def _add_inputs(question: Question, d: Definition, inputs: Mapping[str, Values] | None, initial: Values) -> None:
    if isinstance(initial, str):
        d.initial = read_expression(initial, "initial")
    elif initial is None:
        raise InputError("initial is None; an array, a number, a callable or a C++ expression is needed")
    else:
        question.vectors["initial"] = initial
    if inputs is None:
        apply = d.bodies.get("applyFunc")
        used = d.takes("applyFunc", 2) if apply is None else re.search(r"\bdegree\b", plain(apply)) is not None
        if used and not d.outline.has_struct:
            d.inputs.append(Input("degree", OUT_DEGREE))
        return
    for name, value in inputs.items():
        check_argument(name, "input", {d.name})
        if isinstance(value, str):
            d.inputs.append(Input(name, read_expression(value, name)))
        else:
            d.inputs.append(Input(name, None))
            question.vectors[name] = value


def _add_arg(question: Question, d: Definition, arg: str | None, initial: Values) -> None:
    d.arg = read_expression(arg, "arg")
    apply = d.outline.functions.get("applyFunc")
    if d.arg is not None or apply is None or apply.parameters[4].type == "Arg" or not apply.parameters[4].is_used:
        return
    texts = [d.initial, *(given.expression for given in d.inputs)]
    taken = {word for text in texts for word in re.findall(r"\w+", plain(text or ""))}
    for function in [initial, *question.vectors.values()]:
        if callable(function):
            taken |= set(names_of(function))
    left = [s.name for s in d.scalars if s.name not in taken]
    if len(left) == 1:
        d.arg = left[0]
    elif left:
        raise InputError(
            f"{d.file_name}:{apply.line}: which parameter is arg? Say arg={left[0]!r}, an expression of "
            f"{', '.join(left)}, or take all in a struct: Arg {apply.parameters[4].name}"
        )
