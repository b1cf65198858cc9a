# SPDX-License-Identifier: Apache-2.0
"""What a peer is. Every module of `peers/` holds one, as a class `Peer` of one of the two kinds below.

A `Program` is a native command: started anew for every turn, it reads the graph from a file and times itself. A
`Library` is called from Python: it lives in a process of its own (worker.py), with the graph built once for kernel
times, and anew in every whole call.
"""

from __future__ import annotations

import atexit
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple

from cpu.answers import Answer, Told
from machine import Others, compiler_of

ALGORITHMS = ("bfs", "sssp", "pagerank", "wcc", "spmv32", "spmv64")
# Prints the peak memory of a command, MiB. A small process must start it: what is inherited over fork and exec counts.
_LAUNCHER = """
import os, signal, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
signal.alarm(int(sys.argv[1]))
_, status, usage = os.wait4(pid, 0)
sys.stderr.write(f"\\npeak {usage.ru_maxrss * 1024}")
sys.exit(status != 0)
"""
MOST_SECONDS = 120  # of a turn, then it has failed


class Absent(Exception):
    """The peer is not on this machine; says what was looked for."""


class Failed(Exception):
    """The peer is there, but did not come to an end."""


class Turn(NamedTuple):
    """What one turn gave: seconds of each timed run (per super-step for PageRank), and what was learnt besides."""

    seconds: list[float]
    others: float = 0.0  # share of the CPUs that other processes took meanwhile
    answer: Answer = None
    peak_bytes: int = 0  # of the process; programs only
    extent: Mapping[str, float] = {}


class Program:
    """A native peer. A module fills in the attributes and the four methods without a body."""

    name = ""
    home = ""
    variants: Mapping[str, Sequence[str]] = {}  # by algorithm; usually names of programs
    tunes_delta = False  # SSSP takes a bucket width, to be searched for
    timer = ""  # regular expression of a timed run's seconds
    warm_up = 1  # leading times that do not count

    def __init__(self, folder: str | None, threads: int, built: str | None) -> None:
        self.folder, self.threads, self.built = folder, threads, built
        self.delta = 1  # width of SSSP's buckets
        self.environment = {
            **os.environ,
            **dict.fromkeys(("OMP_NUM_THREADS", "PARLAY_NUM_THREADS", "NUM_THREADS"), str(threads)),
        }
        self.paths = self.find()
        first = next(iter(self.paths.values()))
        self.version = f"{self.built or commit_of(first)}, {compiler_of(first)}"

    def find(self) -> dict[str, str]:
        """Paths of the programs by variant; Absent if there is none."""
        wanted = dict.fromkeys(v for variants in self.variants.values() for v in variants)
        paths = {v: str(Path(path).resolve()) for v in wanted if (path := self.locate(v))}  # they run elsewhere
        if not paths:
            raise Absent(f"no program {', '.join(wanted)} in {self.folder or 'the PATH'}")
        return paths

    def locate(self, variant: str) -> str | None:
        """Path of a variant's program."""
        return shutil.which(variant, path=self.folder)

    def options(self, case: Any, algorithm: str, variant: str, root: int) -> list[object]:
        """Arguments of the program, with the graph's file among them."""
        raise NotImplementedError

    def checking(self, algorithm: str, variant: str) -> list[object]:
        """More arguments, for the run whose answer is compared."""
        return []

    def told(self, case: Any, algorithm: str, variant: str, text: str, dump: Path) -> Answer:
        """What the checking run said of its answer; `dump` is a file that PEER_DUMP names, there if it wrote one."""
        return Told()

    def variants_of(self, algorithm: str) -> list[str]:
        return [v for v in self.variants.get(algorithm, ()) if v in self.paths]

    def turn(self, case: Any, algorithm: str, variant: str, root: int, wants_answer: bool = False) -> Turn:
        command = [self.paths[variant], *map(str, self.options(case, algorithm, variant, root))]
        with tempfile.TemporaryDirectory() as scratch:  # some leave files where they run
            environment, dump = self.environment, Path(scratch, "dump")
            if wants_answer:
                command += map(str, self.checking(algorithm, variant))
                environment = {**environment, "PEER_DUMP": str(dump)}
            with Others() as others:
                done = subprocess.run(
                    [sys.executable, "-ISc", _LAUNCHER, str(MOST_SECONDS), *command],
                    capture_output=True, text=True, env=environment, cwd=scratch, stdin=subprocess.DEVNULL,
                )  # fmt: skip
            found = re.findall(self.timer, done.stdout, re.M)
            if done.returncode or not found:
                raise Failed(f"{' '.join(command)} ({done.returncode}): {(done.stdout + done.stderr)[-300:]!r}")
            peak = int(re.findall(r"peak (\d+)$", done.stderr)[-1])
            answer = self.told(case, algorithm, variant, done.stdout, dump) if wants_answer else None
        seconds = [float(value) / self.steps(algorithm, variant) for value in found]
        return Turn(seconds[self.warm_up :] or seconds, others.share, answer, peak)

    def steps(self, algorithm: str, variant: str) -> int:
        """Super-steps that a printed time stands for."""
        from cpu.answers import STEPS

        return STEPS if algorithm == "pagerank" else 1


