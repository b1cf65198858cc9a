# SPDX-License-Identifier: Apache-2.0
"""Matrix Market's sparse matrices: a pattern has no weights, symmetric ones give both triangles."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from .. import _core
from .._core import EdgeListParser, EdgeSyntax, TextFormat
from .._files import Path, file_name
from ._arrays import check_graph
from ._intake import Intake
from ._record import Fill, Format, Reading, ReadOptions, Vertices, WriteOptions
from ._text import feed, stream, text_of

if TYPE_CHECKING:
    from ..graph import Graph


def read(path: Path, options: ReadOptions) -> Reading:
    """Read a matrix in coordinates."""
    name = file_name(path)
    parser = EdgeListParser(name, options.threads, EdgeSyntax.MATRIX_MARKET)
    feed(parser, path)
    sources, targets, weights, num_vertices, _ = parser.finish(False)
    shape = parser.shape()
    if not options.rectangular:
        check_graph(shape, name)
    core = _core.Graph.from_edges(sources, targets, weights, max(num_vertices, 1), options.threads)
    return Reading(core.as_matrix(*shape, options.threads) if options.rectangular else core)


def stream_edges(path: Path, options: ReadOptions, intake: Intake) -> Vertices:
    """Hand entries over as they are read."""
    name, size = file_name(path), intake.text_buffer()
    parser = EdgeListParser(name, options.threads, EdgeSyntax.MATRIX_MARKET, buffer_bytes=size)
    stream(parser, path, intake, size, options)
    if not options.rectangular:
        check_graph(parser.shape(), name)
    return Vertices(parser.shape())


def write(graph: Graph, options: WriteOptions, suffix: str) -> Fill:
    """Coordinates of a general matrix: pattern, integer or real, by the weights."""
    text = _core.GraphText(graph._core, TextFormat.MATRIX_MARKET, options.threads)
    if max(graph.shape) > 0:
        return text_of(text)

    def fill(file: IO[bytes]) -> None:  # the core writes the one vertex that every graph has
        file.write(text.next().replace(b"\n1 1 0\n", b"\n0 0 0\n"))

    return fill


FORMAT = Format(
    name="matrix_market",
    suffixes=("mtx",),
    read=read,
    stream=stream_edges,
    write=write,
    sniff=lambda start: start.startswith(b"%%MatrixMarket"),
    holds_rectangular=True,
    help=".mtx",
    place=20,
)
