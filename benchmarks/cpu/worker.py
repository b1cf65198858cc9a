# SPDX-License-Identifier: Apache-2.0
"""A process for each library, so that none shares memory, threads or an OpenMP runtime with another."""

from __future__ import annotations

import atexit
import importlib
import os
import socket
import subprocess
import sys
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from cpu.graphs import Case
from cpu.peer import MOST_SECONDS, Absent, Failed, Turn
from machine import Others, reset_peak, resident_bytes

TURN_SECONDS = 0.15  # a turn repeats short runs for so long, or ten times
SLOW = 1.0  # seconds; a run that takes longer needs no warm-up
_VECTORS = {"spmv32": "float32", "spmv64": "float64"}


def _same_graph(algorithm: str) -> str:
    """Algorithms that take the same build of a graph."""
    return algorithm if algorithm == "sssp" or algorithm in _VECTORS else "unweighted"


def turn_of(run: Any) -> Turn:
    """Repeat after one warm-up, unless that is slow itself; `run` returns seconds and how to get the answer."""
    with Others() as others:
        taken, answer = run()
    if taken > SLOW:
        return Turn([taken], others.share, answer)
    seconds: list[float] = []
    with Others() as others:
        start = time.perf_counter()
        while len(seconds) < 10 and (not seconds or time.perf_counter() - start < TURN_SECONDS):
            taken, answer = run()
            seconds.append(taken)
    return Turn(seconds, others.share, answer)


class Worker:
    """What runs in the process."""

    def __init__(self, peer: Any) -> None:
        self.peer, self.version = peer, peer.open()
        self.case: Any = None
        self.graphs: dict[str, tuple[Any, float]] = {}

    def load(self, name: str, folder: str) -> None:
        self.graphs.clear()
        self.case = Case(name, folder)

    def build(self, algorithm: str) -> float:
        """Build the library's graph unless it is there; seconds it took."""
        key = _same_graph(algorithm)
        if key not in self.graphs:
            start = time.perf_counter()
            graph = self.peer.build(self.case, algorithm)
            self.graphs[key] = graph, time.perf_counter() - start
        return self.graphs[key][1]

    def kernel(self, algorithm: str, variant: str, root: int, delta: int, wants_answer: bool) -> Turn:
        self.peer.delta = delta
        self.build(algorithm)
        graph = self.graphs[_same_graph(algorithm)][0]
        argument = self._argument(algorithm, root)
        turn = turn_of(lambda: self.peer.run(graph, algorithm, variant, argument))
        return turn._replace(answer=turn.answer() if wants_answer else None, extent=self.peer.extent(algorithm))

    def _argument(self, algorithm: str, root: int) -> Any:
        return self.case.vector(_VECTORS[algorithm]) if algorithm in _VECTORS else root

    def whole(self, algorithm: str, root: int, wants_answer: bool) -> Turn:
        matrix, argument = self.case.matrix(_VECTORS.get(algorithm, "int32")), self._argument(algorithm, root)

        def run() -> tuple[float, Any]:
            start = time.perf_counter()
            answer = self.peer.call(matrix, algorithm, self.peer.whole[algorithm], argument)
            return time.perf_counter() - start, answer

        turn = turn_of(run)
        return turn if wants_answer else turn._replace(answer=None)

    def peak(self, algorithm: str, variant: str, root: int) -> int:
        """Most memory of one call with its matrix, beyond what the process held after its imports; bytes.

        A whole call where there is one, by the kernel of `variant`, else building the graph and one run.
        """
        import scipy.sparse  # noqa: F401  the matrix is SciPy's: no library pays for importing that

        before = resident_bytes("VmRSS" if reset_peak() else "VmHWM")
        if algorithm in self.peer.whole:
            matrix = self.case.matrix({"sssp": "int32"}.get(algorithm, _VECTORS.get(algorithm)))
            self.peer.call(matrix, algorithm, variant, self._argument(algorithm, root))
        else:
            graph = self.peer.build(self.case, algorithm)
            self.peer.run(graph, algorithm, variant, self._argument(algorithm, root))
        return resident_bytes("VmHWM") - before

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the peer's own with its graph, for what only one peer is asked."""
        return getattr(self.peer, method)(self.case, *arguments)


class Remote:
    """A library in its worker, seen from the main process: the same methods as a `Program` where it has them."""

    def __init__(self, module: str, kind: Any, folder: str | None, threads: int, built: str | None) -> None:
        self._arguments = (module, kind, folder, threads, built)
        self.kind, self.name, self.home = kind, kind.name, kind.home
        self.tunes_delta, self.delta = kind.tunes_delta, 1
        self._case: Any = None
        self._start()

    def _start(self) -> None:
        module, _, folder, threads, built = self._arguments
        # Instead of a folder an option may name another Python, for a library that ours cannot import.
        is_python = folder is not None and Path(folder).is_file()
        command = [folder if is_python else sys.executable, __file__, module, "" if is_python else folder or ""]
        ours, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [*command, str(threads), built or "", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},  # read when a library is loaded
        )
        atexit.register(self._process.kill)
        theirs.close()
        self._pipe = Connection(ours.detach())
        self.version = self._answer()

    def _answer(self) -> Any:
        try:
            if not self._pipe.poll(MOST_SECONDS):
                raise TimeoutError(f"no answer within {MOST_SECONDS} s")
            kind, value = self._pipe.recv()
        except (EOFError, OSError) as error:  # OSError: TimeoutError and broken pipes
            self._process.kill()
            self.close()
            raise Failed(f"{error or 'it died'}, exit code {self._process.returncode}") from None
        if kind != "ok":
            raise (Absent if kind == "absent" else Failed)(value)
        return value

    def call(self, *request: Any) -> Any:
        """Have a method of the worker run, and return what it returned."""
        if self._process.poll() is not None:  # it failed before
            self._start()
            if self._case is not None and request[0] != "load":
                self.load(self._case)
        self._pipe.send(request)
        return self._answer()

    def close(self) -> None:
        self._pipe.close()  # the worker ends at the end of its input
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def load(self, case: Any) -> None:
        self._case = case
        self.call("load", case.name, str(case.folder))

    def variants_of(self, algorithm: str) -> list[str]:
        return list(self.kind.variants.get(algorithm, ()))

    def turn(self, case: Any, algorithm: str, variant: str, root: int, wants_answer: bool = False) -> Turn:
        return self.call("kernel", algorithm, variant, root, self.delta, wants_answer)

    def another(self) -> Remote:
        """The same library in one more process."""
        return Remote(*self._arguments)

    def fresh_peak(self, case: Any, algorithm: str, variant: str, root: int) -> int:
        """Peak memory of a whole call in a process of its own."""
        fresh = self.another()
        try:
            fresh.load(case)
            return fresh.call("peak", algorithm, variant, root)
        finally:
            fresh.close()


def serve(module: str, folder: str, threads: str, built: str, handle: str) -> None:
    """Answer requests until the main process closes the connection: (method of Worker, arguments...)."""
    pipe = Connection(int(handle))
    try:
        worker = Worker(
            importlib.import_module(f"cpu.peers.{module}").Peer(folder or None, int(threads), built or None)
        )
        pipe.send(("ok", worker.version))
    except Absent as error:
        pipe.send(("absent", str(error)))
        return
    while True:
        try:
            method, *arguments = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(("ok", getattr(worker, method)(*arguments)))
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            pipe.send(("failed", f"{type(error).__name__}: {error} ({at.filename}:{at.lineno})"))


if __name__ == "__main__":
    serve(*sys.argv[1:])
