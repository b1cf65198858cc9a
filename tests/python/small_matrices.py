# SPDX-License-Identifier: Apache-2.0
"""A small matrix in every format of SciPy's, and the edges of a graph to compare it with."""

import numpy as np
import scipy.sparse as sp


def edges_of(graph):
    """(source, destination, weight) of every edge, in storage order; weight None without weights."""
    sources = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr.astype(np.int64)))
    weights = [None] * graph.num_edges if graph.weights is None else graph.weights.tolist()
    return list(zip(sources.tolist(), graph.indices.tolist(), weights))


def small_dense(dtype=np.int32):
    dense = np.zeros((6, 6), dtype)
    for i, (row, column) in enumerate([(0, 1), (0, 5), (2, 2), (3, 0), (3, 4), (5, 3)]):
        dense[row, column] = i + 1
    return dense


def sparse(form, kind, dtype=np.int32):
    return getattr(sp, f"{form}_{kind}")(small_dense(dtype))
