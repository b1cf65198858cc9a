# SPDX-License-Identifier: Apache-2.0
"""What all pictures share: axes, labels that fit, ticks that suit counts, legends that hide nothing."""

from __future__ import annotations

import importlib
import textwrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _inputs
from .._core import InputError

# More bars than this are drawn as one outline, which looks the same and takes no time.
MOST_BARS = 200
_MOST_TICKS = 15  # up to so many whole numbers, each has a tick and each bar a label
_BELOW = 3.6  # from the axes down to a legend, in units of the font size: ticks and a label of x of one line
_LINE = 1.2


def axes(ax: Any, width: float = 0.0, height: float = 4.8) -> Any:
    """Axes to draw on: `ax`, or those of a new figure, of a size in inches if given."""
    try:
        module = importlib.import_module("matplotlib.axes")
    except ImportError:
        raise InputError("plots need matplotlib, which is missing; pip install matplotlib") from None
    if ax is None:
        size = {"figsize": (width, height)} if width else {}
        _, ax = importlib.import_module("matplotlib.pyplot").subplots(layout="constrained", **size)
    if not isinstance(ax, module.Axes):
        raise InputError(f"ax is a {_inputs.kind(ax)}; a matplotlib Axes is needed, or None for a new figure")
    return ax


def describe(ax: Any, title: str, x: str, y: str, entries: dict[str, Any] | None = None, columns: int = 1) -> None:
    """Title and labels in as many lines as they need, a grid behind everything, and a legend of `entries`, if any."""
    width, height = _points(ax)
    ax.set_title(wrapped(title, 1.05 * width, "medium"), fontsize="medium")
    ax.set(xlabel=wrapped(x, width, "medium"), ylabel=wrapped(y, height, "medium"))
    ax.set_axisbelow(True)
    ax.grid(True, alpha=0.3)
    if entries:
        _legend(ax, entries, columns)


def handles(ax: Any) -> dict[str, Any]:
    """What a legend of these axes shows, by label."""
    return dict(zip(*ax.get_legend_handles_labels()[::-1]))


def wrapped(text: str, points: float, size: Any) -> str:
    """`text` in lines no longer than `points`; words that are longer are cut."""
    lines = text.splitlines()
    while (longest := max((_length(line, size) for line in lines), default=0)) > points:
        at_most = max(map(len, lines))
        # A first guess by the share that fits; then letter by letter.
        width = min(at_most - 1, int(1.1 * at_most * points / longest))
        if width < 8:
            break
        lines = [part for line in text.splitlines() for part in textwrap.wrap(line, width)]
    return "\n".join(lines)


def whole_numbers(ax: Any, low: int, high: int) -> None:
    """Ticks of x are the whole numbers from `low` to `high`, or some of them; a single one is not blown up."""
    if high - low < _MOST_TICKS:
        ax.set_xticks(np.arange(low, high + 1))
    else:
        integer_ticks(ax.xaxis, ticks_that_fit(ax, high, 1.0))
    if high - low < 2:
        ax.set_xlim((low + high) / 2 - 1.5, (low + high) / 2 + 1.5)


def ticks_that_fit(ax: Any, longest: int, share: float) -> int:
    """How many numbers as long as `longest` fit side by side into a share of the width."""
    each = _length(f"{longest:,}", "medium") + 12
    return int(np.clip(share * _points(ax)[0] / each, 1, 9))


def integer_ticks(axis: Any, most: int | str = "auto") -> None:
    """Ticks of counts: no halves of a vertex, thousands set apart."""
    axis.set_major_locator(integer_locator(most))
    axis.set_major_formatter(importlib.import_module("matplotlib.ticker").StrMethodFormatter("{x:,.0f}"))


def integer_locator(most: int | str) -> Any:
    """Round whole numbers, at most so many."""
    locator = importlib.import_module("matplotlib.ticker").MaxNLocator
    return locator(most, integer=True, steps=[1, 2, 2.5, 5, 10])


def log(ax: Any, axis: str) -> None:
    """A logarithmic axis that leaves zeros out."""
    getattr(ax, f"set_{axis}scale")("log", nonpositive="mask")


def log_over(ax: Any, axis: str, low: float, high: float) -> None:
    """A logarithmic axis for values from `low` to `high`, at least a decade; ticks at 2 and 5 where there are few."""
    log(ax, axis)
    ticker = importlib.import_module("matplotlib.ticker")
    of = getattr(ax, f"{axis}axis")
    of.set_minor_formatter(ticker.NullFormatter())
    if low > high / 100:
        of.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        of.set_major_formatter(ticker.FormatStrFormatter("%g"))


