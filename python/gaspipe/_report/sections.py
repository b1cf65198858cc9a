# SPDX-License-Identifier: Apache-2.0
"""The sections of a report; each returns its HTML, or nothing where a run has nothing to tell about it.

All take the run, the runs of the page (charts beside one another share their scale) and a prefix of ids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .._executors import EXECUTORS
from . import drawing, machine
from .columns import Series, chart
from .markup import (
    Cell,
    bar,
    count,
    details,
    duration,
    facts,
    legend,
    percent,
    seconds,
    share,
    short,
    table,
    text,
)
from .subject import Subject

_MEASURED = ("scatter_gather_seconds", "apply_seconds")
_ROWS = 8


def pipeline(run: Subject, _: Sequence[Subject], prefix: str) -> str:
    """The kernels drawn, and their figures as tables."""
    parts = []
    for k, kernel in enumerate(run.kernels):
        parts.append(f"<h3>{text(kernel.title)}</h3>{drawing.draw(kernel, f'{prefix}kernel{k}')}")
        timed = [stage for stage in kernel.stages if stage.shares is not None]
        if not timed:
            continue
        stages = table(
            f"Stages of {kernel.title}: shares of the kernel's time, predicted",
            ["stage", *drawing.WAITS.values(), "limits"],
            [
                [
                    s.name,
                    *(share((s.shares or {}).get(name, 0.0)) for name in drawing.WAITS),
                    "yes" if s.is_limit else "",
                ]
                for s in timed
            ],
        )
        fifos = table(
            f"FIFOs of {kernel.title}, predicted"
            + "; of several the one of the busiest PE" * (kernel.title != "apply"),
            ["FIFO", "from", "to", "depth", "most tokens", "full", "empty"],
            [
                [f.name, f.writer, f.reader, count(f.depth or 0), count(f.most), share(f.full), share(f.empty)]
                for f in kernel.fifos
            ],
        )
        parts.append(details("Stages and FIFOs as tables", stages + fifos))
    return "".join(parts)


def supersteps(run: Subject, runs: Sequence[Subject], prefix: str) -> str:
    """Time per super-step: predicted, and measured."""
    parts = []
    if run.prediction is not None and len(run.prediction.steps):
        steps = run.prediction.steps
        other = np.maximum(steps["seconds"] - steps["scatter_gather_seconds"] - steps["apply_seconds"], 0.0)
        series = [
            Series("scatter and gather", "c-1", steps["scatter_gather_seconds"]),
            Series("apply", "c-2", steps["apply_seconds"]),
            Series("host", "c-3", other),
        ]
        most = max(float(r.prediction.steps["seconds"].max()) for r in runs if r.prediction and len(r.prediction.steps))
        parts.append(f"<h3>Predicted on {text(run.prediction.board)}</h3>")
        parts.append(
            chart(
                "Predicted time of every super-step",
                "super-step",
                series,
                duration,
                most=most,
                wide=len(runs) == 1,
                identity=f"{prefix}ps",
            )
        )
        parts.append(legend([(s.color, s.name) for s in series]))
        rows = [
            [count(k), seconds(s["seconds"]), seconds(s["scatter_gather_seconds"]), seconds(s["apply_seconds"]),
             count(s["edges"]), count(s["bytes"])]
            for k, s in enumerate(steps)
        ]  # fmt: skip
        heads = ["super-step", "time", "scatter and gather", "apply", "edges", "bytes"]
        parts.append(details("Predicted super-steps as a table", table("Super-steps, predicted", heads, rows)))
    parts.append(_measured_steps(run, runs, prefix))
    if run.ranks is not None:
        parts.append(_rank_steps(run, runs, prefix))
    return "".join(parts)


def _measured_steps(run: Subject, runs: Sequence[Subject], prefix: str) -> str:
    if run.stats is None or not run.stats.number or not len(run.stats.supersteps):
        return ""
    steps = run.stats.supersteps
    emulated = EXECUTORS[run.stats.device].predicts if run.stats.device in EXECUTORS else False
    what = "time of the emulation, not of a card" if emulated else "measured"
    series = [
        Series("scatter and gather", "c-1", steps["scatter_gather_seconds"]),
        Series("apply", "c-2", steps["apply_seconds"]),
    ]
    own = [
        float(np.sum([r.stats.supersteps[name] for name in _MEASURED], axis=0).max())
        for r in runs
        if r.stats is not None and r.stats.number and len(r.stats.supersteps) and r.stats.device == run.stats.device
    ]
    labels = [int(step) for step in steps["step"]]
    title = f"Time of every super-step, {what}"
    heads = ["super-step", "kind", "scatter and gather", "apply", "edges", "active vertices"]
    rows = [
        [count(s["step"]), str(s["kind"]), *(seconds(s[name]) for name in _MEASURED), count(s["edges"]),
         count(s["active_vertices"])]
        for s in steps
    ]  # fmt: skip
    edges = [Series("edges", "c-4", steps["edges"].astype(float))]
    active = [Series("active vertices", "c-1", steps["active_vertices"].astype(float))]
    shown = (
        f"<h3>{'Measured' if not emulated else 'Time of the emulation'}</h3>"
        + chart(
            title,
            "super-step",
            series,
            duration,
            labels=labels,
            most=max(own),
            wide=len(runs) == 1,
            identity=f"{prefix}ms",
        )
        + legend([(s.color, s.name) for s in series])
        + "<h3>Edges</h3>"
        + chart(
            "Edges of every super-step",
            "super-step",
            edges,
            short,
            labels=labels,
            wide=len(runs) == 1,
            identity=f"{prefix}me",
        )
        + "<h3>Active vertices</h3>"
        + chart(
            "Active vertices", "super-step", active, short, labels=labels, wide=len(runs) == 1, identity=f"{prefix}ma"
        )
        + details("Super-steps as a table", table(title, heads, rows))
    )
    return shown if not emulated else details("Super-steps of the emulation", shown)


def _rank_steps(run: Subject, runs: Sequence[Subject], prefix: str) -> str:
    steps = run.ranks.supersteps
    if not len(steps):
        return ""
    series = [
        Series("computing", "c-1", steps["compute_seconds"]),
        Series("exchanging", "c-2", steps["exchange_seconds"]),
    ]
    heads = ["super-step", "kind", "computing", "exchanging", "time", "edges", "bytes sent", "messages of a rank"]
    rows = [
        [count(s["step"]), str(s["kind"]), *(seconds(s[f"{name}seconds"]) for name in ("compute_", "exchange_", "")),
         count(s["edges"]), count(s["bytes_sent"]), count(s["messages"])]
        for s in steps
    ]  # fmt: skip
    title = "Predicted time of every super-step on the ranks"
    labels = [int(step) for step in steps["step"]]
    return (
        chart(title, "super-step", series, duration, labels=labels, wide=len(runs) == 1, identity=f"{prefix}rs")
        + legend([(s.color, s.name) for s in series])
        + details("Super-steps as a table", table(title, heads, rows))
        + "<h3>How the figures were found</h3>"
        + facts(run.ranks.method.items())
    )


def phases(run: Subject, _: Sequence[Subject], __: str) -> str:
    """Where the measured time went."""
    if run.stats is None or not run.stats.seconds or not run.stats.number:
        return ""
    total = sum(run.stats.phases.values()) or 1.0
    rows = [
        [name.replace("_", " "), seconds(value), bar(value / total, percent(value / total))]
        for name, value in run.stats.phases.items()
        if value > 0
    ]
    return table("Phases of the run, measured", ["phase", "time", "share"], rows)


def answer(run: Subject, _: Sequence[Subject], __: str) -> str:
    """Some of the values, and what all are like."""
    if run.chain is not None:
        rows = [[name, str(a.dtype), count(a.size)] for name, a in run.chain.arrays.items()]
        rows += [[name, "word", Cell(f"{word:,}", float(word))] for name, word in run.chain.words.items()]
        return table("What the chain wrote", ["name", "type", "elements, or the word"], rows, sortable=False)
    if run.result is None or run.result.values.ndim != 1:
        return ""
    values, field = run.result.values, run.result.field
    row = getattr(run.result, "row", "vertex")
    told = [("field", field), ("dtype", str(values.dtype)), ("values", f"{len(values):,}, one per {row}")]
    if len(values) and values.dtype.kind in "iuf":
        finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
        if len(finite):
            told += [("least", f"{finite.min()}"), ("greatest", f"{finite.max()}"), ("mean", f"{finite.mean():.6g}")]
    total = len(values)
    half = _ROWS // 2
    chosen = list(range(total)) if total <= _ROWS else [*range(half), *range(total - half, total)]
    labels = getattr(run.result, "labels", None)
    ids = getattr(run.result, "ids", None)
    rows = []
    for v in chosen:
        name = v if row != "vertex" else labels[v] if labels is not None else ids[v] if ids is not None else v
        rows.append([f"{name}", f"{values[v]}"])
    caption = f"{field}: the first and the last {half} of {total:,}" if total > _ROWS else field
    return facts(told) + table(caption, [row, field], rows, sortable=False)


SECTIONS: tuple[tuple[str, str, Callable[[Subject, Sequence[Subject], str], str]], ...] = (
    ("pipeline", "Pipeline", pipeline),
    ("supersteps", "Time per super-step", supersteps),
    ("calls", "Calls", machine.calls),
    ("launches", "Kernels started", machine.launches),
    ("pes", "Balance of PEs and units", machine.pes),
    ("memory", "Memory", machine.memory),
    ("resources", "Resources of the board", machine.resources),
    ("domains", "Ranks and domains", machine.domains),
    ("reads", "Bytes read and moved", machine.reads),
    ("stores", "Local stores", machine.stores),
    ("phases", "Phases", phases),
    ("answer", "Answer", answer),
)
