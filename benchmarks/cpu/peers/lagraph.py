# SPDX-License-Identifier: Apache-2.0
"""LAGraph on SuiteSparse:GraphBLAS: from a folder with libgraphblas.so and liblagraph.so."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, ClassVar

import numpy as np

from cpu.answers import DAMPING, STEPS, Answer, Parents
from cpu.graphblas import POINTER, WORD, opened
from cpu.peer import Absent, Library

_TYPES = {"sssp": "INT32", "spmv32": "FP32", "spmv64": "FP64"}


class Peer(Library):
    name = "LAGraph"
    home = "https://github.com/GraphBLAS/LAGraph"
    variants: ClassVar = dict.fromkeys(("bfs", "sssp", "pagerank", "wcc", "spmv32", "spmv64"), ("",))
    tunes_delta = True

    def open(self) -> str:
        try:
            self.blas = opened(self.folder, self.threads)
        except OSError as error:
            raise Absent(str(error)) from None
        self.gb, self.la, self.message = self.blas.gb, self.blas.la, self.blas.message
        self._vectors: list[Any] = []
        p, number = POINTER, ctypes.c_float
        self.la.LAGr_BreadthFirstSearch.argtypes = [p, p, p, WORD, p]
        self.la.LAGr_SingleSourceShortestPath.argtypes = [p, p, WORD, p, p]
        self.la.LAGr_PageRankGAP.argtypes = [p, p, p, number, number, ctypes.c_int, p]
        return self.built or "version not said"

    def build(self, case: Any, algorithm: str) -> Any:
        weights = {"INT32": np.int32, "FP32": np.float32, "FP64": np.float64}
        kind = _TYPES.get(algorithm, "BOOL")
        matrix = self.blas.matrix(case.matrix(weights.get(kind)), kind)
        return self.blas.graph(matrix), matrix, case.num_vertices

    def run(self, graph: Any, algorithm: str, variant: str, argument: Any) -> tuple[float, Callable[[], Answer]]:
        for vector in self._vectors:  # of the run before
            self.blas.free(vector)
        self._vectors = [POINTER()]
        if algorithm in ("spmv32", "spmv64"):
            argument = self.blas.vector(argument, _TYPES[algorithm])
            self._vectors.append(argument)
            kind = self.blas.symbol(f"GrB_{_TYPES[algorithm]}")
            self.gb.GrB_Vector_new(ctypes.byref(self._vectors[0]), kind, WORD(graph[2]))
        return super().run(graph, algorithm, variant, argument)

    def kernel(self, graph: Any, algorithm: str, variant: str, argument: Any) -> Callable[[], Answer]:
        g, matrix, n = graph
        v, by, message, ok = self._vectors[0], ctypes.byref, self.message, self.blas.ok
        kind = {"pagerank": "FP32", "bfs": "INT64", "wcc": "INT64"}.get(algorithm) or _TYPES[algorithm]
        if algorithm == "bfs":
            ok(self.la.LAGr_BreadthFirstSearch(None, by(v), g, argument, message))
            return lambda: Parents(self._dense(v, kind, n))
        if algorithm == "sssp":
            delta = POINTER()
            self.gb.GrB_Scalar_new(by(delta), self.blas.symbol("GrB_INT32"))
            self.gb.GrB_Scalar_setElement_INT32(delta, ctypes.c_int32(self.delta))
            ok(self.la.LAGr_SingleSourceShortestPath(by(v), g, argument, delta, message))
            self.gb.GrB_Scalar_free(by(delta))
        elif algorithm == "wcc":
            ok(self.la.LAGr_ConnectedComponents(by(v), g, message))
        elif algorithm == "pagerank":
            steps = ctypes.c_int()
            ok(self.la.LAGr_PageRankGAP(by(v), by(steps), g, DAMPING, 0.0, STEPS, message))
        else:
            ring = self.blas.symbol(f"GrB_PLUS_TIMES_SEMIRING_{kind}")
            ok(self.gb.GrB_mxv(v, None, None, ring, matrix, argument, None))
            self.blas.finished(v)
        return lambda: self._dense(v, kind, n)

    def _dense(self, v: Any, kind: str, n: int) -> Any:
        """Entries as an array; where there is none 0 in floats, -1 in integers, as where an integer says "no path"."""
        dense = self.blas.dense(v, kind, n, 0 if kind.startswith("FP") else -1)
        return np.where(dense == 2**31 - 1, -1, dense) if kind == "INT32" else dense
