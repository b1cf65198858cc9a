# SPDX-License-Identifier: Apache-2.0
"""Files that hold graphs, plain or compressed: `read` is the way in, with a function per format.

Text is parsed by `_core`, as it comes. Where memory is taken as a header declares, as in the binary formats, the header
is held against the size of the file first; what is compressed goes to a temporary file to know its size.
"""

from __future__ import annotations

import os
import re
from typing import Callable

from . import _core, _inputs, _saved
from ._binary_files import read_gap, read_npz
from ._core import EdgeListParser, InputError, MetisParser
from ._ldbc import beside, ldbc_stem, read_ldbc
from ._reading import Options, Path, Reading, feed, file_name, open_bytes

_BANNER = b"%%MatrixMarket"

# How a name ends, before .gz, .xz or .bz2.
_SUFFIXES = {
    "mtx": "matrix_market",
    "graph": "metis",
    "metis": "metis",
    "gr": "dimacs9",
    "npz": "npz",
    "sg": "gap",
    "wsg": "gap",
    "v": "ldbc",
    "gaspipe": "gaspipe",
}


def read(
    path: Path,
    format: str | None,
    *,
    relabel: bool = False,
    rectangular: bool = False,
    header: bool | None = None,
    dialect: str | None = None,
    directed: bool | None = None,
    threads: int = 0,
) -> Reading:
    """Read a file as the format says, or as it is recognised; refuse options that the format has no use for."""
    file_name(path)  # refuses what is no path
    if format is not None and format not in _READERS:
        raise InputError(f"format is {format!r}; allowed are {', '.join(map(repr, _READERS))}")
    kind = recognise(path) if format is None else format
    for name, is_given, users in (
        ("relabel", relabel, ("edge_list",)),
        ("rectangular", rectangular, ("matrix_market", "npz", "gaspipe")),
        ("header", header is not None, ("edge_list",)),
        ("dialect", dialect is not None, ("metis",)),
        ("directed", directed is not None, ("ldbc",)),
    ):
        if is_given and kind not in users:
            raise InputError(f"{name}= is for format {' and '.join(map(repr, users))}; this file is read as {kind!r}")
    return _READERS[kind](path, Options(relabel, rectangular, header, dialect, directed, threads))


def recognise(path: Path) -> str:
    """Tell the format by the file's name, or else by its first bytes; edge lists are what no other format claims."""
    name = file_name(path)
    suffix = re.search(r"\.([a-z]+)(\.(gz|xz|bz2))?$", name, re.IGNORECASE)
    kind = _SUFFIXES.get(suffix[1].lower()) if suffix else None
    if kind is not None:
        return kind
    stem = ldbc_stem(path)
    if (stem != os.fspath(path) or not os.path.exists(path)) and beside(stem, ".v") and beside(stem, ".e"):
        return "ldbc"
    if os.path.isfile(path):  # a pipe can be read only once
        with open_bytes(path) as stream:
            start = stream.read(4096)
        if start.startswith(_BANNER):
            return "matrix_market"
        if start.startswith(_saved.MAGIC):
            return "gaspipe"
        if start.startswith(b"PK\x03\x04"):
            return "npz"
        if re.match(rb"([ \t\r]*\n|c[ \t\r\n][^\n]*\n|c\n)*p[ \t]+sp[ \t]", start):
            return "dimacs9"
    return "edge_list"


def read_edge_list(path: Path, options: Options) -> Reading:
    """SNAP's lists, with or without a header of counts."""
    parser = EdgeListParser(file_name(path), options.threads, "edge_list", header=options.header)
    feed(parser, path)
    sources, targets, weights, num_vertices, labels = parser.finish(options.relabel)
    return Reading(_core.Graph.from_edges(sources, targets, weights, num_vertices, options.threads), labels)


def read_dimacs9(path: Path, options: Options) -> Reading:
    """Arcs of the shortest-path challenge."""
    parser = EdgeListParser(file_name(path), options.threads, "dimacs9")
    feed(parser, path)
    sources, targets, weights, num_vertices, _ = parser.finish(False)
    return Reading(_core.Graph.from_edges(sources, targets, weights, num_vertices, options.threads))


def read_matrix_market(path: Path, options: Options) -> Reading:
    """Sparse matrices; a pattern has no weights, symmetric ones give both triangles."""
    name = file_name(path)
    parser = EdgeListParser(name, options.threads, "matrix_market")
    feed(parser, path)
    sources, targets, weights, num_vertices, _ = parser.finish(False)
    shape = parser.shape()
    if not options.rectangular:
        _inputs.check_square(shape, name)
    core = _core.Graph.from_edges(sources, targets, weights, num_vertices, options.threads)
    return Reading(core.as_matrix(*shape, options.threads) if options.rectangular else core)


def read_metis(path: Path, options: Options) -> Reading:
    """METIS and DIMACS-10."""
    parser = MetisParser(file_name(path), options.threads, options.dialect or "auto")
    feed(parser, path)
    n, offsets, targets, weights, vertex_weights, ncon, vertex_sizes = parser.finish()
    core = _core.Graph.from_csr(n, n, offsets, targets, weights, False, options.threads)
    vertex_data = {}
    if vertex_weights is not None:
        vertex_data["weights"] = vertex_weights.reshape(n, ncon)
    if vertex_sizes is not None:
        vertex_data["sizes"] = vertex_sizes
    return Reading(core, None, vertex_data)


_READERS: dict[str, Callable[[Path, Options], Reading]] = {
    "edge_list": read_edge_list,
    "matrix_market": read_matrix_market,
    "metis": read_metis,
    "dimacs9": read_dimacs9,
    "ldbc": read_ldbc,
    "npz": read_npz,
    "gap": read_gap,
    "gaspipe": _saved.read,
}
