# SPDX-License-Identifier: Apache-2.0
"""Whole calls while other programs take cores, beside the same calls on one free core; see ../README.md.

Every installation (`--python`, repeatable) runs in processes of its own, in turns, so that two versions are measured
side by side. SciPy's BFS runs in the same conditions, as a measure of them.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from machine import facts, load, wait_until_quiet

GRAPHS = ("kron14", "kron18", "grid1000", "path1000000", "roads-ny")
# Name: cores of the measured process (None: all), threads (None: as by default), what runs beside it.
CONDITIONS: dict[str, tuple[list[int] | None, int | None, list[tuple[int | None, int]]]] = {
    "one free core": ([0], 1, []),
    "2 threads on one core": ([0], 2, []),
    "alone": (None, None, []),
    "core 0 taken": (None, None, [(0, 0)]),
    "core 1 taken": (None, None, [(1, 0)]),
    "two at nice 19": (None, None, [(None, 19), (None, 19)]),
    "two": (None, None, [(None, 0), (None, 0)]),
    "4 threads": (None, 4, []),
    "4 threads and core 1 taken": (None, 4, [(1, 0)]),
}


# Name: the call of a graph `g` from vertex `root`, by keyword options.
TASKS: dict[str, Callable[..., object]] = {
    "bfs": lambda gp, g, root, **how: gp.bfs(g, root, **how),
    "sssp": lambda gp, g, root, **how: gp.sssp(g, root, **how),
    "pagerank": lambda gp, g, root, **how: gp.pagerank(g, tol=0, max_iter=20, **how),
    "wcc": lambda gp, g, root, **how: gp.wcc(g, **how),
    "frontier": lambda gp, g, root, num_threads=None: _frontier(g, num_threads).run("search", root=root),
    "multi_source": lambda gp, g, root, **how: gp.multi_source(g, [root, 0, 1, 2], **how),
    "betweenness": lambda gp, g, root, **how: gp.betweenness(g, sources=[root], **how),
    "diameter": lambda gp, g, root, **how: gp.diameter(g, **how),
    "scc": lambda gp, g, root, **how: gp.scc(g, **how),
    "core_numbers": lambda gp, g, root, **how: gp.core_numbers(g, **how),
    "label_propagation": lambda gp, g, root, **how: gp.label_propagation(g, max_iter=10, **how),
    "louvain": lambda gp, g, root, **how: gp.louvain(g, **how),
    "coloring": lambda gp, g, root, **how: gp.coloring(g, **how),
    "maximal_independent_set": lambda gp, g, root, **how: gp.maximal_independent_set(g, **how),
    "minimum_spanning_forest": lambda gp, g, root, **how: gp.minimum_spanning_forest(g, **how),
    "triangles": lambda gp, g, root, **how: gp.triangles(g, **how),
    "hits": lambda gp, g, root, **how: gp.hits(g, max_iter=20, tol=0, **how),
    "local_store": lambda gp, g, root, **how: gp.bfs(g, root, method="local_store", **how),
    "scipy bfs": lambda gp, g, root, **how: _breadth_first_order(g, root),
}
SHORT = "bfs,sssp,pagerank,wcc,scipy bfs"


@functools.lru_cache(1)
def _frontier(g: Any, num_threads: int | None) -> Any:
    from frontier import engine_of

    return engine_of(g, num_threads=num_threads)


def _breadth_first_order(g: Any, root: int) -> None:
    from scipy.sparse import csgraph

    csgraph.breadth_first_order(_matrix(g), root, return_predecessors=False)


@functools.lru_cache(1)
def _matrix(g: Any) -> Any:
    import numpy as np
    from scipy import sparse

    arrays = (np.ones(g.num_edges), g.indices.view(np.int32), g.indptr.astype(np.int64))
    return sparse.csr_array(arrays, shape=(g.num_vertices,) * 2)


def worker(graph: str, names: list[str], seconds: float, threads: int | None, cores: list[int] | None) -> Any:
    """Seconds of every task, the median and what 19 of 20 calls take at most; in turns until the time is up."""
    if cores is not None:
        os.sched_setaffinity(0, cores)
    import gaspipe as gp

    if graph.startswith("kron"):
        g = gp.generate.kronecker(int(graph[4:]), 16, seed=1, weights=(1, 255))
    elif graph.startswith("grid"):
        g = gp.generate.grid(int(graph[4:]), int(graph[4:]), weights=(1, 10))
    elif graph.startswith("path"):
        g = gp.generate.grid(1, int(graph[4:]), weights=(1, 10))
    else:
        g = gp.roads_ny()
    how: dict[str, Any] = {} if threads is None else {"num_threads": threads}
    root = int(g.out_degrees().argmax())
    for name in names:
        TASKS[name](gp, g, root, **how)  # what a graph keeps is made once
    times: dict[str, list[float]] = {name: [] for name in names}
    end = time.perf_counter() + seconds
    while not times[names[-1]] or time.perf_counter() < end:
        for name in names:
            start = time.perf_counter()
            TASKS[name](gp, g, root, **how)
            times[name].append(time.perf_counter() - start)
    most = {name: statistics.quantiles([*values, values[-1]], n=20)[-1] for name, values in times.items()}
    return {name: [statistics.median(values), most[name]] for name, values in times.items()}


@contextlib.contextmanager
def others(programs: list[tuple[int | None, int]]) -> Iterator[None]:
    """Programs that compute without a pause, each on a core of its own or anywhere, at a nice value."""
    started = []
    try:
        for core, nice in programs:
            pin = "" if core is None else f"os.sched_setaffinity(0, [{core}])"
            text = f"import os; os.nice({nice}); {pin}\nwhile True: pass"
            started.append(subprocess.Popen([sys.executable, "-c", text]))
        time.sleep(0.3 if started else 0)
        yield
    finally:
        for program in started:
            program.send_signal(signal.SIGKILL)
            program.wait()


def measure(pythons: list[str], names: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Medians by installation, graph, condition and task, over the rounds."""
    found: dict[str, Any] = {}
    for graph in names:
        for condition in options.conditions:
            cores, threads, programs = CONDITIONS[condition]
            for _ in range(options.rounds):
                for python in pythons:
                    wait_until_quiet(options.patience)
                    asked = json.dumps([graph, options.tasks, options.seconds, threads, cores])
                    with others(programs), tempfile.TemporaryDirectory() as folder:
                        command = [python, str(Path(__file__).resolve()), "--worker", asked]
                        text = subprocess.run(command, check=True, capture_output=True, cwd=folder).stdout
                    for task, values in json.loads(text).items():
                        key = (python, graph, condition, task)
                        found.setdefault("|".join(key), []).append(values)
    return found


