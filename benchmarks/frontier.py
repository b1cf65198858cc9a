# SPDX-License-Identifier: Apache-2.0
"""What frontier programs from Python cost (gp.FrontierEngine).

Calls: microseconds of a call on a chain of three vertices, where there is no work to speak of. Search: breadth-first
as a functor of the user's, its loop in C++ (`run`) and in Python, beside gp.bfs, in alternation on the same graphs: the
ratio is gp.bfs's time / the functor's. First and second use: seconds until the engine is there, with an empty cache and
after. Bars: 20 us a call; search within 20 % of gp.bfs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from machine import facts, load, require, save, table

gp = require("gaspipe")
CALL_BAR, SEARCH_BAR = 20.0, 1 / 1.2
SOURCE = r"""
void start(int& level, int) { level = -1; }
void be_root(int& level, int) { level = 0; }
struct Bfs {
  static constexpr bool kFinalOnceSet = true;
  int gather(int level, EdgeCount, EdgeValue&) { return level + 1; }
  int reduce(int a, int b) { return min(a, b); }
  bool cond(int level, int, VertexId) { return level < 0; }
  void update(int& level, int accumulator) { level = accumulator; }
};
struct Both : Bfs { static constexpr bool kFinalOnceSet = false; };
int search(Engine& engine, const Parameters& parameters) {
  const VertexId n = engine.getVertexCount();
  VertexSubset front(n, parameters.root);
  engine.vertexMap(VertexSubset(n, true), start);
  engine.vertexMap(front, be_root);
  int rounds = 0;
  for (; !front.empty(); ++rounds) engine.edgeVertexFilter(front, front, Bfs());
  return rounds;
}
"""


def engine_of(graph: object, **options: object) -> object:
    return gp.FrontierEngine(
        graph, SOURCE, vertex="i4", default=2**31 - 1, parameters={"root": 0}, name="search", **options
    )


def calls() -> list[list[str]]:
    """Microseconds of every call without work."""
    engine = engine_of(gp.generate.chain(3, symmetric=False))
    front, reached = engine.subset(0), engine.subset()
    todo = {
        "vertex_map": lambda: engine.vertex_map(front, "start"),
        "edge_map": lambda: engine.edge_map(front, "Both"),
        "edge_filter": lambda: engine.edge_filter(reached, front, "Both"),
        "vertex_filter": lambda: engine.vertex_filter(reached, front, "Both"),
        "edge_vertex_filter": lambda: engine.edge_vertex_filter(reached, front, "Bfs"),
        "run": lambda: engine.run("search"),
    }
    rows = []
    for name, call in todo.items():
        samples = []
        for _ in range(7):
            start = time.perf_counter()
            for _ in range(2000):
                call()
            samples.append((time.perf_counter() - start) / 2000 * 1e6)
        rows.append([name, f"{statistics.median(samples):.2f}"])
    return rows


def by_hand(engine: object, root: int) -> None:
    """The loop in Python."""
    engine.vertex_map(engine.subset(True), "start")
    front = engine.subset(root)
    engine.vertex_map(front, "be_root")
    while front:
        engine.edge_vertex_filter(front, front, "Bfs")


def search(name: str, graph: object, rounds: int) -> list[str]:
    engine = engine_of(graph)
    import numpy as np

    roots = np.random.default_rng(1).choice(np.flatnonzero(np.diff(graph.indptr)), rounds + 1).tolist()
    samples: dict[str, list[float]] = {"bfs": [], "run": [], "python": []}
    for turn, root in enumerate(roots):
        wanted = gp.bfs(graph, root).depth  # makes the views
        for who, call in (
            ("bfs", lambda r=root: gp.bfs(graph, r)),
            ("run", lambda r=root: engine.run("search", root=r)),
            ("python", lambda r=root: by_hand(engine, r)),
        ):
            best = []
            for _ in range(3):
                start = time.perf_counter()
                call()
                best.append(time.perf_counter() - start)
            if turn:
                samples[who].append(min(best))
            if who != "bfs" and not np.array_equal(engine.vertices, wanted):
                sys.exit(f"{name}: {who} found other levels")
    times = {who: statistics.median(s) for who, s in samples.items()}
    return [
        name,
        f"{1e3 * times['bfs']:.2f}",
        *(f"{times['bfs'] / times[who]:.2f}" for who in ("run", "python")),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", metavar="DIR", help="where cnr-2000-sym.graph.xz and USA-road-d.NY.gr.xz lie")
    parser.add_argument("--smaller", type=int, default=0, metavar="N", help="generated graphs smaller by 2**N")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        uses = []
        for _ in range(2):
            start = time.perf_counter()
            engine_of(gp.generate.chain(3))
            uses.append(time.perf_counter() - start)
        print(f"load {load()}; first use {uses[0]:.1f} s, second {1e3 * uses[1]:.1f} ms\n")
        made = calls()
        print(table(["call", "us"], made))
        less = options.smaller
        side = 1000 >> (less // 2)
        graphs = {
            "kron18": lambda: gp.generate.kronecker(18 - less, seed=1),
            "kron20": lambda: gp.generate.kronecker(20 - less, seed=1),
            "urand20": lambda: gp.generate.uniform(1 << 20 - less, 16 << 20 - less, seed=1, symmetric=True),
            "grid1000": lambda: gp.generate.grid(side, side),
        }
        files = {"cnr-2000": "cnr-2000-sym.graph.xz", "USA-road-d.NY": "USA-road-d.NY.gr.xz"}
        for name, file in files.items():
            if options.data and Path(options.data, file).exists():
                graphs[name] = lambda f=file: gp.Graph.from_file(Path(options.data, f))
        rows = [search(name, make(), options.rounds) for name, make in graphs.items()]
    print(table(["graph", "gp.bfs [ms]", "gp.bfs / run", "gp.bfs / loop in Python"], rows))
    if options.json:
        save(options.json, {"facts": facts(load=load()), "uses": uses, "calls": made, "search": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
