# SPDX-License-Identifier: Apache-2.0
"""Shortest paths by buckets on an array of PEs (gp.sssp with method="delta_stepping"): predicted for U280.

Nothing here was measured on a board: cycles are the emulator's, clock and memory those of hls/device. A search begins
at the median vertex by out-degree of those that have edges; weights are uniform from 1 to 255, those of the road its
own, and distances are compared with those of gp.sssp. GTEPS are |E| / time: all edges of the graph, however often their
sources are sent. The time is that of the kernel, which goes from phase to phase by itself, and of one launch with the
host's part. Beside it, of the same board, the streamed kernels of `hbm`, which pass over edges whose sources did not
change, and are launched in every super-step.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from machine import require, table

gp = require("gaspipe")
np = require("numpy")
# name: scale, edge factor, both directions
RECIPES = {
    "Kronecker 16": (16, 16, True),
    "Kronecker 18": (18, 16, True),
    "R19": (19, 32, False),
    "Kronecker 20": (20, 16, True),
}
GRID = "grid 500 x 500"
ROAD = "USA-road-d.NY"
HEADS = [
    "graph", "edges", "phases", "buckets", "edges sent / all", "cycles", "GTEPS", "hbm: super-steps", "streamed / all",
    "hbm: GTEPS", "ratio",
]  # fmt: skip


def row(name: str, board: str, graph: object, streams: bool) -> list[str]:
    """Predict one search."""
    degrees = np.diff(graph.indptr)
    root = int(np.argsort(degrees, kind="stable")[len(degrees) - np.count_nonzero(degrees) // 2 - 1])
    device, wanted = f"emulator:{board}", gp.sssp(graph, root).distance
    result = gp.sssp(graph, root, method="delta_stepping", device=device)
    if not np.array_equal(result.distance, wanted):
        sys.exit(f"{board}, {name}: other distances than gp.sssp")
    stats, profile = result.stats, result.stats.pe_array
    gteps = graph.num_edges / stats.predicted_seconds / 1e9
    cells = [
        name,
        f"{graph.num_edges:,}",
        str(stats.num_supersteps),
        str(profile.num_buckets),
        f"{stats.edges_streamed / graph.num_edges:.2f}",
        f"{profile.kernel_cycles:,}",
        f"{gteps:.3f}",
    ]
    if not streams:
        return [*cells, "", "", "", ""]
    other = gp.predict("sssp", graph, root=root, board=board, config="hbm").stats
    streamed = graph.num_edges / other.predicted_seconds / 1e9
    passed = other.prediction.edges_streamed / graph.num_edges
    return [*cells, str(other.num_supersteps), f"{passed:.2f}", f"{streamed:.3f}", f"{gteps / streamed:.2f}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    names = [*RECIPES, GRID, ROAD]
    parser.add_argument("--graphs", nargs="+", default=names[:-1], choices=names, metavar="NAME")
    parser.add_argument("--data", type=Path, help=f"folder of {ROAD}.gr.xz, for that graph")
    parser.add_argument("--scale", type=int, help="of one small graph in place of those")
    parser.add_argument("--board", default="u280")
    parser.add_argument("--no-streamed", dest="streams", action="store_false", help="without hbm beside it")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the table, as Markdown")
    options = parser.parse_args()
    rows = []
    for name in options.graphs if options.scale is None else [f"Kronecker {options.scale}"]:
        if name == GRID:
            graph = gp.generate.grid(500, 500, weights=(1, 255))
        elif name == ROAD:
            graph = gp.Graph.from_file((options.data or Path()) / f"{ROAD}.gr.xz")
        else:
            scale, edge_factor, symmetric = RECIPES.get(name, (options.scale, 16, True))
            graph = gp.generate.kronecker(scale, edge_factor, 1, symmetric=symmetric, weights=(1, 255))
        rows.append(row(name, options.board, graph, options.streams))
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    about = __doc__.partition(chr(10))[2].strip()
    text = f"# Shortest paths by buckets: predicted\n\n{about}\n\n{table(HEADS, rows)}\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
