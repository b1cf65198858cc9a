# SPDX-License-Identifier: Apache-2.0
"""Searches that add weights, by Dijkstra's order; and the two functions that answer with or without weights."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any, Callable

import networkx as nx
import numpy as np

from .. import _algorithms
from .._vertices import index
from . import hops, order
from .dispatch import answers
from .graph import GaspipeGraph


class _Found:
    """Distances from a root, and the search that found them in NetworkX's order."""

    def __init__(self, G: GaspipeGraph, source: Any, weight: str | None, cutoff: Any = None, message: str = "") -> None:
        hash(source)  # TypeError if unhashable, as in NetworkX
        self.nodes = G.node_list
        root = G.id_of(source, message or "Node {} not found in graph")
        graph, weights = G.with_weights(weight)
        if weights is None:
            depth = hops.depths(G, root)
            distance = depth if cutoff is None else np.where((depth > cutoff) & (depth != 0), np.int32(-1), depth)
            search = functools.partial(order.by_hops, G.offsets, G.targets, distance, root)
        else:
            if not math.isfinite(float(weights.max()) * len(G)):  # NaN too; gaspipe has inf for what is not reached
                raise NotImplementedError("weights are infinite, NaN, or so large that a distance could be infinite")
            number = "float64" if weights.dtype.kind == "f" else "auto"
            distance = _algorithms.sssp(graph, index(root), number=number).distance
            distance = np.where(np.isfinite(distance), distance, -1)
            if cutoff is not None:
                distance = np.where((distance > cutoff) & (np.arange(len(distance)) != root), -1, distance)
            reached = np.asarray(distance >= 0)
            search = functools.partial(order.by_weight, G.offsets, G.targets, weights, distance, reached, root)
        self.distance, self.root = distance, root
        self._search: Callable[[], order.Search] = search
        self._found: order.Search | None = None

    @property
    def search(self) -> order.Search:
        if self._found is None:
            self._found = self._search()
        return self._found

    def lengths(self) -> dict[Any, Any]:
        """Return {node: distance}; the root's is the integer 0, as NetworkX has it."""
        ids = self.search.order
        found = dict(zip(map(self.nodes.__getitem__, ids.tolist()), self.distance[ids].tolist()))
        found[self.nodes[self.root]] = 0
        return found

    def length_to(self, vertex: int) -> Any:
        """Return the distance of one vertex, None where unreached."""
        distance = self.distance[vertex].item()
        return 0 if vertex == self.root else None if distance < 0 else distance

    def paths(self) -> dict[Any, list[Any]]:
        """Return {node: path}."""
        return order.paths(self.search, self.nodes, self.search.order)

    def path_to(self, vertex: int) -> list[Any]:
        """Return the path to one vertex."""
        path = [vertex]
        while path[-1] != self.root:
            path.append(int(self.search.parent[path[-1]]))
        return [self.nodes[v] for v in reversed(path)]


def _to_target(G: GaspipeGraph, source: Any, target: Any, weight: Any, cutoff: Any = None) -> tuple[Any, list[Any]]:
    found = _Found(G, source, weight, cutoff)
    if target == source:
        return 0, [target]
    length = found.length_to(G.ids[target]) if target in G.ids else None
    if length is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return length, found.path_to(G.ids[target])


@answers()
def single_source_dijkstra(
    G: GaspipeGraph, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    if target is not None:
        return _to_target(G, source, target, weight, cutoff)
    found = _Found(G, source, weight, cutoff)
    return found.lengths(), found.paths()


@answers()
def single_source_dijkstra_path(
    G: GaspipeGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, list[Any]]:
    return _Found(G, source, weight, cutoff).paths()


@answers()
def single_source_dijkstra_path_length(
    G: GaspipeGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    return _Found(G, source, weight, cutoff).lengths()


@answers(lambda a: "target= is None" if a["target"] is None else None)
def dijkstra_path(G: GaspipeGraph, source: Any, target: Any, weight: Any = "weight") -> list[Any]:
    return _to_target(G, source, target, weight)[1]


@answers()
def dijkstra_path_length(G: GaspipeGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    G.id_of(source, "Node {} not found in graph")  # NodeNotFound if unhashable too, as in NetworkX
    found = _Found(G, source, weight)
    length = found.length_to(G.ids[target]) if target in G.ids else None
    if length is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return length


def _is_other(a: Mapping[str, Any]) -> str | None:
    if a["method"] != "dijkstra" and (a["weight"] is not None or a["method"] != "bellman-ford"):
        return f"method={a['method']!r}; gaspipe has 'dijkstra'"
    if a["source"] is None and a["target"] is None:
        return "asks for all pairs, which NetworkX answers one source at a time"
    if a["source"] is None and a["G"].is_directed():
        return hops.is_backwards({"G": a["G"]})
    return None


def _is_one_path(a: Mapping[str, Any]) -> str | None:
    if a["source"] is not None and a["target"] is not None:
        return "which of several shortest paths NetworkX returns depends on where two searches meet"
    return _is_other(a)


@answers(_is_one_path)
def shortest_path(
    G: GaspipeGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> dict[Any, list[Any]]:
    start = target if source is None else source
    if weight is None:
        found = hops.all_paths(G, G.id_of(start, "Source {} not in G"))
    else:
        found = _Found(G, start, weight).paths()
    return found if target is None else {node: path[::-1] for node, path in found.items()}


@answers(_is_other)
def shortest_path_length(
    G: GaspipeGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    if source is not None and target is not None:
        return (
            hops.hops_between(G, source, target) if weight is None else dijkstra_path_length(G, source, target, weight)
        )
    start = target if source is None else source
    if weight is None:
        return hops.lengths(G, G.id_of(start, "Source {} is not in G"))
    return _Found(G, start, weight).lengths()
