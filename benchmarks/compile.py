# SPDX-License-Identifier: Apache-2.0
"""What an algorithm of the user's own costs: its first use, its second, and its speed beside the built-in one's.

First use: the time of `Algorithm.compile()` with an empty cache, next to that of the same compiler and flags for a file
that only includes the headers of that engine (processor time of all children, for a busy machine stretches the other;
wall time is given too). Second use: a fresh process that imports gaspipe, makes the algorithm and runs it, next to one
that only imports gaspipe. Speed: BFS and PageRank as snippets, next to gp.bfs and gp.pagerank, in alternation. Bars:
first use at most 2 times the headers, second use at most 2 times the import, speed within 10 %.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

from machine import facts, require, save, table

gp = require("gaspipe")
from gaspipe import _compile  # noqa: E402

FIRST_BAR, SECOND_BAR, SPEED_BAR = 2, 2, 1.1
WIDEST = dict(
    scatter="min(src, edge)", gather="max(a, b)", initial="v == root ? 0xffffffff : 0", parameters={"root": 0}
)
BFS = r"""
template <class Number>
struct Hooks {
  using Property = Number;
  static constexpr Property kUnreached = 0xffffffffu;
  static constexpr Property kIdentity = kUnreached;
  static constexpr bool kReadsEdgeProperty = false;
  static constexpr bool kIdempotent = true;
  static constexpr bool kFinalOnceSet = true;
  static constexpr int kAux = 0;
  static bool isActive(Property update) { return update != kUnreached; }
  static bool isSource(Property level) { return level != kUnreached; }
  static Property preprocessProperty(Property level) { return level == kUnreached ? level : level + 1; }
  static Property scatterFunc(Property level, Property) { return level; }
  static Property gatherFunc(Property level, Property update) { return update < level ? update : level; }
  static Property applyFunc(Property tProp, Property source, Property, unsigned& extra, unsigned) {
    extra += tProp < source;
    return gatherFunc(source, tProp);
  }
};
"""
PAGERANK = r"""
inline prop_t gatherFunc(prop_t a, prop_t b) { return a + b; }
inline prop_t applyFunc(prop_t tProp, prop_t source, const prop_t (&aux)[2], double (&extra)[2], Step arg) {
  const prop_t rank = arg.base * aux[1] + arg.damping * tProp;
  const prop_t divisor = aux[0] > 1 ? aux[0] : prop_t(1);
  const prop_t contribution = rank / divisor;
  const prop_t change = (contribution - source) * divisor;
  extra[0] += change > -change ? change : -change;
  extra[1] += rank * (divisor - aux[0]);
  return contribution;
}
"""
SECOND = """
import time; t = time.perf_counter()
import gaspipe as gp
{}
print(time.perf_counter() - t)
"""


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(f: Callable[[], Any]) -> tuple[float, float]:
    """Processor and wall seconds; the processor's are those of this process and its children."""
    before, own, start = children_seconds(), time.process_time(), time.perf_counter()
    f()
    wall = time.perf_counter() - start
    return children_seconds() - before + time.process_time() - own, wall


def first_use(device: str, runs: int) -> dict[str, list[tuple[float, float]]]:
    headers = {"cpu": ["on_cpu"], "emulator": ["on_device", "on_emulator"]}[device]
    found: dict[str, list[tuple[float, float]]] = {"headers": [], "snippet": []}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "headers.cpp")
        source.write_text("".join(f'#include "gaspipe/engine/{name}.h"\n' for name in headers))
        command = [*_compile.compiler(), *_compile.FLAGS, "-I", gp.get_include(), str(source)]
        for i in range(runs + 1):
            library = [*command, "-o", str(Path(folder, "headers.so"))]
            headers_only = measured(lambda library=library: subprocess.run(library, check=True))
            gp.cache.clear()
            algorithm = gp.Algorithm("widest", **WIDEST)
            snippet = measured(lambda algorithm=algorithm: algorithm.compile(device))
            if i > 0:  # the first one reads the disk
                found["headers"].append(headers_only)
                found["snippet"].append(snippet)
    return found


