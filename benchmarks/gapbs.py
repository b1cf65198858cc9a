# SPDX-License-Identifier: Apache-2.0
"""PageRank, BFS, SSSP and WCC on a Kronecker graph: gaspipe beside the GAP Benchmark Suite, the same graph, in one run.

GAPBS is not part of this repository: point --gapbs at a directory where its `make` has built `pr`, `pr_spmv`, `bfs`,
`sssp` and `cc` (default: the PATH). The graph is gaspipe's, handed over in GAPBS's own binary format. First the answers
are compared (gapbs_peer.py). Then the two are timed in alternation, with equally many threads, after a warm-up each;
what other processes take of the CPUs meanwhile is watched (machine.py).
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, NamedTuple

from gapbs_peer import Gapbs, compare, write_serialized
from machine import Others, Samples, compiler_of, facts, load, require, save, table, wait_until_quiet

DELTAS = (1, 2, 4, 8, 16, 64)


class Row(NamedTuple):
    """One comparison."""

    what: str
    peer: str
    peer_seconds: Samples
    ours: str
    our_seconds: Samples

    @property
    def ratio(self) -> float:
        return self.our_seconds.median / self.peer_seconds.median

    def cells(self) -> list[str]:
        peer, ours = f"GAPBS {self.peer}", f"gaspipe {self.ours}"
        return [self.what, peer, str(self.peer_seconds), ours, str(self.our_seconds), f"{self.ratio:.2f}"]


def alternate(rounds: int, patience: float, sides: dict[str, Callable[[], list[float]]]) -> dict[str, Samples]:
    """Time all sides in turn; up to twice as many rounds where others took CPU time."""
    samples = {side: Samples() for side in sides}
    for i in range(2 * rounds):
        if i >= rounds and all(s.num_quiet_rounds >= rounds for s in samples.values()):
            break
        for side, run in sides.items():
            wait_until_quiet(patience)
            with Others() as others:
                seconds = run()
            samples[side].add(seconds, others.share)
    return samples


def calls(run: Callable[[Any], Any], arguments: list[Any], times: int = 2) -> list[float]:
    """Engine seconds of `times` calls with each argument, after one to warm up."""
    run(arguments[0])
    return [run(argument).stats.seconds for argument in arguments for _ in range(times)]


def measure(peer: Gapbs, gp: Any, graph: Any, files: dict[str, Path], roots: list[int], options: Any) -> list[Row]:
    steps, rounds, patience = options.steps, options.trials, options.patience

    def our_pagerank(number: str) -> list[float]:
        return [s / steps for s in calls(lambda n: gp.pagerank(graph, tol=0, max_iter=steps, number=n), [number])]

    def their_pagerank(program: str) -> list[float]:
        return [s / steps for s in peer.seconds(program, "-f", files["sg"], "-i", steps, "-t", 0)]

    def their_search(program: str, *more: object) -> list[float]:
        file = files["wsg" if program == "sssp" else "sg"]
        return [s for root in roots for s in peer.seconds(program, "-f", file, "-r", root, *more)]

    deltas = alternate(1, patience, {str(delta): lambda d=delta: their_search("sssp", "-d", d) for delta in DELTAS})
    delta = min(deltas, key=lambda d: deltas[d].median)
    # Sides that are compared run one after the other.
    sides: dict[str, Callable[[], list[float]]] = {
        "pr": lambda: their_pagerank("pr"),
        "float64": lambda: our_pagerank("float64"),
        "pr_spmv": lambda: their_pagerank("pr_spmv"),
        "float32": lambda: our_pagerank("float32"),
    }
    pagerank = alternate(rounds, patience, sides)
    bfs = alternate(
        rounds, patience, {"bfs": lambda: their_search("bfs"), "auto": lambda: calls(lambda r: gp.bfs(graph, r), roots)}
    )
    sssp = alternate(
        rounds,
        patience,
        {"sssp": lambda: their_search("sssp", "-d", delta), "auto": lambda: calls(lambda r: gp.sssp(graph, r), roots)},
    )
    wcc = alternate(
        rounds,
        patience,
        {"cc": lambda: peer.seconds("cc", "-f", files["sg"]), "auto": lambda: calls(lambda _: gp.wcc(graph), [None])},
    )
    return [
        *(
            Row("PageRank, one super-step", peer_name, pagerank[peer_name], number, pagerank[number])
            for number in ("float64", "float32")
            for peer_name in ("pr_spmv", "pr")
        ),
        Row("BFS", "bfs", bfs["bfs"], "auto", bfs["auto"]),
        Row("SSSP", f"sssp -d {delta}", sssp["sssp"], "auto", sssp["auto"]),
        Row("WCC", "cc", wcc["cc"], "auto", wcc["auto"]),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gapbs", metavar="DIR", help="directory of GAPBS's programs (default: the PATH)")
    parser.add_argument("--built", default="not said", metavar="TEXT", help="GAPBS's commit and flags, for the report")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trials", type=int, default=5, help="rounds of alternation, two timed runs each (default: 5)")
    parser.add_argument("--roots", type=int, default=4, help="start vertices of BFS and SSSP (default: 4)")
    parser.add_argument("--steps", type=int, default=10, help="super-steps of PageRank (default: 10)")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument(
        "--patience", type=float, default=0, metavar="S", help="wait up to S seconds for idle CPUs, each time"
    )
    parser.add_argument("--json", metavar="FILE", help="write all samples")
    options = parser.parse_args()
    peer = Gapbs(options.gapbs, options.threads)
    os.environ["OMP_NUM_THREADS"] = str(options.threads)  # read when the extension is loaded
    np, gp = require("numpy"), require("gaspipe")

    graph = gp.generate.kronecker(options.scale, options.edge_factor, options.seed, weights=(1, 255))
    name = f"Kronecker {options.scale}, edge factor {options.edge_factor}, seed {options.seed}"
    print(f"{name}: {graph.num_vertices} vertices, {graph.num_edges} stored edges, weights 1-255\n")
    vertices = np.flatnonzero(graph.out_degrees())
    roots = np.random.default_rng(options.seed).choice(vertices, options.roots, replace=False).tolist()
    with tempfile.TemporaryDirectory() as folder:
        files = write_serialized(folder, graph)
        checks = compare(peer, gp, graph, files, roots[0], options.steps)
        print("Answers:", *checks, sep="\n- ", end="\n\n")
        before = load()
        rows = measure(peer, gp, graph, files, roots, options)
        after = load()
    head = ["time", "peer", "ms (middle half)", "ours", "ms (middle half)", "ours / peer"]
    print(table(head, (row.cells() for row in rows)))
    prepare = {}
    for kind, call in (
        ("BFS", lambda: gp.bfs(graph, roots[0])),
        ("SSSP", lambda: gp.sssp(graph, roots[0])),
        ("WCC", lambda: gp.wcc(graph)),
        ("PageRank", lambda: gp.pagerank(graph, tol=0, max_iter=1)),
    ):
        graph.clear_cache()
        prepare[kind] = call().stats.prepare_seconds
    print("\nPreparation, once per graph, not in the times above: "
          + ", ".join(f"{kind} {1e3 * seconds:.0f} ms" for kind, seconds in prepare.items()))  # fmt: skip
    known = facts(
        threads=options.threads,
        gaspipe=f"{gp.__version__}, {compiler_of(gp._core.__file__)}",
        gapbs=f"{options.built}, {peer.compiler}",
        load=f"{before} before, {after} after",
    )
    print("\n".join(f"{key}: {value}" for key, value in known.items()))
    report = {"graph": name, "roots": roots, "facts": known, "checks": checks, "prepare_seconds": prepare}
    save(options.json, {**report, "rows": [{**row._asdict(), "ratio": row.ratio} for row in rows]})


if __name__ == "__main__":
    main()
