# SPDX-License-Identifier: Apache-2.0
"""Files whose edges lie in blocks: what there is besides the blocks, and the blocks as rows in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..._core import GraphFormatError, InputError
from ..._files import Path, file_name, open_bytes
from .._record import Reading
from .layout import INDEX_WORDS, VIEWS, Facts, Header, Lists, aligned, check_magic, check_padding, read_header
from .sections import Known, contents, known_sections, take, vertex_sections

_PARTITION = 1 << 16  # destinations of one
_MOST_BLOCK_EDGES = 1 << 18

# Words of an index entry.
_BYTES, _CHECKSUM, _EDGES, _RUNS, _PARTITIONS, _FIRST, _LAST, _DISTANCE = range(2, INDEX_WORDS)


class View(NamedTuple):
    """Where the blocks of a view lie."""

    start: int  # of the first block, in bytes from the file's start
    index: NDArray[np.uint32]  # type: ignore[assignment]  # (blocks, 10), an entry per block; no tuple's method


class StoredLists(NamedTuple):
    """Lists by owner: where their records lie, and what is read of them."""

    said: Lists
    start: int  # of the first record, in bytes from the file's start
    num_bytes: int
    checks: NDArray[np.uint32]
    targets: NDArray[np.uint8]


class Stored(NamedTuple):
    """A file with blocks: all there is but the blocks."""

    shape: tuple[int, int]
    num_edges: int
    offsets: NDArray[Any]  # of the rows of the view "forward": out-degrees
    labels: NDArray[Any] | None
    vertex_data: dict[str, NDArray[Any]]
    weights: np.dtype[Any] | None
    facts: Facts
    views: dict[str, View]
    lists: StoredLists | None  # None: there are none of a version that is known


def header_of(path: Path) -> Header:
    """Header of a plain `.gaspipe` file."""
    name = file_name(os.fspath(path))
    with open(path, "rb") as file:
        return read_header(file, os.fstat(file.fileno()).st_size, name)


def is_stored(path: Path) -> bool:
    """Whether a plain `.gaspipe` file has its edges in blocks."""
    return header_of(path).facts is not None


def read_stored(path: Path, threads: int = 0) -> Stored:
    """Read a file with blocks, all but the blocks, into memory of its own, and check what is read.

    Raises
    ------
    GraphFormatError
        If the file is damaged, or in a newer version of the format.
    InputError
        If it is compressed or has no blocks.
    OSError
        If the file cannot be read.

    """
    name = file_name(os.fspath(path))
    with open_bytes(path) as file:
        if not hasattr(file, "raw") or not file.seekable():
            raise InputError(
                f"{name}: a compressed file or a pipe; blocks are read from a plain file, so unpack it first"
            )
        num_bytes = os.fstat(file.fileno()).st_size
        check_magic(file.read(8), name)
        file.seek(0)
        header = read_header(file, num_bytes, name)
        if header.facts is None:
            raise InputError(
                f"{name}: its edges do not lie in blocks; gp.convert writes such a file: "
                f'gp.convert({name!r}, "blocks.gaspipe", memory="1 GB")'
            )
        with contents(file, num_bytes, False) as content_of:
            known = known_sections(header, content_of, name, True, threads)
        check_padding(file, header.first, header.sections, name)
    return stored_of(header, known, name)


def stored_of(header: Header, known: Known, name: str) -> Stored:
    """All that sections say, checked."""
    facts = header.facts
    assert facts is not None
    n = header.num_vertices
    offsets = take(known, "offsets", ("<u4", "<u8"), n + 1, name)
    if offsets is None:
        raise GraphFormatError(f"{name}: there are no offsets")
    if offsets[0] != 0 or offsets[-1] != header.num_edges or not (offsets[1:] >= offsets[:-1]).all():
        raise GraphFormatError(f"{name}: its offsets do not ascend from 0 to its {header.num_edges} edges")
    views = {}
    weight_bytes = 0 if facts.weights is None else np.dtype(facts.weights).itemsize
    for view in VIEWS:
        if ("edge_blocks", view) not in known and ("edge_index", view) not in known:
            continue
        try:
            (blocks, _), (section, content) = known["edge_blocks", view], known["edge_index", view]
        except KeyError as error:
            raise GraphFormatError(f"{name}: there are no {' '.join(error.args[0][::-1])}") from None
        if blocks.dtype != "|u1" or section.dtype != "<u4" or section.shape[1:] != (INDEX_WORDS,):
            raise GraphFormatError(
                f"{name}: its {blocks} and their index are {blocks.dtype} and {section.dtype} of shape "
                f"{section.shape}; allowed are |u1 and <u4 of shape (blocks, {INDEX_WORDS})"
            )
        index = np.frombuffer(content, "<u4").astype(np.uint32, copy=False).reshape(section.shape)
        _check_index(index, blocks.num_bytes, view, header, weight_bytes, name)
        views[view] = View(header.first + blocks.start, index)
    if "forward" not in views:
        raise GraphFormatError(f"{name}: there are no forward edges")
    labels, vertex_data = vertex_sections(known, n, name)
    weights = None if facts.weights is None else np.dtype(facts.weights)
    lists = _lists_of(header, known, name)
    return Stored(header.shape, header.num_edges, offsets, labels, vertex_data, weights, facts, views, lists)


def _lists_of(header: Header, known: Known, name: str) -> StoredLists | None:
    """Lists by owner; their sizes are checked where they are used."""
    said = header.lists
    if said is None or said.version != _core.LISTS_VERSION:
        return None
    found = []
    for kind, dtype in (("list_records", "|u1"), ("list_checks", "<u4"), ("list_targets", "|u1")):
        if (kind, "") not in known:
            raise GraphFormatError(f"{name}: there are no {kind}")
        section, content = known.pop((kind, ""))
        if section.dtype != dtype or len(section.shape) != 1:
            raise GraphFormatError(
                f"{name}: {section} are {section.dtype} of shape {section.shape}; allowed are {dtype} of one dimension"
            )
        found.append((section, content))
    (records, _), (_, checks), (_, targets) = found
    start = header.first + records.start
    padding = -start % _core.LIST_PAGE
    words = np.frombuffer(checks, "<u4").astype(np.uint32, copy=False)
    # Records without any bytes need no padding before them.
    return StoredLists(said, start + padding, max(0, records.num_bytes - padding), words, targets)


def starts_of(index: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Where the blocks start, in bytes from the first one's."""
    return index[:, 0].astype(np.int64) | index[:, 1].astype(np.int64) << 32


