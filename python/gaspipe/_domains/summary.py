# SPDX-License-Identifier: Apache-2.0
"""What a cut of a graph costs, before anything runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import integer


@dataclass(frozen=True, eq=False)
class DomainsSummary:
    """Balance and cut of domains, in one view of a graph. `print` shows them as a table.

    Attributes
    ----------
    strategy : str
        How vertices were given to domains.
    view : str
        Which edges count: "forward", "reverse" or "undirected".
    vertices, edges, ghosts : numpy.ndarray
        Of every domain, int64 of shape (number of domains,): own vertices, edges into them, and ghosts.
    cut_edges : int
        Edges between different domains.

    """

    strategy: str
    view: str
    vertices: NDArray[np.int64]
    edges: NDArray[np.int64]
    ghosts: NDArray[np.int64]
    cut_edges: int

    @property
    def balance(self) -> float:
        """Edges of the largest domain over the mean; 1 is even. 1 for a graph without edges."""
        return float(self.edges.max() / self.edges.mean()) if self.edges.any() else 1.0

    @property
    def replication_factor(self) -> float:
        """Own vertices and ghosts of all domains over the vertices of the graph; 1 without ghosts."""
        return float((self.vertices.sum() + self.ghosts.sum()) / self.vertices.sum())

    def bytes_per_step(self, property_bytes: int = 4) -> int:
        """Bytes that all domains together send in a super-step in which every vertex changes.

        Parameters
        ----------
        property_bytes : int, default 4
            Size of a vertex's value.

        """
        return int(self.ghosts.sum()) * integer("property_bytes", property_bytes)

    def __str__(self) -> str:
        total = max(int(self.edges.sum()), 1)
        lines = [
            f"{len(self.vertices)} domains by {self.strategy}, {self.view} view",
            f"{'domain':>6} {'vertices':>12} {'edges':>14} {'ghosts':>12}",
        ]
        lines += [
            f"{rank:>6} {vertices:>12} {edges:>14} {ghosts:>12}"
            for rank, (vertices, edges, ghosts) in enumerate(zip(self.vertices, self.edges, self.ghosts))
        ]
        lines += [
            f"cut edges           {self.cut_edges} of {int(self.edges.sum())} ({self.cut_edges / total:.1%})",
            f"balance             {self.balance:.3f} (most edges over mean)",
            f"replication factor  {self.replication_factor:.3f}",
            f"bytes per step      {self.bytes_per_step()} (4 for every ghost)",
        ]
        return "\n".join(lines)
