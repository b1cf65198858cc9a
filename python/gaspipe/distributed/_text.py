# SPDX-License-Identifier: Apache-2.0
"""Edge lists as plain text: every rank parses a range of bytes, cut at lines.

A header `vertices edges` can only be told from an edge by what follows in all ranges: as in one process, the first line
is one exactly if that many edge lines follow and all their ids are below the number of vertices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from .._core import EdgeListParser, EdgeSyntax, GraphFormatError
from .._files import LONGEST_LINE, Path, names_file, took
from ._collective import words_of_all
from ._pieces import Piece, Pieces, part_of

if TYPE_CHECKING:
    from ._world import World

_CHUNK = 4 << 20
_HEADER = re.compile(rb"[ \t]*(\d{1,19})(?:[ \t]+|[ \t]*,[ \t]*)(\d{1,19})[ \t]*\r?\n?\Z")


def read_text(world: World, path: Path, name: str, header: bool | None, size: int, threads: int) -> Pieces:
    """Return this rank's edges."""
    pieces, problem = Pieces(), None
    said, largest, num_edges = None, -1, 0
    try:
        part = part_of(size, world.rank, world.size)
        with names_file(path), open(path, "rb") as file:
            first = _start_of_line(file, part.first)
            last = _start_of_line(file, part.last)
            if header is not False:
                said, behind = _first_line(file, name, header is True)
                # No rank takes this line as an edge before all lines are counted.
                first, last = max(first, behind), max(last, behind)
            where = name if world.rank == 0 else f"{name}, from byte {first} on"
            for piece in _parsed(file, first, last, where, threads):
                pieces.edges.append(piece)
                num_edges += len(piece[0])
                largest = max(largest, int(piece[0].max(initial=0)), int(piece[1].max(initial=0)))
    except Exception as error:
        problem = error
    world.agree({}, problem)
    counts = words_of_all(world.communicator, [num_edges, largest])
    total, largest = int(counts[:, 0].sum()), int(counts[:, 1].max())
    is_weighted = any(weights is not None for _, _, weights in pieces.edges)
    problem = None
    if said is not None:
        if said[1] == total and largest < said[0] and said[0] >= 1:
            pieces.num_vertices = said[0]
        elif header:
            problem = GraphFormatError(
                f"{name}: its header says {said[0]} vertices and {said[1]} edges; found {total} edges, and ids up to "
                f"{largest}"
            )
        elif world.rank == 0:
            if is_weighted:
                problem = GraphFormatError(
                    f"{name}: the first line has 2 columns, and is no header: {total} edges follow, with weights"
                )
            elif max(said) >= 0xFFFFFFFF:
                problem = GraphFormatError(f"{name}: the id {max(said)} of the first edge is too large")
            else:
                ends = np.array(said, np.uint32)
                pieces.edges.insert(0, (ends[:1], ends[1:], None))
                total += 1
    if total == 0 and said is None and problem is None:
        problem = GraphFormatError(f"{name}: there are no edges")
    world.agree({}, problem)
    return pieces


def _parsed(file: BinaryIO, first: int, last: int, where: str, threads: int) -> Iterator[Piece]:
    parser = EdgeListParser(where, threads, EdgeSyntax.PLAIN, header=False, may_be_empty=True)
    file.seek(first)
    left = last - first
    while left > 0 and (chunk := file.read(min(left, _CHUNK))):
        left -= len(chunk)
        parser.feed(chunk)
        took(len(chunk))
        yield _kept(parser.take(False)[:3])
    yield _kept(parser.finish(False)[:3])


def _kept(piece: Piece) -> Piece:
    return piece if len(piece[0]) else (piece[0], piece[1], None)


def _start_of_line(file: BinaryIO, at: int) -> int:
    """Return where the first line starts that starts at `at` or later."""
    if at == 0:
        return 0
    file.seek(at - 1)
    while chunk := file.readline(LONGEST_LINE):
        if chunk.endswith(b"\n"):
            break
    return file.tell()


def _first_line(file: BinaryIO, name: str, must_be: bool) -> tuple[tuple[int, int] | None, int]:
    """Return the numbers of the first line that is neither comment nor blank, if it may be a header, and its end."""
    file.seek(0)
    while line := file.readline(LONGEST_LINE):
        if not line.strip() or line.lstrip(b" \t")[:1] in (b"#", b"%"):
            while not line.endswith(b"\n") and (line := file.readline(LONGEST_LINE)):
                pass
            continue
        found = _HEADER.match(line)
        if found is not None:
            return (int(found[1]), int(found[2])), file.tell()
        if must_be:
            raise GraphFormatError(f"{name}: the first line is no header `vertices edges`")
        return None, 0
    return None, 0
