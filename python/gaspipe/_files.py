# SPDX-License-Identifier: Apache-2.0
"""Files that hold graphs: edge lists and Matrix Market, plain or compressed.

Edge lists are parsed by `_core`, Matrix Market by fast_matrix_market or SciPy. Those two allocate what a header
declares, so it is held against the size of the text first; compressed text goes to a temporary file to know its size.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO, Callable, NamedTuple, Union, cast

import numpy as np
from numpy.typing import NDArray

from ._core import EdgeListParser, Error, GraphFormatError, InputError

_CHUNK = 4 << 20
_LONGEST_LINE = 1 << 20
_BANNER = b"%%MatrixMarket"

# The same limits as for edge lists (edge_list.cpp): ids have 32 bits, and arrays by vertex should not dwarf the file.
_MOST_VERTICES = 0xFFFFFFFF
_MANY_VERTICES = 1 << 24
_MANY_VERTICES_PER_EDGE = 64

# From text to rows, columns and data.
_ReadCoo = Callable[[BinaryIO], "tuple[NDArray[Any], NDArray[Any], NDArray[Any]]"]

Path = Union[str, "os.PathLike[str]"]


def recognise(path: Path) -> str:
    """Tell "matrix_market" from "edge_list" by the file's name, or else by its first bytes."""
    if re.search(r"\.mtx(\.(gz|xz|bz2))?$", _name(path), re.IGNORECASE):
        return "matrix_market"
    if os.path.isfile(path):  # a pipe can be read only once
        with open_bytes(path) as stream:
            if stream.read(len(_BANNER)) == _BANNER:
                return "matrix_market"
    return "edge_list"


