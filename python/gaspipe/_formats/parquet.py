# SPDX-License-Identifier: Apache-2.0
"""Parquet files with a row per edge, read by pyarrow."""

from __future__ import annotations

from .._core import GraphFormatError
from .._files import Path, file_name, open_bytes
from ._columns import OPTIONS, arrow, ends_and_weight, graph_of
from ._record import Format, Reading, ReadOptions

_EDGE = 64  # bytes that an edge takes at most while it is read: ids and a weight, as columns and in the graph


def read(path: Path, options: ReadOptions) -> Reading:
    """Read the columns that make edges; values that are no integers are labels."""
    name = file_name(path)
    pa, parquet = arrow(name, "Parquet", "parquet")
    with open_bytes(path) as stream:
        try:
            file = parquet.ParquetFile(stream)
            ends = ends_and_weight(name, file.schema_arrow.names, options)
            table = file.read(columns=ends)
        except (pa.ArrowException, OSError) as error:
            raise GraphFormatError(f"{name}: {error}") from None
    return graph_of(name, table, ends, options)


def memory(path: Path) -> int:
    """Bytes that reading takes at most, without names."""
    name = file_name(path)
    pa, parquet = arrow(name, "Parquet", "parquet")
    with open_bytes(path) as stream:
        try:
            found = parquet.ParquetFile(stream).metadata
        except (pa.ArrowException, OSError) as error:
            raise GraphFormatError(f"{name}: {error}") from None
    unpacked = sum(found.row_group(i).total_byte_size for i in range(found.num_row_groups))
    return int(found.num_rows) * _EDGE + int(unpacked)


FORMAT = Format(
    name="parquet",
    suffixes=("parquet",),
    read=read,
    memory=memory,
    sniff=lambda start: start.startswith(b"PAR1"),
    options=OPTIONS,
    place=73,
)
