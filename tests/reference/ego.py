# SPDX-License-Identifier: Apache-2.0
"""Members of an ego graph, by a set of vertices that grows by its neighbors."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: there is one."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [
        {},
        {"root": num_vertices - 1, "radius": 2, "center": False},
        {"root": num_vertices // 2, "radius": 3, "any_direction": True},
        {"root": num_vertices // 2, "radius": 0},
        {"radius": 2**31 - 1, "any_direction": True, "center": False},
    ]


def answer(matrix, root=0, radius=1, center=True, any_direction=False):
    """Return the members in ascending order."""
    neighbors = [set() for _ in range(matrix.shape[0])]
    starts = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    for source, target in zip(starts, matrix.indices.tolist()):
        neighbors[source].add(target)
        if any_direction:
            neighbors[target].add(source)
    members = {root}
    for _ in range(min(radius, matrix.shape[0])):
        members = members.union(*(neighbors[v] for v in members))
    return np.array(sorted(members if center else members - {root}), np.uint32)
