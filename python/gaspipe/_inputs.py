# SPDX-License-Identifier: Apache-2.0
"""Makes the core's graph of what users have: SciPy matrices, edge arrays, NetworkX graphs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._core import InputError

if TYPE_CHECKING:
    from ._progress import OfPhases

# More vertices than this for so few edges are taken for a mistake (sparse ids), not for isolated vertices.
_SUSPICIOUS_VERTICES = 1 << 24
_SUSPICIOUS_RATIO = 64

MOST_VERTICES = 0xFFFFFFFF


def kind(data: Any) -> str:
    kind = type(data)
    return f"{kind.__module__}.{kind.__qualname__}" if kind.__module__ != "builtins" else kind.__qualname__


def hint(data: Any) -> str:
    if isinstance(data, (str, os.PathLike)):
        return "; to read a file use Graph.from_file(path)"
    if isinstance(data, np.ndarray):
        return "; for a dense matrix use scipy.sparse.csr_array(a), for rows of edges (a[:, 0], a[:, 1])"
    if isinstance(data, list):
        return "; for a list of pairs use tuple(zip(*pairs))"
    if isinstance(data, type):
        return f"; {data.__name__} is a class, give an object of it"
    return ""


def is_sparse(data: Any) -> bool:
    return hasattr(data, "tocsr") and hasattr(data, "shape") and hasattr(data, "format") and not isinstance(data, type)


def is_networkx(data: Any) -> bool:
    names = ("is_directed", "adj", "edges", "nodes")
    return not isinstance(data, type) and all(hasattr(data, name) for name in names)


def check_square(shape: Iterable[int], file: str | None = None) -> None:
    rows, columns = shape
    if rows != columns:
        where = "" if file is None else f"{file}: "
        raise InputError(
            f"{where}matrix has {rows} rows and {columns} columns; a graph needs a square one, "
            "with a row and a column per vertex"
        )


def refuse_masked(name: str, given: Any) -> None:
    """Refuse an array with masked values; NumPy would read what is below the mask."""
    if isinstance(given, np.ndarray) and hasattr(given, "mask"):  # numpy.ma is not imported for ordinary arrays
        mask = np.ma.getmaskarray(given)
        if mask.dtype == np.bool_ and mask.any():
            raise InputError(
                f"{name}: {mask.sum()} of {mask.size} values are masked; an array without masked values is needed, as "
                "filled(value) or compressed() makes"
            )


def ids_of(name: str, array: Any, names: bool = False) -> NDArray[Any]:
    """Return ids as a C-contiguous array of int32, uint32, int64 or uint64; or `names`, strings, as they are."""
    try:
        ids = np.asarray(array)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}s cannot be read as an array: {error}") from None
    if ids is not array:
        refuse_masked(f"{name}s", array)
    if ids.ndim != 1:
        raise InputError(f"{name}s have {ids.ndim} dimensions; one is needed")
    if ids.size == 0 and ids.dtype.kind not in "iu":
        return np.zeros(0, np.int32)
    if names and ids.dtype.kind == "T":  # NumPy's StringDType
        ids = ids.astype(object)
    if names and (
        ids.dtype.kind == "U" or (ids.dtype.kind == "O" and all(issubclass(t, str) for t in set(map(type, ids))))
    ):
        return ids
    if ids.dtype.kind not in "iu":
        allowed = "integers, or strings, which become labels" if names else "integers"
        raise InputError(f"{name}s have dtype {ids.dtype}; vertex ids are {allowed}")
    if ids.dtype.itemsize < 4:
        ids = ids.astype(np.int32)
    return np.ascontiguousarray(ids, dtype=ids.dtype.newbyteorder("="))


def weights_of(array: Any) -> NDArray[Any] | None:
    """Return weights as a C-contiguous array of int32, int64, float32 or float64; bools that are all True are none."""
    if array is None:
        return None
    weights, wanted = _weights_and_dtype(array)
    kind, size = weights.dtype.kind, weights.dtype.itemsize
    if kind == "b" and weights.all():
        return None
    if kind == "u" and size == 8 and weights.size and weights.max() > np.iinfo(np.int64).max:
        raise InputError(f"the weight {weights.max()} is too large; weights go up to 2**63 - 1")
    return np.ascontiguousarray(weights, dtype=wanted)


def _weights_and_dtype(array: Any) -> tuple[NDArray[Any], Any]:
    """Return weights as they are, and the dtype that a graph keeps them in."""
    try:
        weights = np.asarray(array)
    except (TypeError, ValueError) as error:
        raise InputError(f"weights cannot be read as an array: {error}") from None
    if weights is not array:
        refuse_masked("weights", array)
    if weights.ndim != 1:
        raise InputError(f"weights have {weights.ndim} dimensions; one is needed")
    kind, size = weights.dtype.kind, weights.dtype.itemsize
    if kind in "biu":
        return weights, np.int32 if size < 4 or (kind == "i" and size == 4) else np.int64
    if kind == "f" and size <= 8:
        return weights, np.float32 if size <= 4 else np.float64
    raise InputError(f"weights have dtype {weights.dtype}; allowed are bool, integers, float16, float32, float64")


def padded(offsets: NDArray[Any], num_rows: int, num_vertices: int) -> NDArray[Any]:
    """Offsets of the rows of a square: the rows past the matrix's own are empty."""
    if num_rows == num_vertices or len(offsets) != num_rows + 1:  # the core tells what is wrong with a wrong length
        return offsets
    return np.concatenate([offsets, np.full(num_vertices - num_rows, offsets[-1], offsets.dtype)])