def table(found: dict[str, Any], pythons: list[str], names: list[str], options: argparse.Namespace) -> str:
    """Markdown: milliseconds in the first condition, then multiples of it: the median, and 19 of 20 calls at most."""
    conditions = options.conditions
    lines = [
        "| graph | task | installation | " + " | ".join(conditions) + " |",
        "|" + "---|" * (3 + len(conditions)),
    ]
    for graph in names:
        for task in options.tasks:
            for i, python in enumerate(pythons):
                cells = [np.median(found[f"{python}|{graph}|{c}|{task}"], axis=0) for c in conditions]
                free = cells[0][0]
                text = [f"{1e3 * free:.2f} ms", *(f"{cell[0] / free:.2f} ({cell[1] / free:.2f})" for cell in cells[1:])]
                lines.append(f"| {graph} | {task} | {chr(ord('A') + i)} | " + " | ".join(text) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", action="append", metavar="FILE", help="interpreter with gaspipe; repeatable")
    parser.add_argument("--graphs", default="kron14,grid1000", help=f"of {','.join(GRAPHS)}")
    parser.add_argument("--tasks", default=SHORT, help=f"all: {','.join(TASKS)} (default: {SHORT})")
    parser.add_argument("--conditions", default=",".join(CONDITIONS), help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=3, help="for every measurement (default: 3)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--patience", type=float, default=0, metavar="S", help="wait up to S s for idle CPUs")
    parser.add_argument("--json", metavar="FILE", help="write all medians")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(worker(*json.loads(options.worker))))
        return
    pythons, names = options.python or [sys.executable], options.graphs.split(",")
    options.tasks = list(TASKS) if options.tasks == "all" else options.tasks.split(",")
    options.conditions = options.conditions.split(",")
    before = load()
    found = measure(pythons, names, options)
    print(table(found, pythons, names, options))
    print(f"\n{json.dumps(facts(load_before=before))}")
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
