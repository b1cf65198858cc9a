# SPDX-License-Identifier: Apache-2.0
"""Whether a search found the levels that SciPy finds, and a tree of shortest paths."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra


def hops(matrix, root):
    """Levels by SciPy."""
    pattern = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
    found = dijkstra(pattern, indices=root, unweighted=True)
    return np.where(np.isfinite(found), found, -1).astype(np.int32)


def check_tree(matrix, root, depth, parent):
    """Every parent is the source of an edge from the level before."""
    reached = np.flatnonzero(depth >= 0)
    assert (parent[depth < 0] == -1).all()
    assert parent[root] == root
    found = reached[reached != root]
    assert (depth[parent[found]] + 1 == depth[found]).all()
    edges = {*zip(*(ends.tolist() for ends in sp.coo_array(matrix).coords))}
    assert edges.issuperset(zip(parent[found].tolist(), found.tolist()))
