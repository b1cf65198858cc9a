# SPDX-License-Identifier: Apache-2.0
"""Common neighbors as intersections of sets."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: integers."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    some = [(7 * i % num_vertices, 5 * i * i % num_vertices) for i in range(3 * num_vertices)]
    return [{}, {"pairs": some}, {"pairs": []}]


def neighbors_of(matrix):
    """Return the set of every vertex's neighbors, in either direction, without itself."""
    neighbors = [set() for _ in range(matrix.shape[0])]
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    for source, target in zip(sources, matrix.indices.tolist()):
        if source != target:
            neighbors[source].add(target)
            neighbors[target].add(source)
    return neighbors


def answer(matrix, pairs=None):
    """Size of the intersection of the two sets of neighbors, for every pair."""
    neighbors = neighbors_of(matrix)
    if pairs is None:
        sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        pairs = np.column_stack([sources, matrix.indices])
    return np.array([len(neighbors[u] & neighbors[v]) for u, v in np.asarray(pairs).tolist()], np.int64)
