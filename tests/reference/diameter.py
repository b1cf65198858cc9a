# SPDX-License-Identifier: Apache-2.0
"""Eccentricity bounds by one search after the other, from the same vertices in the same order."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: the rule by which sources are chosen leaves one."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}, {"max_searches": 1}, {"max_searches": 23}]


def neighbors_of(matrix):
    """Return the set of every vertex's neighbors, in either direction; with itself, if it has a self-loop."""
    neighbors = [set() for _ in range(matrix.shape[0])]
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    for source, target in zip(sources, matrix.indices.tolist()):
        neighbors[source].add(target)
        neighbors[target].add(source)
    return neighbors


def distances(neighbors, source):
    """Return the distance of every vertex that there is a path to."""
    found, front, level = {source: 0}, {source}, 0
    while front:
        level += 1
        front = {u for v in front for u in neighbors[v] if u not in found}
        found.update(dict.fromkeys(front, level))
    return found


def answer(matrix, max_searches=0):
    """Lower bound of every vertex's eccentricity when the bounds of the diameter meet, or after so many searches."""
    neighbors = neighbors_of(matrix)
    n = len(neighbors)
    component, lower, upper = [None] * n, [0] * n, [0] * n
    for start in range(n):
        if component[start] is None:
            members = distances(neighbors, start)
            for v in members:
                component[v], upper[v], lower[v] = start, len(members) - 1, min(1, len(members) - 1)
    done = 0
    while max(lower) < max(upper) and not 0 < max_searches <= done:
        most_lower, most_upper = max(lower), max(upper)
        wanted = component[upper.index(most_upper)]
        matters = [
            v
            for v in range(n)
            if component[v] == wanted and lower[v] < upper[v] and (upper[v] > most_lower or 2 * lower[v] < most_upper)
        ]
        by_lower = sorted(matters, key=lambda v: (lower[v], -len(neighbors[v]), v))
        by_upper = sorted(matters, key=lambda v: (-upper[v], -len(neighbors[v]), v))
        at_once = min(64, max(1, min(done // 8, 2**26 // n)), len(matters))
        if max_searches > 0:
            at_once = min(at_once, max_searches - done)
        sources = []
        for i in range(at_once):
            order = by_upper if (done + i) % 2 else by_lower
            sources.append(next(v for v in order if v not in sources))
        for source in sources:
            found = distances(neighbors, source)
            eccentricity = max(found.values())
            for v, distance in found.items():
                lower[v] = max(lower[v], distance, eccentricity - distance)
                upper[v] = min(upper[v], eccentricity + distance)
        done += at_once
    return np.array(lower, np.int32)
