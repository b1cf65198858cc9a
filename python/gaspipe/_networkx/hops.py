# SPDX-License-Identifier: Apache-2.0
"""Searches that count edges: breadth-first search and what NetworkX makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from .. import _algorithms
from .._vertices import index
from . import order
from .dispatch import answers
from .graph import GaspipeGraph


def depths(G: GaspipeGraph, root: int, *, backwards: bool = False) -> NDArray[np.int32]:
    """Depth of every vertex from one, -1 where unreached."""
    found: NDArray[np.int32] = _algorithms.bfs(G.transposed if backwards else G.plain, index(root)).depth
    return found


def within(depth: NDArray[np.int32], cutoff: float | None) -> NDArray[np.int32]:
    """Leave out what NetworkX's searches do: a level is taken while the one before is below the cutoff."""
    if cutoff is None:
        return depth
    return np.where((depth == 0) | (depth < cutoff + 1), depth, np.int32(-1))


def searched(G: GaspipeGraph, root: int, cutoff: float | None = None) -> tuple[order.Search, NDArray[np.int32]]:
    """Return a breadth-first search in NetworkX's order, and the depths."""
    depth = within(depths(G, root), cutoff)
    return order.by_hops(G.offsets, G.targets, depth, root), depth


def is_backwards(arguments: Mapping[str, Any]) -> str | None:
    """Refuse the order of a search against the edges of a directed graph."""
    against = arguments.get("reverse", True) and arguments["G"].is_directed()
    return (
        "the order of in-edges is not converted, so a search against the edges has another order" if against else None
    )


def has_no_sort(arguments: Mapping[str, Any]) -> str | None:
    """Refuse an order of neighbors that a function makes."""
    return None if arguments["sort_neighbors"] is None else "sort_neighbors= is a Python function"


def _edges(G: GaspipeGraph, source: Any, limit: float | None) -> Iterator[tuple[Any, Any]]:
    hash(source)  # TypeError if unhashable, as in NetworkX
    kind = "digraph" if G.is_directed() else "graph"
    root = G.id_of(source, f"The node {{}} is not in the {kind}.", nx.NetworkXError)
    depth = depths(G, root)
    if limit is not None:
        depth = within(depth, limit)
    search = order.by_hops(G.offsets, G.targets, depth, root)
    nodes, reached = G.node_list, search.order[1:]
    return ((nodes[u], nodes[v]) for u, v in zip(search.parent[reached].tolist(), reached.tolist()))


@answers(lambda a: has_no_sort(a) or is_backwards(a))
def bfs_edges(
    G: GaspipeGraph, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    yield from _edges(G, source, depth_limit)


@answers(lambda a: has_no_sort(a) or is_backwards(a))
def bfs_tree(
    G: GaspipeGraph, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: Any = None
) -> Any:
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_edges(G, source, depth_limit))
    return tree


@answers(has_no_sort)
def bfs_predecessors(
    G: GaspipeGraph, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    for parent, child in _edges(G, source, depth_limit):
        yield child, parent


@answers(has_no_sort)
def bfs_successors(
    G: GaspipeGraph, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, list[Any]]]:
    parent = source
    children: list[Any] = []
    for before, child in _edges(G, source, depth_limit):
        if before != parent:
            yield parent, children
            parent, children = before, []
        children.append(child)
    yield parent, children


@answers(lambda a: None if a["sources"] in a["G"] else "sources= are several nodes, in the order of a set")
def bfs_layers(G: GaspipeGraph, sources: Any) -> Iterator[list[Any]]:
    search, depth = searched(G, G.ids[sources])
    nodes = [G.node_list[v] for v in search.order.tolist()]
    ends = np.cumsum(np.bincount(depth[search.order])).tolist()
    for start, end in zip([0, *ends], ends):
        yield nodes[start:end]


@answers()
def descendants_at_distance(G: GaspipeGraph, source: Any, distance: Any) -> set[Any]:
    root = G.id_of(source, "The node {} is not in the graph.", nx.NetworkXError)
    return {G.node_list[v] for v in np.flatnonzero(depths(G, root) == distance).tolist()} if distance >= 0 else set()


def _others(G: GaspipeGraph, source: Any, backwards: bool) -> set[Any]:
    hash(source)  # TypeError if unhashable, as in NetworkX
    kind = "digraph" if G.is_directed() else "graph"
    root = G.id_of(source, f"The node {{}} is not in the {kind}.", nx.NetworkXError)
    return {G.node_list[v] for v in np.flatnonzero(depths(G, root, backwards=backwards) > 0).tolist()}


@answers()
def descendants(G: GaspipeGraph, source: Any) -> set[Any]:
    return _others(G, source, backwards=False)


@answers()
def ancestors(G: GaspipeGraph, source: Any) -> set[Any]:
    return _others(G, source, backwards=True)


def lengths(G: GaspipeGraph, root: int, cutoff: float | None = None) -> dict[Any, int]:
    """Return {node: depth} of those that were reached, in NetworkX's order."""
    search, depth = searched(G, root, cutoff)
    return dict(zip(map(G.node_list.__getitem__, search.order.tolist()), depth[search.order].tolist()))


def all_paths(G: GaspipeGraph, root: int, cutoff: float | None = None) -> dict[Any, list[Any]]:
    """Return {node: path from the root} in NetworkX's order."""
    search, _ = searched(G, root, cutoff)
    return order.paths(search, G.node_list, search.order)


@answers()
def single_source_shortest_path_length(G: GaspipeGraph, source: Any, cutoff: Any = None) -> dict[Any, int]:
    return lengths(G, G.id_of(source, "Source {} is not in G"), cutoff)


def _is_iterator(arguments: Mapping[str, Any]) -> str | None:
    version = tuple(map(int, nx.__version__.split(".")[:2]))
    return "NetworkX before 3.5 returns an iterator" if version < (3, 5) else is_backwards(arguments)


@answers(_is_iterator)
def single_target_shortest_path_length(G: GaspipeGraph, target: Any, cutoff: Any = None) -> dict[Any, int]:
    return lengths(G, G.id_of(target, "Target {} is not in G"), cutoff)


@answers()
def single_source_shortest_path(G: GaspipeGraph, source: Any, cutoff: Any = None) -> dict[Any, list[Any]]:
    return all_paths(G, G.id_of(source, "Source {} not in G"), cutoff)


@answers(is_backwards)
def single_target_shortest_path(G: GaspipeGraph, target: Any, cutoff: Any = None) -> dict[Any, list[Any]]:
    found = all_paths(G, G.id_of(target, "Target {} not in G"), cutoff)
    return {node: path[::-1] for node, path in found.items()}


def hops_between(G: GaspipeGraph, source: Any, target: Any) -> int:
    """Return the depth of one node from another; NetworkXNoPath where there is none."""
    root, end = G.id_of(source, "Source {} is not in G"), G.id_of(target, "Target {} is not in G")
    depth = int(depths(G, root)[end])
    if depth < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return depth


@answers()
def has_path(G: GaspipeGraph, source: Any, target: Any) -> bool:
    try:
        hops_between(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True
