# SPDX-License-Identifier: Apache-2.0
"""LAGraph on SuiteSparse:GraphBLAS, by ctypes: from a folder with libgraphblas.so and liblagraph.so."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any, Callable, ClassVar

import numpy as np

from cpu.answers import DAMPING, STEPS, Answer, Parents
from cpu.peer import Absent, Library

_TYPES = {"sssp": "INT32", "spmv32": "FP32", "spmv64": "FP64"}
_DTYPES = {"BOOL": np.bool_, "INT32": np.int32, "INT64": np.int64, "FP32": np.float32, "FP64": np.float64}
_POINTER, _WORD = ctypes.c_void_p, ctypes.c_uint64


class Peer(Library):
    name = "LAGraph"
    home = "https://github.com/GraphBLAS/LAGraph"
    variants: ClassVar = dict.fromkeys(("bfs", "sssp", "pagerank", "wcc", "spmv32", "spmv64"), ("",))
    tunes_delta = True

    def open(self) -> str:
        paths = [Path(self.folder or "", f"lib{name}.so") for name in ("graphblas", "lagraph")]
        try:
            self.gb, self.la = (ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL) for path in paths)
        except OSError as error:
            raise Absent(str(error)) from None
        self.message = ctypes.create_string_buffer(1024)
        self._ok(self.la.LAGraph_Init(self.message))
        self._ok(self.la.LAGraph_SetNumThreads(1, self.threads, self.message))
        self._vectors: list[Any] = []
        p, number = _POINTER, ctypes.c_float
        self.la.LAGr_BreadthFirstSearch.argtypes = [p, p, p, _WORD, p]
        self.la.LAGr_SingleSourceShortestPath.argtypes = [p, p, _WORD, p, p]
        self.la.LAGr_PageRankGAP.argtypes = [p, p, p, number, number, ctypes.c_int, p]
        return self.built or "version not said"

    def _ok(self, code: int) -> None:
        if code < 0:
            raise RuntimeError(f"GraphBLAS returned {code}: {self.message.value.decode()}")

    def _symbol(self, name: str) -> ctypes.c_void_p:
        return _POINTER.in_dll(self.gb, name)

    def build(self, case: Any, algorithm: str) -> Any:
        kind, n, m = _TYPES.get(algorithm, "BOOL"), case.num_vertices, case.num_edges
        matrix = case.matrix(None if kind == "BOOL" else _DTYPES[kind])
        offsets, targets = matrix.indptr.astype(np.uint64), matrix.indices.astype(np.uint64)
        values = np.array(matrix.data)
        copy = getattr(self.gb, f"GrB_Matrix_import_{kind}")
        copy.argtypes = [_POINTER, _POINTER, _WORD, _WORD, *[_POINTER] * 3, *[_WORD] * 3, ctypes.c_int]
        a = _POINTER()
        arrays = (array.ctypes.data for array in (offsets, targets, values))
        self._ok(copy(ctypes.byref(a), self._symbol(f"GrB_{kind}"), n, n, *arrays, n + 1, m, m, 0))
        if kind == "BOOL":  # one value for all, as LAGraph's own benchmarks have it
            one = _POINTER()
            self._ok(self.gb.GrB_Matrix_new(ctypes.byref(one), self._symbol("GrB_BOOL"), _WORD(n), _WORD(n)))
            self._ok(self.gb.GrB_Matrix_apply(one, None, None, self._symbol("GxB_ONE_BOOL"), a, None))
            self.gb.GrB_Matrix_free(ctypes.byref(a))
            a = one
        matrix_handle, graph = _POINTER(a.value), _POINTER()  # LAGraph_New takes the matrix over
        self._ok(self.la.LAGraph_New(ctypes.byref(graph), ctypes.byref(a), 0, self.message))  # 0: undirected
        for cached in ("OutDegree", "NSelfEdges"):
            self._ok(getattr(self.la, f"LAGraph_Cached_{cached}")(graph, self.message))
        return graph, matrix_handle, n

    def run(self, graph: Any, algorithm: str, variant: str, argument: Any) -> tuple[float, Callable[[], Answer]]:
        for vector in self._vectors:  # of the run before
            self.gb.GrB_Vector_free(ctypes.byref(vector))
        self._vectors = [_POINTER()]
        if algorithm in ("spmv32", "spmv64"):
            argument = self._vector(argument, _TYPES[algorithm])
            self._vectors.append(argument)
            self.gb.GrB_Vector_new(
                ctypes.byref(self._vectors[0]), self._symbol(f"GrB_{_TYPES[algorithm]}"), _WORD(graph[2])
            )
        return super().run(graph, algorithm, variant, argument)

    def kernel(self, graph: Any, algorithm: str, variant: str, argument: Any) -> Callable[[], Answer]:
        g, matrix, n = graph
        v, by, message = self._vectors[0], ctypes.byref, self.message
        kind = {"pagerank": "FP32", "bfs": "INT64", "wcc": "INT64"}.get(algorithm) or _TYPES[algorithm]
        if algorithm == "bfs":
            self._ok(self.la.LAGr_BreadthFirstSearch(None, by(v), g, argument, message))
            return lambda: Parents(self._dense(v, kind, n))
        if algorithm == "sssp":
            delta = _POINTER()
            self.gb.GrB_Scalar_new(by(delta), self._symbol("GrB_INT32"))
            self.gb.GrB_Scalar_setElement_INT32(delta, ctypes.c_int32(self.delta))
            self._ok(self.la.LAGr_SingleSourceShortestPath(by(v), g, argument, delta, message))
            self.gb.GrB_Scalar_free(by(delta))
        elif algorithm == "wcc":
            self._ok(self.la.LAGr_ConnectedComponents(by(v), g, message))
        elif algorithm == "pagerank":
            steps = ctypes.c_int()
            self._ok(self.la.LAGr_PageRankGAP(by(v), by(steps), g, DAMPING, 0.0, STEPS, message))
        else:
            ring = self._symbol(f"GrB_PLUS_TIMES_SEMIRING_{kind}")
            self._ok(self.gb.GrB_mxv(v, None, None, ring, matrix, argument, None))
            self._ok(self.gb.GrB_Vector_wait(v, 0))
        return lambda: self._dense(v, kind, n)

    def _vector(self, values: Any, kind: str) -> Any:
        v, n = _POINTER(), len(values)
        self.gb.GrB_Vector_new(ctypes.byref(v), self._symbol(f"GrB_{kind}"), _WORD(n))
        build = getattr(self.gb, f"GrB_Vector_build_{kind}")
        build.argtypes = [_POINTER, _POINTER, _POINTER, _WORD, _POINTER]
        where = np.arange(n, dtype=np.uint64)
        self._ok(build(v, where.ctypes.data, values.ctypes.data, n, self._symbol(f"GrB_PLUS_{kind}")))
        self._ok(self.gb.GrB_Vector_wait(v, 0))
        return v

    def _dense(self, v: Any, kind: str, n: int) -> Any:
        """Entries as an array; where there is none 0 in floats, -1 in integers, as where an integer says "no path"."""
        where, values, count = np.empty(n, np.uint64), np.empty(n, _DTYPES[kind]), _WORD(n)
        extract = getattr(self.gb, f"GrB_Vector_extractTuples_{kind}")
        extract.argtypes = [_POINTER] * 4
        self._ok(extract(where.ctypes.data, values.ctypes.data, ctypes.addressof(count), v))
        dense = np.full(n, 0 if kind.startswith("FP") else -1, _DTYPES[kind])
        dense[where[: count.value]] = values[: count.value]
        return np.where(dense == 2**31 - 1, -1, dense) if kind == "INT32" else dense
