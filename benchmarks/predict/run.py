# SPDX-License-Identifier: Apache-2.0
"""Predictions of the published pipeline beside what was measured on cards.

Every cell is a graph, an application and a board: published and predicted million edges per second (edges of every
super-step), and the error. Nothing of the model is fitted to a graph or an application; its physical constants were
settled on one board, the other is held out.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import machine
from predict import apps, graphs, published

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
        """How far the prediction lies above the measurement, in %."""
        return 100 * (self.predicted / self.published - 1)


def predict(case: graphs.Case, app: apps.App, board: str, sample_edges: int | None) -> Cell:
    """Predict a cell."""
    start = time.perf_counter()
    result = app.predict(
        case.graph(app.weighted),
        case.root,
        board=board,
        config="thundergp",
        clock_mhz=published.CLOCKS_MHZ[board][app.name],
        sample_edges=sample_edges,
    )
    found = result.stats.prediction
    seconds = app.seconds(found)
    return Cell(
        board,
        case.name,
        app.name,
        published.MTEPS[board, case.name, app.name],
        found.edges_streamed / seconds / 1e6,
        found.graph_edges / seconds / 1e6,
        len(found.steps),
        found.cycles,
        found.limiting_stage,
        found.bandwidth_share,
        found.timed_share,
        time.perf_counter() - start,
    )


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown, with columns of equal width."""
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    lines = [" | ".join(cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths)))
             for row in [head, *rows]]  # fmt: skip
    rule = "|".join("-" * (w + 2) if k == 0 else "-" * (w + 1) + ":" for k, w in enumerate(widths))
    return "\n".join(f"| {line} |" if k != 1 else f"|{rule}|\n| {line} |" for k, line in enumerate(lines))


def report(cells: list[Cell]) -> str:
    """All that is to be told of the cells, in Markdown."""
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
    """Tell whether the graph of one small partition is slower where partitions are larger, as was measured."""
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


def main() -> None:
    """Predict and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--boards", type=_list(published.BOARDS), default=list(published.BOARDS), metavar="NAME,...")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables")
    args = parser.parse_args()
    cells = []
    for name in args.graphs:
        case = graphs.Case(name, args.cache)
        print(
            f"{name}: {case.recipe.about}; {case.num_edges:,} edges, {case.num_vertices:,} with out-edges", flush=True
        )
        # By weights, for a graph with and one without are not kept together.
        for app in sorted(args.apps, key=lambda app: apps.APPS[app].weighted):
            for board in args.boards:
                cell = predict(case, apps.APPS[app], board, args.sample_edges)
                cells.append(cell)
                print(
                    f"  {app:<5}{board:<8} published {cell.published:5d}, predicted {cell.predicted:7.1f}, "
                    f"{cell.error:+6.1f} %; {cell.limiting_stage}, {cell.supersteps} super-steps, "
                    f"{100 * cell.timed_share:.0f} % timed, {cell.host_seconds:.1f} s",
                    flush=True,
                )
        case.forget()
    text = report(cells)
    print("\n" + text + "\n")
    print(f"Peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB")
    machine_facts()
    if args.markdown:
        Path(args.markdown).write_text(text + "\n", encoding="utf-8")
    if args.json:
        save(args.json, {"cells": [asdict(c) | {"error_percent": c.error} for c in cells]})


def add_options(parser: argparse.ArgumentParser, chosen: str = "R19,R21,R24,G23,WT", of: str = "") -> None:
    """Add what all scripts of this folder take."""
    parser.add_argument(
        "--graphs", type=_list(graphs.RECIPES), default=chosen.split(","), metavar="NAME,...",
        help=f"of {', '.join(graphs.RECIPES)} (default: {chosen})",
    )  # fmt: skip
    parser.add_argument(
        "--apps", type=_list(apps.APPS), default=of.split(",") if of else list(published.APPS), metavar="NAME,...",
        help=f"of {', '.join(published.APPS)} (default: {of or 'all'})",
    )  # fmt: skip
    parser.add_argument(
        "--sample-edges", type=int, metavar="N", help="time about N edges of each super-step (default: all)"
    )
    parser.add_argument("--cache", metavar="DIR", help="where graphs are kept (default: a temporary folder)")
    parser.add_argument("--json", metavar="FILE", help="write all figures")


def _list(known: object) -> object:
    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; known are {', '.join(known)}")
        return names

    return read


def machine_facts() -> None:
    """Say where this ran."""
    for key, value in machine.facts().items():
        print(f"{key}: {value}")


def save(path: str, content: dict[str, object]) -> None:
    """Write what was found."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**content, "machine": machine.facts()}, file, indent=1)


if __name__ == "__main__":
    main()
