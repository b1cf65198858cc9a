# SPDX-License-Identifier: Apache-2.0
"""Columns of vertices: of which type they came, so that tables of answers have it again and join back."""

from __future__ import annotations

from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from .._vertices import keys


class Categories(NamedTuple):
    """The type of columns whose values are of a list: pandas' and polars' categories, Arrow's dictionaries."""

    values: NDArray[Any]  # used or not, in their order
    is_ordered: bool
    native: Any = None  # the type in the library that the table was of

    def with_those_of(self, other: Categories) -> Categories:
        """Categories of both columns; an order that only one of them has is none."""
        is_same_type = bool(self.native == other.native)
        names, others = keys(self.values), keys(other.values)
        if is_same_type and names == others:
            return self
        values = np.empty(len({*names, *others}), object)
        values[:] = list(dict.fromkeys([*names, *others]))
        return Categories(values, False, self.native if is_same_type and not self.is_ordered else None)


# Of integers, of categories, or none that has to be kept.
VertexType = Union["np.dtype[Any]", Categories, None]


class Named(NamedTuple):
    """A column of vertices by name: `labels[ids]`, missing where an id is below 0."""

    labels: NDArray[Any]
    ids: NDArray[Any]
    categories: Categories | None = None


def integer_type(ends: list[NDArray[Any]], num_vertices: int) -> VertexType:
    """The type of both columns of integers, if all vertices have a number of it."""
    dtype = np.result_type(*ends)
    if dtype.kind == "f":  # of int64 beside uint64
        dtype = np.dtype(np.uint64)
    dtype = dtype.newbyteorder("=")
    return dtype if num_vertices - 1 <= np.iinfo(dtype).max else None


def vertex_column(ids: NDArray[Any], labels: NDArray[Any] | None, kind: VertexType) -> NDArray[Any] | Named:
    """A column of vertices, by the labels of their graph where it has any, in the type of the table that it is from."""
    if isinstance(kind, Categories):
        assert labels is not None
        return Named(labels, ids, kind)
    if labels is not None:
        return Named(labels if kind is None else labels.astype(kind, copy=False), ids)
    if kind is None:
        return ids
    if kind.kind == "u" and ids.dtype.kind == "i":  # which has no -1 to say that there is none
        return Named(np.arange(int(ids.max(initial=-1)) + 1, dtype=kind), ids)
    return ids.astype(kind, copy=False)
