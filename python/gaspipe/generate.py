# SPDX-License-Identifier: Apache-2.0
"""Graphs from a recipe. The same arguments give the same graph, on any machine and any number of threads."""

from __future__ import annotations

import operator
from typing import Any

from . import _core
from ._call import thread_count
from .graph import Graph

__all__ = ["kronecker", "uniform"]


def kronecker(
    scale: int = 18,
    edge_factor: int = 16,
    seed: int = 1,
    *,
    symmetric: bool = True,
    weights: tuple[int, int] | None = None,
    num_threads: int | None = None,
) -> Graph:
    """Kronecker graph with the parameters of Graph500 (A=0.57, B=0.19, C=0.19), vertex labels permuted.

    Parameters
    ----------
    scale : int
        2**scale vertices; 0 to 31.
    edge_factor : int
        edge_factor * 2**scale edges are drawn.
    seed : int
        0 <= seed < 2**64.
    symmetric : bool, default True
        True: edges in both directions, without repetition and self-loops, rows sorted (as GAPBS and Graph500 use it).
        False: the directed edges as drawn.
    weights : (low, high), optional
        Uniform int32 weights, low <= w <= high; of a symmetric graph the same in both directions.
    num_threads : int, optional
        Threads to use.

    References
    ----------
    Graph500 benchmark specification, https://graph500.org.

    """
    return Graph._made(
        _core.kronecker(
            _integer("scale", scale, -(2**31), 2**31 - 1),
            _integer("edge_factor", edge_factor, -(2**31), 2**31 - 1),
            _integer("seed", seed, 0, 2**64 - 1),
            bool(symmetric),
            _range(weights),
            thread_count(num_threads),
        )
    )


def uniform(
    num_vertices: int,
    num_edges: int,
    seed: int = 1,
    *,
    symmetric: bool = False,
    weights: tuple[int, int] | None = None,
    num_threads: int | None = None,
) -> Graph:
    """Graph of `num_edges` edges with both ends drawn uniformly (Erdos-Renyi with repetition).

    Parameters
    ----------
    num_vertices : int
        At least 1.
    num_edges : int
        Edges drawn.
    seed : int
        0 <= seed < 2**64.
    symmetric : bool, default False
        As in `kronecker`.
    weights : (low, high), optional
        As in `kronecker`.
    num_threads : int, optional
        Threads to use.

    """
    return Graph._made(
        _core.uniform(
            _integer("num_vertices", num_vertices, 0, 2**64 - 1),
            _integer("num_edges", num_edges, 0, 2**64 - 1),
            _integer("seed", seed, 0, 2**64 - 1),
            bool(symmetric),
            _range(weights),
            thread_count(num_threads),
        )
    )


def _integer(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise _core.InputError(f"{name} is {value!r}; an integer is needed") from None
    if isinstance(value, bool) or not low <= number <= high:
        raise _core.InputError(f"{name} is {value!r}; an integer from {low} to {high} is needed")
    return number


def _range(weights: Any) -> tuple[int, int] | None:
    if weights is None:
        return None
    try:
        low, high = weights
    except (TypeError, ValueError):
        raise _core.InputError(f"weights is {weights!r}; a pair (low, high) is needed") from None
    return _integer("weights[0]", low, -(2**31), 2**31 - 1), _integer("weights[1]", high, -(2**31), 2**31 - 1)
