# SPDX-License-Identifier: Apache-2.0
"""Charts of columns as inline SVG: a column per super-step or PE, stacked, with ticks and a line at a level."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .markup import scroll, text

_WIDTH, _WIDE, _HEIGHT = 640, 1160, 230  # beside another chart, or alone
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 8, 12, 42
_MOST_COLUMNS = 180


@dataclass(frozen=True)
class Series:
    """Values that are stacked onto those of the series before: a name, a class of color."""

    name: str
    color: str
    values: NDArray[np.float64]


def chart(
    title: str,
    x: str,
    series: Sequence[Series],
    show: Callable[[float], str],
    *,
    labels: Sequence[int] | None = None,
    most: float = 0.0,
    line: tuple[float, str] | None = None,
    wide: bool = True,
    identity: str,
) -> str:
    """Return the chart; more columns than fit are means of as many as share one.

    Parameters
    ----------
    title : str
        What a screen reader says first.
    x : str
        What a column is of.
    series : sequence of Series
        From the foot up.
    show : callable
        A value as text.
    labels : sequence of int, optional
        Numbers of the columns; by default from 0 on.
    most : float
        The axis reaches at least here: charts beside one another have the same scale.
    line : (float, str), optional
        A level to draw, and what it is.
    wide : bool
        It has the page's width to itself.
    identity : str
        Unique in the page.

    """
    length = len(series[0].values)
    names: Sequence[int] = range(length) if labels is None else labels
    group = max(1, -(-length // _MOST_COLUMNS))
    begins = np.arange(0, length, group)
    stacks = [_means(s.values, begins, group) for s in series]
    totals = np.sum(stacks, axis=0)
    ticks = _ticks(max(float(totals.max(initial=0.0)), most, line[0] if line else 0.0))
    high = ticks[-1] or 1.0
    whole = _WIDE if wide else _WIDTH
    width, height = whole - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    step = width / max(len(begins), 1)
    bar = max(min(step * 0.82, 64.0), 0.8)

    def y(value: float) -> float:
        return _TOP + height * (1 - value / high)

    parts = [
        f"<line class=grid x1={_LEFT} x2={whole - _RIGHT} y1={y(tick):.1f} y2={y(tick):.1f} />"
        f"<text class=tick x={_LEFT - 6} y={y(tick) + 4:.1f} text-anchor=end>{text(show(tick))}</text>"
        for tick in ticks
    ]
    every = max(1, -(-len(begins) // 12))
    for k, begin in enumerate(begins.tolist()):
        left = _LEFT + step * (k + 0.5) - bar / 2
        name = f"{names[begin]}" if group == 1 else f"{names[begin]} to {names[min(begin + group, length) - 1]}, mean"
        told = ", ".join(f"{s.name} {show(float(stack[k]))}" for s, stack in zip(series, stacks))
        rects, below = "", 0.0
        for s, stack in zip(series, stacks):
            top, foot = y(below + float(stack[k])), y(below)
            below += float(stack[k])
            if stack[k] > 0:
                tall = max(foot - top, 0.8)
                rects += f"<rect class={s.color} x={left:.1f} y={foot - tall:.1f} width={bar:.1f} height={tall:.1f} />"
        parts.append(f"<g><title>{text(f'{x} {name}: {told}')}</title>{rects}</g>")
        if k % every == 0:
            parts.append(
                f"<text class=tick x={left + bar / 2:.1f} y={_HEIGHT - _BOTTOM + 16} text-anchor=middle>"
                f"{names[begin]}</text>"
            )
    if line is not None:
        parts.append(f"<line class=level x1={_LEFT} x2={whole - _RIGHT} y1={y(line[0]):.1f} y2={y(line[0]):.1f} />")
    parts.append(f"<line class=axis x1={_LEFT} x2={whole - _RIGHT} y1={y(0):.1f} y2={y(0):.1f} />")
    means = f" (means of {group})" if group > 1 else ""
    parts.append(
        f"<text class=axis-name x={_LEFT + width / 2:.0f} y={_HEIGHT - 6} text-anchor=middle>{text(x)}{means}</text>"
    )
    told = ", ".join(f"{s.name}: {show(float(s.values.sum()))} in all" for s in series)
    svg = (
        f'<svg class=chart style="--w:{whole}px" viewBox="0 0 {whole} {_HEIGHT}" role=img '
        f'aria-labelledby="{identity}-t {identity}-d">'
        f'<title id="{identity}-t">{text(title)}</title>'
        f'<desc id="{identity}-d">{text(f"{length} columns, {told}. The numbers are in the table below.")}</desc>'
        + "".join(parts)
        + "</svg>"
    )
    return scroll(title, svg)


def _means(values: NDArray[np.float64], begins: NDArray[np.int64], group: int) -> NDArray[np.float64]:
    if not len(values):
        return np.zeros(0)
    ends = np.minimum(begins + group, len(values))
    return np.asarray(np.add.reduceat(np.asarray(values, float), begins) / (ends - begins))


def _ticks(most: float) -> list[float]:
    """Zero and up to five round values, the last at or above `most`."""
    if not most > 0 or not math.isfinite(most):
        return [0.0, 1.0]
    raw = most / 4
    scale = 10.0 ** math.floor(math.log10(raw))
    step: float = next(s * scale for s in (1.0, 2.0, 2.5, 5.0, 10.0) if s * scale >= raw * 0.999999)
    return [k * step for k in range(math.ceil(most / step - 1e-9) + 1)]
