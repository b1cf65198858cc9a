# SPDX-License-Identifier: Apache-2.0
"""What is measured: ranks beside one process, an exchange of nothing, GraphX, Gemini; with their answers compared.

A row is a dictionary; times are `Samples`, in seconds.
"""

from __future__ import annotations

import collections
import sys
from pathlib import Path
from typing import Any, Callable

from cluster.jobs import OthersThanJobs
from cluster.ranks import Ranks
from cpu import answers
from machine import Samples, alternate, require, wait_until_quiet

gp = require("gaspipe")
np = require("numpy")
ALGORITHMS = ("pagerank", "wcc", "bfs")
TOLERANCE = {"float32": 1e-3, "float64": 1e-9}
REPEATS = {"pagerank": 2, "wcc": 5, "bfs": 5}  # runs of ours in a turn
OVERHEAD_TURNS = 5
Row = dict[str, Any]


def question(algorithm: str, steps: int, root: int, number: str = "float64") -> tuple[str, dict[str, Any]]:
    """Which function of gaspipe, and its arguments."""
    if algorithm == "pagerank":
        return "pagerank", {"number": number, "tol": 0, "max_iter": steps}
    return (algorithm, {"root": root}) if algorithm == "bfs" else (algorithm, {})


def roots_of(graph: Any, count: int) -> list[int]:
    """Start vertices from the largest component."""
    labels = gp.wcc(graph).values
    inside = np.flatnonzero(labels == np.bincount(labels).argmax())
    return [int(v) for v in np.random.default_rng(1).choice(inside, count, replace=len(inside) < count)]


def same(what: str, found: Any, wanted: Any, number: str = "float64") -> None:
    """End the run where an answer of ours is another one."""
    is_float = wanted.dtype.kind == "f"
    is_same = np.allclose(found, wanted, rtol=TOLERANCE[number], atol=0) if is_float else np.array_equal(found, wanted)
    if found.shape != wanted.shape or not is_same:
        sys.exit(f"{what}: the ranks have another answer than one process")


def settled(what: str, check: Callable[[], str]) -> str:
    """How a peer's answer was held against ours; a difference ends the run."""
    try:
        return check()
    except answers.Different as error:
        sys.exit(f"{what}: the peer has another answer: {error}")


def beside_one_process(
    graph: Any, jobs: list[Ranks], threads: int, steps: int, scratch: Path, options: Any
) -> list[Row]:
    """Ranks of one thread each, and the engine in this process with as many threads as the machine has cores."""
    roots = roots_of(graph, options.rounds)
    rows = []
    for algorithm, number in (("pagerank", "float32"), ("pagerank", "float64"), ("bfs", ""), ("wcc", "")):
        wanted: dict[int, Any] = {}
        told: dict[int, Row] = {}

        def ask(turn: int, algorithm: str = algorithm, number: str = number) -> tuple[str, dict[str, Any]]:
            return question(algorithm, steps, roots[turn % len(roots)], number)

        def whole(turn: int, ask: Any = ask, wanted: dict[int, Any] = wanted) -> tuple[list[float], float]:
            function, arguments = ask(turn)
            with OthersThanJobs() as others:
                results = [
                    getattr(gp, function)(graph, num_threads=threads, **arguments) for _ in range(REPEATS[function])
                ]
            wanted[turn % len(roots)] = results[-1].values
            return [result.stats.seconds for result in results], others.share

        def spread(
            job: Ranks,
            turn: int,
            ask: Any = ask,
            wanted: dict[int, Any] = wanted,
            told: Any = told,
            number: str = number,
            algorithm: str = algorithm,
        ) -> tuple[list[float], float]:
            answer = scratch / "answer.npy"
            with OthersThanJobs() as others:
                told[job.size] = job.ask("run", *ask(turn), REPEATS[algorithm], str(answer))
            same(f"{ask(turn)}, {job.size} ranks", np.load(answer), wanted[turn % len(roots)], number or "float64")
            return told[job.size]["seconds"], others.share

        sides = {0: whole} | {job.size: lambda turn, job=job, f=spread: f(job, turn) for job in jobs}
        for side in sides.values():
            side(0)  # makes views and partitions
        samples = alternate(options.rounds, options.patience, sides)
        rows += [
            {
                "algorithm": f"{algorithm} {number}".strip(),
                "ranks": job.size,
                "one process": samples[0],
                "of ranks": samples[job.size],
                "ratio": samples[0].median / samples[job.size].median,
                "bytes": told[job.size]["bytes"],
                "parts": told[job.size]["parts"],
            }
            for job in jobs
        ]
        progress(rows[-len(jobs) :])
    return rows


def exchange_of_nothing(jobs: list[Ranks], patience: float) -> list[Row]:
    """Microseconds of a super-step without anything to send, beside those that MPI alone takes."""
    rows = []
    for job in jobs:
        job.ask("overhead")
        samples: dict[str, Samples] = collections.defaultdict(Samples)
        for _ in range(2 * OVERHEAD_TURNS):
            wait_until_quiet(patience)
            with OthersThanJobs() as others:
                turn = job.ask("overhead")
            if turn.pop("bytes"):
                sys.exit(f"{job.size} ranks have sent bytes over no edge")
            turn |= {"ratio": turn["bfs"] / turn["bare"], "others": others.share}
            for key, value in turn.items():
                samples[key].add([value], others.share)
            if samples["ratio"].num_quiet_rounds == OVERHEAD_TURNS:
                break
        rows.append({"ranks": job.size, **{key: found.median for key, found in samples.items()}})
        progress(rows[-1:])
    return rows


