# SPDX-License-Identifier: Apache-2.0
"""Graphs in files, for tests of ranks, and their answers by SciPy and NetworkX."""

import gzip

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp

N = 90


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    """A folder with files, and the matrices that they hold."""
    folder = tmp_path_factory.mktemp("graphs")
    rng = np.random.default_rng(5)
    integers = sp.random_array(
        (N, N), density=0.06, rng=rng, data_sampler=lambda size: rng.integers(1, 50, size)
    ).tocsr()
    integers = sp.csr_array(integers.astype(np.int64))
    integers.sort_indices()
    floats = integers.copy().astype(np.float64)
    floats.data = rng.random(floats.nnz) + 0.25
    rows, columns = np.repeat(np.arange(N), np.diff(integers.indptr)), integers.indices
    lines = [f"{i} {j} {w}\n" for i, j, w in zip(rows, columns, integers.data)]
    (folder / "int.txt").write_text(
        "# comment\n\n" + "".join(lines[:40]) + "% more\n" + "".join(lines[40:]).rstrip("\n")
    )
    (folder / "float.csv").write_text(
        "".join(f"{i},{j},{w!r}\r\n" for i, j, w in zip(rows, columns, floats.data.tolist()))
    )
    plain = [f"{i} {j}\n" for i, j in zip(rows, columns)]
    (folder / "plain.txt").write_text(f"# with a header\n{N + 3} {len(plain)}\n" + "".join(plain))
    with gzip.open(folder / "packed.txt.gz", "wt") as file:
        file.writelines(plain)
    (folder / "bad.txt").write_text("".join(plain) + "7 seven\n" + "".join(plain))
    gp.Graph(integers).save(folder / "saved.gaspipe")
    sp.save_npz(folder / "matrix.npz", integers)
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"source": rows, "target": columns, "weight": integers.data})
    parquet.write_table(table, folder / "rows.parquet", row_group_size=100)
    np.save(folder / "x.npy", rng.random(N))
    return folder, integers, floats


def hops(matrix, root):
    found = csgraph.shortest_path(matrix, unweighted=True, indices=root, method="D")
    return np.where(np.isinf(found), -1, found)


def distances(matrix, root):
    return csgraph.dijkstra(matrix, indices=root)


def as_distances(values):
    """Integers have -1 where there is no path."""
    return np.where(values < 0, np.inf, values)


def ranks_of(matrix, weight):
    graph = nx.from_scipy_sparse_array(matrix, create_using=nx.DiGraph)
    found = nx.pagerank(graph, alpha=0.85, tol=1e-13, max_iter=1000, weight="weight" if weight else None)
    return np.array([found[v] for v in range(matrix.shape[0])])


def components(matrix):
    """The smallest vertex of everyone's component."""
    _, found = csgraph.connected_components(matrix, directed=False)
    return np.array([np.flatnonzero(found == c)[0] for c in range(found.max() + 1)])[found]
