# SPDX-License-Identifier: Apache-2.0
"""How fast timed execution is: edges timed per second of one thread, beside another program's in the same run."""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess

import gaspipe as gp
from gaspipe import _core
from machine import table
from predict import apps, graphs


def other(program: str, scale: int) -> float:
    """Million edges per second that the other program says it times."""
    done = subprocess.run([program, "-v", str(scale)], capture_output=True, text=True, check=True)
    found = re.search(r"host ([\d.]+) Medges/s", done.stdout)
    if found is None:
        raise SystemExit(f"{program} printed no 'host X Medges/s':\n{done.stdout}")
    return float(found[1])


def ours(graph: gp.Graph, config: str) -> float:
    """Million edges per second of ours, one thread."""
    stats = apps.APPS["pr"].predict(graph, 0, steps=2, board="u250", config=config, num_threads=1).stats
    return float(stats.prediction.steps["timed_edges"].sum()) / stats.seconds / 1e6


def speed(args: argparse.Namespace) -> dict[str, object]:
    """Edges timed per second of one thread, every configuration and the other simulator in turns."""
    drawn = gp.generate.kronecker(args.scale, 32, symmetric=False)
    graph = graphs.as_graph(*graphs.compressed(drawn), weighted=False)
    configs = [c["name"] for c in _core.configs() if not c["is_for_hbm"]]  # those that are timed
    ways = {config: lambda config=config: ours(graph, config) for config in configs}
    if args.spike:
        ways["spike"] = lambda: other(args.spike, args.scale)
    samples: dict[str, list[float]] = {way: [] for way in ways}
    for turn in range(args.rounds + 1):  # the first one warms up
        for way, call in ways.items():
            rate = call()
            if turn:
                samples[way].append(rate)
    print(
        f"PageRank on Kronecker {args.scale}, {graph.num_edges:,} edges, one thread, medians of {args.rounds} rounds\n"
    )
    base = statistics.median(samples["spike"]) if args.spike else float("nan")
    rows = []
    for way, rates in samples.items():
        middle = statistics.median(rates)
        rows.append([way, f"{middle:.2f}", f"{min(rates):.2f}-{max(rates):.2f}", f"{middle / base:.2f}"])
    print(table(["", "M edges/s", "range", "of the spike's"], rows) + "\n")
    return {"samples": samples}
