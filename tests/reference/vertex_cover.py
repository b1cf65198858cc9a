# SPDX-License-Identifier: Apache-2.0
"""A vertex cover: again and again both ends of the first edge without a covered end and with the largest degrees."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: there is one."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}]


def answer(matrix):
    """Whether each vertex is in the cover."""
    degrees = np.diff(matrix.indptr).tolist()
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    edges = list(zip(sources, matrix.indices.tolist()))
    member = np.zeros(matrix.shape[0], bool)
    for u, v in sorted(edges, key=lambda edge: -degrees[edge[0]] - degrees[edge[1]]):  # keeps the order of equal ones
        if not member[u] and not member[v]:
            member[u] = member[v] = True
    return member
