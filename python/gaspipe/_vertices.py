# SPDX-License-Identifier: Apache-2.0
"""How users name vertices: by label where a graph has labels, by id where it has none, as `gp.index(3)` in either."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import InputError
from ._inputs import refuse_masked
from ._nearest import near

if TYPE_CHECKING:
    from ._description import Parameter
    from .graph import Graph

_MOST_SHOWN = 4
_LONGEST_NUMBER = 22  # characters that a 64-bit integer may have


class Index:
    """Indices of vertices, which are not labels; made by :func:`index`. It cannot be changed.

    Attributes
    ----------
    value : int or numpy.ndarray
        The index, or a read-only int64 array of shape (number of vertices,).

    """

    __slots__ = ("value",)

    value: int | NDArray[np.int64]

    def __init__(self, value: ArrayLike | Index) -> None:
        object.__setattr__(self, "value", _indices(value.value if isinstance(value, Index) else value))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Index cannot be changed; make another one to set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Index cannot be changed; it keeps {name}")

    def __index__(self) -> int:
        return operator.index(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype or np.int64)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and np.array_equal(self.value, other.value)

    def __hash__(self) -> int:
        return hash((Index, self.value if isinstance(self.value, int) else self.value.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Index, (self.value,)

    def __repr__(self) -> str:
        return f"gp.index({self.value if isinstance(self.value, int) else self.value.tolist()})"


def index(value: ArrayLike) -> Index:
    """Say a vertex by its index, 0 to num_vertices - 1, where a graph has labels: `gp.bfs(graph, root=gp.index(3))`.

    Without `index` such a graph takes labels. In a graph without labels, 3 and `gp.index(3)` are the same vertex.

    Parameters
    ----------
    value : int, or array of int
        Index of a vertex; an array of shape (k,) where an argument takes several vertices.

    Raises
    ------
    InputError
        If the value is no integer and no array of integers of one dimension.

    """
    return Index(value)


def _indices(value: Any) -> int | NDArray[np.int64]:
    refuse_masked("gp.index()", value)
    try:
        found = np.asarray(value)
    except (TypeError, ValueError):  # a ragged list
        found = np.empty((0, 0))
    if found.ndim == 1 and found.size == 0:
        found = found.astype(np.int64)
    if found.ndim > 1 or found.dtype.kind not in "iu":
        raise InputError(f"gp.index() is given {shown(value)}; an integer or an array of integers is needed")
    if found.ndim == 0:
        return int(found)
    if found.size and int(found.max()) >= 2**63:
        raise InputError(f"gp.index() is given {found.max()}; no graph has so many vertices")
    array = found.astype(np.int64)
    array.flags.writeable = False
    return array


class Labels:
    """Finds vertices by label: by binary search where all labels are integers, else in a dict that is made once."""

    def __init__(self, labels: NDArray[Any]) -> None:
        self.labels = labels
        self._ids: dict[Hashable, int] | None = None
        self._sorted: NDArray[Any] | None = None
        self._order: NDArray[np.intp] | None = None  # vertices by ascending label; None: they ascend themselves

    def id_of(self, label: Any) -> int | None:
        """Vertex of this label or index, or None. Equal numbers are the same label, but bools are no numbers."""
        if isinstance(label, Index):
            return self._checked(label.value) if isinstance(label.value, int) else None
        if isinstance(label, np.ndarray) and label.ndim == 0:
            label = label[()]
        if self.labels.dtype.kind in "iu":
            return self._by_search(label)
        if self._ids is None:
            self._ids = {name: v for v, name in enumerate(keys(self.labels))}
        try:
            if self.labels.dtype.kind in "mM":
                if isinstance(label, (int, float, np.number)) and not isinstance(label, np.timedelta64):
                    return None  # NumPy would take it for a time since 1970
                (label,) = keys(np.array([label], self.labels.dtype))
            found = self._ids.get(label)
        except (TypeError, ValueError, OverflowError):  # unhashable, or no time
            return None
        return found if found is None or _is_bool(label) == _is_bool(self.labels[found]) else None

    def ids_of(self, given: Iterable[Any], what: str) -> NDArray[np.int64]:
        """Vertices of many labels or indices; InputError for the first that there is not."""
        if isinstance(given, Index) and not isinstance(given.value, int):
            wrong = given.value[(given.value < 0) | (given.value >= len(self.labels))]
            if wrong.size > 0:
                raise InputError(f"{what}: {self.missing(Index(wrong[0]))}")
            return given.value.copy()
        given = _several(what, given)
        if isinstance(given, np.ndarray) and given.dtype.kind in "iu" and self.labels.dtype.kind in "iu" and given.size:
            info = np.iinfo(self.labels.dtype)
            if info.min <= int(given.min()) and int(given.max()) <= info.max:
                found = self._search(given.astype(self.labels.dtype))
                if (found >= 0).all():
                    return found
        labels = keys(given) if isinstance(given, np.ndarray) else list(given)
        ids = [self._checked(_one(v, what)) if isinstance(v, Index) else self.id_of(v) for v in labels]
        for label, v in zip(labels, ids):
            if v is None:
                raise InputError(f"{what}: {self.missing(label)}{self.hint(label)}")
        return np.array(ids, np.int64)

    def of(self, vertex: int) -> Hashable:
        """Label of a vertex."""
        return keys(self.labels[vertex : vertex + 1])[0]

    def missing(self, label: Any) -> str:
        """Message that there is no such label, with those that look like it and some others."""
        if isinstance(label, Index):
            return f"there is no vertex {shown(label)}; indices are 0 to {len(self.labels) - 1}"
        some = ", ".join(map(shown, keys(self.labels[:_MOST_SHOWN])))
        alike = ", ".join(map(shown, self._near(label)))
        text = f"there is no vertex {shown(label)}" + f"; near it: {alike}" * bool(alike)
        return f"{text}; labels are {some}{', ...' * (len(self.labels) > _MOST_SHOWN)}"

    def _near(self, label: Any) -> list[Any]:
        if self.labels.dtype.kind not in "iu":
            return near(label, keys(self.labels))
        is_number = isinstance(label, str) and label.strip().lstrip("-").isdecimal() and len(label) < _LONGEST_NUMBER
        return [int(label)] if is_number and self.id_of(int(label)) is not None else []

    def hint(self, label: Any) -> str:
        """Message with the `gp.index` to use, if the label is the index of a vertex."""
        if _is_bool(label) or not isinstance(label, (int, np.integer)) or not 0 <= label < len(self.labels):
            return ""
        return f"; gp.index({label}) is the vertex {shown(self.of(int(label)))}"

    def _checked(self, vertex: int) -> int | None:
        return vertex if 0 <= vertex < len(self.labels) else None

    def _by_search(self, label: Any) -> int | None:
        if isinstance(label, (float, np.floating)) and float(label).is_integer():
            label = int(label)
        if not isinstance(label, (int, np.integer)) or _is_bool(label):
            return None
        info = np.iinfo(self.labels.dtype)
        if not info.min <= int(label) <= info.max:
            return None
        found = int(self._search(np.array([int(label)], self.labels.dtype))[0])
        return None if found < 0 else found

    def _search(self, wanted: NDArray[Any]) -> NDArray[np.int64]:
        """Vertices of labels in the labels' own dtype; -1 where there is none."""
        if self._sorted is None:
            labels = self.labels
            if not (labels[1:] > labels[:-1]).all():
                self._order = np.argsort(labels, kind="stable")
                labels = labels[self._order]
            self._sorted = labels
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        ids = at if self._order is None else self._order[at]
        return np.where(self._sorted[at] == wanted, ids, -1).astype(np.int64)


