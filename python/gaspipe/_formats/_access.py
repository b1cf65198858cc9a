# SPDX-License-Identifier: Apache-2.0
"""Reading and writing a file of any format; options that the format has no use for are refused."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._core import GraphFormatError, InputError
from .._files import Path, atomic_write, file_name, packed, suffix_of, telling, watching
from .._flags import check_flags, flag
from .._progress import OfFiles
from ._record import Format, Reading, ReadOptions, WriteOptions
from ._registry import known, to_read, to_write, writable

if TYPE_CHECKING:
    from ..graph import Graph


def read(path: Path, format: str | None, options: ReadOptions, progress: OfFiles | None = None) -> Reading:
    """Read a file as the format says, or as it is recognised."""
    kind = to_read(path, format)
    check_options(kind, options)
    with reading(path, kind, format, progress):
        return kind.read(path, options)


@contextlib.contextmanager
def reading(path: Path, kind: Format, format: str | None, progress: OfFiles | None) -> Iterator[None]:
    """Report the bytes that readers take while the block runs; errors of a pipe say what it was taken for."""
    try:
        with watching(progress, None if progress is None else _num_bytes(path, kind)):
            yield
    except GraphFormatError as error:
        if format is not None or not kind.takes_rest or os.path.isfile(path):
            raise
        raise GraphFormatError(
            f"{error}. What is no file is taken for an edge list; for a table with a header, or any other format, give "
            "format= (--format), such as csv"
        ) from None


def _num_bytes(path: Path, kind: Format) -> int | None:
    files = [path] if kind.parts is None else kind.parts(path)
    return sum(map(os.path.getsize, files)) if all(map(os.path.isfile, files)) else None


def check_options(kind: Format, options: ReadOptions) -> None:
    """Refuse options that the format has no use for."""
    check_flags(directed=options.directed, header=options.header)
    flag("relabel", options.relabel)
    flag("rectangular", options.rectangular)
    for name in _given(options):
        if not kind.takes(name):
            users = " and ".join(repr(each.name) for each in known().values() if each.takes(name))
            hint = "; symmetrize() makes edges in both directions" * (name == "directed")
            raise InputError(f"{name}= is for format {users}; this file is read as {kind.name!r}{hint}")


def write(graph: Graph, path: Path, format: str | None, options: WriteOptions, progress: OfFiles | None = None) -> None:
    """Write a file as the format says, or as its name ends. Everything is checked before the file is touched."""
    kind = to_write(path, format)
    check_flags(header=options.header)
    flag("labels", options.labels)
    for name in _given(options):
        if name not in kind.write_options:
            users = " and ".join(repr(each.name) for each in writable().values() if name in each.write_options)
            raise InputError(f"{name}= is for format {users}; this file is written as {kind.name!r}")
    rows, columns = graph.shape
    if (rows != columns or rows == 0) and not kind.holds_rectangular:
        *most, last = [repr(each.name) for each in writable().values() if each.holds_rectangular]
        raise InputError(
            f"a matrix of {rows} x {columns} cannot be written as {kind.name!r}; allowed are {', '.join(most)} and "
            f"{last}"
        )
    assert kind.write is not None
    name = file_name(path)
    fill = kind.write(graph, options, suffix_of(name))
    with atomic_write(path) as file, packed(file, name) as stream:
        fill(telling(stream, progress, None))


def _given(options: ReadOptions | WriteOptions) -> list[str]:
    """Names of the options that a caller has given, but `threads`, which every format takes."""
    default = type(options)()
    return [
        name
        for name, value in options._asdict().items()
        if name != "threads" and value is not None and value is not getattr(default, name)
    ]
