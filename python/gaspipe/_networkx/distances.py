# SPDX-License-Identifier: Apache-2.0
"""Distances of all pairs, summed up: eccentricities, means, closeness, betweenness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from .. import _algorithms
from .._vertices import index
from . import components
from .dispatch import answers
from .graph import GaspipeGraph
from .nodes import chosen

_MOST_DEPTHS = 1 << 24  # at a time: 64 MiB


def _rows(G: GaspipeGraph, vertices: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Yield some of the vertices, and the depths of all from each of these."""
    step = max(64, _MOST_DEPTHS // len(G) // 64 * 64)
    for start in range(0, len(vertices), step):
        some = vertices[start : start + step]
        yield some, _algorithms.multi_source(G.plain, index(some)).depth


def needs_hops(a: Mapping[str, Any]) -> str | None:
    """Refuse weights, and eccentricities or distances that are given."""
    given = [name for name in ("weight", "e", "sp") if a.get(name) is not None]
    return f"{given[0]}= is given; gaspipe counts edges, from the graph itself" if given else None


def _eccentricities(G: GaspipeGraph, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.zeros(len(vertices), np.int64)
    start = 0
    for some, depth in _rows(G, vertices):
        if (depth < 0).any():
            kind = "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
            raise nx.NetworkXError(f"Found infinite path length because the {kind}")
        found[start : start + len(some)] = depth.max(axis=1)
        start += len(some)
    return found


@answers(needs_hops)
def eccentricity(G: GaspipeGraph, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    ids = chosen(G, v)
    found = dict(zip((G.node_list[i] for i in ids.tolist()), _eccentricities(G, ids).tolist()))
    return found[v] if v in G else found


def _all(G: GaspipeGraph) -> NDArray[np.int64]:
    return _eccentricities(G, np.arange(len(G)))


@answers(needs_hops)
def diameter(G: GaspipeGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> int:
    if G.is_directed():
        return int(_all(G).max())
    if not components.is_one(G):
        message = "Cannot compute metric because graph is not connected."
        raise nx.NetworkXError(
            message if usebounds is True else "Found infinite path length because the graph is not connected"
        )
    return int(_algorithms.diameter(G.plain).lower)


def _has_bounds(a: Mapping[str, Any]) -> str | None:
    return needs_hops(a) or ("usebounds=True is another method of NetworkX" if a["usebounds"] else None)


@answers(_has_bounds)
def radius(G: GaspipeGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> int:
    return int(_all(G).min())


@answers(_has_bounds)
def periphery(G: GaspipeGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Any]:
    found = _all(G)
    return [G.node_list[v] for v in np.flatnonzero(found == found.max()).tolist()]


def _has_method(a: Mapping[str, Any]) -> str | None:
    if a["method"] not in (None, "unweighted"):
        return f"method={a['method']!r}; gaspipe counts edges"
    return needs_hops(a)


@answers(_has_method)
def average_shortest_path_length(G: GaspipeGraph, weight: Any = None, method: Any = None) -> float:
    n = len(G)
    if n == 1:
        return 0
    if G.is_directed() and len(np.unique(components.strong(G))) > 1:
        raise nx.NetworkXError("Graph is not strongly connected.")
    if not G.is_directed() and not components.is_one(G):
        raise nx.NetworkXError("Graph is not connected.")
    total = sum(int(depth.sum(dtype=np.int64)) for _, depth in _rows(G, np.arange(n)))
    return total / (n * (n - 1))


@answers(lambda a: None if a["distance"] is None else "distance= is given; gaspipe's closeness counts edges")
def closeness_centrality(G: GaspipeGraph, u: Any = None, distance: Any = None, wf_improved: bool = True) -> Any:
    if u is not None:
        vertex = G.id_of(u, "Source {} is not in G")
        found = _algorithms.closeness(G.plain, index([vertex]), wf_improved=bool(wf_improved)).closeness
        return float(found[vertex])
    return G.by_node(_algorithms.closeness(G.plain, wf_improved=bool(wf_improved)).closeness)


def _is_sampled(a: Mapping[str, Any]) -> str | None:
    if a["k"] is not None and a["k"] != len(a["G"]):
        return "k= takes nodes at random, and how NetworkX scales them depends on its version"
    if a["weight"] is not None:
        return "weight= is given; gaspipe's betweenness counts edges"
    return "endpoints=True is not computed by gaspipe" if a["endpoints"] else None


@answers(_is_sampled)
def betweenness_centrality(
    G: GaspipeGraph,
    k: Any = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    if len(G) < 3:
        return dict.fromkeys(G, 0.0)
    found = _algorithms.betweenness(G.plain, normalized=bool(normalized)).betweenness
    if not normalized and not G.is_directed():
        found = found / 2  # pairs without order
    return G.by_node(found)
