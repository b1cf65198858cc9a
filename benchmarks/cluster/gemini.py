# SPDX-License-Identifier: Apache-2.0
"""Gemini's programs, built from its sources with the MPI that gaspipe's ranks use.

Sources stay as they are but for one line of a copy: a function without a return statement promises a value, which
compilers of today take for code that is never reached. The number of threads is set from outside (gemini_threads.cpp).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from cluster.graphx import pairs_of
from cluster.ranks import OPEN_MPI, tool_of_mpi
from cpu import answers
from cpu.peer import Absent, Failed, commit_of
from machine import compiler_of

PROGRAMS = {"pagerank": "pagerank", "bfs": "bfs", "wcc": "cc"}
FLAGS = ["-O3", "-std=c++11", "-fopenmp", "-march=native", "-w"]  # as in its Makefile, which warns
SECONDS = 300  # of a program, then it has failed
WARM_UP = 1  # leading times that do not count
PAGE = 4096  # vertices; it cuts the graph at multiples of that


class Told(NamedTuple):
    """What a program printed: seconds of its runs, and of its answer what there is."""

    seconds: list[float]
    of_answer: answers.Told
    rank_sum: float | None


class Gemini:
    """Programs of as many ranks, each with one thread; started anew for a turn, in which they run six times."""

    name = "Gemini"

    def __init__(self, folder: str, ranks: int, scratch: Path, mpiexec: str) -> None:
        compiler = tool_of_mpi("mpicxx", str(path) if (path := Path(mpiexec).with_name("mpicxx")).exists() else None)
        sources = copy_of_sources(Path(folder).expanduser().resolve(), scratch / "gemini")
        self.ranks, self.scratch, self.mpiexec = ranks, scratch, mpiexec
        self.num_vertices = 0
        self.programs = {}
        for algorithm, name in PROGRAMS.items():
            program = scratch / f"gemini-{name}"
            threads = str(Path(__file__).with_name("gemini_threads.cpp"))
            command = [compiler, *FLAGS, f"-I{sources}", f"{sources}/toolkits/{name}.cpp", threads, "-lnuma"]
            done = subprocess.run([*command, "-o", str(program)], capture_output=True, text=True)
            if done.returncode:
                raise Absent(f"{name} cannot be built (Debian: libnuma-dev): {done.stderr[-500:]}")
            self.programs[algorithm] = program
        self.version = (
            f"{commit_of(str(Path(folder, 'core')))}, {compiler_of(self.programs['bfs'])}, {' '.join(FLAGS[:-1])}"
        )

    def load(self, graph: Any) -> None:
        """Write the edges of a symmetric graph: all of them, and, for components, each in one direction."""
        if graph.num_vertices < self.ranks * PAGE:
            raise Failed(f"{graph.num_vertices} vertices; {self.ranks} ranks of Gemini need {self.ranks * PAGE}")
        self.num_vertices = graph.num_vertices
        pairs = pairs_of(graph)
        pairs.tofile(self._edges("directed"))
        pairs[pairs[:, 0] < pairs[:, 1]].tofile(self._edges("undirected"))

    def run(self, algorithm: str, steps: int, root: int) -> Told:
        """Run a program; times are what it prints."""
        edges = self._edges("undirected" if algorithm == "wcc" else "directed")
        more = {"pagerank": [steps], "bfs": [root], "wcc": []}[algorithm]
        command = [self.mpiexec, "-n", self.ranks, self.programs[algorithm], edges, self.num_vertices, *more]
        try:
            done = subprocess.run(
                [str(word) for word in command], capture_output=True, text=True, timeout=SECONDS,
                env={**os.environ, **OPEN_MPI, "OMP_NUM_THREADS": "1"}, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Failed(f"Gemini's {algorithm} takes more than {SECONDS} s") from None
        if done.returncode:
            raise Failed(f"Gemini's {algorithm} ({done.returncode}): {(done.stdout + done.stderr)[-500:]}")
        return told_by(algorithm, done.stdout, self.num_vertices)

    def _edges(self, kind: str) -> Path:
        return self.scratch / f"gemini-{kind}"

    def close(self) -> None:
        """Remove the files of edges."""
        for kind in ("directed", "undirected"):
            self._edges(kind).unlink(missing_ok=True)


def copy_of_sources(folder: Path, copy: Path) -> Path:
    """Copy its sources from a work tree, or from a bare git directory, and repair them for compilers of today."""
    if (folder / "toolkits").is_dir():
        for name in ("core", "toolkits"):
            shutil.copytree(folder / name, copy / name)
    else:
        done = subprocess.run(["git", "-C", str(folder), "archive", "HEAD", "core", "toolkits"], capture_output=True)
        if done.returncode:
            raise Absent(f"{folder} has neither Gemini's toolkits/ nor a git history with them")
        copy.mkdir()
        subprocess.run(["tar", "-x", "-C", str(copy)], input=done.stdout, check=True)
    header = copy / "core" / "graph.hpp"
    header.write_text(re.sub(r"\S+ ?\* ?(?=dealloc_vertex_array\()", "void ", header.read_text()))
    return copy


def told_by(algorithm: str, text: str, num_vertices: int) -> Told:
    """Read what a program printed; the answer is that of its last run."""
    seconds = [float(value) for value in re.findall(r"exec_time=([\d.]+)", text)]
    if len(seconds) <= WARM_UP:
        raise Failed(f"Gemini's {algorithm} prints no times: {text[-300:]!r}")
    first = text.partition("exec_time=")[0]
    last = text.rpartition("exec_time=")[2]
    numbers = {name: float(value) for name, value in re.findall(r"(\w+) ?= ?([\d.]+)", last)}
    rank_sum = None
    if algorithm == "bfs":
        levels = [int(count) for count in re.findall(r"active\(\d+\)>=(\d+)", first)]
        told = answers.Told(levels=levels, reached=int(numbers["found_vertices"]))
    elif algorithm == "wcc":
        told = answers.Told(components=int(numbers["components"]))
    else:
        vertex, rank = re.findall(r"pr\[(\d+)\]=([\d.]+)", last)[-1]
        told = answers.Told(ranks={int(vertex): float(rank) / num_vertices})
        rank_sum = numbers["pr_sum"] / num_vertices
    return Told(seconds[WARM_UP:], told, rank_sum)
