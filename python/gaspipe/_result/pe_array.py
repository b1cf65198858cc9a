# SPDX-License-Identifier: Apache-2.0
"""What a search by an array of PEs in the emulator tells besides its prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class PeArrayProfile:
    """Profile of `gp.bfs(..., method="local_store", device="emulator:u250")`: `result.stats.pe_array`.

    That of `method="direction_optimizing"`, whose PEs also pull, is alike.

    Attributes
    ----------
    workers : int
        PEs that shared the vertices.
    capacity : int
        Vertices of a PE that the board's UltraRAM has room for.
    lists_bytes : int
        Memory of the board that the lists take, split by owner; if the PEs also pull, with the rows of sources.
    parent : numpy.ndarray
        (num_vertices,) int64: the vertex that each was found from by the PEs, that of the root is itself; -1 where
        unreached. `gp.bfs(..., parents=True)` has the smallest of those there are.
    level_pulled : numpy.ndarray
        (num_supersteps,) bool: the levels that were pulled; False of those that were pushed.
    level_cycles : numpy.ndarray
        Cycles of the kernel by level, without starting it; empty where the run had no clocks. A launch is a level, or
        all levels of a search that also pulls.
    clock_mhz : float
        Clock of the board, MHz.
    edges : int
        Edges of the vertices reached: all that PEs load that push. Those that pull look at a part of them
        (`result.stats.edges_streamed`).
    """

    workers: int
    capacity: int
    lists_bytes: int
    parent: NDArray[np.int64]
    level_pulled: NDArray[np.bool_]
    level_cycles: NDArray[np.uint64]
    clock_mhz: float
    edges: int

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    @property
    def kernel_cycles(self) -> int:
        """Cycles of all launches; 0 where the run had no clocks."""
        return int(self.level_cycles.sum())

    @property
    def kernel_seconds(self) -> float:
        """Predicted time of the kernel alone; NaN where the run had no clocks.

        `result.stats.predicted_seconds` has the time to launch it and the host's between launches besides.
        """
        return self.kernel_cycles / (self.clock_mhz * 1e6) if self.kernel_cycles else float("nan")

    @property
    def edges_per_second(self) -> float:
        """Predicted edges per second of the kernel: `edges` / `kernel_seconds`."""
        return self.edges / self.kernel_seconds

    def __repr__(self) -> str:
        told = f"workers={self.workers}, edges={self.edges}"
        if self.kernel_cycles:
            told += f", kernel_cycles={self.kernel_cycles}, edges_per_second={self.edges_per_second:.4g}"
        return f"PeArrayProfile({told})"