def from_sparse(data: Any, copy: bool | None, rectangular: bool, threads: int, has_weights: bool = True) -> _core.Graph:
    """Make the graph of a matrix; `has_weights=False`: of its pattern, for a question that reads no weights."""
    if len(data.shape) != 2:
        raise InputError(f"sparse array has {len(data.shape)} dimension(s); a graph needs a square matrix")
    if not rectangular:
        check_square(data.shape)
    rows, columns = data.shape
    n = max(rows, columns, 1) if rectangular else rows  # a matrix may be 0 x 0, a graph has a vertex
    if copy is False and data.format != "csr":
        raise InputError(f"copy=False needs a csr matrix to borrow from; this one is {data.format}")
    if data.format == "coo":
        sources, targets = ids_of("row", data.row), ids_of("column", data.col)
        core = _core.Graph.from_edges(sources, targets, _entries_of(data, has_weights), n, threads)
        return core.as_matrix(rows, columns, threads) if rectangular else core
    if data.format not in ("csr", "csc"):
        data = data.tocsr()
    indptr, indices, weights = (
        ids_of("indptr entrie", data.indptr),
        ids_of("indice", data.indices),
        _entries_of(data, has_weights),
    )
    if copy is False:
        taken = [("indptr", data.indptr, indptr), ("indices", data.indices, indices), ("data", data.data, weights)]
        for name, given, used in taken:
            if used is not None and given.size > 0 and not np.may_share_memory(given, used):
                raise InputError(f"copy=False cannot borrow {name} of dtype {given.dtype}; use copy=True")
        if indices.dtype.itemsize != 4:
            raise InputError(
                f"copy=False cannot borrow indices of dtype {indices.dtype}; int32 is needed, or copy=True"
            )
    if len(indices) != len(data.data):
        raise InputError(f"data has {len(data.data)} entries and indices {len(indices)}; the two must be equal")
    # SciPy allows spare entries past the last row; they are not in the matrix.
    num_stored = int(indptr[-1]) if indptr.size > 0 else 0
    if 0 <= num_stored < len(indices):
        indices = indices[:num_stored]
        weights = None if weights is None else weights[:num_stored]
    if data.format == "csc":  # its arrays' rows are columns
        rows, columns = columns, rows
    core = _core.Graph.from_csr(n, n, padded(indptr, rows, n), indices, weights, copy is True, threads)
    core = core.as_matrix(rows, columns, threads) if rectangular else core
    return core.transpose(threads) if data.format == "csc" else core


def _entries_of(data: Any, has_weights: bool) -> NDArray[Any] | None:
    if has_weights:
        return weights_of(data.data)
    _weights_and_dtype(data.data)  # what is no weight is an error all the same
    return None


