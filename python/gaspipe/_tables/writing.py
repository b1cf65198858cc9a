# SPDX-License-Identifier: Apache-2.0
"""Tables of pandas, polars and pyarrow from arrays."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .arrow import import_arrow
from .vertices import Categories, Named


def to_table(columns: dict[str, Any], library: str) -> Any:
    """A table of these columns, arrays or vertices by name."""
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
        if not isinstance(values, Named):
            return values
        labels, ids, categories = values
        if categories is not None:
            dtype = categories.native
            if not isinstance(dtype, pd.CategoricalDtype):
                dtype = pd.CategoricalDtype(categories.values, categories.is_ordered)
            return pd.Categorical(labels, dtype=dtype).take(ids.astype(np.intp, copy=False), allow_fill=True)
        if ids.dtype.kind == "i" and (ids < 0).any():
            names = pd.array(labels) if labels.dtype.kind in "iu" else pd.Series(labels).array
            return names.take(ids, allow_fill=True)
        series = pd.Series(labels) if labels.dtype.kind in "OU" else labels  # pandas finds the type: text as a rule
        return series.take(ids).array if isinstance(series, pd.Series) else series[ids]

    return pd.DataFrame({name: column(values) for name, values in columns.items()}, copy=False)


def _to_polars(columns: dict[str, Any]) -> Any:
    pl = _library("polars")

    def column(name: str, values: Any) -> Any:
        if not isinstance(values, Named):
            return pl.Series(name, values)
        labels, ids, categories = values
        given = labels.tolist() if labels.dtype.kind in "OU" else labels
        at = pl.Series(ids)
        at = pl.select(pl.when(at >= 0).then(at)).to_series()
        return pl.Series(name, given, dtype=kind_of(categories), strict=True).gather(at)

    def kind_of(categories: Categories | None) -> Any:
        if categories is None or isinstance(categories.native, pl.DataType):
            return None if categories is None else categories.native
        if not all(isinstance(value, str) for value in categories.values):
            return None  # which polars has not
        return pl.Enum(categories.values.tolist()) if categories.is_ordered else pl.Categorical()

    return pl.DataFrame([_fitting("polars", column, name, values) for name, values in columns.items()])


def _to_arrow(columns: dict[str, Any]) -> Any:
    pa = import_arrow("library='arrow' works")
    compute = importlib.import_module("pyarrow.compute")

    def column(name: str, values: Any) -> Any:
        if not isinstance(values, Named):
            return pa.array(values)
        labels, ids, categories = values
        at = pa.array(ids, mask=ids < 0)
        if categories is None:
            return pa.chunked_array([pa.array(given(labels))]).take(at)
        kind = categories.native
        if not isinstance(kind, pa.DictionaryType):
            kind = pa.dictionary(pa.int32(), pa.array(given(categories.values)).type, categories.is_ordered)
        dictionary = pa.array(given(categories.values), kind.value_type)
        codes = compute.index_in(pa.array(given(labels), kind.value_type), value_set=dictionary)
        fits = len(dictionary) - 1 <= np.iinfo(kind.index_type.to_pandas_dtype()).max
        codes = codes.cast(kind.index_type if fits else pa.int32()).take(at)
        return pa.DictionaryArray.from_arrays(codes, dictionary, ordered=kind.ordered)

    def given(labels: NDArray[Any]) -> Any:
        return labels.tolist() if labels.dtype.kind in "OU" else labels

    return pa.table({name: _fitting("arrow", column, name, values) for name, values in columns.items()})


def _fitting(library: str, column: Callable[[str, Any], Any], name: str, values: Any) -> Any:
    """A column, unless labels are of types that do not go into one."""
    labels = values.labels if isinstance(values, Named) else values
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
