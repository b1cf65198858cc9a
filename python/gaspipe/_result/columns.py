# SPDX-License-Identifier: Apache-2.0
"""The answers of a result as columns of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._core import InputError

if TYPE_CHECKING:
    from .result import Result


def columns(result: Result) -> dict[str, Any]:
    """Columns by name: arrays, and (labels, ids) for vertices of a graph with labels; below 0 there is none."""
    answers = {f.name: f for f in result._fields[1:] if f.shape and f.row == result.row and f.name in result.__dict__}
    if result.row == "vertex":
        named = {"vertex": _vertices(result, np.arange(len(result.values), dtype=np.uint32))}
        for field in result._fields[:1] + tuple(answers.values()):
            values = getattr(result, field.name)
            named[field.name] = _vertices(result, values) if field.has_vertices else values
        return named if result._fields else {**named, result.field: result.values}
    found: dict[str, Any] = {}
    for field in result._fields[:1] + tuple(answers.values()):
        values = getattr(result, field.name)
        if values.ndim == 1:
            found[field.name] = _vertices(result, values) if field.has_vertices else values
        elif not field.has_rows:
            found = {"source": _vertices(result, values[:, 0]), "target": _vertices(result, values[:, 1]), **found}
        else:
            raise InputError(
                f"a {field.row} of {result.algorithm} has {values.shape[1]:,} values; a table takes one, `values` has "
                "all"
            )
    has_names = "source" in found or any(f.has_vertices for f in result._fields if f.row == result.row)
    return found if has_names else {result.row: np.arange(len(result.values)), **found}


def _vertices(result: Result, ids: NDArray[Any]) -> Any:
    return ids if result.labels is None else (result.labels, ids)
