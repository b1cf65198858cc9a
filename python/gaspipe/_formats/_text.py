# SPDX-License-Identifier: Apache-2.0
"""Text in and out: parsed and formatted by `_core`, a few megabytes at a time."""

from __future__ import annotations

from typing import IO

from .. import _core
from .._core import EdgeListParser, MetisParser
from .._files import CHUNK, Path, open_bytes
from ._intake import Intake
from ._record import Fill


def feed(parser: EdgeListParser | MetisParser, path: Path) -> None:
    """Hand the file's text to a parser, in pieces."""
    with open_bytes(path) as stream:
        while chunk := stream.read(CHUNK):
            parser.feed(chunk)


def stream(parser: EdgeListParser, path: Path, intake: Intake, size: int) -> int:
    """Hand the file's text to a parser and its edges on, `size` bytes of text at a time; return how many vertices."""
    with open_bytes(path) as file:
        while chunk := file.read(min(size, CHUNK)):
            parser.feed(chunk)
            intake.add(*parser.take(False)[:3])
    sources, targets, weights, num_vertices, _ = parser.finish(False)
    intake.add(sources, targets, weights)
    return num_vertices


def text_of(text: _core.GraphText) -> Fill:
    """Return what writes the text of a graph."""

    def fill(file: IO[bytes]) -> None:
        while piece := text.next():
            file.write(piece)

    return fill
