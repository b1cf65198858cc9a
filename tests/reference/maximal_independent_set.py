# SPDX-License-Identifier: Apache-2.0
"""A maximal independent set by visiting the vertices one after the other, in the order of their random numbers."""

import numpy as np

STEP = 0x9E3779B97F4A7C15
ORDER = 6  # the purpose of these random numbers, gaspipe::detail::RandomStream::kOrder


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: the order leaves one set."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}, {"seed": 7}]


def neighbors_of(matrix):
    """Return the set of every vertex's neighbors, in either direction, without itself."""
    neighbors = [set() for _ in range(matrix.shape[0])]
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    for source, target in zip(sources, matrix.indices.tolist()):
        if source != target:
            neighbors[source].add(target)
            neighbors[target].add(source)
    return neighbors


def _mix(x):
    """Numbers of 64 bits, mixed as in SplitMix64."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def answer(matrix, seed=0):
    """Whether each vertex is in the set."""
    neighbors = neighbors_of(matrix)
    start = _mix((_mix(seed) + ORDER) % 2**64)
    order = sorted(range(len(neighbors)), key=lambda v: _mix((start + (v + 1) * STEP) % 2**64))
    member = np.zeros(len(neighbors), bool)
    for v in order:
        member[v] = not any(member[u] for u in neighbors[v])
    return member
