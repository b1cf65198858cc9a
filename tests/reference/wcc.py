# SPDX-License-Identifier: Apache-2.0
"""Weakly connected components by union-find over the edges."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Components are exact."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}]


def answer(matrix):
    """Smallest vertex id in the component of every vertex."""
    parent = list(range(matrix.shape[0]))

    def find(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    for u, v in zip(sources.tolist(), matrix.indices.tolist()):
        a, b = find(u), find(v)
        parent[max(a, b)] = min(a, b)
    return np.array([find(v) for v in range(matrix.shape[0])])
