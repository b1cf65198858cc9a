# SPDX-License-Identifier: Apache-2.0
"""The GAP benchmark's serialised graphs, `.sg` and `.wsg`, read with NumPy alone."""

from __future__ import annotations

import numpy as np

from .._core import GraphFormatError, InputError
from .._files import Path, file_name, open_bytes, sized, suffix_of
from ._arrays import graph_from_rows
from ._record import SAID_DIRECTED, Format, Reading, ReadOptions, check_direction

_WIDTHS = {"sg": (4,), "wsg": (8,)}  # bytes of an edge, by suffix


def read(path: Path, options: ReadOptions) -> Reading:
    """GAP's serialised graphs: bool directed; int64 edges, vertices; int64 offsets; int32 targets or, in .wsg, pairs.

    Directed ones hold the in-edges after that in the same way, which are not read: they follow from the others.
    """
    name = file_name(path)
    widths = _WIDTHS.get(suffix_of(name), (4, 8))

    def header(start: bytes) -> tuple[int, int, dict[int, int]]:
        """Vertices, edges, and bytes of the file by those of an edge."""
        if len(start) < 17 or start[0] > 1:
            found = f"{len(start)} bytes" if len(start) < 17 else f"{start[0]} as its first byte"
            raise GraphFormatError(f"{name}: found {found}; allowed is a header of 17 bytes that starts with 0 or 1")
        num_edges, n = (int(count) for count in np.frombuffer(start[1:17], "<i8"))
        if not 1 <= n <= 1 << 31 or num_edges < 0:
            raise GraphFormatError(
                f"{name}: found {n} vertices and {num_edges} edges; allowed are 1 to {1 << 31} and at least 0"
            )
        sides = 1 + start[0]
        return n, num_edges, {width: 17 + sides * (8 * (n + 1) + width * num_edges) for width in widths}

    with open_bytes(path) as stream, sized(stream, lambda start: max(header(start)[2].values())) as (file, num_bytes):
        start = file.read(17)
        n, num_edges, sizes = header(start)
        check_direction(name, options.directed, bool(start[0]))
        width = next((width for width, size in sizes.items() if size == num_bytes), None)
        if width is None:
            raise GraphFormatError(
                f"{name}: found {num_bytes} bytes; {n} vertices and {num_edges} edges take "
                f"{' or '.join(map(str, sizes.values()))}"
            )
        offsets = np.frombuffer(file.read(8 * (n + 1)), "<i8")
        entries = np.frombuffer(file.read(width * num_edges), "<i4")
    targets, weights = (entries, None) if width == 4 else (entries[0::2], entries[1::2])
    try:
        return Reading(graph_from_rows(offsets, targets, weights, n, options.threads))
    except InputError as error:
        raise GraphFormatError(f"{name}: {error}") from error


FORMAT = Format(name="gap", suffixes=tuple(_WIDTHS), read=read, options=(SAID_DIRECTED,), place=70)
