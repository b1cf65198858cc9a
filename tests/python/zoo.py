# SPDX-License-Identifier: Apache-2.0
"""Graphs that have broken graph code before, each small enough for plain Python to solve.

`ZOO` names the builders; each returns a SciPy csr_array whose entries are the edges, parallel ones and zeros kept. The
matrix of a graph without weights has dtype bool.
"""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

LDBC = Path(__file__).parents[1] / "data" / "ldbc"
ZOO = {}
LARGE = set()  # these take seconds under partitions of a few vertices
SEED = 20240611


def matrix_of(num_vertices, sources, destinations, weights=None):
    """Rows from edges, nothing summed: SciPy's own conversion would join parallel edges."""
    sources = np.asarray(sources, np.int64)
    order = np.argsort(sources, kind="stable")
    indptr = np.zeros(num_vertices + 1, np.int32)
    np.cumsum(np.bincount(sources, minlength=num_vertices), out=indptr[1:])
    data = np.ones(len(sources), bool) if weights is None else np.asarray(weights)[order]
    indices = np.asarray(destinations, np.int32)[order]
    return sp.csr_array((data, indices, indptr), shape=(num_vertices, num_vertices))


def in_zoo(builder=None, *, large=False):
    def enter(build):
        ZOO[build.__name__] = build
        if large:
            LARGE.add(build.__name__)
        return build

    return enter if builder is None else enter(builder)


def with_random_weights(matrix, dtype, low, high):
    rng = np.random.default_rng(SEED)
    size = matrix.nnz
    drawn = rng.uniform(low, high, size) if np.dtype(dtype).kind == "f" else rng.integers(low, high, size)
    return sp.csr_array((drawn.astype(dtype), matrix.indices, matrix.indptr), shape=matrix.shape)


@in_zoo
def single_vertex():
    return matrix_of(1, [], [])


@in_zoo
def single_vertex_with_loop():
    return matrix_of(1, [0], [0], np.array([3], np.int32))


@in_zoo
def two_isolated_vertices():
    return matrix_of(2, [], [], np.zeros(0))


@in_zoo
def two_vertices_one_edge():
    return matrix_of(2, [1], [0])


@in_zoo
def path():
    return matrix_of(40, range(39), range(1, 40))


@in_zoo
def path_against_the_ids():
    return matrix_of(40, range(1, 40), range(39), np.arange(39, dtype=np.int32) % 5)


@in_zoo
def long_chain():
    return matrix_of(500, range(499), range(1, 500), np.full(499, 2, np.int64))


@in_zoo
def cycle():
    return matrix_of(33, range(33), (np.arange(33) + 1) % 33, np.arange(33, dtype=np.float32))


@in_zoo
def star_out():
    return matrix_of(100, np.zeros(99), range(1, 100))


@in_zoo
def star_in():
    """Every edge meets the one before it at the hub: the RAW solver's work."""
    return matrix_of(100, range(1, 100), np.zeros(99), np.arange(99, dtype=np.int32))


@in_zoo
def bundle_of_parallel_edges():
    """Many edges from few sources to few destinations, in runs and interleaved."""
    sources = np.repeat([0, 1, 2], 70)
    destinations = np.concatenate([np.full(70, 3), np.tile([3, 4], 35), np.arange(70) % 6])
    return matrix_of(6, sources, destinations, (np.arange(210) * 37 % 11).astype(np.int32))


@in_zoo
def complete():
    sources, destinations = np.nonzero(~np.eye(24, dtype=bool))
    return with_random_weights(matrix_of(24, sources, destinations), np.int32, 1, 100)


@in_zoo
def grid():
    ids = np.arange(15 * 17).reshape(15, 17)
    right, down = (ids[:, :-1].ravel(), ids[:, 1:].ravel()), (ids[:-1].ravel(), ids[1:].ravel())
    sources = np.concatenate([right[0], right[1], down[0], down[1]])
    destinations = np.concatenate([right[1], right[0], down[1], down[0]])
    return with_random_weights(matrix_of(ids.size, sources, destinations), np.float64, 0, 10)


