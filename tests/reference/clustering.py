# SPDX-License-Identifier: Apache-2.0
"""Local clustering by counting the edges among every vertex's neighbors."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: the sums are integers, the quotient is rounded."""
    return 1e-15


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
    """Edges among the neighbors of every vertex, over those that there could be."""
    neighbors = neighbors_of(matrix)
    indptr, indices = matrix.indptr.tolist(), matrix.indices.tolist()
    targets = [set(indices[first:last]) - {v} for v, (first, last) in enumerate(zip(indptr, indptr[1:]))]
    found = []
    for mine in neighbors:
        links = sum(len(targets[u] & mine) for u in mine)
        found.append(links / (len(mine) * (len(mine) - 1)) if len(mine) > 1 else 0.0)
    return np.array(found)
