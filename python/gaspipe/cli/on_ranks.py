# SPDX-License-Identifier: Apache-2.0
"""An algorithm's command in an MPI job: all ranks read and run, rank 0 tells and writes."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import click
from click.exceptions import Exit

from .. import distributed
from .._core import Error
from .._description import Description
from .._files import file_name
from .._result import Result
from ..distributed import DistributedGraph, World
from . import answers, output, report, source
from . import run as command
from .options import INPUT_ERROR, argument

# What needs the graph in one process, and the value of an option that is not given.
_REFUSED = {"verify": False, "memory": None, "relabel": False, "dialect": None, "domains": None}


def run(description: Description, options: dict[str, Any]) -> None:
    """Do what the command says."""
    rank = 0
    try:
        with distributed.mpi(num_threads=options["threads"]) as world:
            rank = world.rank
            world.agree_in_step({"command": repr(sorted(options.items()))}, _fault(description, options))
            _run(world, description, options)
    except (Error, OSError, ImportError, MemoryError, click.UsageError) as error:
        if rank == 0:  # all ranks have it
            raise
        raise Exit(error.exit_code if isinstance(error, click.UsageError) else INPUT_ERROR) from None


def _fault(description: Description, options: dict[str, Any]) -> Exception | None:
    if not description.is_pipeline:
        return click.UsageError(f"{description.name} runs in one process; start it without mpiexec")
    for name, absent in _REFUSED.items():
        if options.get(name) not in (absent, False, None):
            return click.UsageError(f"--{name} is for graphs in one process; start the command without mpiexec")
    if options["out"] == "-" and options["as_json"]:
        return click.UsageError("--json and --out - both write to standard output; give one of them")
    try:
        if options["out"] is not None:
            output.check(options["out"], description)
        if options["report"] is not None:
            output.check(options["report"])
    except (Error, OSError, ImportError) as error:
        return error
    return None


def _run(world: World, description: Description, options: dict[str, Any]) -> None:
    out = options["out"]

    def tell(text: str = "") -> None:
        if world.rank == 0 and not options["as_json"]:
            click.echo(text, err=out == "-")

    start = time.perf_counter()
    path = source.path_of(options["file"])
    given = {name: options[name] for name in ("format", "header", "directed") if options[name] is not None}
    if options["undirected"]:
        given["undirected"] = True
    graph = world.read(path, **given)
    read = _source(graph, options["file"], given, time.perf_counter() - start)
    tell(f"{read.describe()}, on {world.size} ranks")
    asked = command.values_of(description, options, graph)
    values = {key: value.value for key, value in asked.items()}
    mine = {**options, "progress": options["progress"] and world.rank == 0}
    part, times = command.timed_runs(description, graph, values, mine)
    assert isinstance(part, distributed.DistributedResult)
    if out is not None and output.endings(out)[0] == ".npy":
        part.to_npy(out)
    result = part.gather(root=0)
    if result is None:
        return
    tell(f"{description.name}{report.question(description, asked)}: {answers.sentence(result)}")
    for line in answers.table(result, options["top"]):
        tell(f"  {line}")
    tell(report.run_line(result, times))
    if out is not None:
        _write(result, out)
        if out != "-":
            size = os.path.getsize(out)
            tell(f"Wrote {file_name(out)}: {result.values.size:,} values of {result.values.dtype} ({size:,} bytes)")
    if options["report"] is not None:
        result.report(options["report"])
        tell(output.wrote_report(options["report"]))
    if options["as_json"]:
        click.echo(json.dumps(report.as_json(options, asked, read, result, times, None), allow_nan=False))


def _source(graph: DistributedGraph, file: str, given: dict[str, Any], seconds: float) -> source.Source:
    arguments = "".join(f", {name}={argument(value)}" for name, value in given.items())
    python = f"world.read({argument(file)}{arguments})"
    return source.Source(graph, file_name(file), given.get("format") or "in parts", seconds, python)


def _write(result: Result, out: str) -> None:
    if output.endings(out)[0] != ".npy":
        output.write(result, out)
