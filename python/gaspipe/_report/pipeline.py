# SPDX-License-Identifier: Apache-2.0
"""The stages of kernels and the FIFOs between them: wired as the kernels' sources say, with the figures of a run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._card.kernels import read_text
from .._paths import get_include

if TYPE_CHECKING:
    from .._result import Prediction

# Regions by the configuration that runs them; of all others the name is that of a file of hls/kernel.
_REGIONS = {
    "plain": "hls/kernel/gather_scatter.h",
    "packed": "hls/kernel/packed_gather_scatter.h",
    "thundergp": "hls/thundergp/kernel.h",
}
_APPLY = "hls/kernel/apply.h"
_LOCAL_STORE, _PULL = "hls/kernel/local_store_bfs.h", "hls/kernel/pull_bfs.h"
_PATHS = "hls/kernel/delta_stepping.h"
_STREAM = re.compile(r"GASPIPE_STREAMS?\([\w:<>]+, (\w+),")
_TASK = re.compile(r"GASPIPE_TASK(?:_I)?\(\s*(?:\w+,\s*)?(?:\w+::)*(\w+)(?:<[^;()]*?>)?\(([^;]*)\)\);")
_WAITS = {"waited_in": "input", "waited_out": "room in output", "waited_memory": "memory"}


@dataclass
class Stage:
    """A task of a kernel, or all tasks of a name: `shares` of the kernel's time by figure, None where not timed."""

    name: str
    memory: tuple[str, ...] = ()
    shares: Mapping[str, float] | None = None
    copies: int = 1
    is_limit: bool = False

    @property
    def longest_wait(self) -> tuple[str, float]:
        """What it waits for longest, and its share of the time; ("", 0) where it does not wait."""
        waits = {what: self.shares.get(name, 0.0) for name, what in _WAITS.items()} if self.shares else {}
        what = max(waits, key=lambda name: waits[name], default="")
        return (what, waits[what]) if what and waits[what] > 0 else ("", 0.0)


@dataclass
class Fifo:
    """A FIFO between two stages; of several, one per PE, the one of the PE that was busy most."""

    name: str
    writer: str
    reader: str
    depth: int | None = None
    most: int = 0
    full: float = 0.0
    empty: float = 0.0
    copies: int = 1

    @property
    def state(self) -> str:
        """`full` where writers wait, `empty` where readers do, `flows` where neither does for long; "" if not timed."""
        if self.depth is None:
            return ""
        if max(self.full, self.empty) < 0.05:
            return "flows"
        return "full" if self.full >= self.empty else "empty"

    @property
    def told(self) -> str:
        """Most tokens of the depth, and how long it was full or empty."""
        if self.depth is None:
            return ""
        told = f"{self.most}/{self.depth}"
        if self.state in ("full", "empty"):
            told += f" {self.state} {100 * getattr(self, self.state):.0f} %"
        return told


@dataclass
class Kernel:
    """Stages in the order of the source, and FIFOs; `share` of the run's time, where known."""

    title: str
    stages: list[Stage]
    fifos: list[Fifo]
    note: str = ""
    limit: str = ""
    arrays: dict[str, float] = field(default_factory=dict)


def of_prediction(prediction: Prediction) -> list[Kernel]:
    """Return the kernels that a prediction is of: those that are timed stage by stage, and apply."""
    names = {str(stream["name"]).partition("[")[0] for stream in prediction.streams}
    if not len(prediction.stages) or not names:
        return []
    files = _regions_of(prediction.config, names)
    kernels = [_kernel(prediction, file) for file in files]
    if files and files[0] in _REGIONS.values():
        kernels.append(_apply(prediction))
    return kernels


