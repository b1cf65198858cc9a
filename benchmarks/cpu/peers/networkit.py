# SPDX-License-Identifier: Apache-2.0
"""NetworKit, through its Python package."""

from __future__ import annotations

from typing import Any, Callable, ClassVar

import numpy as np

from cpu.answers import DAMPING, STEPS, TOL, Answer
from cpu.peer import Library


class Peer(Library):
    name = "NetworKit"
    home = "https://networkit.github.io"
    module = "networkit"
    whole: ClassVar = {"bfs": "", "sssp": "", "pagerank": "", "wcc": "parallel"}
    variants: ClassVar = {"bfs": ("",), "sssp": ("",), "pagerank": ("",), "wcc": ("parallel", "sequential")}

    def open(self) -> str:
        version = super().open()
        self.library.setNumberOfThreads(self.threads)
        return version

    def build(self, case: Any, algorithm: str) -> Any:
        return self._graph(case.matrix(np.float64), algorithm == "sssp")

    def _graph(self, matrix: Any, weighted: bool) -> Any:
        coo = matrix.tocoo()
        keep = coo.row <= coo.col  # of a symmetric matrix every edge once
        data = coo.data[keep].astype(np.float64) if weighted else np.ones(int(keep.sum()))
        ends = coo.row[keep].astype(np.uint64), coo.col[keep].astype(np.uint64)
        return self.library.GraphFromCoo((data, ends), n=matrix.shape[0], weighted=weighted, directed=False)

    def kernel(self, graph: Any, algorithm: str, variant: str, argument: Any) -> Callable[[], Answer]:
        return self._ask(graph, algorithm, variant, argument, STEPS)

    def call(self, matrix: Any, algorithm: str, variant: str, argument: Any) -> Answer:
        return self._ask(self._graph(matrix, algorithm == "sssp"), algorithm, variant, argument, None)()

    def _ask(self, graph: Any, algorithm: str, variant: str, argument: Any, steps: int | None) -> Callable[[], Answer]:
        nk = self.library
        if algorithm in ("bfs", "sssp"):
            search = (nk.distance.BFS if algorithm == "bfs" else nk.distance.Dijkstra)(graph, argument, False)
            search.run()
            return lambda: np.asarray(search.getDistances(asarray=True))
        if algorithm == "wcc":
            kind = "ParallelConnectedComponents" if variant == "parallel" else "ConnectedComponents"
            components = getattr(nk.components, kind)(graph)
            components.run()
            return lambda: np.asarray(components.getPartition().getVector())
        sinks = nk.centrality.SinkHandling.DistributeSinks
        # With a tolerance no step reaches, it ends at maxIterations.
        ranking = nk.centrality.PageRank(graph, DAMPING, TOL if steps is None else 1e-300, False, sinks)
        ranking.norm = nk.centrality.Norm.L1_NORM
        if steps is not None:
            ranking.maxIterations = steps
        ranking.run()
        self._steps = ranking.numberOfIterations()
        return lambda: np.asarray(ranking.scores())

    def steps(self, algorithm: str, variant: str) -> int:
        return self._steps if algorithm == "pagerank" else 1
