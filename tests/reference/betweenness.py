# SPDX-License-Identifier: Apache-2.0
"""Betweenness by counting shortest paths between all pairs, through every vertex."""

from collections import deque

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: sums in another order."""
    return 1e-12


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}, {"normalized": False}, {"sources": [num_vertices - 1, 0]}]


def _search(rows, source):
    """Hops and numbers of shortest paths from a vertex."""
    hops, paths = [-1] * len(rows), [0] * len(rows)
    hops[source], paths[source] = 0, 1
    queue = deque([source])
    while queue:
        v = queue.popleft()
        for u in rows[v]:
            if hops[u] < 0:
                hops[u] = hops[v] + 1
                queue.append(u)
            if hops[u] == hops[v] + 1:
                paths[u] += paths[v]
    return np.array(hops), np.array(paths, np.float64)


def answer(matrix, sources=None, normalized=True):
    """Shares of the shortest paths that pass every vertex, from the sources to all others."""
    n = matrix.shape[0]
    ends = zip(matrix.indptr.tolist(), matrix.indptr[1:].tolist())
    indices = matrix.indices.tolist()
    rows = [indices[first:last] for first, last in ends]
    searches = [_search(rows, v) for v in range(n)]
    sources = range(n) if sources is None else list(sources)
    total = np.zeros(n)
    for s in sources:
        hops, paths = searches[s]
        for v in range(n):
            if v == s or hops[v] < 0:
                continue
            onward, ways = searches[v]
            lies_on = (onward > 0) & (hops == hops[v] + onward)  # targets of whose shortest paths v is part
            lies_on[s] = False
            total[v] += (paths[v] * ways[lies_on] / paths[lies_on]).sum()
    if normalized:
        total *= (n / len(sources) if len(sources) else 0) / ((n - 1) * (n - 2) if n > 2 else 1)
    return total
