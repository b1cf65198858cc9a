# SPDX-License-Identifier: Apache-2.0
"""How an answer was found."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .blocks import BlockReport
from .domains import DomainReport
from .local_store import LocalStoreProfile
from .pe_array import PeArrayProfile, PePathsProfile
from .prediction import Prediction

_KINDS = np.array(["gas", "push", "pull", "components"])  # in the order of abi::StepKind


class Stats:
    """How a run went.

    Attributes
    ----------
    device : str
        What really ran: "cpu", "emulator" or "fpga".
    execution : str
        How the emulator ran the kernels; empty elsewhere.
    board : str
        The board of the card, or that the emulator stood for; empty elsewhere.
    clock_mhz : int
        Clock of that board's kernels, MHz; 0 elsewhere, or where a card does not say.
    prediction : Prediction or None
        All that the emulator predicts: time, throughput, what limits it; None where the run had no clocks.
    method : str
        "auto", "gas" (the plain pipeline in every super-step), "local_store" (Cell's search), "direction_optimizing"
        (its PEs, which also pull) or "delta_stepping" (PEs that go by buckets of distance).
    local_store : LocalStoreProfile or None
        Profile of a run with method="local_store" on the CPU, else None.
    pe_array : PeArrayProfile, PePathsProfile or None
        Profile of a run with method="local_store", "direction_optimizing" or "delta_stepping" in the emulator, else
        None.
    blocks : BlockReport or None
        What the ports moved in a run with design="graphops", else None.
    domains : list of DomainReport
        What each domain did in a run with `domains=`, or on a list of devices; else empty. Times of the run are then
        those of the slowest domain.
    number : str
        Number format of the run, e.g. "uint32", "float64", "fixed"; empty for an algorithm of the CPU, which has
        neither super-steps nor phases. (One that runs by blocks has a super-step for every run of the kernel.)
    scale_bits : int
        In fixed point, a value is word / 2**scale_bits; else 0.
    attempts : int
        Runs until the number format was wide enough; 1 as a rule.
    resumed_at : int
        Super-steps of the run whose checkpoint this one goes on from, which are not in the log; 0 as a rule.
    num_threads : int
        Threads lent to the engine.
    converged : bool
        False when an iteration ended at its limit, above its tolerance.
    seconds : float
        Engine time: start, super-steps, finish. Preparation is apart.
    phases : dict of str to float
        Where these seconds went: `scatter_gather`, `apply` and `frontier` (the rest of super-steps: the next frontier,
        sums, buffers), all super-steps together; `start` (initial properties), `finish` (answers from properties),
        `control` (between super-steps), `check` (whether the answer fits the number format), `checkpoint`
        (writing those), `earlier_attempts` (in a finer fixed-point scale, which a number did not fit).
    prepare_seconds : float
        Time to make the views and partitions this run needed, and the relabeled form of the graph; about 0 when the
        graph had them.
    prepared : bool
        Whether the run walked the relabeled form of the graph (`Graph.prepare`).
    num_edges : int
        Edges of the view walked.
    capacity, compute_units, partitioner : int, int, str
        Configuration of the partitions.
    library : str
        What drove the card, with its version, e.g. "XRT 2.13.0"; empty elsewhere.
    bytes_to_card, bytes_from_card : int
        Moved by this run between host and card; 0 elsewhere.
    edge_bytes_uploaded : int
        Share of the bytes to the card that are edges: 0 where the graph was there from an earlier call.
    card_calls : dict
        Calls into the card's driver by kind, and bytes moved; zeros elsewhere.
    stream : dict or None
        Of a graph that was loaded with `memory=`: `memory`, the budget; `bytes_read`, of edges, in all super-steps;
        `bytes_from_disk`, those that neither the system's cache had nor the blocks that the run keeps in what the
        budget leaves; `blocks_passed_over`, without active sources;
        `seconds_waited`, for reads, of all threads; `reader`: "io_uring", "pread", or "cache" where nothing came from
        the disk. Else None.
    num_supersteps : int
        Number of super-steps.
    edges_streamed : int
        Edges streamed in all super-steps together.
    edges_skipped : int
        Edges that kernels of an emulator or a card passed over in all super-steps, for nothing new could be sent along
        them (`skip_idle`); 0 on the CPU.
    supersteps : numpy.ndarray
        One record per super-step, with the fields `step` (0, 1, ...), `kind`, `active_vertices` (that sent updates),
        `edges` (streamed or looked at), `scatter_gather_seconds`, `apply_seconds`. Kinds: "gas", all edges through the
        pipeline; "push", the out-edges of the active vertices; "pull", in-edges, of each vertex until no more can
        change it; "components", union-find over all edges. Of a run of more than 65,536 super-steps the first and the
        last 32,768 are kept. Searches on the CPU time super-steps of at most 64 edges together, and each has the mean.
    """

    _FIELDS = ("step", "kind", "active_vertices", "edges", "scatter_gather_seconds", "apply_seconds")

    device: str
    execution: str
    board: str
    clock_mhz: int
    prediction: Prediction | None
    method: str
    local_store: LocalStoreProfile | None
    pe_array: PeArrayProfile | PePathsProfile | None
    blocks: BlockReport | None
    domains: list[DomainReport]
    number: str
    scale_bits: int
    attempts: int
    resumed_at: int
    num_threads: int
    converged: bool
    seconds: float
    phases: dict[str, float]
    prepare_seconds: float
    prepared: bool
    num_edges: int
    num_supersteps: int
    edges_streamed: int
    edges_skipped: int
    capacity: int
    compute_units: int
    partitioner: str
    library: str
    bytes_to_card: int
    bytes_from_card: int
    edge_bytes_uploaded: int
    card_calls: dict[str, int]
    stream: dict[str, Any] | None

    def __init__(self, values: dict[str, Any]) -> None:
        columns = {field: values.pop(field) for field in self._FIELDS}
        columns["kind"] = _KINDS[columns["kind"]]
        self._columns = columns
        predicted = values.pop("prediction", None)
        self.prediction = None if predicted is None else Prediction(predicted)
        report = values.pop("blocks", None)
        self.blocks = None if report is None else BlockReport(report, self.prediction)
        self.domains = [DomainReport(of_one) for of_one in values.pop("domains", [])]
        profile = values.pop("local_store", None)
        self.local_store = None if profile is None else LocalStoreProfile(profile)
        searched, paths = values.pop("pe_array", None), values.pop("pe_paths", None)
        self.pe_array = PeArrayProfile(searched) if searched else PePathsProfile(paths) if paths else None
        self.__dict__.update(values)

    @property
    def supersteps(self) -> NDArray[np.void]:
        """One record per super-step."""
        records = np.empty(len(self._columns["step"]), dtype=[(name, c.dtype) for name, c in self._columns.items()])
        for name, column in self._columns.items():
            records[name] = column
        return records

    @property
    def mteps(self) -> float:
        """Million edges streamed per second of engine time (edges of all super-steps)."""
        return self.edges_streamed / self.seconds / 1e6 if self.seconds > 0 else float("nan")

    @property
    def predicted_cycles(self) -> int:
        """Cycles that the emulator predicts for the kernels on the board; 0 where the run had no clocks."""
        return 0 if self.prediction is None else self.prediction.cycles

    @property
    def predicted_seconds(self) -> float:
        """Seconds that the emulator predicts for the kernels on the board; NaN where the run had no clocks."""
        return float("nan") if self.prediction is None else self.prediction.seconds

    @property
    def predicted_mteps(self) -> float:
        """Million edges streamed per predicted second, over all super-steps; NaN where the run had no clocks."""
        return float("nan") if self.prediction is None else self.prediction.streamed_mteps

    def __repr__(self) -> str:
        extra = "" if self.converged else ", not converged"
        if self.predicted_cycles > 0:
            extra += f", predicted_mteps={self.predicted_mteps:.4g} on {self.board}"
        if not self.number:
            return f"Stats(device={self.device!r}, num_threads={self.num_threads}, seconds={self.seconds:.3g}{extra})"
        return (
            f"Stats(device={self.device!r}, method={self.method!r}, number={self.number!r}, "
            f"supersteps={self.num_supersteps}, seconds={self.seconds:.3g}, mteps={self.mteps:.4g}{extra})"
        )
