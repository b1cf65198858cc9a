# SPDX-License-Identifier: Apache-2.0
"""Ranks that steps converge to: PageRank, Katz and eigenvector centrality."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Callable

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from .. import _algorithms
from .._result import NotConvergedWarning, Result
from .dispatch import adds_parallel_edges, answers
from .graph import GaspipeGraph


def _converged(run: Callable[[], Result], max_iter: int) -> Any:
    """Return the result of a run, or raise as NetworkX does where it did not converge."""
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        result = run()
    if not result.stats.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return result


def _vector(G: GaspipeGraph, given: Mapping[Any, Any]) -> NDArray[np.float64]:
    return np.array([given.get(node, 0) for node in G], np.float64)


def _shares(G: GaspipeGraph, given: Mapping[Any, Any]) -> NDArray[np.float64]:
    vector = _vector(G, given)
    if vector.sum() == 0:
        raise ZeroDivisionError
    shares: NDArray[np.float64] = vector / vector.sum()
    return shares


def _is_mapping(a: Mapping[str, Any]) -> str | None:
    for name in ("personalization", "nstart", "dangling"):
        if a[name] is not None and not hasattr(a[name], "get"):
            return f"{name}= is no dict"
    return None


@answers(lambda a: _is_mapping(a) or adds_parallel_edges(a))
def pagerank(
    G: GaspipeGraph,
    alpha: float = 0.85,
    personalization: Any = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Any = None,
    weight: Any = "weight",
    dangling: Any = None,
) -> dict[Any, float]:
    graph, weights = G.with_weights(weight)
    start = None if personalization is None else _shares(G, personalization)
    is_usual = nstart is None and dangling is None and 0 <= alpha <= 1 and tol > 0
    if is_usual and (start is None or (start >= 0).all()) and (weights is None or (weights >= 0).all()):
        result = _converged(
            lambda: _algorithms.pagerank(
                graph,
                damping=float(alpha),
                personalization=start,
                max_iter=int(max_iter),
                tol=float(len(G) * tol),
                weights=weights is not None,
            ),
            max_iter,
        )
        return G.by_node(result.rank)
    return G.by_node(_steps(G, alpha, start, max_iter, tol, nstart, weights, dangling))


def _steps(
    G: GaspipeGraph,
    alpha: float,
    teleport: NDArray[np.float64] | None,
    max_iter: int,
    tol: float,
    nstart: Any,
    weights: NDArray[Any] | None,
    dangling: Any,
) -> NDArray[np.float64]:
    """PageRank by products of a matrix with a vector, for the arguments that gp.pagerank does not take."""
    n = len(G)
    degrees = np.diff(G.offsets)
    sums = degrees.astype(float)
    if weights is not None:
        sources = np.repeat(np.arange(n), degrees)
        sums = np.bincount(sources, weights=weights.astype(float), minlength=n)
    shares = np.divide(1.0, sums, out=np.zeros(n), where=sums != 0)
    carried = np.repeat(shares, degrees) * (1.0 if weights is None else weights)
    matrix = G._made(carried).transpose()
    teleport = np.full(n, 1.0 / n) if teleport is None else teleport
    x = np.full(n, 1.0 / n) if nstart is None else _vector(G, nstart)
    x = np.asarray(x / x.sum(), np.float64)
    spread = teleport if dangling is None else _vector(G, dangling)
    spread = spread / spread.sum() if dangling is not None else spread
    is_dangling = sums == 0
    for _ in range(max_iter):
        last = x
        product = _algorithms.spmv(matrix, x).product
        x = np.asarray(alpha * (product + x[is_dangling].sum() * spread) + (1 - alpha) * teleport)
        if np.abs(x - last).sum() < n * tol:
            return x
    raise nx.PowerIterationFailedConvergence(max_iter)


def _is_plain_katz(a: Mapping[str, Any]) -> str | None:
    if a["nstart"] is not None:
        return "nstart= is given; gaspipe's katz starts from 0"
    if not isinstance(a["beta"], (int, float, np.integer, np.floating)):
        return "beta= is no number; gaspipe's katz takes one for all nodes"
    return None


@answers(_is_plain_katz)
def katz_centrality(
    G: GaspipeGraph,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    nstart: Any = None,
    normalized: bool = True,
    weight: Any = None,
) -> dict[Any, float]:
    graph, weights = G.with_weights(weight)
    result = _converged(
        lambda: _algorithms.katz(
            graph,
            alpha=float(alpha),
            beta=float(beta),
            max_iter=int(max_iter),
            tol=float(tol),
            normalized=bool(normalized),
            weights=weights is not None,
        ),
        max_iter,
    )
    return G.by_node(result.centrality)


@answers()
def eigenvector_centrality(
    G: GaspipeGraph, max_iter: int = 100, tol: float = 1e-6, nstart: Any = None, weight: Any = None
) -> dict[Any, float]:
    graph, weights = G.with_weights(weight)
    start = None
    if nstart is not None:
        if all(value == 0 for value in nstart.values()):
            raise nx.NetworkXError("initial vector cannot have all zero values")
        if list(nstart) != G.node_list:
            raise NotImplementedError("nstart= needs a value for every node, in the order of the graph")
        start = _vector(G, nstart)
    result = _converged(
        lambda: _algorithms.eigenvector(
            graph, max_iter=int(max_iter), tol=float(tol), nstart=start, weights=weights is not None
        ),
        max_iter,
    )
    return G.by_node(result.centrality)
