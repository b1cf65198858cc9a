# SPDX-License-Identifier: Apache-2.0
"""Public calls on small graphs, for faults.py, each with an answer to compare."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import numpy as np

import gaspipe as gp
from thread_ranks import on_ranks

N = 40
ARGUMENTS = {"spmv": {"x": np.arange(N, dtype=float)}, "common_neighbors": {"pairs": [(0, 1), (2, 3)]},
             "jaccard": {"pairs": [(0, 1), (2, 3)]}, "random_walks": {"num_walks": 2}}  # fmt: skip
FUNCTORS = """
void start(int& level, int) { level = -1; }
struct Bfs {
  int gather(int level, EdgeCount, EdgeValue&) { return level + 1; }
  int reduce(int a, int b) { return min(a, b); }
  bool cond(int level, int, VertexId) { return level < 0; }
  void update(int& level, int accumulator) { level = accumulator; }
};
"""


def graph(weights=(1, 9)):
    """Return a graph that nothing is known of yet."""
    return gp.generate.uniform(N, 200, seed=3, weights=weights)


def plain(answer):
    """What can be compared of a result."""
    return np.asarray(answer.values).tolist()


def calls(folder: Path):
    """Functions without arguments, by name; files are below `folder`."""
    found = {}

    def add(name, make):
        found[name] = make

    for name in (*gp.algorithms, *gp.cpu_algorithms):
        function = getattr(gp, name, None)
        if function is not None:
            given = ARGUMENTS.get(name, {})
            add(name, lambda function=function, given=given: plain(function(graph(), **given)))
    for name in ("bfs", "pagerank", "sssp", "wcc"):
        function = getattr(gp, name)
        add(f"{name} on 2 threads", lambda f=function: plain(f(graph(), num_threads=2)))
        add(f"{name} emulated", lambda f=function: plain(f(graph(), device="emulator")))
        add(f"{name} emulator:u250", lambda f=function: plain(f(graph(), device="emulator:u250")))
        add(f"{name} over domains", lambda f=function: plain(f(graph(), domains=3)))
    add("bfs local_store", lambda: plain(gp.bfs(graph(), method="local_store", workers=2)))
    add("bfs pe_array", lambda: plain(gp.bfs(graph(), method="local_store", device="emulator:u250")))
    add("bfs graphops", lambda: plain(gp.bfs(graph(), design="graphops", device="emulator")))
    add("bfs paths", lambda: gp.bfs(graph(), parents=True).parent.tolist())
    add("predict", lambda: round(gp.predict("pagerank", graph(), max_iter=2, tol=0).stats.predicted_cycles))
    for kind in ("chain", "complete", "grid", "kronecker", "rmat", "star", "uniform", "acyclic"):
        size = {"grid": (4, 5), "kronecker": (4,), "rmat": (4,), "uniform": (20, 40)}.get(kind, (9,))
        add(f"generate.{kind}", lambda kind=kind, size=size: getattr(gp.generate, kind)(*size).num_edges)
    add("Graph of arrays", lambda: gp.Graph((np.arange(30), np.arange(30)[::-1].copy(), np.arange(30.0))).num_edges)
    for name in ("transpose", "simplify", "symmetrize", "largest_component"):
        add(f"Graph.{name}", lambda name=name: getattr(graph(), name)().num_edges)
    add("Graph.reorder", lambda: graph().reorder("degree").num_edges)
    add("Graph.partition", lambda: graph().partition(capacity=16, compute_units=2).num_edges)
    add("Graph.domains", lambda: str(graph().domains(3).summary()))
    add("Graph.to_table", lambda: len(graph().to_table()))
    add("Graph.out_degrees", lambda: graph().out_degrees().tolist())
    add("result.report", lambda: (gp.bfs(graph()).report(folder / "page.html"), (folder / "page.html").exists())[1])
    add("result.plot", lambda: _drawn(gp.bfs(graph())))
    add("Chain.source", lambda: _chain().source())
    add("Chain.build report", lambda: sorted(map(os.path.basename, _built(_chain(), folder))))
    add("Accelerator", _accelerator)
    for end in ("txt", "csv", "mtx", "graph", "txt.gz"):
        path = folder / f"kept.{end}"
        ours = graph(None).symmetrize().simplify() if end == "graph" else graph()
        ours.to_file(path)
        add(f"Graph.from_file {end}", lambda path=path: gp.Graph.from_file(path).num_edges)
        add(f"Graph.to_file {end}", lambda path=path, g=ours: g.to_file(folder / f"new_{path.name}"))
    graph().save(folder / "kept.gp")
    graph().save(folder / "blocks.gp", blocks=True)
    add("Graph.save", lambda: graph().save(folder / "new.gp"))
    add("Graph.save blocks", lambda: graph().save(folder / "new_blocks.gp", blocks=True))
    add("Graph.load", lambda: gp.Graph.load(folder / "kept.gp").indices.tolist())
    add("Graph.load mmap=False", lambda: gp.Graph.load(folder / "kept.gp", mmap=False).indices.tolist())
    for name in ("bfs", "pagerank"):
        function = getattr(gp, name)
        add(
            f"{name} streamed",
            lambda f=function: plain(f(gp.Graph.load(folder / "blocks.gp", memory="1 GB"), num_threads=2)),
        )
    for name in ("bfs", "pagerank", "sssp", "wcc"):
        function = getattr(gp, name)
        add(f"{name} on ranks", lambda f=function: _on_ranks(lambda world: plain(f(world.read(folder / "kept.txt")))))
    add("convert", lambda: gp.convert(folder / "kept.txt", folder / "converted.gp", memory="64 MB"))
    add("checkpoint", lambda: plain(_checkpointed(folder)))
    return found


def compiled_calls():
    """Those that compile C++, or load what was compiled; slow where the library is not kept."""
    widest = gp.Algorithm(
        "widest", scatter="min(src, edge)", gather="max(a, b)", initial="v == root ? 1000 : 0", parameters={"root": 0}
    )
    engine = gp.FrontierEngine(graph(None), FUNCTORS, vertex="i4", default=2**31 - 1, name="levels")

    def rounds():
        front = engine.subset(0)
        engine.vertex_map(engine.subset(True), "start")
        engine.iterate("Bfs", front)
        return engine.vertices.tolist()

    sums = _chain()
    rows = np.arange(0, 41, 4, dtype=np.uint64)
    arrays = {"rows": rows, "values": np.ones(40, np.float32), "sums": np.zeros(10, np.float32)}
    return {
        "Algorithm": lambda: plain(widest(graph())),
        "FrontierEngine": rounds,
        "Chain.run": lambda: sums.run(**arrays).arrays["sums"].tolist(),
    }


def compiling_calls(number=[0]):  # noqa: B006
    """One that compiles anew each time."""

    def make():
        number[0] += 1
        text = f"{number[0]} + {os.getpid()} - {os.getpid()} - {number[0]}"
        gp.Algorithm("fresh", gather="a + b", initial=text).compile()

    return {"Algorithm.compile": make}


def _chain():
    chain = gp.Chain("sums")
    for name, dtype in (("rows", "uint64"), ("values", "float32"), ("sums", "float32")):
        chain.array(name, dtype)
    chain.add("for_all_prop_rdr", rows="rows", values="values", sets="sets", lines="lines")
    chain.add("NbrPropRed", sets="sets", lines="lines", out="new", functor=gp.Chain.SUM)
    chain.add("elem_update", updates="new", values="sums")
    return chain


def _built(chain, folder):
    return chain.build("u250", folder / "built_chain", force=True)


def _drawn(result):
    """Count what plot() makes; how matplotlib lays it out and writes it is matplotlib's own."""
    import matplotlib

    matplotlib.use("Agg")
    axes = result.plot()
    matplotlib.pyplot.close(axes.figure)
    return len(axes.get_children())


def _on_ranks(work):
    """What two ranks find, which are threads; a rank that fails ends the others, with an error that names it."""
    found = on_ranks(2, work)
    errors = [each for each in found if isinstance(each, BaseException)]
    own = [each for each in errors if isinstance(each, (MemoryError, gp.CapacityError, OSError))]
    if errors:
        raise (own or errors)[0]
    return found


def _accelerator():
    with gp.Accelerator("bfs", device="emulator") as accelerator:
        accelerator.acceleratorDataLoad(graph())
        accelerator.acceleratorDataPreprocess(root=0)
        accelerator.acceleratorProfile()
        return accelerator.result().depth.tolist()


def _checkpointed(folder):
    with contextlib.suppress(FileNotFoundError):
        for each in sorted((folder / "state").rglob("*"), reverse=True):
            each.rmdir() if each.is_dir() else each.unlink()
    given = {"tol": 0, "max_iter": 6, "number": "float64"}
    gp.pagerank(graph(), checkpoint=folder / "state", every=2, **given)
    return gp.pagerank(graph(), resume=folder / "state", **given)
