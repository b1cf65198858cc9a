# SPDX-License-Identifier: Apache-2.0
"""Cell's search with local stores (gp.bfs with method="local_store") beside gp.bfs, by degree and workers.

Graphs are uniform, with as many out-edges per vertex as the degree says. Both search from the same vertices, in
alternation, and their levels are compared. Times are engine times, without splitting lists; the ratio is gp.bfs's time
/ the other's. Edges per second count the edges of the vertices reached, loaded or not, as Graph500 does; what part was
loaded is a column of its own, for a search that has marked every vertex loads no more. Bar: 0.5 at degree 100 with as
many workers as cores. --png draws edges per second over workers, a line for each degree, with and without hiding.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from machine import Others, Samples, alternate, facts, load, require, save, table

gp = require("gaspipe")
np = require("numpy")
BAR, BAR_DEGREE = 0.5, 100
STORE_BYTES = 256 * 1024


def sides_of(graph: Any, roots: list[int], sweep: list[tuple[int, bool]]) -> dict[Any, Any]:
    """What is timed: gp.bfs, and the other by number of workers and whether it hides latency."""
    found: dict[int, Any] = {}

    def search(turn: int, **options: Any) -> tuple[list[float], float]:
        root = roots[turn % len(roots)]
        with Others() as others:
            best = min((gp.bfs(graph, root, **options) for _ in range(3)), key=lambda r: r.stats.seconds)
        wanted = found.setdefault(root, best.depth)
        if not np.array_equal(best.depth, wanted):
            sys.exit(f"root {root}, {options}: other levels")
        return [best.stats.seconds], others.share

    def by_workers(workers: int, hides: bool) -> Any:
        options = {"method": "local_store", "workers": workers, "hide_latency": hides}
        return lambda turn: search(turn, local_store_bytes=STORE_BYTES, **options)

    return {None: search} | {(workers, hides): by_workers(workers, hides) for workers, hides in sweep}


def measure(degree: int, num_vertices: int, workers: list[int], rounds: int, patience: float) -> list[list[str]]:
    graph = gp.generate.uniform(num_vertices, degree * num_vertices, seed=1)
    roots = np.random.default_rng(1).choice(num_vertices, rounds, replace=False).tolist()
    rows = []
    for count in workers:  # the graph keeps the lists of one number of workers
        sweep = [(count, True), (count, False)]
        gp.bfs(graph, roots[0])  # makes the views
        profile = gp.bfs(graph, roots[0], method="local_store", workers=count, local_store_bytes=STORE_BYTES).stats
        samples: dict[Any, Samples] = alternate(rounds, patience, sides_of(graph, roots, sweep))
        plain, hidden, shown = samples[None].median, samples[count, True].median, samples[count, False].median
        reached = gp.bfs(graph, roots[0]).depth >= 0
        edges = int(np.diff(graph.indptr)[reached].sum())
        clear = gp.bfs(
            graph, roots[0], method="local_store", workers=count, local_store_bytes=STORE_BYTES, hide_latency=False
        ).stats.local_store
        steps = clear.step_seconds
        rows.append(
            [
                str(degree),
                str(count),
                str(samples[None]),
                str(samples[count, True]),
                f"{plain / hidden:.2f}",
                f"{shown / hidden:.2f}",
                f"{edges / hidden / 1e6:,.0f}",
                f"{100 * profile.local_store.edges / edges:.0f}",
                f"{100 * steps['bitmap'] / sum(steps.values()):.0f}",
                f"{100 * clear.stall_seconds / (sum(steps.values()) + clear.stall_seconds):.0f}",
                f"{1e6 * sum(steps.values()) / max(clear.periods, 1):.1f}",
            ]
        )
        print(" ".join(rows[-1]), file=sys.stderr)
    return rows


HEADS = [
    "degree",
    "workers",
    "gp.bfs [ms]",
    "local_store [ms]",
    "gp.bfs / local_store",
    "gain of hiding",
    "M edges/s",
    "loaded [%]",
    "step 5 [%]",
    "stalls [%]",
    "period [us]",
]


def plot(rows: list[list[str]], path: str) -> None:
    figure = require("matplotlib.figure").Figure(figsize=(9, 4), layout="constrained")
    speed, gain = figure.subplots(1, 2)
    for degree in dict.fromkeys(row[0] for row in rows):
        cells = {int(row[1]): (float(row[6].replace(",", "")), float(row[5])) for row in rows if row[0] == degree}
        line = speed.plot(list(cells), [rate for rate, _ in cells.values()], marker="o", label=f"degree {degree}")
        gain.plot(list(cells), [hidden for _, hidden in cells.values()], marker="o", color=line[0].get_color())
    speed.set(xlabel="workers", ylabel="million edges per second", ylim=(0, None))
    gain.set(xlabel="workers", ylabel="time without hiding latency / with")
    gain.axhline(1, color="gray", linewidth=0.8)
    speed.legend()
    figure.savefig(path, dpi=110)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--degrees", type=int, nargs="+", default=[10, 50, 100, 200])
    parser.add_argument("--workers", type=int, nargs="+", default=list(range(1, 9)))
    parser.add_argument("--scale", type=int, default=20, help="2**SCALE vertices; half of them at degree 200")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=0.0, metavar="S", help="wait for idle CPUs this long")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--png", metavar="FILE", help="draw the sweep")
    options = parser.parse_args()
    before = load()
    print(f"{os.cpu_count()} cores, stores of {STORE_BYTES} bytes\n")
    rows = []
    for degree in options.degrees:
        num_vertices = 1 << options.scale - (degree >= 200)
        rows += measure(degree, num_vertices, options.workers, options.rounds, options.patience)
    print(table(HEADS, rows))
    at_bar = [row for row in rows if row[0] == str(BAR_DEGREE) and row[1] == str(os.cpu_count())]
    for row in at_bar:
        print(f"\ndegree {row[0]}, {row[1]} workers: {row[4]} of gp.bfs (bar: {BAR})")
    known = facts(
        gaspipe=gp.__version__, scale=options.scale, rounds=options.rounds, load=f"{before} before, {load()} after"
    )
    print("\n" + "\n".join(f"{key}: {value}" for key, value in known.items()))
    save(options.json, {"facts": known, "cells": [dict(zip(HEADS, row)) for row in rows]})
    if options.png:
        plot(rows, options.png)
    return 0


if __name__ == "__main__":
    sys.exit(main())
