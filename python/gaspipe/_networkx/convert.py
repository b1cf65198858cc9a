# SPDX-License-Identifier: Apache-2.0
"""NetworkX's dicts of dicts to compressed rows, and back.

NetworkX keeps what is made here in `G.__networkx_cache__`, and clears that when its methods change the graph.
Views are converted at every call: a change of the graph below a view does not clear the view's cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from .. import _core
from .graph import GaspipeGraph

_EXACT = 1 << 53  # integers up to here are exact as float64

# The methods and properties by which functions of NetworkX read a graph.
_READING = {
    "__iter__", "__len__", "__contains__", "__getitem__", "nodes", "adj", "succ", "pred", "edges", "in_edges",
    "out_edges", "degree", "in_degree", "out_degree", "neighbors", "successors", "predecessors", "adjacency",
    "nbunch_iter", "is_directed", "is_multigraph", "has_node", "has_edge", "has_successor", "has_predecessor",
    "get_edge_data", "number_of_nodes", "order", "number_of_edges", "size",
}  # fmt: skip


def changed_reading(graph: Any) -> str | None:
    """Say why a graph may not be what its dicts hold: its class has methods of its own to read it."""
    kind = type(graph)
    if not isinstance(graph, nx.Graph):
        return f"{kind.__name__} is not derived from NetworkX's Graph; gaspipe reads graphs of NetworkX's classes"
    bases = [base for base in kind.__mro__ if not base.__module__.startswith("networkx.classes.")]
    own = [name for base in bases for name in vars(base) if name in _READING]
    return f"{kind.__name__} defines {own[0]} itself; gaspipe reads graphs of NetworkX's classes" if own else None


def convert_from_nx(
    graph: Any,
    edge_attrs: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> GaspipeGraph:
    """Return the graph with the one edge attribute of `edge_attrs` as weights; attributes of nodes are not read.

    Raises NotImplementedError for what cannot be converted, after which NetworkX goes on with another backend.
    """
    if isinstance(graph, GaspipeGraph):
        return graph
    reason = changed_reading(graph)
    if reason is not None:
        raise NotImplementedError(reason)
    wanted = dict(edge_attrs or {})
    if len(wanted) > 1:
        raise NotImplementedError(
            f"{name or 'the call'} reads the edge attributes {', '.join(wanted)}; one is possible"
        )
    nodes = list(graph)
    adjacency = graph._adj
    if hasattr(graph, "_graph"):  # a view; None keeps NetworkX from caching its conversion
        graph.__networkx_cache__ = None
    if type(adjacency) is not dict or type(graph._node) is not dict:
        # A view filters at every len(), so it is read once. A class's own dicts can order nodes and rows differently.
        adjacency = {node: dict(adjacency[node]) for node in nodes}
    neighbors = adjacency.values()
    offsets = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, neighbors), np.int64, len(nodes)), out=offsets[1:])
    ends: Iterable[Any] = chain.from_iterable(neighbors)
    if not all(type(node) is int and node == v for v, node in enumerate(nodes)):
        ends = map({node: v for v, node in enumerate(nodes)}.__getitem__, ends)
    targets = np.fromiter(ends, np.uint32, int(offsets[-1]))
    attribute, weights = None, None
    if wanted and not graph.is_multigraph():
        [(attribute, default)] = wanted.items()
        weights = _weights(adjacency, attribute, default)
    return GaspipeGraph(
        nodes,
        (offsets, targets),
        weights,
        attribute=attribute,
        directed=graph.is_directed(),
        multigraph=graph.is_multigraph(),
        attributes=dict(graph.graph) if preserve_graph_attrs else {},
    )


def _weights(adjacency: dict[Any, Any], attribute: Any, default: Any) -> NDArray[Any] | None:
    """Return weights edge by edge, int64 or float64, or None where no edge has the attribute and the default is 1."""
    neighbors = adjacency.values()
    data = chain.from_iterable(row.values() for row in neighbors)
    if default == 1 and not any(data):
        return None
    weights = _core.edge_attribute(adjacency, attribute, default) if type(attribute) is str else None
    if weights is None:
        weights = _weights_of_any_kind(neighbors, attribute, default)
    return None if weights.dtype == np.int64 and (weights == 1).all() else weights


def _weights_of_any_kind(neighbors: Any, attribute: Any, default: Any) -> NDArray[Any]:
    given = [edge.get(attribute, default) for row in neighbors for edge in row.values()]
    kinds = set(map(type, given))
    wrong = sorted(kind.__name__ for kind in kinds if not issubclass(kind, (int, float, np.integer, np.floating)))
    if wrong:
        raise NotImplementedError(
            f"edge attribute {attribute!r} has values of type {', '.join(wrong)}; numbers are needed, "
            "so convert them, or name another attribute"
        )
    try:
        integers = all(issubclass(kind, (int, np.integer)) for kind in kinds)
        weights = np.array(given, np.int64 if integers else np.float64)
    except OverflowError:
        raise NotImplementedError(
            f"edge attribute {attribute!r} has an integer that is too large; weights go up to 2**63 - 1"
        ) from None
    if not integers and len(kinds) > 1 and weights.size and np.nanmax(np.abs(weights)) > _EXACT:
        raise NotImplementedError(
            f"edge attribute {attribute!r} mixes integers and floats above 2**53, which float64 does not tell apart"
        )
    return weights


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Return a graph as NetworkX's class, without the attributes that were not converted; other results as they are."""
    if not isinstance(result, GaspipeGraph):
        return result
    kinds: dict[tuple[bool, bool], Any] = {
        (False, False): nx.Graph,
        (True, False): nx.DiGraph,
        (False, True): nx.MultiGraph,
        (True, True): nx.MultiDiGraph,
    }
    graph = kinds[result.is_directed(), result.is_multigraph()](**result.graph)
    graph.add_nodes_from(result)
    sources = np.repeat(np.arange(len(result), dtype=np.int64), np.diff(result.offsets))
    kept = np.ones(len(sources), bool)
    if not result.is_directed():
        kept = sources <= result.targets
    place = result.node_list.__getitem__
    ends = zip(map(place, sources[kept].tolist()), map(place, result.targets[kept].tolist()))
    if result.weights is None:
        graph.add_edges_from(ends)
    else:
        weights = result.weights[kept].tolist()
        graph.add_weighted_edges_from(((u, v, w) for (u, v), w in zip(ends, weights)), weight=result.attribute)
    return graph
