# SPDX-License-Identifier: Apache-2.0
"""Arcs of the 9th DIMACS challenge, on shortest paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import _core
from .._core import EdgeListParser, EdgeSyntax, TextFormat
from .._files import Path, file_name
from ._intake import Intake
from ._record import DIRECTED, Fill, Format, Reading, ReadOptions, Vertices, WriteOptions
from ._text import feed, graph_of, stream, text_of

if TYPE_CHECKING:
    from ..graph import Graph


def sniff(start: bytes) -> bool:
    """Tell by the problem line, which only comments and blank lines may precede."""
    return re.match(rb"([ \t\r]*\n|c[ \t\r\n][^\n]*\n|c\n)*p[ \t]+sp[ \t]", start) is not None


def read(path: Path, options: ReadOptions) -> Reading:
    """Read arcs with their lengths."""
    parser = EdgeListParser(file_name(path), options.threads, EdgeSyntax.DIMACS9)
    feed(parser, path)
    *edges, num_vertices, _ = parser.finish(False)
    return Reading(graph_of(edges, num_vertices, options))


def stream_edges(path: Path, options: ReadOptions, intake: Intake) -> Vertices:
    """Hand arcs over as they are read."""
    size = intake.text_buffer()
    parser = EdgeListParser(file_name(path), options.threads, EdgeSyntax.DIMACS9, buffer_bytes=size)
    n = stream(parser, path, intake, size, options)
    return Vertices((n, n))


def write(graph: Graph, options: WriteOptions, suffix: str) -> Fill:
    """Write arcs with their lengths."""
    return text_of(_core.GraphText(graph._core, TextFormat.DIMACS9, options.threads))


FORMAT = Format(
    name="dimacs9",
    suffixes=("gr",),
    read=read,
    stream=stream_edges,
    write=write,
    sniff=sniff,
    options=(DIRECTED,),
    help=".gr (DIMACS-9)",
    place=40,
)
