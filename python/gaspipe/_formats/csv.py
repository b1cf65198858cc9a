# SPDX-License-Identifier: Apache-2.0
"""CSV and its like, where an edge list's parser does not do: with a header of names, or with names for ids."""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
from codecs import BOM_UTF8
from typing import BinaryIO, NamedTuple

from .._core import GraphFormatError, InputError
from .._files import START, Path, file_name, open_bytes
from .._tables import KNOWN_NAMES
from ._columns import OPTIONS, arrow, ends_and_weight, graph_of
from ._record import Format, Option, Reading, ReadOptions

_SEPARATORS = (",", "\t", ";", "|")


class _Start(NamedTuple):
    """How a file starts: lines before the first row, what separates columns, and at most two rows."""

    skipped: int
    separator: str
    rows: list[list[str]]


def _start_of(text: bytes) -> _Start | None:
    """None: its first line, comments aside, has no columns that a separator separates."""
    if b"\0" in text:
        return None
    lines = re.split(r"\r\n|\n|\r", text.decode("utf-8", errors="replace"))  # as pyarrow ends them
    skipped = sum(1 for _ in itertools.takewhile(lambda line: not line.strip() or line.strip()[0] in "#%", lines))
    if skipped == len(lines):
        return None
    separator = next((mark for mark in _SEPARATORS if mark in lines[skipped]), None)
    if separator is None:
        return None
    try:
        rows = list(csv.reader(lines[skipped : skipped + 2], delimiter=separator))
    except csv.Error:  # a field that is too long
        return None
    return _Start(skipped, separator, [[field.strip() for field in row] for row in rows if row])


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _is_name(field: str) -> bool:
    return any(map(str.isalpha, field)) and not _is_number(field)


def sniff(text: bytes) -> bool:
    """Whether the first row has a name where an edge list has an id."""
    start = _start_of(text)
    return start is not None and len(start.rows[0]) > 1 and any(map(_is_name, start.rows[0][:2]))


def _has_header(name: str, start: _Start, options: ReadOptions) -> bool:
    first, second = (*start.rows, [])[:2]
    if options.header is not None:
        return bool(options.header)
    if options.columns is not None and set(options.columns) <= set(first):
        return True
    # A vertex may be called as one of the ends is, so both have to be there.
    if all(any(field.lower() in KNOWN_NAMES[end] for field in first) for end in ("source", "destination")):
        return True
    if any(map(_is_number, first)):
        return False
    if any(_is_name(one) and _is_number(other) for one, other in zip(first, second)):
        return True
    raise InputError(
        f"{name}: cannot tell whether the first row, {', '.join(map(repr, first))}, names the columns; give "
        "header=True or header=False"
    )


def read(path: Path, options: ReadOptions) -> Reading:
    """Read the columns that make edges; values that are no integers are labels."""
    name = file_name(path)
    pa, reader = arrow(name, "CSV", "csv")
    _, compute = arrow(name, "CSV", "compute")
    with open_bytes(path) as stream:
        # What is no file can be read only once.
        rest: BinaryIO = stream if os.path.isfile(path) else io.BytesIO(stream.read())
        start = _start_of(rest.read(START).removeprefix(BOM_UTF8))
        if start is None:
            raise GraphFormatError(f"{name}: the first row has no columns, with a comma, tab, ; or | between them")
        has_header = _has_header(name, start, options)
        names = start.rows[0] if has_header else [f"f{i}" for i in range(len(start.rows[0]))]
        ends = ends_and_weight(name, names, options)
        rest.seek(0)
        try:
            table = reader.read_csv(
                rest,
                read_options=reader.ReadOptions(skip_rows=start.skipped + has_header, column_names=names),
                parse_options=reader.ParseOptions(delimiter=start.separator),
                convert_options=reader.ConvertOptions(include_columns=ends),
            )
        except pa.ArrowInvalid as error:
            if "Empty CSV file" not in str(error):
                raise GraphFormatError(f"{name}: {error}") from None
            table = pa.table({end: [] for end in ends})
    for i, column in enumerate(table.columns):
        if pa.types.is_string(column.type):  # as in "ann, bob"
            trimmed = compute.utf8_trim_whitespace(column)
            table = table.set_column(i, table.column_names[i], trimmed)
    return graph_of(name, table, ends, options)


FORMAT = Format(
    name="csv",
    suffixes=(),  # edge lists have it too, and write it
    read=read,
    sniff=sniff,
    options=(
        *OPTIONS,
        Option("header", "--header/--no-header", "CSV: whether the first row names the columns; by default guessed."),
    ),
    place=72,
)
