# SPDX-License-Identifier: Apache-2.0
"""The chain of blocks that a result came from: every stream with how full it was, the limiting block in color."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._card import wiring
from .._core import InputError
from . import chain

if TYPE_CHECKING:
    from .subjects import BlockReport, Result


def check(result: Result) -> None:
    """InputError for a run without blocks, or without clocks."""
    report = result.stats.blocks
    if report is None or not len(report.tasks):
        raise InputError(
            "kind 'blocks' is for runs with design='graphops' and clocks, which this one is not; run with "
            "device='emulator:u250', design='graphops'"
        )


def draw(result: Result, ax: Any) -> Any:
    """Draw the chain of a run that `check` accepts; returns the axes."""
    report = result.stats.blocks
    assert report is not None
    tasks = wiring.tasks(report.kernel)
    block_of = _blocks(tasks)
    names = list(dict.fromkeys(block_of))
    streams = {stream["name"]: stream for stream in report.streams}
    readers = {name: block for task, block in zip(tasks, block_of) for name in task.reads}
    between: dict[tuple[str, str], list[str]] = {}
    inside: dict[str, list[str]] = {name: [] for name in names}
    for task, block in zip(tasks, block_of):
        for name in task.writes:
            label = f"{name} {streams[name]['most']}/{streams[name]['depth']}"
            if readers[name] == block:
                inside[block].append(label)
            else:
                between.setdefault((block, readers[name]), []).append(label)
    boxes = []
    for name in names:
        own = [i for i, block in enumerate(block_of) if block == name]
        ports = [_of_port(report, tasks[i]) for i in own if tasks[i].port]
        is_limit = report.limit in (name, *(f"port {tasks[i].port}" for i in own if tasks[i].port))
        busy = max(_busy(report, tasks[i].function) for i in own if not tasks[i].port)
        boxes.append(chain.Box(name, f"{name}\n{100 * busy:.0f} % busy", (*ports, *inside[name]), is_limit))
    arrows = [
        chain.Arrow(writer, reader, tuple(labels), max(_fill(streams[label.split()[0]]) for label in labels))
        for (writer, reader), labels in between.items()
    ]
    title = f"{result.algorithm} on {result.stats.board}: {report.cycles:,} cycles predicted, limited by {report.limit}"
    return chain.draw(boxes, arrows, title, ax)


def _blocks(tasks: list[wiring.Task]) -> list[str]:
    """Return the block that each task is a part of.

    A block that asks memory has a task that ends in _req, which is before the other, as is one that ends in _coalesce,
    if nothing is between; a memory unit belongs to the block that takes its lines, or gives them.
    """
    functions = {task.function for task in tasks}
    reader = {stream: task.function.removesuffix("_req") for task in tasks for stream in task.reads}
    names = []
    for task in tasks:
        name = task.function.removesuffix("_req")
        stem = name.removesuffix("_coalesce")
        is_part = stem in functions and (stem == name or reader[task.writes[0]] == stem)
        names.append(stem if is_part else task.function)
    owner: dict[str, str] = {}
    for task, name in zip(tasks, names):
        if not task.port:
            owner |= dict.fromkeys(task.reads, name)
    writer = {stream: name for task, name in zip(tasks, names) if not task.port for stream in task.writes}
    for i, task in enumerate(tasks):
        if task.function == "mem_rd_unit":
            names[i] = owner[task.writes[0]]
        elif task.port:
            names[i] = writer[task.reads[0]]
    return names


def _busy(report: BlockReport, function: str) -> float:
    own = report.tasks[[task.partition("(")[0] == function for task in report.tasks["name"]]]
    return float(own["busy"].max()) if len(own) else 0.0


def _of_port(report: BlockReport, task: wiring.Task) -> str:
    does = "reads" if task.function == "mem_rd_unit" else "writes"
    found = report.ports[report.ports["name"] == task.port]
    return f"{does} {task.port}" + (f", {100 * found['share'][0]:.0f} % of its limit" if len(found) else "")


def _fill(stream: Any) -> float:
    """How full a stream was at most."""
    return min(float(stream["most"]) / float(stream["depth"]), 1.0)
