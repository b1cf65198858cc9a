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
    """Columns by name: arrays, and (labels, ids) for vertices of a graph with labels."""
    answers = {f.name: f for f in result._fields[1:] if f.shape and f.row == result.row}
    if result.row == "vertex":
        named = {"vertex": _vertices(result, np.arange(len(result.values), dtype=np.uint32))}
        return {**named, result.field: result.values, **{name: getattr(result, name) for name in answers}}
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
