# SPDX-License-Identifier: Apache-2.0
"""Pictures of what was predicted; each draws, and returns title, labels of x and y, and the columns of its legend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .. import _core
from . import axes

if TYPE_CHECKING:
    from .subjects import Prediction

_SPAN = 4.0  # how far the axes of a roofline reach to both sides of the point
_WORDS = {
    "busy": "busy",
    "waited_memory": "waits for memory",
    "waited_in": "waits for input",
    "waited_out": "waits for room in output",
}


def _where(prediction: Prediction) -> str:
    return f"on {prediction.board}, {prediction.config}"


def _roofline(prediction: Prediction, ax: Any) -> tuple[str, str, str, int]:
    lanes = {config["name"]: config["lanes"] for config in _core.configs()}.get(prediction.config)
    at, rate = prediction.bytes_per_edge, prediction.streamed_mteps
    compute = np.inf if lanes is None else lanes * prediction.num_units * prediction.clock_mhz  # blocks have no lanes
    bandwidth = prediction.peak_bytes_per_second / 1e6  # MTEPS at a byte per edge
    if np.isfinite(at) and at > 0:
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        corner = bandwidth / compute
        x = np.unique([at / _SPAN, at * _SPAN, corner if at / _SPAN < corner < at * _SPAN else at])
        ax.fill_between(x, np.minimum(bandwidth / x, compute), color="C0", alpha=0.08)
        label = f"memory: {prediction.peak_bytes_per_second / 1e9:.4g} GB/s"
        ax.plot(x, bandwidth / x, color="C0", label=label)
        label = f"lanes: {lanes} x {prediction.num_units} units x {prediction.clock_mhz:g} MHz"
        if lanes is not None:
            ax.axhline(compute, color="C1", label=label)
        ax.plot([at], [rate], "o", color="C3", label=f"predicted: {rate:,.0f} MTEPS at {at:.3g} bytes per edge")
        roof = min(bandwidth / at, compute)
        label = "share of what memory" + " and lanes" * (lanes is not None) + " allow" + "s" * (lanes is None)
        ax.plot([at, at], [rate, roof], color="C3", linestyle=":", linewidth=1, label=label)
        ax.annotate(f"{100 * rate / roof:.0f} %", (at, (rate * roof) ** 0.5), (6, 0), textcoords="offset points")
        ax.set_xlim(x[0], x[-1])
        ax.set_ylim(min(rate, bandwidth / x[-1]) / 2, max(compute if lanes else 0.0, bandwidth / x[0]) * 1.5)
        low, high = np.ceil(np.log2(x[0])), np.floor(np.log2(x[-1]))
        ticks = 2.0 ** np.arange(low, high + 1)
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    else:
        axes.empty(ax, "no edge was timed")
    return _where(prediction), "bytes moved per edge", "million edges streamed per s", 1


def _stages(prediction: Prediction, ax: Any) -> tuple[str, str, str, int]:
    stages = prediction.stages
    if not len(stages):
        axes.empty(ax, "no task was timed")
        return _where(prediction), "", "", 1
    left = np.zeros(len(stages))
    at = np.arange(len(stages))
    for color, (field, label) in zip(("C0", "C3", "0.8", "0.6"), _WORDS.items()):
        share = 100 * stages[field]
        ax.barh(at, share, left=left, color=color, label=label)
        left += share
    ax.set_yticks(at, stages["stage"].tolist(), fontsize="small")
    ax.set_ylim(len(stages) - 0.4, -0.6)
    ax.set_xlim(0, 100)
    limit = prediction.limiting_stage
    title = f"{_where(prediction)}" + (f": limited by {limit}" if limit else "")
    return title, "share of the kernels' time [%]", "", 4


def _pes(prediction: Prediction, ax: Any) -> tuple[str, str, str, int]:
    updates = prediction.pe_updates
    title = _where(prediction)
    if updates.any():
        at = np.arange(len(updates))
        ax.bar(at, updates, width=0.85, color="C0", alpha=0.85, label="updates of a PE")
        ax.axhline(updates.mean(), color="C3", linewidth=1, label=f"mean: {axes.short(updates.mean())}")
        axes.whole_numbers(ax, 0, len(updates) - 1)
        axes.integer_ticks(ax.yaxis)
        title += f": the busiest PE takes {prediction.pe_load:.3g} times the mean"
    else:
        axes.empty(ax, "no update arrived")
    return title, "PE (destination modulo the number of PEs)", "updates", 2


PLOTS: dict[str, Callable[[Prediction, Any], tuple[str, str, str, int]]] = {
    "roofline": _roofline,
    "stages": _stages,
    "pes": _pes,
}
