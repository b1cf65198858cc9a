# SPDX-License-Identifier: Apache-2.0
"""Columns of a pyarrow.Table, or of what becomes one without a copy."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .. import _inputs
from .._core import InputError
from .columns import Names, no_weights, refuse_nan, refuse_null, whole
from .vertices import Categories


def import_arrow(use: str) -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise InputError(f"{use} with pyarrow, which is missing; pip install pyarrow") from None


class ArrowColumns:
    """Columns of a pyarrow.Table, or of what becomes one without a copy."""

    def __init__(self, table: Any) -> None:
        pa = self.pa = import_arrow("tables other than pandas.DataFrame are read")
        self.pc = importlib.import_module("pyarrow.compute")
        self.hidden: set[str] = set()
        self.types: dict[str, Any] = {}  # polars' own
        if type(table).__module__.partition(".")[0] == "polars" and isinstance(getattr(table, "schema", None), dict):
            self.types = dict(table.schema)
            # Of Python objects, polars gives the addresses (or panics).
            self.hidden = {name for name, dtype in table.schema.items() if str(dtype) == "Object"}
            table = table.with_columns(**dict.fromkeys(self.hidden)) if self.hidden else table
        self.table = table = table if isinstance(table, pa.Table) else self._read(table)
        self.names = table.column_names

    def _read(self, given: Any) -> Any:
        pa, table = self.pa, None
        try:
            if hasattr(given, "__arrow_c_stream__") and hasattr(pa.Table, "__arrow_c_stream__"):  # from pyarrow 14 on
                return pa.table(given)
            if hasattr(given, "to_arrow"):
                table = given.to_arrow()
            elif hasattr(given, "__dataframe__"):
                table = importlib.import_module("pyarrow.interchange").from_dataframe(given)
        except (TypeError, ValueError, NotImplementedError, pa.ArrowException) as error:
            raise InputError(f"cannot read {_inputs.kind(given)} as a table of edges: {error}") from error
        if not isinstance(table, pa.Table):
            raise InputError(f"cannot read {_inputs.kind(given)} as a table of edges with pyarrow {pa.__version__}")
        return table

    def type_of(self, position: int) -> str:
        return f"values of type {self.table.schema.types[position]}"

    def _column(self, position: int) -> Any:
        column, types = self.table.column(position), self.pa.types
        if self.names[position] in self.hidden:
            raise InputError(f"column {self.names[position]!r} holds Python objects; cast it to a type of polars")
        if types.is_dictionary(column.type):
            # Nulls may hide among the dictionary's values, used or not.
            has_null = any(chunk.dictionary.null_count > 0 for chunk in column.chunks)
            column = column.cast(column.type.value_type) if has_null else column.unify_dictionaries()
        if column.null_count > 0:
            refuse_null(self.names[position], self.pc.index(column.is_null(), True).as_py())
        return column

    def ids(self, position: int) -> NDArray[Any] | Names:
        column, types, name = self._column(position), self.pa.types, self.names[position]
        if types.is_integer(column.type):
            return self._numbers(column)
        if types.is_floating(column.type):
            return whole(self._numbers(column), name)
        if types.is_decimal(column.type):
            try:
                return self._numbers(column.cast(self.pa.int64()))
            except self.pa.ArrowInvalid as error:
                raise InputError(f"column {name!r}: {error}; vertex ids are integers") from None
        return self.names_of(position)

    def names_of(self, position: int) -> Names:
        column, types, pa = self._column(position), self.pa.types, self.pa
        if isinstance(column.type, pa.BaseExtensionType):
            storage = pa.chunked_array([c.storage for c in column.chunks], column.type.storage_type)
            codes, uniques = self._factorized(storage, position)
            return Names(codes, pa.ExtensionArray.from_storage(column.type, uniques), str(column.type))
        codes, uniques = self._factorized(column, position)
        kind = "name" if types.is_large_string(uniques.type) else str(uniques.type)
        if types.is_integer(uniques.type):
            kind = "number"
        elif types.is_timestamp(uniques.type):
            kind = "time" if uniques.type.tz is None else "time of a zone"
        return Names(codes, uniques, kind)

    def categories(self, position: int) -> Categories | None:
        kind = self.table.schema.types[position]
        if not self.pa.types.is_dictionary(kind):
            return None
        column = self._column(position)
        if not self.pa.types.is_dictionary(column.type):  # one that had a null
            return None
        values = self._one(column).dictionary
        return Categories(self._labels(values), kind.ordered, self.types.get(self.names[position], kind))

    def _is_view(self, kind: Any) -> bool:
        return hasattr(self.pa.types, "is_string_view") and bool(self.pa.types.is_string_view(kind))

    def _factorized(self, column: Any, position: int) -> tuple[NDArray[Any], Any]:
        pa, types = self.pa, self.pa.types
        value_type = column.type.value_type if types.is_dictionary(column.type) else column.type
        is_name = any(
            test(value_type)
            for test in (
                types.is_string, types.is_large_string, self._is_view, types.is_integer, types.is_temporal,
                types.is_binary, types.is_large_binary, types.is_fixed_size_binary,
            )
        )  # fmt: skip
        if not is_name:
            what = self.type_of(position)
            raise InputError(f"column {self.names[position]!r} holds {what}, which call no vertices")
        if not types.is_dictionary(column.type):
            if self._is_view(value_type):
                column = column.cast(pa.large_string())
            column = column.dictionary_encode().unify_dictionaries()
        encoded = self._one(column)
        uniques = encoded.dictionary
        if types.is_string(uniques.type) or self._is_view(uniques.type):
            uniques = uniques.cast(pa.large_string())
        elif types.is_integer(uniques.type) and not types.is_uint64(uniques.type):
            uniques = uniques.cast(pa.int64())
        return encoded.indices.to_numpy(zero_copy_only=False), uniques

    def _one(self, column: Any) -> Any:
        """A column with dictionaries, of one piece; pyarrow leaves one without pieces as it is."""
        encoded = column if column.num_chunks == 0 else column.combine_chunks()
        if isinstance(encoded, self.pa.ChunkedArray):
            if encoded.num_chunks > 0:
                return encoded.chunk(0)
            nothing = self.pa.array([], self.pa.int32()), self.pa.array([], column.type.value_type)
            return self.pa.DictionaryArray.from_arrays(*nothing)
        return encoded

    def union(self, one: Any, other: Any) -> tuple[NDArray[Any], NDArray[Any], Callable[[Any], Any]]:
        pa = self.pa
        extension = one.type if isinstance(one.type, pa.BaseExtensionType) else None
        if extension is not None:
            one, other = one.storage, other.storage
        if one.type != other.type:
            try:
                other = other.cast(one.type)
            except pa.ArrowException:
                try:
                    one = one.cast(other.type)
                except pa.ArrowException as error:
                    raise InputError(f"the two ends of the edges do not go together: {error}") from None
        encoded = self._one(pa.chunked_array([one, other]).dictionary_encode().unify_dictionaries())
        values = encoded.dictionary
        order = np.asarray(self.pc.sort_indices(values))

        def labels(chosen: NDArray[Any]) -> NDArray[Any]:
            taken = values.take(pa.array(chosen))
            if extension is not None:
                taken = pa.ExtensionArray.from_storage(extension, taken)
            return self._labels(taken)

        return encoded.indices.to_numpy(zero_copy_only=False), order, labels

    def _labels(self, values: Any) -> NDArray[Any]:
        types = self.pa.types
        is_zoned = types.is_timestamp(values.type) and values.type.tz is not None
        if not (isinstance(values.type, self.pa.BaseExtensionType) or is_zoned or types.is_time(values.type)):
            return np.asarray(values.to_numpy(zero_copy_only=False))
        objects = np.empty(len(values), object)
        objects[:] = values.to_pylist()
        return objects

    def weights(self, position: int) -> NDArray[Any]:
        column, types = self._column(position), self.pa.types
        if types.is_decimal(column.type):
            column = column.cast(self.pa.float64())
        if not (types.is_integer(column.type) or types.is_floating(column.type) or types.is_boolean(column.type)):
            raise InputError(no_weights(self.names[position], self.type_of(position)))
        return refuse_nan(self._numbers(column), self.names[position])

    def _numbers(self, column: Any) -> NDArray[Any]:
        one = column.chunk(0) if column.num_chunks == 1 else None
        return np.asarray(column.to_numpy() if one is None else one.to_numpy(zero_copy_only=False))
