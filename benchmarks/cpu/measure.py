# SPDX-License-Identifier: Apache-2.0
"""Answers first, then times in alternation: every peer on one graph and algorithm."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple

from cpu.answers import UNCHECKED, Different, check, expected
from cpu.peer import ALGORITHMS, Absent, Failed, Program, Turn, peer_classes
from cpu.worker import Remote
from machine import Samples, alternate

FAST = 2  # memory is held against peers within so many times the fastest one's time


class Side(NamedTuple):
    """What is timed: a peer and which of its programs or number formats."""

    peer: str
    variant: str

    def __str__(self) -> str:
        return self.peer if self.variant in ("", "auto") else f"{self.peer} {self.variant}"


@dataclass
class Cell:
    """All that was measured for one algorithm on one graph, for kernel times or for whole calls."""

    graph: str
    algorithm: str
    kind: str  # "kernel" or "whole"
    num_edges: int = 0
    samples: dict[Side, Samples] = field(default_factory=dict)
    checks: dict[Side, str] = field(default_factory=dict)
    left_out: dict[Side, str] = field(default_factory=dict)
    peaks: dict[Side, int] = field(default_factory=dict)  # bytes
    extents: dict[Side, Mapping[str, float]] = field(default_factory=dict)  # of the last run, where known
    deltas: dict[str, int] = field(default_factory=dict)
    wall_seconds: float = 0.0  # that measuring it took

    def to_json(self) -> dict[str, Any]:
        by_side = ("samples", "checks", "left_out", "peaks", "extents")
        plain = {key: value for key, value in vars(self).items() if key not in by_side}
        return {**plain, **{key: {str(side): v for side, v in getattr(self, key).items()} for key in by_side}}


def find_peers(options: Any, only: list[str] | None) -> tuple[list[Any], dict[str, str]]:
    """Peers that are there, gaspipe first, and why the others are not."""
    present: list[Any] = []
    absent: dict[str, str] = {}
    built = dict(entry.partition("=")[::2] for entry in options.built)
    for module, kind in peer_classes().items():
        if only is not None and module not in only and module != "gaspipe":
            continue
        folder = getattr(options, module, None)
        try:
            if issubclass(kind, Program):
                present.append(kind(folder, options.threads, built.get(module)))
            else:
                present.append(Remote(module, kind, folder, options.threads, built.get(module)))
        except Absent as reason:
            absent[kind.name] = f"{reason}; see {kind.home}"
    return present, absent


def best_delta(peer: Any, case: Any, variant: str, root: int, hopeless: float = float("inf")) -> int:
    """Width of buckets with which a peer is fastest from one root.

    Powers of 4 from the mean weight on, down and up until it slows down, then the powers of 2 beside the best; only the
    first where that takes `hopeless` seconds.
    """
    seconds: dict[int, float] = {}

    def time_of(delta: int) -> float:
        if delta not in seconds:
            peer.delta = delta
            seconds[delta] = min(peer.turn(case, "sssp", variant, root).seconds)
        return seconds[delta]

    start = max(1, 4 ** round(math.log(max(1.0, float(case.weights.mean())), 4)))
    if time_of(start) > hopeless:
        return start
    for factor in (0.25, 4):
        delta: float = start
        while 1 <= delta <= 2**20 and time_of(int(delta)) <= 1.5 * min(seconds.values()):
            delta *= factor
    best = min(seconds, key=time_of)
    return min([delta for delta in (best // 2, best, best * 2) if delta >= 1], key=time_of)


def measure_kernel(peers: list[Any], case: Any, algorithm: str, options: Any) -> Cell:
    """Kernel times, after all answers from the first root have been compared."""
    cell = Cell(case.name, algorithm, "kernel", case.num_edges)
    sides = {Side(p.name, variant): p for p in peers for variant in p.variants_of(algorithm)}
    leave_out_large(cell, sides)
    root = int(case.roots[0])
    wanted = expected(case, algorithm, root, False)
    first: dict[Side, float] = {}
    for side, peer in sides.items():
        try:
            if algorithm == "sssp" and peer.tunes_delta:
                # The first width may be several times worse than the best one.
                hopeless = 3 * options.hopeless * fastest_peer(cell, first)
                peer.delta = best_delta(peer, case, side.variant, root, hopeless)
                cell.deltas[peer.name] = peer.delta
            turn = peer.turn(case, algorithm, side.variant, root, wants_answer=True)
            cell.checks[side] = check(algorithm, wanted, turn.answer, root)
            seconds = turn.seconds
            if isinstance(peer, Program) and min(seconds) <= 2 * options.hopeless * fastest_peer(cell, first):
                # Telling the answer may cost time.
                turn = peer.turn(case, algorithm, side.variant, root)
                seconds = seconds + turn.seconds
        except (Failed, Different) as error:
            leave_out(cell, side, error)
            continue
        first[side] = min(seconds)
        note_turn(cell, side, turn)
    keep = hopeful(cell, first, options.hopeless)

    def turn_of(side: Side, root: int) -> Turn:
        return sides[side].turn(case, algorithm, side.variant, root)

    time_in_turns(cell, keep, turn_of, case.roots, options)
    return cell


def time_in_turns(cell: Cell, keep: list[Side], turn_of: Callable[[Side, int], Turn], roots: Any, options: Any) -> None:
    """Alternate between sides, each round from another root; who fails in between is left out."""

    def run(side: Side, i: int) -> tuple[list[float], float]:
        if side in cell.left_out:
            return [], 0.0
        try:
            turn = turn_of(side, int(roots[i % len(roots)]))
        except Failed as error:
            leave_out(cell, side, error)
            return [], 0.0
        note_turn(cell, side, turn)
        return turn.seconds, turn.others

    samples = alternate(options.rounds, options.patience, {side: lambda i, s=side: run(s, i) for side in keep})
    cell.samples = {side: those for side, those in samples.items() if side not in cell.left_out}


def leave_out(cell: Cell, side: Side, error: Failed | Different) -> None:
    """Go on without a peer that failed or has a wrong answer: GBBS's DeltaStepping has one now and then."""
    what = "its answer differs: " if isinstance(error, Different) else ""
    if side.peer == "gaspipe":
        sys.exit(f"{cell.graph}, {cell.algorithm}: gaspipe failed: {what}{error}")
    cell.left_out[side] = f"FAILED: {what}{error}"


