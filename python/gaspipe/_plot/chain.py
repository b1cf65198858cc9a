# SPDX-License-Identifier: Apache-2.0
"""Draws blocks as boxes from left to right, streams between them as arrows, and what blocks do below them.

Long chains take several rows of boxes, each from left to right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import axes

_COLUMN, _ROW = 3.2, 1.6
_MOST_COLUMNS = 6  # longer chains go on below
_BETWEEN = 0.8  # the lines below a block, and room
_INCHES, _BAND_INCHES = 2.1, 3.2  # of a column and of a row of columns, in a new figure
_BOX = {"boxstyle": "round,pad=0.4", "linewidth": 1.2}


@dataclass(frozen=True)
class Box:
    """A block: its text, and lines of text below it."""

    name: str
    text: str
    below: tuple[str, ...] = ()
    is_limit: bool = False


@dataclass(frozen=True)
class Arrow:
    """Streams from a block to another: a label each, and how full the fullest was, 0 to 1; None where not known."""

    writer: str
    reader: str
    labels: tuple[str, ...]
    fill: float | None = None


def draw(boxes: Sequence[Box], arrows: Sequence[Arrow], title: str, ax: Any) -> Any:
    """Return the axes. Arrows are as dark as streams were full, and the limit has a color."""
    places = _places(boxes, arrows)
    xs, ys = zip(*places.values())
    columns = 1 + round((max(xs) - min(xs)) / _COLUMN)
    bands = 1 + round((max(ys) - min(ys)) / (_ROW + _BETWEEN))
    ax = axes.axes(ax, max(6.4, _INCHES * columns), max(4.8, _BAND_INCHES * bands))
    for arrow in arrows:
        _draw_arrow(ax, places[arrow.writer], places[arrow.reader], arrow)
    for box in boxes:
        x, y = places[box.name]
        style = {**_BOX, "facecolor": "C1" if box.is_limit else "white", "edgecolor": "black"}
        ax.text(x, y, box.text, ha="center", va="center", fontsize="small", bbox=style)
        ax.text(x, y - 0.45, "\n".join(box.below), ha="center", va="top", fontsize="x-small", color="C2")
    ax.set_xlim(min(xs) - _COLUMN / 2, max(xs) + _COLUMN / 2)
    ax.set_ylim(min(ys) - _ROW, max(ys) + 0.8 * _ROW)
    ax.set_axis_off()
    ax.set_title(title, fontsize="medium")
    return ax


def _draw_arrow(ax: Any, start: tuple[float, float], end: tuple[float, float], arrow: Arrow) -> None:
    color = "0.4" if arrow.fill is None else f"{0.75 * (1 - arrow.fill):.2f}"
    bend = 0.0 if start[1] != end[1] or end[0] - start[0] < 1.5 * _COLUMN else 0.35
    if end[0] <= start[0] and start[1] == end[1]:
        bend = -0.5
    style = {"arrowstyle": "-|>", "color": color, "shrinkA": 28, "shrinkB": 28}
    ax.annotate("", end, start, arrowprops={**style, "connectionstyle": f"arc3,rad={bend}"})
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - bend * (end[0] - start[0]) / 2)
    ax.text(*middle, "\n".join(arrow.labels), ha="center", va="bottom", fontsize="x-small", color="C0")


def _places(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> dict[str, tuple[float, float]]:
    """Where blocks are: in the column after the last of those that write to them, circles aside."""
    column = {box.name: 0 for box in boxes}
    for _ in boxes:
        for arrow in arrows:
            before, after = column[arrow.writer], column[arrow.reader]
            if after <= before < len(boxes) - 1:
                column[arrow.reader] = before + 1
    in_column: dict[int, list[str]] = {}
    for box in boxes:
        in_column.setdefault(column[box.name], []).append(box.name)
    places, top = {}, 0.0
    for first in range(0, max(in_column) + 1, _MOST_COLUMNS):
        band = {at - first: in_column[at] for at in in_column if first <= at < first + _MOST_COLUMNS}
        for at, names in band.items():
            places.update({name: (at * _COLUMN, top - row * _ROW) for row, name in enumerate(names)})
        top -= max(map(len, band.values()), default=0) * _ROW + _BETWEEN
    return places
