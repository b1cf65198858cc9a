# SPDX-License-Identifier: Apache-2.0
"""A parameter of a custom algorithm, as its author declares it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Parameter:
    """A parameter of an :class:`Algorithm`, where a default value alone says too little.

    Attributes
    ----------
    default : int, float or bool
        Its type is that of the parameter.
    low, high : float, optional
        Least and greatest value allowed.
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