def decades(ax: Any, axis: str, low: float, high: float) -> None:
    """A logarithmic axis over whole powers of ten around the positive values from `low` to `high`."""
    if getattr(ax, f"get_{axis}scale")() != "log":
        log(ax, axis)
    ends = 10.0 ** np.floor(np.log10(low)), 10.0 ** np.ceil(np.log10(1.2 * high))
    getattr(ax, f"set_{axis}lim")(0.7 * ends[0], ends[1])
    formatter = importlib.import_module("matplotlib.ticker").NullFormatter()
    getattr(ax, f"{axis}axis").set_minor_formatter(formatter)


def empty(ax: Any, why: str) -> None:
    """Say why nothing is drawn; axes without ticks."""
    ax.set(xticks=[], yticks=[])
    ax.text(0.5, 0.5, wrapped(why, 0.9 * _points(ax)[0], "medium"), ha="center", va="center", transform=ax.transAxes)


def bars(ax: Any, at: NDArray[Any], heights: NDArray[Any], bottom: Any = None, **style: Any) -> Any:
    """Bars of width one around `at`, which ascends by one or, where there are few, otherwise; None for an outline."""
    if len(at) <= MOST_BARS:
        return ax.bar(at, heights, bottom=bottom, width=0.85, **style)
    edges = np.append(at, at[-1] + 1) - 0.5
    top = heights if bottom is None else bottom + heights
    ax.stairs(top, edges, baseline=0 if bottom is None else bottom, fill=True, **style)
    return None


def bar_labels(ax: Any, drawn: Any, counts: NDArray[Any]) -> None:
    """The count above each of few bars; shortened, or left out, where bars are too narrow for it."""
    if drawn is None or len(counts) > _MOST_TICKS:
        return
    room = 0.9 * _points(ax)[0] / max(len(counts), 3)
    for texts in ([f"{count:,}" for count in counts], [_shortest(int(count)) for count in counts]):
        if max(_length(text, "small") for text in texts) < room:
            ax.bar_label(drawn, texts, padding=2, fontsize="small")
            ax.margins(y=0.1)
            return


def _shortest(number: int) -> str:
    """Three digits: 1.23M."""
    for suffix, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= 0.9995 * scale:
            return f"{number / scale:.3g}{suffix}"
    return str(number)


def _legend(ax: Any, entries: dict[str, Any], columns: int) -> None:
    """A legend below the axes, in at most so many columns as fit.

    A figure without a layout engine makes no room there; its legend stands inside.
    """
    style: dict[str, Any] = {"fontsize": "small"}
    if _layout(ax.figure):
        transforms = importlib.import_module("matplotlib.transforms")
        size = importlib.import_module("matplotlib").rcParams["font.size"]
        below = _BELOW + _LINE * ax.get_xlabel().count("\n")
        down = transforms.ScaledTranslation(0, -below * size / 72, ax.figure.dpi_scale_trans)
        style |= {
            "loc": "upper center",
            "bbox_to_anchor": (0.5, 0),
            "bbox_transform": ax.transAxes + down,
            "borderaxespad": 0,
            "frameon": False,
            "ncol": _columns(ax, list(entries), columns),
        }
    ax.legend(entries.values(), entries.keys(), **style)


def _columns(ax: Any, labels: list[str], most: int) -> int:
    size = 0.833 * importlib.import_module("matplotlib").rcParams["font.size"]
    lengths = [_length(label, "small") for label in labels]
    for columns in range(most, 1, -1):
        width = sum(max(column, default=0) + 4.8 * size for column in np.array_split(lengths, columns))
        if width < 0.9 * _points(ax)[0]:
            return columns
    return 1


def _layout(figure: Any) -> bool:
    if hasattr(figure, "get_layout_engine"):
        return figure.get_layout_engine() is not None
    return bool(figure.get_constrained_layout())  # matplotlib 3.5


def _points(ax: Any) -> tuple[float, float]:
    """Width and height of the axes before room is made for labels, in points."""
    box = ax.get_position(original=True)
    width, height = ax.figure.bbox.width, ax.figure.bbox.height
    to_points = 72 / ax.figure.dpi
    return float(box.width * width * to_points), float(box.height * height * to_points)


def _length(text: str, size: Any) -> float:
    """Length of one line of text, in points."""
    if not text.strip():
        return 0.0
    properties = importlib.import_module("matplotlib.font_manager").FontProperties(size=size)
    path = importlib.import_module("matplotlib.textpath").TextPath((0, 0), text, prop=properties)
    return float(path.get_extents().width)


def time_unit(seconds: float) -> tuple[str, float]:
    """The unit in which so many seconds are a number of few digits, and how many of it a second has."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return unit, factor
    return "us", 1e6


def count(number: int, what: str) -> str:
    """`3 super-steps`, `1 vertex`."""
    return f"{number:,} {what if number == 1 else plural(what)}"


def plural(what: str) -> str:
    """`vertices`, `super-steps`."""
    return "vertices" if what == "vertex" else f"{what}s"


def short(number: float) -> str:
    """Three digits, whole ones in full where they are readable."""
    return f"{number:,.0f}" if 100 <= abs(number) < 1e7 else f"{number:.3g}"
