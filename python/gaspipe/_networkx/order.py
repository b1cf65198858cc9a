# SPDX-License-Identifier: Apache-2.0
"""The order in which NetworkX's searches meet vertices, and by which edge, from distances that gaspipe found.

NetworkX's dicts and paths show that order: neighbors as they were added, queues first in, first out. Distances say
which edges can be on a shortest path; the order among these follows one level, or one distance, after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


class Search(NamedTuple):
    """The vertices that were reached, in order, and by vertex the one before it, -1 of the root."""

    order: Ids
    parent: Ids


def edges_of(offsets: NDArray[np.int64], vertices: Ids) -> tuple[Ids, Ids]:
    """Return the places of the edges of some rows, one row after the other, and the source of each."""
    counts = offsets[vertices + 1] - offsets[vertices]
    before = np.cumsum(counts) - counts
    places = np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(offsets[vertices] - before, counts)
    return places, np.repeat(vertices, counts)


def by_hops(offsets: NDArray[np.int64], targets: NDArray[np.uint32], depth: NDArray[np.int32], root: int) -> Search:
    """Order a breadth-first search with the depths of all vertices, -1 where unreached."""
    n = len(depth)
    parent = np.full(n, -1, np.int64)
    first = np.empty(n, np.int64)
    layers = [np.array([root], np.int64)]
    for level in range(1, int(depth.max()) + 1):
        places, sources = edges_of(offsets, layers[-1])
        found = targets[places].astype(np.int64)
        ahead = depth[found] == level
        found, sources = found[ahead], sources[ahead]
        index = np.arange(len(found))
        first[found[::-1]] = index[::-1]  # of several edges to a vertex the first is written last
        is_first = first[found] == index
        parent[found[is_first]] = sources[is_first]
        layers.append(found[is_first])
    return Search(np.concatenate(layers), parent)


def by_weight(
    offsets: NDArray[np.int64],
    targets: NDArray[np.uint32],
    weights: NDArray[np.generic],
    distance: NDArray[np.generic],
    reached: NDArray[np.bool_],
    root: int,
) -> Search:
    """Order Dijkstra's search with the distances of all vertices, as a heap does that keeps ties in order."""
    n = len(distance)
    sources = np.repeat(np.arange(n, dtype=np.int64), np.diff(offsets))
    ends = targets.astype(np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        tight = reached[sources] & (distance[sources] + weights == distance[ends]) & (ends != root)  # type: ignore[operator]
    places = np.flatnonzero(tight)
    places = places[np.argsort(ends[places], kind="stable")]
    starts = np.searchsorted(ends[places], np.arange(n + 1))
    vertices = np.flatnonzero(reached)
    vertices = vertices[np.argsort(distance[vertices], kind="stable")]
    bounds = np.flatnonzero(np.diff(distance[vertices])) + 1
    groups = np.concatenate([[0], bounds, [len(vertices)]])
    rank = np.full(n, n, np.int64)  # place in the order; n: not yet
    parent = np.full(n, -1, np.int64)
    order = vertices.copy()
    rank[order] = np.arange(len(order))
    for start, stop in zip(groups[:-1].tolist(), groups[1:].tolist()):
        tied = vertices[start:stop]
        if stop - start == 1 and tied[0] != root:
            into = places[starts[tied[0]] : starts[tied[0] + 1]]
            before = sources[into]
            before = before[before != tied[0]]  # a loop of weight 0
            parent[tied[0]] = before[np.argmin(rank[before])]
        elif stop - start > 1:
            order[start:stop] = _tied(tied, places, starts, sources, ends, rank, parent, start, root)
            rank[order[start:stop]] = np.arange(start, stop)
    return Search(order, parent)


def _tied(
    tied: Ids,
    places: Ids,
    starts: Ids,
    sources: Ids,
    ends: Ids,
    rank: Ids,
    parent: Ids,
    start: int,
    root: int,
) -> Ids:
    """Order vertices of one distance: by the edges that pushed them, then along edges of weight 0 among them."""
    at, to = edges_of(starts, tied)
    into = places[at]
    before = sources[into]
    earlier = rank[before] < start
    by = np.lexsort((into[earlier], rank[before[earlier]]))
    found, sources_of = to[earlier][by], before[earlier][by]
    unique, first = np.unique(found, return_index=True)
    parent[unique] = sources_of[first]
    queue = found[np.sort(first)]
    if len(queue) == len(tied):
        return queue
    # Edges of weight 0 lead to the others: first in, first out, in the order of the edges.
    inside: dict[int, list[int]] = {}
    for place in np.sort(into[~earlier]).tolist():
        inside.setdefault(int(sources[place]), []).append(int(ends[place]))
    met = [root] if root in tied else queue.tolist()
    seen = set(met)
    for vertex in met:
        for end in inside.get(vertex, ()):
            if end not in seen:
                seen.add(end)
                parent[end] = vertex
                met.append(end)
    return np.array(met, np.int64)


def paths(search: Search, nodes: list[object], ids: Ids) -> dict[object, list[object]]:
    """Return {node: path from the root} for some vertices that include all that their paths pass, in order."""
    found: dict[object, list[object]] = {}
    parents = search.parent[ids].tolist()
    for vertex, parent in zip(ids.tolist(), parents):
        node = nodes[vertex]
        found[node] = [node] if parent < 0 else [*found[nodes[parent]], node]
    return found