def keys(labels: NDArray[Any]) -> list[Hashable]:
    """Labels as keys of a dict; NumPy would give times as integers or as datetimes, depending on their unit."""
    return list(labels) if labels.dtype.kind in "mM" else labels.tolist()


def resolve(parameters: Iterable[Parameter], graph: Graph, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return an algorithm's arguments with vertices as the core takes them: ids, and arrays in the order of ids.

    `parameters` are those of its description. A vertex that is not given has its default.
    """
    found = dict(arguments)
    for parameter in parameters:
        name, kind = parameter.name, parameter.kind
        if kind == "vertex" and graph.labels is not None:
            found.setdefault(name, parameter.default)
        given = found.get(name)
        if type(given) is not np.ndarray:
            refuse_masked(name, given)
        if kind == "vertex" and name in found:
            found[name] = _vertex(name, given, graph)
        elif kind == "vertices" and given is not None:
            found[name] = _vertices(name, given, graph)
        elif kind == "pairs" and given is not None:
            found[name] = _pairs(name, given, graph)
        elif kind in ("array", "vector") and isinstance(given, Mapping):
            found[name] = by_vertex(name, given, graph)
    return found


def by_vertex(name: str, given: Mapping[Any, Any], graph: Graph, missing: float | None = 0) -> NDArray[Any]:
    """Array by vertex of {vertex: number}; a vertex that is not in it has the number `missing`, or is an InputError."""
    ids = _ids(name, list(given), graph)
    for vertex, v in zip(given, ids):
        if not 0 <= v < graph.num_vertices:
            raise InputError(f"{name}: there is no vertex {shown(vertex)}; {_allowed(graph)}")
    try:
        numbers = np.array(list(given.values())) if given else np.zeros(0)
    except ValueError:  # of different lengths
        numbers = np.zeros(0, object)
    if numbers.ndim != 1 or numbers.dtype.kind not in "biuf":
        wrong = next((v for v in given.values() if not _is_number(v)), numbers.dtype)
        raise InputError(f"{name} has the value {shown(wrong)}; a real number for every vertex is needed")
    is_there = np.zeros(graph.num_vertices, bool)
    is_there[ids] = True
    if int(is_there.sum()) < len(ids):
        raise InputError(f"{name} has a vertex twice, by its label and as gp.index()")
    if missing is None and not is_there.all():
        first = int(np.flatnonzero(~is_there)[0])
        vertex = first if graph.labels is None else graph._lookup.of(first)
        raise InputError(f"{name} has no number for the vertex {shown(vertex)}; one for every vertex is needed")
    values = np.full(graph.num_vertices, missing or 0, numbers.dtype)
    values[ids] = numbers
    return values


def ids_named(name: str, given: Any, graph: Graph) -> NDArray[np.int64]:
    """Ids of one vertex or of several, by their labels."""
    one = graph._lookup.id_of(given)
    if one is not None or isinstance(given, (str, bytes)):
        return np.array([_vertex(name, given, graph)], np.int64)
    return np.asarray(_vertices(name, given, graph))


def _vertex(name: str, given: Any, graph: Graph) -> Any:
    if isinstance(given, Index):
        return _one(given, name)
    if graph.labels is None:
        return given  # the core checks it
    found = graph._lookup.id_of(given)
    if found is None:
        raise InputError(f"{name}: {graph._lookup.missing(given)}{graph._lookup.hint(given)}")
    return found


def _vertices(name: str, given: Any, graph: Graph) -> Any:
    if isinstance(given, Index) and not isinstance(given.value, int):
        return np.asarray(given)
    has_indices = isinstance(given, (list, tuple)) and any(isinstance(vertex, Index) for vertex in given)
    is_array = hasattr(given, "__array__") or isinstance(given, Sequence) or not isinstance(given, Iterable)
    if graph.labels is None and is_array and not has_indices:
        return given  # the core checks it
    return _ids(name, given, graph)


def _several(name: str, given: Any) -> Iterable[Any]:
    """Return what is given for several vertices: an array of one dimension, or another iterable."""
    is_one = isinstance(given, (str, bytes, Index))
    if is_one or not (hasattr(given, "__array__") or isinstance(given, Iterable)):
        raise InputError(f"{name} is {shown(given)}; a list or an array of vertices is needed")
    if not hasattr(given, "__array__"):
        return cast("Iterable[Any]", given)
    refuse_masked(name, given)
    array = np.asarray(given)
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; one is needed")
    return array


def _pairs(name: str, given: Any, graph: Graph) -> Any:
    if isinstance(given, (str, bytes)) or not (hasattr(given, "__array__") or isinstance(given, Iterable)):
        raise InputError(f"{name} is {shown(given)}; a list or an array of pairs of vertices is needed")
    if hasattr(given, "__array__"):
        given = np.asarray(given)
        if graph.labels is None:
            return given  # the core checks it
        if given.ndim != 2 or given.shape[1] != 2:
            raise InputError(f"{name} has the shape {given.shape}; pairs need (number of pairs, 2)")
        return _ids(name, given.ravel(), graph).reshape(-1, 2)
    flat: list[Any] = []
    for pair in given:
        is_one = isinstance(pair, (str, bytes)) or not isinstance(pair, (Index, Iterable))
        two = [] if is_one else [index(v) for v in np.atleast_1d(pair)] if isinstance(pair, Index) else list(pair)
        if len(two) != 2:
            raise InputError(f"{name} has {shown(pair)} where a pair of vertices is needed")
        flat += two
    return _ids(name, flat, graph).reshape(-1, 2)


def _ids(name: str, given: Iterable[Any], graph: Graph) -> NDArray[np.int64]:
    """Ids of labels, or of ids where there are no labels, and of indices; ids are not checked against the graph."""
    if graph.labels is not None:
        return graph._lookup.ids_of(given, name)
    ids = []
    for vertex in given:
        if _is_bool(vertex) or not hasattr(vertex, "__index__"):
            raise InputError(f"{name}: there is no vertex {shown(vertex)}; {_allowed(graph)}")
        ids.append(_one(vertex, name) if isinstance(vertex, Index) else operator.index(vertex))
    try:
        return np.array(ids, np.int64)
    except OverflowError:
        raise InputError(f"{name}: there is no vertex {max(ids, key=abs)}; {_allowed(graph)}") from None


def _one(vertex: Index, name: str) -> int:
    if not isinstance(vertex.value, int):
        raise InputError(f"{name} has {shown(vertex)} where one vertex is needed")
    return vertex.value


def _allowed(graph: Graph) -> str:
    what = "this graph has no labels, its vertices" if graph.labels is None else "indices"
    return f"{what} are 0 to {graph.num_vertices - 1}"


def _is_bool(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number, np.bool_)) and not isinstance(value, np.complexfloating)


def shown(value: Any) -> str:
    """Write a label, or what was given for one, in a message."""
    value = value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
