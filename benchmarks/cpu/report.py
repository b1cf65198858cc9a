# SPDX-License-Identifier: Apache-2.0
"""Ratios, their bars, Markdown tables and the plot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from cpu.answers import STEPS
from cpu.measure import FAST, Cell, Side, is_compared
from machine import require, table

TITLES = {"bfs": "BFS", "sssp": "SSSP", "pagerank": "PageRank", "wcc": "WCC"} | {
    f"spmv{bits}": f"SpMV float{bits}" for bits in (32, 64)
}
KERNEL_BAR, KERNEL_MEAN = 1.0, 1.3
WHOLE_BARS = {"spmv32": 1.5, "spmv64": 1.5}
WHOLE_BAR = 2.5
MEMORY_BAR = 1.0
PREPARED_MEAN, PREPARATION_RUNS = 1.6, 10


class Ratio(NamedTuple):
    """One of our variants in one cell, beside the fastest peer: its median / ours."""

    cell: Cell
    ours: Side
    fastest: Side | None  # None: no peer has the algorithm here
    value: float
    counts: bool  # towards the bar: PageRank does so in float32, as the fastest peers compute it

    @property
    def bar(self) -> float:
        return KERNEL_BAR if self.cell.kind == "kernel" else WHOLE_BARS.get(self.cell.algorithm, WHOLE_BAR)


def title(cell: Cell, ours: Side) -> str:
    name = TITLES[cell.algorithm]
    if cell.algorithm == "pagerank":
        name += f" {ours.variant}, per step" if cell.kind == "kernel" else f" {ours.variant}"
    return name


def ratios(cells: Iterable[Cell]) -> list[Ratio]:
    """Our variants in every cell beside the fastest peer of that cell."""
    rows = []
    for cell in cells:
        peers = {side: s.median for side, s in cell.samples.items() if is_compared(cell, side)}
        fastest = min(peers, key=lambda side: peers[side]) if peers else None
        for side, samples in cell.samples.items():
            if side.peer == "gaspipe":
                value = peers[fastest] / samples.median if fastest else float("nan")
                counts = fastest is not None and not (cell.kind == "kernel" and side.variant == "float64")
                rows.append(Ratio(cell, side, fastest, value, counts))
    return rows


def verdict(rows: Sequence[Ratio]) -> str:
    """Say whether the rows reach the bar of their kind."""
    values = [row.value for row in rows if row.counts]
    if not values:
        return "no cell with a peer"
    mean, least = geometric_mean(values), min(values)
    found = f"the least is {least:.2f}, the geometric mean {mean:.2f}"
    met = sum(row.value >= row.bar for row in rows if row.counts)
    if rows[0].cell.kind == "kernel":
        reached = met == len(values) and mean >= KERNEL_MEAN
        return (
            f"kernel time: {met} of {len(values)} cells at {KERNEL_BAR} or more (bar: all), {found} (bar: "
            f"{KERNEL_MEAN}): {'reached' if reached else 'NOT REACHED'}"
        )
    return (
        f"whole call: {met} of {len(values)} cells at {WHOLE_BAR} or more (SpMV: {WHOLE_BARS['spmv64']}; bar: all), "
        f"{found}: {'reached' if met == len(values) else 'NOT REACHED'}"
    )


def verdict_of_prepared(rows: Sequence[Ratio]) -> str:
    """Say whether kernels of prepared graphs reach their bars: the mean, and what preparation takes in kernel runs."""
    counted = [row for row in rows if row.counts]
    if not counted:
        return "no cell with a peer"
    mean = geometric_mean([row.value for row in counted])

    def runs(row: Ratio) -> float:
        steps = STEPS if row.cell.algorithm == "pagerank" else 1
        return row.cell.extents[row.ours]["preparation"] / (row.cell.samples[row.ours].median * steps)

    dearest = max(counted, key=runs)
    met = sum(row.value >= KERNEL_BAR for row in counted)
    reached = mean >= PREPARED_MEAN and runs(dearest) < PREPARATION_RUNS
    name = f"{title(dearest.cell, dearest.ours)} on {dearest.cell.graph}"
    return (
        f"prepared graphs: {met} of {len(counted)} cells at {KERNEL_BAR} or more, the geometric mean {mean:.2f} (bar: "
        f"{PREPARED_MEAN}), preparation at most {runs(dearest):.1f} kernel runs ({name}; bar: under "
        f"{PREPARATION_RUNS}): {'reached' if reached else 'NOT REACHED'}"
    )


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def ratio_table(rows: Iterable[Ratio]) -> str:
    """One line per cell: the ratio, who was fastest, both times, and what ours does once per graph before."""
    head = ["graph", "algorithm", "ratio", "bar", "gaspipe, ms (middle half)", "fastest peer", "its ms (middle half)"]
    head.append("preparation, ms")
    lines = []
    for row in rows:
        peer = ["no peer", "-"] if row.fastest is None else [str(row.fastest), str(row.cell.samples[row.fastest])]
        bar = f"{row.bar:.1f}" if row.counts else "-"
        ours = str(row.cell.samples[row.ours])
        once = row.cell.extents.get(row.ours, {}).get("preparation")
        lines.append([row.cell.graph, title(row.cell, row.ours), f"{row.value:.2f}", bar, ours, *peer])
        lines[-1].append("-" if once is None else f"{1e3 * once:.3g}")
    return table(head, lines)


def overview(rows: Sequence[Ratio]) -> str:
    """Algorithms by graphs, for a reader in a hurry: ratio and the fastest peer; and the geometric means of ratios."""
    graphs = list(dict.fromkeys(row.cell.graph for row in rows))
    names = list(dict.fromkeys(title(row.cell, row.ours) for row in rows))
    found = {(title(row.cell, row.ours), row.cell.graph): row for row in rows}

    def entry(name: str, graph: str) -> str:
        row = found.get((name, graph))
        return "-" if row is None or row.fastest is None else f"{row.value:.2f} {row.fastest.peer}"

    def mean(chosen: Iterable[Ratio]) -> str:
        values = [row.value for row in chosen if row.counts]
        return f"{geometric_mean(values):.2f}" if values else "-"

    lines = [
        [name, *(entry(name, graph) for graph in graphs), mean(r for r in rows if title(r.cell, r.ours) == name)]
        for name in names
    ]
    lines.append(["mean", *(mean(r for r in rows if r.cell.graph == graph) for graph in graphs), mean(rows)])
    return table(["", *graphs, "mean"], lines)


def in_short(rows: Sequence[Ratio], known: dict[str, Any], versions: dict[str, str]) -> str:
    """One page: both overviews with their verdicts, the machine, the peers."""
    parts = [
        "# The CPU engine beside its peers, in short",
        "The fastest peer's median time / ours: above 1 we are ahead.",
    ]
    for kind, text in (("kernel", "Kernel time"), ("whole", "Whole call, as a user makes it")):
        if of_kind := [row for row in rows if row.cell.kind == kind]:
            parts += [f"## {text}", overview(of_kind), verdict(of_kind) + "."]
    parts.append("\n".join(f"- {key}: {value}" for key, value in known.items()))
    parts.append(
        "Peers: " + "; ".join(f"{name} {version}" for name, version in versions.items() if name != "gaspipe") + "."
    )
    return "\n\n".join(parts) + "\n"


def all_times(cells: Iterable[Cell]) -> str:
    """Every side of every cell, with what was checked of its answer; those left out with the reason."""
    lines = []
    for cell in cells:
        first = [cell.graph, TITLES[cell.algorithm], cell.kind]
        for side, samples in sorted(cell.samples.items(), key=lambda item: item[1].median):
            lines.append([*first, str(side), str(samples), cell.checks[side]])
        lines += [
            [*first, str(side), "-", f"{cell.checks.get(side, '')}; {why}"] for side, why in cell.left_out.items()
        ]
    return table(["graph", "algorithm", "time of", "who", "ms (middle half)", "answer"], lines)


def memory_rows(cells: Iterable[Cell]) -> list[tuple[Cell, Side, int, Side, int]]:
    """Our peak beside that of the leanest fast peer, in every cell that has both."""
    rows = []
    for cell in cells:
        peers = {s: cell.samples[s].median for s in cell.peaks if s in cell.samples and is_compared(cell, s)}
        fast = [side for side, seconds in peers.items() if seconds <= FAST * min(peers.values())]
        ours = [side for side in cell.peaks if side.peer == "gaspipe"]
        if fast and ours:
            leanest = min(fast, key=lambda side: cell.peaks[side])
            rows.append((cell, ours[0], cell.peaks[ours[0]], leanest, cell.peaks[leanest]))
    return rows


def memory_table(cells: Iterable[Cell]) -> str:
    lines = []
    for cell, _, ours, leanest, theirs in memory_rows(cells):
        others = ", ".join(
            f"{side} {peak / 2**20:.0f}"
            for side, peak in cell.peaks.items()
            if side not in (leanest,) and side.peer != "gaspipe"
        )
        ratio = ours / theirs
        lines.append(
            [
                cell.graph,
                TITLES[cell.algorithm],
                f"{ours / 2**20:.0f}",
                f"{leanest} {theirs / 2**20:.0f}",
                f"{ratio:.2f}",
            ]
            + ["yes" if ratio <= MEMORY_BAR else "NO", others]
        )
    head = ["graph", "algorithm", "gaspipe, MiB", "leanest fast peer", "ratio", f"<= {MEMORY_BAR}", "other peers"]
    return table(head, lines)


def plot(rows: Sequence[Ratio], path: str) -> None:
    """Draw the ratios, one panel per kind of time: a dot per cell, right of the line where we are ahead."""
    matplotlib = require("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    kinds = [kind for kind in ("kernel", "whole") if any(row.cell.kind == kind and row.fastest for row in rows)]
    graphs = list(dict.fromkeys(row.cell.graph for row in rows))
    height = 0.8 + 0.24 * max(len({title(r.cell, r.ours) for r in rows if r.cell.kind == k}) for k in kinds) * len(
        graphs
    )
    figure, panels = pyplot.subplots(1, len(kinds), figsize=(5.2 * len(kinds), height), squeeze=False)
    for panel, kind in zip(panels[0], kinds):
        labels, place = [], 0.0
        for graph in graphs:
            for row in (r for r in rows if r.cell.kind == kind and r.cell.graph == graph and r.fastest):
                ahead = row.value >= row.bar
                color = "#2a6fb0" if ahead else "#c2571a"
                panel.plot(row.value, place, "o", markersize=5, color=color, fillstyle="full" if row.counts else "none")
                panel.annotate(
                    str(row.fastest.peer), (row.value, place), xytext=(6, 0), textcoords="offset points", va="center",
                    fontsize=6.5, color="0.45",
                )  # fmt: skip
                labels.append((place, f"{graph}  {title(row.cell, row.ours)}"))
                place += 1
            place += 0.6
        panel.set_yticks([at for at, _ in labels], [text for _, text in labels], fontsize=7)
        panel.margins(y=0.02)
        panel.invert_yaxis()
        panel.set_xscale("log")
        ticks = [
            t
            for t in (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256)
            if panel.get_xlim()[0] / 2 < t < 2 * panel.get_xlim()[1]
        ]
        panel.set_xticks(ticks, [f"{t:g}" for t in ticks], fontsize=7)
        panel.minorticks_off()
        panel.axvline(1, color="0.3", linewidth=0.8)
        panel.grid(axis="x", color="0.9", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.spines[["top", "right", "left"]].set_visible(False)
        panel.tick_params(axis="y", length=0)
        what = "Kernel time" if kind == "kernel" else "Whole call"
        panel.set_title(f"{what}: fastest peer / ours (orange: below bar)", fontsize=9, loc="left")
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def reasons(absent: dict[str, str], versions: dict[str, str]) -> str:
    """The peers with their versions, and the absent ones with the reason."""
    there = [f"- {name}: {version}" for name, version in versions.items()]
    return "\n".join([*there, *(f"- {name}: ABSENT ({why})" for name, why in absent.items())])


def to_json(rows: Sequence[Ratio]) -> list[dict[str, Any]]:
    return [
        {"graph": r.cell.graph, "algorithm": r.cell.algorithm, "time": r.cell.kind, "ours": str(r.ours)}
        | {
            "fastest": str(r.fastest) if r.fastest else None,
            "ratio": r.value if r.fastest else None,
            "bar": r.bar,
            "counts": r.counts,
        }
        for r in rows
    ]
