# SPDX-License-Identifier: Apache-2.0
"""Vertices within k hops, by sets of vertices that grow by their neighbors."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: there is one."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    some = [num_vertices - 1, num_vertices // 2, num_vertices - 1]
    return [
        {},
        {"sources": some},
        {"sources": some, "k": 5, "any_direction": True},
        {"sources": [0], "k": 2**31 - 1},
        {"sources": some, "k": 0},
        {"sources": []},
    ]


def answer(matrix, sources=None, k=2, any_direction=False):
    """Return the members in ascending order."""
    neighbors = [set() for _ in range(matrix.shape[0])]
    starts = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    for source, target in zip(starts, matrix.indices.tolist()):
        neighbors[source].add(target)
        if any_direction:
            neighbors[target].add(source)
    members = set(range(matrix.shape[0]) if sources is None else np.asarray(sources).tolist())
    for _ in range(min(k, matrix.shape[0])):
        members = members.union(*(neighbors[v] for v in members))
    return np.array(sorted(members), np.uint32)
