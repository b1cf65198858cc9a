# SPDX-License-Identifier: Apache-2.0
"""python-igraph. PageRank is exact (PRPACK), so it has whole calls only, no super-steps to time."""

from __future__ import annotations

from typing import Any, Callable, ClassVar

import numpy as np

from cpu.answers import DAMPING, Answer
from cpu.peer import Library


class Peer(Library):
    name = "igraph"
    home = "https://python.igraph.org"
    module = "igraph"
    whole: ClassVar = {"bfs": "", "sssp": "", "pagerank": "", "wcc": ""}
    variants: ClassVar = {"bfs": ("",), "sssp": ("",), "wcc": ("",)}

    most_edges = 20_000_000  # a larger graph alone takes half a minute; on smaller ones it is 10 times behind

    def build(self, case: Any, algorithm: str) -> Any:
        return self._graph(case.matrix(np.int32), algorithm == "sssp")

    def _graph(self, matrix: Any, weighted: bool) -> Any:
        coo = matrix.tocoo()
        keep = coo.row <= coo.col  # of a symmetric matrix every edge once
        graph = self.library.Graph(n=matrix.shape[0], edges=np.column_stack([coo.row[keep], coo.col[keep]]))
        return graph, coo.data[keep].tolist() if weighted else None

    def kernel(self, graph: Any, algorithm: str, variant: str, argument: Any) -> Callable[[], Answer]:
        g, weights = graph
        if algorithm == "bfs":
            distances = g.distances(argument)
            return lambda: np.array(distances[0])
        if algorithm == "sssp":
            distances = g.distances(argument, weights=weights)
            return lambda: np.array(distances[0])
        if algorithm == "wcc":
            components = g.connected_components()
            return lambda: np.array(components.membership)
        ranks = g.pagerank(damping=DAMPING)
        return lambda: np.array(ranks)

    def call(self, matrix: Any, algorithm: str, variant: str, argument: Any) -> Answer:
        return self.kernel(self._graph(matrix, algorithm == "sssp"), algorithm, variant, argument)()
