# SPDX-License-Identifier: Apache-2.0
"""Writing a `.gaspipe` file whose edges lie in blocks: from edges in any order, in the memory that is given.

Lists by owner, which a search by workers with local stores reads from the file, are made of the blocks.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..._core import EdgeDirection, EdgeOrder, EdgeSorter, InputError
from ..._files import Path, atomic_write, file_name
from ..._progress import OfFiles
from .._intake import PIECE, Intake
from .._record import Vertices
from .checksums import BLOCK, checksums
from .layout import (
    INDEX_WORDS,
    KINDS_OF_LISTS,
    LARGEST_HEADER,
    MAGIC,
    MAJOR,
    MINOR_LISTS,
    MINOR_STORED,
    PREFIX,
    VIEWS,
    Bytes,
    aligned,
)
from .save import content_of, encodable
from .stored import View, blocks_of

_AT_ONCE = 1 << 21  # edges written between looks for an interrupt and reports of progress
_DIRECTIONS = {"reverse": EdgeDirection.REVERSE, "undirected": EdgeDirection.BOTH}


def check_views(views: Sequence[str]) -> list[str]:
    """The views to write, in the order of files."""
    if isinstance(views, str) or not isinstance(views, Iterable):
        example = views if isinstance(views, str) else "forward"
        raise InputError(f"views is {views!r}; a sequence of names is needed, such as ({example!r},)")
    unknown = [view for view in views if view not in VIEWS]
    if unknown:
        raise InputError(f"views has {unknown[0]!r}; allowed are {', '.join(map(repr, VIEWS))}")
    if "forward" not in views:
        raise InputError('views lacks "forward", which the others are made from; add it')
    return [view for view in VIEWS if view in views]


def write_blocks(
    path: Path, intake: Intake, vertices: Vertices, views: Sequence[str], progress: OfFiles | None = None
) -> None:
    """Write the edges that have been taken up; the file appears under its name when all of it is on disk.

    Views but "forward" are made of the blocks that have been written.
    """
    name = file_name(path)
    given = [("labels", "", vertices.labels)] if vertices.labels is not None else []
    given += [("vertex_data", key, values) for key, values in vertices.data.items()]
    by_vertex = [_ByVertex(kind, encodable(key), *content_of(kind, key, values)) for kind, key, values in given]
    sorter = intake.sorter
    rows, columns = vertices.shape
    if intake.list_workers is not None and rows != columns:
        raise InputError(f"{name}: lists for workers are of square matrices; this one is {rows} x {columns}")
    memory = intake.memory_to_merge(vertices.num_vertices)
    total, done = sorter.num_edges * (len(views) + (intake.list_workers is not None)), 0

    def report(num_edges: int) -> None:
        nonlocal done
        done += num_edges
        if progress is not None:
            progress("writing", done, max(total, done))

    with atomic_write(path) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InputError(f"{name}: not a regular file; edges in blocks cannot be written to a pipe")
        writing = _Writing(file, name, sorter.num_edges, vertices, by_vertex, views, sorter.weight_type, intake)
        forward = writing.view("forward", sorter, memory, report)
        sorter.clear()
        for view in views[1:]:
            again = EdgeSorter(intake.folder, memory, intake.threads)
            for _, entry, block in blocks_of(writing.reader(), forward, "forward", name):
                edges = _core.edges_of_block(entry, block, writing.weight_type or "", False)
                again.add(*edges, _DIRECTIONS[view])
            writing.view(view, again, memory, report)
            again.clear()
        if intake.list_workers is not None:
            again = EdgeSorter(intake.folder, memory, intake.threads, EdgeOrder.ROWS)
            for _, entry, block in blocks_of(writing.reader(), forward, "forward", name):
                sources, targets, _ = _core.edges_of_block(entry, block, writing.weight_type or "", False)
                again.add(sources, targets, None, EdgeDirection.FORWARD)
            writing.lists(again, memory, report)
            again.clear()
        writing.finish(intake.threads)
        file.flush()
        os.fsync(file.fileno())  # or a crash could leave the name with a part of the file


def save_blocks(
    path: Path,
    core: _core.Graph,
    vertices: Vertices,
    *,
    views: Sequence[str],
    memory: int,
    workers: int | None = None,
    scratch: Path | None = None,
    threads: int = 0,
    progress: OfFiles | None = None,
) -> None:
    """Write the edges of a graph in memory in blocks; `memory` is what that takes besides the graph."""
    views = check_views(views)
    intake = Intake(path, memory, scratch, threads, workers)
    for edges in edges_of_rows(core.offsets, core.targets, core.weights):
        intake.add(*edges)
    write_blocks(path, intake, vertices, views, progress)


def edges_of_rows(
    offsets: NDArray[Any], targets: NDArray[Any], weights: NDArray[Any] | None
) -> Iterator[tuple[NDArray[np.uint32], NDArray[Any], NDArray[Any] | None]]:
    """Sources, destinations and weights of rows, some at a time."""
    if len(targets) == 0:
        yield np.zeros(0, np.uint32), targets, weights
    for first in range(0, len(targets), PIECE):
        last = min(first + PIECE, len(targets))
        top, bottom = np.searchsorted(offsets, [first, last - 1], "right") - 1
        bounds = np.clip(offsets[top : bottom + 2].astype(np.int64), first, last)
        sources = np.repeat(np.arange(top, bottom + 1, dtype=np.uint32), bounds[1:] - bounds[:-1])
        yield sources, targets[first:last], None if weights is None else weights[first:last]


class _ByVertex(NamedTuple):
    kind: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    content: Bytes


class _Writing:
    """A file that is being written: its sections so far, and where the next one starts."""

    def __init__(
        self,
        file: IO[bytes],
        name: str,
        num_edges: int,
        vertices: Vertices,
        by_vertex: Sequence[_ByVertex],
        views: Sequence[str],
        weight_type: str | None,
        intake: Intake,
    ) -> None:
        self._file = file
        self._name = name
        self._num_edges = num_edges
        self._vertices = vertices
        self._by_vertex = by_vertex
        self.weight_type = weight_type
        self._facts: dict[str, Any] = {"weights": weight_type}
        self._folder, self._list_workers = intake.folder, intake.list_workers
        self._lists: dict[str, Any] = {}
        self._forward: _core.ViewWriter | None = None
        self._sections: list[dict[str, Any]] = []
        self._end = 0
        # The header comes last and first; its size does not depend on what is found.
        self._header_bytes = aligned(PREFIX.size + len(self._widest(views)))
        if self._header_bytes > LARGEST_HEADER:
            raise InputError(f"the names of {len(by_vertex)} arrays make a header above the 16 MiB that are allowed")

    def reader(self) -> Any:
        """Return the file for reading."""
        return _Reader(self._file.fileno(), self._name)

    def view(self, view: str, sorter: EdgeSorter, memory: int, report: Callable[[int], None]) -> View:
        """Write the blocks of a view, its index and, of the first one, the offsets."""
        is_first = not self._sections
        sorter.sort(memory)
        descriptor = self._file.fileno()
        start = self._header_bytes + aligned(self._end)
        writer = _core.ViewWriter(
            sorter,
            descriptor,
            start,
            self._name,
            drops_repeated=view == "undirected",
            counts_degrees=is_first,
            num_vertices=self._vertices.num_vertices,
        )
        while written := writer.write(_AT_ONCE):
            report(written)
        checksum, num_bytes, content = writer.finish()
        self._add("edge_blocks", view, "|u1", (num_bytes,), num_bytes, checksum, required=True)
        index = np.frombuffer(content, "<u4").reshape(-1, INDEX_WORDS)
        self._write("edge_index", view, "<u4", index.shape, np.frombuffer(content, np.uint8), required=True)
        if is_first:
            self._facts.update(writer.facts)
            n = self._vertices.num_vertices
            self._forward = writer if self._list_workers is not None else None
            checksum, width = writer.write_offsets(self._header_bytes + aligned(self._end))
            self._add("offsets", "", f"<u{width}", (n + 1,), width * (n + 1), checksum)
        return View(start, index)

    def lists(self, sorter: EdgeSorter, memory: int, report: Callable[[int], None]) -> None:
        """Write the lists by owner of the forward edges, which the sorter has."""
        assert self._list_workers is not None and self._forward is not None
        sorter.sort(memory)
        writer = _core.ListWriter(
            sorter,
            self._forward,
            self._list_workers,
            self._file.fileno(),
            self._header_bytes + aligned(self._end),
            self._name,
            self._folder,
        )
        while written := writer.write(_AT_ONCE):
            report(written)
        checksum, num_bytes, checks, targets = writer.finish()
        self._lists = {"version": _core.LISTS_VERSION, "workers": self._list_workers, "code_bits": writer.code_bits}
        self._add("list_records", "", "|u1", (num_bytes,), num_bytes, checksum)
        self._write("list_checks", "", "<u4", checks.shape, checks.view(np.uint8))
        self._write("list_targets", "", "|u1", targets.shape, targets)

    def finish(self, threads: int) -> None:
        """Write what there is by vertex, and the header."""
        for kind, name, dtype, shape, content in self._by_vertex:
            self._write(kind, name, dtype, shape, content, threads=threads)
        text = self._header().ljust(self._header_bytes - PREFIX.size).encode()
        end = self._header_bytes + self._end
        minor = MINOR_LISTS if self._lists else MINOR_STORED
        prefix = PREFIX.pack(MAGIC, MAJOR, minor, 0, self._header_bytes, end)
        prefix = PREFIX.pack(MAGIC, MAJOR, minor, zlib.crc32(prefix + text), self._header_bytes, end)
        self._file.truncate(end)  # also where nothing follows the last section's start
        self._file.seek(0)
        self._file.write(prefix + text)

    def _write(
        self,
        kind: str,
        name: str,
        dtype: str,
        shape: tuple[int, ...],
        content: Bytes,
        *,
        required: bool = False,
        threads: int = 1,
    ) -> None:
        self._file.seek(self._header_bytes + aligned(self._end))
        for first in range(0, len(content), BLOCK):
            self._file.write(content[first : first + BLOCK].data)
        self._file.flush()
        (checksum,) = checksums([content], threads)
        self._add(kind, name, dtype, shape, len(content), checksum, required=required)

    def _add(
        self,
        kind: str,
        name: str,
        dtype: str,
        shape: tuple[int, ...],
        num_bytes: int,
        checksum: int,
        *,
        required: bool = False,
    ) -> None:
        section: dict[str, Any] = {"kind": kind}
        if name or kind == "vertex_data":
            section["name"] = name
        section.update(dtype=dtype, shape=list(shape), start=aligned(self._end), bytes=num_bytes)
        section["crc32"] = f"{checksum:08x}"
        if required:
            section["required"] = True
        self._sections.append(section)
        self._end = aligned(self._end) + num_bytes

    def _header(self) -> str:
        rows, columns = self._vertices.shape
        described = {"rows": rows, "columns": columns, "edges": self._num_edges, "stored": self._facts}
        if self._lists:
            described["lists"] = self._lists
        return json.dumps({**described, "sections": self._sections}, separators=(",", ":"), ensure_ascii=False)

    def _widest(self, views: Sequence[str]) -> bytes:
        """A header as long as that of this file can become."""
        most = 1 << 62
        self._facts.update(
            symmetric=False, simple=False, negative_or_nan=False, largest_weight=-2.2250738585072014e-308
        )
        for view in views:
            self._add("edge_blocks", view, "|u1", (most,), 0, 0, required=True)
            self._add("edge_index", view, "<u4", (most, INDEX_WORDS), 0, 0, required=True)
        self._add("offsets", "", "<u8", (most,), 0, 0)
        if self._list_workers is not None:
            self._lists = {"version": _core.LISTS_VERSION, "workers": self._list_workers, "code_bits": 64}
            for kind in KINDS_OF_LISTS:
                self._add(kind, "", "<u4", (most,), 0, 0)
        for kind, name, dtype, shape, _ in self._by_vertex:
            self._add(kind, name, dtype, shape, 0, 0)
        for section in self._sections:
            section.update(start=most, bytes=most)
        text = self._header().encode()
        self._sections, self._end, self._lists = [], 0, {}
        return text


class _Reader:
    """Reads a file that is open for something else, at places of its own."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._name = name
        self._at = 0

    def seek(self, place: int) -> None:
        self._at = place

    def readinto(self, buffer: memoryview) -> int:
        done = 0
        while done < len(buffer) and (size := os.preadv(self._descriptor, [buffer[done:]], self._at + done)):
            done += size
        self._at += done
        return done
