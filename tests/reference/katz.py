# SPDX-License-Identifier: Apache-2.0
"""Katz centrality as a sum over the lengths of walks."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: sums in another order."""
    return 1e-11


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices, with which the sum is finite on those of the zoo."""
    # No power of alpha times a few walks is n * tol: rounding would decide which length is the last.
    return [{"alpha": 0.0011}, {"alpha": 0.03, "beta": -2.5, "tol": 0, "max_iter": 12, "normalized": False}]


def answer(matrix, alpha=0.1, beta=1.0, max_iter=1000, tol=1e-6, normalized=True, weights=False):
    """Sum over the walks that end at every vertex, of alpha ** their length * beta, up to a length."""
    n = matrix.shape[0]
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr))
    weight = matrix.data.astype(float) if weights else np.ones(matrix.nnz)
    total, of_this_length = np.zeros(n), np.full(n, float(beta))
    for _ in range(max_iter):
        total += of_this_length
        if tol > 0 and np.abs(of_this_length).sum() < n * tol:
            break
        of_this_length = alpha * np.bincount(matrix.indices, weights=of_this_length[sources] * weight, minlength=n)
    largest = np.abs(total).max(initial=0)
    if not normalized or largest == 0:
        return total
    scaled = total / largest  # the square of a sum that grows may be more than any double
    return scaled / np.linalg.norm(scaled)
