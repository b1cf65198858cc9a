# SPDX-License-Identifier: Apache-2.0
"""What the ports of an accelerator of GraphOps' blocks moved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .prediction import Prediction

BEAT_BYTES = 64
_LEAST_SHARE = 0.5  # of the cycles, that a block or a port must be busy to be called the limit
_SAME = 0.95
_WAITS = ("waited_in", "waited_out", "waited_memory")


class BlockReport:
    """Report of a run with `design="graphops"`: `result.stats.blocks`. `print` shows all of it as a table.

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
    tasks : numpy.ndarray
        A record per task of the kernel's blocks: its `name`, and as shares of the kernel's cycles how long it was
        `busy`, and stalled: `waited_in` for a stream that was empty, `waited_out` for one that was full,
        `waited_memory`. Empty where the run had no clocks.
    streams : numpy.ndarray
        A record per stream: `name`, `depth`, `most` tokens held at once, `tokens` that went through, cycles in which
        it was empty or full: `reader_waited`, `writer_waited`. Empty where the run had no clocks.
    host_seconds : float
        In which the host applied what was gathered and copied properties along the edges: measured, not predicted.

    """

    kernel: str
    edges: int
    cycles: int
    ports: NDArray[np.void]
    tasks: NDArray[np.void]
    streams: NDArray[np.void]
    host_seconds: float

    def __init__(self, values: dict[str, Any], prediction: Prediction | None = None) -> None:
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
        fields = ("busy", *_WAITS)
        tasks: Any = [] if prediction is None else prediction.stages
        self.tasks = np.array(
            [(task["stage"], *(task[field] for field in fields)) for task in tasks],
            [("name", "U32"), *((field, "f8") for field in fields)],
        )
        numbers = ("depth", "most", "tokens", "reader_waited", "writer_waited")
        streams: Any = [] if prediction is None else prediction.streams
        self.streams = np.array(
            [(stream["name"], *(stream[field] for field in numbers)) for stream in streams],
            [("name", "U32"), *((field, "i8") for field in numbers)],
        )

    @property
    def bytes_per_edge(self) -> float:
        """Bytes that all ports together moved for an edge."""
        return float(self.ports["bytes_per_edge"].sum())

    @property
    def limit(self) -> str:
        """What limits the kernel: the block that is busy, or the port that is used, most of the time.

        A block's name, or "port replicas"; "latency" where nothing is busy half of the time; empty without clocks.
        """
        if not len(self.tasks):
            return ""
        block = max((task for task in self.tasks if not task["name"].startswith("mem_")), key=lambda task: task["busy"])
        port = self.ports[np.argmax(self.ports["share"])]
        if max(block["busy"], port["share"]) < _LEAST_SHARE:
            return "latency"
        is_port = port["share"] >= _SAME * block["busy"]  # the block that takes its lines is as busy
        return f"port {port['name']}" if is_port else str(block["name"])

    def __repr__(self) -> str:
        rows = [
            f"  {port['name']:<12}{port['beats']:>12,} beats {port['bytes_per_edge']:>8.2f} bytes per edge "
            f"{100 * port['share']:>6.1f} % of the port's limit"
            for port in self.ports
        ]
        head = f"BlockReport({self.kernel}: {self.edges:,} edges in {self.cycles:,} cycles"
        if not len(self.tasks):
            return "\n".join([f"{head})", *rows])
        rows.append(f"  {'stalls, in % of the cycles':<32}{'busy':>7}{'input':>7}{'output':>7}{'memory':>7}")
        for task in self.tasks:
            shares = "".join(f"{100 * task[field]:>7.1f}" for field in ("busy", *_WAITS))
            rows.append(f"  {task['name']:<32}{shares}")
        return "\n".join([f"{head}, limited by {self.limit})", *rows])
