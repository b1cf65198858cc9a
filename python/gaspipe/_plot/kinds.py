# SPDX-License-Identifier: Apache-2.0
"""Pictures of results, with matplotlib: `Result.plot` and `Graph.plot_degrees` are the way in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from numpy.typing import NDArray

from .. import _description
from .._core import InputError
from . import axes, blocks, periods, prediction, ranks, supersteps

if TYPE_CHECKING:
    from .subjects import Prediction, Result

# What the fields of the built-in algorithms are best shown as; all others go by what their values are like.
_KIND_OF = {
    "depth": "levels",
    "distance": "histogram",
    "component": "components",
    "closeness": "histogram",
}
_UNITS = {"depth": "hops", "distance": "sum of weights", "closeness": "1/hops"}
_BINS = 50
_MOST_POINTS = 20_000
_FEW_COMPONENTS = 15
_DECADE = 10
_FINITE = (-np.finfo(np.float64).max, np.finfo(np.float64).max)
_FILL = {"alpha": 0.85}


def plot(result: Result, kind: str | None, ax: Any) -> Any:
    """See Result.plot."""
    if kind is None:
        kind = _default(result)
    if kind not in _PLOTS:
        raise InputError(f"kind is {kind!r}; allowed are {', '.join(map(repr, _PLOTS))}")
    if kind in prediction.PLOTS and result.stats.prediction is None:
        raise InputError(
            f"kind {kind!r} is for runs with a prediction, which this one has not; see gp.predict, or run with "
            "device='emulator:u250'"
        )
    if kind == "supersteps" and result.algorithm in _description.cpu_algorithms() and result.stats.blocks is None:
        raise InputError(f"kind 'supersteps' is for algorithms of hooks; {result.algorithm} has no super-steps")
    if kind == "blocks":
        blocks.check(result)
        return blocks.draw(result, ax)
    values = result.values
    if values.ndim > 1:
        raise InputError(f"a {result.row} of {result.algorithm} has several values; a picture takes one")
    if kind in ("levels", "components") and values.dtype.kind not in "iu":
        raise InputError(f"kind {kind!r} is for integers; {result.field} is {values.dtype}")
    ax = axes.axes(ax)
    _PLOTS[kind](result, ax)
    return ax


def plot_degrees(bounds: NDArray[np.int64], counts: NDArray[np.int64], direction: str, ax: Any) -> Any:
    """Vertices by degree, from Graph.degree_histogram."""
    ax = axes.axes(ax)
    inside = bounds > 0
    if inside.any():
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.bar(bounds[inside], counts[inside], width=bounds[inside], align="edge", edgecolor="white", **_FILL)
        axes.decades(ax, "y", 1, counts[inside].max())
    else:
        axes.empty(ax, "no edges")
    lonely = int(counts[~inside].sum())
    axes.describe(
        ax,
        f"{direction}-degrees of {axes.count(int(counts.sum()), 'vertex')}"
        + (f", {lonely:,} of degree 0" * (lonely > 0)),
        f"{direction}-degree [edges]",
        "vertices (of degrees from a power of 2 to the next)",
    )
    return ax


def _default(result: Result) -> str:
    values = result.values
    is_integer = values.dtype.kind in "iu"
    if values.ndim > 1:
        return "histogram"  # which says why not
    if result.field in _KIND_OF:
        kind = _KIND_OF[result.field]
        # A user's algorithm may give such a field another dtype.
        return kind if is_integer or kind not in ("levels", "components") else "histogram"
    if is_integer:
        return "levels" if values.dtype.itemsize <= 4 else "histogram"
    positive = values[values > 0]
    # One value has no distribution to speak of.
    is_spread = len(positive) > 0 and positive.min() < positive.max()
    return "distribution" if is_spread and not (values < 0).any() else "histogram"


def _levels(result: Result, ax: Any) -> None:
    values = result.values
    reached = values[values >= 0]
    levels, counts = np.unique(reached, return_counts=True)
    if len(levels) and levels[-1] - levels[0] < 1 << 20:  # levels without vertices show as gaps
        counts = np.bincount(reached - levels[0])
        levels = np.arange(levels[0], levels[-1] + 1)
    if len(levels):
        axes.integer_ticks(ax.yaxis)
        axes.bar_labels(ax, axes.bars(ax, levels, counts, **_FILL), counts)
        axes.whole_numbers(ax, int(levels[0]), int(levels[-1]))
    else:
        axes.empty(ax, f"no {result.row} has a {result.field}")
    axes.describe(ax, _title(result, len(values) - len(reached)), _with_unit(result), axes.plural(result.row))


def _histogram(result: Result, ax: Any) -> None:
    values = result.values
    is_integer = values.dtype.kind in "iu"
    if is_integer:
        reached = values[values >= 0] if result.field in ("depth", "distance") else values
    else:
        reached = values[np.isfinite(values)]
    per_bin = ""
    if len(reached):
        edges = _bin_edges(reached)
        counts, _ = np.histogram(reached, edges)
        ax.stairs(counts, edges, fill=True, **_FILL)
        ax.set_ylim(bottom=0)
        axes.integer_ticks(ax.yaxis)
        if len(edges) > 2 and not (is_integer and edges[1] - edges[0] == 1):
            per_bin = f" per bin of {axes.short(edges[1] - edges[0])}"
        elif not is_integer:  # one value, or some that a picture cannot tell apart
            ax.set_xticks([reached[0]], [f"{reached[0]:.6g}"])
            ax.set_xlim(*(np.clip(_around(edges, 3), *_FINITE)))
        if is_integer and edges[-1] - edges[0] <= _BINS:
            axes.whole_numbers(ax, int(reached.min()), int(reached.max()))
        elif len(edges) > 2:
            ax.ticklabel_format(axis="x", scilimits=(-3, 6))
    else:
        axes.empty(ax, f"no {result.row} has a {result.field}")
    axes.describe(
        ax, _title(result, len(values) - len(reached)), _with_unit(result), f"{axes.plural(result.row)}{per_bin}"
    )


def _bin_edges(values: NDArray[Any]) -> NDArray[np.float64]:
    low, high = values.min().item(), values.max().item()
    if values.dtype.kind in "iu":  # every bin holds equally many integers
        width = -(-(high - low + 1) // _BINS)
        return float(low) - 0.5 + np.arange(-(-(high - low + 1) // width) + 1) * float(width)
    if low == high or not np.all(np.diff(edges := 2 * np.linspace(low / 2, high / 2, _BINS + 1)) > 0):
        spread = max(abs(low) * 0.05, 1e-300) if low else 0.5
        return np.asarray(np.clip([low - spread, high + spread], *_FINITE))
    edges[0], edges[-1] = low, high  # halves keep the range from overflowing, and may round
    return edges


def _around(edges: NDArray[np.float64], times: float) -> NDArray[np.float64]:
    """A range so many times as wide about the same middle."""
    halves = edges / 2
    return (1 + times) * halves + (1 - times) * halves[::-1]


def _components(result: Result, ax: Any) -> None:
    _, counts = np.unique(result.values, return_counts=True)
    sizes = np.sort(counts)[::-1]
    if not len(sizes):
        axes.empty(ax, "no vertices")
    elif len(sizes) <= _FEW_COMPONENTS:
        ranks = np.arange(1, len(sizes) + 1)
        axes.integer_ticks(ax.yaxis)
        axes.bar_labels(ax, axes.bars(ax, ranks, sizes, **_FILL), sizes)
        axes.whole_numbers(ax, 1, len(sizes))
    else:
        # Of runs of equal size, the ends draw the line.
        is_end = np.ones(len(sizes), bool)
        is_end[1:-1] = (sizes[1:-1] != sizes[:-2]) | (sizes[1:-1] != sizes[2:])
        ax.plot(np.flatnonzero(is_end) + 1, sizes[is_end], marker="o", markersize=4, linewidth=1)
        axes.decades(ax, "x", 1, len(sizes))
        axes.decades(ax, "y", sizes[-1], sizes[0])
    total = len(result.values)
    share = f"\nthe largest has {100 * sizes[0] / total:.3g}% of them" if len(sizes) > 1 else ""
    title = f"{result.algorithm}: {axes.count(len(sizes), 'component')} of {axes.count(total, 'vertex')}{share}"
    axes.describe(ax, title, "component, from the largest on", "size [vertices]")


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
    if len(distinct):
        few = {"marker": "o", "markersize": 4} if len(distinct) <= 50 else {}
        ax.plot(distinct, fractions, drawstyle="steps-pre", **few)
        # A logarithm of less than a decade bends the picture and spoils the ticks.
        if distinct[-1] / _DECADE >= distinct[0]:
            axes.log_over(ax, "x", distinct[0], distinct[-1])
        else:
            ax.ticklabel_format(axis="x", scilimits=(-3, 6))
        if fractions[-1] * _DECADE <= fractions[0]:
            axes.log_over(ax, "y", fractions[-1], fractions[0])
        else:
            ax.set_ylim(0, 1.05)
    else:
        axes.empty(ax, f"no vertex has a positive {result.field}")
    rest = len(values) - len(positive)
    title = f"{result.algorithm}: {result.field} of {axes.count(len(values), result.row)}"
    title += f", {rest:,} not positive" if rest else ""
    axes.describe(ax, title, _with_unit(result), f"fraction of vertices of at least this {result.field}")


def _title(result: Result, missing: int) -> str:
    title = f"{result.algorithm}: {result.field} of {axes.count(len(result.values), result.row)}"
    if not missing:
        return title
    return f"{title}, {missing:,} " + ("unreached" if result.field in ("depth", "distance") else "without a value")


def _with_unit(result: Result) -> str:
    unit = _UNITS.get(result.field)
    return f"{result.field} [{unit}]" if unit else result.field


def _of_prediction(draw: Callable[[Prediction, Any], tuple[str, str, str, int]]) -> Callable[[Result, Any], None]:
    def plot(result: Result, ax: Any) -> None:
        assert result.stats.prediction is not None
        title, x, y, columns = draw(result.stats.prediction, ax)
        axes.describe(ax, f"{result.algorithm} {title}", x, y, axes.handles(ax), columns)

    return plot


_PLOTS: dict[str, Callable[[Result, Any], None]] = {
    "levels": _levels,
    "histogram": _histogram,
    "components": _components,
    "distribution": _distribution,
    "supersteps": supersteps.draw,
    "periods": periods.draw,
    "blocks": blocks.draw,
    "ranks": ranks.draw,
    **{kind: _of_prediction(draw) for kind, draw in prediction.PLOTS.items()},
}
