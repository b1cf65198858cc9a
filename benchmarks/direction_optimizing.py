# SPDX-License-Identifier: Apache-2.0
"""Searches that push or pull on an array of PEs (gp.bfs with method="direction_optimizing"): predicted for U280.

Nothing here was measured on a board: cycles are the emulator's, clock and memory those of hls/device. A search begins
at the median vertex by out-degree of those that have edges, and its levels are compared with those of gp.bfs. GTEPS
are |E| / time, as ScalaBFS and ScalaBFS2 count: all edges of the graph, whether looked at or not. The time is that of
the kernel, which goes from level to level by itself, and of one launch with the host's part (350 microseconds, assumed
for all designs alike); "kernel alone" has no launch. RMAT22-16 has 16 edges a vertex, for both directions of 8, as
ScalaBFS' figures have it.
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
    "RMAT18-16": (18, 8, True),
    "RMAT18-64": (18, 32, True),
    "RMAT22-16": (22, 8, True),
    "RMAT22-32": (22, 16, True),
    "RMAT22-64": (22, 32, True),
    "R19": (19, 32, False),
    "R21": (21, 32, False),
}
# GTEPS of ScalaBFS (read off its README's figure 11) on U280, and ScalaBFS2's best, whose graph is not named.
SCALABFS = {"RMAT22-16": 10.3, "RMAT22-32": 14.5, "RMAT22-64": 19.7}
SCALABFS2 = 56.92
NEVER = 2**32 - 1
HEADS = [
    "graph", "edges", "PEs", "levels", "pulled", "looked at", "cycles", "kernel alone [GTEPS]", "GTEPS",
    "ScalaBFS", "/ ScalaBFS2's best",
]  # fmt: skip


def row(name: str, board: str, pes: int, graph: object) -> list[str]:
    """Predict one search."""
    degrees = np.diff(graph.indptr)
    root = int(np.argsort(degrees, kind="stable")[len(degrees) - np.count_nonzero(degrees) // 2 - 1])
    result = gp.bfs(graph, root, method="direction_optimizing", device=f"emulator:{board}", workers=pes)
    if not np.array_equal(result.depth, gp.bfs(graph, root).depth):
        sys.exit(f"{board}, {name}, {pes} PEs: other levels than gp.bfs")
    stats, profile = result.stats, result.stats.pe_array
    gteps = graph.num_edges / stats.predicted_seconds / 1e9
    return [
        name,
        f"{graph.num_edges:,}",
        str(pes),
        str(stats.num_supersteps),
        str(int(profile.level_pulled.sum())),
        f"{100 * stats.edges_streamed / graph.num_edges:.1f} %",
        f"{profile.kernel_cycles:,}",
        f"{graph.num_edges / profile.kernel_seconds / 1e9:.1f}",
        f"{gteps:.1f}",
        f"{SCALABFS[name]:.1f}" if name in SCALABFS else "",
        f"{gteps / SCALABFS2:.2f}",
    ]


CUSTOM = """Levels by a `gp.Algorithm` that declares `final_once_set`, from the vertex with the most out-edges, on PEs
that push or pull and streamed by two configurations. The host launches every level (350 microseconds each). All times
are predicted but those of the hooks, which were measured on the host: once a level, as this program's vertices are
alike, and once a vertex, where the same program takes the out-degree."""
CUSTOM_HEADS = [
    "graph", "edges", "super-steps", "looked at", "PEs and launches [ms]", "hooks, levels [ms]", "hooks, vertices [ms]",
    "packed [ms]", "hbm [ms]",
]  # fmt: skip


def custom_row(name: str, board: str, pes: int, graph: object) -> list[str]:
    """Predict a custom algorithm that finds levels: on PEs, and streamed."""
    root = int(np.argmax(graph.out_degrees()))
    runs = []
    for apply in ("min(acc, old)", "min(acc, old + 0 * degree)"):
        levels = gp.Algorithm(
            f"levels_{len(runs)}", scatter="src + 1", gather="min(a, b)", apply=apply, identity=NEVER,
            active=f"update != {NEVER}u && update != 0",  # what was never reached wraps around to 0
            is_source=f"prop != {NEVER}u", idempotent=True, final_once_set=True,
            initial=f"v == root ? 0 : {NEVER}u", parameters={"root": 0},
        )  # fmt: skip
        runs.append(levels(graph, root=root, method="direction_optimizing", device=f"emulator:{board}", workers=pes))
        if not np.array_equal(runs[-1].values.astype(np.int32), gp.bfs(graph, root).depth):
            sys.exit(f"{board}, {name}: other levels than gp.bfs")
        if len(runs) == 1:
            streamed = [gp.predict(levels, graph, root=root, board=board, config=c) for c in ("packed", "hbm")]
    stats = runs[0].stats
    return [
        name,
        f"{graph.num_edges:,}",
        str(stats.num_supersteps),
        f"{100 * stats.edges_streamed / graph.num_edges:.1f} %",
        f"{1e3 * stats.predicted_seconds:.2f}",
        *(f"{1e3 * run.stats.phases['apply']:.2f}" for run in runs),
        *(f"{1e3 * run.stats.predicted_seconds:.2f}" for run in streamed),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--graphs", nargs="+", default=list(RECIPES), choices=list(RECIPES), metavar="NAME")
    parser.add_argument("--scale", type=int, help="of one small graph in place of those")
    parser.add_argument("--board", default="u280")
    parser.add_argument("--pes", type=int, nargs="+", default=[4, 8])
    parser.add_argument("--custom", action="store_true", help="a custom algorithm instead, beside streamed kernels")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the table, as Markdown")
    options = parser.parse_args()
    recipes = {name: RECIPES[name] for name in options.graphs}
    if options.scale is not None:
        recipes = {f"Kronecker {options.scale}": (options.scale, 16, True)}
    rows = []
    for name, (scale, edge_factor, symmetric) in recipes.items():
        graph = gp.generate.kronecker(scale, edge_factor, 1, symmetric=symmetric)
        for pes in options.pes:
            rows.append((custom_row if options.custom else row)(name, options.board, pes, graph))
            print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    about = CUSTOM if options.custom else __doc__.partition(chr(10))[2].strip()
    heads = CUSTOM_HEADS if options.custom else HEADS
    text = f"# Searches that push or pull: predicted\n\n{about}\n\n{table(heads, rows)}\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
