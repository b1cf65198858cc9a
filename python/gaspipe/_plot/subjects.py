# SPDX-License-Identifier: Apache-2.0
"""What pictures need of a result, a run and a prediction; `gp.Result`, `gp.Stats` and `gp.Prediction` have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Prediction(Protocol):
    """What a run would take on a board."""

    board: str
    config: str
    clock_mhz: float
    num_units: int
    peak_bytes_per_second: float

    @property
    def bytes_per_edge(self) -> float: ...
    @property
    def streamed_mteps(self) -> float: ...
    @property
    def stages(self) -> NDArray[np.void]: ...
    @property
    def limiting_stage(self) -> str: ...
    @property
    def pe_updates(self) -> NDArray[np.int64]: ...
    @property
    def pe_load(self) -> float: ...


class Profile(Protocol):
    """Profile of a search by workers with local stores."""

    workers: int
    hide_latency: bool
    trace: NDArray[np.void] | None


class Domain(Protocol):
    """What a domain of a run did."""

    rank: int
    device: str
    supersteps: NDArray[np.void]

    @property
    def bytes_sent(self) -> int: ...


class BlockReport(Protocol):
    """What an accelerator of GraphOps' blocks did."""

    kernel: str
    cycles: int
    ports: NDArray[np.void]
    tasks: NDArray[np.void]
    streams: NDArray[np.void]

    @property
    def limit(self) -> str: ...


class Stats(Protocol):
    """How a run went."""

    device: str
    board: str
    converged: bool
    seconds: float
    num_supersteps: int

    @property
    def supersteps(self) -> NDArray[np.void]: ...
    @property
    def prediction(self) -> Prediction | None: ...
    @property
    def local_store(self) -> Profile | None: ...
    @property
    def blocks(self) -> BlockReport | None: ...
    @property
    def domains(self) -> Sequence[Domain]: ...


class Result(Protocol):
    """An answer: one value per vertex, or per `row`."""

    algorithm: str
    field: str
    values: NDArray[Any]

    @property
    def row(self) -> str: ...
    @property
    def stats(self) -> Stats: ...
