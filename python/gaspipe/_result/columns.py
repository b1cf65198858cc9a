# SPDX-License-Identifier: Apache-2.0
"""The answers of a result as columns of a table, and as a dict."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._tables import Named, vertex_column
from .._vertices import keys

if TYPE_CHECKING:
    from .._description import Field
    from .result import Result


def columns(result: Result) -> dict[str, Any]:
    """Columns by name: arrays, and `Named` for vertices of a graph with labels; below 0 there is none."""
    answers = {f.name: f for f in result._fields[1:] if f.shape and f.row == result.row and f.name in result.__dict__}
    if result.row == "vertex":
        named = {"vertex": _vertices(result, np.arange(len(result.values), dtype=np.uint32))}
        for field in result._fields[:1] + tuple(answers.values()):
            values = getattr(result, field.name)
            named[field.name] = _vertices(result, values) if field.has_vertices else values
        return named if result._fields else {**named, result.field: result.values}
    if result._fields[0].has_rows:
        return _long(result, result._fields[0], [f for f in answers.values() if f.has_vertices])
    found: dict[str, Any] = {}
    for field in result._fields[:1] + tuple(answers.values()):
        values = getattr(result, field.name)
        if values.ndim == 1:
            found[field.name] = _vertices(result, values) if field.has_vertices else values
        else:
            found = {"source": _vertices(result, values[:, 0]), "target": _vertices(result, values[:, 1]), **found}
    has_names = "source" in found or any(f.has_vertices for f in result._fields if f.row == result.row)
    return found if has_names else {result.row: np.arange(len(result.values)), **found}


def as_dict(result: Result) -> dict[Hashable, Any]:
    """What Result.to_dict returns."""
    if result.row == "vertex":
        values = _vertices(result, result.values) if _has_vertices(result) else result.values
        ids = range(len(result)) if result.labels is None else keys(result.labels)
        return dict(zip(ids, _plain(values)))
    table = columns(result)
    names = [_plain(column) for column in table.values()]
    if not result._fields[0].has_rows:
        ends = 2 if "source" in table else 1
        rows = names[0] if ends == 1 else zip(*names[:2])
        return dict(zip(rows, names[ends] if len(names) > ends else [True] * len(names[0])))
    found: dict[Hashable, Any] = {}
    for row, column, value in zip(*names):
        if _has_vertices(result):
            found.setdefault(row, []).append(value)
        else:
            found.setdefault(row, {})[column] = value
    return found


def _long(result: Result, field: Field, named_by: list[Field]) -> dict[str, Any]:
    """A row for each value of an answer with rows of them: walks up to their end, or a vertex each."""
    count, width = result.values.shape
    row = np.repeat(np.arange(count), width)
    if field.has_vertices:
        values = result.values.ravel()
        is_there = values >= 0
        step = np.tile(np.arange(width), count)
        vertices = _vertices(result, values[is_there])
        return {result.row: row[is_there], "step": step[is_there], "vertex": vertices}
    (names,) = named_by
    vertices = _vertices(result, np.tile(np.arange(width, dtype=np.uint32), count))
    return {
        result.row: _vertices(result, getattr(result, names.name)[row]),
        "vertex": vertices,
        field.name: result.values.ravel(),
    }


def _has_vertices(result: Result) -> bool:
    return bool(result._fields) and result._fields[0].has_vertices


def _vertices(result: Result, ids: NDArray[Any]) -> Any:
    return vertex_column(ids, result.labels, result._vertex_type)


def _plain(column: Any) -> list[Any]:
    """Python's values of a column; of vertices that there are none of, -1 or None."""
    if not isinstance(column, Named):
        return list(column.tolist())
    names = keys(column.labels)
    return [None if v < 0 else names[v] for v in column.ids.tolist()]
