# SPDX-License-Identifier: Apache-2.0
"""Where the stages of a pipeline are drawn, and how FIFOs lead from one to another.

Stages stand in columns by their longest way from the start, columns in bands: the first runs from left to right, the
next from right to left, as one writes with an ox. A FIFO to the next column is a line across the gap; any other goes
through a lane of its own below the band.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .pipeline import Fifo, Kernel, Stage

WIDTH, HEIGHT = 140, 74  # of a box
GAP = 98  # between columns
_MARGIN, _TOP, _ROW, _LANE, _BAND, _CROSSING = 46, 38, 118, 34, 42, 22


@dataclass(frozen=True)
class Place:
    """Upper left corner of a stage, its band, the direction in which that runs, its column from the left."""

    x: float
    y: float
    band: int
    direction: int
    column: int

    def out(self, dy: float = 0.0) -> tuple[float, float]:
        """Where FIFOs leave."""
        return (self.x + WIDTH if self.direction > 0 else self.x), self.y + HEIGHT / 2 + dy

    def into(self, dy: float = 0.0) -> tuple[float, float]:
        """Where FIFOs arrive."""
        return (self.x if self.direction > 0 else self.x + WIDTH), self.y + HEIGHT / 2 + dy


@dataclass(frozen=True)
class Route:
    """A FIFO's way, as corners of a line, and where its label is; `near` where the gap is all there is for it.

    `side` is -1 where the label ends at its place, 1 where it begins there, 0 where it has its middle there.
    """

    fifo: Fifo
    points: tuple[tuple[float, float], ...]
    label: tuple[float, float]
    near: bool
    side: int = 0


@dataclass(frozen=True)
class Layout:
    """All of it, and how large it is."""

    places: dict[str, Place]
    routes: list[Route]
    width: float
    height: float


def arrange(kernel: Kernel, most_columns: int) -> Layout:
    """Place the stages and FIFOs of a kernel."""
    level = _levels(kernel.stages, kernel.fifos)
    num_levels = max(level.values(), default=0) + 1
    num_bands = -(-num_levels // most_columns)
    columns = -(-num_levels // num_bands)
    band_of = {name: at // columns for name, at in level.items()}
    beside: dict[int, list[str]] = {}
    for stage in kernel.stages:
        beside.setdefault(level[stage.name], []).append(stage.name)
    far = [f for f in kernel.fifos if not _is_near(f, level, band_of)]
    lanes: dict[int, int] = {}
    lane_of: dict[int, int] = {}
    for f in far:
        lane_of[id(f)] = lanes.get(band_of[f.writer], 0)
        lanes[band_of[f.writer]] = lane_of[id(f)] + 1
    tops, bottoms, y = [], [], float(_TOP)
    for band in range(num_bands):
        rows = max(len(beside.get(at, ())) for at in range(band * columns, (band + 1) * columns))
        tops.append(y)
        bottoms.append(y + (rows - 1) * _ROW + HEIGHT)
        crossing = sum(f not in far and band_of[f.writer] == band != band_of[f.reader] for f in kernel.fifos)
        y = bottoms[-1] + _LANE * lanes.get(band, 0) + _TOP + max(_BAND, _CROSSING * crossing)
    places = {}
    for at, names in beside.items():
        band = at // columns
        direction = 1 if band % 2 == 0 else -1
        column = at % columns if direction > 0 else columns - 1 - at % columns
        for row, name in enumerate(names):
            places[name] = Place(_MARGIN + column * (WIDTH + GAP), tops[band] + row * _ROW, band, direction, column)
    width = 2 * _MARGIN + columns * WIDTH + (columns - 1) * GAP
    below = [bottom + _LANE * lanes.get(band, 0) for band, bottom in enumerate(bottoms)]
    near = [f for f in kernel.fifos if f not in far]
    routes = [_near(f, places, near, below) for f in near]
    routes += [_far(f, places, bottoms[places[f.writer].band] + 24 + _LANE * lane_of[id(f)], tops) for f in far]
    height = bottoms[-1] + _LANE * lanes.get(num_bands - 1, 0) + 26
    return Layout(places, routes, width, height)


def _levels(stages: Sequence[Stage], fifos: Sequence[Fifo]) -> dict[str, int]:
    """Longest way to a stage, circles aside; one without input stands just before its first reader."""
    order = {stage.name: k for k, stage in enumerate(stages)}
    forward = [f for f in fifos if order[f.writer] < order[f.reader]]
    level = dict.fromkeys(order, 0)
    for name in order:
        for f in forward:
            if f.writer == name:
                level[f.reader] = max(level[f.reader], level[name] + 1)
    for name in reversed(order):
        if not any(f.reader == name for f in forward):
            readers = [level[f.reader] for f in forward if f.writer == name]
            level[name] = max(0, min(readers, default=1) - 1)
    return level


def _is_near(fifo: Fifo, level: dict[str, int], band_of: dict[str, int]) -> bool:
    return level[fifo.reader] == level[fifo.writer] + 1 and band_of[fifo.reader] - band_of[fifo.writer] in (0, 1)


def _near(fifo: Fifo, places: dict[str, Place], fifos: Sequence[Fifo], below: Sequence[float]) -> Route:
    start, end = places[fifo.writer], places[fifo.reader]
    twins = [f for f in fifos if (f.writer, f.reader) == (fifo.writer, fifo.reader)]
    shift = 40.0 * (twins.index(fifo) - (len(twins) - 1) / 2)
    if start.band == end.band:
        a = start.out(shift if len(twins) > 1 else 0.0)
        b = end.into(shift if len(twins) > 1 else 0.0)
        if a[1] == b[1]:
            return Route(fifo, (a, b), ((a[0] + b[0]) / 2, a[1]), True)
        # One that goes down turns beside its writer, one that goes up beside its reader: labels stand in their own row.
        is_down = end.y > start.y
        turn = a[0] + 10 * start.direction if is_down else b[0] - 12 * start.direction
        foot = end.into(0 if is_down or end.y == start.y else 26)
        label = ((turn + foot[0]) / 2, foot[1]) if is_down else ((a[0] + turn) / 2, a[1])
        return Route(fifo, (a, (turn, a[1]), (turn, foot[1]), foot), label, True)
    down = [f for f in fifos if places[f.writer].band == start.band and places[f.reader].band == end.band]
    k = down.index(fifo)
    a, b = start.out(), end.into(14 * (k - (len(down) - 1) / 2))
    side = a[0] + start.direction * (30 - 12 * k)
    points = (a, (side, a[1]), (side, b[1]), b)
    label = (side - start.direction * 8, below[start.band] + 16 + _CROSSING * k)
    return Route(fifo, points, label, False, -start.direction)


def _far(fifo: Fifo, places: dict[str, Place], lane: float, tops: Sequence[float]) -> Route:
    """Down beside the writer, along the lane, and up or down beside the reader."""
    start, end = places[fifo.writer], places[fifo.reader]
    a, b = start.out(26), end.into(26)
    out = a[0] + 10 * start.direction
    before = b[0] - 10 * end.direction
    label = ((out + before) / 2, lane)
    if end.band <= start.band + 1:
        return Route(fifo, (a, (out, a[1]), (out, lane), (before, lane), (before, b[1]), b), label, False)
    gutter, above = 14.0, tops[end.band] - 24
    corners = (a, (out, a[1]), (out, lane), (gutter, lane), (gutter, above), (before, above), (before, b[1]), b)
    return Route(fifo, corners, ((out + gutter) / 2, lane), False)
