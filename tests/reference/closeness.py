# SPDX-License-Identifier: Apache-2.0
"""Closeness centrality by a breadth-first search against the edges from one vertex after the other."""

from collections import deque

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer in a number format: distances are integers, a quotient is rounded."""
    return 1e-14


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    some = [num_vertices - 1, 0, num_vertices // 2, num_vertices // 3, 0]
    wanted = 70 if num_vertices <= 2000 else 3  # more than the searches of one pass
    spread = np.arange(0, num_vertices, max(1, num_vertices // wanted))
    return [{"vertices": some}, {"vertices": spread, "wf_improved": False}, *([{}] if num_vertices <= 150 else [])]


def answer(matrix, vertices=None, wf_improved=True):
    """Share of the vertices that reach v, over the mean of their distances to v; NaN where not asked for."""
    n = matrix.shape[0]
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr)).tolist()
    into = [[] for _ in range(n)]
    for u, v in zip(sources, matrix.indices.tolist()):
        into[v].append(u)
    closeness = np.full(n, np.nan)
    for v in range(n) if vertices is None else sorted(set(np.asarray(vertices).tolist())):
        distance = {v: 0}
        queue = deque([v])
        while queue:
            w = queue.popleft()
            for u in into[w]:
                if u not in distance:
                    distance[u] = distance[w] + 1
                    queue.append(u)
        others, farness = len(distance) - 1, sum(distance.values())
        closeness[v] = 0 if others == 0 else others / farness
        if wf_improved and others > 0:
            closeness[v] *= others / (n - 1)
    return closeness