def _check_index(
    index: NDArray[np.uint32], num_bytes: int, view: str, header: Header, weight_bytes: int, name: str
) -> None:
    """Whether blocks lie one after the other, in order, and have what can be in them."""
    n = header.num_vertices
    rows, columns = header.shape if view == "forward" else header.shape[::-1] if view == "reverse" else (n, n)
    words = index.astype(np.int64)
    starts = starts_of(index)
    size, edges, runs = words[:, _BYTES], words[:, _EDGES], words[:, _RUNS]
    partition, first, last, distance = (words[:, word] for word in (_PARTITIONS, _FIRST, _LAST, _DISTANCE))
    expected = np.zeros(len(index) + 1, np.int64)
    expected[1:] = starts + (size + 63) // 64 * 64

    def refuse(is_bad: NDArray[np.bool_], what: str) -> None:
        bad = np.flatnonzero(is_bad)
        if bad.size:
            raise GraphFormatError(f"{name}: the index of its {view} edges is wrong: block {bad[0]} {what}")

    least = edges * (weight_bytes + 2) + runs * (distance + 1)
    refuse(starts != expected[:-1], "does not start where the one before ends")
    refuse((edges < 1) | (edges > _MOST_BLOCK_EDGES), f"has no edge, or more than {_MOST_BLOCK_EDGES}")
    refuse((runs < 1) | (runs > edges), "has no run, or more than edges")
    refuse((distance < 1) | (distance > 2), "has distances of other than 1 or 2 bytes")
    refuse((size < least) | (size > least + 8 * runs), "has a size that its edges cannot have")
    refuse(partition > (columns - 1) // _PARTITION, f"has destinations beyond the {columns} there are")
    refuse((last >= rows) | (first > last), f"has sources that do not ascend below {rows}")
    later = np.zeros(len(index), bool)
    later[1:] = (partition[1:] < partition[:-1]) | ((partition[1:] == partition[:-1]) & (first[1:] < last[:-1]))
    refuse(later, "comes before the one before it")
    if num_bytes != (aligned(int(starts[-1])) + int(size[-1]) if len(index) else 0):
        raise GraphFormatError(f"{name}: the index of its {view} edges is wrong: it does not end where they do")
    total = int(edges.sum())
    most = 2 * header.num_edges if view == "undirected" else header.num_edges
    if total > most or (view != "undirected" and total != most):
        raise GraphFormatError(f"{name}: its {view} edges are {total} by their index; it has {header.num_edges} edges")


def blocks_of(
    file: BinaryIO, view: View, view_name: str, name: str
) -> Iterator[tuple[int, NDArray[np.uint32], NDArray[np.uint8]]]:
    """Number, entry and bytes of every block; the bytes are good until the next one's."""
    buffer = np.zeros(int(view.index[:, _BYTES].max(initial=0)) + _core.BLOCK_READ_AHEAD, np.uint8)
    for number, (entry, start) in enumerate(zip(view.index, starts_of(view.index).tolist())):
        content = buffer[: int(entry[_BYTES]) + _core.BLOCK_READ_AHEAD]
        file.seek(view.start + start)
        if file.readinto(content[: int(entry[_BYTES])].data) != entry[_BYTES]:  # type: ignore[attr-defined]
            raise GraphFormatError(f"{name}: cut short while it was read: block {number} of its {view_name} edges")
        yield number, entry, content


def rows_of_blocks(file: BinaryIO, header: Header, known: Known, name: str, *, verify: bool, threads: int) -> Reading:
    """Make a graph in memory of the forward edges: rows by ascending destination."""
    stored = stored_of(header, known, name)
    n = header.num_vertices
    rows = _core.BlockRows(stored.offsets, "" if stored.weights is None else stored.weights.str)
    for number, entry, content in blocks_of(file, stored.views["forward"], "forward", name):
        try:
            rows.add(entry, content, verify)
        except GraphFormatError as error:
            raise GraphFormatError(f"{name}: block {number} of its forward edges is damaged: {error}") from None
    targets, weights = rows.finish()
    try:
        core = _core.Graph.from_csr(n, n, stored.offsets, targets, weights, False, threads)
        core = core if stored.shape == (n, n) else core.as_matrix(*stored.shape, threads)
    except InputError as error:
        raise GraphFormatError(f"{name}: {error}") from error
    return Reading(core, stored.labels, stored.vertex_data)
