# SPDX-License-Identifier: Apache-2.0
"""Text in and out: parsed and formatted by `_core`, a few megabytes at a time."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO

from .. import _core, _inputs
from .._core import EdgeDirection, EdgeListParser, MetisParser
from .._files import CHUNK, Path, open_bytes
from ._intake import Intake
from ._record import Fill, ReadOptions

_CHECKED = 32  # bytes


def feed(parser: EdgeListParser | MetisParser, path: Path, check: Callable[[bytes], None] | None = None) -> None:
    """Hand the file's text to a parser, in pieces; `check` is called with its first bytes."""
    with open_bytes(path) as stream:
        for chunk in pieces(stream, CHUNK, check):
            parser.feed(chunk)


def graph_of(edges: list[Any], num_vertices: int, options: ReadOptions) -> _core.Graph:
    """Make the graph of sources, destinations and weights."""
    sources, targets, weights = edges
    if options.directed is False:
        sources, targets, weights = _inputs.with_reverse(sources, targets, weights)
    return _core.Graph.from_edges(sources, targets, weights, num_vertices, options.threads)


def stream(
    parser: EdgeListParser,
    path: Path,
    intake: Intake,
    size: int,
    options: ReadOptions,
    check: Callable[[bytes], None] | None = None,
) -> int:
    """Hand the file's text to a parser and its edges on, `size` bytes of text at a time; return how many vertices.

    `check` is called with the first bytes of the text.
    """
    direction = EdgeDirection.BOTH if options.directed is False else EdgeDirection.FORWARD
    with open_bytes(path) as file:
        for chunk in pieces(file, min(size, CHUNK), check):
            parser.feed(chunk)
            intake.add(*parser.take(False)[:3], direction)
    sources, targets, weights, num_vertices, _ = parser.finish(False)
    intake.add(sources, targets, weights, direction)
    return num_vertices


def pieces(file: BinaryIO, size: int, check: Callable[[bytes], None] | None = None) -> Iterator[bytes]:
    """The file's bytes, `size` at a time, without a UTF-8 byte order mark at its start."""
    start = b""
    while len(start) < _CHECKED and (more := file.read(_CHECKED - len(start))):
        start += more
    start = start[len(BOM_UTF8) :] if start.startswith(BOM_UTF8) else start
    if check is not None:
        check(start)
    if start:
        yield start
    while chunk := file.read(size):
        yield chunk


def text_of(text: _core.GraphText) -> Fill:
    """Return what writes the text of a graph."""

    def fill(file: IO[bytes]) -> None:
        while piece := text.next():
            file.write(piece)

    return fill
