# SPDX-License-Identifier: Apache-2.0
"""What the ports of an accelerator of GraphOps' blocks moved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BEAT_BYTES = 64


class BlockReport:
    """Report of a run with `design="graphops"`: `result.stats.blocks`.

    Attributes
    ----------
    kernel : str
        The accelerator, a file of hls/kernel.
    edges : int
        Edges of the sets that the blocks read, in all super-steps.
    cycles : int
        Of the kernel, in all super-steps; 0 where the run had no clocks.
    ports : numpy.ndarray
        A record per port of memory: its `name`, the `bank` it leads to, `beats` of 64 bytes that its memory unit
        counted, `bytes_per_edge`, and the `share` of what the port can carry in the run's cycles, a beat a cycle or
        what a bank delivers if that is less. Without clocks no beats are counted.
    host_seconds : float
        In which the host applied what was gathered and copied properties along the edges: measured, not predicted.

    """

    kernel: str
    edges: int
    cycles: int
    ports: NDArray[np.void]
    host_seconds: float

    def __init__(self, values: dict[str, Any]) -> None:
        self.kernel = values["kernel"]
        self.edges = values["edges"]
        self.cycles = values["cycles"]
        self.host_seconds = values["host_seconds"]
        most = self.cycles * min(BEAT_BYTES, values["bytes_per_cycle"])
        self.ports = np.array(
            [
                (name, bank, beats, BEAT_BYTES * beats / max(self.edges, 1), BEAT_BYTES * beats / most if most else 0.0)
                for name, bank, beats in values["ports"]
            ],
            [("name", "U16"), ("bank", "i4"), ("beats", "i8"), ("bytes_per_edge", "f8"), ("share", "f8")],
        )

    @property
    def bytes_per_edge(self) -> float:
        """Bytes that all ports together moved for an edge."""
        return float(self.ports["bytes_per_edge"].sum())

    def __repr__(self) -> str:
        rows = [
            f"  {port['name']:<12}{port['beats']:>12,} beats {port['bytes_per_edge']:>8.2f} bytes per edge "
            f"{100 * port['share']:>6.1f} % of the port's limit"
            for port in self.ports
        ]
        head = f"BlockReport({self.kernel}: {self.edges:,} edges in {self.cycles:,} cycles)"
        return "\n".join([head, *rows])
