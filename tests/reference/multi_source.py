# SPDX-License-Identifier: Apache-2.0
"""Depths by one breadth-first search after the other."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: there is one."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    some = [7 * i * i % num_vertices for i in range(150)]  # more than two passes
    return [{}, {"sources": some}, {"sources": [num_vertices - 1]}, {"sources": []}]


def answer(matrix, sources=None):
    """A row per source: the number of edges on the shortest path to every vertex, -1 where there is none."""
    n = matrix.shape[0]
    rows = [matrix.indices[a:b].tolist() for a, b in zip(matrix.indptr, matrix.indptr[1:])]
    sources = range(n) if sources is None else np.asarray(sources).tolist()
    depth = np.full((len(sources), n), -1, np.int32)
    for of_source, source in zip(depth, sources):
        of_source[source] = level = 0
        front = {source}
        while front:
            level += 1
            front = {u for v in front for u in rows[v] if of_source[u] < 0}
            of_source[list(front)] = level
    return depth
