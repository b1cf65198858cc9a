# SPDX-License-Identifier: Apache-2.0
"""What the emulator predicts of a board: time, throughput, and what limits it."""

from __future__ import annotations

import html
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._reported import Reported

_STEP_FIELDS = (
    "seconds",
    "cycles",
    "edges",
    "timed_edges",
    "scatter_gather_seconds",
    "apply_seconds",
    "bytes",
)
_WAITS = ("waited_in", "waited_out", "waited_memory")


class Prediction(Reported):
    """What kernels on a board would take, by the clocks of the emulator; `result.stats.prediction`.

    Cycles come from the initiation intervals, latencies and FIFO depths in the kernels' sources, and from a model of
    the board's memory: bandwidth, latency, gaps between bursts and between ports. No kernel has been synthesised.

    Attributes
    ----------
    board, config : str
        The board, and the configuration of the kernels.
    clock_mhz : float
        Clock of the kernels, MHz.
    num_units : int
        Gather-scatter kernels that work at a time.
    launch_seconds : float
        Time to start a kernel, part of every kernel's time.
    step_overhead_seconds : float
        Time of the host between super-steps, part of the first one's time. In later ones it lies beside the gather,
        which does not wait for it, where gaspipe's own kernels stream every edge; else it is part of theirs too.
    graph_edges : int
        Edges of the graph.
    peak_bytes_per_second : float
        Of all memory channels that are used, together.
    resources : dict
        What all kernels take of the chip: `uram` and `bram`, blocks counted from the declarations; `luts`, an estimate
        from open synthesis of the kernels' tasks, which finds more than Vivado would, 0 where there is none (floating
        point, values of 64 bytes, published designs). Adapters of AXI ports and the board's shell are not counted.
        `uram_available`, `bram_available` and `luts_available` of the board, 0 where that is not known.
    units : list of dict
        By unit: `unit`, `busy_seconds`, `edges`, `bytes`.
    channels : list of dict
        By memory channel: `bytes`, `busy_seconds`.
    source_edges, source_lines : int
        Edges that the timed gather-scatter kernels streamed, and words of 64 bytes of source properties that they read
        from memory for these.
    """

    board: str
    config: str
    clock_mhz: float
    num_units: int
    launch_seconds: float
    step_overhead_seconds: float
    graph_edges: int
    peak_bytes_per_second: float
    resources: dict[str, int]
    units: list[dict[str, Any]]
    channels: list[dict[str, Any]]
    source_edges: int
    source_lines: int

    def __init__(self, values: dict[str, Any]) -> None:
        values = dict(values)
        columns = {name: np.asarray(values.pop(name)) for name in _STEP_FIELDS}
        self._steps = np.empty(len(columns["seconds"]), dtype=[(name, c.dtype) for name, c in columns.items()])
        for name, column in columns.items():
            self._steps[name] = column
        self._streams: list[dict[str, Any]] = values.pop("streams")
        self._tasks: list[dict[str, Any]] = values.pop("tasks")
        self._apply_streams: list[dict[str, Any]] = values.pop("apply_streams")
        self._apply_tasks: list[dict[str, Any]] = values.pop("apply_tasks")
        self._pe_updates = np.asarray(values.pop("pe_updates"), np.int64)
        self.__dict__.update(values)

    @property
    def steps(self) -> NDArray[np.void]:
        """One record per super-step.

        `seconds` and `cycles` (all of it); `edges` (streamed) and `timed_edges` (of these, run through the kernels with
        clocks; the rest is scaled); `scatter_gather_seconds` (until the last unit is done) and `apply_seconds` (what
        apply adds after that; where it waits for the host, that is in neither); `bytes` (moved over all memory
        channels). Of a run of more than 65,536 super-steps the last record is the sum of all that are left.
        """
        return self._steps.copy()

    @property
    def seconds(self) -> float:
        """Time of all super-steps, s; without copies between host and card."""
        return float(self._steps["seconds"].sum())

    @property
    def cycles(self) -> int:
        """Cycles of the kernels' clock, all super-steps."""
        return int(self._steps["cycles"].sum())

    @property
    def edges_streamed(self) -> int:
        """Edges streamed in all super-steps."""
        return int(self._steps["edges"].sum())

    @property
    def streamed_mteps(self) -> float:
        """Million edges streamed per second: the edges of every super-step / time.

        This is what ThunderGP reports. It counts an edge once for every super-step that streams it.
        """
        return _ratio(self.edges_streamed, self.seconds) / 1e6

    @property
    def graph_mteps(self) -> float:
        """Million edges of the graph per second: `num_edges` / time of all super-steps.

        This is how Graph500 counts a search: an edge counts once, however often it is streamed.
        """
        return _ratio(self.graph_edges, self.seconds) / 1e6

    @property
    def bytes_per_edge(self) -> float:
        """Bytes moved over all memory channels per edge streamed: edges, properties and apply's traffic."""
        return _ratio(int(self._steps["bytes"].sum()), self.edges_streamed)

    @property
    def bandwidth_share(self) -> float:
        """Bytes moved, as a share of what the channels in use could move at their peak in this time; 0 to 1."""
        return _ratio(int(self._steps["bytes"].sum()), self.peak_bytes_per_second * self.seconds)

    @property
    def hit_rate(self) -> float:
        """Share of the edges that found the property of their source on chip: 1 - `source_lines` / `source_edges`.

        Below 0 where more words are read than there are edges, as the blocks of config "thundergp" may be. NaN where
        nothing was timed.
        """
        return 1 - _ratio(self.source_lines, self.source_edges)

    @property
    def timed_share(self) -> float:
        """Share of the streamed edges that ran through the kernels with clocks; 1 unless edges were sampled."""
        return _ratio(int(self._steps["timed_edges"].sum()), self.edges_streamed)

    @property
    def stages(self) -> NDArray[np.void]:
        """Where the tasks of the gather-scatter kernels spent their time; one record per stage, the busiest first.

        A stage is the tasks of a name, without indices: `gather[0]` and `gather[1]` are the stage `gather`. Its figures
        are those of its task that was busy most; a task that never ran is left out. `busy`, `waited_in` and
        `waited_out` (for a stream that is empty, or full) and `waited_memory` are shares of the kernels' time, which is
        that of the task that took longest. A task that ends early has a sum below 1.
        """
        return _stages(self._tasks, "busy")

    @property
    def apply_stages(self) -> NDArray[np.void]:
        """The same of the apply kernel, which runs once for every partition in every super-step."""
        return _stages(self._apply_tasks, "busy")

    @property
    def timed_cycles(self) -> int:
        """Cycles of the timed gather-scatter kernels, of which `stages` gives shares, and `streams` parts."""
        return _span(self._tasks)

    @property
    def apply_cycles(self) -> int:
        """Cycles of the apply kernels, of which `apply_stages` gives shares, and `apply_streams` parts."""
        return _span(self._apply_tasks)

    @property
    def task_names(self) -> list[str]:
        """Names of the tasks of the gather-scatter kernels, with indices where there are several: `gather[0]`."""
        return [str(task["name"]) for task in self._tasks]

    @property
    def limiting_stage(self) -> str:
        """What the prediction would have to be improved at.

        - "apply", where apply adds more time than scatter and gather take;
        - "memory", where a task waits for memory longer than any task is busy;
        - else the stage that is busy the largest share of the kernels' time (the first row of `stages`).

        Empty where nothing was timed.
        """
        if self._steps["apply_seconds"].sum() > self._steps["scatter_gather_seconds"].sum():
            return "apply"
        if not len(self.stages):
            return ""
        waited = _stages(self._tasks, "waited_memory")[0]["waited_memory"]
        first = self.stages[0]
        return "memory" if waited > first["busy"] else str(first["stage"])

    @property
    def streams(self) -> NDArray[np.void]:
        """The FIFOs of the gather-scatter kernels, one record for each.

        `name`, `depth` (tokens), `most` (the fullest it ever was), `tokens` (that went through), `reader_waited` and
        `writer_waited` (cycles in which it was empty, or full), `token_bytes`.
        """
        return _streams(self._streams)

    @property
    def apply_streams(self) -> NDArray[np.void]:
        """The same of the apply kernel; those of units that the board has not are left out."""
        return _streams([stream for stream in self._apply_streams if stream["tokens"]])

    @property
    def pe_updates(self) -> NDArray[np.int64]:
        """Updates that each gather PE took, of all units together."""
        return self._pe_updates.copy()

    @property
    def pe_load(self) -> float:
        """Updates of the PE that took most / mean of all: 1 is perfect balance. NaN where no update arrived."""
        return _ratio(self._pe_updates.max(initial=0), self._pe_updates.mean() if len(self._pe_updates) else 0)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it in plain numbers, strings, lists and dicts, as JSON has them; what is not known is None."""
        names = (
            "board config clock_mhz num_units seconds cycles graph_edges edges_streamed streamed_mteps graph_mteps "
            "bytes_per_edge bandwidth_share peak_bytes_per_second limiting_stage pe_load hit_rate source_edges "
            "source_lines timed_share launch_seconds step_overhead_seconds resources units channels"
        )
        found: dict[str, Any] = {name: _plain(getattr(self, name)) for name in names.split()}
        for name in ("steps", "stages", "streams", "apply_stages", "apply_streams"):
            table = getattr(self, name)
            found[name] = [dict(zip(table.dtype.names, record.tolist())) for record in table]
        found["pe_updates"] = self._pe_updates.tolist()
        return found

    def __repr__(self) -> str:
        lines = [f"Prediction({self.board}, {self.config}, {self.num_units} units at {self.clock_mhz:g} MHz"]
        lines += [f"  {name:<12}{text}" for name, text in self._rows()]
        return "\n".join(lines) + ")"

    def _repr_html_(self) -> str:
        head = f"{self.board}, {self.config}, {self.num_units} units at {self.clock_mhz:g} MHz"
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for name, text in self._rows()
        )
        return f"<table><caption>Prediction: {html.escape(head)}</caption><tbody>{rows}</tbody></table>"

    def _rows(self) -> list[tuple[str, str]]:
        count = len(self._steps)
        steps = f"{count} super-step{'s' * (count != 1)}"
        rows = [
            ("time", f"{_time(self.seconds)} in {steps}, {self.cycles:,} cycles"),
            (
                "throughput",
                f"{_short(self.streamed_mteps)} MTEPS of edges streamed (edges of all super-steps / time), "
                f"{_short(self.graph_mteps)} MTEPS of the graph (|E| / time)",
            ),
            ("memory", f"{_short(self.bytes_per_edge)} bytes per edge, {_percent(self.bandwidth_share)} of the peak"),
            ("limited by", self.limiting_stage or "nothing that was timed"),
            *([("PE load", f"{_short(self.pe_load)} (max / mean)")] if len(self._pe_updates) else []),
            ("resources", ", ".join(self._resource(what) for what in ("uram", "bram", "luts"))),
        ]
        if self.source_edges:
            hits = f"{_percent(self.hit_rate)} of the edges found the property of their source on chip"
            rows.insert(3, ("sources", hits))
        if self.timed_share < 1:
            rows.append(("timed", f"{_percent(self.timed_share)} of the edges, the rest scaled"))
        return rows

    def _resource(self, what: str) -> str:
        used, available = self.resources[what], self.resources[f"{what}_available"]
        if what == "luts":
            of_board = f" of {available:,}" if available else ""
            return f"about {used:,}{of_board} LUTs" if used else "LUTs not estimated"
        return f"{used:,}" + (f" of {available:,}" if available else "") + f" {what.upper()}"


def _span(tasks: list[dict[str, Any]]) -> int:
    return max((sum(int(task[f]) for f in ("busy", *_WAITS)) for task in tasks), default=0)


def _stages(tasks: list[dict[str, Any]], by: str) -> NDArray[np.void]:
    families: dict[str, dict[str, Any]] = {}
    for task in tasks:
        if not any(task[field] for field in ("busy", *_WAITS)):
            continue  # weights of a program that reads none
        stage = re.sub(r"\[\d+\]", "", task["name"])
        if stage not in families or task[by] > families[stage][by]:
            families[stage] = task
    span = _span(tasks)
    fields = ("busy", *_WAITS)
    records = np.zeros(len(families), dtype=[("stage", object), *((field, "f8") for field in fields)])
    for record, stage in zip(records, sorted(families, key=lambda s: -families[s][by])):
        record["stage"] = stage
        for field in fields:
            record[field] = _ratio(families[stage][field], span)
    return records


def _streams(streams: list[dict[str, Any]]) -> NDArray[np.void]:
    numbers = ("depth", "most", "tokens", "reader_waited", "writer_waited", "token_bytes")
    records = np.zeros(len(streams), dtype=[("name", object), *((field, "u8") for field in numbers)])
    for record, stream in zip(records, streams):
        for field in ("name", *numbers):
            record[field] = stream[field]
    return records


def _ratio(number: Any, by: Any) -> float:
    return float(number) / float(by) if by else float("nan")


def _plain(value: Any) -> Any:
    """Value as JSON has it."""
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds * 1e6:.4g} us"


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
