# SPDX-License-Identifier: Apache-2.0
"""The GAP Benchmark Suite: direction-optimising BFS, delta-stepping, Afforest; Jacobi and Gauss-Seidel PageRank."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, ClassVar

from cpu.answers import STEPS, Answer, Told
from cpu.peer import Program

_TITLES = {"bfs": "breadth-first", "sssp": "shortest-path", "pr": "pagerank", "cc": "connected-components"}


class Peer(Program):
    name = "GAPBS"
    home = "https://github.com/sbeamer/gapbs"
    variants: ClassVar = {"bfs": ("bfs",), "sssp": ("sssp",), "pagerank": ("pr_spmv", "pr"), "wcc": ("cc", "cc_sv")}
    tunes_delta = True
    timer = r"^Trial Time:\s+(\S+)"

    def locate(self, variant: str) -> str | None:
        path = shutil.which(variant, path=self.folder)
        if path is None:
            return None
        # coreutils has a `pr` too: ask before believing.
        title = subprocess.run([path, "-h"], capture_output=True, text=True).stdout.partition("\n")[0]
        return path if _TITLES[variant.partition("_")[0]] in title else None

    def options(self, case: Any, algorithm: str, variant: str, root: int) -> list[object]:
        file = case.file("graph.wsg" if algorithm == "sssp" else "graph.sg")
        more: dict[str, list[object]] = {
            "bfs": ["-r", root],
            "sssp": ["-r", root, "-d", self.delta],
            "pagerank": ["-i", STEPS, "-t", 0],
        }
        return ["-f", file, "-n", 3, *more.get(algorithm, [])]

    def checking(self, algorithm: str, variant: str) -> list[object]:
        # -n 1: the first run's levels. Gauss-Seidel's ranks after a few steps are its own: it shows the fixed point.
        more = {"bfs": ["-l", "-v"], "pr_spmv": ["-a"], "pr": ["-i", 1000, "-t", 1e-5, "-v"]}
        return ["-n", 1, *more.get(variant, ["-a", "-v"])]

    def told(self, case: Any, algorithm: str, variant: str, text: str, dump: Path) -> Answer:
        verified = "PASS" in text if variant != "pr_spmv" else None
        levels = [1, *(int(size) for size in re.findall(r"^ +(?:td|bu) +(\d+) ", text, re.M) if size != "0")]
        reached = re.search(r"reaches (\d+) nodes", text)
        components = re.search(r"There are (\d+) components", text)
        ranks = {int(v): float(rank) for v, rank in re.findall(r"^(\d+):(\S+)$", text, re.M)}
        return Told(
            levels=levels if algorithm == "bfs" else None,
            reached=int(reached[1]) if reached else None,
            components=int(components[1]) if components else None,
            ranks=ranks if variant == "pr_spmv" else None,
            verified=verified,
        )
