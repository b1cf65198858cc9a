# SPDX-License-Identifier: Apache-2.0
"""Boards with HBM: published systems beside what is predicted of them, and `config="hbm"` beside them.

regraph   measurements of ReGraph's shape (11 Little, 3 Big pipelines), beside `config="regraph"`
others    ScalaBFS, ScalaBFS2 and Serpens, beside what their structure allows
ours      PageRank on U280: ThunderGP's configuration, ReGraph's, packed and hbm; resources
spmv      SpMV with hbm on U280, by the type of the values, beside Serpens' best; six minutes
boards    hbm on every board with HBM, by the number of pipelines that it takes; half a minute

All figures of ours are predictions; nothing here ran on a card. Graphs are made from published recipes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).resolve().parent))

import gaspipe as gp
from machine import table

# Million edges a second of ReGraph's shape on U55C, in shortest paths without weights: as measured by the authors of
# Graph.hls (github.com/jayfeather9/Graph.hls, docs/grouping32_static_model_2026-04-04.json, variant "c3l11": 3 Big and
# 11 Little, 32 bits). Their kernels are built for 270 MHz (kernel.mk). ReGraph's own cells are only in its paper's
# figures.
REGRAPH_SHAPE = {"R19": 10874.5, "R21": 12296.5, "R24": 9721.35, "G23": 12217.0}
REGRAPH_MHZ = 270.0
# name: scale, edge factor, both directions
RECIPES = {
    "R19": (19, 32, False),
    "R21": (21, 32, False),
    "R24": (24, 16, False),
    "G23": (23, 16, True),
}
# GTEPS (|E| / time) and aggregated GB/s of ScalaBFS on U280, read off its README's figure 11 to about 2 %; edge factors
# are half of what names say, for both directions of an edge count.
SCALABFS = {"RMAT22-16": (22, 8, 10.3, 45.0), "RMAT22-32": (22, 16, 14.5, 45.0), "RMAT22-64": (22, 32, 19.7, 43.7)}
SCALABFS2_GTEPS, SCALABFS2_PES, SCALABFS2_MHZ = 56.92, 128, 170.0  # README; host/pc32.cpp
SERPENS_GTEPS, SERPENS_CHANNELS, SERPENS_MHZ = 30.204, 24, 276.0  # abstract; the bitstream's own description
HBM_BYTES_PER_SECOND = 14.375e9 * 425 / 460  # of a pseudo-channel of U280, with long bursts
BOARDS = ("u280", "u55c", "u50")
GRANULE = 32  # bytes that a pseudo-channel of HBM2 delivers at once: 64 bits, 4 beats


def percent(predicted: float, published: float) -> str:
    return f"{100 * (predicted / published - 1):+.1f} %"


def graph_of(scale: int, edge_factor: int, symmetric: bool) -> gp.Graph:
    return gp.generate.kronecker(scale, edge_factor, 1, symmetric=symmetric)


def pagerank(graph: gp.Graph, board: Any, config: str, clock_mhz: float | None = None) -> gp.Prediction:
    """Predict ten super-steps of PageRank; kernels take the same time in each."""
    result = gp.predict(
        "pagerank", graph, board=board, config=config, clock_mhz=clock_mhz, number="fixed", max_iter=10, tol=0,
        sample_edges=None if config in ("hbm", "regraph") else max(1, graph.num_edges // 8),
    )  # fmt: skip
    return result.stats.prediction


def alone(p: gp.Prediction) -> float:
    """Edges per second without the host's time, which is part of the first super-step."""
    return p.graph_edges / (p.steps["seconds"][0] - p.step_overhead_seconds)


def regraph(args: argparse.Namespace) -> str:
    """Cells of ReGraph's shape."""
    rows = []
    for name in args.graphs:
        graph = graph_of(*RECIPES[name])
        p = pagerank(graph, "u55c", "regraph", REGRAPH_MHZ)
        measured, rate = REGRAPH_SHAPE[name], p.streamed_mteps
        rows.append([name, f"{graph.num_edges:,}", f"{measured:.0f}", f"{rate:.0f}", percent(rate, measured),
                     f"{alone(p) / 1e6:.0f}", p.limiting_stage])  # fmt: skip
        print(" ".join(rows[-1]), flush=True)
    head = ["graph", "edges", "measured MTEPS", "predicted", "error", "kernels alone", "limiting stage"]
    return f"### ReGraph's shape on U55C, {REGRAPH_MHZ:.0f} MHz\n\n" + table(head, rows)


