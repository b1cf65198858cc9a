# SPDX-License-Identifier: Apache-2.0
"""SuiteSparse:GraphBLAS and LAGraph, by ctypes: loading, and what goes in and out. Objects are their opaque handles."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

import numpy as np

_DTYPES = {"BOOL": np.bool_, "FP32": np.float32, "FP64": np.float64} | {
    f"{sign}INT{bits}": np.dtype(f"{sign.lower()}int{bits}") for sign in ("", "U") for bits in (32, 64)
}
POINTER, WORD = ctypes.c_void_p, ctypes.c_uint64


class GraphBlas:
    """The libraries, started; `la` is LAGraph, `x` its experimental part, None without it."""

    def __init__(self, folder: str | None, threads: int) -> None:
        paths = [Path(folder or "", f"lib{name}.so") for name in ("graphblas", "lagraph", "lagraphx")]
        self.gb, self.la = (ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL) for path in paths[:2])
        self.x = ctypes.CDLL(str(paths[2])) if paths[2].exists() else None
        self.message = ctypes.create_string_buffer(1024)
        self.ok(self.la.LAGraph_Init(self.message))
        self.ok(self.la.LAGraph_SetNumThreads(1, threads, self.message))

    def ok(self, code: int) -> None:
        if code < 0:
            raise RuntimeError(f"GraphBLAS returned {code}: {self.message.value.decode()}")

    def symbol(self, name: str) -> ctypes.c_void_p:
        return POINTER.in_dll(self.gb, name)

    def matrix(self, matrix: Any, kind: str) -> ctypes.c_void_p:
        """A matrix of a SciPy CSR one; as BOOL one value for all, as LAGraph's own benchmarks have it."""
        (n, _), m = matrix.shape, matrix.nnz
        offsets, targets = matrix.indptr.astype(np.uint64), matrix.indices.astype(np.uint64)
        values = matrix.data.astype(_DTYPES[kind])
        copy = getattr(self.gb, f"GrB_Matrix_import_{kind}")
        copy.argtypes = [POINTER, POINTER, WORD, WORD, *[POINTER] * 3, *[WORD] * 3, ctypes.c_int]
        a = POINTER()
        arrays = (array.ctypes.data for array in (offsets, targets, values))
        self.ok(copy(ctypes.byref(a), self.symbol(f"GrB_{kind}"), n, n, *arrays, n + 1, m, m, 0))
        if kind != "BOOL":
            return a
        one = POINTER()
        self.ok(self.gb.GrB_Matrix_new(ctypes.byref(one), self.symbol("GrB_BOOL"), WORD(n), WORD(n)))
        self.ok(self.gb.GrB_Matrix_apply(one, None, None, self.symbol("GxB_ONE_BOOL"), a, None))
        self.gb.GrB_Matrix_free(ctypes.byref(a))
        return one

    def graph(self, matrix: ctypes.c_void_p, directed: bool = False) -> ctypes.c_void_p:
        """A graph that takes the matrix over, with its cached properties; LAGraph_Delete frees both."""
        graph, a = POINTER(), POINTER(matrix.value)
        self.ok(self.la.LAGraph_New(ctypes.byref(graph), ctypes.byref(a), int(directed), self.message))
        for cached in ("OutDegree", "NSelfEdges"):
            self.ok(getattr(self.la, f"LAGraph_Cached_{cached}")(graph, self.message))
        return graph

    def vector(self, values: Any, kind: str) -> ctypes.c_void_p:
        v, n = POINTER(), len(values)
        self.gb.GrB_Vector_new(ctypes.byref(v), self.symbol(f"GrB_{kind}"), WORD(n))
        build = getattr(self.gb, f"GrB_Vector_build_{kind}")
        build.argtypes = [POINTER, POINTER, POINTER, WORD, POINTER]
        where = np.arange(n, dtype=np.uint64)
        self.ok(build(v, where.ctypes.data, values.ctypes.data, n, self.symbol(f"GrB_PLUS_{kind}")))
        return self.finished(v)

    def finished(self, v: ctypes.c_void_p) -> ctypes.c_void_p:
        """The vector, with the work done that GraphBLAS has put off."""
        self.ok(self.gb.GrB_Vector_wait(v, 0))
        return v

    def dense(self, v: ctypes.c_void_p, kind: str, n: int, missing: Any) -> Any:
        """Entries as an array, `missing` (a value or an array) where there is none."""
        where, values, count = np.empty(n, np.uint64), np.empty(n, _DTYPES[kind]), WORD(n)
        extract = getattr(self.gb, f"GrB_Vector_extractTuples_{kind}")
        extract.argtypes = [POINTER] * 4
        self.ok(extract(where.ctypes.data, values.ctypes.data, ctypes.addressof(count), v))
        dense = np.full(n, missing, _DTYPES[kind])
        dense[where[: count.value]] = values[: count.value]
        return dense

    def free(self, v: ctypes.c_void_p) -> None:
        self.gb.GrB_Vector_free(ctypes.byref(v))


@functools.lru_cache(maxsize=1)
def opened(folder: str | None, threads: int) -> GraphBlas:
    """The libraries in a folder; a process can start them once. OSError without them."""
    return GraphBlas(folder, threads)
