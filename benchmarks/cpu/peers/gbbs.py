# SPDX-License-Identifier: Apache-2.0
"""GBBS. For answers it must be built to write its array to the file PEER_DUMP."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from cpu.answers import STEPS, Answer, Parents, Told
from cpu.peer import Program, locate_below


class Peer(Program):
    name = "GBBS"
    home = "https://github.com/ParAlg/gbbs"
    variants: ClassVar = {
        "bfs": ("BFS",),
        "sssp": ("DeltaStepping",),
        "pagerank": ("PageRank",),
        "wcc": ("CC_SUA", "CC_unite_rem_cas_kout"),  # Connectivity/SimpleUnionAsync; ConnectIt, sampled
    }
    tunes_delta = True
    timer = r'(?:^### Running Time: |"medt" : )([0-9.e+-]+)'

    def locate(self, variant: str) -> str | None:
        return locate_below(self.folder, variant)

    def options(self, case: Any, algorithm: str, variant: str, root: int) -> list[object]:
        file = case.file("graphw.bin" if algorithm == "sssp" else "graph.bin")
        more: dict[str, list[object]] = {
            "bfs": ["-src", root],
            "sssp": ["-w", "-src", root, "-delta", self.delta],
            "pagerank": ["-eps", 0, "-iters", STEPS],
        }
        return ["-s", "-b", "-rounds", 3, *more.get(algorithm, []), *(["-r", 3] if "kout" in variant else []), file]

    def told(self, case: Any, algorithm: str, variant: str, text: str, dump: Path) -> Answer:
        if not dump.exists():
            return Told()
        if algorithm == "pagerank":
            return np.fromfile(dump, np.float64)
        narrow = dump.stat().st_size == 4 * case.num_vertices
        words = np.fromfile(dump, np.uint32 if narrow else np.int64).astype(np.int64)
        words[words >= 2**31 - 1] = -1  # unreached
        return Parents(words) if algorithm == "bfs" else words
