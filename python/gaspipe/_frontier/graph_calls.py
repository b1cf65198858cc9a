# SPDX-License-Identifier: Apache-2.0
"""What an engine says of its graph, and the sets of its vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _vertices
from .session import Session
from .subset import VertexSubset


class GraphCalls:
    """Calls that walk no edges."""

    _session: Session

    @property
    def num_vertices(self) -> int:
        """Vertices of the graph."""
        return self._session.graph.num_vertices

    @property
    def num_edges(self) -> int:
        """Edges of the graph."""
        return self._session.graph.num_edges

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
