# SPDX-License-Identifier: Apache-2.0
"""Core numbers by taking off, again and again, a vertex with the fewest neighbors left."""

import heapq

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: every one is exact."""
    return 0


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
    """Core number of every vertex."""
    neighbors = neighbors_of(matrix)
    core = np.full(len(neighbors), -1, np.int32)
    heap = [(len(mine), v) for v, mine in enumerate(neighbors)]
    heapq.heapify(heap)
    highest = 0
    while heap:
        degree, v = heapq.heappop(heap)
        if core[v] >= 0 or degree != len(neighbors[v]):
            continue
        highest = max(highest, degree)
        core[v] = highest
        for u in neighbors[v]:
            neighbors[u].discard(v)
            heapq.heappush(heap, (len(neighbors[u]), u))
        neighbors[v] = set()
    return core
