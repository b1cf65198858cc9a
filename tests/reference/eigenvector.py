# SPDX-License-Identifier: Apache-2.0
"""Eigenvector centrality by sending every vertex's share along its edges."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: sums in another order."""
    return 1e-11


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    start = np.arange(num_vertices) % 3 + (num_vertices == 1)  # some have nothing
    return [{}, {"tol": 0, "max_iter": 9, "nstart": start.astype(float)}, {"tol": 1e-12, "max_iter": 500}]


def answer(matrix, max_iter=100, tol=1e-6, nstart=None, weights=False):
    """Unit vector after the steps; each adds to what a vertex has what arrives over the edges."""
    n = matrix.shape[0]
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr))
    weight = matrix.data.astype(float) if weights else np.ones(matrix.nnz)
    share = np.ones(n) if nstart is None else np.array(nstart, float)  # up to a factor
    unit = share / share.sum()
    for _ in range(max_iter):
        arrived = share.copy()
        np.add.at(arrived, matrix.indices, share[sources] * weight)
        share = arrived / arrived.max()
        before, unit = unit, share / np.linalg.norm(share)
        if tol > 0 and np.abs(unit - before).sum() < n * tol:
            break
    return unit
