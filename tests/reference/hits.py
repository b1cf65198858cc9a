# SPDX-License-Identifier: Apache-2.0
"""Hubs by sending shares along the edges, and back."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: sums in another order."""
    return 1e-11


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices; some of the zoo have weights that are infinite."""
    return [{"weights": False}, {"weights": False, "tol": 0, "max_iter": 9}]


def answer(matrix, max_iter=100, tol=1e-8, weights=True):
    """Share of every vertex as a hub after the steps; 0 where no edge has a weight."""
    n = matrix.shape[0]
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr))
    weight = matrix.data.astype(float) if weights else np.ones(matrix.nnz)
    if not weight.any():
        return np.zeros(n)
    hub = np.ones(n)  # up to a factor
    for _ in range(max_iter):
        authority, returned = np.zeros(n), np.zeros(n)
        np.add.at(authority, matrix.indices, hub[sources] * weight)
        np.add.at(returned, sources, (authority / authority.max())[matrix.indices] * weight)
        change = np.abs(returned / returned.sum() - hub / hub.sum()).sum()
        hub = returned / returned.max()
        if tol > 0 and change < tol:
            break
    return hub / hub.sum()
