# SPDX-License-Identifier: Apache-2.0
"""Everything that works on several threads, in one process: the program of benchmarks/races.py.

It runs where ThreadSanitizer's runtime has been loaded before Python. Each call is made on a graph that nothing is
known of yet, and by several Python threads at once on one graph; answers are those of one thread.

    python race_calls.py FOLDER THREADS [CALL ...]
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import gaspipe as gp
from faulty_calls import FUNCTORS

SCALE = 10
SOURCES = list(range(0, 40, 5))
ARGUMENTS = {
    "spmv": {"x": np.arange(1 << SCALE, dtype=float)},
    "common_neighbors": {"pairs": [(v, v + 1) for v in range(300)]},
    "jaccard": {"pairs": [(v, v + 1) for v in range(300)]},
    "random_walks": {"num_walks": 2, "length": 8},
    "betweenness": {"sources": SOURCES},
    "closeness": {"vertices": SOURCES},
    "multi_source": {"sources": SOURCES},
    "khop": {"sources": SOURCES},
    "katz": {"alpha": 0.01},
}
TEXTS = ("txt", "csv", "mtx", "gr", "graph", "txt.gz")


def graph(weights=(1, 9)):
    """Return a graph that nothing is known of yet, large enough for every loop to be cut."""
    return gp.generate.rmat(SCALE, 8, seed=3, weights=weights)


def _plain(result):
    return np.asarray(result.values)


def _frontier(threads):
    how = {"vertex": "i4", "default": 2**31 - 1, "name": "levels", "num_threads": threads}
    engine = gp.FrontierEngine(graph(None), FUNCTORS, **how)
    front = engine.subset(0)
    engine.vertex_map(engine.subset(True), "start")
    engine.iterate("Bfs", front)
    return np.array(engine.vertices)


def _together(given, threads):
    """Call everything that fills a cache, at once and on one graph."""
    calls = [
        lambda: _plain(gp.bfs(given, num_threads=threads)),
        lambda: _plain(gp.bfs(given, method="gas", num_threads=threads)),
        lambda: _plain(gp.wcc(given, num_threads=threads)),
        lambda: _plain(gp.pagerank(given, num_threads=threads)),
        lambda: _plain(gp.sssp(given, num_threads=threads)),
        lambda: _plain(gp.triangles(given, num_threads=threads)),
        lambda: given.transpose().num_edges,
        lambda: given.out_degrees().sum(),
        lambda: given.partition(capacity=128).num_edges,
        lambda: _plain(gp.bfs(given, domains=3, num_threads=threads)),
    ]
    with ThreadPoolExecutor(len(calls)) as pool:
        return [each.result() for each in [pool.submit(call) for call in calls]]


def calls(folder: Path, threads: int):
    """Functions without arguments, by name; files are below `folder`."""
    found = {}
    for name in (*gp.algorithms, *gp.cpu_algorithms):
        function = getattr(gp, name, None)
        if function is None:
            continue
        given = {**ARGUMENTS.get(name, {}), "num_threads": threads}
        found[name] = lambda f=function, given=given: _plain(f(graph(), **given))
        if name in gp.algorithms:
            found[f"{name} gas"] = lambda f=function, given=given: _plain(f(graph(), method="gas", **given))
            found[f"{name} over domains"] = lambda f=function, given=given: _plain(f(graph(), domains=3, **given))
    found["bfs parents"] = lambda: gp.bfs(graph(), parents=True, num_threads=threads).depth
    found["bfs local_store"] = lambda: _plain(gp.bfs(graph(), method="local_store", workers=threads))
    found["frontier engine"] = lambda: _frontier(threads)
    found["Python threads on one graph"] = lambda: _together(graph(), threads)
    kinds = {"rmat": (SCALE, 8), "uniform": (500, 4000), "kronecker": (SCALE,), "grid": (20, 20)}
    for kind, size in kinds.items():
        found[f"generate.{kind}"] = lambda kind=kind, size=size: getattr(gp.generate, kind)(*size).indices
    for name in ("transpose", "simplify", "symmetrize", "largest_component"):
        found[f"Graph.{name}"] = lambda name=name: getattr(graph(), name)().indices
    found["Graph.reorder"] = lambda: graph().reorder("degree").indices
    found["Graph.partition"] = lambda: graph().partition(capacity=64, compute_units=2).num_edges
    found["Graph.domains"] = lambda: str(graph().domains(3, "hash").summary())
    for end in TEXTS:
        path = folder / f"kept.{end}"
        ours = graph(None).symmetrize().simplify() if end == "graph" else graph()
        if not path.exists():
            ours.to_file(path)
        found[f"Graph.from_file {end}"] = lambda path=path: gp.Graph.from_file(path, num_threads=threads).indices
        found[f"Graph.to_file {end}"] = lambda path=path, g=ours: g.to_file(folder / f"new_{path.name}")
    rows, blocks = folder / "rows.gaspipe", folder / "blocks.gaspipe"
    if not rows.exists():
        graph().save(rows)
        graph().save(blocks, blocks=True)
    found["Graph.load"] = lambda: gp.Graph.load(rows, mmap=False).indices
    found["Graph.load blocks"] = lambda: gp.Graph.load(blocks).indices
    for name in ("bfs", "pagerank", "sssp"):
        function = getattr(gp, name)
        found[f"{name} streamed"] = lambda f=function: _plain(
            f(gp.Graph.load(blocks, memory="1 GB"), num_threads=threads)
        )
    found["convert"] = lambda: gp.convert(folder / "kept.txt", folder / "new.gaspipe", memory="64 MB")
    return found


def same(one, other) -> bool:
    """Whether answers agree: integers in every bit, floating-point numbers as sums in another order do."""
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray) and one.dtype.kind == "f":
        return bool(np.allclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True))
    return bool(np.array_equal(one, other))


def main() -> None:
    """Do what the command line says: a line per call, with what was wrong."""
    folder, threads, names = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    several, alone = calls(folder, threads), calls(folder, 1)
    for name in names or several:
        try:
            is_right = same(several[name](), alone[name]())
            print(f"{name}: {'right' if is_right else 'another answer'}", flush=True)
        except Exception as error:  # what a race leads to is looked at, whatever it is
            print(f"{name}: {type(error).__name__}: {error}", flush=True)


if __name__ == "__main__":
    main()
