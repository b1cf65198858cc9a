# SPDX-License-Identifier: Apache-2.0
"""Components: connected, weakly and strongly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .. import _algorithms
from .dispatch import answers
from .graph import GaspipeGraph


def weak(G: GaspipeGraph) -> NDArray[np.int64]:
    """Component of every vertex, whatever the directions."""
    component: NDArray[np.int64] = _algorithms.wcc(G.plain).component
    return component


def strong(G: GaspipeGraph) -> NDArray[np.int64]:
    """Strongly connected component of every vertex."""
    component: NDArray[np.int64] = _algorithms.scc(G.plain).component
    return component


def _numbered(component: NDArray[np.int64]) -> NDArray[np.int64]:
    """Components by number, in the order of their first vertices."""
    _, first, group = np.unique(component, return_index=True, return_inverse=True)
    by_first = np.argsort(first)
    place = np.empty_like(by_first)
    place[by_first] = np.arange(len(by_first))
    numbers: NDArray[np.int64] = place[group.reshape(-1)]
    return numbers


def groups(
    G: GaspipeGraph, component: NDArray[np.int64], order: Callable[[NDArray[np.int64]], Iterable[int]] | None = None
) -> Iterator[set[Any]]:
    """Yield the sets of nodes with the same component: in the order of their first nodes, or of `order(numbers)`."""
    group = _numbered(component)
    vertices = np.argsort(group, kind="stable").tolist()
    ends = np.cumsum(np.bincount(group)).tolist()
    starts = [0, *ends]
    for number in range(len(ends)) if order is None else order(group):
        yield {G.node_list[v] for v in vertices[starts[number] : ends[number]]}


def _as_left(G: GaspipeGraph, group: NDArray[np.int64]) -> Iterator[int]:
    """Yield strongly connected components as a depth-first search leaves them: after all that they have edges to."""
    sources = np.repeat(group, np.diff(G.offsets))
    ends = group[G.targets]
    is_across = sources != ends
    sources, ends = sources[is_across], ends[is_across]
    by_source = np.argsort(sources, kind="stable")
    targets = ends[by_source].tolist()
    count = int(group.max()) + 1
    at = np.searchsorted(sources[by_source], np.arange(count + 1)).tolist()
    ahead, stop = at[:-1], at[1:]
    is_met = [False] * count
    for start in range(count):
        path = [] if is_met[start] else [start]
        is_met[start] = True
        while path:
            number = path[-1]
            while ahead[number] < stop[number] and is_met[targets[ahead[number]]]:
                ahead[number] += 1
            if ahead[number] == stop[number]:
                yield path.pop()
            else:
                is_met[targets[ahead[number]]] = True
                path.append(targets[ahead[number]])


def _count(component: NDArray[np.int64]) -> int:
    return len(np.unique(component))


@answers()
def connected_components(G: GaspipeGraph) -> Iterator[set[Any]]:
    yield from groups(G, weak(G))


@answers()
def number_connected_components(G: GaspipeGraph) -> int:
    return _count(weak(G))


@answers()
def is_connected(G: GaspipeGraph) -> bool:
    return is_one(G)


def is_one(G: GaspipeGraph) -> bool:
    """Whether all vertices are in one component."""
    return _count(weak(G)) == 1


@answers()
def node_connected_component(G: GaspipeGraph, n: Any) -> set[Any]:
    component = weak(G)
    return {G.node_list[v] for v in np.flatnonzero(component == component[G.ids[n]]).tolist()}


@answers()
def weakly_connected_components(G: GaspipeGraph) -> Iterator[set[Any]]:
    yield from groups(G, weak(G))


@answers()
def number_weakly_connected_components(G: GaspipeGraph) -> int:
    return _count(weak(G))


@answers()
def is_weakly_connected(G: GaspipeGraph) -> bool:
    return is_one(G)


@answers()
def strongly_connected_components(G: GaspipeGraph) -> Iterator[set[Any]]:
    yield from groups(G, strong(G), lambda group: _as_left(G, group))


@answers()
def number_strongly_connected_components(G: GaspipeGraph) -> int:
    return _count(strong(G))


@answers()
def is_strongly_connected(G: GaspipeGraph) -> bool:
    return _count(strong(G)) == 1
