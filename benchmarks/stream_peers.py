# SPDX-License-Identifier: Apache-2.0
"""Programs that run over edges on disk, built from their sources, on the edges of a graph of ours.

GridGraph: `make`; it needs `-include functional` with today's compilers. GraphChi: `make sharder_basic
example_apps/pagerank example_apps/connectedcomponents`; it has no breadth-first search.
"""

from __future__ import annotations

import os
import re
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from machine import require

np = require("numpy")
INITIAL = 1  # GraphChi's first step writes the initial values


class Peer(ABC):
    """A program: `folder` has its sources and what was built of them."""

    def __init__(self, folder: str, scratch: Path, megabytes: int) -> None:
        self.folder, self.scratch, self.megabytes = Path(folder), scratch / type(self).__name__, megabytes
        self.scratch.mkdir()

    @abstractmethod
    def convert(self, graph: Any) -> None:
        """Make its own files."""

    @abstractmethod
    def seconds(self, algorithm: str, steps: int, root: int) -> float | None:
        """How long it says that it took; None for an algorithm that it does not have."""

    def files(self) -> list[Path]:
        """Files that it reads."""
        return [path for path in self.scratch.rglob("*") if path.is_file()]

    def run(self, program: str, *arguments: Any) -> str:
        command = [str(self.folder / "bin" / program), *map(str, arguments)]
        place = {**os.environ, "GRAPHCHI_ROOT": str(self.folder)}
        done = subprocess.run(command, capture_output=True, check=True, cwd=self.scratch, env=place)
        return done.stdout.decode(errors="replace")


class GridGraph(Peer):
    """Takes no less than 1 GB."""

    PARTITIONS = 8  # a side

    def convert(self, graph: Any) -> None:
        sources = np.repeat(np.arange(graph.num_vertices, dtype=np.int32), graph.out_degrees())
        pairs = self.scratch / "pairs"
        np.stack([sources, graph.indices.astype(np.int32)], axis=1).tofile(pairs)
        size = ["-v", graph.num_vertices, "-p", self.PARTITIONS]
        self.run("preprocess", "-i", pairs, "-o", self.scratch / "grid", *size, "-t", 0)
        pairs.unlink()

    def seconds(self, algorithm: str, steps: int, root: int) -> float | None:
        arguments = {"pagerank": [steps], "bfs": [root], "wcc": []}[algorithm]
        text = self.run(algorithm, self.scratch / "grid", *arguments, max(1, round(self.megabytes / 1024)))
        return float(re.findall(r"([\d.]+) seconds", text)[-1])


class GraphChi(Peer):
    """Shards are made in the first run of each program, from text: it takes its own binary lists for cut short."""

    def convert(self, graph: Any) -> None:
        text = self.scratch / "edges.txt"
        graph.to_file(text, format="edge_list")
        for name in ("pagerank", "wcc"):
            (self.scratch / name).mkdir()
            os.link(text, self.scratch / name / "edges")
            self.seconds(name, 1, 0)
            (self.scratch / name / "edges").unlink()
        text.unlink()

    def seconds(self, algorithm: str, steps: int, root: int) -> float | None:
        programs = {"pagerank": ("pagerank", ["niters", steps + INITIAL]), "wcc": ("connectedcomponents", [])}
        if algorithm not in programs:
            return None
        program, arguments = programs[algorithm]
        common = ["filetype", "edgelist", "membudget_mb", self.megabytes, "execthreads", os.cpu_count(), "quiet", 1]
        text = self.run(f"example_apps/{program}", "file", self.scratch / algorithm / "edges", *arguments, *common)
        return float(re.findall(r"runtime:\s+([\d.]+)", text)[-1])
