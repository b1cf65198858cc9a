# SPDX-License-Identifier: Apache-2.0
"""What the file readers share: bytes from plain or packed files, sizes before memory, errors with their place."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, BinaryIO, Callable, NamedTuple, Union, cast

import numpy as np
from numpy.typing import NDArray

from . import _core, _inputs
from ._core import EdgeListParser, GraphFormatError, InputError, MetisParser

CHUNK = 4 << 20


_START = 4096  # bytes that tell the format


LONGEST_LINE = 1 << 20


# The same limits as for edge lists (edge_list.cpp): ids have 32 bits, and arrays by vertex should not dwarf the file.
MOST_VERTICES = 0xFFFFFFFF


MANY_VERTICES = 1 << 24


MANY_VERTICES_PER_EDGE = 64


Path = Union[str, "os.PathLike[str]"]


PACKED = ("", ".gz", ".xz", ".bz2")


class Reading(NamedTuple):
    """What a file holds: a graph, what its vertices are called, and what METIS files say of vertices besides."""

    core: _core.Graph
    labels: NDArray[np.int64] | None = None
    vertex_data: dict[str, NDArray[Any]] | None = None


class Options(NamedTuple):
    relabel: bool
    rectangular: bool
    header: bool | None
    dialect: str | None
    directed: bool | None
    threads: int


# Called with the number of bytes whenever a reader has taken some from a file, for progress bars.
watched: ContextVar[Callable[[int], object] | None] = ContextVar("watched", default=None)


class _Watched(io.FileIO):
    def readinto(self, buffer: Any) -> int | None:
        taken = super().readinto(buffer)
        watch = watched.get()
        if watch is not None:
            watch(taken or 0)
        return taken


@contextlib.contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if they are gzip, xz or bzip2; within, damaged data is a GraphFormatError."""
    is_watched = watched.get() is not None
    opened: Any = io.BufferedReader(_Watched(path)) if is_watched else open(path, "rb")  # noqa: SIM115
    with opened as raw, _unpacked(raw) as stream:
        try:
            yield stream
        except Exception as error:
            if stream is raw or not _is_damage(error):
                raise
            raise GraphFormatError(
                f"{file_name(path)}: the compressed file is damaged or cut short: {error}"
            ) from error


def graph_from_edges(rows: Any, columns: Any, data: Any, num_vertices: int, threads: int) -> _core.Graph:
    sources, targets = _inputs.ids_of("row", rows), _inputs.ids_of("column", columns)
    return _core.Graph.from_edges(sources, targets, _inputs.weights_of(data), int(num_vertices), threads)


def graph_from_rows(offsets: Any, targets: Any, weights: Any, num_vertices: int, threads: int) -> _core.Graph:
    offsets, targets = _inputs.ids_of("offset", offsets), _inputs.ids_of("target", targets)
    if offsets.dtype.itemsize == 8 and offsets.size and offsets.min() >= 0 and offsets.max() <= 0xFFFFFFFF:
        offsets = offsets.astype(np.uint32)
    weights = _inputs.weights_of(weights)
    if weights is not None and len(weights) != len(targets):
        raise InputError(f"found {len(weights)} weights for {len(targets)} edges; the two must be equal")
    return _core.Graph.from_csr(num_vertices, num_vertices, offsets, targets, weights, False, threads)


def file_name(path: Path) -> str:
    """The path for messages and for C++, where a name that is no UTF-8 has no string.

    Raises
    ------
    InputError
        If no file can have that name.

    """
    name = os.fsdecode(path)
    try:
        is_name = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise InputError(f"the path {name!a} has a NUL or a lone surrogate, which no file's name can have")
    return name.encode("utf-8", "backslashreplace").decode()


def _unpacked(raw: io.BufferedReader) -> BinaryIO:
    magic = raw.peek(10)
    if magic.startswith(b"\x1f\x8b"):
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if magic.startswith(b"\xfd7zXZ\0"):
        import lzma

        return cast(BinaryIO, lzma.LZMAFile(raw))
    if re.match(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", magic):
        import bz2

        return cast(BinaryIO, bz2.BZ2File(raw))
    return raw


def _is_damage(error: Exception) -> bool:
    import lzma
    import zlib

    # gzip and bz2 also raise OSError of their own, which has no number.
    is_format = isinstance(error, OSError) and error.errno is None
    return is_format or isinstance(error, (EOFError, zlib.error, lzma.LZMAError))


@contextlib.contextmanager
def sized(stream: BinaryIO, check: Callable[[bytes], int | None]) -> Iterator[tuple[BinaryIO, int]]:
    """The bytes as a file that can be read again from its start, and its size.

    Devices, pipes and what is packed go to a temporary file, and may have no end. So `check` sees the first bytes
    before: it refuses another format, and returns the most bytes that there can be where they tell it. No more than a
    chunk beyond them is taken.
    """
    start = b""
    while len(start) < _START and (chunk := stream.read(_START - len(start))):
        start += chunk
    most = check(start)
    if isinstance(stream, io.BufferedReader) and stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.seek(0)
        yield stream, os.fstat(stream.fileno()).st_size
        return
    with tempfile.TemporaryFile() as copy:
        copy.write(start)
        while (most is None or copy.tell() <= most) and (chunk := stream.read(CHUNK)):
            copy.write(chunk)
        num_bytes = copy.tell()
        copy.seek(0)
        yield copy, num_bytes


def quoted(text: bytes) -> str:
    """The text for a message: printable and short."""
    shown = text.rstrip(b"\r\n").decode("latin-1").encode("ascii", "backslashreplace").decode()
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in shown[:40])
    return f'"{shown}..."' if len(text) > 42 else f'"{shown}"'


def feed(parser: EdgeListParser | MetisParser, path: Path) -> None:
    """Hand the file's text to a parser, in pieces."""
    with open_bytes(path) as stream:
        while chunk := stream.read(CHUNK):
            parser.feed(chunk)
