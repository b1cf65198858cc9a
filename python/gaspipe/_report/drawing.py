# SPDX-License-Identifier: Apache-2.0
"""A kernel as inline SVG: boxes of stages with what they did, FIFOs with how full they were, and the limiting stage."""

from __future__ import annotations

from .layout import HEIGHT, WIDTH, Layout, Place, Route, arrange
from .markup import legend, scroll, text
from .pipeline import Fifo, Kernel, Stage

_LETTER = 6.6  # width of a letter of 12 units, at most
_PARTS = (("busy", "c-busy"), ("waited_memory", "c-memory"), ("waited_in", "c-in"), ("waited_out", "c-out"))
WAITS = {
    "busy": "busy",
    "waited_memory": "waits for memory",
    "waited_in": "waits for input",
    "waited_out": "waits for room in output",
}
_STATES = {"full": "s-full", "empty": "s-empty", "flows": "s-flows", "": "s-none"}


def draw(kernel: Kernel, identity: str, columns: int = 5) -> str:
    """Return the drawing, its legend and its note; `identity` is unique in the page."""
    layout = arrange(kernel, columns)
    limit = f", limited by {kernel.limit}" if kernel.limit else ""
    title = f"Pipeline of {kernel.title}{limit}"
    parts = [_route(route) for route in layout.routes]
    parts += [_stage(stage, layout.places[stage.name], kernel) for stage in kernel.stages]
    svg = (
        f'<svg class=pipeline viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" style="--w:{layout.width:.0f}px" '
        f'role=img aria-labelledby="{identity}-t {identity}-d"><title id="{identity}-t">{text(title)}</title>'
        f'<desc id="{identity}-d">{text(_told(kernel))}</desc>{"".join(parts)}</svg>'
    )
    note = f"<p class=note>{text(kernel.note)}</p>" if kernel.note else ""
    return scroll(title, svg) + _legend(kernel, layout) + note


def _told(kernel: Kernel) -> str:
    """What the drawing shows, in words."""
    stages = [
        s.name + (f" (limits), busy {100 * s.shares['busy']:.0f} %" if s.shares and s.is_limit else "")
        for s in kernel.stages
    ]
    full = [f"{f.name} {100 * f.full:.0f} %" for f in kernel.fifos if f.state == "full"]
    told = f"{len(stages)} stages: {', '.join(stages)}. {len(kernel.fifos)} FIFOs"
    return told + (f"; full for part of the time: {', '.join(full)}." if full else ".")


def _stage(stage: Stage, place: Place, kernel: Kernel) -> str:
    x, y = place.x, place.y
    parts = [f"<title>{text(_of_stage(stage))}</title>"]
    if stage.copies > 1:
        parts += [
            f"<rect class=box x={x + d * place.direction} y={y - d} width={WIDTH} height={HEIGHT} rx=8 />"
            for d in (8, 4)
        ]
    kind = "box limit" if stage.is_limit else "box"
    parts.append(f'<rect class="{kind}" x={x} y={y} width={WIDTH} height={HEIGHT} rx=8 />')
    name, inside = stage.name, ""
    if "(" in name and len(name) * _LETTER > WIDTH - 14:
        name, _, inside = name.partition("(")
        inside = f"({inside}"
    middle = x + WIDTH / 2
    parts.append(_line(name, middle, y + 20, "name"))
    if stage.shares is None:
        if inside:
            parts.append(_line(inside, middle, y + 36, "small"))
        parts.append(_line("not timed apart", middle, y + 54, "small"))
    else:
        waits, share = stage.longest_wait
        if inside:
            parts.append(_line(inside, middle, y + 33, "small"))
        parts.append(_line(f"busy {100 * stage.shares['busy']:.0f} %", middle, y + (46 if inside else 39), "figure"))
        if share >= 0.005 and not inside:
            told = f"waits: {'output' if 'output' in waits else waits} {100 * share:.0f} %"
            parts.append(_line(told, middle, y + 54, "small"))
        left, width = x + 8, WIDTH - 16.0
        parts.append(f"<rect class=c-none x={left} y={y + HEIGHT - 14} width={width} height=8 rx=2 />")
        for field, color in _PARTS:
            part = width * min(max(stage.shares.get(field, 0.0), 0.0), 1.0)
            if part >= 0.3:
                parts.append(f"<rect class={color} x={left:.1f} y={y + HEIGHT - 14} width={part:.1f} height=8 />")
            left += part
    if stage.copies > 1:
        at = x + (WIDTH - 8 if place.direction > 0 else 12)
        parts.append(_pill(f"\N{MULTIPLICATION SIGN}{stage.copies}", at, y - 8, "count", 30))
    if stage.is_limit:
        parts.append(_pill("limit", x + (26 if place.direction > 0 else WIDTH - 26), y - 4, "warn", 44))
    if stage.memory:
        named = ", ".join(stage.memory)
        share_of = max((kernel.arrays.get(name, -1.0) for name in stage.memory), default=-1.0)
        named += f" {100 * share_of:.0f} %" if share_of >= 0 else ""
        at = y - 20
        parts.append(f"<line class=memory x1={middle} x2={middle} y1={at + 6} y2={y} />")
        parts.append(_pill(f"memory: {named}", middle + 12, at, "memory", min(WIDTH + 20, 18 + 6 * (8 + len(named)))))
    return f"<g>{''.join(parts)}</g>"


