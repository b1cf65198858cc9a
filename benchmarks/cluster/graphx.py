# SPDX-License-Identifier: Apache-2.0
"""Spark's GraphX in local mode: PySpark's jars, and a program of ours, compiled by the Scala compiler among them."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import selectors
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from cluster.jobs import Job
from cpu.peer import Absent, Failed
from machine import require

np = require("numpy")
SECONDS = 300  # of a request, then it has failed


class GraphX:
    """One JVM with a thread for each of `threads`; graphs are kept in memory, two copies, one for components."""

    name = "GraphX"

    def __init__(self, folder: str | None, threads: int, memory: str, scratch: Path) -> None:
        home = folder_of_pyspark(folder)
        if shutil.which("java") is None:
            raise Absent("no java; Debian's openjdk-17-jre-headless")
        jar = scratch / "graphx.jar"
        compiler = ["java", "-cp", f"{home}/jars/*", "scala.tools.nsc.Main", "-usejavacp", "-d", str(jar)]
        done = subprocess.run(
            [*compiler, str(Path(__file__).with_name("graphx_peer.scala"))], capture_output=True, text=True
        )
        if done.returncode:
            raise Failed(f"the Scala compiler: {done.stdout[-500:]}{done.stderr[-500:]}")
        settings = {"spark.ui.enabled": "false", "spark.local.dir": str(scratch / "spark")}
        self.scratch = scratch
        self.job = Job(
            [
                str(home / "bin" / "spark-submit"), "--master", f"local[{threads}]", "--driver-memory", memory,
                *(text for key, value in settings.items() for text in ("--conf", f"{key}={value}")),
                "--class", "GraphXPeer", str(jar),
            ],
            scratch / "graphx.log",
            env={**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._unread = b""
        try:
            self.version = self._line().partition("version ")[2]
        except Failed:
            self.close()
            raise

    def load(self, graph: Any) -> None:
        """Hand it the edges of a symmetric graph."""
        pairs = pairs_of(graph)
        both, once = self.scratch / "directed", self.scratch / "undirected"
        pairs.tofile(both)
        pairs[pairs[:, 0] < pairs[:, 1]].tofile(once)
        self._ask("load", both, once, graph.num_vertices)

    def seconds(self, algorithm: str, steps: int, root: int) -> float:
        return self._ask(*words_of(algorithm, steps, root), "-")

    def answer(self, algorithm: str, steps: int, root: int) -> Any:
        """A number for each vertex: the rank, as GraphX scales it, the least vertex of the component, or the level."""
        path = self.scratch / "answer"
        self._ask(*words_of(algorithm, steps, root), path)
        return np.fromfile(path, np.float64)

    def _ask(self, *words: object) -> float:
        try:
            self.job.process.stdin.write(("\t".join(map(str, words)) + "\n").encode())
            self.job.process.stdin.flush()
        except OSError:
            raise Failed(f"GraphX has ended: {self.job.errors()}") from None
        return float(self._line().partition("seconds ")[2])

    def _line(self) -> str:
        end = time.monotonic() + SECONDS
        with selectors.DefaultSelector() as ready:
            ready.register(self.job.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._unread:
                if not ready.select(max(0.0, end - time.monotonic())):
                    raise Failed(f"GraphX gives no answer within {SECONDS} s")
                more = os.read(self.job.process.stdout.fileno(), 1 << 16)
                if not more:
                    raise Failed(f"GraphX has ended: {self.job.errors()}")
                self._unread += more
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.job.process.stdin.close()  # it ends at the end of its input
        self.job.end()


def folder_of_pyspark(folder: str | None) -> Path:
    """Where PySpark is: a folder that is given, or the package that Python finds."""
    if folder is None:
        found = importlib.util.find_spec("pyspark")
        if found is None or found.origin is None:
            raise Absent("no pyspark; pip install pyspark, or --spark DIR of one that is elsewhere")
        folder = str(Path(found.origin).parent)
    home = Path(folder).expanduser().resolve()
    if not list(home.glob("jars/spark-graphx_*.jar")):
        raise Absent(f"no jars/spark-graphx_*.jar in {home}")
    return home


def words_of(algorithm: str, steps: int, root: int) -> list[object]:
    """What the program is asked."""
    return {"pagerank": ["pagerank", steps], "wcc": ["components"], "bfs": ["bfs", root]}[algorithm]


def pairs_of(graph: Any) -> Any:
    """Edges as rows of source and destination, 32 bits each."""
    pairs = np.empty((graph.num_edges, 2), np.uint32)
    pairs[:, 0] = np.repeat(np.arange(graph.num_vertices, dtype=np.uint32), graph.out_degrees())
    pairs[:, 1] = graph.indices
    return pairs
