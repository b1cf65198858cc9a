# SPDX-License-Identifier: Apache-2.0
"""Draws a chain: blocks as boxes from left to right, streams as arrows, arrays below the blocks that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._plot import chain as picture
from .wiring import Wire, Wired

if TYPE_CHECKING:
    from .parts import Part
    from .result import ChainResult


def draw(wired: Wired, result: ChainResult | None, ax: Any) -> Any:
    """Return the axes; with a result, arrows are as dark as streams were full, and the limit has a color."""
    between: dict[tuple[str, str], list[Wire]] = {}
    for wire in wired.wires.values():
        between.setdefault((wire.writer.name, wire.reader.name), []).append(wire)
    arrows = [_arrow(writer, reader, wires, result) for (writer, reader), wires in between.items()]
    title = f"chain {wired.name}"
    if result is not None:
        title += f" on {result.board}: {result.cycles:,} cycles predicted, limited by {result.limit}"
    return picture.draw([_box(part, result) for part in wired.parts], arrows, title, ax)


def _box(part: Part, result: ChainResult | None) -> picture.Box:
    below = tuple(_of_array(part.arrays[array.name], array.writes, result) for array in part.spec.arrays)
    if result is None:
        return picture.Box(part.name, part.name, below)
    text = f"{part.name}\n{100 * result.blocks[part.name]['busy']:.0f} % busy"
    return picture.Box(part.name, text, below, result.limit == part.name)


def _arrow(writer: str, reader: str, wires: list[Wire], result: ChainResult | None) -> picture.Arrow:
    if result is None:
        return picture.Arrow(writer, reader, tuple(wire.name for wire in wires))
    streams = [result.streams[wire.name] for wire in wires]
    labels = tuple(f"{wire.name} {s['most']}/{s['depth']}" for wire, s in zip(wires, streams))
    return picture.Arrow(writer, reader, labels, max(min(s["most"] / s["depth"], 1.0) for s in streams))


def _of_array(name: str, writes: bool, result: ChainResult | None) -> str:
    text = f"{'updates' if writes else 'reads'} {name}"
    if result is not None:
        text += f", {100 * result.ports[name]['share']:.0f} % of its bank"
    return text
