# SPDX-License-Identifier: Apache-2.0
"""Matrix Market files, by fast_matrix_market or SciPy.

Those two allocate what a header declares, so it is held against the size of the text first; compressed text goes to a
temporary file to know its size.
"""

from __future__ import annotations

import re
from typing import Any, BinaryIO, Callable, NamedTuple, cast

from numpy.typing import NDArray

from . import _inputs
from ._core import Error, GraphFormatError, InputError
from ._reading import (
    LONGEST_LINE,
    MANY_VERTICES,
    MANY_VERTICES_PER_EDGE,
    MOST_VERTICES,
    Options,
    Path,
    Reading,
    file_name,
    graph_from_edges,
    open_bytes,
    quoted,
    sized,
)

BANNER = b"%%MatrixMarket"


# From text to rows, columns and data.
_ReadCoo = Callable[[BinaryIO], "tuple[NDArray[Any], NDArray[Any], NDArray[Any]]"]


def read_matrix_market(path: Path, options: Options) -> Reading:
    """Sparse matrices; a pattern has no weights, symmetric ones give both triangles."""
    rows, columns, data, shape = _matrix_market_entries(path)
    if not options.rectangular:
        _inputs.check_square(shape, file_name(path))
    core = graph_from_edges(rows, columns, data, max(shape), options.threads)
    return Reading(core.as_matrix(*shape, options.threads) if options.rectangular else core)


def _matrix_market_entries(
    path: Path,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None, tuple[int, int]]:
    """Rows and columns from 0, data (None for a pattern) and shape; symmetric files give both triangles."""
    name = file_name(path)
    with open_bytes(path) as stream, sized(stream, _Lines(name).look) as (text, num_bytes):
        header = _read_header(text, num_bytes, name)
        text.seek(0)
        read_coo = _matrix_market_library()
        try:
            rows, columns, data = read_coo(cast(BinaryIO, _WholeLines(text)))
        except (ValueError, OverflowError, RuntimeError) as error:
            found = re.fullmatch(r"Line (\d+): (.*)", str(error), re.DOTALL)
            where, what = (f"{name}:{found[1]}", found[2]) if found else (name, str(error))
            raise GraphFormatError(f"{where}: {what}") from error
    return rows, columns, None if header.field == "pattern" else data, header.shape


class _Lines:
    """Refuses NUL bytes and lines that are very long, which the libraries would take into memory whole."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._line = 1
        self._length = 0  # of the line so far

    def look(self, chunk: bytes) -> None:
        nul = chunk.find(b"\0")
        start = -self._length  # of the line
        while len(chunk) - start > LONGEST_LINE:
            end = chunk.rfind(b"\n", max(start, 0), start + LONGEST_LINE + 1)
            if end < 0 and not 0 <= nul <= start + LONGEST_LINE:
                line = self._line + chunk.count(b"\n", 0, max(start, 0))
                raise GraphFormatError(f"{self._name}:{line}: the line is longer than 1 MiB")
            if end < 0:
                break
            start = end + 1
        if nul >= 0:
            line = self._line + chunk.count(b"\n", 0, nul)
            raise GraphFormatError(f"{self._name}:{line}: found a NUL byte; allowed is text")
        self._line += chunk.count(b"\n")
        self._length = len(chunk) - 1 - chunk.rfind(b"\n") + (self._length if b"\n" not in chunk else 0)


class _WholeLines:
    """Text that ends with a newline and cannot be sought: fast_matrix_market 1.7.6 (and the copy of it in SciPy) runs
    off a last line like "3 1 7 " and, after an error, dies of a seek that fails.
    """

    def __init__(self, text: BinaryIO) -> None:
        self._text = text
        self._last = b""

    def read(self, size: int = -1) -> bytes:
        return self._ended(self._text.read(size))

    def readline(self, size: int = -1) -> bytes:
        return self._ended(self._text.readline(size))

    def _ended(self, chunk: bytes) -> bytes:
        if not chunk and self._last not in (b"", b"\n"):
            chunk = b"\n"
        self._last = chunk[-1:]
        return chunk


class _Header(NamedTuple):
    field: str
    shape: tuple[int, int]


def _read_header(text: BinaryIO, num_bytes: int, name: str) -> _Header:
    """Checks the header, and that the rest of the text has room for what it declares."""
    banner = text.readline(LONGEST_LINE)
    words = [word.decode("latin-1") for word in banner.split()]
    if words[:1] != [BANNER.decode()]:
        raise GraphFormatError(f'{name}:1: expected "{BANNER.decode()} matrix coordinate ...", found {quoted(banner)}')
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
            raise GraphFormatError(f"{name}:1: found {quoted(found.encode())}, allowed here: {', '.join(allowed)}")

    number, line = 1, b"%"
    while line and (line.startswith(b"%") or not line.strip()):
        number, line = number + 1, text.readline(LONGEST_LINE)
    where = f"{name}:{number}"
    sizes = line.split()
    if len(sizes) != 3 or not all(re.fullmatch(rb"[0-9]{1,19}", size) for size in sizes):
        raise GraphFormatError(f"{where}: expected the numbers of rows, columns and entries, found {quoted(line)}")
    rows, columns, entries = map(int, sizes)
    if symmetry != "general" and rows != columns:
        raise GraphFormatError(f"{where}: a {symmetry} matrix of {rows} x {columns}; it must be square")
    if max(rows, columns) > MOST_VERTICES:
        raise GraphFormatError(f"{where}: found {rows} x {columns}; at most {MOST_VERTICES} rows and columns")
    shortest = len(b"1 1\n") if field == "pattern" else len(b"1 1 1\n")
    most_entries = (num_bytes - text.tell() + 1) // shortest  # the last line may lack its end
    if entries > most_entries:
        raise GraphFormatError(
            f"{where}: {entries} entries declared, but the rest of the file has room for at most {most_entries}"
        )
    if max(rows, columns) > max(MANY_VERTICES, MANY_VERTICES_PER_EDGE * (entries + 1)):
        raise InputError(
            f"{where}: a matrix of {rows} x {columns} for {entries} entries; if that is meant, read it with "
            "scipy.io.mmread and pass the result to gaspipe.Graph"
        )
    # Of an entry's words the libraries read as many as they need.
    wanted = 2 if field == "pattern" else 3
    while entries and (line := text.readline(LONGEST_LINE)):
        number += 1
        if line.strip() and not line.startswith(b"%"):
            if len(line.split()) != wanted:
                raise GraphFormatError(
                    f"{name}:{number}: expected {wanted} numbers, as the banner says {field}, found {quoted(line)}"
                )
            break
    return _Header(field, (rows, columns))


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
