# SPDX-License-Identifier: Apache-2.0
"""The emulator's two executions beside the CPU's plain pipeline: million edges streamed per second, one thread."""

from __future__ import annotations

import argparse
import json
import statistics

import numpy as np

import gaspipe as gp
import machine

RUNS = {
    "bfs": lambda graph, root: (gp.bfs, (graph, root), {}),
    "sssp": lambda graph, root: (gp.sssp, (graph, root), {}),
    "pagerank, float64": lambda graph, root: (gp.pagerank, (graph,), {"tol": 0, "max_iter": 3}),
    "spmv, int32": lambda graph, root: (gp.spmv, (graph, np.ones(graph.num_vertices, np.int32)), {}),
}
WAYS = {
    "cpu, gas": {"method": "gas"},
    "emulator, fast": {"device": "emulator", "execution": "fast"},
    "emulator, exact": {"device": "emulator", "execution": "exact"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=18, help="2**scale vertices of an R-MAT graph (default: 18)")
    parser.add_argument("--edge-factor", type=int, default=8, help="edges drawn per vertex (default: 8)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", metavar="FILE", help="write all samples")
    args = parser.parse_args()
    graph = gp.generate.rmat(args.scale, args.edge_factor, seed=1, weights=(1, 255))
    root = int(np.argmax(graph.out_degrees()))
    parts = graph.partition(capacity=1 << min(args.scale, 20), compute_units=1)
    print(
        f"R-MAT {args.scale}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges; one compute unit, 1 thread\n"
    )
    print(f"{'':<20}{'':<18}{'M edges/s':>10}{'of cpu':>8}  {'predicted on u250, one unit':<30}")
    samples = {}
    for name, make in RUNS.items():
        call, positional, options = make(graph, root)
        times = {way: [] for way in WAYS}
        answers, predicted = {}, ""
        for _ in range(args.rounds + 1):  # the first one warms up
            for way, how in WAYS.items():
                result = call(*positional, **options, **how, partitioning=parts, num_threads=1)
                times[way].append(result.stats.edges_streamed / result.stats.seconds / 1e6)
                answers[way] = result.values
                if result.stats.predicted_cycles > 0:
                    cycles = result.stats.predicted_cycles / result.stats.edges_streamed
                    predicted = f"{result.stats.predicted_mteps:,.0f} MTEPS, {1 / cycles:.2f} edges/cycle"
        plain = answers["cpu, gas"]
        for way, values in answers.items():
            if not np.allclose(values, plain, rtol=1e-9):
                raise SystemExit(f"{name}: {way} differs from the CPU")
        rate = {way: statistics.median(t[1:]) for way, t in times.items()}
        for way in WAYS:
            share = rate[way] / rate["cpu, gas"]
            note = predicted if way == "emulator, exact" else ""
            print(f"{name:<20}{way:<18}{rate[way]:>10.1f}{share:>8.2f}  {note}")
        samples[name] = times
    print()
    for key, value in machine.facts().items():
        print(f"{key}: {value}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"samples": samples, "machine": machine.facts()}, file, indent=1)


if __name__ == "__main__":
    main()
