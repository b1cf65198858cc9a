# SPDX-License-Identifier: Apache-2.0
"""Pictures of results, with matplotlib: `Result.plot` and `Graph.plot_degrees` are the way in."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _inputs, _plot_prediction
from ._core import InputError

if TYPE_CHECKING:
    from ._prediction import Prediction
    from ._result import Result

# What the fields of the built-in algorithms are best shown as; all others go by what their values are like.
_KIND_OF = {
    "depth": "levels",
    "distance": "histogram",
    "component": "components",
    "rank": "distribution",
    "closeness": "distribution",
}
_BINS = 50
# More bars than this are drawn as one outline, which looks the same and takes no time.
_MOST_BARS = 200
_MOST_POINTS = 20_000
_BAR_LABELS = 15
_FILL = {"alpha": 0.85}


def plot(result: Result, kind: str | None, ax: Any) -> Any:
    """See Result.plot."""
    if kind is None:
        kind = _default(result)
    if kind not in _PLOTS:
        raise InputError(f"kind is {kind!r}; allowed are {', '.join(map(repr, _PLOTS))}")
    if kind in _plot_prediction.PLOTS and result.stats.prediction is None:
        raise InputError(
            f"kind {kind!r} is for runs with a prediction, which this one has not; see gp.predict, or run with "
            "device='emulator:u250'"
        )
    values = result.values
    if kind in ("levels", "components") and values.dtype.kind not in "iu":
        raise InputError(f"kind {kind!r} is for integers; {result.field} is {values.dtype}")
    ax = _axes(ax)
    _PLOTS[kind](result, ax)
    return ax


def plot_degrees(bounds: NDArray[np.int64], counts: NDArray[np.int64], direction: str, ax: Any) -> Any:
    """Vertices by degree, from Graph.degree_histogram."""
    ax = _axes(ax)
    inside = bounds > 0
    ax.set_xscale("log", base=2)
    if inside.any():
        ax.set_yscale("log")
        ax.bar(bounds[inside], counts[inside], width=bounds[inside], align="edge", edgecolor="white", **_FILL)
        ax.set_ylim(bottom=0.5)  # so that one vertex is a bar
    lonely = int(counts[~inside].sum())
    _describe(
        ax,
        f"{direction}-degrees of {_count(int(counts.sum()), 'vertex')}" + (f", {lonely:,} of degree 0" * (lonely > 0)),
        f"{direction}-degree [edges]",
        "vertices (of degrees from a power of 2 to the next)",
    )
    return ax


def _default(result: Result) -> str:
    values = result.values
    if result.field in _KIND_OF:
        kind = _KIND_OF[result.field]
    elif values.dtype.kind in "iu":
        kind = "levels" if values.dtype.itemsize <= 4 else "histogram"
    else:
        kind = "histogram" if (values < 0).any() or not (values > 0).any() else "distribution"
    is_integer = values.dtype.kind in "iu"
    # A user's algorithm may give such a field another dtype.
    return kind if is_integer or kind not in ("levels", "components") else "histogram"


def _axes(ax: Any) -> Any:
    try:
        axes = importlib.import_module("matplotlib.axes")
    except ImportError:
        raise InputError("plots need matplotlib, which is missing; pip install matplotlib") from None
    if ax is None:
        _, ax = importlib.import_module("matplotlib.pyplot").subplots(layout="constrained")
    if not isinstance(ax, axes.Axes):
        raise InputError(f"ax is a {_inputs.kind(ax)}; a matplotlib Axes is needed, or None for a new figure")
    return ax


def _levels(result: Result, ax: Any) -> None:
    values = result.values
    reached = values[values >= 0]
    levels, counts = np.unique(reached, return_counts=True)
    drawn = None
    if len(levels) and levels[-1] - levels[0] < 1 << 20:  # levels without vertices show as gaps
        counts = np.bincount(reached - levels[0])
        levels = np.arange(levels[0], levels[-1] + 1)
    if len(levels):
        drawn = _bars(ax, levels, counts, **_FILL)
    if drawn is not None and len(levels) <= _BAR_LABELS:
        ax.bar_label(drawn, [f"{count:,}" for count in counts], padding=2, fontsize="small")
        ax.margins(y=0.1)
    ax.xaxis.get_major_locator().set_params(integer=True)
    unit = " [hops]" if result.field == "depth" else ""
    _describe(ax, _title(result, len(values) - len(reached)), f"{result.field}{unit}", "vertices")


def _histogram(result: Result, ax: Any) -> None:
    values = result.values
    if values.dtype.kind in "iu":
        reached = values[values >= 0] if result.field in ("depth", "distance") else values
    else:
        reached = values[np.isfinite(values)]
    width = ""
    if len(reached):
        edges = _bin_edges(reached)
        counts, _ = np.histogram(reached, edges)
        ax.stairs(counts, edges, fill=True, **_FILL)
        width = f" of {_short(edges[1] - edges[0])}" if len(edges) > 2 else ""
    missing = len(values) - len(reached)
    unit = " [sum of weights]" if result.field == "distance" else ""
    _describe(ax, _title(result, missing), f"{result.field}{unit}", f"vertices per bin{width}")


def _bin_edges(values: NDArray[Any]) -> NDArray[np.float64]:
    low, high = values.min().item(), values.max().item()
    if values.dtype.kind in "iu":  # every bin holds equally many integers
        width = -(-(high - low + 1) // _BINS)
        return float(low) - 0.5 + np.arange(-(-(high - low + 1) // width) + 1) * float(width)
    if low == high or not np.all(np.diff(edges := 2 * np.linspace(low / 2, high / 2, _BINS + 1)) > 0):
        spread = max(abs(low) * 1e-6, 1e-300) if low else 0.5
        return np.array([low - spread, high + spread])
    edges[0], edges[-1] = low, high  # halves keep the range from overflowing, and may round
    return edges


def _components(result: Result, ax: Any) -> None:
    _, counts = np.unique(result.values, return_counts=True)
    sizes = np.sort(counts)[::-1]
    # Of runs of equal size, the ends draw the line.
    is_end = np.ones(len(sizes), bool)
    is_end[1:-1] = (sizes[1:-1] != sizes[:-2]) | (sizes[1:-1] != sizes[2:])
    _log(ax, "x")
    _log(ax, "y")
    ax.plot(np.flatnonzero(is_end) + 1, sizes[is_end], marker="o", markersize=4, linewidth=1)
    total = len(result.values)
    share = f"\nthe largest has {100 * sizes[0] / total:.3g}% of them" if total else ""
    title = f"{result.algorithm}: {_count(len(sizes), 'component')} of {_count(total, 'vertex')}{share}"
    _describe(ax, title, "component, from the largest on", "size [vertices]")


def _distribution(result: Result, ax: Any) -> None:
    values = result.values
    positive = np.sort(values[np.isfinite(values) & (values > 0)])
    distinct, first = np.unique(positive, return_index=True)
    fractions = (len(positive) - first) / max(len(values), 1)
    if len(distinct) > _MOST_POINTS:  # evenly, and ever closer to the few largest, which a logarithm spreads
        half = _MOST_POINTS // 2
        even = np.linspace(0, len(distinct) - 1, half).astype(np.int64)
        tail = len(distinct) - np.geomspace(1, len(distinct), half).astype(np.int64)
        chosen = np.unique(np.concatenate([even, tail]))
        distinct, fractions = distinct[chosen], fractions[chosen]
    _log(ax, "x")
    _log(ax, "y")
    few = {"marker": "o", "markersize": 4} if len(distinct) <= 50 else {}
    ax.plot(distinct, fractions, drawstyle="steps-pre", **few)
    rest = len(values) - len(positive)
    title = f"{result.algorithm}: {result.field} of {_count(len(values), 'vertex')}"
    title += f", {rest:,} not positive" if rest else ""
    _describe(ax, title, result.field, f"fraction of vertices of at least this {result.field}")


# Kinds of super-steps that are not the whole pipeline.
_MARKED_STEPS = {"push": ("pushed", "^"), "pull": ("pulled", "v"), "components": ("components", "D")}


def _supersteps(result: Result, ax: Any) -> None:
    steps = result.stats.supersteps
    at = np.arange(len(steps))
    scatter, apply = 1e3 * steps["scatter_gather_seconds"], 1e3 * steps["apply_seconds"]
    if len(at):
        _bars(ax, at, scatter, label="scatter-gather", color="C0", alpha=0.45)
        _bars(ax, at, apply, bottom=scatter, label="apply", color="C1", alpha=0.55)
    for kind, (label, marker) in _MARKED_STEPS.items():
        marked = at[steps["kind"] == kind]
        if len(marked):
            # At the lower edge, whatever the scale.
            size = 5 if len(at) <= _MOST_BARS else 2
            where = {"transform": ax.get_xaxis_transform(), "clip_on": False}
            ax.plot(marked, np.zeros(len(marked)), marker, color="0.3", markersize=size, label=label, **where)
    ax.set_ylim(bottom=0)
    other = ax.twinx()
    counts = {"edges streamed": ("edges", "C2", "o"), "active vertices": ("active_vertices", "C3", "s")}
    for label, (field, color, marker) in counts.items():
        few = {"marker": marker, "markersize": 4} if len(at) <= _MOST_BARS else {}
        other.plot(at, steps[field], color=color, label=label, **few)
    if len(at) and max(steps["edges"].max(), steps["active_vertices"].max()) > 0:
        _log(other, "y")
    other.set_ylabel("edges, vertices")
    ax.xaxis.get_major_locator().set_params(integer=True)
    stats = result.stats
    converged = "" if stats.converged else ", not converged"
    title = (
        f"{result.algorithm}: {_count(len(steps), 'super-step')} in {_short(1e3 * stats.seconds)} ms on {stats.device}"
    )
    _describe(ax, title + converged, "super-step", "time [ms]")
    ax.grid(False)
    own, others = (dict(zip(*a.get_legend_handles_labels()[::-1])) for a in (ax, other))
    markers = {label: own.pop(label) for label, _ in _MARKED_STEPS.values() if label in own}
    entries = {**own, **others, **markers}
    # Below the axes, where it hides nothing.
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncol": 3, "frameon": False, "fontsize": "small"}
    ax.legend(entries.values(), entries.keys(), **below)


def _bars(ax: Any, at: NDArray[Any], heights: NDArray[Any], bottom: Any = None, **style: Any) -> Any:
    """Bars of width one around `at`, which ascends by one or, where there are few, otherwise; None for an outline."""
    if len(at) <= _MOST_BARS:
        return ax.bar(at, heights, bottom=bottom, width=0.85, **style)
    edges = np.append(at, at[-1] + 1) - 0.5
    top = heights if bottom is None else bottom + heights
    ax.stairs(top, edges, baseline=0 if bottom is None else bottom, fill=True, **style)
    return None


def _log(ax: Any, axis: str) -> None:
    getattr(ax, f"set_{axis}scale")("log", nonpositive="mask")


def _title(result: Result, missing: int) -> str:
    title = f"{result.algorithm}: {result.field} of {_count(len(result.values), 'vertex')}"
    if not missing:
        return title
    return f"{title}, {missing:,} " + ("unreached" if result.field in ("depth", "distance") else "without a value")


def _count(number: int, what: str) -> str:
    plural = "vertices" if what == "vertex" else f"{what}s"
    return f"{number:,} {what if number == 1 else plural}"


def _short(number: float) -> str:
    """Three digits, whole ones in full where they are readable."""
    return f"{number:,.0f}" if 100 <= abs(number) < 1e7 else f"{number:.3g}"


def _describe(ax: Any, title: str, x: str, y: str) -> None:
    ax.set_title(title, fontsize="medium")
    ax.set(xlabel=x, ylabel=y)
    ax.set_axisbelow(True)
    ax.grid(True, alpha=0.3)


def _of_prediction(draw: Callable[[Prediction, Any], tuple[str, str, str]]) -> Callable[[Result, Any], None]:
    def plot(result: Result, ax: Any) -> None:
        assert result.stats.prediction is not None
        title, x, y = draw(result.stats.prediction, ax)
        _describe(ax, f"{result.algorithm} {title}", x, y)

    return plot


_PLOTS: dict[str, Callable[[Result, Any], None]] = {
    "levels": _levels,
    "histogram": _histogram,
    "components": _components,
    "distribution": _distribution,
    "supersteps": _supersteps,
    **{kind: _of_prediction(draw) for kind, draw in _plot_prediction.PLOTS.items()},
}