def _kernel(prediction: Prediction, file: str) -> Kernel:
    known = {_plain(str(stage["stage"])): stage for stage in prediction.stages}
    limit = _plain(prediction.limiting_stage)
    worst = _slowest_for_memory(known) if limit == "memory" else limit
    stages, wires = _wiring(file, known)
    kept: dict[str, Stage] = {}
    rename: dict[str, str] = {}
    for name, function, memory in stages:
        found = next((key for key in (name, function) if key in known), None)
        if found is None:
            continue
        rename[name] = found
        shares = {what: float(known[found][what]) for what in ("busy", *_WAITS)}
        kept.setdefault(found, Stage(found, memory, shares, _copies(prediction, found), found == worst))
    span = max(prediction.timed_cycles, 1)
    busiest = _busiest_index(prediction)
    fifos = []
    for name, writer, reader in wires:
        records = [s for s in prediction.streams if str(s["name"]).partition("[")[0] == name]
        if not records or rename.get(writer) not in kept or rename.get(reader) not in kept:
            continue
        one = next((s for s in records if str(s["name"]).endswith(f"[{busiest}]")), records[0])
        if not one["tokens"] and not one["most"]:
            continue  # weights of a program that reads none
        fifos.append(
            Fifo(
                name,
                rename[writer],
                rename[reader],
                int(one["depth"]),
                int(one["most"]),
                int(one["writer_waited"]) / span,
                int(one["reader_waited"]) / span,
                len(records),
            )
        )
    copies = max((stage.copies for stage in kept.values()), default=1)
    title = f"{os.path.basename(file).removesuffix('.h').replace('kernel', 'gather_scatter')}"
    title += f", {prediction.num_units} compute unit{'s' * (prediction.num_units != 1)}"
    note = f"Stages drawn as stacks are there once per PE ({copies} times); figures are of the busiest." * (copies > 1)
    return Kernel(title, list(kept.values()), fifos, note, limit)


def of_blocks(report: Any, span: int) -> list[Kernel]:
    """Return the kernel of a run with `design="graphops"` that had clocks."""
    from .._card import wiring

    shares = {str(task["name"]): task for task in report.tasks}
    stages: list[Stage] = []
    writer: dict[str, str] = {}
    readers: dict[str, str] = {}
    for task in wiring.tasks(report.kernel):
        name = f"{task.function}({task.port})" if f"{task.function}({task.port})" in shares else task.function
        for stream in task.writes:
            writer[stream] = name
        for stream in task.reads:
            readers[stream] = name
        one = shares.get(name)
        figures = None if one is None else {what: float(one[what]) for what in ("busy", *_WAITS)}
        port = (task.port,) if task.port else ()
        is_limit = name == report.limit or (bool(task.port) and report.limit == f"port {task.port}")
        if not any(stage.name == name for stage in stages):
            stages.append(Stage(name, port, figures, 1, is_limit))
    fifos = [
        _fifo(str(s["name"]), writer[s["name"]], readers[s["name"]], s, span)
        for s in report.streams
        if s["name"] in writer and s["name"] in readers
    ]
    arrays = {str(port["name"]): float(port["share"]) for port in report.ports}
    return [Kernel(report.kernel, stages, fifos, "", report.limit, arrays)]


def of_chain(result: Any) -> list[Kernel]:
    """Return a chain of the user's blocks."""
    wired = result._wired
    stages = [
        Stage(
            part.name,
            tuple(dict.fromkeys(part.arrays.values())),
            dict(result.blocks[part.name]),
            1,
            part.name == result.limit or any(result.limit == f"memory of {name}" for name in part.arrays.values()),
        )
        for part in wired.parts
    ]
    fifos = [
        _fifo(name, wire.writer.name, wire.reader.name, result.streams[name], result.cycles)
        for name, wire in wired.wires.items()
    ]
    arrays = {name: float(port["share"]) for name, port in result.ports.items()}
    return [Kernel(f"chain {wired.name}", stages, fifos, "", result.limit, arrays)]


def _fifo(name: str, writer: str, reader: str, stream: Any, span: int) -> Fifo:
    full, empty = int(stream["writer_waited"]) / max(span, 1), int(stream["reader_waited"]) / max(span, 1)
    return Fifo(name, writer, reader, int(stream["depth"]), int(stream["most"]), full, empty)


