# SPDX-License-Identifier: Apache-2.0
"""CSV and its like, where an edge list's parser does not do: with a header of names, or with names for ids."""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
from codecs import BOM_UTF8
from typing import BinaryIO, NamedTuple, NoReturn

from .._core import GraphFormatError, InputError
from .._files import LONGEST_LINE, Path, file_name, open_bytes, quoted
from .._tables import KNOWN_NAMES
from ._columns import OPTIONS, arrow, check_columns, ends_and_weight, graph_of
from ._record import Format, Option, Reading, ReadOptions

_SEPARATORS = ("\t", ",", ";", "|")
_LINE_END = re.compile(r"\r\n|\n|\r")  # as pyarrow ends lines


class _Start(NamedTuple):
    """How a file starts: lines before the first row, what separates columns, and at most two rows."""

    skipped: int
    separator: str
    rows: list[list[str]]


def _start_of(text: bytes) -> _Start | None:
    """None: its first line, comments aside, has no columns that a separator separates."""
    if b"\0" in text:
        return None
    lines = _LINE_END.split(text.decode("utf-8", "surrogateescape"))
    skipped = sum(1 for _ in itertools.takewhile(_is_no_row, lines))
    found = [_Start(skipped, mark, _rows(lines[skipped : skipped + 2], mark)) for mark in _SEPARATORS]
    found = [start for start in found if start.rows and len(start.rows[0]) > 1]
    even = [start for start in found if len(set(map(len, start.rows))) == 1] or found
    # Names have commas more often than tabs; of the other marks, those within names are fewer.
    return max(even, key=lambda start: (start.separator == "\t", len(start.rows[0])), default=None)


def _rows(lines: list[str], separator: str) -> list[list[str]]:
    try:
        rows = list(csv.reader(lines, delimiter=separator))
    except csv.Error:  # a field that is too long
        return []
    return [[field.strip() for field in row] for row in rows if row]


def _is_no_row(line: str) -> bool:
    return not line.strip() or line.strip()[0] in "#%"


def _up_to_second_row(stream: BinaryIO, name: str) -> bytes:
    """The file's first bytes, with all of its first two rows."""
    lines: list[bytes] = []
    num_rows = 0
    while num_rows < 2 and (line := stream.readline(LONGEST_LINE)):
        if len(line) == LONGEST_LINE and not line.endswith(b"\n") and b"\r" not in line:
            raise GraphFormatError(f"{name}:{len(lines) + 1}: the line is longer than 1 MiB")
        lines.append(line)
        num_rows += not all(map(_is_no_row, _LINE_END.split(line.decode("utf-8-sig", "surrogateescape"))))
    return b"".join(lines).removeprefix(BOM_UTF8)


def _is_utf8(text: str) -> bool:
    """Whether bytes that have been decoded with surrogateescape were UTF-8."""
    return text.isascii() or not any("\udc80" <= character <= "\udcff" for character in text)


def _refuse_other_encoding(stream: BinaryIO, skipped: int, name: str) -> NoReturn:
    """Names in another encoding would be other names."""
    stream.seek(0)
    lines = enumerate(io.TextIOWrapper(stream, "utf-8", "surrogateescape"), 1)
    number, line = next(each for each in itertools.islice(lines, skipped, None) if not _is_utf8(each[1]))
    found = quoted(line.encode("utf-8", "surrogateescape"))
    raise GraphFormatError(f"{name}:{number}: found {found}, which is not UTF-8; save the file as UTF-8")


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
        text = _up_to_second_row(rest, name)
        if b"\0" in text:
            raise GraphFormatError(f"{name}: found a NUL, as in UTF-16 or binary files; save the file as CSV in UTF-8")
        start = _start_of(text)
        if start is None:
            raise GraphFormatError(f"{name}: the first row has no columns, with a comma, tab, ; or | between them")
        check_columns(options.columns)
        has_header = _has_header(name, start, options)
        names = start.rows[0] if has_header else [f"f{i}" for i in range(len(start.rows[0]))]
        if not all(map(_is_utf8, names)):
            _refuse_other_encoding(rest, start.skipped, name)
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
        if any(map(pa.types.is_binary, table.schema.types)):  # what pyarrow makes of text that is not UTF-8
            _refuse_other_encoding(rest, start.skipped, name)
    for i, column in enumerate(table.columns):
        if pa.types.is_string(column.type):  # as in "ann, bob"
            trimmed = compute.utf8_trim_whitespace(column)
            row = compute.index(trimmed, "").as_py()
            if row >= 0:
                raise GraphFormatError(
                    f"{name}: column {table.column_names[i]!r} is empty in row {row}; drop such rows or fill them"
                )
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
