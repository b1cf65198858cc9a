# SPDX-License-Identifier: Apache-2.0
"""Predictions of the same question in several ways: by configuration of the kernels, by the share that is timed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import gaspipe as gp
from machine import table
from predict import apps, graphs

# Each with what it changes in the one before it.
STEPS = {
    "thundergp": "the published pipeline",
    "plain": "bursts overlap what reads them, an update a cycle, lines as needed, only the range in use flushed; "
    "apply's arrays spread over the channels; where every edge is streamed, the host beside the next gather",
    "wide": "16 edges a cycle to 16 PEs",
    "packed-single": "4 bytes an edge instead of 8",
    "packed-all": "a sub-partition sent while the next is gathered, several per launch",
    "packed": "vertices of a line change places so that PEs have about as many edges; edges before and behind those of "
    "active sources passed over, of searches with hubs first and units that share any range of sources",
}


def questions(args: argparse.Namespace) -> Iterator[tuple[graphs.Case, apps.App]]:
    """Every graph with every application; by weights, since a graph with and one without are not kept together."""
    for name in args.graphs:
        case = graphs.Case(name, args.cache)
        print(
            f"{name}: {case.recipe.about}; {case.num_edges:,} edges, {case.num_vertices:,} with out-edges", flush=True
        )
        for app in sorted((apps.APPS[app] for app in args.apps), key=lambda app: app.weighted):
            yield case, app
        case.forget()


def predict(case: graphs.Case, app: apps.App, **how: Any) -> tuple[gp.Prediction, float]:
    """Return a prediction, and how many seconds the host took."""
    start = time.perf_counter()
    result = app.predict(case.graph(app.weighted), case.root, **how)
    return result.stats.prediction, time.perf_counter() - start


def ablation(args: argparse.Namespace) -> dict[str, object]:
    """From the published pipeline to the packed one, one change at a time, in the same model and clock."""
    found, rows = [], []
    for case, app in questions(args):
        first = before = 0.0
        for config in STEPS:
            how = {"board": args.board, "clock_mhz": args.clock_mhz, "sample_edges": args.sample_edges}
            p, _ = predict(case, app, config=config, **how)
            mteps = p.graph_mteps * len(p.steps)  # edges of the graph, whether or not they had to be streamed
            first, before = first or mteps, before or mteps
            rows.append(
                [case.name, app.name, config, f"{p.streamed_mteps:.0f}", f"{p.graph_mteps:.0f}",
                 f"{1e3 * p.seconds / len(p.steps):.3f}", f"{mteps / before:.2f}", f"{mteps / first:.2f}",
                 p.limiting_stage, f"{p.bytes_per_edge:.2f}", f"{p.resources['uram']}/{p.resources['bram']}"]
            )  # fmt: skip
            found.append(
                {"graph": case.name, "app": app.name, "config": config, "streamed_mteps": p.streamed_mteps,
                 "graph_mteps": p.graph_mteps, "seconds": p.seconds, "supersteps": len(p.steps),
                 "of_first": mteps / first}
            )  # fmt: skip
            before = mteps
            print(" ".join(rows[-1]), flush=True)
    head = ["graph", "app", "config", "streamed MTEPS", "|E|/total MTEPS", "ms a step", "x before", "x thundergp",
            "limiting stage", "bytes/edge", "URAM/BRAM"]  # fmt: skip
    print()
    for config, change in STEPS.items():
        print(f"- {config}: {change}")
    print(f"\n{args.board} at {args.clock_mhz:g} MHz\n\n{table(head, rows)}\n")
    return {"rows": found}


def sampling(args: argparse.Namespace) -> dict[str, object]:
    """Predictions from some sub-partitions, beside those that time every edge."""
    found, rows = [], []
    for case, app in questions(args):
        full = 0.0
        shares = [None, *(case.num_edges // part for part in (2, 4, 8, 16))]
        for sample in shares if args.sample_edges is None else [None, args.sample_edges]:
            p, seconds = predict(case, app, board=args.board, config=args.config, sample_edges=sample)
            full = full or p.streamed_mteps
            error = 100 * (p.streamed_mteps / full - 1)
            found.append(
                {"graph": case.name, "app": app.name, "sample_edges": sample, "timed_share": p.timed_share,
                 "mteps": p.streamed_mteps, "error_percent": error, "host_seconds": seconds}
            )  # fmt: skip
            rows.append(
                [case.name, app.name, "all" if sample is None else f"{sample:,}", f"{100 * p.timed_share:.1f}%",
                 f"{p.streamed_mteps:.0f}", f"{error:+.2f}%", f"{seconds:.1f}"]
            )  # fmt: skip
            print(" ".join(rows[-1]), flush=True)
    head = ["graph", "app", "edges to time", "timed", "MTEPS", "error", "host s"]
    print(f"\n{table(head, rows)}\n")
    return {"samples": found}
