# SPDX-License-Identifier: Apache-2.0
"""Searches on kernels that pass over edges along which nothing new is sent, beside ones that stream every edge.

Predicted time on U250 (plain and packed kernels) and U280 (hbm); millions of edges a second are |E| / time of the whole
search, however many super-steps it took. Nothing here ran on a card.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent))

import gaspipe as gp
from machine import table

WAYS = (("u250", "plain"), ("u250", "packed"), ("u280", "hbm"))
GRAPHS: dict[str, Callable[[], gp.Graph]] = {
    "strip": lambda: gp.generate.grid(2048, 16, weights=(1, 255), seed=1),
    "grid": lambda: gp.generate.grid(192, 192, weights=(1, 255), seed=1),
    "kron14": lambda: gp.generate.kronecker(14, 16, 1, weights=(1, 255)),
    "kron16": lambda: gp.generate.kronecker(16, 16, 1, weights=(1, 255)),
    "R19": lambda: gp.generate.kronecker(19, 32, 1, symmetric=False, weights=(1, 255)),
}
SEARCHES = ("bfs", "sssp", "wcc")


def rows(name: str, graph: gp.Graph, searches: list[str], sample_edges: int | None) -> list[list[str]]:
    """Rows of the table for a graph."""
    root = int(np.argmax(graph.out_degrees())) if name[0] in "kR" else 0
    found = []
    for search in searches:
        arguments: dict[str, Any] = {} if search == "wcc" else {"root": root}
        for board, config in WAYS:
            options = {"board": board, "config": config, "sample_edges": sample_edges, **arguments}
            both = {skipping: gp.predict(search, graph, skip_idle=skipping, **options) for skipping in (False, True)}
            if not np.array_equal(both[True].values, both[False].values):
                sys.exit(f"{search}, {config}: other values")
            every, busy = (both[skipping].stats.prediction for skipping in (False, True))
            edges = both[True].stats.num_edges
            share = busy.edges_streamed / every.edges_streamed
            found.append(
                [
                    name, f"{edges:,}", search, f"{config}, {board}", str(both[True].stats.num_supersteps),
                    f"{100 * share:.1f} %", f"{1e3 * every.seconds:,.2f}", f"{1e3 * busy.seconds:,.2f}",
                    f"{edges / every.seconds / 1e6:,.0f}", f"{edges / busy.seconds / 1e6:,.0f}",
                    f"{every.seconds / busy.seconds:.2f}",
                ]
            )  # fmt: skip
            print(" | ".join(found[-1]), flush=True)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=lambda text: text.split(","), default=["strip", "grid", "kron14", "kron16"])
    parser.add_argument("--searches", type=lambda text: text.split(","), default=list(SEARCHES))
    parser.add_argument("--sample-edges", type=int, help="time so many of a super-step's edges; by default all")
    args = parser.parse_args()
    head = ["graph", "edges", "search", "kernels", "steps", "edges streamed", "ms, all", "ms, passing over",
            "MTEPS, all", "MTEPS, passing over", "speed"]  # fmt: skip
    print(table(head, [row for name in args.graphs for row in rows(name, GRAPHS[name](), args.searches,
                                                                    args.sample_edges)]))  # fmt: skip


if __name__ == "__main__":
    main()
