# SPDX-License-Identifier: Apache-2.0
"""Graphs from the arrays of binary files, and the limits of what a file may make."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core, _inputs
from .._core import InputError

# The same limits as for edge lists (edge_list.cpp): ids have 32 bits, and arrays by vertex should not dwarf the file.
MOST_VERTICES = _inputs.MOST_VERTICES
MANY_VERTICES = 1 << 24
MANY_VERTICES_PER_EDGE = 64


def check_graph(shape: tuple[int, int], file: str) -> None:
    """Refuse a matrix that is no graph: not square, or 0 x 0."""
    _inputs.check_square(shape, file)
    if max(shape) == 0:
        raise InputError(f"{file}: graph has no vertices; at least 1 is needed")


def graph_from_edges(rows: Any, columns: Any, data: Any, num_vertices: int, threads: int) -> _core.Graph:
    sources, targets = _inputs.ids_of("row", rows), _inputs.ids_of("column", columns)
    return _core.Graph.from_edges(sources, targets, _inputs.weights_of(data), int(num_vertices), threads)


def graph_from_rows(offsets: Any, targets: Any, weights: Any, num_vertices: int, threads: int) -> _core.Graph:
    offsets, targets = _inputs.ids_of("offset", offsets), _inputs.ids_of("target", targets)
    if offsets.dtype.itemsize == 8 and offsets.size and offsets.min() >= 0 and offsets.max() <= 0xFFFFFFFF:
        offsets = offsets.astype(np.uint32)
    weights = _inputs.weights_of(weights)
    if weights is not None and len(weights) != len(targets):
        raise InputError(f"found {len(weights)} weights for {len(targets)} edges; the two must be equal")
    return _core.Graph.from_csr(num_vertices, num_vertices, offsets, targets, weights, False, threads)
