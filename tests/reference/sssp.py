# SPDX-License-Identifier: Apache-2.0
"""Shortest paths: Dijkstra's algorithm with a binary heap, in Python's own numbers (integers of any size, doubles)."""

import heapq

import numpy as np

MARKS_UNREACHED = True  # -1 in integers, inf in floats


def tolerance(number, matrix, **parameters):
    """Largest distance of an answer in a number format, relative to the sum of all lengths; integers are exact."""
    return {"float32": 1e-6, "float64": 1e-14}.get(number, 0)


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{"root": root} for root in sorted({0, num_vertices // 2, num_vertices - 1})]


def answer(matrix, root=0):
    """Lengths from `root`; where unreached -1 for integer weights (or none: a bool matrix), inf for floats."""
    is_float = matrix.data.dtype.kind == "f"
    indptr, indices = matrix.indptr.tolist(), matrix.indices.tolist()
    weights = (matrix.data if is_float else matrix.data.astype(np.int64)).tolist()
    distance = [None] * matrix.shape[0]
    heap = [(0, root)]
    while heap:
        length, v = heapq.heappop(heap)
        if distance[v] is not None:
            continue
        distance[v] = length
        for e in range(indptr[v], indptr[v + 1]):
            if distance[indices[e]] is None:
                heapq.heappush(heap, (length + weights[e], indices[e]))
    unreached = float("inf") if is_float else -1
    return np.array([unreached if d is None else d for d in distance], np.float64 if is_float else np.int64)
