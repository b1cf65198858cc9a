# SPDX-License-Identifier: Apache-2.0
"""Callables of the author that take a graph and parameters by name: `f(graph, **parameters)`."""

from __future__ import annotations

import inspect
from typing import Any, Callable

from .._core import InputError


class _RequiredType:
    """Default of an argument that must be given."""

    def __repr__(self) -> str:
        return "Required"


Required = _RequiredType()


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Parameters of a callable after the graph, with their defaults."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise InputError(f"{function!r} has no signature to be read; wrap it in a function") from None
    if not parameters or parameters[0].kind not in (parameters[0].POSITIONAL_ONLY, parameters[0].POSITIONAL_OR_KEYWORD):
        raise InputError(f"{function!r} does not take a graph; it must be callable as f(graph, **parameters)")
    found: dict[str, Any] = {}
    for p in parameters[1:]:
        if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL):
            raise InputError(f"{function!r} takes {p.name} by position; parameters come by name")
        if p.kind != p.VAR_KEYWORD:
            found[p.name] = Required if p.default is p.empty else p.default
    return found


def names_of(function: Callable[..., Any]) -> set[str]:
    """Names that a callable takes; all that there are if it takes **anything."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    if any(p.kind == p.VAR_KEYWORD for p in parameters):
        return _Everything()
    return {p.name for p in parameters}


class _Everything(set):  # type: ignore[type-arg]
    def __contains__(self, name: object) -> bool:
        return True
