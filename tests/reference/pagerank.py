# SPDX-License-Identifier: Apache-2.0
"""PageRank by power iteration in float64. Edge weights count if asked for; parallel edges do."""

import numpy as np


def tolerance(number, matrix, tol=1e-6, **parameters):
    """Largest L1 distance of an answer in a number format; the ranks sum to 1."""
    if number == "fixed":
        return 1e-4
    # A sum over the edges into one vertex may lose a rounding per edge.
    longest = np.bincount(matrix.indices, minlength=1).max()
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


def answer(matrix, damping=0.85, tol=1e-6, max_iter=100, personalization=None, weights=False):
    """Rank of every vertex. Where no edge leaves, or none that weighs anything, it goes where the teleport goes."""
    n = matrix.shape[0]
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr))
    followed = matrix.data.astype(float) if weights else np.ones(matrix.nnz)
    leaving = np.bincount(sources, weights=followed, minlength=n)
    dangling = leaving == 0
    probability = followed / np.where(dangling, 1, leaving)[sources]
    teleport = np.full(n, 1 / n) if personalization is None else personalization / np.sum(personalization)
    rank = np.full(n, 1 / n)
    for _ in range(max_iter):
        arriving = np.bincount(matrix.indices, weights=rank[sources] * probability, minlength=n)
        before, rank = rank, (1 - damping + damping * rank[dangling].sum()) * teleport + damping * arriving
        if tol > 0 and np.abs(rank - before).sum() <= tol:
            break
    return rank
