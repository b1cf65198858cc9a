# SPDX-License-Identifier: Apache-2.0
"""Tables of edges in and out: pandas as it is; polars and whatever else speaks Arrow through pyarrow.

pandas, polars and pyarrow are imported only where an object of theirs has come in or is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core, _inputs
from ._core import InputError

# In order of preference.
_NAMES = {
    "source": ("source", "src", "from", "u"),
    "destination": ("destination", "dst", "target", "to", "v"),
    "weight": ("weight", "w", "value"),
}
# Integers that floats can tell from their neighbours.
_LARGEST_FLOAT_ID = 1 << 53


class _Names(NamedTuple):
    """A column of names: `uniques[codes]`, where uniques are of the library the column is from."""

    codes: NDArray[Any]
    uniques: Any
    kind: str


def is_table(data: Any) -> bool:
    return _is_pandas(data) or hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__")


def from_table(
    table: Any,
    source: Any,
    destination: Any,
    weight: Any,
    directed: bool,
    relabel: bool | None,
    num_vertices: Any,
    threads: int,
) -> tuple[_core.Graph, NDArray[Any] | None]:
    """Graph and labels from a table with a row per edge; see Graph.from_table."""
    columns: _Pandas | _Arrow = _Pandas(table) if _is_pandas(table) else _Arrow(table)
    *at, weight_at = _choose(columns.names, source, destination, weight)
    weights = None if weight_at is None else columns.weights(weight_at)
    ends = [columns.ids(position) for position in at]
    if any(isinstance(end, _Names) for end in ends):
        if relabel is False:
            named = at[0] if isinstance(ends[0], _Names) else at[1]
            raise InputError(
                f"column {columns.names[named]!r} holds {columns.type_of(named)}, no vertex ids; without relabel=False "
                "its values become labels"
            )
        if num_vertices is not None:
            raise InputError("give no num_vertices=; the vertices are the names that occur in the table")
        names = [end if isinstance(end, _Names) else columns.names_of(position) for end, position in zip(ends, at)]
        if names[0].kind != names[1].kind:
            what = " and ".join(f"column {columns.names[i]!r} {columns.type_of(i)}" for i in at)
            raise InputError(f"{what}: both ends of an edge must be called by the same type")
        codes, labels = _joined(names[0], names[1], columns.union)
        edges = _with_reverse(codes, weights, directed)
        return _core.Graph.from_edges(*edges, len(labels), threads), labels
    edges = _with_reverse(ends, weights, directed)
    return _inputs.from_edges(edges[: 2 + (weights is not None)], num_vertices, bool(relabel), threads)


def to_table(columns: dict[str, Any], library: str) -> Any:
    """A table of these columns; a column is an array, or (labels, ids) for `labels[ids]`."""
    if library not in _WRITERS:
        raise InputError(f"library is {library!r}; allowed are {', '.join(map(repr, _WRITERS))}")
    return _WRITERS[library](columns)


def _is_pandas(data: Any) -> bool:
    return any(c.__name__ == "DataFrame" and c.__module__.partition(".")[0] == "pandas" for c in type(data).__mro__)


def _choose(names: list[Any], source: Any, destination: Any, weight: Any) -> tuple[int, int, int | None]:
    """Positions of the columns: as given, else by their names, else as they stand if there are two or three."""
    listed = ", ".join(map(repr, names))

    def position(role: str, name: Any) -> int:
        found = [i for i, other in enumerate(names) if type(other) is type(name) and other == name]
        if len(found) != 1:
            how = "no column" if not found else f"{len(found)} columns"
            raise InputError(f"{role} is {name!r}, and there is {how} of that name; the columns are {listed}")
        return found[0]

    given = {"source": source, "destination": destination, "weight": None if weight is False else weight}
    at: dict[str, int] = {role: position(role, name) for role, name in given.items() if name is not None}
    free = [i for i in range(len(names)) if i not in at.values()]
    for role, known in _NAMES.items():
        if role in at or (role == "weight" and weight is False):
            continue
        for name in known:
            found = [i for i in free if isinstance(names[i], str) and names[i].lower() == name]
            if len(found) > 1:
                raise InputError(f"{len(found)} columns are called {name!r}; give {role}=; the columns are {listed}")
            if found:
                at[role] = found[0]
                break
    order = ("source", "destination", "weight")[: len(names)]
    if len(names) in (2, 3) and all(at.get(role, i) == i for i, role in enumerate(order)):
        at = {role: i for i, role in enumerate(order) if role != "weight" or weight is not False}
    for role in ("source", "destination"):
        if role not in at:
            raise InputError(
                f"cannot tell which column is the {role}; give {role}= with its name; the columns are {listed}"
            )
    if len(set(at.values())) < len(at):
        raise InputError(
            f"one column cannot be two things: found {', '.join(f'{r}={names[i]!r}' for r, i in at.items())}"
        )
    return at["source"], at["destination"], at.get("weight")


def _with_reverse(ends: Any, weights: Any, directed: bool) -> tuple[Any, Any, Any]:
    sources, targets = (np.asarray(end) for end in ends)
    if directed:
        return sources, targets, weights
    if sources.dtype != targets.dtype:
        both = _inputs._joined(sources, targets)
        sources, targets = both[: len(sources)], both[len(sources) :]
    other = sources != targets
    if weights is not None:
        weights = np.concatenate([weights, weights[other]])
    return np.concatenate([sources, targets[other]]), np.concatenate([targets, sources[other]]), weights


def _joined(
    one: _Names, other: _Names, union: Callable[[Any, Any], tuple[NDArray[Any], NDArray[Any], Callable[[Any], Any]]]
) -> tuple[list[NDArray[np.uint32]], NDArray[Any]]:
    """New ids of both columns, ascending with the names that occur, and the names."""
    # Only the distinct values of each column are compared.
    codes, order, labels_of = union(one.uniques, other.uniques)
    split = len(codes) - len(other.uniques)
    columns = [codes[:split][one.codes], codes[split:][other.codes]]
    occurs = np.zeros(len(order), bool)
    for column in columns:
        occurs[column] = True
    order = order[occurs[order]]
    ids = np.empty(len(occurs), np.uint32)
    ids[order] = np.arange(len(order), dtype=np.uint32)
    return [ids[column] for column in columns], labels_of(order)


def _whole(values: NDArray[Any], name: Any) -> NDArray[np.int64]:
    """Ids from floats, which is what integers with gaps become in pandas."""
    values = np.asarray(values, np.float64)
    with np.errstate(invalid="ignore"):
        wrong = ~((np.abs(values) <= _LARGEST_FLOAT_ID) & (values == np.floor(values)))
    if wrong.any():
        row = int(wrong.argmax())
        what = "a null" if np.isnan(values[row]) else str(values[row])
        raise InputError(f"column {name!r} has {what} in row {row}; vertex ids are integers")
    return values.astype(np.int64)


def _refuse_nan(values: NDArray[Any], name: Any) -> NDArray[Any]:
    if values.dtype.kind == "f" and np.isnan(values).any():
        _refuse_null(name, int(np.isnan(values).argmax()))
    return values


def _refuse_null(name: Any, row: int) -> None:
    raise InputError(f"column {name!r} has a null in row {row}; drop such rows or fill them")


class _Pandas:
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
            _refuse_null(self.names[position], int(is_null.argmax()))
        return column.infer_objects() if column.dtype == object else column

    def ids(self, position: int) -> NDArray[Any] | _Names:
        column, types = self._column(position), self.pd.api.types
        if types.is_bool_dtype(column.dtype) or types.is_complex_dtype(column.dtype):
            raise InputError(f"column {self.names[position]!r} holds {self.type_of(position)}, which call no vertices")
        if types.is_integer_dtype(column.dtype):
            return self._numbers(column)
        if types.is_float_dtype(column.dtype):
            return _whole(self._numbers(column), self.names[position])
        return self.names_of(position)

    def names_of(self, position: int) -> _Names:
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
        return _Names(codes, values, kind)

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
            raise InputError(_no_weights(self.names[position], self.type_of(position)))
        return self._numbers(column)

    def _numbers(self, column: Any) -> NDArray[Any]:
        dtype = column.dtype
        for name in ("numpy_dtype", "subtype"):  # of nullable and Arrow-backed columns, of sparse ones
            dtype = getattr(dtype, name, dtype)
        return np.asarray(column.to_numpy(dtype=np.float64 if dtype.kind == "O" else dtype))  # objects: decimals


def _own(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    return array if array.dtype.kind != "U" else array.astype(object)


def _no_weights(name: Any, kind: str) -> str:
    return f"column {name!r} holds {kind}, which are no weights; give weight= with another name, or weight=False"


class _Arrow:
    """Columns of a pyarrow.Table, or of what becomes one without a copy."""

    def __init__(self, table: Any) -> None:
        pa = self.pa = _arrow("tables other than pandas.DataFrame are read")
        self.pc = importlib.import_module("pyarrow.compute")
        self.hidden: set[str] = set()
        if type(table).__module__.partition(".")[0] == "polars" and isinstance(getattr(table, "schema", None), dict):
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
            _refuse_null(self.names[position], self.pc.index(column.is_null(), True).as_py())
        return column

    def ids(self, position: int) -> NDArray[Any] | _Names:
        column, types, name = self._column(position), self.pa.types, self.names[position]
        if types.is_integer(column.type):
            return self._numbers(column)
        if types.is_floating(column.type):
            return _whole(self._numbers(column), name)
        if types.is_decimal(column.type):
            try:
                return self._numbers(column.cast(self.pa.int64()))
            except self.pa.ArrowInvalid as error:
                raise InputError(f"column {name!r}: {error}; vertex ids are integers") from None
        return self.names_of(position)

    def names_of(self, position: int) -> _Names:
        column, types, pa = self._column(position), self.pa.types, self.pa
        if isinstance(column.type, pa.BaseExtensionType):
            storage = pa.chunked_array([c.storage for c in column.chunks], column.type.storage_type)
            codes, uniques = self._factorized(storage, position)
            return _Names(codes, pa.ExtensionArray.from_storage(column.type, uniques), str(column.type))
        codes, uniques = self._factorized(column, position)
        kind = "name" if types.is_large_string(uniques.type) else str(uniques.type)
        if types.is_integer(uniques.type):
            kind = "number"
        elif types.is_timestamp(uniques.type):
            kind = "time" if uniques.type.tz is None else "time of a zone"
        return _Names(codes, uniques, kind)

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
            is_zoned = pa.types.is_timestamp(taken.type) and taken.type.tz is not None
            if extension is None and not is_zoned and not pa.types.is_time(taken.type):
                return np.asarray(taken.to_numpy(zero_copy_only=False))
            objects = np.empty(len(taken), object)
            objects[:] = taken.to_pylist()
            return objects

        return encoded.indices.to_numpy(zero_copy_only=False), order, labels

    def weights(self, position: int) -> NDArray[Any]:
        column, types = self._column(position), self.pa.types
        if types.is_decimal(column.type):
            column = column.cast(self.pa.float64())
        if not (types.is_integer(column.type) or types.is_floating(column.type) or types.is_boolean(column.type)):
            raise InputError(_no_weights(self.names[position], self.type_of(position)))
        return _refuse_nan(self._numbers(column), self.names[position])

    def _numbers(self, column: Any) -> NDArray[Any]:
        one = column.chunk(0) if column.num_chunks == 1 else None
        return np.asarray(column.to_numpy() if one is None else one.to_numpy(zero_copy_only=False))


def _arrow(use: str) -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise InputError(f"{use} with pyarrow, which is missing; pip install pyarrow") from None


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
        return pl.Series(name, given, strict=True).gather(pl.Series(ids))

    return pl.DataFrame([_fitting("polars", column, name, values) for name, values in columns.items()])


def _to_arrow(columns: dict[str, Any]) -> Any:
    pa = _arrow("library='arrow' works")

    def column(name: str, values: Any) -> Any:
        if not isinstance(values, tuple):
            return pa.array(values)
        labels, ids = values
        given = labels.tolist() if labels.dtype.kind in "OU" else labels
        return pa.chunked_array([pa.array(given)]).take(pa.array(ids))

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
