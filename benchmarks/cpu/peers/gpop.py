# SPDX-License-Identifier: Apache-2.0
"""GPOP: partition-centric scatter and gather. For answers it must be built to write its array to the file PEER_DUMP."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from cpu.answers import STEPS, Answer, Parents, Told
from cpu.peer import Program, locate_below


class Peer(Program):
    name = "GPOP"
    home = "https://github.com/souravpati/GPOP"
    variants: ClassVar = {"bfs": ("bfs",), "sssp": ("sssp",), "pagerank": ("pr",), "wcc": ("cc",)}
    timer = r"^\w+, \d+, .*, ([0-9.]+)$"

    def locate(self, variant: str) -> str | None:
        return locate_below(self.folder, f"{variant}/{variant}")

    def options(self, case: Any, algorithm: str, variant: str, root: int) -> list[object]:
        file = case.file("graphw.csr" if algorithm == "sssp" else "graph.csr")
        more: dict[str, list[object]] = {"bfs": ["-s", root], "sssp": ["-s", root], "pagerank": ["-iter", STEPS]}
        return [file, "-t", self.threads, "-rounds", 3, *more.get(algorithm, [])]

    def checking(self, algorithm: str, variant: str) -> list[object]:
        return ["-rounds", 1]

    def told(self, case: Any, algorithm: str, variant: str, text: str, dump: Path) -> Answer:
        if not dump.exists():
            return Told()
        if algorithm == "pagerank":
            return np.fromfile(dump, np.float32) * np.maximum(np.diff(case.indptr), 1) / case.num_vertices
        words = np.fromfile(dump, np.uint32).astype(np.int64)
        words[words >= 2**31] = -1  # unreached
        return Parents(words) if algorithm == "bfs" else words
