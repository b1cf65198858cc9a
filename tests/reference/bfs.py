# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search with a queue, one vertex at a time."""

from collections import deque

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest distance of an answer in a number format: every one is exact."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{"root": root} for root in sorted({0, num_vertices // 2, num_vertices - 1})]


def answer(matrix, root=0):
    """Hops from `root`; -1 where unreached."""
    indptr, indices = matrix.indptr.tolist(), matrix.indices.tolist()
    depth = [-1] * matrix.shape[0]
    depth[root] = 0
    queue = deque([root])
    while queue:
        v = queue.popleft()
        for w in indices[indptr[v] : indptr[v + 1]]:
            if depth[w] < 0:
                depth[w] = depth[v] + 1
                queue.append(w)
    return np.array(depth)
