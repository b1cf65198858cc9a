# SPDX-License-Identifier: Apache-2.0
"""An answer as a file: text, .npy, .csv or .parquet, by the name's ending; whole or not at all."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, cast

import click
import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .._description import Description
from .._files import atomic_write, file_name, packed
from .._result import Result, columns
from .._tables import Named
from .._vertices import keys

ENDINGS = (".txt", ".csv", ".npy", ".parquet")
PACKED = (".gz", ".xz", ".bz2")
ROWS = 1 << 16  # written at a time


def answer_path(value: str) -> str:
    """Name of a file for an answer, as the type of an option: its ending must say a format."""
    ending, packing = endings(value)
    if value != "-" and (ending not in ENDINGS or (packing and ending not in (".txt", ".csv"))):
        raise click.BadParameter(
            f"{value!r} does not end as a format does: .txt and .csv (also with .gz, .xz or .bz2), .npy, .parquet; "
            "or - for standard output"
        )
    return value


def endings(path: str) -> tuple[str, str]:
    """What a name ends with, and the ending after that of a packed file or ""."""
    stem, last = os.path.splitext(path)
    if last.lower() in PACKED:
        return os.path.splitext(stem)[1].lower(), last.lower()
    return last.lower(), ""


def check(path: str, description: Description | None = None) -> None:
    """Raise now what writing a file, or the answer of an algorithm, would raise after the work."""
    if path == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed; name a file", path)
        return
    ending = endings(path)[0]
    for field in () if description is None else description.fields[:1]:
        if field.has_rows and ending in (".csv", ".parquet"):
            raise InputError(
                f"a {field.row} of the answer has several values; {ending} takes one; use --out "
                f"{field.name}.npy or {field.name}.txt"
            )
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "there is no such directory to write to", folder)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if ending == ".parquet":
        _pyarrow("pyarrow.parquet")


def wrote_report(path: str) -> str:
    """Return what to tell of a report that was written."""
    return f"Wrote {file_name(path)}: a report to open in a browser ({os.path.getsize(path):,} bytes)"


def write(result: Result, path: str) -> None:
    """Write the answer; columns are those of Result.to_table, text has the values alone, a line for each row.

    Text has labels for vertices of a graph with labels, and leaves out those that are none.
    """
    if path == "-":
        stream = sys.stdout
        for text in _text(result):
            stream.write("\n".join(text) + "\n")
        stream.flush()
        return
    ending, _ = endings(path)
    with atomic_write(path) as file:
        if ending == ".npy":
            np.save(cast(BinaryIO, _Writes(file)), result.values, allow_pickle=False)
        elif ending == ".parquet":
            _pyarrow("pyarrow.parquet").write_table(result.to_table("arrow"), file)
        else:
            with packed(file, path) as stream_:
                if ending == ".csv":
                    _write_csv(result, stream_)
                else:
                    for text in _text(result):
                        stream_.write(("\n".join(text) + "\n").encode())


class _Writes:
    """A file for NumPy, which writes to those of the system past Python and then does not say what went wrong."""

    def __init__(self, file: IO[bytes]) -> None:
        self.write = file.write


def _text(result: Result) -> Iterator[list[str]]:
    if not (result._fields and result._fields[0].has_vertices):
        yield from _lines(result.values)
        return
    for start in range(0, len(result.values), ROWS):
        ids = result.values[start : start + ROWS]
        names = ids if result.labels is None else result.labels[np.maximum(ids, 0)]
        rows = np.atleast_2d(ids.T).T, np.atleast_2d(names.T).T
        yield [" ".join(str(name) for v, name in zip(*row) if v >= 0) for row in zip(*(part.tolist() for part in rows))]


def _lines(values: NDArray[Any]) -> Iterator[list[str]]:
    """Values as text that reads back as the same numbers, some at a time."""
    # As Python floats, float32 would show digits that it does not have.
    to_list = list if values.dtype == np.float32 else np.ndarray.tolist
    for start in range(0, len(values), ROWS):
        rows = to_list(values[start : start + ROWS])
        yield [str(row) for row in rows] if values.ndim == 1 else [" ".join(map(str, row)) for row in rows]


def _write_csv(result: Result, stream: IO[bytes]) -> None:
    table = {name: _labeled(column) for name, column in columns(result).items()}
    stream.write((",".join(table) + "\n").encode())
    for start in range(0, len(next(iter(table.values()))), ROWS):
        texts = [_texts(column[start : start + ROWS]) for column in table.values()]
        stream.write("".join(",".join(row) + "\n" for row in zip(*texts)).encode())


def _texts(column: NDArray[Any]) -> list[str]:
    """Write part of a column."""
    if column.dtype.kind in "biuf":
        return next(_lines(column), [])
    return [_quoted(name) for name in keys(column)]


def _quoted(label: Any) -> str:
    text = str(label)
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _labeled(column: Any) -> NDArray[Any]:
    """Return a column of a table with labels in the place of ids."""
    return column.labels[column.ids] if isinstance(column, Named) else np.asarray(column)


def _pyarrow(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from None
