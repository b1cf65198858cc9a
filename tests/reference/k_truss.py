# SPDX-License-Identifier: Apache-2.0
"""The k-truss: edges with too few common neighbors are taken away until none is left."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: edges are exact."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}, {"k": 2}, {"k": 4}, {"k": 7}]


def answer(matrix, k=3):
    """Ends of the edges of the k-truss, the smaller one first, ascending."""
    neighbors = [set() for _ in range(matrix.shape[0])]
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    for source, target in zip(sources, matrix.indices.tolist()):
        if source != target:
            neighbors[source].add(target)
            neighbors[target].add(source)
    while True:
        edges = [(u, v) for u, mine in enumerate(neighbors) for v in mine if u < v]
        few = [(u, v) for u, v in edges if len(neighbors[u] & neighbors[v]) < k - 2]
        if not few:
            return np.array(sorted(edges), np.int64).reshape(-1, 2)
        for u, v in few:
            neighbors[u].discard(v)
            neighbors[v].discard(u)
