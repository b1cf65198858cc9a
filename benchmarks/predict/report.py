# SPDX-License-Identifier: Apache-2.0
"""Cells of the publication beside their predictions: errors, tables in Markdown."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from machine import table
from predict import published

SETTLED_ON = "vcu1525"
BAR = 10.0  # %, the median error that is allowed
SHOWN = 20.0  # %, cells beyond are listed again


@dataclass
class Cell:
    """A prediction and what was measured."""

    board: str
    graph: str
    app: str
    published: int
    predicted: float
    graph_mteps: float
    supersteps: int
    cycles: int
    limiting_stage: str
    bandwidth_share: float
    timed_share: float
    host_seconds: float

    @property
    def key(self) -> tuple[str, str, str]:
        return self.board, self.graph, self.app

    @property
    def error(self) -> float:
        """Predicted over published, in % above 1."""
        return 100 * (self.predicted / self.published - 1)


def report(cells: list[Cell]) -> str:
    """Errors per board, cells that are far off, outliers and the small graph, in Markdown."""
    usual = [c for c in cells if c.key not in published.OUTLIERS]
    parts = [f"Published: {published.SOURCE}. Error: predicted / published - 1."]
    for board in published.BOARDS:
        ours = [c for c in usual if c.board == board]
        if not ours:
            continue
        how = "constants settled here" if board == SETTLED_ON else "held out"
        errors = [abs(c.error) for c in ours]
        within = sum(error <= BAR for error in errors)
        parts.append(
            f"### {board} ({how})\n\nMedian error {statistics.median(errors):.1f} %, largest {max(errors):.1f} %; "
            f"{within} of {len(errors)} cells within {BAR:.0f} %. Cells: published, predicted, error."
        )
        columns = [a for a in published.APPS if any(c.app == a for c in ours)]
        rows = []
        for graph in dict.fromkeys(c.graph for c in ours):
            found = {c.app: c for c in ours if c.graph == graph}
            rows.append(
                [graph]
                + [
                    f"{c.published} {c.predicted:.0f} {c.error:+.1f}%" if (c := found.get(a)) is not None else "outlier"
                    for a in columns
                ]
            )
        parts.append(table(["", *columns], rows))
    beyond = [c for c in usual if abs(c.error) > SHOWN]
    parts.append(f"### Cells beyond {SHOWN:.0f} %")
    parts.append(_listed(beyond) if beyond else "None.")
    parts.append("### Outliers of the publication")
    outliers = [c for c in cells if c.key in published.OUTLIERS]
    if outliers:
        parts.append(_listed(outliers))
        parts += [f"{c.board} {c.graph} {c.app}: {published.OUTLIERS[c.key]}." for c in outliers]
    else:
        parts.append("None among these cells.")
    small = small_graph(cells)
    if small:
        parts.append("### The small graph\n\n" + small)
    return "\n\n".join(parts)


def _listed(cells: list[Cell]) -> str:
    head = ["board", "graph", "app", "published", "predicted", "error", "limiting stage", "share of bandwidth"]
    rows = [
        [c.board, c.graph, c.app, str(c.published), f"{c.predicted:.0f}", f"{c.error:+.1f}%", c.limiting_stage,
         f"{100 * c.bandwidth_share:.0f}%"] for c in cells
    ]  # fmt: skip
    return table(head, rows)


def small_graph(cells: list[Cell], name: str = "WT") -> str:
    """Whether the graph of one small partition is slower where partitions are larger, as was measured."""
    rows = []
    for app in published.APPS:
        both = {c.board: c for c in cells if c.graph == name and c.app == app}
        if len(both) == 2:
            ratios = [
                getattr(both["u250"], what) / getattr(both["vcu1525"], what) for what in ("published", "predicted")
            ]
            same = "yes" if (ratios[0] < 1) == (ratios[1] < 1) else "NO"
            rows.append([app, *(f"{ratio:.2f}" for ratio in ratios), same])
    if not rows:
        return ""
    text = (
        f"{name} on U250 / on VCU1525: a flush of the whole buffer costs twice as much where it is twice as large.\n\n"
    )
    return text + table(["", "published", "predicted", "same direction"], rows)