class Library:
    """A peer called from Python. Methods run in its worker, but for the constructor's checks in the main process."""

    name = ""
    home = ""
    module = ""  # what to import
    variants: Mapping[str, Sequence[str]] = {}
    whole: Mapping[str, str] = {}  # by algorithm: the variant that a whole call takes
    tunes_delta = False
    most_edges = 2**63  # on larger graphs it is left out

    def __init__(self, folder: str | None, threads: int, built: str | None) -> None:
        self.folder, self.threads, self.built = folder, threads, built
        self.delta = 1

    def open(self) -> str:
        """Import what is needed, set the number of threads, return the version; Absent without it."""
        if self.folder:
            sys.path.append(self.folder)
        try:
            self.library = importlib.import_module(self.module)
        except ImportError as error:
            raise Absent(str(error)) from None
        return str(getattr(self.library, "__version__", "unknown version"))

    def build(self, case: Any, algorithm: str) -> Any:
        """The library's own graph, as `kernel` takes it."""
        raise NotImplementedError

    def kernel(self, graph: Any, algorithm: str, variant: str, argument: Any) -> Callable[[], Answer]:
        """Run, and return how to get the answer; everything in here is timed. The argument is a root or a vector."""
        raise NotImplementedError

    def call(self, matrix: Any, algorithm: str, variant: str, argument: Any) -> Answer:
        """From a SciPy CSR matrix and a root or a vector to the answer in a NumPy array."""
        raise NotImplementedError

    def steps(self, algorithm: str, variant: str) -> int:
        """Super-steps of the last run of `kernel`, if times are per super-step."""
        from cpu.answers import STEPS

        return STEPS if algorithm == "pagerank" else 1

    def run(self, graph: Any, algorithm: str, variant: str, argument: Any) -> tuple[float, Callable[[], Answer]]:
        """Seconds, per super-step for PageRank, and how to get the answer."""
        start = time.perf_counter()
        answer = self.kernel(graph, algorithm, variant, argument)
        return (time.perf_counter() - start) / self.steps(algorithm, variant), answer

    def extent(self, algorithm: str) -> dict[str, float]:
        """What is known of the last run: supersteps, edges looked at, and seconds of preparation before the first."""
        return {}


def commit_of(path: str) -> str:
    """The commit of the work tree that a program lies in."""
    done = subprocess.run(
        ["git", "-C", str(Path(path).resolve().parent), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    )
    return done.stdout.strip() or "commit not said"


def peer_classes() -> dict[str, Any]:
    """Every peer of the folder, by its module's name, gaspipe first."""
    from cpu import peers

    names = sorted((m.name for m in pkgutil.iter_modules(peers.__path__)), key=lambda name: (name != "gaspipe", name))
    return {name: importlib.import_module(f"cpu.peers.{name}").Peer for name in names}


def locate_below(folder: str | None, path: str) -> str | None:
    """An executable at `path` below `folder` or a folder in it; such names say too little for the PATH."""
    found = (
        []
        if folder is None
        else [*Path(folder).glob(path), *Path(folder).glob(f"*/{path}"), *Path(folder).glob(f"*/*/{path}")]
    )
    return next((str(file) for file in found if file.is_file() and os.access(file, os.X_OK)), None)


def compile_cpp(source: Path, *options: str) -> str:
    """Path of a program made from a C++ file of ours; it lives as long as this process."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or "c++"
    if shutil.which(compiler.split()[0]) is None:
        raise Absent(f"no C++ compiler {compiler}")
    folder = Path(tempfile.mkdtemp(prefix="gaspipe-benchmark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = folder / source.stem
    command = [
        *compiler.split(),
        "-std=c++17",
        "-O3",
        "-march=native",
        "-fopenmp",
        *options,
        str(source),
        "-o",
        str(program),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Absent(f"{source.name} does not compile: {done.stderr[-300:]}")
    return str(program)