@contextlib.contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if they are gzip, xz or bzip2; within, damaged data is a GraphFormatError."""
    with open(path, "rb") as raw, _unpacked(raw) as stream:
        try:
            yield stream
        except Exception as error:
            if stream is raw or not _is_damage(error):
                raise
            raise GraphFormatError(f"{_name(path)}: the compressed file is damaged or cut short: {error}") from error


def read_edge_list(
    path: Path, relabel: bool, num_threads: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any] | None, int, NDArray[np.int64] | None]:
    """Sources and targets (uint32), weights or None, number of vertices, and with `relabel` the labels (int64)."""
    parser = EdgeListParser(_name(path), num_threads)
    with open_bytes(path) as stream:
        while chunk := stream.read(_CHUNK):
            parser.feed(chunk)
    return parser.finish(relabel)


def read_matrix_market(path: Path) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None, tuple[int, int]]:
    """Rows and columns from 0, data (None for a pattern) and shape; symmetric files give both triangles."""
    name = _name(path)
    with open_bytes(path) as stream, _sized(stream) as (text, num_bytes):
        header = _read_header(text, num_bytes, name)
        text.seek(0)
        read_coo = _matrix_market_library()
        try:
            rows, columns, data = read_coo(text)
        except (ValueError, OverflowError, RuntimeError) as error:
            found = re.fullmatch(r"Line (\d+): (.*)", str(error), re.DOTALL)
            where, what = (f"{name}:{found[1]}", found[2]) if found else (name, str(error))
            raise GraphFormatError(f"{where}: {what}") from error
    return rows, columns, None if header.field == "pattern" else data, header.shape


def _name(path: Path) -> str:
    """The path for messages and for C++, where a name that is no UTF-8 has no string."""
    return os.fsdecode(path).encode("utf-8", "backslashreplace").decode()


def _unpacked(raw: io.BufferedReader) -> BinaryIO:
    magic = raw.peek(10)
    if magic.startswith(b"\x1f\x8b"):
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if magic.startswith(b"\xfd7zXZ\0"):
        import lzma

        return cast(BinaryIO, lzma.LZMAFile(raw))
    if re.match(rb"BZh[1-9]1AY&SY", magic):
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
def _sized(stream: BinaryIO) -> Iterator[tuple[BinaryIO, int]]:
    """The text as a file that can be read again from its start, and its size."""
    if isinstance(stream, io.BufferedReader) and stream.seekable():
        yield stream, os.fstat(stream.fileno()).st_size
        return
    with tempfile.TemporaryFile() as copy:
        while chunk := stream.read(_CHUNK):
            copy.write(chunk)
        num_bytes = copy.tell()
        copy.seek(0)
        yield copy, num_bytes


class _Header(NamedTuple):
    field: str
    shape: tuple[int, int]


def _read_header(text: BinaryIO, num_bytes: int, name: str) -> _Header:
    """Checks the header, and that the rest of the text has room for what it declares."""
    banner = text.readline(_LONGEST_LINE)
    words = banner.decode("latin-1").split()
    if words[:1] != [_BANNER.decode()]:
        raise GraphFormatError(f'{name}:1: expected "{_BANNER.decode()} matrix coordinate ...", found {_quote(banner)}')
    kind, layout, field, symmetry, *_ = [word.lower() for word in words[1:]] + [""] * 4
    if layout == "array":
        raise GraphFormatError(f"{name}:1: found a dense matrix (array); a graph is a sparse one (coordinate)")
    for found, allowed in (
        (kind, ("matrix",)),
        (layout, ("coordinate",)),
        (field, ("pattern", "integer", "real", "double")),
        (symmetry, ("general", "symmetric", "skew-symmetric")),
    ):
        if found not in allowed:
            raise GraphFormatError(f"{name}:1: found {_quote(found.encode())}, allowed here: {', '.join(allowed)}")

    number, line = 1, b"%"
    while line and (line.startswith(b"%") or not line.strip()):
        number, line = number + 1, text.readline(_LONGEST_LINE)
    where = f"{name}:{number}"
    sizes = line.split()
    if len(sizes) != 3 or not all(re.fullmatch(rb"[0-9]{1,19}", size) for size in sizes):
        raise GraphFormatError(f"{where}: expected the numbers of rows, columns and entries, found {_quote(line)}")
    rows, columns, entries = map(int, sizes)
    if symmetry != "general" and rows != columns:
        raise GraphFormatError(f"{where}: a {symmetry} matrix of {rows} x {columns}; it must be square")
    if max(rows, columns) > _MOST_VERTICES:
        raise GraphFormatError(f"{where}: found {rows} x {columns}; at most {_MOST_VERTICES} rows and columns")
    shortest = len(b"1 1\n") if field == "pattern" else len(b"1 1 1\n")
    most_entries = (num_bytes - text.tell() + 1) // shortest  # the last line may lack its end
    if entries > most_entries:
        raise GraphFormatError(
            f"{where}: {entries} entries declared, but the rest of the file has room for at most {most_entries}"
        )
    if max(rows, columns) > max(_MANY_VERTICES, _MANY_VERTICES_PER_EDGE * (entries + 1)):
        raise InputError(
            f"{where}: a matrix of {rows} x {columns} for {entries} entries; if that is meant, read it with "
            "scipy.io.mmread and pass the result to gaspipe.Graph"
        )
    return _Header(field, (rows, columns))


def _quote(text: bytes) -> str:
    """The text for a message: printable and short."""
    shown = text.rstrip(b"\r\n").decode("latin-1").encode("ascii", "backslashreplace").decode()
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in shown[:40])
    return f'"{shown}..."' if len(text) > 42 else f'"{shown}"'


def _matrix_market_library() -> _ReadCoo:
    try:
        import fast_matrix_market
    except ImportError:
        return _scipy_reader()

    def read_coo(text: BinaryIO) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        (data, (rows, columns)), _ = fast_matrix_market.read_coo(text)
        return rows, columns, data

    return read_coo


def _scipy_reader() -> _ReadCoo:
    try:
        import scipy.io
    except ImportError:
        raise Error(
            "Matrix Market files need fast_matrix_market or SciPy, and neither is installed; "
            "use pip install 'gaspipe[mtx]'"
        ) from None

    def read_coo(text: BinaryIO) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        matrix = scipy.io.mmread(text)
        return matrix.row, matrix.col, matrix.data

    return read_coo