def depths(graph: gp.Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return depths from the vertex of most edges, and degrees."""
    degrees = np.diff(np.asarray(graph.indptr)).astype(np.int64)
    return np.asarray(gp.bfs(graph, int(np.argmax(degrees))).values).astype(np.int64), degrees


def search_traffic(depth: NDArray[np.int64], degrees: NDArray[np.int64], granule: int) -> tuple[int, int]:
    """Edges looked at, and bytes read, by a search that pushes or pulls in each level, whichever reads less.

    A list of neighbors is read to its end, in granules, and a granule for where it begins. Pushing reads the lists of
    the level, pulling those of all vertices with edges that are not reached yet. The level of a vertex that is reached
    is written alone: its granule is read and written back, as memory with ECC does it.
    """
    lists = -(-4 * degrees // granule) * granule + granule
    edges = num_bytes = 0
    for level in range(int(depth.max()) + 1):
        pushing = depth == level
        pulling = (degrees > 0) & ((depth > level) | (depth < 0))
        chosen = min((pushing, pulling), key=lambda way: int(lists[way].sum()))
        edges += int(degrees[chosen].sum())
        num_bytes += int(lists[chosen].sum())
    return edges, num_bytes + 2 * granule * int((depth >= 0).sum())


def serpens_cycles(
    rows: NDArray[np.int64], columns: NDArray[np.int64], num_rows: int, num_columns: int, channels: int, mhz: float
) -> tuple[float, float]:
    """Cycles of Serpens's structure for a matrix, and the part of them that memory alone takes.

    From its sources: windows of 8,192 columns, 8 PEs a channel, a row belongs to one PE, 8 nonzeros of 8 bytes in a
    word, sums of one row at least 10 cycles apart; x and y are read 16 numbers a cycle.
    """
    window, lanes, apart, wide = 8192, 8, 10, 16
    pes = lanes * channels
    word = max(1.0, 64 * mhz * 1e6 / HBM_BYTES_PER_SECOND)
    total = streamed = 0.0
    which = columns // window
    for w in range(-(-num_columns // window)):
        inside = rows[which == w]
        per_pe = np.bincount(inside % pes, minlength=pes)
        in_row = np.bincount(inside, minlength=num_rows)
        channel = per_pe.reshape(channels, lanes).max(axis=1)  # a word has a place for each PE
        longest_row = np.zeros(pes, np.int64)
        np.maximum.at(longest_row, np.arange(num_rows) % pes, in_row)
        slots = np.maximum(channel, apart * longest_row.reshape(channels, lanes).max(axis=1))
        total += word * float(slots.max()) + window / wide
        streamed += word * len(inside) / pes + window / wide
    both = 2 * num_rows / wide
    return total + both, streamed + both


def others(args: argparse.Namespace) -> str:
    """Cells of ScalaBFS, ScalaBFS2 and Serpens."""
    rows = []
    last, looked_at = "", 1.0
    for name in args.searches:
        scale, factor, gteps, bandwidth = SCALABFS[name]
        graph = graph_of(scale, factor, True)
        edges, num_bytes = search_traffic(*depths(graph), GRANULE)
        predicted = graph.num_edges / (num_bytes / bandwidth)
        last, looked_at = name, edges / graph.num_edges
        rows.append(["ScalaBFS", name, f"{gteps:.1f}", f"{predicted:.1f}", percent(predicted, gteps),
                     f"{bandwidth} GB/s published; {num_bytes / graph.num_edges:.2f} bytes read an edge"])  # fmt: skip
        print(" ".join(rows[-1]), flush=True)
    predicted = SCALABFS2_PES * SCALABFS2_MHZ / 1e3 / looked_at
    rows.append(["ScalaBFS2", "best (graph not named)", f"{SCALABFS2_GTEPS}", f"{predicted:.1f}",
                 percent(predicted, SCALABFS2_GTEPS),
                 f"an edge a cycle in {SCALABFS2_PES} PEs at {SCALABFS2_MHZ:.0f} MHz; of {last}'s edges "
                 f"{100 * looked_at:.0f} % looked at"])  # fmt: skip
    rng = np.random.default_rng(1)
    n, nonzeros = 1 << 16, 1 << 24
    even = rng.integers(n, size=(2, nonzeros))
    drawn = gp.generate.kronecker(16, 256, 1, symmetric=False)
    skewed = (np.repeat(np.arange(n), np.diff(np.asarray(drawn.indptr).astype(np.int64))), np.asarray(drawn.indices))
    for name, (r, c) in {"even rows": even, "skewed rows (Kronecker 16)": skewed}.items():
        cycles, streamed = serpens_cycles(r.astype(np.int64), c.astype(np.int64), n, n, SERPENS_CHANNELS, SERPENS_MHZ)
        predicted = len(r) / cycles * SERPENS_MHZ / 1e3
        of_memory = len(r) / streamed * SERPENS_MHZ / 1e3
        error = percent(predicted, SERPENS_GTEPS) if name == "even rows" else ""  # published: best of twelve matrices
        rows.append(["Serpens A24", f"best (matrix not named); here {name}", f"{SERPENS_GTEPS}", f"{predicted:.1f}",
                     error, f"memory alone: {of_memory:.1f}"])  # fmt: skip
    head = ["system", "graph or matrix", "published GTEPS", "predicted", "error", "from"]
    return "### ScalaBFS, ScalaBFS2 and Serpens on U280\n\n" + table(head, rows)


def ours(args: argparse.Namespace) -> str:
    """PageRank on U280 in every configuration, at the board's clock."""
    rows = []
    for name in args.graphs:
        graph = graph_of(*RECIPES[name])
        first = 0.0
        for config in ("thundergp", "packed", "regraph", "hbm"):
            p = pagerank(graph, "u280", config)
            first = first or p.streamed_mteps
            rows.append([name, config, f"{p.num_units}", f"{p.clock_mhz:g}", f"{p.streamed_mteps:.0f}",
                         f"{alone(p) / 1e6:.0f}",
                         f"{p.streamed_mteps / first:.2f}", p.limiting_stage, f"{p.bytes_per_edge:.1f}",
                         f"{p.resources['uram']}/{p.resources['bram']}"])  # fmt: skip
            print(" ".join(rows[-1]), flush=True)
    head = ["graph", "config", "pipelines", "MHz", "MTEPS", "kernels alone", "x thundergp", "limiting stage",
            "bytes/edge", "URAM/BRAM"]  # fmt: skip
    return "### PageRank on U280\n\n" + table(head, rows)


def spmv(args: argparse.Namespace) -> str:
    """SpMV with hbm on U280: a matrix of ones, whose values are not stored, and with stored values."""
    rows = []
    largest = args.searches[-1]
    scale, edge_factor, *_ = SCALABFS[largest]
    recipes = {**{name: RECIPES[name] for name in args.graphs}, largest: (scale, edge_factor, True)}
    for name, (scale, edge_factor, symmetric) in recipes.items():
        for values in ("none", "int32", "float32", "float64"):
            weights = None if values == "none" else (1, 255)
            graph = gp.generate.kronecker(scale, edge_factor, 1, symmetric=symmetric, weights=weights)
            number = "int32" if values == "none" else values
            x = np.ones(graph.num_vertices, number)
            p = gp.predict("spmv", graph, x=x, board="u280", config="hbm", number=number).stats.prediction
            kernels = alone(p) / 1e9
            rows.append([name, f"{graph.num_edges:,}", values, f"{p.streamed_mteps / 1e3:.1f}", f"{kernels:.1f}",
                         f"{kernels / SERPENS_GTEPS:.2f}", p.limiting_stage, f"{p.bytes_per_edge:.1f}"])  # fmt: skip
            print(" ".join(rows[-1]), flush=True)
    head = ["graph", "edges", "values", "GTEPS", "kernels alone", "/ Serpens' best", "limiting stage", "bytes/edge"]
    return "### SpMV on U280 with hbm\n\n" + table(head, rows)


def boards(args: argparse.Namespace) -> str:
    """PageRank with hbm on every board that may have it, at the board's clock."""
    rows = []
    for scale in args.scales:
        graph = graph_of(scale, 16, True)
        for board in BOARDS:
            p = pagerank(graph, board, "hbm")
            memory = (f"{p.resources[kind]} of {p.resources[kind + '_available']:,}" for kind in ("uram", "bram"))
            rows.append([f"{scale}", board, f"{p.num_units}", f"{p.clock_mhz:g}", f"{p.streamed_mteps:.0f}",
                         f"{alone(p) / 1e6:.0f}",
                         p.limiting_stage, *memory])  # fmt: skip
            print(" ".join(rows[-1]), flush=True)
    head = ["scale", "board", "pipelines", "MHz", "MTEPS", "kernels alone", "limiting stage", "URAM", "BRAM"]
    return "### PageRank with hbm by board, Kronecker graphs, 16 edges a vertex\n\n" + table(head, rows)


SECTIONS: dict[str, Callable[[argparse.Namespace], str]] = {
    "regraph": regraph,
    "others": others,
    "ours": ours,
    "spmv": spmv,
    "boards": boards,
}


def main() -> None:
    """Print the sections that are asked for, as tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], default=list(SECTIONS), metavar="SECTION")
    parser.add_argument("--graphs", type=lambda text: text.split(","), default=["R19", "R21"], metavar="NAME,...")
    parser.add_argument(
        "--searches", type=lambda text: text.split(","), default=list(SCALABFS), metavar="NAME,...",
        help="graphs of ScalaBFS; that of ScalaBFS2 and of `spmv` is the last",
    )  # fmt: skip
    parser.add_argument(
        "--scales", type=lambda text: [int(scale) for scale in text.split(",")], default=[16, 18, 20], metavar="N,...",
        help="of the graphs of `boards`",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", help="write the tables")
    args = parser.parse_args()
    text = "\n\n".join(SECTIONS[name](args) for name in args.sections)
    print("\n" + text)
    if args.out:
        Path(args.out).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
