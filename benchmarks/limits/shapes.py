# SPDX-License-Identifier: Apache-2.0
"""The longest path and the largest star, against closed forms."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Callable

import numpy as np

from limits.line import Line, same

LENGTH = int(os.environ.get("GASPIPE_LENGTH", 10**7))  # vertices of the path and the star


def pagerank_of(degree: Any, gather: Callable[[Any], Any], steps: int) -> Any:
    """PageRank where all vertices have edges; `gather` adds up what comes in."""
    n = len(degree)
    rank = np.full(n, 1 / n)
    for _ in range(steps):
        rank = 0.15 / n + 0.85 * gather(rank / degree)
    return rank


def path(gp: Any) -> Iterator[Line]:
    """10^7 vertices in a row: as many super-steps, or as deep a recursion, as there can be."""
    n = LENGTH
    ids, g = np.arange(n), gp.generate.grid(1, n, weights=(1, 10))
    weights = g.weights[1::2]  # of the edges v -> v + 1
    degree = np.full(n, 2)
    degree[[0, -1]] = 1

    def beside(x: Any) -> Any:
        total = np.zeros(n)
        total[1:] += x[:-1]
        total[:-1] += x[1:]
        return total

    colors = (ids + 1) % 2
    colors[0], colors[-1] = 1, 1 - colors[-2]
    forward = gp.generate.chain(n, symmetric=False)
    yield Line("bfs", lambda: gp.bfs(g, 0).depth, same(ids))
    yield Line("sssp", lambda: gp.sssp(g, 0).distance, same(np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])))
    yield Line(
        "pagerank, 10 steps",
        lambda: gp.pagerank(g, tol=0, max_iter=10).rank,
        same(pagerank_of(degree, beside, 10), 1e-9),
    )
    yield Line("wcc", lambda: gp.wcc(g).component, same(0))
    yield Line("wcc, directed", lambda: gp.wcc(forward).component, same(0))
    yield Line("scc", lambda: gp.scc(g).component, same(0))
    yield Line("scc, directed", lambda: gp.scc(forward).component, same(ids))
    yield Line("core_numbers", lambda: gp.core_numbers(g).core, same(1))
    yield Line("k_truss", lambda: gp.k_truss(g, k=2).edges.shape, same([n - 1, 2]))
    yield Line("coloring", lambda: gp.coloring(g).color, same(colors))
    yield Line(
        "maximal_independent_set",
        lambda: gp.maximal_independent_set(g).member,
        lambda got: not (got[1:] & got[:-1]).any() and bool((beside(got * 1.0) + got > 0).all()),
    )
    yield Line(
        "minimum_spanning_forest", lambda: gp.minimum_spanning_forest(g).total_weight, same(weights.sum(dtype=np.int64))
    )
    yield Line("triangles", lambda: gp.triangles(g).triangles, same(0))
    yield Line(
        "betweenness, one source",
        lambda: gp.betweenness(g, sources=[0], normalized=False).betweenness[1:],
        lambda got: same((n - 1 - ids[1:]) * got[0] / (n - 2), 1e-6)(got) and got[0] > 0,
    )
    yield Line("multi_source", lambda: gp.multi_source(g, [0, n - 1]).depth, same(np.stack([ids, ids[::-1]])))
    yield Line("diameter", lambda: gp.diameter(g).lower, same(n - 1))
    yield Line("closeness, one vertex", lambda: gp.closeness(g, vertices=[0]).closeness[0], same(2 / n, 1e-9))
    yield Line(
        "label_propagation, 10 steps",
        lambda: gp.label_propagation(g, max_iter=10).label,
        lambda got: bool((np.abs(got - ids) <= 10).all()),
    )
    yield Line("louvain", lambda: gp.louvain(g).modularity, lambda got: 0.99 < got < 1)


def star(gp: Any) -> Iterator[Line]:
    """One vertex with all edges: 10^7 neighbors; then 2^27 edges between two vertices."""
    n = LENGTH
    g, degree = gp.generate.star(n), np.ones(n)
    degree[0] = n - 1

    def gather(x: Any) -> Any:
        total = np.full(n, x[0])
        total[0] = x[1:].sum()
        return total

    others = np.arange(n) > 0
    yield Line("bfs from a leaf", lambda: gp.bfs(g, 1).depth[[0, 1, 2, n - 1]], same([1, 0, 2, 2]))
    yield Line(
        "pagerank, 10 steps",
        lambda: gp.pagerank(g, tol=0, max_iter=10).rank,
        same(pagerank_of(degree, gather, 10), 1e-9),
    )
    yield Line("wcc", lambda: gp.wcc(g).component, same(0))
    yield Line("scc", lambda: gp.scc(g).component, same(0))
    yield Line("core_numbers", lambda: gp.core_numbers(g).core, same(1))
    yield Line("k_truss", lambda: gp.k_truss(g, k=2).edges.shape, same([n - 1, 2]))
    yield Line("coloring", lambda: gp.coloring(g).color, same(others))
    yield Line("triangles", lambda: gp.triangles(g).triangles, same(0))
    yield Line("clustering", lambda: gp.clustering(g).coefficient, same(0))
    yield Line(
        "betweenness, one source",
        lambda: gp.betweenness(g, sources=[1], normalized=False).betweenness,
        lambda got: got[0] > 0 and not got[1:].any(),
    )
    yield Line("diameter", lambda: gp.diameter(g).lower, same(2))
    yield Line("jaccard of two leaves", lambda: gp.jaccard(g, np.array([[1, n - 1]])).coefficient, same(1))
    yield Line("label_propagation, 10 steps", lambda: gp.label_propagation(g, max_iter=10).label.shape, same(n))
    many = gp.Graph((np.zeros(1 << 27, np.int32), np.ones(1 << 27, np.int32)))
    yield Line("bfs, 2^27 parallel edges", lambda: gp.bfs(many, 0).depth, same([0, 1]))
    yield Line("spmv, 2^27 parallel edges", lambda: gp.spmv(many, np.array([0.0, 1.0])).product, same([1 << 27, 0]))
    yield Line("wcc, 2^27 parallel edges", lambda: gp.wcc(many).component, same(0))
    yield Line("scc, 2^27 parallel edges", lambda: gp.scc(many).component, same([0, 1]))
    yield Line("core_numbers, 2^27 parallel edges", lambda: gp.core_numbers(many).core, same(1))
