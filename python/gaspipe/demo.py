# SPDX-License-Identifier: Apache-2.0
"""`gaspipe demo`: three algorithms on the roads of New York City, against another implementation, in one table.

The other implementation is SciPy where it is installed, else textbook Python over NumPy arrays.
"""

from __future__ import annotations

import time
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

import gaspipe as gp
from gaspipe._verify import Matrix, reference

ROOT = 0
DAMPING = 0.85
STEPS = 50
REPEATS = 5


def run(echo: Callable[[str], object]) -> bool:
    """Print the table through `echo`; return whether every answer agrees."""
    start = time.perf_counter()
    graph = gp.roads_ny()
    echo(
        f"Roads of New York City: {graph.num_vertices:,} crossings, {graph.num_edges:,} directed roads "
        f"(read in {time.perf_counter() - start:.2f} s)"
    )
    peer = _peer(graph)
    echo(f"Checked against {peer.name}; times are the best of {REPEATS} calls, the peer's of one\n")
    head = f"{'algorithm':<10} {'answer':<34} {'super-steps':>11} {'gaspipe ms':>11} {'peer ms':>9}  check"
    echo(head)
    echo("-" * len(head))
    reached = "{:,} crossings, at most {:,} hops"
    # Algorithm, ours, the peer's, tolerance in L1, what to tell of the answer.
    rows: list[tuple[str, Callable[[], gp.Result], Callable[[], NDArray[Any]], float, Callable[[Any], str]]] = [
        ("bfs", lambda: gp.bfs(graph, ROOT), peer.bfs, 0,
         lambda d: reached.format(int((d >= 0).sum()), int(d.max()))),
        ("sssp", lambda: gp.sssp(graph, ROOT), peer.sssp, 0,
         lambda d: f"farthest crossing at {int(d.max()):,}"),
        ("pagerank", lambda: gp.pagerank(graph, damping=DAMPING, tol=0, max_iter=STEPS), peer.pagerank, 1e-9,
         lambda r: f"highest rank {r.max():.3g}, crossing {int(r.argmax())}"),
    ]  # fmt: skip
    all_agree = True
    for name, ours, theirs, tolerance, describe in rows:
        result, seconds = _timed(ours, REPEATS)
        expected, peer_seconds = _timed(theirs, 1)
        worst = float(np.abs(result.values - expected).sum())
        agrees = worst <= tolerance
        all_agree &= agrees
        verdict = ("equal" if tolerance == 0 else f"L1 {worst:.0e}") if agrees else f"DIFFERS by {worst:.3g}"
        steps = result.stats.num_supersteps
        echo(
            f"{name:<10} {describe(result.values):<34} {steps:>11} {1e3 * seconds:>11.2f} "
            f"{1e3 * peer_seconds:>9.1f}  {verdict}"
        )
    echo("\nAll answers agree." if all_agree else "\nSome answers differ: please report this.")
    return all_agree


def _timed(call: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        answer = call()
        best = min(best, time.perf_counter() - start)
    return answer, best


class _Python:
    """The plain implementations of gaspipe/reference, which share nothing with the engine but the edges."""

    name = "textbook Python (install SciPy for a faster peer)"

    def __init__(self, graph: gp.Graph) -> None:
        self.matrix: Any = Matrix(graph)

    def bfs(self) -> NDArray[Any]:
        return np.asarray(reference("bfs").answer(self.matrix, root=ROOT))

    def sssp(self) -> NDArray[Any]:
        return np.asarray(reference("sssp").answer(self.matrix, root=ROOT))

    def pagerank(self) -> NDArray[Any]:
        return np.asarray(reference("pagerank").answer(self.matrix, damping=DAMPING, tol=0, max_iter=STEPS))


class _SciPy(_Python):
    """SciPy's sparse matrices and graph routines."""

    def __init__(self, graph: gp.Graph) -> None:
        import scipy
        import scipy.sparse

        self.name = f"SciPy {scipy.__version__}"
        self.matrix = graph.to_scipy()
        self.n = graph.num_vertices

    def bfs(self) -> NDArray[Any]:
        from scipy.sparse.csgraph import breadth_first_order

        order, parent = breadth_first_order(self.matrix, ROOT)
        depth = np.full(self.n, -1)
        depth[ROOT] = 0
        order_list, parents = order[1:].tolist(), parent.tolist()
        for v in order_list:
            depth[v] = depth[parents[v]] + 1
        return depth

    def sssp(self) -> NDArray[Any]:
        from scipy.sparse.csgraph import dijkstra

        distance = dijkstra(self.matrix, indices=ROOT)
        return np.where(np.isinf(distance), -1, distance).astype(np.int64)

    def pagerank(self) -> NDArray[Any]:
        import scipy.sparse

        m = self.matrix
        arriving = scipy.sparse.csr_array((np.ones(m.nnz), m.indices, m.indptr), shape=m.shape).T.tocsr()
        degree = np.diff(m.indptr)
        dangling = degree == 0
        rank = np.full(self.n, 1 / self.n)
        for _ in range(STEPS):
            share = np.divide(rank, degree, where=~dangling, out=np.zeros(self.n))
            rank = (1 - DAMPING + DAMPING * rank[dangling].sum()) / self.n + DAMPING * (arriving @ share)
        return rank


def _peer(graph: gp.Graph) -> _Python:
    try:
        return _SciPy(graph)
    except ImportError:
        return _Python(graph)
