# SPDX-License-Identifier: Apache-2.0
"""Strongly connected components by two searches, forth and back, after S. R. Kosaraju."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: every one is exact."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}]


def _rows(sources, targets, num_vertices):
    rows = [[] for _ in range(num_vertices)]
    for source, target in zip(sources, targets):
        rows[source].append(target)
    return rows


def answer(matrix):
    """Return the smallest vertex of every vertex's component."""
    n = matrix.shape[0]
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr)).tolist()
    targets = matrix.indices.tolist()
    forward, backward = _rows(sources, targets, n), _rows(targets, sources, n)
    finished, seen = [], [False] * n
    for start in range(n):
        if seen[start]:
            continue
        seen[start] = True
        path = [(start, iter(forward[start]))]
        while path:
            v, rest = path[-1]
            u = next((u for u in rest if not seen[u]), None)
            if u is None:
                finished.append(v)
                path.pop()
            else:
                seen[u] = True
                path.append((u, iter(forward[u])))
    component = np.full(n, -1, np.int64)
    for start in reversed(finished):
        if component[start] >= 0:
            continue
        members, open_ones = [], [start]
        component[start] = start
        while open_ones:
            v = open_ones.pop()
            members.append(v)
            for u in backward[v]:
                if component[u] < 0:
                    component[u] = start
                    open_ones.append(u)
        component[members] = min(members)
    return component
