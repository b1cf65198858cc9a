# SPDX-License-Identifier: Apache-2.0
"""Files that ranks read together: each its part, or rank 0 for all."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _formats
from .._core import GraphFormatError, InputError
from .._files import Path, file_name, names_file, open_bytes, took, watching
from .._progress import OfFiles
from ..graph import Graph
from ._pieces import Pieces, part_of
from ._relay import relayed
from ._table import piece_of_table
from ._text import read_text

if TYPE_CHECKING:
    from ._world import World

_SAMPLE = 1 << 16  # bytes that tell files apart
_ROWS = 1 << 20  # edges of a .gaspipe file taken at a time


_EDGE_LIST = "edge_list"  # the format of which ranks read ranges of bytes
_PARQUET = "parquet"  # of which they read groups of rows, also of a folder of files


def read_pieces(
    world: World,
    path: Path,
    format: str | None,
    header: bool | None,
    columns: tuple[Any, Any, Any],
    threads: int,
    directed: bool | None = None,
    told: OfFiles | None = None,
) -> Pieces:
    """Return this rank's edges of a file."""
    problem: Exception | None = None
    options = _formats.ReadOptions()
    kind, name, how, size = "", "", "", 0
    seen: dict[str, Any] = {}
    try:
        name = file_name(path)
        with names_file(path):
            kind = _kind(path, format)
            _check(kind, header, columns)
            options = _formats.ReadOptions(header=header, directed=directed, threads=threads)
            _formats.check_options(_formats.known()[kind], options)
            how = _way(path, kind)
            size = _size(path)
            # A pipe is rank 0's alone.
            seen = {} if how == "relay" else {"file's size": size, "file's content": _sample(path, size)}
    except Exception as error:
        problem = error
    world.agree(
        {"format of the file": kind, "header=": header, "directed=": directed, "columns": repr(columns), **seen},
        problem,
    )
    share = size if how == "relay" else size // world.size
    with watching(told, share or None):  # of a pipe it is not known
        if how == "relay":
            return relayed(world, path, kind, options)
        pieces = _read_part(world, path, kind, name, header, columns, size, threads)
    pieces.both_directions = directed is False
    return pieces


def _read_part(
    world: World,
    path: Path,
    kind: str,
    name: str,
    header: bool | None,
    columns: tuple[Any, Any, Any],
    size: int,
    threads: int,
) -> Pieces:
    if kind == _EDGE_LIST:
        pieces = read_text(world, path, name, header, size, threads)
    else:
        problem, pieces = None, Pieces()
        try:
            with names_file(path):
                pieces = _parquet(world, path, columns) if kind == _PARQUET else _rows(world, path, threads)
        except Exception as error:
            problem = error
        world.agree({"number of vertices": pieces.num_vertices}, problem)
    return pieces


def _kind(path: Path, format: str | None) -> str:
    if format is None and _is_parquet(path):
        return _PARQUET
    return _formats.to_read(path, format).name


def _is_parquet(path: Path) -> bool:
    name = os.fsdecode(os.fspath(path))
    if os.path.isdir(name):
        return any(entry.endswith(".parquet") for entry in os.listdir(name))
    return name.endswith(".parquet")


def _check(kind: str, header: bool | None, columns: tuple[Any, Any, Any]) -> None:
    if header is not None and kind != _EDGE_LIST:
        raise InputError(f"header= is for edge lists; this file is read as {kind!r}")
    if any(column is not None for column in columns) and kind != _PARQUET:
        raise InputError(f"source=, destination= and weight= are for Parquet; this file is read as {kind!r}")


def _way(path: Path, kind: str) -> str:
    """How the file is read: "parts", or "relay" by rank 0."""
    mode = os.stat(path).st_mode
    if kind == _PARQUET:
        return "parts"
    if not stat.S_ISREG(mode) or kind not in (_EDGE_LIST, "gaspipe"):
        return "relay"
    with open_bytes(path) as stream:
        return "parts" if stream.seekable() and type(stream).__module__ in ("_io", "io") else "relay"


def _size(path: Path) -> int:
    name = os.fsdecode(os.fspath(path))
    if os.path.isdir(name):
        return sum(os.path.getsize(each) for each in _parquet_files(name))
    return os.path.getsize(name)


def _sample(path: Path, size: int) -> str:
    """Digest of the first, middle and last bytes."""
    found = hashlib.blake2b(digest_size=8)
    name = os.fsdecode(os.fspath(path))
    for each in _parquet_files(name) if os.path.isdir(name) else [name]:
        size = os.path.getsize(each)
        with open(each, "rb") as file:
            for first in (0, size // 2, max(0, size - _SAMPLE)):
                file.seek(first)
                found.update(file.read(_SAMPLE))
    return found.hexdigest()


def _parquet_files(name: str) -> list[str]:
    if not os.path.isdir(name):
        return [name]
    return sorted(os.path.join(name, entry) for entry in os.listdir(name) if entry.endswith(".parquet"))


def _parquet(world: World, path: Path, columns: tuple[Any, Any, Any]) -> Pieces:
    """Row groups in turn, of all files."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from None
    pieces = Pieces()
    number = 0
    for name in _parquet_files(os.fsdecode(os.fspath(path))):
        try:
            file = parquet.ParquetFile(name)
            for group in range(file.num_row_groups):
                if number % world.size == world.rank:
                    pieces.edges.append(piece_of_table(file.read_row_group(group), *columns))
                    took(file.metadata.row_group(group).total_byte_size)
                number += 1
        except pyarrow.ArrowException as error:
            raise GraphFormatError(f"{file_name(name)}: {error}") from None
    return pieces


def _rows(world: World, path: Path, threads: int) -> Pieces:
    """Rows of a file that is mapped: of other ranks' rows no page is read."""
    graph = Graph.load(path, verify=False, num_threads=threads or None)
    rows, columns = graph.shape
    if rows != columns:
        raise InputError(f"{file_name(path)}: a matrix of {rows} x {columns}; on ranks graphs must be square")
    if graph.labels is not None:
        raise InputError(
            f"{file_name(path)}: the graph has labels, which ranks do not have; write it without, and use its ids"
        )
    offsets, targets, weights = graph.indptr, graph.indices, graph.weights
    part = part_of(graph.num_edges, world.rank, world.size)
    pieces = Pieces(num_vertices=graph.num_vertices)
    for first in range(part.first, part.last, _ROWS):
        last = min(first + _ROWS, part.last)
        row = int(np.searchsorted(offsets, first, "right")) - 1
        end = int(np.searchsorted(offsets, last, "left"))
        inside = np.clip(offsets[row : end + 1].astype(np.int64), first, last)
        sources = np.repeat(np.arange(row, end, dtype=np.uint32), np.diff(inside))
        pieces.edges.append((sources, targets[first:last], None if weights is None else weights[first:last]))
        took(targets[first:last].nbytes)
    return pieces
