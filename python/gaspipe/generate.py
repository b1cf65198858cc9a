# SPDX-License-Identifier: Apache-2.0
"""Graphs from a recipe. The same arguments give the same graph, on any machine and any number of threads."""

from __future__ import annotations

import operator
from typing import Any, Callable

from . import _core, _progress
from ._flags import flag
from ._progress import FileProgress
from ._threads import thread_count
from .graph import Graph

__all__ = ["acyclic", "chain", "complete", "grid", "kronecker", "rmat", "star", "uniform"]


def kronecker(
    scale: int = 18,
    edge_factor: int = 16,
    seed: int = 1,
    *,
    symmetric: bool = True,
    weights: tuple[int, int] | None = None,
    num_threads: int | None = None,
    progress: FileProgress = None,
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
    progress : callable or bool, optional
        progress(phase, done, total), ten times a second and when a phase has ended: of "edges", then of "rows", whose
        total is None; True shows a bar (pip install tqdm).

    References
    ----------
    Graph500 benchmark specification, https://graph500.org.

    """
    return _made(
        _core.kronecker,
        _integer("scale", scale, -(2**31), 2**31 - 1),
        _integer("edge_factor", edge_factor, -(2**31), 2**31 - 1),
        _integer("seed", seed, 0, 2**64 - 1),
        flag("symmetric", symmetric),
        _range(weights),
        num_threads=num_threads,
        progress=progress,
    )


def uniform(
    num_vertices: int,
    num_edges: int,
    seed: int = 1,
    *,
    symmetric: bool = False,
    weights: tuple[int, int] | None = None,
    num_threads: int | None = None,
    progress: FileProgress = None,
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
    progress : callable or bool, optional
        As in `kronecker`.

    """
    return _made(
        _core.uniform,
        _integer("num_vertices", num_vertices, 0, 2**64 - 1),
        _integer("num_edges", num_edges, 0, 2**64 - 1),
        _integer("seed", seed, 0, 2**64 - 1),
        flag("symmetric", symmetric),
        _range(weights),
        num_threads=num_threads,
        progress=progress,
    )


def rmat(
    scale: int = 18,
    edge_factor: int = 16,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    seed: int = 1,
    *,
    permute: bool = True,
    symmetric: bool = True,
    weights: tuple[int, int] | None = None,
    num_threads: int | None = None,
    progress: FileProgress = None,
) -> Graph:
    """R-MAT graph: every edge falls into a quadrant of the matrix, then into one of that, and so on. [1]_

    With the default probabilities it is the graph of `kronecker`.

    Parameters
    ----------
    scale, edge_factor, seed
        As in `kronecker`.
    a, b, c : float
        Probabilities of the upper left, upper right and lower left quadrant, 0 to 1; the lower right one has the rest,
        1 - a - b - c.
    permute : bool, default True
        Put the vertices in random order. False: they keep the numbers that the quadrants give them.
    symmetric, weights, num_threads, progress
        As in `kronecker`.

    Raises
    ------
    InputError
        If an argument is out of range.
    CapacityError
        If the edges do not fit this machine's memory.

    References
    ----------
    .. [1] D. Chakrabarti et al., "R-MAT: A Recursive Model for Graph Mining", SDM 2004,
       doi:10.1137/1.9781611972740.43.

    """
    return _made(
        _core.rmat,
        _integer("scale", scale, -(2**31), 2**31 - 1),
        _integer("edge_factor", edge_factor, -(2**31), 2**31 - 1),
        _real("a", a),
        _real("b", b),
        _real("c", c),
        _integer("seed", seed, 0, 2**64 - 1),
        flag("permute", permute),
        flag("symmetric", symmetric),
        _range(weights),
        num_threads=num_threads,
        progress=progress,
    )


def grid(
    rows: int,
    columns: int,
    *,
    symmetric: bool = True,
    weights: tuple[int, int] | None = None,
    seed: int = 1,
    num_threads: int | None = None,
    progress: FileProgress = None,
) -> Graph:
    """Grid of rows * columns vertices, numbered row by row, each joined to those beside, above and below it.

    Parameters
    ----------
    rows, columns : int
        At least 1.
    symmetric : bool, default True
        True: edges in both directions. False: to the right and down, which makes no cycle.
    weights : (low, high), optional
        Uniform int32 weights, low <= w <= high; of a symmetric graph the same in both directions.
    seed : int
        Of the weights; 0 <= seed < 2**64.
    num_threads : int, optional
        Threads to use.
    progress : callable or bool, optional
        As in `kronecker`.

    Raises
    ------
    InputError
        If an argument is out of range.
    CapacityError
        If the graph does not fit this machine's memory.

    """
    return _made(
        _core.grid,
        _integer("rows", rows, 0, 2**64 - 1),
        _integer("columns", columns, 0, 2**64 - 1),
        flag("symmetric", symmetric),
        _range(weights),
        _integer("seed", seed, 0, 2**64 - 1),
        num_threads=num_threads,
        progress=progress,
    )


def star(
    num_vertices: int,
    *,
    symmetric: bool = True,
    weights: tuple[int, int] | None = None,
    seed: int = 1,
    num_threads: int | None = None,
    progress: FileProgress = None,
) -> Graph:
    """Star: vertex 0 is joined to all others.

    Parameters
    ----------
    num_vertices : int
        At least 1.
    symmetric : bool, default True
        True: edges in both directions. False: from vertex 0.
    weights, seed, num_threads, progress
        As in `grid`.

    Raises
    ------
    InputError, CapacityError
        As `grid`.

    """
    return _shape(_core.star, num_vertices, weights, seed, num_threads, progress, flag("symmetric", symmetric))


def chain(
    num_vertices: int,
    *,
    symmetric: bool = True,
    weights: tuple[int, int] | None = None,
    seed: int = 1,
    num_threads: int | None = None,
    progress: FileProgress = None,
) -> Graph:
    """Chain: every vertex is joined to the next.

    Parameters
    ----------
    num_vertices : int
        At least 1.
    symmetric : bool, default True
        True: edges in both directions. False: to the next vertex.
    weights, seed, num_threads, progress
        As in `grid`.

    Raises
    ------
    InputError, CapacityError
        As `grid`.

    """
    return _shape(_core.chain, num_vertices, weights, seed, num_threads, progress, flag("symmetric", symmetric))


def complete(
    num_vertices: int,
    *,
    weights: tuple[int, int] | None = None,
    seed: int = 1,
    num_threads: int | None = None,
    progress: FileProgress = None,
) -> Graph:
    """Complete graph: an edge from every vertex to every other.

    Parameters
    ----------
    num_vertices : int
        At least 1; there are num_vertices * (num_vertices - 1) edges.
    weights, seed, num_threads, progress
        As in `grid`; weights are the same in both directions.

    Raises
    ------
    InputError, CapacityError
        As `grid`.

    """
    return _shape(_core.complete, num_vertices, weights, seed, num_threads, progress)


def acyclic(
    num_vertices: int,
    *,
    weights: tuple[int, int] | None = None,
    seed: int = 1,
    num_threads: int | None = None,
    progress: FileProgress = None,
) -> Graph:
    """Complete graph without cycles: an edge from every vertex to all that follow.

    Parameters
    ----------
    num_vertices : int
        At least 1; there are num_vertices * (num_vertices - 1) / 2 edges.
    weights, seed, num_threads, progress
        As in `grid`.

    Raises
    ------
    InputError, CapacityError
        As `grid`.

    """
    return _shape(_core.acyclic, num_vertices, weights, seed, num_threads, progress)


def _shape(
    make: Callable[..., _core.Graph],
    num_vertices: Any,
    weights: Any,
    seed: Any,
    num_threads: int | None,
    progress: FileProgress,
    *options: bool,
) -> Graph:
    return _made(
        make,
        _integer("num_vertices", num_vertices, 0, 2**64 - 1),
        *options,
        _range(weights),
        _integer("seed", seed, 0, 2**64 - 1),
        num_threads=num_threads,
        progress=progress,
    )


def _made(make: Callable[..., _core.Graph], *arguments: Any, num_threads: int | None, progress: FileProgress) -> Graph:
    threads = thread_count(num_threads)
    with _progress.of_phases(make.__name__, progress) as told:
        return Graph._made(make(*arguments, threads, told))


def _real(name: str, value: Any) -> float:
    if isinstance(value, (bool, str)):
        raise _core.InputError(f"{name} is {value!r}; a number from 0 to 1 is needed")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise _core.InputError(f"{name} is {value!r}; a number from 0 to 1 is needed") from None


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
