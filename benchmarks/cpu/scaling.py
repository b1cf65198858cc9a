# SPDX-License-Identifier: Apache-2.0
"""Cost as the work grows: time per edge, ours and the best peer's, on Kronecker graphs of rising scale."""

from __future__ import annotations

from collections.abc import Sequence

from cpu.measure import Cell
from cpu.report import ratios, title
from machine import table


def _row(name: str, seconds: Sequence[float], edges: Sequence[int]) -> list[str]:
    """Nanoseconds per edge at every scale, and the growth from first to last."""
    per_edge = [1e9 * s / m for s, m in zip(seconds, edges)]
    return [name, *(f"{value:.3g}" for value in per_edge), f"{per_edge[-1] / per_edge[0]:.2f}"]


def scaling_table(cells: Sequence[Cell], prepared: Sequence[tuple[str, int, dict[str, float]]]) -> str:
    """One line for us and one for the peer that is fastest at the end, per algorithm; then our preparations."""
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
    for what in prepared[0][2] if prepared else ():
        lines.append(_row(f"{what}: gaspipe", [p[2][what] for p in prepared], [p[1] for p in prepared]))
    return table(["ns per stored edge", *graphs, "last / first"], lines)
