# SPDX-License-Identifier: Apache-2.0
"""From the published pipeline to the packed one, a change at a time: what each gives, in the same model and clock."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from predict import apps, graphs, run

# Each with what it changes in the one before it.
STEPS = {
    "thundergp": "the published pipeline",
    "plain": "bursts overlap what reads them, an update a cycle, lines as needed, only the range in use flushed",
    "wide": "16 edges a cycle to 16 PEs",
    "packed-one-slice": "4 bytes an edge instead of 8",
    "packed-all-slices": "a slice sent while the next is gathered, several per launch",
    "packed": "slices without active sources passed over",
}


def main() -> None:
    """Predict and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    run.add_options(parser, "R19,R21", "pr,bfs,sssp")
    parser.add_argument("--board", default="u250")
    parser.add_argument("--clock-mhz", type=float, default=250.0, help="of every configuration (default: 250)")
    args = parser.parse_args()
    found, rows = [], []
    for name in args.graphs:
        case = graphs.Case(name, args.cache)
        for app in sorted(args.apps, key=lambda app: apps.APPS[app].weighted):
            first = before = 0.0
            for config in STEPS:
                result = apps.APPS[app].predict(
                    case.graph(apps.APPS[app].weighted),
                    case.root,
                    board=args.board,
                    config=config,
                    clock_mhz=args.clock_mhz,
                    sample_edges=args.sample_edges,
                )
                p = result.stats.prediction
                mteps = p.graph_mteps * len(p.steps)  # edges of the graph, whether or not they had to be streamed
                first, before = first or mteps, before or mteps
                rows.append(
                    [name, app, config, f"{p.streamed_mteps:.0f}", f"{p.graph_mteps:.0f}",
                     f"{1e3 * p.seconds / len(p.steps):.3f}", f"{mteps / before:.2f}", f"{mteps / first:.2f}",
                     p.limiting_stage, f"{p.bytes_per_edge:.2f}", f"{p.resources['uram']}/{p.resources['bram']}"]
                )  # fmt: skip
                found.append(
                    {"graph": name, "app": app, "config": config, "streamed_mteps": p.streamed_mteps,
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
    print(f"\n{args.board} at {args.clock_mhz:g} MHz\n\n" + run.table(head, rows) + "\n")
    run.machine_facts()
    if args.json:
        run.save(args.json, {"rows": found})


if __name__ == "__main__":
    main()
