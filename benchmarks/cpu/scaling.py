# SPDX-License-Identifier: Apache-2.0
"""Cost as the work grows: time per edge, ours and the best peer's, on Kronecker graphs of rising scale."""

from __future__ import annotations

from collections.abc import Sequence

from cpu.measure import Cell
from cpu.report import ratios, title
from machine import table


def _row(name: str, seconds: Sequence[float], sizes: Sequence[int]) -> list[str]:
    """Nanoseconds per edge, or another size, at every scale, and the growth from first to last."""
    each = [1e9 * s / size for s, size in zip(seconds, sizes)]
    return [name, *(f"{value:.3g}" for value in each), f"{each[-1] / each[0]:.2f}"]


def scaling_table(cells: Sequence[Cell], prepared: Sequence[tuple[str, int, dict[str, float], int]]) -> str:
    """One line for us and one for the peer that is fastest at the end, per algorithm; then our preparations.

    `prepared` has, per graph, its name, its edges, the seconds of each preparation, and the bytes of its partitions: a
    vertex is stored once in every partition it has edges into, so larger graphs have more bytes per edge.
    """
    graphs = list(dict.fromkeys(cell.graph for cell in cells))
    lines = []
    for algorithm in dict.fromkeys(cell.algorithm for cell in cells):
        group = {cell.graph: cell for cell in cells if cell.algorithm == algorithm and cell.kind == "kernel"}
        edges = [group[graph].num_edges for graph in graphs]
        for row in (row for row in ratios([group[graphs[-1]]]) if row.counts):
            for side in (row.ours, row.fastest):
                seconds = [group[g].samples[side].median for g in graphs if side in group[g].samples]
                if len(seconds) == len(graphs):
                    lines.append(_row(f"{title(row.cell, row.ours)}: {side}", seconds, edges))
    edges = [num_edges for _, num_edges, _, _ in prepared]
    for what in prepared[0][2] if prepared else ():
        lines.append(_row(f"{what}: gaspipe", [seconds[what] for _, _, seconds, _ in prepared], edges))
    if prepared:
        sizes = [num_bytes for _, _, _, num_bytes in prepared]
        lines.append(_row("partition, ns per byte of it: gaspipe", [p[2]["partition"] for p in prepared], sizes))
    return table(["ns per stored edge, or as said", *graphs, "last / first"], lines)
