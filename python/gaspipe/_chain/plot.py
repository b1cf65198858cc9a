# SPDX-License-Identifier: Apache-2.0
"""Draws a chain: blocks as boxes from left to right, streams as arrows, arrays below the blocks that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._plot import axes
from .wiring import Wire, Wired

if TYPE_CHECKING:
    from .result import ChainResult

    _Place = tuple[float, float]

_COLUMN, _ROW = 3.2, 1.6
_BOX = {"boxstyle": "round,pad=0.4", "linewidth": 1.2}


def draw(wired: Wired, result: ChainResult | None, ax: Any) -> Any:
    """Return the axes; with a result, arrows are as dark as streams were full, and the limit has a color."""
    ax = axes.axes(ax)
    places = _places(wired)
    between: dict[tuple[str, str], list[Wire]] = {}
    for wire in wired.wires.values():
        between.setdefault((wire.writer.name, wire.reader.name), []).append(wire)
    for (writer, reader), wires in between.items():
        _draw_arrow(ax, places[writer], places[reader], wires, result)
    for part in wired.parts:
        x, y = places[part.name]
        is_limit = result is not None and result.limit == part.name
        text = part.name if result is None else f"{part.name}\n{100 * result.blocks[part.name]['busy']:.0f} % busy"
        box = {**_BOX, "facecolor": "C1" if is_limit else "white", "edgecolor": "black"}
        ax.text(x, y, text, ha="center", va="center", fontsize="small", bbox=box)
        arrays = "\n".join(_of_array(part.arrays[array.name], array.writes, result) for array in part.spec.arrays)
        ax.text(x, y - 0.45, arrays, ha="center", va="top", fontsize="x-small", color="C2")
    xs, ys = zip(*places.values())
    ax.set_xlim(min(xs) - _COLUMN / 2, max(xs) + _COLUMN / 2)
    ax.set_ylim(min(ys) - _ROW, max(ys) + 0.8 * _ROW)
    ax.set_axis_off()
    title = f"chain {wired.name}"
    if result is not None:
        title += f" on {result.board}: {result.cycles:,} cycles predicted, limited by {result.limit}"
    ax.set_title(title, fontsize="medium")
    return ax


def _draw_arrow(ax: Any, start: _Place, end: _Place, wires: list[Wire], result: ChainResult | None) -> None:
    """Draw the streams from one block to another as an arrow, which is as dark as the fullest of them was full."""
    color, labels = "0.4", [wire.name for wire in wires]
    if result is not None:
        streams = [result.streams[wire.name] for wire in wires]
        color = f"{0.75 * (1 - max(map(_fill, streams))):.2f}"
        labels = [f"{wire.name} {s['most']}/{s['depth']}" for wire, s in zip(wires, streams)]
    bend = 0.0 if start[1] != end[1] or end[0] - start[0] <= _COLUMN else 0.35
    if end[0] <= start[0]:
        bend = -0.5
    style = {"arrowstyle": "-|>", "color": color, "shrinkA": 28, "shrinkB": 28}
    ax.annotate("", end, start, arrowprops={**style, "connectionstyle": f"arc3,rad={bend}"})
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - bend * (end[0] - start[0]) / 2)
    ax.text(*middle, "\n".join(labels), ha="center", va="bottom", fontsize="x-small", color="C0")


def _of_array(name: str, writes: bool, result: ChainResult | None) -> str:
    text = f"{'updates' if writes else 'reads'} {name}"
    if result is not None:
        text += f", {100 * result.ports[name]['share']:.0f} % of its bank"
    return text


def _places(wired: Wired) -> dict[str, tuple[float, float]]:
    """Where blocks are: in the column after the last of those that write to them, circles aside."""
    column = {part.name: 0 for part in wired.parts}
    for _ in wired.parts:
        for wire in wired.wires.values():
            before, after = column[wire.writer.name], column[wire.reader.name]
            if after <= before < len(wired.parts) - 1:
                column[wire.reader.name] = before + 1
    rows: dict[int, int] = {}
    places = {}
    for part in wired.parts:
        place = column[part.name]
        places[part.name] = (place * _COLUMN, -rows.get(place, 0) * _ROW)
        rows[place] = rows.get(place, 0) + 1
    return places


def _fill(stream: dict[str, float]) -> float:
    """How full a stream was at most."""
    return min(stream["most"] / stream["depth"], 1.0)