@in_zoo
def binary_tree():
    children = np.arange(1, 255)
    return matrix_of(255, (children - 1) // 2, children)


@in_zoo
def disconnected():
    """Three cycles of different length and a few vertices alone."""
    starts, sizes = [0, 20, 50], [20, 25, 33]
    sources = np.concatenate([first + np.arange(size) for first, size in zip(starts, sizes)])
    destinations = np.concatenate([first + (np.arange(size) + 1) % size for first, size in zip(starts, sizes)])
    return matrix_of(90, sources, destinations, np.ones(len(sources), np.float32) / 3)


@in_zoo
def self_loops():
    sources = np.concatenate([np.arange(20), np.arange(19), np.arange(20)])
    destinations = np.concatenate([np.arange(20), np.arange(1, 20), np.arange(20)])
    return matrix_of(20, sources, destinations, np.arange(59, dtype=np.int32))


@in_zoo
def explicit_zero_weights():
    weights = np.zeros(60, np.int32)
    weights[::7] = 5
    rng = np.random.default_rng(SEED)
    return matrix_of(20, rng.integers(0, 20, 60), rng.integers(0, 20, 60), weights)


@in_zoo
def zero_weights_only():
    return matrix_of(12, range(11), range(1, 12), np.zeros(11))


@in_zoo
def infinite_weights():
    return matrix_of(5, [0, 0, 1, 2, 3], [1, 2, 3, 3, 4], [1.0, np.inf, np.inf, 2.0, 3.0])


@in_zoo
def dangling_heavy():
    """Nine vertices in ten have no out-edges."""
    rng = np.random.default_rng(SEED)
    return matrix_of(300, rng.integers(0, 30, 600), rng.integers(0, 300, 600))


@in_zoo
def no_edges():
    return matrix_of(200, [], [])


@in_zoo
def weights_of_64_bits():
    rng = np.random.default_rng(SEED)
    return matrix_of(50, rng.integers(0, 50, 300), rng.integers(0, 50, 300), rng.integers(0, 2**52, 300))


@in_zoo
def unsorted_rows():
    return matrix_of(30, np.repeat(range(10), 12), np.arange(120)[::-1] * 7 % 30, np.arange(120, dtype=np.float64))


@in_zoo
def kronecker():
    """R-MAT by hand, so that it owes nothing to gaspipe.generate."""
    rng, scale, num_edges = np.random.default_rng(SEED), 9, 4096
    sources = destinations = np.zeros(num_edges, np.int64)
    for _ in range(scale):
        quadrant = rng.choice(4, num_edges, p=[0.57, 0.19, 0.19, 0.05])
        sources, destinations = sources * 2 + quadrant // 2, destinations * 2 + quadrant % 2
    order = rng.permutation(2**scale)
    return with_random_weights(matrix_of(2**scale, order[sources], order[destinations]), np.int32, 0, 256)


@in_zoo
def uniform():
    rng = np.random.default_rng(SEED)
    return with_random_weights(
        matrix_of(700, rng.integers(0, 700, 3000), rng.integers(0, 700, 3000)), np.float32, 0.001, 1
    )


@in_zoo
def ldbc_directed():
    edges = np.loadtxt(LDBC / "example-directed.e")
    return matrix_of(10, edges[:, 0].astype(int) - 1, edges[:, 1].astype(int) - 1, edges[:, 2])


@in_zoo
def ldbc_undirected():
    edges = np.loadtxt(LDBC / "example-undirected.e")
    one, other = edges[:, 0].astype(int) - 2, edges[:, 1].astype(int) - 2
    return matrix_of(9, np.concatenate([one, other]), np.concatenate([other, one]), np.tile(edges[:, 2], 2))


@in_zoo(large=True)
def two_cpu_partitions():
    """More vertices than a default partition has, and frontiers large enough to be pushed by all threads."""
    rng, n = np.random.default_rng(SEED), 70_000
    matrix = matrix_of(n, rng.integers(0, n, 200_000), rng.integers(0, n, 200_000))
    return with_random_weights(matrix, np.int32, 1, 1000)


@in_zoo(large=True)
def hub_among_many():
    """One vertex that all others reach in one hop and leave in one."""
    n, hub = 80_000, 70_000
    others = np.delete(np.arange(n), hub)
    hubs = np.full(n - 1, hub)
    return matrix_of(n, np.concatenate([others, hubs]), np.concatenate([hubs, others]))
