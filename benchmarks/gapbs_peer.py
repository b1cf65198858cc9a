# SPDX-License-Identifier: Apache-2.0
"""The GAP Benchmark Suite as a peer: its programs, its file format, and whether its answers are ours.

GAPBS is not part of this repository; its programs are found in a directory or on the PATH.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from machine import compiler_of, require

TITLES = {
    "pr": "pagerank",
    "pr_spmv": "pagerank",
    "bfs": "breadth-first",
    "sssp": "shortest-path",
    "cc": "connected-components",
}
DAMPING = 0.85  # GAPBS's constant


class Gapbs:
    """The peer's programs; calling one returns what it printed."""

    def __init__(self, folder: str | None, threads: int) -> None:
        self.environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        self.programs: dict[str, str] = {}
        for name, title in TITLES.items():
            path = shutil.which(name, path=folder)
            # coreutils has a `pr` too: ask before believing.
            if path is None or title not in self._run([path, "-h"], check=False).partition("\n")[0]:
                sys.exit(
                    f"gapbs.py: no GAPBS program `{name}` in {folder or 'the PATH'}; build GAPBS with its `make` "
                    "(https://github.com/sbeamer/gapbs) and give its directory with --gapbs"
                )
            self.programs[name] = path
        self.compiler = compiler_of(self.programs["pr"])

    def _run(self, command: list[str], check: bool = True) -> str:
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, stdin=subprocess.DEVNULL)
        if done.returncode == 0:
            return done.stdout
        if check:
            sys.exit(f"gapbs.py: {' '.join(command)} failed ({done.returncode}): {(done.stderr or done.stdout)[-300:]}")
        return ""

    def __call__(self, name: str, *options: object) -> str:
        return self._run([self.programs[name], *map(str, options)])

    def seconds(self, name: str, *options: object, trials: int = 2) -> list[float]:
        """Times of `trials` trials in one process, after one to warm up."""
        return [float(t) for t in re.findall(r"Trial Time:\s+(\S+)", self(name, *options, "-n", trials + 1))][1:]


def write_serialized(folder: str, graph: Any) -> dict[str, Path]:
    """Write the graph as GAPBS's .sg and .wsg, so that both sides walk the same lists.

    Layout: bool directed; int64 edges, vertices; int64 offsets; int32 targets, or pairs of target and weight.
    Not directed means that in-edges are read from the same lists; both directions of every edge are stored and counted.
    """
    np = require("numpy")
    targets = graph.indices.view(np.int32)
    files = {suffix: Path(folder, f"graph.{suffix}") for suffix in ("sg", "wsg")}
    for suffix, path in files.items():
        with path.open("wb") as file:
            file.write(b"\0" + np.array([graph.num_edges, graph.num_vertices], np.int64).tobytes())
            graph.indptr.astype(np.int64).tofile(file)
            (targets if suffix == "sg" else np.column_stack([targets, graph.weights])).tofile(file)
    return files


def scipy_pagerank(matrix: Any, steps: int, spread_dangling: bool) -> Any:
    np = require("numpy")
    n, degree = matrix.shape[0], np.diff(matrix.indptr)
    pull = type(matrix)((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape).T.tocsr()
    rank = np.full(n, 1 / n)
    for _ in range(steps):
        lost = rank[degree == 0].sum() if spread_dangling else 0
        rank = (1 - DAMPING + DAMPING * lost) / n + DAMPING * (pull @ (rank / np.maximum(degree, 1)))
    return rank


def compare(peer: Gapbs, gp: Any, graph: Any, files: dict[str, Path], root: int, steps: int) -> list[str]:
    """Return the checks that held; the first that does not ends the program."""
    np, csgraph = require("numpy"), require("scipy.sparse.csgraph", "scipy")
    lines: list[str] = []

    def check(what: str, holds: Any) -> None:
        if not holds:
            sys.exit(f"gapbs.py: the answers differ: {what}")
        lines.append(what)

    matrix = graph.to_scipy()
    depth = gp.bfs(graph, root).depth
    text = peer("bfs", "-f", files["sg"], "-r", root, "-n", 1, "-l", "-v")
    levels = [1, *(int(size) for size in re.findall(r"^ +(?:td|bu) +(\d+) ", text, re.M) if size != "0")]
    check("BFS: GAPBS's own verifier passes", "PASS" in text)
    check(f"BFS: GAPBS's level sizes are ours, {levels}", levels == np.bincount(depth[depth >= 0]).tolist())
    hops = csgraph.dijkstra(matrix, indices=root, unweighted=True)
    check("BFS: our depths equal SciPy's", np.array_equal(depth, np.where(np.isinf(hops), -1, hops)))

    distance = gp.sssp(graph, root).distance
    text = peer("sssp", "-f", files["wsg"], "-r", root, "-n", 1, "-d", 2, "-a", "-v")
    reached = int((distance >= 0).sum())
    check("SSSP: GAPBS's own verifier passes", "PASS" in text)
    check(f"SSSP: both reach {reached} vertices", f"reaches {reached} nodes" in text)
    lengths = csgraph.dijkstra(matrix, indices=root)
    check("SSSP: our distances equal SciPy's", np.array_equal(distance, np.where(np.isinf(lengths), -1, lengths)))

    component = gp.wcc(graph).component
    text = peer("cc", "-f", files["sg"], "-n", 1, "-a", "-v")
    number, labels = csgraph.connected_components(matrix, directed=False)
    smallest = np.full(number, graph.num_vertices)
    np.minimum.at(smallest, labels, np.arange(graph.num_vertices))
    check("WCC: GAPBS's own verifier passes", "PASS" in text)
    check(f"WCC: GAPBS finds {number} components", f"There are {number} components" in text)
    check("WCC: our components equal SciPy's", np.array_equal(component, smallest[labels]))

    text = peer("pr_spmv", "-f", files["sg"], "-i", steps, "-t", 0, "-n", 1, "-a")
    top = re.findall(r"^(\d+):(\S+)$", text, re.M)
    rank = scipy_pagerank(matrix, steps, spread_dangling=False)  # GAPBS loses the rank of isolated vertices
    error = max((abs(float(value) / rank[int(v)] - 1) for v, value in top), default=1)
    check(f"PageRank: GAPBS's top {len(top)} after {steps} steps equal SciPy's within {error:.0e}", error < 1e-3)
    rank = scipy_pagerank(matrix, steps, spread_dangling=True)
    for number, tolerance in (("float64", 1e-12), ("float32", 1e-3)):
        error = np.abs(gp.pagerank(graph, tol=0, max_iter=steps, number=number).rank - rank).sum()
        check(f"PageRank: our ranks ({number}) equal SciPy's, L1 {error:.0e}", error < tolerance)
    return lines
