# SPDX-License-Identifier: Apache-2.0
"""The graph that NetworkX passes to the backend: gp.Graph, the names of its nodes, and which class it was made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..graph import Graph


class GaspipeGraph:
    """A converted NetworkX graph. Vertex i is the i-th node, and neighbors are in NetworkX's order.

    Parallel edges are one, and an undirected edge is in both of its rows.
    """

    __networkx_backend__ = "gaspipe"

    def __init__(
        self,
        nodes: list[Any],
        rows: tuple[NDArray[Any], NDArray[Any]],
        weights: NDArray[Any] | None,
        *,
        attribute: str | None,
        directed: bool,
        multigraph: bool,
        attributes: dict[str, Any],
    ) -> None:
        self.node_list = nodes
        self.offsets, self.targets = rows
        self.weights = weights
        self.attribute = attribute  # that the weights were read from
        self.graph = attributes
        self._directed = directed
        self._multigraph = multigraph
        self._ids: dict[Any, int] | None = None
        self._plain: Graph | None = None
        self._weighted: Graph | None = None
        self._transposed: Graph | None = None
        # As NetworkX does; set to None to keep conversions to NetworkX out of it.
        self.__networkx_cache__: dict[str, Any] | None = {}

    def __repr__(self) -> str:
        kind = ("Multi" if self._multigraph else "") + ("DiGraph" if self._directed else "Graph")
        return f"GaspipeGraph({kind} of {len(self)} nodes, {self.number_of_edges()} edges)"

    def __len__(self) -> int:
        return len(self.node_list)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.node_list)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self.ids
        except TypeError:
            return False

    @property
    def ids(self) -> dict[Any, int]:
        """Vertex id by node."""
        if self._ids is None:
            self._ids = {node: v for v, node in enumerate(self.node_list)}
        return self._ids

    def is_directed(self) -> bool:
        """Whether it was made of a directed graph."""
        return self._directed

    def is_multigraph(self) -> bool:
        """Whether it was made of a multigraph, whose parallel edges are one here."""
        return self._multigraph

    def number_of_nodes(self) -> int:
        """Return the number of nodes."""
        return len(self.node_list)

    def number_of_edges(self) -> int:
        """Return the number of edges, parallel ones counted once."""
        stored = len(self.targets)
        return stored if self._directed else (stored + int(self.is_loop.sum())) // 2

    @property
    def is_loop(self) -> NDArray[np.bool_]:
        """Whether each stored edge is a self-loop."""
        sources = np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))
        loops: NDArray[np.bool_] = sources == self.targets
        return loops

    @property
    def plain(self) -> Graph:
        """The graph without weights."""
        if self._plain is None:
            self._plain = self._made(None)
        return self._plain

    @property
    def transposed(self) -> Graph:
        """The graph without weights and against the directions of its edges."""
        if not self._directed:
            return self.plain
        if self._transposed is None:
            self._transposed = self.plain.transpose()
        return self._transposed

    def with_weights(self, attribute: str | None) -> tuple[Graph, NDArray[Any] | None]:
        """Return the graph with the weights of `attribute`, and these; None where all weigh 1."""
        if attribute is None or self.weights is None or attribute != self.attribute:
            return self.plain, None
        if self._weighted is None:
            self._weighted = self._made(self.weights)
        return self._weighted, self.weights

    def by_node(self, values: NDArray[Any]) -> dict[Any, Any]:
        """Return {node: value}, the values as Python's."""
        return dict(zip(self.node_list, values.tolist()))

    def id_of(self, node: Hashable, message: str, error: type[Exception] = nx.NodeNotFound) -> int:
        """Return the vertex of a node, or raise `error` with the message, in which {} is the node."""
        if node not in self:
            raise error(message.format(node))
        return self.ids[node]

    def _made(self, weights: NDArray[Any] | None) -> Graph:
        from .. import _core, _inputs

        n = len(self)
        given = None if weights is None else _inputs.weights_of(weights)
        return Graph._made(_core.Graph.from_csr(n, n, self.offsets, self.targets, given, False, 0))
