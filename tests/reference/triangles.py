# SPDX-License-Identifier: Apache-2.0
"""Triangles by intersecting the sets of neighbors at both ends of every edge."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: every one is exact."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}]


def neighbors_of(matrix):
    """Return the set of every vertex's neighbors, in either direction, without itself."""
    neighbors = [set() for _ in range(matrix.shape[0])]
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    for source, target in zip(sources, matrix.indices.tolist()):
        if source != target:
            neighbors[source].add(target)
            neighbors[target].add(source)
    return neighbors


def answer(matrix):
    """Triangles that every vertex is a corner of."""
    neighbors = neighbors_of(matrix)
    return np.array([sum(len(mine & neighbors[u]) for u in mine) // 2 for mine in neighbors])
