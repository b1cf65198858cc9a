# SPDX-License-Identifier: Apache-2.0
"""What an engine says of its graph, and of itself: values, sets of vertices, functors and the calls so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _vertices
from . import calls, dtypes
from .library import Program
from .session import Session
from .subset import VertexSubset


class GraphCalls:
    """Calls that walk no edges."""

    _session: Session
    _program: Program

    def __repr__(self) -> str:
        p = self._program
        vertex, accumulator = dtypes.shown(p.vertex), dtypes.shown(p.accumulator)
        edge = "" if p.edge is None else f" of {dtypes.shown(p.edge)}"
        return (
            f"FrontierEngine({p.name}: {', '.join(self.functors)}; {self.num_vertices:,} vertices of {vertex}, "
            f"{self.num_edges:,} edges{edge}, accumulators of {accumulator})"
        )

    @property
    def num_vertices(self) -> int:
        """Vertices of the graph."""
        return self._session.graph.num_vertices

    @property
    def num_edges(self) -> int:
        """Edges of the graph."""
        return self._session.graph.num_edges

    @property
    def seconds(self) -> float:
        """Time in calls since the graph was read, s."""
        return float(self._session.core.seconds)

    @property
    def functors(self) -> dict[str, tuple[str, ...]]:
        """Calls that each functor of the source serves, by its name."""
        return {name: calls.calls_of(bits) for name, (_, bits) in self._session.functors.items() if bits}

    @property
    def calls(self) -> NDArray[np.void]:
        """A record of every call on this graph, the first 65,536, which `report` draws.

        `call`, `functor`; `vertices` of the set that it took (0 of `run`), and `reached`, those of the set that it
        made; `seconds`.
        """
        fields = [("call", object), ("functor", object), ("vertices", "i8"), ("reached", "i8"), ("seconds", "f8")]
        return np.array(self._session.log, fields)

    @property
    def vertices(self) -> NDArray[Any]:
        """Values of the vertices, (num_vertices,), as a view that can be written.

        While a view is held, a search by `edge_vertex_filter` starts anew in every call, since values may have changed.
        """
        return self._session.view(calls.VERTICES)

    @property
    def edges(self) -> NDArray[Any]:
        """Values of the edges, (num_edges,), in the order of `graph.indices`, as a view that can be written."""
        return self._session.view(calls.EDGES)

    @property
    def accumulators(self) -> NDArray[Any]:
        """What edges brought to the vertices in the last call over edges, (num_vertices,), read-only."""
        found: NDArray[Any] = self._session.core.values(calls.ACCUMULATORS, self._session.program.accumulator, False)
        return found

    def subset(self, vertices: Any = None) -> VertexSubset:
        """Return a set of the graph's vertices.

        Parameters
        ----------
        vertices : bool, vertex or array of vertices, optional
            As for :class:`VertexSubset`; where the graph has labels, labels, and ids as `gp.index(...)`.

        """
        graph = self._session.graph
        if isinstance(vertices, (bool, np.bool_)) or vertices is None:
            return VertexSubset(graph.num_vertices, vertices)
        if graph.labels is not None and not isinstance(vertices, _vertices.Index):
            vertices = _vertices.ids_named("vertices", vertices, graph)
        return VertexSubset(graph.num_vertices, vertices)

    def vertex_transform(self, function: Callable[[int, Any], object]) -> None:
        """Call `function(id, value)`, of Python, for every vertex in ascending order of the ids."""
        for v, value in enumerate(self.vertices.copy()):
            function(v, value)

    vertexTransform = vertex_transform  # the spelling of the seed

    def getVertexCount(self) -> int:
        """Return the number of vertices."""
        return self.num_vertices

    def getWorkqueueSize(self) -> int:
        """Return the size of the last `dst`."""
        return self._session.workqueue_size

    def clearWorkqueue(self) -> None:
        """Make that size 0."""
        self._session.workqueue_size = 0

    def allVerticesInactive(self) -> bool:
        """Return whether that size is 0."""
        return self._session.workqueue_size == 0
