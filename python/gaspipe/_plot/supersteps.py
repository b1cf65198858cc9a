# SPDX-License-Identifier: Apache-2.0
"""The picture of a run: what every super-step took and did.

A run of very many super-steps keeps the records of the first and last ones only (`step` holds their indices). What is
missing is a gap, cut short so that the records that are there stay visible. More super-steps than a screen has pixels
are drawn as means of as many as share one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._executors import EXECUTORS
from . import axes

if TYPE_CHECKING:
    from .subjects import Result

_MOST_STEPS = 1000
_GAP = 0.12  # width of a gap at most, as a share of the records' width
_TIMES = ("scatter_gather_seconds", "apply_seconds")
_COUNTS = {"edges": ("edges streamed", "C2", "o"), "active_vertices": ("active vertices", "C3", "s")}
# Kinds of super-steps that are not the whole pipeline.
_MARKS = {"push": ("pushed", "^"), "pull": ("pulled", "v"), "components": ("components", "D")}


class _Range:
    """Records of consecutive super-steps, every `group` of them as one.

    `first` and `last` are the indices of the first and last super-step, `left` is where the first one is drawn. A group
    is drawn from edge to edge, `at` is its middle; `means` has its figures, `kinds` which marked kinds are in it.
    """

    def __init__(self, steps: NDArray[Any], first: int, left: int, group: int) -> None:
        self.first, self.last, self.left = first, first + len(steps) - 1, left
        begin = np.arange(0, len(steps), group)
        end = np.append(begin[1:], len(steps))
        self.edges = left - 0.5 + np.append(begin, len(steps))
        self.at = (self.edges[1:] + self.edges[:-1]) / 2
        self.means = {
            field: np.add.reduceat(steps[field].astype(float), begin) / (end - begin) for field in (*_TIMES, *_COUNTS)
        }
        kinds = np.stack([steps["kind"] == kind for kind in _MARKS], axis=1)
        self.kinds = np.logical_or.reduceat(kinds, begin)


def draw(result: Result, ax: Any) -> None:
    """Times stacked in bars, counts as lines on an axis of their own, kinds as marks at the foot."""
    stats = result.stats
    steps = stats.supersteps
    unit, factor = axes.time_unit(stats.seconds)
    title = (
        f"{result.algorithm}: {axes.count(stats.num_supersteps, 'super-step')} in "
        f"{axes.short(factor * stats.seconds)} {unit} on {stats.device}"
        + ("" if stats.converged else ", not converged")
    )
    if not len(steps):
        axes.empty(ax, "no super-steps")
        axes.describe(ax, title, "super-step", "time")
        return
    group = -(-len(steps) // (_MOST_STEPS // 2)) if len(steps) > _MOST_STEPS else 1
    ranges = _ranges(steps, group)
    unit = _times(ranges, ax)
    _marks(ranges, ax)
    other = ax.twinx()
    _counts(ranges, other)
    if len(ranges) == 1:
        axes.whole_numbers(ax, ranges[0].first, ranges[0].last)
    else:
        _gaps(ranges, ax)
    means = f" (means of {group} super-steps)" if group > 1 else ""
    # The clock of a run in the emulator is that of the emulation, not of a card.
    time = "time of the emulation" if EXECUTORS[stats.device].predicts else "time"
    own, others = axes.handles(ax), axes.handles(other)
    marks = {label: own.pop(label) for label, _ in _MARKS.values() if label in own}
    axes.describe(ax, title, "super-step", f"{time} [{unit}]{means}", {**own, **others, **marks}, columns=3)
    ax.grid(False)
    other.set_ylabel(f"edges, vertices{means}")


def _ranges(steps: NDArray[Any], group: int) -> list[_Range]:
    index = steps["step"] if "step" in (steps.dtype.names or ()) else np.arange(len(steps))
    most = max(1, round(_GAP * len(steps)))
    found: list[_Range] = []
    cut = 0
    for part in np.split(np.arange(len(steps)), np.flatnonzero(np.diff(index) != 1) + 1):
        first = int(index[part[0]])
        if found:
            cut += max(first - found[-1].last - 1 - most, 0)
        found.append(_Range(steps[part], first, first - cut, group))
    return found


def _times(ranges: list[_Range], ax: Any) -> str:
    """Bars; the unit of time that they are in."""
    highest = max(float(np.sum([r.means[field] for field in _TIMES], axis=0).max()) for r in ranges)
    unit, factor = axes.time_unit(highest)
    few = sum(len(r.at) for r in ranges) <= axes.MOST_BARS
    has_apply = any(r.means["apply_seconds"].any() for r in ranges)
    for r in ranges:
        scatter, apply = (factor * r.means[field] for field in _TIMES)
        for heights, bottom, style in (
            (scatter, 0 * scatter, {"label": "scatter-gather", "color": "C0", "alpha": 0.45}),
            (apply, scatter, {"label": "apply", "color": "C1", "alpha": 0.55}),
        ):
            if heights is apply and not has_apply:
                continue
            if few:
                ax.bar(r.at, heights, bottom=bottom, width=0.85 * np.diff(r.edges), **style)
            else:
                ax.stairs(bottom + heights, r.edges, baseline=bottom, fill=True, **style)
    ax.set_ylim(0, 1.05 * factor * highest or 1)
    return unit


def _marks(ranges: list[_Range], ax: Any) -> None:
    at = np.concatenate([r.at for r in ranges])
    size = 5 if len(at) <= axes.MOST_BARS else 2
    # At the lower edge, whatever the scale.
    style = {"transform": ax.get_xaxis_transform(), "clip_on": False, "linestyle": "none", "color": "0.3"}
    for (label, marker), marked in zip(_MARKS.values(), np.concatenate([r.kinds for r in ranges]).T):
        if marked.any():
            ax.plot(at[marked], np.zeros(marked.sum()), marker=marker, markersize=size, label=label, **style)


def _counts(ranges: list[_Range], ax: Any) -> None:
    few = sum(len(r.at) for r in ranges) <= axes.MOST_BARS
    positive = np.zeros(0)
    for field, (label, color, marker) in _COUNTS.items():
        x, y = ranges[0].at, ranges[0].means[field]
        for r in ranges[1:]:  # a line that is broken at gaps
            x, y = np.concatenate([x, [np.nan], r.at]), np.concatenate([y, [np.nan], r.means[field]])
        ax.plot(x, y, color=color, label=label, **({"marker": marker, "markersize": 4} if few else {}))
        positive = np.append(positive, y[y > 0])
    if len(positive):
        axes.decades(ax, "y", positive.min(), positive.max())
    else:
        ax.set_ylim(0, 1)
        axes.integer_ticks(ax.yaxis)


def _gaps(ranges: list[_Range], ax: Any) -> None:
    """Ticks that name super-steps, and bands that say how many are missing."""
    width = ranges[-1].edges[-1] - ranges[0].edges[0]
    ticks: list[int] = []
    names: list[str] = []
    for r in ranges:
        room = axes.ticks_that_fit(ax, r.last, (r.last - r.first + 1) / width)
        found = axes.integer_locator(room).tick_values(r.first, r.last)
        steps = sorted({int(step) for step in found if r.first <= step <= r.last}) or [r.first]
        steps = steps[:: -(-len(steps) // room)]
        ticks += [r.left + step - r.first for step in steps]
        names += [f"{step:,}" for step in steps]
    ax.set_xticks(ticks, names)
    for before, after in zip(ranges, ranges[1:]):
        left, right = before.edges[-1], after.edges[0]
        ax.axvspan(left, right, color="0.93", linewidth=0)
        if right - left >= _GAP / 2 * width:
            text = f"{axes.count(after.first - before.last - 1, 'super-step')} without records"
            middle = {"x": (left + right) / 2, "y": 0.5, "transform": ax.get_xaxis_transform()}
            ax.text(s=text, rotation=90, ha="center", va="center", fontsize="small", color="0.4", **middle)
