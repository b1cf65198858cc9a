# SPDX-License-Identifier: Apache-2.0
"""What arrays of PEs tell, in the emulator besides their predictions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


class _Profile:
    step: ClassVar[str]  # what a super-step is called
    workers: int
    capacity: int
    clock_mhz: float
    edges: int

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    @property
    def step_cycles(self) -> NDArray[np.uint64]:
        """Cycles by super-step."""
        raise NotImplementedError

    @property
    def kernel_cycles(self) -> int:
        """Cycles of all launches; 0 where the run had no clocks."""
        return int(self.step_cycles.sum())

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
        return f"{type(self).__name__}({told})"


class PeArrayProfile(_Profile):
    """Profile of `gp.bfs(..., method="local_store", device="emulator:u250")`: `result.stats.pe_array`.

    That of `method="direction_optimizing"`, whose PEs also pull, is alike, of custom algorithms too. On a card, which
    has no clocks to read, a kernel that also pulls goes through all levels in one launch, whose time is that of the
    first super-step; with `progress`, and of custom algorithms, a launch is a level.

    Attributes
    ----------
    workers : int
        PEs that shared the vertices.
    capacity : int
        Vertices of a PE that the board's UltraRAM has room for, or that the kernel of a card was built for.
    lists_bytes : int
        Memory of the board that the lists take, split by owner; if the PEs also pull, with the rows of sources.
    parent : numpy.ndarray
        (num_vertices,) int64: the vertex that each was found from by the PEs, that of a root is itself; -1 where
        unreached, or where it does not send. `gp.bfs(..., parents=True)` has the smallest of those there are.
    level_pulled : numpy.ndarray
        (num_supersteps,) bool: the levels that were pulled; False of those that were pushed.
    level_cycles : numpy.ndarray
        Cycles of the kernel by level, without starting it; empty where the run had no clocks. A launch is a level, or
        all levels of a `gp.bfs` that also pulls.
    clock_mhz : float
        Clock of the board, MHz.
    edges : int
        Edges of the vertices reached: all that PEs load that push. Those that pull look at a part of them
        (`result.stats.edges_streamed`).
    """

    step = "level"
    lists_bytes: int
    parent: NDArray[np.int64]
    level_pulled: NDArray[np.bool_]
    level_cycles: NDArray[np.uint64]

    @property
    def step_cycles(self) -> NDArray[np.uint64]:
        """Cycles by super-step."""
        return self.level_cycles


class PePathsProfile(_Profile):
    """Profile of `gp.sssp(..., method="delta_stepping", device="emulator:u280")`: `result.stats.pe_array`.

    On a card the kernel goes through all phases in one launch, which is one super-step: the vertices that were reached,
    and their edges. With `progress` a launch is a phase.

    Attributes
    ----------
    workers : int
        PEs that shared the vertices.
    capacity : int
        Vertices of a PE that the board's UltraRAM has room for, or that the kernel of a card was built for.
    rows_bytes : int
        Memory of the board that the rows of edges take, and where each begins.
    width : int or float
        Of the first bucket: how much of distance it has, of the type of the weights. The kernel widens those that send
        little, and narrows those that send much again and again.
    num_buckets : int
        Buckets that had a vertex; 0 of a card's kernel that went through by itself.
    phase_cycles : numpy.ndarray
        (num_supersteps,) uint64: cycles of the kernel by phase, without starting it; empty where the run had no clocks.
        A bucket takes a phase, and another one as long as vertices come nearer within it.
    clock_mhz : float
        Clock of the board, MHz.
    edges : int
        Edges of the vertices reached. PEs load those of a vertex as often as it is sent
        (`result.stats.edges_streamed`).
    """

    step = "phase"
    rows_bytes: int
    width: float
    num_buckets: int
    phase_cycles: NDArray[np.uint64]

    @property
    def step_cycles(self) -> NDArray[np.uint64]:
        """Cycles by super-step."""
        return self.phase_cycles
