# SPDX-License-Identifier: Apache-2.0
"""Cell's search as a kernel (gp.bfs with method="local_store" in the emulator): predicted edges per second of boards.

Nothing here was measured on a board: cycles are the emulator's, clock and memory those of hls/device. Graphs are
uniform, with as many out-edges per vertex as the degree says, and one Kronecker graph; every search begins at the
vertex with most of them, and its levels are compared with those of gp.bfs. "M edges/s" counts the edges of the
vertices reached / the time of the kernel; "with launches" adds what starting it and the host take once a level. The
bound is one code per PE and cycle, which the bitmap takes. A search is the same in every run, so there is nothing to
repeat.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from machine import require, table

gp = require("gaspipe")
np = require("numpy")
BOARDS, PES = ("u250", "u280"), (2, 4, 8)
HEADS = [
    "board",
    "graph",
    "PEs",
    "levels",
    "cycles",
    "M edges/s",
    "with launches",
    "of the bound [%]",
    "bytes/edge",
    "most busy",
]


def graphs(scale: int, degrees: list[int]) -> dict[str, Any]:
    """Graphs by their names."""
    found = {f"degree {degree}": gp.generate.uniform(1 << scale, degree << scale, seed=1) for degree in degrees}
    found[f"Kronecker {scale}"] = gp.generate.kronecker(scale, 16, seed=1)
    return found


def row(board: str, name: str, graph: Any, pes: int) -> list[str]:
    """Predict one search."""
    root = int(np.diff(graph.indptr).argmax())
    result = gp.bfs(graph, root, method="local_store", device=f"emulator:{board}", workers=pes)
    if not np.array_equal(result.depth, gp.bfs(graph, root).depth):
        sys.exit(f"{board}, {name}, {pes} PEs: other levels than gp.bfs")
    stats, profile, prediction = result.stats, result.stats.pe_array, result.stats.prediction
    return [
        board,
        name,
        str(pes),
        str(stats.num_supersteps),
        f"{profile.kernel_cycles:,}",
        f"{profile.edges_per_second / 1e6:,.0f}",
        f"{profile.edges / stats.predicted_seconds / 1e6:,.0f}",
        f"{100 * profile.edges / profile.kernel_cycles / pes:.0f}",
        f"{prediction.bytes_per_edge:.1f}",
        prediction.limiting_stage,
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=int, default=16, help="2**SCALE vertices")
    parser.add_argument("--degrees", type=int, nargs="+", default=[10, 50, 100, 200])
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the table, as Markdown")
    options = parser.parse_args()
    rows = []
    for name, graph in graphs(options.scale, options.degrees).items():
        for board in BOARDS:
            for pes in PES:
                rows.append(row(board, name, graph, pes))
                print(" ".join(rows[-1]), file=sys.stderr)
    rows.sort(key=lambda one: one[0])
    text = (
        f"# Cell's search as a kernel: predicted\n\n{__doc__.partition(chr(10))[2].strip()}\n\n{table(HEADS, rows)}\n"
    )
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
