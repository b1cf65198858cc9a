# SPDX-License-Identifier: Apache-2.0
"""Draws the pipeline, docs/pipeline.svg: the tasks of one compute unit, and those of the apply kernel.

    python docs/draw_pipeline.py

The names are those of the functions in hls/module and hls/kernel; tests/python/test_documentation.py looks for them.
"""

from __future__ import annotations

from pathlib import Path

TARGET = Path(__file__).resolve().parent / "pipeline.svg"
WIDTH, HEIGHT = 1000, 610
TITLE = "The pipeline of one compute unit"
TEXT = (
    "Scatter: sources are read in bursts, the lines of their properties are marked and fetched, and each "
    "edge becomes an update with its destination and weight. Updates are broadcast to the processing "
    "elements (PEs). Gather: each PE keeps the updates of its own destinations, keeps read-after-write "
    "hazards apart and accumulates on chip; the results are collected and written. Apply, a second "
    "kernel: the results of all compute units are merged, new properties computed and written to every "
    "unit."
)
# Fill and line of what lies in memory, and of tasks by phase.
MEMORY, SCATTER, GATHER, APPLY = (
    ("#e3e7ee", "#4a5568"),
    ("#dbeafe", "#1d4ed8"),
    ("#dcfce7", "#15803d"),
    ("#fef3c7", "#b45309"),
)
BOX = 34  # height of a box


class Drawing:
    """Shapes of an SVG, one below the other."""

    def __init__(self) -> None:
        self.shapes: list[str] = []

    def box(self, text: str, x: int, y: int, width: int, colors: tuple[str, str], memory: bool = False) -> None:
        """Add a box with a name: a task, or what lies in memory."""
        fill, line = colors
        self.shapes.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{BOX}" rx="{2 if memory else 8}" fill="{fill}" '
            f'stroke="{line}" stroke-width="1.5"{" stroke-dasharray=" + chr(34) + "5 3" + chr(34) if memory else ""}/>'
        )
        self.text(text, x + width // 2, y + 22)

    def text(self, text: str, x: int, y: int, anchor: str = "middle", weight: int = 400) -> None:
        """Add a line of text."""
        self.shapes.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}">{text}</text>')

    def arrow(self, *points: tuple[int, int]) -> None:
        """Add a line through points, with its head at the last."""
        path = " ".join(f"{x},{y}" for x, y in points)
        self.shapes.append(f'<polyline points="{path}" marker-end="url(#arrow)"/>')

    def row(self, y: int, *boxes: tuple[str, int, int, tuple[str, str]]) -> None:
        """Boxes from left to right, each with an arrow to the next."""
        for text, x, width, colors in boxes:
            self.box(text, x, y, width, colors, memory=colors is MEMORY)
        for (_, x, width, _), (_, right, _, _) in zip(boxes, boxes[1:]):
            self.arrow((x + width, y + BOX // 2), (right, y + BOX // 2))

    def svg(self) -> str:
        """Return the file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            'role="img" aria-labelledby="title desc" font-family="Helvetica, Arial, sans-serif" font-size="14" '
            'fill="#111827">\n'
            "<!-- SPDX-License-Identifier: Apache-2.0; drawn by docs/draw_pipeline.py -->\n"
            f'<title id="title">{TITLE}</title>\n<desc id="desc">{TEXT}</desc>\n'
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            'orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="#374151"/></marker></defs>\n'
            "<style>polyline { fill: none; stroke: #374151; stroke-width: 1.5 }</style>\n"
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#ffffff"/>\n'
        )
        return head + "\n".join(self.shapes) + "\n</svg>\n"


def pipeline() -> str:
    """The drawing, as text."""
    d = Drawing()
    d.text("Scatter: every edge of the partition becomes an update", 20, 30, "start", 700)
    d.row(48, ("sources", 20, 110, MEMORY), ("burstRead", 170, 110, SCATTER), ("markLines", 320, 110, SCATTER),
          ("lineCommands", 470, 130, SCATTER), ("lineRead", 640, 110, SCATTER))  # fmt: skip
    d.box("properties", 840, 48, 130, MEMORY, memory=True)
    d.arrow((840, 65), (750, 65))
    d.box("fetchSources", 470, 112, 130, SCATTER)
    d.arrow((375, 82), (375, 129), (470, 129))
    d.arrow((695, 82), (695, 129), (600, 129))
    d.row(176, ("destinations", 20, 110, MEMORY), ("burstRead", 170, 110, SCATTER), ("propProcess", 470, 130, SCATTER),
          ("broadcast", 640, 110, SCATTER))  # fmt: skip
    d.arrow((535, 146), (535, 176))
    d.row(226, ("weights", 20, 110, MEMORY), ("readEdgeWeights", 160, 150, SCATTER))
    d.arrow((310, 243), (535, 243), (535, 210))

    d.text(
        "Gather: a PE takes the updates whose destination is its own (destination modulo PEs)", 90, 292, "start", 700
    )
    tops = (310, 356, 414)
    for name, y in zip(("PE 0", "PE 1", "PE n"), tops):
        d.text(name, 48, y + 22, weight=700)
        d.row(y, ("shuffleDecoder", 90, 140, GATHER), ("tupleFilter", 262, 110, GATHER),
              ("rawSolver", 404, 110, GATHER), ("dstPropertyProcess", 546, 160, GATHER))  # fmt: skip
    d.text("…", 48, 408, weight=700)
    d.arrow((695, 210), (695, 268), (75, 268), (75, 327), (90, 327))
    for y in tops[1:]:
        d.arrow((75, 327), (75, y + 17), (90, y + 17))
    d.box("collect", 740, 356, 86, GATHER)
    d.arrow((706, 327), (783, 327), (783, 356))
    d.arrow((706, 373), (740, 373))
    d.arrow((706, 431), (783, 431), (783, 390))
    d.box("writeBack", 856, 356, 100, GATHER)
    d.arrow((826, 373), (856, 373))
    d.box("gathered", 856, 414, 100, MEMORY, memory=True)
    d.arrow((906, 390), (906, 414))

    d.text("Apply, a second kernel: merge what all units gathered, compute the new properties", 20, 486, "start", 700)
    d.row(504, ("gathered", 20, 110, MEMORY), ("readGathered", 160, 130, APPLY), ("cuMerge", 320, 100, APPLY),
          ("applyProcess", 450, 130, APPLY), ("cuDuplicate", 610, 120, APPLY),
          ("writeRange", 760, 110, APPLY))  # fmt: skip
    d.box("properties", 756, 560, 118, MEMORY, memory=True)
    d.arrow((815, 538), (815, 560))
    d.text("dashed: in the memory of the board; rounded: a task; an arrow between tasks: a FIFO", 20, 582, "start")
    return d.svg()


if __name__ == "__main__":
    TARGET.write_text(pipeline(), encoding="utf-8")
