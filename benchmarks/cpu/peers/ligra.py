# SPDX-License-Identifier: Apache-2.0
"""Ligra. Its SSSP is Bellman-Ford. For answers it must be built to write its array to the file PEER_DUMP."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from cpu.answers import STEPS, Answer, Parents, Told
from cpu.peer import Program, locate_below


class Peer(Program):
    name = "Ligra"
    home = "https://github.com/jshun/ligra"
    variants: ClassVar = {
        "bfs": ("BFS",),
        "sssp": ("BellmanFord",),
        "pagerank": ("PageRank",),
        "wcc": ("Components", "Components-Shortcut"),
    }
    timer = r"^Running time : ([0-9.e+-]+)"

    def locate(self, variant: str) -> str | None:
        return locate_below(self.folder, variant)

    def options(self, case: Any, algorithm: str, variant: str, root: int) -> list[object]:
        file = case.file("ligraw" if algorithm == "sssp" else "ligra")
        more: dict[str, list[object]] = {"bfs": ["-r", root], "sssp": ["-r", root], "pagerank": ["-maxiters", STEPS]}
        return ["-s", "-b", "-rounds", 3, *more.get(algorithm, []), file]

    def told(self, case: Any, algorithm: str, variant: str, text: str, dump: Path) -> Answer:
        if not dump.exists():
            return Told()
        if algorithm == "pagerank":
            return np.fromfile(dump, np.float64)
        words = np.fromfile(dump, np.uint32).astype(np.int64)
        words[words >= 2**30 - 1] = -1  # unreached: all bits set, or half the greatest int
        return Parents(words) if algorithm == "bfs" else words
