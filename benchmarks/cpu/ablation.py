# SPDX-License-Identifier: Apache-2.0
"""What each technique of the engine gives: the same question with it and without, in alternation, one graph at a time.

A technique is switched off from outside: by the same program as a snippet that does not declare what the fast path asks
for, by `method="gas"`, by one thread, by forbidding huge pages to the process. "Hubs first" is switched on: it is the
user's choice, `graph.reorder("hub")`, whose own time does not count here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple

import numpy as np

from cpu.answers import STEPS
from cpu.report import TITLES
from cpu.worker import Remote
from machine import Others, Samples, alternate, table

SLOW = 1.0  # seconds; what takes longer is run once
_NONE = "0xffffffffu"
_MINIMUM = {"gather": "a < b ? a : b", "identity": 2**32 - 1}
_SEARCH = {
    **_MINIMUM,
    "initial": f"v == root ? 0 : {_NONE}",
    "parameters": {"root": 0},
    "active": f"update != {_NONE}",
    "is_source": f"prop != {_NONE}",
}
# The built-in programs' hooks, and what they declare besides, in the order in which it is taken away.
PROGRAMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "bfs": (
        {**_SEARCH, "preprocess": f"src == {_NONE} ? src : src + 1"},
        {"final_once_set": True, "idempotent": True},
    ),
    "sssp": (
        {**_SEARCH, "scatter": f"src == {_NONE} ? src : src + edge"},
        {"priority": "prop", "idempotent": True},
    ),
    "wcc": ({**_MINIMUM, "initial": "v", "view": "undirected"}, {"kComponents": None, "idempotent": True}),
}
TECHNIQUES = {
    "final_once_set": "pull with early exit (kFinalOnceSet)",
    "priority": "buckets (priority)",
    "kComponents": "sampled union-find (kComponents)",
    "idempotent": "that and sparse pushes (kIdempotent)",
}


class Row(NamedTuple):
    """One technique on one graph."""

    graph: str
    algorithm: str
    technique: str
    without: Samples
    with_it: Samples

    @property
    def gain(self) -> float:
        return self.without.median / self.with_it.median


def lesser_programs(gp: Any, algorithm: str) -> dict[str, Any]:
    """Snippets of a built-in program that declare less and less, by the first thing each lacks."""
    if algorithm not in PROGRAMS:
        return {}
    hooks, declared = PROGRAMS[algorithm]
    found = {}
    names = list(declared)
    for i, name in enumerate(names):
        kept = {other: declared[other] for other in names[i + 1 :]}
        found[name] = gp.Algorithm(f"{algorithm}_without_{name}".lower(), **hooks, **kept)
    return found


def ablate(gp: Any, case: Any, algorithm: str, options: Any) -> list[Row]:
    """All techniques for one algorithm on one graph."""
    dtype = {"sssp": "int32", "spmv32": "float32", "spmv64": "float64"}.get(algorithm)
    graph = gp.Graph(case.matrix(dtype), copy=None)
    root = int(case.roots[0])
    vector = case.vector(dtype) if "spmv" in algorithm else None

    def ask(g: Any, start: int, **more: Any) -> Any:
        if algorithm in ("bfs", "sssp"):
            return getattr(gp, algorithm)(g, start, **more)
        if algorithm == "pagerank":
            return gp.pagerank(g, tol=0, max_iter=STEPS, **more)
        return gp.wcc(g, **more) if algorithm == "wcc" else gp.spmv(g, vector, **more)

    sides: dict[str, Callable[[], Any]] = {"built-in": lambda: ask(graph, root)}
    for name, program in lesser_programs(gp, algorithm).items():
        arguments = {} if algorithm == "wcc" else {"root": root}
        sides[TECHNIQUES[name]] = lambda p=program, a=arguments: p(graph, **a)
    sides["all fast paths (method)"] = lambda: ask(graph, root, method="gas")
    sides[f"{options.threads} threads"] = lambda: ask(graph, root, num_threads=1)
    compare(sides, case.name, algorithm)
    if vector is None:
        hubs_first = graph.reorder("hub")
        sides["hubs first"] = lambda: ask(hubs_first, root)  # by its label, which is what it was before
    samples = timed(sides, options, STEPS if algorithm == "pagerank" else 1)
    normal = samples.pop("built-in")
    return [
        Row(case.name, algorithm, name, *((normal, those) if name == "hubs first" else (those, normal)))
        for name, those in samples.items()
    ]


def compare(sides: dict[str, Callable[[], Any]], graph: str, algorithm: str) -> None:
    """All sides must give the built-in program's answer."""
    wanted = sides["built-in"]().values
    for name, run in sides.items():
        found = run().values.astype(wanted.dtype)
        if wanted.dtype.kind == "i":
            found = np.where(found == 2**32 - 1, -1, found)
        if not np.allclose(found, wanted, rtol=1e-4, atol=1e-9):
            raise SystemExit(f"{graph}, {algorithm}: without {name} the answer is another")


def timed(sides: dict[str, Callable[[], Any]], options: Any, steps: int) -> dict[str, Samples]:
    """Engine seconds of every side in turn, of one of `steps` super-steps; the slow ones once."""
    slow: dict[str, Samples] = {}
    for name, run in sides.items():
        with Others() as others:
            seconds = run().stats.seconds
        if seconds > SLOW:
            slow[name] = Samples()
            slow[name].add([seconds / steps], others.share)

    def turn(run: Callable[[], Any]) -> tuple[list[float], float]:
        run()
        with Others() as others:
            seconds = [run().stats.seconds / steps for _ in range(3)]
        return seconds, others.share

    quick = {name: lambda _, r=run: turn(r) for name, run in sides.items() if name not in slow}
    found = {**alternate(options.rounds, options.patience, quick), **slow}
    return {name: found[name] for name in sides}


def ablate_pages(normal: Remote, case: Any, options: Any) -> list[Row]:
    """Huge pages: two processes, one of which may have none."""
    small = normal.another()
    small.call("ask", "forbid_huge_pages")
    rows = []
    for worker in (normal, small):
        worker.load(case)
    for algorithm in options.algorithms:
        variant = normal.variants_of(algorithm)[0]

        def run(worker: Remote, i: int, a: str = algorithm, v: str = variant) -> tuple[list[float], float]:
            turn = worker.turn(case, a, v, int(case.roots[i % len(case.roots)]))
            return turn.seconds, turn.others

        both = {name: lambda i, w=w, r=run: r(w, i) for name, w in (("without", small), ("with", normal))}
        samples = alternate(options.rounds, options.patience, both)
        rows.append(Row(case.name, algorithm, "huge pages", samples["without"], samples["with"]))
    small.close()
    return rows


def ablation_table(rows: Sequence[Row]) -> str:
    head = ["graph", "algorithm", "technique", "without, ms (middle half)", "with, ms (middle half)", "gain"]
    lines = [
        [row.graph, TITLES[row.algorithm], row.technique, str(row.without), str(row.with_it), f"{row.gain:.2f}"]
        for row in rows
    ]
    return table(head, lines)