def scipy_ranks(graph: Any, steps: int, spread: bool) -> Any:
    """SciPy's PageRank in float64; the rank of vertices without edges is spread, as ours is, or lost."""
    sparse = require("scipy.sparse", "scipy")
    ones = np.ones(graph.num_edges, bool)
    matrix = sparse.csr_array((ones, graph.indices.view(np.int32), graph.indptr), shape=(graph.num_vertices,) * 2)
    return answers.pagerank(matrix, steps, spread)


def compared(what: str, algorithm: str, ours: Any, theirs: Any, root: int, pageranks: Any) -> str:
    """Hold GraphX's answer against ours. It loses the rank of isolated vertices, and scales the sum to their number."""
    if algorithm != "pagerank":
        wanted = answers.smallest(ours) if algorithm == "wcc" else ours
        return settled(what, lambda: answers.check(algorithm, wanted, theirs, root))
    spread, lost = pageranks
    same(f"{what}, SciPy", ours, spread)
    error = float(np.abs(theirs / len(theirs) - lost / lost.sum()).sum())
    if error > 1e-9:
        sys.exit(f"{what}: an L1 difference of {error:.1e} between GraphX's ranks and SciPy's")
    return f"L1 difference {error:.0e}"


def beside_graphx(name: str, graph: Any, job: Ranks, spark: Any, steps: int, scratch: Path, options: Any) -> list[Row]:
    """GraphX with as many threads as there are ranks."""
    spark.load(graph)
    roots = roots_of(graph, options.peer_rounds)
    pageranks = [scipy_ranks(graph, steps, spread) for spread in (True, False)]
    rows = []
    for algorithm in ALGORITHMS:

        def ours(turn: int, algorithm: str = algorithm, answer: str = "") -> tuple[list[float], float]:
            with OthersThanJobs() as others:
                asked = question(algorithm, steps, roots[turn % len(roots)])
                told = job.ask("run", *asked, REPEATS[algorithm], answer)
            return told["seconds"], others.share

        def theirs(turn: int, algorithm: str = algorithm) -> tuple[list[float], float]:
            with OthersThanJobs() as others:
                seconds = spark.seconds(algorithm, steps, roots[turn % len(roots)])
            return [seconds], others.share

        answer = scratch / "answer.npy"
        ours(0, answer=str(answer))
        what = f"{name}, {algorithm}, root {roots[0]}"
        found = spark.answer(algorithm, steps, roots[0])  # warms the JVM, too
        checked = compared(what, algorithm, np.load(answer), found, roots[0], pageranks)
        samples = alternate(options.peer_rounds, options.patience, {"ours": ours, "theirs": theirs})
        rows.append(peer_row(name, algorithm, samples, checked))
    return rows


def beside_gemini(name: str, graph: Any, job: Ranks, gemini: Any, steps: int, scratch: Path, options: Any) -> list[Row]:
    """Gemini with the same MPI and as many ranks, both with one thread per rank."""
    gemini.load(graph)
    roots = roots_of(graph, options.peer_rounds)
    rows = []
    for algorithm in ALGORITHMS:
        checks: list[str] = []
        wanted: dict[int, Any] = {}
        lost = scipy_ranks(graph, steps, False) if algorithm == "pagerank" else None

        def ours(turn: int, algorithm: str = algorithm, wanted: Any = wanted) -> tuple[list[float], float]:
            answer = scratch / "answer.npy"
            with OthersThanJobs() as others:
                asked = question(algorithm, steps, roots[turn % len(roots)])
                told = job.ask("run", *asked, REPEATS[algorithm], str(answer))
            wanted[turn] = np.load(answer)
            return told["seconds"], others.share

        def theirs(
            turn: int, algorithm: str = algorithm, wanted: Any = wanted, lost: Any = lost, checks: Any = checks
        ) -> tuple[list[float], float]:
            root = roots[turn % len(roots)]
            with OthersThanJobs() as others:
                told = gemini.run(algorithm, steps, root)
            checks.append(told_is_right(f"{name}, {algorithm}, root {root}", algorithm, wanted.pop(turn), lost, told))
            return told.seconds, others.share

        ours(0)  # makes views and partitions
        samples = alternate(options.peer_rounds, options.patience, {"ours": ours, "theirs": theirs})
        rows.append(peer_row(name, algorithm, samples, checks[-1]))
    gemini.close()
    return rows


def told_is_right(what: str, algorithm: str, ours: Any, lost: Any, told: Any) -> str:
    """Hold what Gemini prints against our answer, its ranks against SciPy's: it loses those of isolated vertices."""
    wanted = ours if algorithm != "pagerank" else [lost, lost]
    checked = settled(what, lambda: answers.check(algorithm, wanted, told.of_answer, 0))
    if told.rank_sum is not None:
        error = abs(told.rank_sum / lost.sum() - 1)
        if error > 1e-6:
            sys.exit(f"{what}: the sum of Gemini's ranks differs by {error:.1e}")
        checked += f", their sum within {error:.0e}"
    return checked


def peer_row(name: str, algorithm: str, samples: Any, checked: str) -> Row:
    ours, theirs = samples["ours"], samples["theirs"]
    ratio = theirs.median / ours.median
    row = {"graph": name, "algorithm": algorithm, "peer": theirs, "of ranks": ours, "ratio": ratio, "checked": checked}
    progress([row])
    return row


def progress(rows: list[Row]) -> None:
    for row in rows:
        print(*(f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items()),
              sep=", ", file=sys.stderr, flush=True)  # fmt: skip
