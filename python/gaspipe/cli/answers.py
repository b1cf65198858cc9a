# SPDX-License-Identifier: Apache-2.0
"""What to tell of an answer in a few lines: for distances how far, for groups and sets how many, else the highest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._result import Result

_REACH = ("depth", "distance")
_GROUPS = ("component", "label", "community")
_SETS = ("member",)


def summary(result: Result) -> dict[str, Any]:
    """Tell the answer in numbers."""
    values = result.values
    if values.ndim > 1 or _lists_vertices(result):
        return {_plural(result.row): len(values), **_numbers(result)}
    if result.field in _REACH:
        reached = _reached(values)
        farthest = values[reached].max() if reached.any() else None
        return {"reached": int(reached.sum()), "farthest": plain(farthest)}
    if result.field in _GROUPS:
        names, sizes = _groups(values)
        return {_plural(result.field): len(names), "largest": int(sizes[0])}
    if result.field in _SETS:
        return {_plural(result.field): int(values.sum())}
    finite = values[np.isfinite(values)]
    numbers = (finite.min(), finite.max(), _sum(finite)) if finite.size else (None, None, None)
    return {**dict(zip(("min", "max", "sum"), map(plain, numbers))), **_numbers(result)}


def _sum(values: NDArray[Any]) -> Any:
    """Return the sum; of integers whatever its size, of floats inf beyond them."""
    with np.errstate(over="ignore"):
        is_large = values.dtype.kind in "iu" and abs(values.sum(dtype=np.float64)) >= 2.0**62
        return sum(values.tolist()) if is_large else values.sum()


def top(result: Result, count: int) -> list[dict[str, Any]]:
    """Return the vertices (or components, or labels) that tell most; of equal ones the first."""
    values = result.values
    if values.ndim > 1:
        return []
    if _lists_vertices(result):
        return [{"vertex": _label(result, int(v))} for v in values[:count]]
    if result.field in _GROUPS:
        names, sizes = _groups(values)
        return [
            {result.field: int(name), "vertex": _label(result, int(name)), "size": int(size)}
            for name, size in zip(names[:count], sizes[:count])
        ]
    if result.field in _SETS:
        return [{"vertex": _label(result, int(v))} for v in np.flatnonzero(values)[:count]]
    usable = np.flatnonzero(_reached(values) if result.field in _REACH else np.isfinite(values))
    # The highest `count`, and all that equal the last of them; then in order.
    if 0 < count < len(usable):
        least = np.partition(values[usable], -count)[-count]
        usable = usable[values[usable] >= least]
    order = usable[np.lexsort((usable, _falling(values[usable])))][:count]
    return [{result.row: row_name(result, int(i)), result.field: plain(values[i])} for i in order]


def row_name(result: Result, i: int) -> Any:
    """Name of a row: a vertex, both vertices of an edge or a pair, or a number."""
    if result.row == "vertex":
        return _label(result, i)
    for field in result._fields:
        if field.has_vertices and field.shape == (result._fields[0].shape[0], "2"):
            return ",".join(str(_label(result, int(v))) for v in getattr(result, field.name)[i])
    return i


def sentence(result: Result) -> str:
    """Tell the answer in a sentence."""
    told, count = summary(result), len(result.values)
    parts = [f"{name} {number(value)}" for name, value in _numbers(result).items() if value is not None]
    if result.values.ndim > 1 or _lists_vertices(result):
        return ", ".join([f"{count:,} {_plural(result.row) if count != 1 else result.row}", *parts])
    if result.field in _REACH:
        text = f"{told['reached']:,} of {count:,} vertices reached ({percent(told['reached'], count)})"
        if told["farthest"] is not None:
            text += f", the farthest at {result.field} {number(told['farthest'])}"
        return text
    if result.field in _GROUPS:
        share = percent(told["largest"], count)
        groups = told[_plural(result.field)]
        name = _plural(result.field) if groups != 1 else result.field
        return f"{groups:,} {name}, the largest with {told['largest']:,} vertices ({share})"
    if result.field in _SETS:
        size = told[_plural(result.field)]
        name = _plural(result.field) if size != 1 else result.field
        return f"{size:,} {name} of {count:,} vertices ({percent(size, count)})"
    if told["max"] is None:
        return f"no finite {result.field}"
    text = f"{result.field} from {number(told['min'])} to {number(told['max'])}"
    text += ", sum " + ("beyond float64" if told["sum"] is None else number(told["sum"]))
    return ", ".join([text, *parts])


def table(result: Result, count: int) -> list[str]:
    """Lines that show the vertices that tell most."""
    rows = top(result, count)
    if not rows:
        return []
    if result.field in _GROUPS:
        cells = [(f"{result.field} {r[result.field]}", f"{r['size']:,} vertices") for r in rows]
        if result.labels is not None:
            cells = [(f"{name} (of {r['vertex']})", size) for (name, size), r in zip(cells, rows)]
        title = "largest:"
    elif result.field in _SETS or _lists_vertices(result):
        return ["first:"] + [f"  vertex {r['vertex']}" for r in rows]
    else:
        cells = [(f"{result.row} {r[result.row]}", number(r[result.field])) for r in rows]
        title = "farthest:" if result.field in _REACH else f"highest {result.field}:"
    width, value_width = (max(len(c[i]) for c in cells) for i in (0, 1))
    return [title] + [f"  {name:<{width}}  {value:>{value_width}}" for name, value in cells]


def _lists_vertices(result: Result) -> bool:
    """Whether the answer is some vertices."""
    return result.row != "vertex" and result._fields[0].has_vertices and result.values.ndim == 1


def _numbers(result: Result) -> dict[str, Any]:
    """Return those answers that are one number."""
    return {f.name: plain(getattr(result, f.name)) for f in result._fields if not f.shape}


def number(value: Any) -> str:
    """Write a number for people."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def percent(part: int, whole: int) -> str:
    """Write a share; 100 % is all."""
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "less than 0.1 %"
    return "100 %" if part == whole else f"{min(share, 99.9):.1f} %"


def plain(value: Any) -> Any:
    """Python's own number for NumPy's, None where JSON has none; a label of another type as --root takes it."""
    if isinstance(value, np.generic) and value.dtype.kind not in "mM":
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)


def _reached(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(np.isfinite(values) if values.dtype.kind == "f" else values >= 0)


def _plural(field: str) -> str:
    if field == "vertex":
        return "vertices"
    return f"{field[:-1]}ies" if field.endswith("y") else f"{field}s"


def _groups(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    names, sizes = np.unique(values, return_counts=True)
    order = np.lexsort((names, -sizes))
    return names[order], sizes[order]


def _falling(values: NDArray[Any]) -> NDArray[Any]:
    """Keys that sort values from high to low; integers negated would overflow at their lowest."""
    return ~values if values.dtype.kind in "iu" else -values


def _label(result: Result, vertex: int) -> Any:
    return vertex if result.labels is None else plain(result.labels[vertex])
