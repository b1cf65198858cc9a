# SPDX-License-Identifier: Apache-2.0
"""ArticleRank by power iteration in float64. Edge weights do not count."""

import numpy as np


def tolerance(number, matrix, tol=1e-6, **parameters):
    """Largest relative L1 distance of an answer in a number format."""
    if number == "fixed":
        return 1e-4
    # A sum over the edges into one vertex may lose a rounding per edge.
    longest = np.bincount(matrix.indices, minlength=1).max()
    rounding = {"float32": 2.0**-24, "float64": 2.0**-53}[number] * (longest + 100)
    # An answer may end a step earlier or later than this one does, which moves it by up to tol.
    return rounding + 2 * tol


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    return [{}, {"tol": 0, "max_iter": 9, "damping": 0.5}]


def answer(matrix, damping=0.85, tol=1e-6, max_iter=100):
    """Rank of every vertex: 1 - damping, and damping times what cites it, shared over out-degree plus its mean."""
    n = matrix.shape[0]
    degree = np.diff(matrix.indptr)
    sources = np.repeat(np.arange(n), degree)
    rank = np.full(n, 1 - damping)
    for _ in range(max_iter):
        arriving = np.zeros(n)
        np.add.at(arriving, matrix.indices, (rank / (degree + degree.mean() if degree.any() else 1))[sources])
        before, rank = rank, 1 - damping + damping * arriving
        if tol > 0 and np.abs(rank - before).sum() <= tol:
            break
    return rank
