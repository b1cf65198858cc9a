# SPDX-License-Identifier: Apache-2.0
"""What neighborhoods are like: triangles, clustering, cores, shared neighbors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from .. import _algorithms
from .dispatch import answers
from .graph import GaspipeGraph
from .nodes import chosen


def _is_directed(a: Mapping[str, Any]) -> str | None:
    return "the graph is directed; gaspipe's algorithm ignores directions" if a["G"].is_directed() else None


def _is_not_simple(a: Mapping[str, Any]) -> str | None:
    if a.get("weight") is not None:
        return "weight= is given; gaspipe counts triangles without weights"
    return _is_directed(a) or ("NetworkX refuses multigraphs" if a["G"].is_multigraph() else None)


def _triangles(G: GaspipeGraph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Triangles at every vertex, and degrees without self-loops."""
    loops = np.bincount(G.targets[G.is_loop], minlength=len(G))
    return _algorithms.triangles(G.plain).triangles.astype(np.int64), np.diff(G.offsets) - loops


def _by_nodes(G: GaspipeGraph, nodes: Any, values: Mapping[int, Any] | list[Any]) -> Any:
    found = {G.node_list[v]: values[v] for v in chosen(G, nodes).tolist()}
    return found[nodes] if nodes is not None and nodes in G else found


@answers(lambda a: _is_directed(a) or ("NetworkX has its own rule for multigraphs" if a["G"].is_multigraph() else None))
def triangles(G: GaspipeGraph, nodes: Any = None) -> Any:
    return _by_nodes(G, nodes, _triangles(G)[0].tolist())


def _coefficients(G: GaspipeGraph) -> list[Any]:
    found, degree = _triangles(G)
    return [0 if t == 0 else 2 * t / (d * (d - 1)) for t, d in zip(found.tolist(), degree.tolist())]


@answers(_is_not_simple)
def clustering(G: GaspipeGraph, nodes: Any = None, weight: Any = None) -> Any:
    return _by_nodes(G, nodes, _coefficients(G))


@answers(_is_not_simple)
def average_clustering(G: GaspipeGraph, nodes: Any = None, weight: Any = None, count_zeros: bool = True) -> float:
    coefficients = _coefficients(G)
    values = [coefficients[v] for v in chosen(G, nodes).tolist()]
    if not count_zeros:
        values = [value for value in values if value > 0]
    return float(sum(values) / len(values))


@answers(_is_not_simple)
def transitivity(G: GaspipeGraph) -> float:
    found, degree = _triangles(G)
    closed = 2 * int(found.sum())
    return 0 if closed == 0 else closed / int((degree * (degree - 1)).sum())


@answers(_is_directed)
def core_number(G: GaspipeGraph) -> dict[Any, int]:
    if G.is_loop.any():
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return G.by_node(_algorithms.core_numbers(G.plain).core)


def _has_strategy(a: Mapping[str, Any]) -> str | None:
    if a["strategy"] != "largest_first" or a["interchange"]:
        return "gaspipe colors by strategy='largest_first' without interchange"
    return _is_not_simple(a)


@answers(_has_strategy)
def greedy_color(G: GaspipeGraph, strategy: Any = "largest_first", interchange: bool = False) -> dict[Any, int]:
    if G.is_loop.any():
        raise NotImplementedError("a self-loop counts in the degree by which NetworkX orders nodes")
    color = _algorithms.coloring(G.plain).color
    order = np.argsort(-np.diff(G.offsets), kind="stable")
    return dict(zip(map(G.node_list.__getitem__, order.tolist()), color[order].tolist()))


@answers(lambda a: "ebunch= is None: all pairs without an edge" if a["ebunch"] is None else None)
def jaccard_coefficient(G: GaspipeGraph, ebunch: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    if G.is_loop.any():
        raise NotImplementedError("NetworkX counts a node with a self-loop among its own neighbors")
    given = [(u, v) for u, v in ebunch]
    pairs = [(G.id_of(u, "Node {} not in G."), G.id_of(v, "Node {} not in G.")) for u, v in given]
    if not pairs:
        return iter(())
    found = _algorithms.jaccard(G.plain, np.array(pairs)).coefficient.tolist()
    some = np.diff(G.offsets)[np.array(pairs)].any(axis=1).tolist()  # where there are no neighbors NetworkX says 0
    return ((u, v, value if has else 0) for (u, v), value, has in zip(given, found, some))
