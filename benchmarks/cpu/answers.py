# SPDX-License-Identifier: Apache-2.0
"""Whether an answer is right: SciPy's, computed once per graph, against all that a peer returns or says of its own.

What a peer tells is an array with a number per vertex, or a `Told` where a program only prints a summary.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple, Union

import numpy as np

DAMPING, STEPS, TOL = 0.85, 10, 1e-6  # PageRank: kernel time is of STEPS super-steps, a whole call runs to TOL


class Told(NamedTuple):
    """What a program printed of its answer; what it did not print is None."""

    levels: list[int] | None = None  # vertices per level, from the root on
    reached: int | None = None
    components: int | None = None
    ranks: Mapping[int, float] | None = None  # of some vertices
    verified: bool | None = None  # by its own verifier


class Parents(NamedTuple):
    """A tree of a search: -1, or the vertex itself, where there is none."""

    of: Any


UNCHECKED = "NOT CHECKED, does not count: it tells nothing"
Answer = Union[Told, Parents, Any]


class Different(Exception):
    """An answer is not the expected one."""


def depths(parents: Any, root: int) -> Any:
    """Hops from `root` along a tree of predecessors; -1 outside the tree."""
    parents = np.array(parents, np.int64)
    n = len(parents)
    parents[(parents < 0) | (parents >= n)] = np.flatnonzero((parents < 0) | (parents >= n))
    parents[root] = root
    hops, ancestor = (parents != np.arange(n)).astype(np.int64), parents
    while True:  # pointer doubling: after k rounds an ancestor is 2**k hops away, or the end of the chain
        further = ancestor[ancestor]
        if np.array_equal(further, ancestor):
            break
        hops, ancestor = hops + hops[ancestor], further
    return np.where(ancestor == root, hops, -1)


def pagerank(matrix: Any, steps: int | None, spread_dangling: bool) -> Any:
    """Ranks after so many steps, or (None) when the L1 change is at most TOL; float64."""
    n, degree = matrix.shape[0], np.diff(matrix.indptr)
    pull = type(matrix)((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape).T
    rank, step = np.full(n, 1 / n), 0
    while True:
        lost = rank[degree == 0].sum() if spread_dangling else 0
        before, rank = rank, (1 - DAMPING + DAMPING * lost) / n + DAMPING * (pull @ (rank / np.maximum(degree, 1)))
        step += 1
        if step == steps or (steps is None and np.abs(rank - before).sum() <= TOL):
            return rank


@functools.lru_cache(maxsize=2)
def expected(case: Any, algorithm: str, root: int, converged: bool) -> Any:
    """SciPy's answer; PageRank's with the rank of isolated vertices spread, and lost, as some peers do."""
    from scipy.sparse import csgraph

    if algorithm == "bfs":
        lengths = csgraph.dijkstra(case.matrix(np.float64), indices=root, unweighted=True)
    elif algorithm == "sssp":
        lengths = csgraph.dijkstra(case.matrix(np.float64), indices=root)
    elif algorithm == "wcc":
        return smallest(csgraph.connected_components(case.matrix(np.float64), directed=False)[1])
    elif algorithm == "pagerank":
        if converged:
            spread = pagerank(case.matrix(), None, True)
            dangling = DAMPING * spread[np.diff(case.indptr) == 0].sum()
            return [spread, spread * (1 - DAMPING) / (1 - DAMPING + dangling)]  # the limits differ by a factor alone
        return [pagerank(case.matrix(), STEPS, spread) for spread in (True, False)]
    else:
        dtype = np.float32 if algorithm == "spmv32" else np.float64
        return case.matrix(np.float64) @ case.vector(dtype).astype(np.float64)
    return np.where(np.isinf(lengths), -1, lengths).astype(np.int64)


def smallest(labels: Any) -> Any:
    """Name components by their smallest vertex, whatever names they had."""
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    return first[which]


def check(algorithm: str, wanted: Any, found: Answer, root: int) -> str:
    """Say how `found` was held against `wanted`; Different if it is another answer."""
    if isinstance(found, Told):
        return _check_told(algorithm, wanted, found)
    if isinstance(found, Parents):
        found = depths(found.of, root)
    found = np.asarray(found)
    if found.shape != (len(wanted[0]) if algorithm == "pagerank" else len(wanted),):
        raise Different(f"an array of shape {found.shape}")
    if algorithm in ("bfs", "sssp"):
        if found.dtype.kind == "f":
            found = np.where(np.isfinite(found) & (found < 1e15), found, -1)
        wrong = np.flatnonzero(found != wanted)
        if len(wrong):
            v = wrong[0]
            raise Different(f"{len(wrong)} vertices differ, the first is {v}: {found[v]} instead of {wanted[v]}")
        return "every vertex equal"
    if algorithm == "wcc":
        if not np.array_equal(smallest(found), wanted):
            raise Different(f"{len(np.unique(found))} components instead of {len(np.unique(wanted))}, or others")
        return "every vertex equal"
    if algorithm == "pagerank":
        errors = [np.abs(found - rank).sum() for rank in wanted]
        if min(errors) > 1e-3:
            raise Different(f"L1 differences of {errors[0]:.1e}, and {errors[1]:.1e} without dangling ranks")
        return f"L1 difference {min(errors):.0e}"
    error = np.abs(found - wanted).max() / np.abs(wanted).max()
    if error > (1e-4 if algorithm == "spmv32" else 1e-10):
        raise Different(f"a difference of {error:.1e} of the greatest value")
    return f"within {error:.0e} of the greatest value"


def _check_told(algorithm: str, wanted: Any, told: Told) -> str:
    held = []
    if told.levels is not None:
        levels = np.bincount(wanted[wanted >= 0]).tolist()
        if told.levels != levels:
            raise Different(f"levels of {told.levels[:20]} vertices instead of {levels[:20]}")
        held.append("level sizes equal")
    if told.reached is not None:
        if told.reached != (reached := int((wanted >= 0).sum())):
            raise Different(f"{told.reached} vertices reached instead of {reached}")
        held.append("as many vertices reached")
    if told.components is not None:
        if told.components != (count := len(np.unique(wanted))):
            raise Different(f"{told.components} components instead of {count}")
        held.append("as many components")
    if told.ranks is not None:
        error = min(max(abs(rank / wanted[i][v] - 1) for v, rank in told.ranks.items()) for i in (0, 1))
        if error > 1e-3:
            raise Different(f"ranks that differ by {error:.1e}")
        held.append(f"the ranks it shows within {error:.0e}")
    if told.verified is not None:
        if not told.verified:
            raise Different("its own verifier fails")
        held.append("its own verifier passes")
    return ", ".join(held) or UNCHECKED
