# SPDX-License-Identifier: Apache-2.0
"""MPI ranks of gaspipe beside one process, MPI alone, Spark's GraphX and Gemini, on one machine.

Bars, medians of one run on 2 cores:
- 2 ranks of one thread on Kronecker 22: at least 0.8 of the engine with two threads in one process, PageRank and BFS;
- a super-step whose boxes are empty: at most 2 times mpi4py's Alltoall of counts and Alltoallv of nothing;
- at least 5 times as fast as GraphX (local mode): PageRank, components and BFS on Kronecker 18 and cnr-2000;
- at least as fast as Gemini (2 ranks): the same on Kronecker 22.

All take turns, and every answer is compared: the ranks' with the engine's in one process and with SciPy's PageRank;
GraphX's levels and components with theirs, vertex by vertex; what Gemini prints of its answer (sizes of levels, number
of components) with theirs. GraphX and Gemini lose the rank of vertices without edges, so their ranks are compared with
SciPy's, computed in the same way; GraphX also scales the sum to the number of vertices.
--spark is a folder of PySpark (found by itself where Python can import it; it needs java), --gemini one of Gemini's
sources or of their git history; who is missing is listed as absent. Build gaspipe as a release, or install its wheel.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

from cluster import report, sections
from cluster.gemini import Gemini
from cluster.graphx import GraphX
from cluster.ranks import Ranks, tool_of_mpi
from cpu.peer import Absent, Failed
from machine import compiler_of, facts, load, require, save

gp = require("gaspipe")
require("mpi4py")
CNR = "cnr-2000-sym.graph.xz"


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--scale", type=int, default=22, help="of the Kronecker graph for ranks and Gemini (default 22)"
    )
    parser.add_argument("--small-scale", type=int, default=18, help="of the one for GraphX (default 18)")
    parser.add_argument("--steps", type=int, default=10, help="super-steps of PageRank (default 10)")
    parser.add_argument("--graphx-steps", type=int, default=20, help="beside GraphX (default 20)")
    parser.add_argument("--gemini-steps", type=int, default=5, help="beside Gemini, which makes them six times")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4], metavar="N")
    parser.add_argument("--data", metavar="DIR", help=f"folder with {CNR}")
    parser.add_argument("--spark", metavar="DIR")
    parser.add_argument("--spark-memory", default="8g")
    parser.add_argument("--gemini", metavar="DIR")
    parser.add_argument("--without", nargs="+", default=[], choices=["graphx", "gemini"], help="peers to leave out")
    parser.add_argument("--mpiexec", metavar="FILE", help="default: the one beside Python, else on the PATH")
    parser.add_argument("--rounds", type=int, default=3, help="of ranks beside one process")
    parser.add_argument("--peer-rounds", type=int, default=2, help="beside GraphX and Gemini")
    parser.add_argument("--patience", type=float, default=10, help="seconds to wait for an idle machine")
    parser.add_argument("--folder", metavar="DIR", help="for files (default: temporary)")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--markdown", metavar="FILE", help="write the page of results")
    return parser.parse_args(arguments)


def build_type() -> str:
    """How gaspipe was compiled: what CMake says of an editable installation; wheels are releases."""
    finder = importlib.util.find_spec("_editable_skbc_gaspipe")
    if finder is None or finder.origin is None:
        return "Release (no editable installation)"
    for folder in re.findall(r"'(/[^'\n]+)'", Path(finder.origin).read_text()):
        cache = Path(folder, "CMakeCache.txt")
        if cache.is_file() and (found := re.search(r"^CMAKE_BUILD_TYPE:\w+=(\w*)", cache.read_text(), re.M)):
            return found[1] or "no build type"
    return "unknown"


class Run:
    """All parts of a run; what they find, by section, and who is absent."""

    def __init__(self, scratch: Path, options: argparse.Namespace) -> None:
        self.scratch, self.options = scratch, options
        self.found: dict[str, list[Any]] = {"ranks": [], "exchange": [], "graphx": [], "gemini": []}
        self.absent: dict[str, str] = {}
        self.versions = {"gaspipe": f"{gp.__version__}, {build_type()}, {compiler_of(gp._core.__file__)}"}
        self.what: dict[str, Any] = {
            "cores": os.cpu_count() or 1,
            "scale": options.scale,
            "edges": 0,
            "steps": {"ranks": options.steps, "graphx": options.graphx_steps, "gemini": options.gemini_steps},
        }
        self.mpiexec = tool_of_mpi("mpiexec", options.mpiexec)

    def all(self) -> None:
        with contextlib.ExitStack() as open_jobs:
            jobs = [
                open_jobs.enter_context(contextlib.closing(Ranks(size, self.scratch, self.mpiexec)))
                for size in self.options.ranks
            ]
            self.versions["mpi"] = jobs[0].ask("version")
            pair = next((job for job in jobs if job.size == 2), jobs[0])
            with_cores = [job for job in jobs if job.size <= self.what["cores"]]
            self.found["exchange"] = sections.exchange_of_nothing(with_cores, self.options.patience)
            self.peer("graphx", lambda: self.graphx(pair))
            graph = gp.generate.kronecker(self.options.scale, 16, seed=1)
            graph.prepare("never")  # ranks have no prepared form
            self.what["edges"] = graph.num_edges
            share(graph, jobs, self.scratch)
            start = time.monotonic()
            self.found["ranks"] = sections.beside_one_process(
                graph, jobs, self.what["cores"], self.options.steps, self.scratch, self.options
            )
            spent("ranks", start)
            self.peer("gemini", lambda: self.gemini(graph, pair))

    def peer(self, section: str, run: Callable[[], None]) -> None:
        """Run the part of a peer; one that is not there, or fails, is noted."""
        if section in self.options.without:
            self.absent[section] = "left out"
            return
        start = time.monotonic()
        try:
            run()
        except Absent as reason:
            self.absent[section] = str(reason)
        except Failed as reason:
            self.found[section] = []
            self.absent[section] = f"FAILED: {reason}"
        spent(section, start)

    def graphx(self, job: Ranks) -> None:
        options = self.options
        with contextlib.closing(GraphX(options.spark, job.size, options.spark_memory, self.scratch)) as spark:
            self.versions["GraphX"] = spark.version
            for name, graph in small_graphs(options):
                share(graph, [job], self.scratch)
                self.found["graphx"] += sections.beside_graphx(
                    name, graph, job, spark, options.graphx_steps, self.scratch, options
                )

    def gemini(self, graph: Any, job: Ranks) -> None:
        options = self.options
        if options.gemini is None:
            raise Absent("no --gemini DIR; its sources are github.com/thu-pacman/GeminiGraph")
        with contextlib.closing(Gemini(options.gemini, job.size, self.scratch, self.mpiexec)) as gemini:
            self.versions["Gemini"] = gemini.version
            self.found["gemini"] = sections.beside_gemini(
                f"kron{options.scale}", graph, job, gemini, options.gemini_steps, self.scratch, options
            )


def spent(title: str, start: float) -> None:
    print(f"{title}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


def small_graphs(options: argparse.Namespace) -> Any:
    yield f"kron{options.small_scale}", gp.generate.kronecker(options.small_scale, 16, seed=1)
    if options.data:
        yield "cnr-2000", gp.Graph.from_file(Path(options.data, CNR))


def share(graph: Any, jobs: list[Ranks], scratch: Path) -> None:
    """Have ranks load a graph."""
    start, path = time.monotonic(), scratch / "graph.gaspipe"
    graph.save(path)
    for job in jobs:
        if job.ask("load", str(path)) != graph.num_edges:
            sys.exit(f"{job.size} ranks have loaded another graph")
    path.unlink()
    spent(f"loading {graph.num_edges:,} edges", start)


def main() -> int:
    options = parse()
    before, start = load(), time.monotonic()
    if "Release" not in build_type():
        sys.exit(f"this gaspipe is built as {build_type()}; install its wheel, or build with CMAKE_BUILD_TYPE=Release")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        try:
            run = Run(Path(folder), options)
        except Absent as reason:
            sys.exit(f"{Path(sys.argv[0]).name}: {reason}")
        run.all()
    minutes = (time.monotonic() - start) / 60
    known = facts(**run.versions, load=f"{before} before, {load()} after", took=f"{minutes:.1f} minutes")
    for text in sections_of(run):
        print(f"{text}\n")
    print("\n".join(f"{key}: {value}" for key, value in known.items()))
    if options.markdown:
        command = " ".join(["python benchmarks/mpi_ranks.py", *shown_options(options)])
        Path(options.markdown).write_text(report.page(command, run.found, run.absent, run.what, known))
    save(options.json, {**known, "absent": run.absent, **run.found})
    return 0


def sections_of(run: Run) -> list[str]:
    bars = "\n".join(report.verdicts(run.found))
    return [*report.sections(run.found, run.absent, run.what), bars]


def shown_options(options: argparse.Namespace) -> list[str]:
    """What was asked for, without the paths of this machine."""
    words = []
    for name, value in vars(options).items():
        if value != getattr(parse([]), name) and name not in ("json", "markdown", "folder"):
            is_path = name in ("data", "spark", "gemini", "mpiexec")
            text = name.upper() if is_path else " ".join(map(str, value if isinstance(value, list) else [value]))
            words.append(f"--{name.replace('_', '-')} {text}")
    return words


if __name__ == "__main__":
    sys.exit(main())
