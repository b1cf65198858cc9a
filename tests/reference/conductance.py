# SPDX-License-Identifier: Apache-2.0
"""Edges that leave a set of vertices, one edge after the other."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: numbers of edges are exact."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    sets = ([], range(0, num_vertices, 2), [num_vertices - 1, 0, 0], range(num_vertices))
    return [{}, *({"members": list(members)} for members in sets)]


def answer(matrix, members=()):
    """How many edges of every member lead to a vertex that is none."""
    inside = set(np.asarray(members if members is not None else [], np.int64).tolist())
    leaving = np.zeros(matrix.shape[0], np.int64)
    for v in sorted(inside):
        for e in range(int(matrix.indptr[v]), int(matrix.indptr[v + 1])):
            leaving[v] += int(matrix.indices[e]) not in inside
    return leaving
