# SPDX-License-Identifier: Apache-2.0
"""Columns of a pandas.DataFrame."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .columns import Names, no_weights, refuse_null, whole
from .vertices import Categories


class PandasColumns:
    """Columns of a pandas.DataFrame."""

    def __init__(self, table: Any) -> None:
        self.pd = importlib.import_module("pandas")
        self.table = table
        self.names = table.columns.tolist()

    def type_of(self, position: int) -> str:
        return f"values of dtype {self.table.dtypes.iloc[position]}"

    def _column(self, position: int) -> Any:
        column = self.table.iloc[:, position]
        is_null = column.isna().to_numpy()
        if is_null.any():
            refuse_null(self.names[position], int(is_null.argmax()))
        return column.infer_objects() if column.dtype == object else column

    def ids(self, position: int) -> NDArray[Any] | Names:
        column, types = self._column(position), self.pd.api.types
        if types.is_bool_dtype(column.dtype) or types.is_complex_dtype(column.dtype):
            raise InputError(f"column {self.names[position]!r} holds {self.type_of(position)}, which call no vertices")
        if types.is_integer_dtype(column.dtype):
            return self._numbers(column)
        if types.is_float_dtype(column.dtype):
            return whole(self._numbers(column), self.names[position])
        return self.names_of(position)

    def names_of(self, position: int) -> Names:
        column, types = self._column(position), self.pd.api.types
        try:
            codes, uniques = self.pd.factorize(column)
        except TypeError as error:
            raise InputError(f"column {self.names[position]!r}: {error}; names must be hashable") from None
        if isinstance(column.dtype, self.pd.CategoricalDtype):
            uniques = uniques.categories.take(uniques.codes)
        values = self.pd.Series(uniques)
        kind = "number" if types.is_numeric_dtype(values.dtype) else "name"
        if types.is_datetime64_any_dtype(values.dtype):
            kind = "time" if values.dt.tz is None else "time of a zone"
        return Names(codes, values, kind)

    def categories(self, position: int) -> Categories | None:
        dtype = self.table.dtypes.iloc[position]
        if not isinstance(dtype, self.pd.CategoricalDtype):
            return None
        return Categories(_own(self.pd.Series(dtype.categories)), bool(dtype.ordered), dtype)

    def union(self, one: Any, other: Any) -> tuple[NDArray[Any], NDArray[Any], Callable[[Any], Any]]:
        both = self.pd.concat([one, other], ignore_index=True)
        codes, uniques = self.pd.factorize(both)
        values = self.pd.Series(uniques)
        try:
            order = np.asarray(values.array.argsort())
        except TypeError:  # of several types: as they come
            order = np.arange(len(values))
        return codes, order, lambda chosen: _own(values.take(chosen))

    def weights(self, position: int) -> NDArray[Any]:
        column, types = self._column(position), self.pd.api.types
        if not types.is_numeric_dtype(column.dtype) or types.is_complex_dtype(column.dtype):
            raise InputError(no_weights(self.names[position], self.type_of(position)))
        return self._numbers(column)

    def _numbers(self, column: Any) -> NDArray[Any]:
        dtype = column.dtype
        for name in ("numpy_dtype", "subtype"):  # of nullable and Arrow-backed columns, of sparse ones
            dtype = getattr(dtype, name, dtype)
        return np.asarray(column.to_numpy(dtype=np.float64 if dtype.kind == "O" else dtype))  # objects: decimals


def _own(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    return array if array.dtype.kind != "U" else array.astype(object)
