# SPDX-License-Identifier: Apache-2.0
"""Graphs to files that others read too: `write` is the way out, with a function per format.

Text is formatted by `_core`, a few megabytes at a time. Everything is checked before the file is touched, and it takes
its name when it is whole.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, Any, Callable, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from . import _core, _saved
from ._atomic import atomic_write, packed
from ._core import InputError
from ._files import _SUFFIXES
from ._reading import MOST_VERTICES, Path, file_name

if TYPE_CHECKING:
    from .graph import Graph

# How a name ends, before .gz, .xz or .bz2. What ends otherwise is written only with format=.
_EDGE_LISTS = {"txt": " ", "el": " ", "wel": " ", "edges": " ", "edgelist": " ", "tsv": "\t", "csv": ","}


class Options(NamedTuple):
    header: bool | None
    labels: bool
    dialect: str | None
    separator: str
    threads: int


# Puts what a file says into an open file; what cannot be said has been refused before there is one.
_Fill = Callable[[IO[bytes]], None]


def write(
    graph: Graph,
    path: Path,
    format: str | None,
    *,
    header: bool | None = None,
    labels: bool = False,
    dialect: str | None = None,
    threads: int = 0,
) -> None:
    """Write a file as the format says, or as its name ends; refuse options that the format has no use for."""
    if format is not None and format not in _WRITERS:
        raise InputError(f"format is {format!r}; allowed are {_allowed()}")
    name = file_name(path)
    suffix = re.search(r"\.([a-z]+)(\.(?:gz|xz|bz2))?$", name, re.IGNORECASE)
    ending = suffix[1].lower() if suffix else ""
    kind = _format_of(name, ending) if format is None else format
    for option, is_given, user in (
        ("header", header is not None, "edge_list"),
        ("labels", labels, "edge_list"),
        ("dialect", dialect is not None, "metis"),
    ):
        if is_given and kind != user:
            raise InputError(f"{option}= is for format {user!r}; this file is written as {kind!r}")
    rows, columns = graph.shape
    if rows != columns and kind not in ("matrix_market", "npz", "gaspipe"):
        raise InputError(
            f"a matrix of {rows} x {columns} cannot be written as {kind!r}; allowed are 'matrix_market', 'npz' and "
            "'gaspipe'"
        )
    separator = _EDGE_LISTS.get(ending, " ")
    fill = _WRITERS[kind](graph, Options(header, labels, dialect, separator, threads))
    with atomic_write(path) as file, packed(file, name) as stream:
        fill(stream)


def _format_of(name: str, ending: str) -> str:
    kind = "edge_list" if ending in _EDGE_LISTS else _SUFFIXES.get(ending)
    if kind in _WRITERS:
        return kind
    what = "the name does not say the format" if kind is None else f"files of format {kind!r} are read, not written"
    endings = {known: [end for end, kind in _SUFFIXES.items() if kind == known] for known in _WRITERS}
    endings["edge_list"] = list(_EDGE_LISTS)
    known = "; ".join(f"{kind!r} .{' .'.join(ends)}" for kind, ends in endings.items())
    raise InputError(f"{name}: {what}; give format= or a name that ends in one of these: {known}")


def _allowed() -> str:
    return ", ".join(map(repr, _WRITERS))


def _text(text: _core.GraphText) -> _Fill:
    def fill(file: IO[bytes]) -> None:
        while piece := text.next():
            file.write(piece)

    return fill


def write_edge_list(graph: Graph, options: Options) -> _Fill:
    """Lines of source, destination and weight, after a header unless that is unwanted."""
    names = _integer_labels(graph) if options.labels else None
    # With names a header would be an edge to a reader, unless that is told.
    header = not options.labels if options.header is None else bool(options.header)
    if options.header is None and names is not None:
        _refuse_first_line_like_header(graph, names)
    return _text(
        _core.GraphText(
            graph._core, "edge_list", options.threads, header=header, separator=options.separator, names=names
        )
    )


def _integer_labels(graph: Graph) -> NDArray[np.int64]:
    if graph.labels is None:
        raise InputError("this graph has no labels; without labels=True the ids are written")
    values = graph.labels
    if values.dtype.kind not in "iu":
        for vertex, value in enumerate(values.tolist()):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise InputError(
                    f"vertex {vertex} has the label {value!r}; labels in an edge list are integers, or leave out "
                    "labels=True to write the ids"
                )
    if len(values) and not 0 <= values.min() <= values.max() <= np.iinfo(np.int64).max:
        raise InputError(
            f"labels go from {values.min()} to {values.max()}; those in an edge list go from 0 to 2**63 - 1"
        )
    names = np.ascontiguousarray(values, np.int64)
    ordered = np.sort(names)
    twice = np.flatnonzero(ordered[1:] == ordered[:-1])
    if twice.size:
        raise InputError(f"two vertices have the label {ordered[twice[0]]}; an edge list would make one of them")
    return names


def _refuse_first_line_like_header(graph: Graph, names: NDArray[np.int64]) -> None:
    """A reader takes "a b" for the counts if b lines follow, all of ids below a."""
    if graph.is_weighted or graph.num_edges == 0:
        return
    degrees = graph.out_degrees()
    a, b = int(names[np.flatnonzero(degrees)[0]]), int(names[graph.indices[0]])
    if b != graph.num_edges - 1 or not 1 <= a <= MOST_VERTICES:
        return
    degrees[np.flatnonzero(degrees)[0]] -= 1
    later, sources = graph.indices[1:], np.flatnonzero(degrees)
    if all(names[ids].max(initial=-1) < a for ids in (later, sources)):
        raise InputError(
            f'the first line, "{a} {b}", would be read as a header; use header=False, and read the file with '
            "header=False too"
        )


def write_matrix_market(graph: Graph, options: Options) -> _Fill:
    """Coordinates of a general matrix: pattern, integer or real, by the weights."""
    return _text(_core.GraphText(graph._core, "matrix_market", options.threads))


def write_dimacs9(graph: Graph, options: Options) -> _Fill:
    """Arcs of the shortest-path challenge."""
    return _text(_core.GraphText(graph._core, "dimacs9", options.threads))


def write_gaspipe(graph: Graph, options: Options) -> _Fill:
    """All there is, as Graph.save writes it."""
    return _saved.writer(graph._core, graph.labels, graph.vertex_data, options.threads)


def write_metis(graph: Graph, options: Options) -> _Fill:
    """METIS, or DIMACS-10 with loops and parallel edges."""
    if options.dialect not in (None, "metis", "dimacs10"):
        raise InputError(f"dialect is {options.dialect!r}; allowed are 'metis' and 'dimacs10'")
    n = graph.num_vertices
    data = graph.vertex_data
    weights, sizes = (_vertex_column(data, name, n) for name in ("weights", "sizes"))
    ncon = 0 if weights is None else weights.size // n
    return _text(
        _core.GraphText(
            graph._core,
            "metis",
            options.threads,
            is_multigraph=options.dialect == "dimacs10",
            num_constraints=ncon,
            vertex_weights=weights if ncon else None,
            vertex_sizes=sizes,
        )
    )


def _vertex_column(data: Any, name: str, n: int) -> NDArray[np.int64] | None:
    """Weights or sizes of the vertices, by vertex in one dimension."""
    values = data.get(name)
    if values is None:
        return None
    values = np.asarray(values)
    most_dimensions = 2 if name == "weights" else 1
    if values.dtype.kind not in "iu" or not 1 <= values.ndim <= most_dimensions or len(values) != n:
        shapes = f"({n}, ncon)" if name == "weights" else f"({n},)"
        raise InputError(
            f'vertex_data["{name}"] has dtype {values.dtype}, shape {values.shape}; METIS files take integers of '
            f"shape {shapes}"
        )
    if values.dtype.kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
        raise InputError(f'vertex_data["{name}"] goes up to {values.max()}; METIS files take up to 2**63 - 1')
    return np.ascontiguousarray(values, np.int64).reshape(-1)


class _OneWay:
    """A file that cannot be sought, as a packed one cannot; zipfile then writes sizes behind the data."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()


