# SPDX-License-Identifier: Apache-2.0
"""What a call costs before any work: the import of gaspipe, and a search of ten vertices.

Import times are taken inside fresh processes, in alternation. The call is a breadth-first search from vertex 0 of a
ring of ten vertices; its equivalent in NumPy is the same search, level by level, written with NumPy calls on the same
CSR arrays. A single ufunc on ten numbers is given for scale. Bars: import at most 2 times NumPy's, call at most 20
times its equivalent's.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import timeit
from typing import Any, Callable

from machine import facts, load, require, save, table

IMPORT_BAR, CALL_BAR = 2, 20
IMPORT = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def import_seconds(modules: tuple[str, ...], runs: int) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {module: [] for module in modules}
    for i in range(runs + 1):
        for module, times in seconds.items():
            done = subprocess.run([sys.executable, "-c", IMPORT.format(module)], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"overhead.py: cannot import {module}: {done.stderr.strip().splitlines()[-1]}")
            if i > 0:  # the first one reads the disk
                times.append(float(done.stdout))
    return seconds


def numpy_bfs(indptr: Any, indices: Any, root: int) -> Any:
    """Levels by expanding a frontier, with nothing but NumPy calls."""
    np = sys.modules["numpy"]
    depth = np.full(len(indptr) - 1, -1, np.int32)
    depth[root] = level = 0
    frontier = np.array([root])
    while frontier.size:
        level += 1
        first, count = indptr[frontier], indptr[frontier + 1] - indptr[frontier]
        edges = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
        neighbours = indices[edges]
        frontier = np.unique(neighbours[depth[neighbours] < 0])
        depth[frontier] = level
    return depth


def call_seconds(calls: dict[str, Callable[[], Any]], runs: int) -> dict[str, list[float]]:
    """Seconds per call, each sample over about 20 ms, in alternation."""
    counts = {name: max(1, int(0.02 / timeit.timeit(call, number=20) * 20)) for name, call in calls.items()}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, call in calls.items():
            seconds[name].append(timeit.timeit(call, number=counts[name]) / counts[name])
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    before = load()
    imports = import_seconds(("numpy", "gaspipe"), options.runs)

    np, gp, sparse = require("numpy"), require("gaspipe"), require("scipy.sparse", "scipy")
    csgraph = require("scipy.sparse.csgraph", "scipy")
    ring = np.arange(10)
    indices = np.sort(np.column_stack([(ring - 1) % 10, (ring + 1) % 10]), axis=1).ravel().astype(np.int32)
    matrix = sparse.csr_array((np.ones(20, np.int32), indices, np.arange(0, 21, 2, dtype=np.int32)), shape=(10, 10))
    graph, values = gp.Graph(matrix), np.ones(10)
    if not np.array_equal(gp.bfs(graph, 0).depth, numpy_bfs(matrix.indptr, matrix.indices, 0)):
        sys.exit("overhead.py: gaspipe and NumPy find different levels")
    calls = call_seconds(
        {
            "BFS with NumPy calls": lambda: numpy_bfs(matrix.indptr, matrix.indices, 0),
            "gp.bfs(graph)": lambda: gp.bfs(graph, 0),
            "gp.bfs(csr_array)": lambda: gp.bfs(matrix, 0),
            "gp.pagerank(graph), 1 step": lambda: gp.pagerank(graph, tol=0, max_iter=1),
            "csgraph.breadth_first_order": lambda: csgraph.breadth_first_order(matrix, 0),
            "np.add of 10 numbers": lambda: np.add(values, values),
        },
        options.runs,
    )

    def rows(samples: dict[str, list[float]], scale: float, bar: float) -> list[list[str]]:
        base = statistics.median(next(iter(samples.values())))
        lines = []
        for name, times in samples.items():
            middle = statistics.median(times)
            verdict = "" if "gaspipe" not in name and "gp." not in name else "yes" if middle <= bar * base else "NO"
            spread = f"{scale * min(times):.3g}-{scale * max(times):.3g}"
            lines.append([name, f"{scale * middle:.3g}", spread, f"{middle / base:.2f}", verdict])
        return lines

    print(table(["import", "ms", "range", "ratio", f"<= {IMPORT_BAR}"], rows(imports, 1e3, IMPORT_BAR)), end="\n\n")
    print(
        table(["call, 10 vertices", "us", "range", "ratio", f"<= {CALL_BAR}"], rows(calls, 1e6, CALL_BAR)), end="\n\n"
    )
    known = facts(gaspipe=gp.__version__, runs=options.runs, load=f"{before} before, {load()} after")
    print("\n".join(f"{key}: {value}" for key, value in known.items()))
    save(options.json, {"facts": known, "import_seconds": imports, "call_seconds": calls})


if __name__ == "__main__":
    main()