def vertex_data_of(vertex_data: Any, num_vertices: int) -> dict[str, NDArray[Any]]:
    """Checked copies of arrays by name, each with a row per vertex."""
    try:
        by_name = dict(vertex_data)
    except (TypeError, ValueError):
        raise InputError(f"vertex_data is of type {kind(vertex_data)}; a dict of arrays by name is needed") from None
    arrays = {}
    for name, given in by_name.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"vertex_data has the name {name!r}; names are strings")
        refuse_masked(f"vertex_data[{name!r}]", given)
        try:
            values = np.array(given)
        except (TypeError, ValueError) as error:
            raise InputError(f"vertex_data[{name!r}] cannot be read as an array: {error}") from None
        if values.dtype.kind not in "biuf" or values.ndim < 1 or len(values) != num_vertices:
            raise InputError(
                f"vertex_data[{name!r}] has shape {values.shape} and dtype {values.dtype}; numbers are needed, "
                f"with {num_vertices} rows"
            )
        arrays[name] = values
    return arrays


def from_edges(
    data: Any, num_vertices: Any, relabel: bool, threads: int, directed: bool | None = None
) -> tuple[_core.Graph, NDArray[Any] | None]:
    if len(data) not in (2, 3):
        raise InputError(
            f"edges come as (sources, destinations) or (sources, destinations, weights); found {len(data)} parts"
        )
    sources, targets = ids_of("source", data[0], names=True), ids_of("destination", data[1], names=True)
    weights = weights_of(data[2]) if len(data) == 3 else None
    sizes = [len(sources), len(targets), *([] if weights is None else [len(weights)])]
    if len(set(sizes)) > 1:
        raise InputError(f"edge arrays have lengths {', '.join(map(str, sizes))}; they must be equal")
    labels = None
    are_named = [ids.dtype.kind in "UO" for ids in (sources, targets)]
    if sizes[0] > 0 and are_named[0] != are_named[1]:
        raise InputError(
            f"sources have dtype {sources.dtype} and destinations {targets.dtype}; both are integers, or both strings"
        )
    if relabel or any(are_named):
        if num_vertices is not None:
            which = "strings call the vertices" if any(are_named) else "relabel=True counts the vertices itself"
            raise InputError(f"num_vertices is {num_vertices!r}, but {which}; omit num_vertices=")
        numbered = numbered_names(sources, targets) if any(are_named) else numbered_ids(sources, targets, threads)
        sources, targets, labels = numbered
        num_vertices = len(labels)
    elif num_vertices is None:
        if sizes[0] == 0:
            raise InputError("there are no edges to count the vertices from; give num_vertices=")
        num_vertices = max(int(sources.max()), int(targets.max())) + 1
        if num_vertices > max(_SUSPICIOUS_VERTICES, _SUSPICIOUS_RATIO * (sizes[0] + 1)) or num_vertices > MOST_VERTICES:
            rest = f"; at most {MOST_VERTICES} fit 32-bit ids"
            if num_vertices <= MOST_VERTICES:
                rest = ", or, if that is meant, give Graph or Graph.from_table num_vertices="
            raise InputError(
                f"the largest id, {num_vertices - 1}, would make {num_vertices} vertices for {sizes[0]} edges; "
                f"use relabel=True{rest}"
            )
        num_vertices = max(num_vertices, 0)
    elif not isinstance(num_vertices, (int, np.integer)) or isinstance(num_vertices, bool) or num_vertices < 0:
        raise InputError(f"num_vertices is {num_vertices!r}; an integer of at least 1 is needed")
    elif num_vertices > MOST_VERTICES:
        raise InputError(f"{num_vertices} vertices are too many; at most {MOST_VERTICES} fit 32-bit ids")
    if directed is False:
        sources, targets, weights = with_reverse(sources, targets, weights)
    return _core.Graph.from_edges(sources, targets, weights, int(num_vertices), threads), labels


def numbered_ids(
    sources: NDArray[Any], targets: NDArray[Any], threads: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any]]:
    """Ends as the numbers 0..k-1 of their ids, and the ids that occur, ascending."""
    dtype = integer_type(sources, targets)
    new_sources, new_targets, labels = _core.number_edges(sources, targets, threads)
    return new_sources, new_targets, labels.astype(dtype)


