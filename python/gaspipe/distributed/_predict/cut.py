# SPDX-License-Identifier: Apache-2.0
"""What ranks hold of a graph, and what they send: counted on a graph that is here, expected of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ...graph import Graph


@dataclass(frozen=True, eq=False)
class Cut:
    """Vertices, edges and ghosts of ranks.

    Attributes
    ----------
    vertices, edges, ghosts, mirrors : numpy.ndarray
        Of every rank, float64: own vertices, edges into them, copies of vertices of others, and own vertices that are
        copies there (one for each of these).
    pairs : numpy.ndarray or None
        Ghosts of rank r that rank q owns at [r, q]; None where all pairs have the same.
    num_vertices, num_edges : int
        Of the whole graph.
    how : str
        Whether these are counts.

    """

    vertices: NDArray[np.float64]
    edges: NDArray[np.float64]
    ghosts: NDArray[np.float64]
    mirrors: NDArray[np.float64]
    pairs: NDArray[np.int64] | None
    num_vertices: int
    num_edges: int
    how: str

    @property
    def size(self) -> int:
        """Number of ranks."""
        return len(self.edges)


class Model(Protocol):
    """A graph that is not here."""

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        ...

    @property
    def num_edges(self) -> int:
        """Expected number of edges, as stored."""
        ...

    def cut(self, ranks: int, strategy: str) -> Cut:
        """Return what ranks are expected to hold."""
        ...

    def sample(self) -> Graph:
        """Return a smaller graph of the same kind."""
        ...


def counted(graph: Graph, ranks: int, strategy: Any, view: str) -> Cut:
    """Return what ranks hold of a graph, by the strategy itself."""
    domains = graph.domains(ranks, strategy, view=view)
    parts = list(domains)
    pairs = np.stack([np.bincount(part.ghost_owner, minlength=ranks) for part in parts]).astype(np.int64)

    def column(numbers: list[int]) -> NDArray[np.float64]:
        return np.array(numbers, np.float64)

    return Cut(
        vertices=column([len(part.ids) for part in parts]),
        edges=column([part.num_edges for part in parts]),
        ghosts=pairs.sum(axis=1).astype(np.float64),
        mirrors=pairs.sum(axis=0).astype(np.float64),
        pairs=pairs,
        num_vertices=graph.num_vertices,
        num_edges=sum(part.num_edges for part in parts),
        how="counted",
    )
