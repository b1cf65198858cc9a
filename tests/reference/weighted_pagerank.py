# SPDX-License-Identifier: Apache-2.0
"""PageRank by power iteration in float64, along edges in proportion to their weights."""

import numpy as np


def refuses(matrix):
    """Whether some weights are no shares of a probability: below 0, infinite or NaN."""
    return not (np.isfinite(matrix.data) & (matrix.data >= 0)).all()


def tolerance(number, matrix, tol=1e-6, **parameters):
    """Largest L1 distance of an answer in a number format; the ranks sum to 1."""
    if number == "fixed":
        return 1e-4
    # A sum over the edges into one vertex, or the weights out of one, may lose a rounding per edge.
    longest = max(np.bincount(matrix.indices, minlength=1).max(), np.diff(matrix.indptr).max())
    rounding = {"float32": 2.0**-24, "float64": 2.0**-53}[number] * (longest + 100)
    # An answer may end a step earlier or later than this one does, which moves it by up to tol.
    return rounding + 2 * tol


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    # Some vertices get nothing, and the sum is not 1.
    personalization = np.arange(num_vertices) % 3 + (num_vertices == 1)
    return [
        {},
        {"tol": 0, "max_iter": 13, "damping": 0.6},
        {"tol": 0, "max_iter": 20, "personalization": personalization.astype(float)},
    ]


def answer(matrix, damping=0.85, tol=1e-6, max_iter=100, personalization=None):
    """Rank of every vertex. Where no weight leaves, it goes where the teleport goes. Without weights all weigh 1."""
    n = matrix.shape[0]
    weight = np.ones(matrix.nnz) if matrix.data.dtype == bool else matrix.data.astype(float)
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr))
    leaving = np.bincount(sources, weights=weight, minlength=n)
    dangling = leaving == 0
    probability = weight / np.where(dangling, 1, leaving)[sources]
    teleport = np.full(n, 1 / n) if personalization is None else personalization / np.sum(personalization)
    rank = np.full(n, 1 / n)
    for _ in range(max_iter):
        arriving = np.bincount(matrix.indices, weights=rank[sources] * probability, minlength=n)
        before, rank = rank, (1 - damping + damping * rank[dangling].sum()) * teleport + damping * arriving
        if tol > 0 and np.abs(rank - before).sum() <= tol:
            break
    return rank
