# SPDX-License-Identifier: Apache-2.0
"""PCPM: PageRank by partition-centric processing, propagation blocking and pull. It reads GPOP's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from cpu.answers import STEPS, Answer, Told
from cpu.peer import Program, locate_below


class Peer(Program):
    name = "PCPM"
    home = "https://github.com/kartiklakhotia/pcpm"
    variants: ClassVar = {"pagerank": ("pcpm", "propagationBlocking", "pdpr")}
    timer = r"^(?!pre-?processing).*, (?:time = )?([0-9.]+)\s*$"

    def locate(self, variant: str) -> str | None:
        return locate_below(self.folder, f"{variant}/pr")

    def options(self, case: Any, algorithm: str, variant: str, root: int) -> list[object]:
        # One super-step more than asked for is done: before the timed ones, or among them by `pdpr`.
        return [case.file("graph.csr"), self.threads, STEPS - 1]

    def steps(self, algorithm: str, variant: str) -> int:
        return STEPS if variant == "pdpr" else STEPS - 1

    def told(self, case: Any, algorithm: str, variant: str, text: str, dump: Path) -> Answer:
        if not dump.exists():
            return Told()
        rank = np.fromfile(dump, np.float32) / case.num_vertices
        return rank * np.maximum(np.diff(case.indptr), 1) if variant == "pcpm" else rank