def _apply(prediction: Prediction) -> Kernel:
    known = {_plain(str(stage["stage"])): stage for stage in prediction.apply_stages}
    stages, wires = _wiring(_APPLY, known)
    seconds = prediction.seconds
    share = float(prediction.steps["apply_seconds"].sum()) / seconds if seconds else 0.0
    is_limit, span = prediction.limiting_stage == "apply", prediction.apply_cycles
    has_merges = "cuMerge" in known  # else there is one unit
    fifos = []
    for name, writer, reader in wires:
        records = [s for s in prediction.apply_streams if str(s["name"]).partition("[")[0] == name]
        if not records or (writer == "cuMerge" and not has_merges):
            continue
        # Of all units: the words of the first go into the chain of merges, what leaves the last into apply.
        one = records[-1 if writer == "cuMerge" else 0]
        fifos.append(_fifo(name, writer, reader if has_merges or reader != "cuMerge" else "applyProcess", one, span))
    used = {end for fifo in fifos for end in (fifo.writer, fifo.reader)}
    kept: list[Stage] = []
    limit = ("", -1.0)
    for name, function, memory in stages:
        figures = known.get(name, known.get(function))
        if name in used and figures is not None:
            shares = {what: float(figures[what]) for what in ("busy", *_WAITS)}
            kept.append(Stage(name, memory, shares))
            limit = max(limit, (name, max(shares["busy"], shares["waited_memory"])), key=lambda each: each[1])
    for stage in kept:
        stage.is_limit = is_limit and stage.name == limit[0]
    note = (
        f"It adds {100 * share:.1f} % to the predicted time. Figures of stages that are there once per unit are of the "
        "busiest, of the FIFOs between them of the first unit's."
    )
    return Kernel("apply", kept, fifos, note, "apply" if is_limit else "")


def _regions_of(config: str, streams: set[str]) -> list[str]:
    if config in _REGIONS:
        return [_REGIONS[config]]
    if config == "delta_stepping":
        return [_PATHS]
    pushed, pulled = _streams_of(_LOCAL_STORE), _streams_of(_PULL)
    if not streams <= pushed | pulled:
        return []
    return [file for file, own in ((_LOCAL_STORE, pushed - pulled), (_PULL, pulled - pushed)) if streams & own]


def _streams_of(file: str) -> set[str]:
    return set(_STREAM.findall(read_text(get_include(), file)))


def _wiring(
    file: str, known: Mapping[str, Any]
) -> tuple[list[tuple[str, str, tuple[str, ...]]], list[tuple[str, str, str]]]:
    """Stages as (name, function, memory), and (stream, writer, reader).

    Names are those of `known` stages, where those have them. A stream's writer comes before its reader; a task that
    names a stream twice reads it and writes the next of its kind.
    """
    source = read_text(get_include(), file)
    body = source[source.index("GASPIPE_DATAFLOW") :]
    streams = set(_STREAM.findall(body))
    calls = [(function, _arguments(arguments)) for function, arguments in _TASK.findall(body)]
    arrays = _arrays(source[: source.index("GASPIPE_DATAFLOW")])
    stages: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    done: dict[str, set[str]] = {}
    writers: dict[str, str] = {}
    wires: list[tuple[str, str, str]] = []
    for function, arguments in calls:
        memory = tuple(name for name in arguments if name in arrays and name not in streams)
        is_twice = bool(memory) and len({tuple(m) for f, m in calls if f == function}) > 1
        name = f"{function}({memory[0]})" if is_twice and function != "readGathered" else function
        if function != "readGathered":
            name = next((given for each in arguments if (given := f"{function}({each})") in known), name)
        stages.setdefault(name, (name, function, memory))
        used = [argument for argument in arguments if argument in streams]
        if set(used) <= done.setdefault(name, set()):
            continue  # the same task, as it is for other programs
        done[name].update(used)
        for k, stream in enumerate(used):
            if stream not in writers or stream in used[:k] or writers[stream] == name:
                writers[stream] = name
            else:
                wires.append((stream, writers[stream], name))
    return list(stages.values()), list(dict.fromkeys(wires))


def _arguments(text: str) -> list[str]:
    """Names of a call's arguments, without indices."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter in "[(<") - (letter in "])>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [re.sub(r"\[.*\]", "", part).strip() for part in parts]


def _arrays(head: str) -> set[str]:
    """Parameters that are arrays in memory: pointers, and what stands for several of them."""
    parameters = head[head.rindex("void ") :]
    found = set(re.findall(r"\* (\w+)[,)]", parameters))
    return (found | set(re.findall(r"const [A-Z]\w+& (\w+)", parameters))) - {"arg"}


def _copies(prediction: Prediction, stage: str) -> int:
    return max(1, sum(_plain(name) == stage for name in prediction.task_names))


def _plain(name: str) -> str:
    """Name of a task without indices."""
    return re.sub(r"\[\w*\]", "", name)


def _busiest_index(prediction: Prediction) -> int:
    """Index of the PE whose tasks were busy most."""
    updates = prediction.pe_updates
    return int(updates.argmax()) if len(updates) else 0


def _slowest_for_memory(known: Mapping[str, Any]) -> str:
    return max(known, key=lambda name: float(known[name]["waited_memory"]))
