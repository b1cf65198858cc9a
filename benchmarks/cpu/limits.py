# SPDX-License-Identifier: Apache-2.0
"""What bounds a cell: measured limits of the machine, and the time they leave an algorithm at least.

Every byte that must come once does so at the measured bandwidth, every random access at the rate measured for sums of
4-byte numbers in the order of that very graph's edges, and every super-step ends at a barrier, after one access that
nothing could overlap. The first two overlap; the third comes on top. The second is the limit of pulling along edges as
they are stored: binning and other orders of vertices may go below it.
"""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cpu.measure import Cell
from cpu.peer import compile_cpp
from cpu.report import TITLES
from machine import table

Limits = Mapping[str, Sequence[tuple[float, float]]]  # by kind: (working set in bytes, value), ascending


class Work(NamedTuple):
    """What one run of an algorithm must do at least."""

    bytes: float  # streamed
    gathers: float  # random accesses
    vector_bytes: float  # into so large an array; dependent ones too
    steps: float  # one after the other


class Bound(NamedTuple):
    """The time that the limits leave, and which of them takes most of it."""

    seconds: float
    name: str


class Machine:
    """The program limits.cpp, compiled once."""

    def __init__(self, threads: int) -> None:
        self.program = compile_cpp(Path(__file__).with_suffix(".cpp"))
        self.environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}

    def _run(self, *arguments: str) -> list[tuple[str, float, float]]:
        command = [self.program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=self.environment)
        return [(kind, float(size), float(value)) for kind, size, value in map(str.split, done.stdout.splitlines())]

    def gather_rate(self, case: Any) -> float:
        """Gathers per second in the order of a graph's edges."""
        return self._run(str(case.file("graph.csr")))[0][2]

    def limits(self) -> dict[str, list[tuple[float, float]]]:
        """All limits by working set."""
        found: dict[str, list[tuple[float, float]]] = {}
        for kind, size, value in self._run():
            found.setdefault(kind, []).append((size, value))
        for kind, points in found.items():  # a smaller working set is no slower: what says so was disturbed
            pick = min if kind == "dependent" else max
            found[kind] = [(size, pick(v for s, v in points if s >= size)) for size, _ in points]
        return found


def at(limits: Limits, kind: str, size: float) -> float:
    """Value for a working set; between measured ones by the logarithm of the size."""
    points = limits[kind]
    if size <= points[0][0]:
        return points[0][1]
    for (low, low_value), (high, high_value) in zip(points, points[1:]):
        if size <= high:
            share = math.log(size / low) / math.log(high / low)
            return low_value ** (1 - share) * high_value**share
    return points[-1][1]


def work_of(algorithm: str, n: int, m: int, steps: float, edges: float) -> Work:
    """Least work of a run: ids, offsets and float32 numbers have 4 bytes, float64 ones 8.

    PageRank is one super-step in float32: all ids, offsets, and read and write the contributions. SpMV reads values
    besides. SSSP relaxes every edge once. BFS looks at the edges that our run looked at, and its levels are written
    once. WCC reads two neighbours of every vertex and its component, after Afforest.
    """
    if algorithm == "pagerank":
        return Work(4 * m + 12 * n, m, 4 * n, 1)
    if algorithm in ("spmv32", "spmv64"):
        size = 4 if algorithm == "spmv32" else 8
        return Work((4 + size) * m + (4 + size) * n, m, size * n, 1)
    if algorithm == "sssp":
        return Work(8 * m + 16 * n, m, 4 * n, steps)
    if algorithm == "bfs":
        edges = min(edges or m, m)
        return Work(4 * edges + 8 * n, edges, 4 * n, steps)
    return Work(8 * n + 16 * n, 3 * n, 4 * n, 1)


def bound(limits: Limits, work: Work, gather_rate: float) -> Bound:
    parts = {
        "bandwidth": work.bytes / at(limits, "stream", work.bytes),
        "random gathers": work.gathers / gather_rate,
    }
    waits = work.steps * (limits["barrier"][0][1] + at(limits, "dependent", work.vector_bytes))
    name = max(parts, key=lambda part: parts[part])
    return Bound(parts[name] + waits, name if parts[name] >= waits else "super-steps")


def bounds_table(cells: Sequence[Cell], limits: Limits, sizes: Mapping[str, tuple[int, int, float]]) -> str:
    """Our kernel time and the fastest peer's as multiples of the bound."""
    lines = []
    for cell in (cell for cell in cells if cell.kind == "kernel"):
        ours = next((side for side in cell.samples if side.peer == "gaspipe"), None)
        if ours is None:
            continue
        extent = cell.extents.get(ours, {})
        steps, edges = extent.get("supersteps", 1), extent.get("edges", 0)
        n, m, gather_rate = sizes[cell.graph]
        least = bound(limits, work_of(cell.algorithm, n, m, steps, edges), gather_rate)
        peers = [samples.median for side, samples in cell.samples.items() if side.peer != "gaspipe"]
        lines.append(
            [cell.graph, TITLES[cell.algorithm], f"{1e3 * least.seconds:.3g}", least.name]
            + [f"{cell.samples[ours].median / least.seconds:.1f}"]
            + [f"{min(peers) / least.seconds:.1f}" if peers else "-"]
        )
    return table(["graph", "algorithm", "bound, ms", "by", "gaspipe / bound", "fastest peer / bound"], lines)


def limits_table(limits: Limits) -> str:
    """Every measured limit by working set."""
    sizes = sorted({size for kind in ("stream", "gather", "dependent") for size, _ in limits[kind]})
    units = {"stream": ("GB/s read", 1e-9), "gather": ("M gathers/s", 1e-6), "dependent": ("ns, dependent", 1e9)}
    lines = []
    for kind, (title, scale) in units.items():
        known = dict(limits[kind])
        lines.append([title, *(f"{scale * known[size]:.3g}" if size in known else "-" for size in sizes)])
    text = table(["working set, MiB", *(f"{size / 2**20:g}" for size in sizes)], lines)
    return f"{text}\n\nbarrier: {1e6 * limits['barrier'][0][1]:.2g} us"
