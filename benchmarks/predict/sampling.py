# SPDX-License-Identifier: Apache-2.0
"""What sampling costs: predictions from some sub-partitions, beside those that time every edge."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from predict import apps, graphs, run


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    run.add_options(parser, "R21", "pr,bfs,sssp")
    parser.add_argument("--board", default="u250")
    parser.add_argument("--config", default="thundergp")
    args = parser.parse_args()
    rows, found = [], []
    for name in args.graphs:
        case = graphs.Case(name, args.cache)
        for app in sorted(args.apps, key=lambda app: apps.APPS[app].weighted):
            full = 0.0
            shares = [None, *(case.num_edges // part for part in (2, 4, 8, 16))]
            for sample in shares if args.sample_edges is None else [None, args.sample_edges]:
                start = time.perf_counter()
                result = apps.APPS[app].predict(
                    case.graph(apps.APPS[app].weighted),
                    case.root,
                    board=args.board,
                    config=args.config,
                    sample_edges=sample,
                )
                seconds = time.perf_counter() - start
                p = result.stats.prediction
                full = full or p.streamed_mteps
                error = 100 * (p.streamed_mteps / full - 1)
                found.append(
                    {"graph": name, "app": app, "sample_edges": sample, "timed_share": p.timed_share,
                     "mteps": p.streamed_mteps, "error_percent": error, "host_seconds": seconds}
                )  # fmt: skip
                rows.append(
                    [name, app, "all" if sample is None else f"{sample:,}", f"{100 * p.timed_share:.1f}%",
                     f"{p.streamed_mteps:.0f}", f"{error:+.2f}%", f"{seconds:.1f}"]
                )  # fmt: skip
                print(" ".join(rows[-1]), flush=True)
    head = ["graph", "app", "edges to time", "timed", "MTEPS", "error", "host s"]
    print("\n" + run.table(head, rows) + "\n")
    run.machine_facts()
    if args.json:
        run.save(args.json, {"samples": found})


if __name__ == "__main__":
    main()
