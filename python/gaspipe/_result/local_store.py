# SPDX-License-Identifier: Apache-2.0
"""Where the time of a search by workers with local stores went."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class LocalStoreProfile:
    """Profile of `gp.bfs(..., method="local_store")`: `result.stats.local_store`.

    Attributes
    ----------
    workers : int
        Workers that shared the vertices.
    local_store_bytes : int
        What each of them might use.
    hide_latency : bool
        Whether they loaded and stored beside computing.
    code_bits : int
        Bits of a vertex code, 32 or 64.
    lists_bytes : int
        Of the lists split by owner, in main memory or in the graph's file.
    layout : dict of str to int
        Bytes of a worker's store by part: `bitmap`, `bQ`, `bG`, `bQnext` (both halves each), `Qout`, `Qin` (all of
        them), `transfers` (the DMA list).
    by_worker : numpy.ndarray
        A record per worker: seconds in each step (`fetch`, `gather`, `dispatch`, `all_to_all`, `bitmap`, `commit`) and
        in which its thread had nothing to do (`stall`, shared among the workers of a thread); `periods` in which it
        dispatched lists, `split_periods` that ended because a Qout was full, `edges` that it loaded, `messages` that
        it sent, empty ones too, `codes_sent` in them, `transfers` (DMA lists) and `transfer_entries`, `vertices` that
        it marked, `used_bytes` of its store. Where latency is hidden, what is loaded and stored beside a step counts
        as that step's time.
    trace : numpy.ndarray or None
        With `trace=True`, a record per step of a period: `worker`, `step`, `period`, `iteration`, `begin` and `end` in
        seconds since the search began. In a period k a worker computes iteration k (dispatch, all_to_all, bitmap),
        loads k + 1 (fetch, gather) and stores k - 1 (commit): a load or store lasts from when it is planned until it is
        done.
        The first 262,144 records of every worker are kept.

    """

    workers: int
    local_store_bytes: int
    hide_latency: bool
    code_bits: int
    lists_bytes: int
    layout: dict[str, int]
    by_worker: NDArray[np.void]
    trace: NDArray[np.void] | None

    def __init__(self, values: dict[str, Any]) -> None:
        self._steps: list[str] = values.pop("steps")
        self.by_worker = _records(values.pop("by_worker"))
        columns = values.pop("trace")
        self.trace = None
        if columns is not None:
            columns["step"] = np.array(self._steps)[columns["step"]]
            self.trace = _records(columns)
        self.__dict__.update(values)

    @property
    def step_seconds(self) -> dict[str, float]:
        """Seconds in each of the six steps, of all workers together; waits are apart."""
        return {step: float(self.by_worker[step].sum()) for step in self._steps}

    @property
    def stall_seconds(self) -> float:
        """Seconds in which threads had nothing to do, of all threads together."""
        return float(self.by_worker["stall"].sum())

    @property
    def periods(self) -> int:
        """Periods of all workers together."""
        return self._sum("periods")

    @property
    def edges(self) -> int:
        """Edges loaded; a search that has marked all vertices loads no more."""
        return self._sum("edges")

    @property
    def messages(self) -> int:
        """Messages between workers."""
        return self._sum("messages")

    def _sum(self, name: str) -> int:
        return int(self.by_worker[name].sum())

    def __repr__(self) -> str:
        seconds = self.step_seconds
        busy = sum(seconds.values()) or 1.0
        shares = ", ".join(f"{step} {100 * part / busy:.0f} %" for step, part in seconds.items())
        return (
            f"LocalStoreProfile(workers={self.workers}, local_store_bytes={self.local_store_bytes}, "
            f"periods={self.periods}, edges={self.edges}, {shares}; stalls {self.stall_seconds:.3g} s)"
        )


def _records(columns: dict[str, Any]) -> NDArray[np.void]:
    length = len(next(iter(columns.values())))
    records = np.empty(length, [(name, column.dtype) for name, column in columns.items()])
    for name, column in columns.items():
        records[name] = column
    return records
