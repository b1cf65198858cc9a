# SPDX-License-Identifier: Apache-2.0
"""Tables of pandas, polars and pyarrow from arrays."""

from __future__ import annotations

import importlib
from typing import Any, Callable

from .._core import InputError
from .arrow import import_arrow


def to_table(columns: dict[str, Any], library: str) -> Any:
    """A table of these columns; a column is an array, or (labels, ids) for `labels[ids]`, missing below 0."""
    if library not in _WRITERS:
        raise InputError(f"library is {library!r}; allowed are {', '.join(map(repr, _WRITERS))}")
    return _WRITERS[library](columns)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(f"library={name!r} needs {name}, which is missing; pip install {name}") from None


def _to_pandas(columns: dict[str, Any]) -> Any:
    pd = _library("pandas")

    def column(values: Any) -> Any:
        if not isinstance(values, tuple):
            return values
        labels, ids = values
        if ids.dtype.kind == "i" and (ids < 0).any():
            names = pd.array(labels) if labels.dtype.kind in "iu" else pd.Series(labels).array
            return names.take(ids, allow_fill=True)
        series = pd.Series(labels) if labels.dtype.kind in "OU" else labels  # pandas finds the type: text as a rule
        return series.take(ids).array if isinstance(series, pd.Series) else series[ids]

    return pd.DataFrame({name: column(values) for name, values in columns.items()}, copy=False)


def _to_polars(columns: dict[str, Any]) -> Any:
    pl = _library("polars")

    def column(name: str, values: Any) -> Any:
        if not isinstance(values, tuple):
            return pl.Series(name, values)
        labels, ids = values
        given = labels.tolist() if labels.dtype.kind in "OU" else labels
        at = pl.Series(ids)
        at = pl.select(pl.when(at >= 0).then(at)).to_series()
        return pl.Series(name, given, strict=True).gather(at)

    return pl.DataFrame([_fitting("polars", column, name, values) for name, values in columns.items()])


def _to_arrow(columns: dict[str, Any]) -> Any:
    pa = import_arrow("library='arrow' works")

    def column(name: str, values: Any) -> Any:
        if not isinstance(values, tuple):
            return pa.array(values)
        labels, ids = values
        given = labels.tolist() if labels.dtype.kind in "OU" else labels
        return pa.chunked_array([pa.array(given)]).take(pa.array(ids, mask=ids < 0))

    return pa.table({name: _fitting("arrow", column, name, values) for name, values in columns.items()})


def _fitting(library: str, column: Callable[[str, Any], Any], name: str, values: Any) -> Any:
    """A column, unless labels are of types that do not go into one."""
    labels = values[0] if isinstance(values, tuple) else values
    if labels.dtype == object:
        kinds = set(map(type, labels)) - {type(None)}
        if len(kinds) > 1:
            what = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise InputError(
                f"labels of several types ({what}) do not fit one column of library={library!r}; 'pandas' takes them"
            )
    try:
        return column(name, values)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"labels do not fit a column of library={library!r}; 'pandas' takes them: {error}") from error


_WRITERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": _to_pandas,
    "polars": _to_polars,
    "arrow": _to_arrow,
}
