# SPDX-License-Identifier: Apache-2.0
"""The schedule of a search by workers with local stores: for every worker what it loads, computes and stores.

A search has thousands of periods; a few from the middle of it are drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from . import axes

if TYPE_CHECKING:
    from .subjects import Result

_PERIODS = 8
_MOST_WORKERS = 8
# Lanes from top to bottom; a step's lane, color and name.
_LANES = ("load", "compute", "store")
_STEPS = {
    "fetch": (0, "C0", "1 fetch"),
    "gather": (0, "C1", "2 gather"),
    "dispatch": (1, "C2", "3 dispatch"),
    "all_to_all": (1, "C3", "4 all-to-all"),
    "bitmap": (1, "C4", "5 bitmap"),
    "commit": (2, "C5", "6 commit"),
}
_WIDTH = 0.28  # of a lane; a worker's three fill most of 1


def draw(result: Result, ax: Any) -> None:
    """Bars from begin to end of every step of some periods, with the iteration that it belongs to."""
    profile = result.stats.local_store
    if profile is None or profile.trace is None:
        raise InputError(
            "kind 'periods' is for searches with a trace; run gp.bfs(..., method='local_store', trace=True)"
        )
    trace = profile.trace
    where = f"{result.algorithm}: {axes.count(profile.workers, 'worker')}" + (
        ", loads and stores beside computing" if profile.hide_latency else ", one step after the other"
    )
    shown = _window(trace)
    if not len(shown):
        axes.empty(ax, "no list was dispatched")
        axes.describe(ax, where, "time", "worker")
        return
    start, span = shown["begin"].min(), np.ptp(np.concatenate([shown["begin"], shown["end"]]))
    unit, factor = axes.time_unit(float(span))
    workers = np.unique(shown["worker"])
    entries: dict[str, Any] = {}
    for step, (lane, color, label) in _STEPS.items():
        for worker in workers:
            chosen = shown[(shown["step"] == step) & (shown["worker"] == worker)]
            bars = [(factor * (e["begin"] - start), factor * (e["end"] - e["begin"])) for e in chosen]
            below = worker + _WIDTH * (lane - 1.5)
            drawn = ax.broken_barh(bars, (below, _WIDTH), facecolors=color, edgecolor="white", linewidth=0.4)
            entries.setdefault(label, drawn)
            for event, (left, width) in zip(chosen, bars):
                if width > 0.03 * factor * span and len(workers) <= 4:
                    middle = (left + width / 2, below + _WIDTH / 2)
                    ax.text(
                        *middle, f"{event['iteration']}", ha="center", va="center", fontsize="x-small", clip_on=True
                    )
    ax.set_yticks(workers, [f"{worker}" for worker in workers])
    ax.set_ylim(workers[-1] + 0.6, workers[0] - 0.6)
    ax.set_xlim(0, factor * span)
    first, last = shown["period"].min(), shown["period"].max()
    title = f"{where}; periods {first:,} to {last:,}"
    axes.describe(ax, title, f"time [{unit}]", f"worker ({', '.join(_LANES)} from top)", entries, columns=3)


def _window(trace: NDArray[Any]) -> NDArray[Any]:
    """Records of the first workers, in some periods from the middle of the search."""
    kept = trace[trace["worker"] < _MOST_WORKERS]
    computed = kept[kept["step"] == "dispatch"]
    if not len(computed):
        return trace[:0]
    busiest = np.bincount(computed["worker"]).argmax()
    periods = np.sort(computed["period"][computed["worker"] == busiest])
    first = periods[max(0, (len(periods) - _PERIODS) // 2)]
    chosen: NDArray[Any] = kept[(kept["period"] >= first) & (kept["period"] < first + _PERIODS)]
    return chosen
