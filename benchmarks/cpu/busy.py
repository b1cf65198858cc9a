# SPDX-License-Identifier: Apache-2.0
"""Whole calls while other programs take cores, beside the same calls on one free core; see ../README.md.

Every installation (`--python`, repeatable) runs in processes of its own, in turns, so that two versions are measured
side by side. SciPy's BFS runs in the same conditions, as a measure of them.
"""

from __future__ import annotations

import argparse
import contextlib
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

from machine import facts, load, wait_until_quiet

TASKS = ("bfs", "sssp", "pagerank", "scipy bfs")
GRAPHS = ("kron14", "kron18", "grid1000", "roads-ny")
# Name: cores of the measured process (None: all), threads (None: as by default), what runs beside it.
CONDITIONS: dict[str, tuple[list[int] | None, int | None, list[tuple[int | None, int]]]] = {
    "one free core": ([0], 1, []),
    "alone": (None, None, []),
    "core 0 taken": (None, None, [(0, 0)]),
    "core 1 taken": (None, None, [(1, 0)]),
    "two at nice 19": (None, None, [(None, 19), (None, 19)]),
}


def worker(graph: str, seconds: float, threads: int | None, cores: list[int] | None) -> dict[str, float]:
    """Median seconds of every task, asked in turns until the time is up."""
    if cores is not None:
        os.sched_setaffinity(0, cores)
    import numpy as np
    from scipy import sparse

    import gaspipe as gp

    if graph.startswith("kron"):
        g = gp.generate.kronecker(int(graph[4:]), 16, seed=1, weights=(1, 255))
    elif graph.startswith("grid"):
        g = gp.generate.grid(int(graph[4:]), int(graph[4:]), weights=(1, 10))
    else:
        g = gp.roads_ny()
    root = int(np.argmax(g.out_degrees()))
    arrays = (np.ones(g.num_edges), g.indices.view(np.int32), g.indptr.astype(np.int64))
    matrix = sparse.csr_array(arrays, shape=(g.num_vertices,) * 2)
    options: dict[str, Any] = {} if threads is None else {"num_threads": threads}
    tasks: dict[str, Callable[[], object]] = {
        "bfs": lambda: gp.bfs(g, root, **options),
        "sssp": lambda: gp.sssp(g, root, **options),
        "pagerank": lambda: gp.pagerank(g, tol=0, max_iter=20, **options),
        "scipy bfs": lambda: sparse.csgraph.breadth_first_order(matrix, root, return_predecessors=False),
    }
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()  # what a graph keeps is made once
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


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


def measure(pythons: list[str], names: list[str], seconds: float, rounds: int, patience: float) -> dict[str, Any]:
    """Medians by installation, graph, condition and task, over the rounds."""
    found: dict[str, Any] = {}
    for graph in names:
        for condition, (cores, threads, programs) in CONDITIONS.items():
            for _ in range(rounds):
                for python in pythons:
                    wait_until_quiet(patience)
                    asked = json.dumps([graph, seconds, threads, cores])
                    with others(programs), tempfile.TemporaryDirectory() as folder:
                        command = [python, str(Path(__file__).resolve()), "--worker", asked]
                        text = subprocess.run(command, check=True, capture_output=True, cwd=folder).stdout
                    for task, value in json.loads(text).items():
                        key = (python, graph, condition, task)
                        found.setdefault("|".join(key), []).append(value)
    return found


def table(found: dict[str, Any], pythons: list[str], names: list[str]) -> str:
    """Markdown: milliseconds on one free core, then times that in every other condition."""
    conditions = list(CONDITIONS)
    lines = [
        "| graph | task | installation | one free core | " + " | ".join(conditions[1:]) + " |",
        "|" + "---|" * (3 + len(conditions)),
    ]
    for graph in names:
        for task in TASKS:
            for i, python in enumerate(pythons):
                cells = [statistics.median(found[f"{python}|{graph}|{c}|{task}"]) for c in conditions]
                text = [f"{1e3 * cells[0]:.2f} ms", *(f"{value / cells[0]:.2f} x" for value in cells[1:])]
                lines.append(f"| {graph} | {task} | {chr(ord('A') + i)} | " + " | ".join(text) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", action="append", metavar="FILE", help="interpreter with gaspipe; repeatable")
    parser.add_argument("--graphs", default="kron14,grid1000", help=f"of {','.join(GRAPHS)}")
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
    before = load()
    found = measure(pythons, names, options.seconds, options.rounds, options.patience)
    print(table(found, pythons, names))
    print(f"\n{json.dumps(facts(load_before=before))}")
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
