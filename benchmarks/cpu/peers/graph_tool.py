# SPDX-License-Identifier: Apache-2.0
"""graph-tool: C++ with OpenMP behind Python."""

from __future__ import annotations

import warnings
from typing import Any, Callable, ClassVar

import numpy as np

from cpu.answers import DAMPING, STEPS, TOL, Answer
from cpu.peer import Library


class Peer(Library):
    name = "graph-tool"
    home = "https://graph-tool.skewed.de"
    module = "graph_tool.all"
    whole: ClassVar = {"bfs": "", "sssp": "", "pagerank": "", "wcc": ""}
    variants: ClassVar = dict.fromkeys(whole, ("",))

    def open(self) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about what it draws with
            super().open()
        self.library.openmp_set_num_threads(self.threads)
        return str(__import__("graph_tool").__version__)

    def build(self, case: Any, algorithm: str) -> Any:
        return self._graph(case.matrix(np.int32), algorithm == "sssp")

    def _graph(self, matrix: Any, weighted: bool) -> Any:
        coo = matrix.tocoo()
        keep = coo.row <= coo.col  # of a symmetric matrix every edge once
        graph = self.library.Graph(directed=False)
        graph.add_vertex(matrix.shape[0])
        graph.add_edge_list(np.column_stack([coo.row[keep], coo.col[keep]]))
        weights = None
        if weighted:
            weights = graph.new_ep("int")
            weights.a = coo.data[keep]
        return graph, weights

    def kernel(self, graph: Any, algorithm: str, variant: str, argument: Any) -> Callable[[], Answer]:
        return self._ask(graph, algorithm, argument, STEPS)

    def call(self, matrix: Any, algorithm: str, variant: str, argument: Any) -> Answer:
        return self._ask(self._graph(matrix, algorithm == "sssp"), algorithm, argument, None)()

    def _ask(self, graph: Any, algorithm: str, argument: Any, steps: int | None) -> Callable[[], Answer]:
        gt = self.library
        g, weights = graph
        if algorithm in ("bfs", "sssp"):
            distances = gt.shortest_distance(g, g.vertex(argument), weights=weights)
            return lambda g=g: np.where(distances.a >= 2**31 - 1, -1, distances.a)  # which need their graph alive
        if algorithm == "wcc":
            labels, _ = gt.label_components(g)
            return lambda g=g: np.array(labels.a)
        until = {"epsilon": TOL} if steps is None else {"epsilon": 0, "max_iter": steps}
        ranks = gt.pagerank(g, damping=DAMPING, **until)
        return lambda g=g: np.array(ranks.a)
