# SPDX-License-Identifier: Apache-2.0
"""SciPy: csgraph's serial searches, products of sparse matrices, and the power iteration that one writes with them."""

from __future__ import annotations

from typing import Any, Callable, ClassVar

import numpy as np

from cpu.answers import STEPS, Answer, Parents, pagerank
from cpu.peer import Library


class Peer(Library):
    name = "SciPy"
    home = "https://scipy.org"
    module = "scipy"
    whole: ClassVar = dict.fromkeys(("bfs", "sssp", "pagerank", "wcc", "spmv32", "spmv64"), "")
    variants: ClassVar = dict.fromkeys(whole, ("",))

    def open(self) -> str:
        import scipy.sparse.csgraph  # noqa: F401  here, so that its memory is the import's

        return super().open()

    def build(self, case: Any, algorithm: str) -> Any:
        # csgraph works on float64; a bool matrix would be converted in every call.
        return case.matrix(np.float32 if algorithm == "spmv32" else np.float64)

    def kernel(self, graph: Any, algorithm: str, variant: str, argument: Any) -> Callable[[], Answer]:
        answer = self._ask(graph, algorithm, argument, STEPS)
        return lambda: answer

    def call(self, matrix: Any, algorithm: str, variant: str, argument: Any) -> Answer:
        return self._ask(matrix, algorithm, argument, None)

    def _ask(self, matrix: Any, algorithm: str, argument: Any, steps: int | None) -> Answer:
        csgraph = self.library.sparse.csgraph
        if algorithm == "bfs":
            return Parents(csgraph.breadth_first_order(matrix, argument)[1])
        if algorithm == "sssp":
            return csgraph.dijkstra(matrix, indices=argument)
        if algorithm == "wcc":
            return csgraph.connected_components(matrix, directed=False)[1]
        if algorithm == "pagerank":
            return pagerank(matrix, steps, True)
        return matrix @ argument
