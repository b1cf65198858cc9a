# SPDX-License-Identifier: Apache-2.0
"""The minimum spanning forest by Kruskal's algorithm: edges in order, and sets of vertices that they join."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: edges are exact."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}]


def answer(matrix):
    """Ends of the edges of the forest, the smaller one first, ascending."""
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    ordered = sorted(
        (weight, min(u, v), max(u, v)) for weight, u, v in zip(matrix.data.tolist(), sources, matrix.indices.tolist())
    )
    tree = {v: [v] for v in range(matrix.shape[0])}
    forest = []
    for _, u, v in ordered:
        if tree[u] is tree[v]:
            continue
        small, large = sorted((tree[u], tree[v]), key=len)
        large.extend(small)
        for member in small:
            tree[member] = large
        forest.append((u, v))
    return np.array(sorted(forest), np.int64).reshape(-1, 2)
