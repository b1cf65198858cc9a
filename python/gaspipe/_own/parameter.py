# SPDX-License-Identifier: Apache-2.0
"""A parameter of a custom algorithm, as its author declares it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._core import InputError
from .._description import HIGHEST


@dataclass(frozen=True)
class Parameter:
    """A parameter of an :class:`Algorithm`, where a default value alone says too little.

    Attributes
    ----------
    default : int, float or bool
        Its type is that of the parameter.
    low, high : float, optional
        Least and greatest value allowed. Integers have 32 bits; a vertex is one of the graph's, and has no bounds.
    doc : str
        A sentence for the docstring.
    vertex : bool
        Whether it is a vertex of the graph: calls take a label where the graph has labels, else an id, which is
        checked; hooks and callables get the id.

    """

    default: float
    low: float | None = None
    high: float | None = None
    doc: str = ""
    vertex: bool = False


def kind_of(name: str, given: Parameter) -> str | None:
    """Kind of the parameter in C++; None where it does not reach C++."""
    if isinstance(given.default, (bool, np.bool_)):
        return "flag"
    if isinstance(given.default, (int, np.integer)):
        return "vertex" if given.vertex or name == "root" else "integer"
    return "real" if isinstance(given.default, (float, np.floating)) else None


def bounds_of(name: str, given: Parameter, kind: str) -> tuple[float, float]:
    """Least and greatest value of a parameter; InputError for bounds that a parameter of its kind cannot have."""
    lowest, highest = (-(2.0**31), 2.0**31 - 1) if kind == "integer" else (-HIGHEST, HIGHEST)
    for what, bound in (("low", given.low), ("high", given.high)):
        if bound is None:
            continue
        if kind == "vertex":
            raise InputError(f"parameter {name} is a vertex and has {what}={bound!r}; omit it, any vertex is allowed")
        if not isinstance(bound, (int, float, np.integer, np.floating)) or not lowest <= bound <= highest:
            allowed = f"{lowest:.0f} to {highest:.0f}" if kind == "integer" else "finite numbers"
            raise InputError(f"parameter {name} has {what}={bound!r}; allowed are {allowed}, and None for no bound")
    return lowest if given.low is None else float(given.low), highest if given.high is None else float(given.high)