def numbered_names(
    sources: NDArray[Any], targets: NDArray[Any]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any]]:
    """Return the same of strings. Sorting all of them, as np.unique does, takes many times as long."""
    ends = sources.tolist(), targets.tolist()
    labels = np.array(sorted(set(ends[0]).union(ends[1])), object)
    numbers = dict(zip(labels, range(len(labels))))
    new_sources, new_targets = (np.fromiter(map(numbers.__getitem__, end), np.uint32, len(end)) for end in ends)
    return new_sources, new_targets, labels


def integer_type(sources: NDArray[Any], targets: NDArray[Any]) -> np.dtype[Any]:
    """Return the type for ids of both ends; NumPy takes int64 beside uint64 to floats, which merge large ids."""
    if np.result_type(sources, targets).kind != "f":
        return np.result_type(sources, targets)
    for name, ids in (("source", sources), ("destination", targets)):
        if ids.size > 0 and ids.min() < 0:
            raise InputError(f"{name}s have the id {ids.min()}, which does not go with uint64 at the other end")
    return np.dtype(np.uint64)


def joined(sources: NDArray[Any], targets: NDArray[Any]) -> NDArray[Any]:
    """Both ends in one array, integers as integers."""
    if sources.dtype.kind in "iu":
        dtype = integer_type(sources, targets)
        sources, targets = sources.astype(dtype, copy=False), targets.astype(dtype, copy=False)
    return np.concatenate([sources, targets])


def with_reverse(sources: Any, targets: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Edges in both directions, self-loops once."""
    sources, targets = np.asarray(sources), np.asarray(targets)
    if sources.dtype != targets.dtype:
        both = joined(sources, targets)
        sources, targets = both[: len(sources)], both[len(sources) :]
    other = sources != targets
    others = sources, targets, weights
    if not other.all():
        others = sources[other], targets[other], None if weights is None else weights[other]
    if weights is not None:
        weights = np.concatenate([weights, others[2]])
    return np.concatenate([sources, others[1]]), np.concatenate([targets, others[0]]), weights


def square(core: _core.Graph, what: str) -> _core.Graph:
    rows, columns = core.shape
    if rows != columns:
        raise InputError(f"{what} needs a square matrix; this one is {rows} x {columns}")
    return core


def symmetrized(core: _core.Graph, threads: int, told: OfPhases | None = None) -> _core.Graph:
    return square(core, "symmetrize").simplify(True, False, threads, told)


def check_networkx(data: Any, directed: bool | None) -> None:
    """Refuse a direction that is not the graph's own."""
    if directed is not None and directed != data.is_directed():
        other = "to_directed" if directed else "to_undirected"
        raise InputError(
            f"directed is {directed}, but this NetworkX graph is {'un' * directed}directed; use data.{other}()"
        )


def from_networkx(data: Any, weight: str | None, threads: int) -> tuple[_core.Graph, NDArray[Any] | None]:
    if weight is not None and not isinstance(weight, str):
        raise InputError(
            f"weight is {weight!r}; the name of an edge attribute is needed (one that no edge has: no weights)"
        )
    nodes = list(data.nodes)
    ids = {node: v for v, node in enumerate(nodes)}
    missing = object()
    edges = list(data.edges(data=weight, default=missing))
    sources = np.fromiter((ids[u] for u, _, _ in edges), np.int64, len(edges))
    targets = np.fromiter((ids[v] for _, v, _ in edges), np.int64, len(edges))
    weights = None
    if any(w is not missing for _, _, w in edges):
        weights = weights_of([1 if w is missing else w for _, _, w in edges])
    if not data.is_directed():
        sources, targets, weights = with_reverse(sources, targets, weights)
    core = _core.Graph.from_edges(sources, targets, weights, len(nodes), threads)
    # Equality would take 0.0 and False for 0; such nodes are names.
    if all(type(node) is int and node == v for v, node in enumerate(nodes)):
        return core, None
    labels = np.empty(len(nodes), object)
    labels[:] = nodes
    return core, labels