def _route(route: Route) -> str:
    fifo = route.fifo
    color = _STATES[fifo.state]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in route.points)
    parts = [f"<title>{text(_of_fifo(fifo))}</title>", f'<polyline class="wire {color}" points="{points}" />']
    (x0, y0), (x1, y1) = route.points[-2:]
    along = (1 if x1 > x0 else -1) if y0 == y1 else 0
    parts.append(f'<path class="tip {color}" d="M{x1:.1f} {y1:.1f}l{-9 * along} -4.5v9z" />')
    x, y = route.label
    if fifo.depth is not None:
        # A queue: as long as its share of tokens at most.
        left = x - 18 + 18 * route.side
        fill = 36 * min(fifo.most / max(fifo.depth, 1), 1.0)
        parts.append(f'<rect class="queue {color}" x={left:.1f} y={y - 6:.1f} width=36 height=12 rx=2 />')
        parts.append(f'<rect class="fill {color}" x={left:.1f} y={y - 6:.1f} width={fill:.1f} height=12 rx=2 />')
    if route.near:
        parts.append(_line(fifo.name, x, y - 12, "stream", 84))
        state = fifo.told.split(" ", 1)
        parts += [_line(words, x, y + 17 + 12 * k, "small", 84) for k, words in enumerate(state)]
    elif route.side:
        after = x + route.side * (42 if fifo.depth is not None else 0)
        parts.append(_line(f"{fifo.name} {fifo.told}".strip(), after, y + 4, "stream", 0, route.side))
    else:
        parts.append(_line(f"{fifo.name} {fifo.told}".strip(), x, y - 12, "stream", 0))
    return f"<g>{''.join(parts)}</g>"


def _of_stage(stage: Stage) -> str:
    if stage.shares is None:
        return f"{stage.name}: the emulator does not time it apart"
    shares = ", ".join(f"{what} {100 * stage.shares.get(field, 0.0):.1f} %" for field, what in WAITS.items())
    return f"{stage.name}: {shares}" + (", limits the kernel" if stage.is_limit else "")


def _of_fifo(fifo: Fifo) -> str:
    if fifo.depth is None:
        return f"FIFO {fifo.name}, from {fifo.writer} to {fifo.reader}: the emulator reports no fill"
    return (
        f"FIFO {fifo.name}, from {fifo.writer} to {fifo.reader}: at most {fifo.most} of {fifo.depth} tokens, full for "
        f"{100 * fifo.full:.1f} % of the time, empty for {100 * fifo.empty:.1f} %"
    )


def _line(words: str, x: float, y: float, kind: str, most: float = WIDTH - 10, side: int = 0) -> str:
    """A line of text around x, or to a side of it; squeezed where it would be longer than `most`, if that is not 0."""
    anchor = {-1: "end", 0: "middle", 1: "start"}[side]
    letter = _LETTER if kind in ("name", "figure") else 5.5
    squeeze = f' textLength="{most:.0f}" lengthAdjust=spacingAndGlyphs' if 0 < most < letter * len(words) else ""
    return f"<text class={kind} x={x:.1f} y={y:.1f} text-anchor={anchor}{squeeze}>{text(words)}</text>"


def _pill(words: str, x: float, y: float, kind: str, width: float) -> str:
    return f'<rect class="pill {kind}" x={x - width / 2:.1f} y={y - 8:.1f} width={width:.0f} height=16 rx=8 />' + _line(
        words, x, y + 4, f'"on-pill {kind}"', width - 8
    )


def _legend(kernel: Kernel, layout: Layout) -> str:
    if all(stage.shares is None for stage in kernel.stages):
        return ""
    entries = [(color, WAITS[field]) for field, color in _PARTS]
    states = {route.fifo.state for route in layout.routes}
    entries += [
        (color, what)
        for state, color, what in (
            ("full", "s-full", "FIFO full: its writer waits"),
            ("empty", "s-empty", "FIFO empty: its reader waits"),
            ("flows", "s-flows", "FIFO rarely full or empty"),
        )
        if state in states
    ]
    return legend(entries)
