# SPDX-License-Identifier: Apache-2.0
"""Prepared graphs beside the same graphs as they are: kernel times in alternation, answers compared.

The ratio is the plain median / the prepared one; the cost of Graph.prepare() is told in plain kernel runs. With a table
of ratios to peers of the unprepared kernels (`--peers`, results/cpu.md) their product is what a prepared kernel has.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from pathlib import Path
from typing import Any, Callable

from machine import Others, alternate, facts, load, require, save, table

gp = require("gaspipe")
np = require("numpy")
STEPS = 10  # of PageRank
NAMES = {  # as results/cpu.md calls them
    "BFS": "bfs",
    "SSSP": "sssp",
    "PageRank float32, per step": "pagerank float32",
    "PageRank float64, per step": "pagerank float64",
    "WCC": "wcc",
    "SpMV float32": "spmv float32",
    "SpMV float64": "spmv float64",
}


def make(name: str, data: str | None) -> Any:
    if name.startswith("kron"):
        return gp.generate.kronecker(int(name[4:]), 16, seed=1, weights=(1, 255))
    if name.startswith("urand"):
        n = 1 << int(name[5:])
        return gp.generate.uniform(n, 16 * n, seed=1, symmetric=True, weights=(1, 255))
    if name.startswith("grid"):
        return gp.generate.grid(int(name[4:]), int(name[4:]), weights=(1, 10))
    graph = gp.Graph.from_file(Path(data or ".", name), directed=False if name.endswith((".txt", ".txt.gz")) else None)
    return graph.simplify() if graph.is_weighted else graph


def questions(graph: Any, threads: int) -> dict[str, tuple[float, Callable[[Any, int], Any]]]:
    """What is asked, by name: by how much its time is divided, and a function of the graph and the turn."""
    degrees = np.diff(graph.indptr)
    roots = np.random.default_rng(1).choice(np.flatnonzero(degrees > 0), 8).tolist()
    x = np.random.default_rng(3).random(graph.num_vertices)
    t = {"num_threads": threads}

    def ranks(number: str) -> Callable[[Any, int], Any]:
        return lambda g, turn: gp.pagerank(g, tol=0, max_iter=STEPS, number=number, **t)

    return {
        "bfs": (1, lambda g, turn: gp.bfs(g, roots[turn % 8], **t)),
        "sssp": (1, lambda g, turn: gp.sssp(g, roots[turn % 8], **t)),
        "pagerank float32": (STEPS, ranks("float32")),
        "pagerank float64": (STEPS, ranks("float64")),
        "wcc": (1, lambda g, turn: gp.wcc(g, **t)),
        "spmv float32": (1, lambda g, turn: gp.spmv(g, x.astype(np.float32), number="float32", **t)),
        "spmv float64": (1, lambda g, turn: gp.spmv(g, x, number="float64", **t)),
        "closeness": (1, lambda g, turn: gp.closeness(g, vertices=roots[:4], **t)),
        "betweenness": (1, lambda g, turn: gp.betweenness(g, sources=roots[:2], **t)),
        "core_numbers": (1, lambda g, turn: gp.core_numbers(g, **t)),
    }


def peers_of(path: str | None) -> dict[tuple[str, str], float]:
    """Ratios of the unprepared kernels to the fastest peer's, by graph and question."""
    found: dict[tuple[str, str], float] = {}
    for line in Path(path).read_text().splitlines() if path else ():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and cells[1] in NAMES and re.fullmatch(r"[\d.]+", cells[2]):
            found[cells[0], NAMES[cells[1]]] = float(cells[2])
    return found


def measure(name: str, options: Any, peers: dict[tuple[str, str], float]) -> list[list[str]]:
    plain, prepared = make(name, options.data), make(name, options.data)
    plain.prepare("never")
    made = prepared.prepare(num_threads=options.threads)
    rows = []
    for question, (divisor, ask) in questions(plain, options.threads).items():
        if options.only and question.split()[0] not in options.only:
            continue
        values = [np.asarray(ask(graph, 0)) for graph in (plain, prepared)]
        if not np.allclose(*values, rtol=1e-3, equal_nan=True):
            sys.exit(f"{name}, {question}: another answer")
        used = ask(prepared, 0).stats.prepared

        def side(turn: int, graph: Any, ask: Any = ask, divisor: float = divisor) -> Any:
            with Others() as others:
                seconds = ask(graph, turn).stats.seconds / divisor
            return [seconds], others.share

        samples = alternate(
            options.rounds,
            options.patience,
            {key: (lambda turn, g=graph: side(turn, g)) for key, graph in (("plain", plain), ("prepared", prepared))},
        )
        ratio = samples["plain"].median / samples["prepared"].median if made.is_relabeled else 1.0
        peer = peers.get((name, question))
        rows.append(
            [
                name,
                question,
                str(samples["plain"]),
                str(samples["prepared"]),
                f"{ratio:.2f}",
                "yes" if used else "no",
                f"{made.seconds / samples['plain'].median:.1f}" if used else "-",
                "" if peer is None else f"{peer:.2f}",
                "" if peer is None else f"{peer * ratio if used else peer:.2f}",
            ]
        )
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print(f"{name}: {made}", file=sys.stderr)
    return rows


HEAD = [
    "graph",
    "algorithm",
    "plain [ms]",
    "prepared [ms]",
    "ratio",
    "form used",
    "prepare() in plain runs",
    "fastest peer / plain",
    "fastest peer / prepared",
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--graphs", nargs="+", default=["kron18", "kron20", "urand20", "grid1000"], metavar="NAME")
    parser.add_argument("--only", nargs="+", metavar="ALGORITHM")
    parser.add_argument("--data", metavar="DIR", help="folder of graphs that are named by their files")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--patience", type=float, default=60, help="seconds to wait for an idle machine")
    parser.add_argument("--peers", metavar="FILE", help="results/cpu.md")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    print(f"{options.threads} threads, load {load()}\n")
    peers = peers_of(options.peers)
    rows = [row for name in options.graphs for row in measure(name, options, peers)]
    print(table(HEAD, rows))
    cells = [row for row in rows if row[-1] and re.match("kron|urand", row[0]) and row[1] != "pagerank float64"]
    if cells:
        mean = math.exp(sum(math.log(float(row[-1])) for row in cells) / len(cells))
        print(f"\nGeometric mean of the last column, {len(cells)} cells of Kronecker and uniform graphs: {mean:.2f}")
    save(options.json, facts(load=load(), rows=[dict(zip(HEAD, row)) for row in rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
