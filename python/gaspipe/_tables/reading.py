# SPDX-License-Identifier: Apache-2.0
"""A graph of a table with a row per edge."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .. import _core, _inputs
from .._core import InputError
from .arrow import ArrowColumns
from .columns import Names, choose
from .pandas import PandasColumns
from .vertices import VertexType, integer_type


def is_table(data: Any) -> bool:
    is_arrow = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__")
    return _is_pandas(data) or _is_lazy(data) or (is_arrow and not isinstance(data, type))


def from_table(
    table: Any,
    source: Any,
    destination: Any,
    weight: Any,
    directed: bool,
    relabel: bool | None,
    num_vertices: Any,
    threads: int,
) -> tuple[_core.Graph, NDArray[Any] | None, dict[str, NDArray[Any]], VertexType]:
    """What Graph._made takes, from a table with a row per edge; see Graph.from_table."""
    columns = _columns_of(table)
    *at, weight_at = choose(columns.names, source, destination, weight)
    weights = None if weight_at is None else columns.weights(weight_at)
    ends = [columns.ids(position) for position in at]
    if any(isinstance(end, Names) for end in ends):
        if relabel is not None and not relabel:
            named = at[0] if isinstance(ends[0], Names) else at[1]
            raise InputError(
                f"column {columns.names[named]!r} holds {columns.type_of(named)}, no vertex ids; without relabel=False "
                "its values become labels"
            )
        if num_vertices is not None:
            raise InputError("give no num_vertices=; the vertices are the names that occur in the table")
        names = [end if isinstance(end, Names) else columns.names_of(position) for end, position in zip(ends, at)]
        if names[0].kind != names[1].kind:
            what = " and ".join(f"column {columns.names[i]!r} {columns.type_of(i)}" for i in at)
            raise InputError(f"{what}: both ends of an edge must be called by the same type")
        codes, labels = _joined(names[0], names[1], columns.union)
        sources, targets = codes
        if not directed:
            sources, targets, weights = _inputs.with_reverse(sources, targets, weights)
        one, other = (columns.categories(position) for position in at)
        categories = None if one is None or other is None else one.with_those_of(other)
        return _core.Graph.from_edges(sources, targets, weights, len(labels), threads), labels, {}, categories
    ids = [np.asarray(end) for end in ends]
    edges = ids if weights is None else [*ids, weights]
    core, numbers = _inputs.from_edges(edges, num_vertices, bool(relabel), threads, directed)
    return core, numbers, {}, integer_type(ids, core.num_vertices if numbers is None else 0)


def edges_of(
    table: Any, source: Any, destination: Any, weight: Any
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Ends and weights of a table whose vertices are integers."""
    columns = _columns_of(table)
    *at, weight_at = choose(columns.names, source, destination, weight)
    weights = None if weight_at is None else columns.weights(weight_at)
    ends = [columns.ids(position) for position in at]
    for position, end in zip(at, ends):
        if isinstance(end, Names):
            raise InputError(
                f"column {columns.names[position]!r} holds {columns.type_of(position)}, no vertex ids; number the "
                "vertices first"
            )
    sources, targets = (np.asarray(end) for end in ends)
    return sources, targets, weights


def _columns_of(table: Any) -> PandasColumns | ArrowColumns:
    if isinstance(table, type):
        raise InputError(f"{table.__name__} is a class, not a table of edges; give an object of it")
    if not _is_lazy(table):
        return PandasColumns(table) if _is_pandas(table) else ArrowColumns(table)
    errors = importlib.import_module("polars.exceptions").PolarsError
    try:
        collected = table.collect()
    except errors as error:
        raise InputError(f"polars cannot collect the LazyFrame: {error}") from error
    return ArrowColumns(collected)


def _is_lazy(data: Any) -> bool:
    """Whether this is a LazyFrame of polars, a query whose table is not there yet."""
    return any(c.__name__ == "LazyFrame" and c.__module__.partition(".")[0] == "polars" for c in type(data).__mro__)


def _is_pandas(data: Any) -> bool:
    return any(c.__name__ == "DataFrame" and c.__module__.partition(".")[0] == "pandas" for c in type(data).__mro__)


def _joined(
    one: Names, other: Names, union: Callable[[Any, Any], tuple[NDArray[Any], NDArray[Any], Callable[[Any], Any]]]
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