def leave_out_large(cell: Cell, sides: dict[Side, Any]) -> None:
    """Take those out of `sides` that say of themselves that the graph is too large for them."""
    for side, peer in list(sides.items()):
        most = getattr(getattr(peer, "kind", None), "most_edges", cell.num_edges)
        if cell.num_edges > most:
            del sides[side]
            cell.left_out[side] = f"left out above {most:.0e} edges"


def note_turn(cell: Cell, side: Side, turn: Any) -> None:
    if turn.peak_bytes:
        cell.peaks[side] = max(turn.peak_bytes, cell.peaks.get(side, 0))
    if turn.extent:
        cell.extents[side] = turn.extent


def hopeful(cell: Cell, first: dict[Side, float], times: float) -> list[Side]:
    """Sides worth timing. One that is many times slower than the fastest peer at first will not be the fastest."""
    fastest = fastest_peer(cell, first)
    keep = []
    for side, seconds in first.items():
        if side.peer == "gaspipe" or seconds <= times * fastest:
            keep.append(side)
        else:
            cell.left_out[side] = f"{1e3 * seconds:.4g} ms at first, over {times:g} times the fastest peer's"
    return keep


def is_compared(cell: Cell, side: Side) -> bool:
    """Whether it is a peer whose answer was compared: only those count."""
    return side.peer != "gaspipe" and cell.checks.get(side) != UNCHECKED


def fastest_peer(cell: Cell, seconds: dict[Side, float]) -> float:
    return min((value for side, value in seconds.items() if is_compared(cell, side)), default=float("inf"))


def measure_whole(peers: list[Any], case: Any, algorithm: str, options: Any) -> Cell:
    """Times from a SciPy CSR matrix to the answer in a NumPy array, of the libraries."""
    cell = Cell(case.name, algorithm, "whole", case.num_edges)
    libraries = [p for p in peers if isinstance(p, Remote) and algorithm in p.kind.whole]
    sides = {Side(p.name, p.kind.whole[algorithm]): p for p in libraries}
    leave_out_large(cell, sides)
    root = int(case.roots[0])
    builds: dict[Side, float] = {}
    for side, peer in sides.items():
        try:
            builds[side] = peer.call("build", algorithm)
        except Failed as error:
            cell.left_out[side] = f"FAILED: {error}"
    wanted = expected(case, algorithm, root, algorithm == "pagerank")
    first: dict[Side, float] = {}
    for side in sorted(builds, key=lambda side: builds[side]):  # quick ones first
        peer = sides[side]
        if side.peer != "gaspipe" and builds[side] > options.hopeless * fastest_peer(cell, first):
            cell.left_out[side] = f"its graph alone takes {1e3 * builds[side]:.4g} ms"
            continue
        try:
            turn = peer.call("whole", algorithm, root, True)
            cell.checks[side] = check(algorithm, wanted, turn.answer, root)
        except (Failed, Different) as error:
            leave_out(cell, side, error)
            continue
        first[side] = min(turn.seconds)
    keep = hopeful(cell, first, options.hopeless)

    def turn_of(side: Side, root: int) -> Turn:
        return sides[side].call("whole", algorithm, root, False)

    time_in_turns(cell, keep, turn_of, case.roots, options)
    return cell


def measure_memory(peers: list[Any], case: Any, cell: Cell) -> None:
    """Peak memory of gaspipe and of fast libraries; the programs' is known from their turns."""
    fastest = fastest_peer(cell, {side: samples.median for side, samples in cell.samples.items()})
    for peer in peers:
        sides = [side for side in cell.samples if side.peer == peer.name]
        is_fast = any(cell.samples[side].median <= FAST * fastest for side in sides)
        if isinstance(peer, Remote) and sides and (is_fast or peer.name == "gaspipe"):
            try:
                variant = min(sides, key=lambda side: cell.samples[side].median).variant
                peak = peer.fresh_peak(case, cell.algorithm, variant, int(case.roots[0]))
                cell.peaks.update(dict.fromkeys(sides, peak))
            except Failed as error:
                cell.left_out[Side(peer.name, "memory")] = f"FAILED: {error}"


def measure(peers: list[Any], case: Any, options: Any) -> list[Cell]:
    """All cells of one graph."""
    cells = []
    libraries = [p for p in peers if isinstance(p, Remote)]
    for library in libraries:
        library.load(case)
    for algorithm in (a for a in ALGORITHMS if a in options.algorithms):
        start = time.perf_counter()
        kernel = measure_kernel(peers, case, algorithm, options)
        cells.append(kernel)
        if options.memory:
            measure_memory(peers, case, kernel)
        if options.whole:
            middle = time.perf_counter()
            kernel.wall_seconds = middle - start
            cells.append(measure_whole(peers, case, algorithm, options))
            start = middle
        cells[-1].wall_seconds = time.perf_counter() - start
        spent = " + ".join(f"{cell.wall_seconds:.0f} s {cell.kind}" for cell in cells if cell.algorithm == algorithm)
        print(f"{case.name}, {algorithm}: {spent}", file=sys.stderr, flush=True)
    return cells
