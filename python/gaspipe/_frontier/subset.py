# SPDX-License-Identifier: Apache-2.0
"""gp.VertexSubset: a set of vertices, as the calls of a frontier program take and make it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core import InputError
from .._inputs import refuse_masked
from .._vertices import Index

if TYPE_CHECKING:
    from ..graph import Graph


class VertexSubset:
    """A set of vertices: a queue of their ids, or a bitmap.

    Either form is the same set, and engines change the form as their loops need it. A set belongs to the graph of the
    engine that used it first. Not for two threads at once.

    Parameters
    ----------
    capacity : int
        Vertices of the graph; 0: that of the engine which fills the set.
    vertices : bool, int or array of int, optional
        The set's vertices, ids from 0 to capacity - 1, in any order: one or several, as a queue; True for all and False
        for none, as a bitmap. By default none, as a queue.

    Raises
    ------
    InputError
        If a vertex is not below the capacity.

    """

    def __init__(
        self, capacity: int = 0, vertices: bool | np.bool_ | int | Iterable[int] | NDArray[Any] | Index | None = None
    ) -> None:
        if isinstance(capacity, (bool, np.bool_)) or not hasattr(capacity, "__index__"):
            raise InputError(f"capacity is {capacity!r}; a number of vertices is needed")
        self._capacity = operator.index(capacity)
        if not 0 <= self._capacity < 2**32:
            raise InputError(f"capacity is {capacity}; allowed are 0 to {2**32 - 1}")
        self._loaded: _core.FrontierSet | None = None
        self._owner: _core.Frontier | None = None  # of _loaded
        self._graph: Graph | None = None
        self._is_bitmap = isinstance(vertices, (bool, np.bool_))
        if isinstance(vertices, (bool, np.bool_)):
            self._ids = np.arange(self._capacity if vertices else 0, dtype=np.uint32)
        else:
            self._ids = ids_of(vertices, self._capacity)

    @property
    def capacity(self) -> int:
        """Vertices of the graph."""
        return self._capacity

    @property
    def size(self) -> int:
        """Number of vertices in the set."""
        return len(self)

    @property
    def is_bitmap(self) -> bool:
        """Whether it is a bitmap now, else a queue."""
        return self._is_bitmap if self._loaded is None else self._loaded.is_bitmap

    @property
    def vertices(self) -> NDArray[np.uint32]:
        """Ids in ascending order, a copy."""
        found: NDArray[np.uint32] = self._ids.copy() if self._loaded is None else self._loaded.vertices().copy()
        return found

    def clear(self) -> None:
        """Remove all vertices; the form stays."""
        if self._loaded is None:
            self._ids = self._ids[:0]
        else:
            self._loaded.clear()

    def to_bitmap(self) -> None:
        """Make it a bitmap."""
        self._convert(True)

    def to_queue(self) -> None:
        """Make it a queue."""
        self._convert(False)

    def _convert(self, to_bitmap: bool) -> None:
        self._is_bitmap = to_bitmap
        if self._loaded is not None:
            self._loaded.convert(to_bitmap)

    def print(self) -> None:
        """Print it in a line, as in "queue of 2 vertices below 9: 3 5"."""
        words = "".join(f" {v}" for v in self)
        form, what = "bitmap" if self.is_bitmap else "queue", "vertex" if len(self) == 1 else "vertices"
        print(f"{form} of {len(self)} {what} below {self.capacity}:{words}")

    def __len__(self) -> int:
        return len(self._ids) if self._loaded is None else len(self._loaded)

    def __bool__(self) -> bool:
        return len(self) > 0

    def __contains__(self, vertex: object) -> bool:
        if isinstance(vertex, (bool, np.bool_)) or not hasattr(vertex, "__index__"):
            return False
        v = operator.index(vertex)
        if not 0 <= v < self._capacity:
            return False
        return bool((self._ids == v).any()) if self._loaded is None else v in self._loaded

    def __iter__(self) -> Iterator[int]:
        return iter(self.vertices.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.vertices.astype(dtype or np.uint32)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VertexSubset):
            return NotImplemented
        return self.capacity == other.capacity and np.array_equal(self.vertices, other.vertices)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = np.array2string(self.vertices, threshold=8, edgeitems=3, separator=", ")
        return f"VertexSubset({self.capacity}, {shown}, {'bitmap' if self.is_bitmap else 'queue'})"


def ids_of(vertices: Any, capacity: int) -> NDArray[np.uint32]:
    """Return ids in ascending order, each once; InputError for what is no vertex below `capacity`."""
    if vertices is None:
        return np.zeros(0, np.uint32)
    if isinstance(vertices, Index):
        vertices = vertices.value
    if isinstance(vertices, (str, bytes)):
        raise InputError(f"vertices is {vertices!r}; ids are needed, integers from 0 to {capacity - 1}")
    refuse_masked("vertices", vertices)
    try:
        given = np.atleast_1d(np.asarray(vertices if hasattr(vertices, "__array__") else _listed(vertices)))
    except (TypeError, ValueError, OverflowError):
        raise InputError("vertices cannot be read as an array of ids") from None
    if given.size == 0:
        return np.zeros(0, np.uint32)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        found = f"{given.ndim} dimensions" if given.ndim != 1 else f"dtype {given.dtype}"
        raise InputError(f"vertices has {found}; ids are needed, integers in one dimension")
    ids = np.unique(given)
    for v in (ids[0], ids[-1]):
        if not 0 <= v < capacity:
            allowed = f"use 0 to {capacity - 1}" if capacity else "give the set the graph's number of vertices"
            raise InputError(f"vertex {v} is not in a set of {capacity} vertices; {allowed}")
    return ids.astype(np.uint32)


def _listed(vertices: Any) -> Any:
    return list(vertices) if isinstance(vertices, Iterable) else vertices