def second_use(runs: int) -> dict[str, list[float]]:
    use = (
        'a = gp.Algorithm("widest", scatter="min(src, edge)", gather="max(a, b)", '
        'initial="v == root ? 0xffffffff : 0", parameters={"root": 0})\n'
        "a(([0, 1], [1, 2], [5, 6]), root=0)"
    )
    found: dict[str, list[float]] = {"import": [], "import and use": []}
    for i in range(runs + 1):
        for name, rest in (("import", ""), ("import and use", use)):
            done = subprocess.run(
                [sys.executable, "-c", SECOND.format(rest)], capture_output=True, text=True, check=True
            )
            if i > 0:
                found[name].append(float(done.stdout))
    return found


def speeds(device: str, scale: int, runs: int) -> dict[str, tuple[float, float]]:
    graph = gp.generate.kronecker(scale, 16, seed=1)
    root = int((graph.indptr[1:] - graph.indptr[:-1]).argmax())
    bfs = gp.Algorithm(
        "my_bfs",
        BFS,
        initial="v == root ? 0u : 0xffffffffu",
        parameters={"root": 0},
        finish="prop == 0xffffffffu ? -1 : std::int32_t(prop)",
        dtype="int32",
    )
    pagerank = gp.Algorithm(
        "my_pagerank",
        "struct Step { double base, damping; };" + PAGERANK,
        prop="float64",
        inputs={"degree": "out_degree(v)", "teleport": "1.0 / n"},
        parameters={"damping": 0.85},
        arg="Step{1 - damping + damping * sums[1], damping}",
        initial="1.0 / n / (out_degree(v) == 0 ? 1 : out_degree(v))",
        until=("steps", 10),
        finish="prop * (out_degree(v) == 0 ? 1 : out_degree(v))",
    )
    pairs = {
        "bfs": (lambda: gp.bfs(graph, root, device=device), lambda: bfs(graph, root, device=device)),
        "pagerank": (
            lambda: gp.pagerank(graph, tol=0, max_iter=10, device=device),
            lambda: pagerank(graph, device=device),
        ),
    }
    found = {}
    for name, calls in pairs.items():
        for call in calls:
            call()
        seconds: tuple[list[float], list[float]] = ([], [])
        for _ in range(runs):
            for call, times in zip(calls, seconds):
                times.append(call().stats.seconds)
        found[name] = (min(seconds[0]), min(seconds[1]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--scale", type=int, default=18, help="of the Kronecker graph that is searched and ranked")
    parser.add_argument("--json", help="write the numbers to a JSON file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        rows, numbers = [], {}
        for device in ("cpu", "emulator"):
            found = first_use(device, options.runs if device == "cpu" else 2)
            best = {name: (min(c for c, _ in t), min(w for _, w in t)) for name, t in found.items()}
            ratio = best["snippet"][0] / best["headers"][0]
            for name in ("headers", "snippet"):
                rows.append([f"{device}: {name}", f"{best[name][0]:.3f}", f"{best[name][1]:.3f}"])
            rows.append([f"{device}: ratio (bar {FIRST_BAR} on the CPU)", f"{ratio:.2f}", ""])
            numbers[device] = {"first use": found, "ratio": ratio}
        print(table(["first use", "processor s", "wall s"], rows))
        second = second_use(options.runs)
        medians = {name: statistics.median(times) for name, times in second.items()}
        ratio = medians["import and use"] / medians["import"]
        print(table(["second use", "wall s"], [[n, f"{s:.3f}"] for n, s in medians.items()]))
        print(f"ratio {ratio:.2f} (bar {SECOND_BAR})")
        numbers["second use"] = {"seconds": second, "ratio": ratio}
        rows = []
        for device in ("cpu", "emulator"):
            scale = options.scale if device == "cpu" else options.scale - 4
            numbers[f"speed {device}"] = found = speeds(device, scale, options.runs)
            for name, (built_in, own) in found.items():
                rows.append([device, name, f"{1e3 * built_in:.2f}", f"{1e3 * own:.2f}", f"{own / built_in:.3f}"])
        print(table(["device", "algorithm", "built in, ms", "snippet, ms", f"ratio (bar {SPEED_BAR})"], rows))
    save(options.json, {**facts(), **numbers})


if __name__ == "__main__":
    main()
