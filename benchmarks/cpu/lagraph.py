# SPDX-License-Identifier: Apache-2.0
"""LAGraph's algorithms that algorithms.py compares: a call runs one, and returns how to get its answer.

Of the experimental part it takes the signatures that came with LAGraph 1.2, where `LAGraph_cdlp` has a graph.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy as np

from cpu.graphblas import POINTER, WORD, GraphBlas, opened

Later = Callable[[], Any]


def library(folder: str, threads: int) -> GraphBlas:
    """The libraries in a folder, with the experimental part; OSError without them."""
    blas = opened(folder, threads)
    if not hasattr(blas.x, "LAGraph_cdlp_withsort"):  # only there since the signatures changed
        raise OSError(f"no liblagraphx.so of LAGraph 1.2 or later in {folder}")
    return blas


class Graph:
    """A SciPy CSR matrix as LAGraph's graph, with its cached properties."""

    def __init__(self, folder: str, threads: int, matrix: Any, directed: bool) -> None:
        self.blas, self.n = library(folder, threads), matrix.shape[0]
        self.matrix = self.blas.matrix(matrix, "BOOL")
        self.graph = self.blas.graph(self.matrix, directed)

    def __del__(self) -> None:
        if hasattr(self, "graph"):
            self.blas.la.LAGraph_Delete(ctypes.byref(self.graph), self.blas.message)

    def triangles(self) -> Later:
        """Those of the whole graph, by the default method, presorted where the library chooses so."""
        total = WORD()
        call = self.blas.la.LAGr_TriangleCount
        self.blas.ok(call(ctypes.byref(total), self.graph, None, None, self.blas.message))
        return lambda: total.value

    def betweenness(self, sources: Any) -> Later:
        sources = np.asarray(sources, np.uint64)
        batch = POINTER(sources.ctypes.data), ctypes.c_int32(len(sources))
        return self._vector("FP64", self.blas.la.LAGr_Betweenness, self.graph, *batch)

    def cores(self) -> Later:
        """Entries are int32 unless a degree is larger."""
        most = ctypes.byref(WORD())
        return self._vector("INT64", lambda v, *rest: self.blas.x.LAGraph_KCore_All(v, most, *rest), self.graph)

    def labels(self, steps: int, method: str = "") -> Later:
        """By tables of hashes, or with `method` "_withsort", which gives vertices without neighbors no label."""
        call = getattr(self.blas.x, f"LAGraph_cdlp{method}")
        return self._vector("UINT64", call, self.graph, ctypes.c_int(steps), missing=np.arange(self.n))

    def clustering(self) -> Later:
        return self._vector("FP64", self.blas.x.LAGraph_lcc, self.graph)

    def strong_components(self) -> Later:
        return self._vector("UINT64", self.blas.x.LAGraph_scc, self.matrix)

    def _vector(self, kind: str, call: Callable[..., int], *arguments: Any, missing: Any = 0) -> Later:
        """Run what makes a vector; `missing` stands where it has no entry."""
        v = POINTER()
        self.blas.ok(call(ctypes.byref(v), *arguments, self.blas.message))
        self.blas.finished(v)

        def answer() -> Any:
            values = self.blas.dense(v, kind, self.n, missing)
            self.blas.free(v)
            return values

        return answer
