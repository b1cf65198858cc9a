# SPDX-License-Identifier: Apache-2.0
"""What 512-bit lanes are predicted to gain: closeness of 512 vertices, in passes of 64 searches or in one of 512."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent))

import gaspipe as gp
from machine import table

SEARCHES = 512
KERNELS = (("plain", "uint64"), ("packed", "uint64"), ("plain", "bits512"))


def rows(scale: int, board: str, sample_edges: int | None) -> list[list[str]]:
    """Rows of the table for a Kronecker graph."""
    graph = gp.generate.kronecker(scale, seed=1)
    degrees = np.diff(graph.indptr.astype(np.int64))
    # Of vertices with edges, for others end at once.
    sources = np.random.default_rng(1).choice(np.flatnonzero(degrees), SEARCHES, replace=False)
    found, wanted, first = [], None, 0.0
    for config, number in KERNELS:
        result = gp.predict(
            "closeness", graph, board=board, config=config, number=number, vertices=sources, sample_edges=sample_edges
        )
        if wanted is None:
            wanted = result.closeness
        if not np.array_equal(result.closeness, wanted, equal_nan=True):
            sys.exit(f"{config}, {number}: other values")
        prediction = result.stats.prediction
        seconds = prediction.seconds
        first = first or seconds
        found.append(
            [
                f"kron{scale}, {board}",
                config,
                number,
                str(result.stats.num_supersteps),
                f"{prediction.edges_streamed / 1e6:,.1f}",
                f"{1e3 * seconds:,.2f}",
                f"{first / seconds:.2f}",
                f"{SEARCHES * graph.num_edges / seconds / 1e9:,.1f}",
                prediction.limiting_stage,
                f"{prediction.resources['uram']:,}",
            ]
        )
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, nargs="+", default=[14, 16])
    parser.add_argument("--board", nargs="+", default=["u250"])
    parser.add_argument("--sample-edges", type=int, default=2_000_000, help="time so many of a super-step's edges")
    args = parser.parse_args()
    head = ["graph", "kernels", "number", "steps", "M edges streamed", "ms", "speed", "GTEPS", "limited by", "URAM"]
    found = [row for scale in args.scale for board in args.board for row in rows(scale, board, args.sample_edges)]
    print(table(head, found))


if __name__ == "__main__":
    main()