def write_npz(graph: Graph, options: Options) -> _Fill:
    """The arrays of a csr_array as scipy.sparse.save_npz names them; a graph without weights is a matrix of bools."""
    rows, columns = graph.shape
    indptr, indices, weights = graph.indptr[: rows + 1], graph.indices, graph.weights
    # SciPy's indices are signed, and all of one type.
    index: Any = np.int32 if max(rows, columns, graph.num_edges) < 2**31 else np.int64

    def signed(ids: NDArray[Any]) -> NDArray[Any]:
        return ids.view(index) if ids.itemsize == np.dtype(index).itemsize else ids.astype(index)

    arrays: dict[str, Callable[[], NDArray[Any]]] = {
        "indices": lambda: signed(indices),
        "indptr": lambda: signed(indptr),
        "format": lambda: np.array(b"csr"),
        "shape": lambda: np.array([rows, columns], np.int64),
        "data": lambda: np.ones(graph.num_edges, bool) if weights is None else weights,
        "_is_array": lambda: np.array(True),
    }

    def fill(file: IO[bytes]) -> None:
        import zipfile

        # Level 1 takes a seventh of the time of zlib's usual 6 for 4 % more bytes (Kronecker 16 with weights).
        with zipfile.ZipFile(cast("IO[bytes]", _OneWay(file)), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, make in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, make(), allow_pickle=False)

    return fill


_WRITERS: dict[str, Callable[[Graph, Options], _Fill]] = {
    "edge_list": write_edge_list,
    "matrix_market": write_matrix_market,
    "metis": write_metis,
    "dimacs9": write_dimacs9,
    "npz": write_npz,
    "gaspipe": write_gaspipe,
}
