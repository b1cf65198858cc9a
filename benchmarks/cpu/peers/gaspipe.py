# SPDX-License-Identifier: Apache-2.0
"""Ourselves, by the same rules as the peers; PageRank in float32, as the fastest peers have it, and in float64."""

from __future__ import annotations

import ctypes
import os
import time
from typing import Any, Callable, ClassVar

from cpu.answers import DAMPING, STEPS, TOL, Answer
from cpu.peer import Library
from machine import compiler_of

ALGORITHMS = ("bfs", "sssp", "wcc", "spmv32", "spmv64")


class Peer(Library):
    name = "gaspipe"
    module = "gaspipe"
    variants: ClassVar = {**dict.fromkeys(ALGORITHMS, ("auto",)), "pagerank": ("float32", "float64")}
    whole: ClassVar = {**dict.fromkeys(ALGORITHMS, "auto"), "pagerank": "float64"}

    def open(self) -> str:
        version = super().open()
        os.environ["OMP_NUM_THREADS"] = str(self.threads)
        return f"{self.built or version}, {compiler_of(self.library._core.__file__)}"

    def build(self, case: Any, algorithm: str) -> Any:
        self.prepared: dict[str, float] = {}
        dtype = {"sssp": "int32", "spmv32": "float32", "spmv64": "float64"}.get(algorithm)
        graph = self.library.Graph(case.matrix(dtype), copy=None)
        # It is asked often, and would be relabeled meanwhile.
        made = graph.prepare("now" if os.environ.get("GASPIPE_PREPARES") == "1" else "never", num_threads=self.threads)
        self.relabeling = made.seconds
        return graph

    def ask(self, graph: Any, algorithm: str, variant: str, argument: Any, **more: Any) -> Any:
        gp = self.library
        if algorithm in ("bfs", "sssp"):
            result = getattr(gp, algorithm)(graph, argument, num_threads=self.threads, **more)
        elif algorithm == "wcc":
            result = gp.wcc(graph, num_threads=self.threads, **more)
        elif algorithm == "pagerank":
            more = {"tol": 0, "max_iter": STEPS, **more}
            result = gp.pagerank(graph, damping=DAMPING, number=variant, num_threads=self.threads, **more)
        else:
            result = gp.spmv(graph, argument, num_threads=self.threads, **more)
        self.stats = result.stats
        return result

    def run(self, graph: Any, algorithm: str, variant: str, argument: Any) -> tuple[float, Callable[[], Answer]]:
        result = self.ask(graph, algorithm, variant, argument)
        once = self.relabeling + result.stats.prepare_seconds
        self.prepared[algorithm] = max(self.prepared.get(algorithm, 0), once)
        return result.stats.seconds / self.steps(algorithm, variant), lambda: result.values

    def call(self, matrix: Any, algorithm: str, variant: str, argument: Any) -> Answer:
        more = {"tol": TOL, "max_iter": 1000} if algorithm == "pagerank" else {}
        return self.ask(matrix, algorithm, variant, argument, **more).values

    def extent(self, algorithm: str) -> dict[str, float]:
        stats = self.stats
        return {
            "supersteps": stats.num_supersteps,
            "edges": stats.edges_streamed,
            "preparation": self.prepared[algorithm],
        }

    def prepare(self, case: Any) -> tuple[dict[str, float], int]:
        """Seconds to partition and to transpose a graph that has neither yet, the best of three; bytes partitioned."""
        found: dict[str, float] = {}
        num_bytes = 0
        matrix = case.matrix("int32")
        for _ in range(3):
            for name in ("partition", "transpose"):
                graph = self.library.Graph(matrix, copy=None)
                start = time.perf_counter()
                made = getattr(graph, name)(num_threads=self.threads)
                seconds = time.perf_counter() - start
                if name == "partition":
                    num_bytes = made.num_bytes
                del made
                found[name] = min(seconds, found.get(name, seconds))
        return found, num_bytes

    def forbid_huge_pages(self, case: Any) -> None:
        """From now on this process gets none, whatever it wishes for."""
        if ctypes.CDLL(None, use_errno=True).prctl(41, 1, 0, 0, 0):  # PR_SET_THP_DISABLE
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_THP_DISABLE)")
