# SPDX-License-Identifier: Apache-2.0
"""A rank's edges on their way to their owners."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core import InputError

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


def fault_of(pieces: Pieces, n: int | None, of_all: NDArray[np.int64]) -> InputError | None:
    """Say what is wrong with the edges; `of_all` has for every rank whether it has some with and without weights."""
    has_weights, has_none = (np.flatnonzero(column) for column in of_all.T)
    if len(has_weights) and len(has_none):
        return InputError(
            f"there are edges with weights (rank {has_weights[0]} has some) and edges without (rank {has_none[0]}); "
            "all need weights, or none"
        )
    if n is None:
        return None
    for sources, targets, _ in pieces.edges:
        for name, ids in (("source", sources), ("destination", targets)):
            if len(ids) and int(ids.max()) >= n:
                return InputError(
                    f"a {name} is {ids.max()}; {n} vertices allow 0 to {n - 1}; omit num_vertices=, or give more"
                )
    return None


def add_all(edges: _core.DistributedEdges, pieces: Iterable[Piece], both: bool) -> None:
    """Hand edges over to the core, where `both` is true in both directions."""
    for sources, targets, weights in pieces:
        edges.add(sources, targets, weights)
        if both:
            other = sources != targets
            edges.add(targets[other], sources[other], None if weights is None else weights[other])
