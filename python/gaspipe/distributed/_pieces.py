# SPDX-License-Identifier: Apache-2.0
"""A rank's edges on their way to their owners."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Piece = tuple[NDArray[Any], NDArray[Any], "NDArray[Any] | None"]  # sources, targets, weights


class Pieces:
    """Edges of this rank, and what was found out about the whole graph."""

    def __init__(self, edges: list[Piece] | None = None, num_vertices: int | None = None) -> None:
        self.edges = edges or []
        self.num_vertices = num_vertices
        self.both_directions = False  # every edge counts in both
        self.simplify = False  # without repetition


class Range(NamedTuple):
    """A part of something that is counted."""

    first: int
    last: int


def part_of(count: int, rank: int, size: int) -> Range:
    """Return a rank's share of `count` things in a row."""
    return Range(count * rank // size, count * (rank + 1) // size)


NO_EDGES: Piece = (np.zeros(0, np.uint32), np.zeros(0, np.uint32), None)
