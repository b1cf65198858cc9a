# SPDX-License-Identifier: Apache-2.0
"""The work of an algorithm's command: read, run, check, tell, write."""

from __future__ import annotations

import json
import os
import time
import warnings
from typing import Any, Callable

import click
from click.exceptions import Exit

import gaspipe as gp

from .._description import Description
from .._files import file_name
from .._options import TABLE
from .._result import Result
from .._verify import Comparison, about, verify
from ..graph import Graph
from . import answers, output, parameters, progress, report, source
from .options import duration, table_key

SLOW_TO_VERIFY = 5_000_000  # edges; plain Python takes a microsecond or so for each


def run(description: Description, options: dict[str, Any]) -> None:
    """Do what the command says."""
    name, out = description.name, options["out"]
    if out == "-" and options["as_json"]:
        raise click.UsageError("--json and --out - both write to standard output; give one of them")
    if out is not None:
        output.check(out, description)
    if options["report"] is not None:
        output.check(options["report"])
    if options["verify"]:
        about(name)  # an error where there is nothing to compare with

    # What is for people goes to stderr where the answer itself is on stdout.
    def tell(text: str = "") -> None:
        if not options["as_json"]:
            click.echo(text, err=out == "-")

    read = source.read(
        options["file"],
        format=options["format"],
        details=source.details_of(options),
        undirected=options["undirected"],
        rectangular=description.rectangular,
        threads=options["threads"],
        memory=options.get("memory"),
        show_progress=options["progress"],
    )
    tell(read.describe())
    asked = values_of(description, options, read.graph)
    values = {key: given.value for key, given in asked.items()}
    result, times = timed_runs(description, read.graph, values, options)
    tell(f"{name}{report.question(description, asked)}: {answers.sentence(result)}")
    for line in answers.table(result, options["top"]):
        tell(f"  {line}")
    tell(report.run_line(result, times))
    checked = _verified(result, read.graph, values, tell) if options["verify"] else None
    is_right = checked is None or checked[0].agrees
    if out is not None and is_right:
        output.write(result, out)
        if out != "-":
            size = os.path.getsize(out)
            tell(f"Wrote {file_name(out)}: {result.values.size:,} values of {result.values.dtype} ({size:,} bytes)")
    elif out is not None:
        tell(f"{file_name(out)} is not written, for the answer is wrong.")
    if options["report"] is not None:
        result.report(options["report"])
        tell(output.wrote_report(options["report"]))
    if options["as_json"]:
        click.echo(json.dumps(report.as_json(options, asked, read, result, times, checked), allow_nan=False))
    else:
        tell(f"In Python: {report.python(description, read, asked, options)}")
        if out is None:
            others = ", as do .csv, .txt and .parquet" if result.values.ndim == 1 else ""
            tell(f"Hint: --out {result.field}.npy writes the answer to a file{others}.")
    if not is_right:
        raise Exit(1)


def values_of(description: Description, options: dict[str, Any], graph: Graph) -> dict[str, parameters.Value]:
    """Return the algorithm's parameters, as given or by default."""
    context = click.get_current_context()
    values = {}
    for p in description.parameters:
        name = p.name
        is_default = context.get_parameter_source(name) == click.core.ParameterSource.DEFAULT
        values[name] = parameters.value(p, options[name], is_default, graph)
    return values


def timed_runs(
    description: Description, graph: Graph, values: dict[str, Any], options: dict[str, Any]
) -> tuple[Result, report.Times]:
    """Run as often as the options say; return the last answer."""
    name = description.name
    call: Callable[..., Result] = getattr(gp, name)
    shared = [option for option in TABLE if option.help is not None and table_key(option) in options]
    how = {option.name: options[table_key(option)] for option in shared}
    seconds: list[float] = []
    prepare = 0.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stored = graph._core if graph._core.is_stored else None
        read = None if stored is None else lambda: stored.stored_bytes_read
        with progress.running(name, options["progress"], read, has_steps=description.is_pipeline) as shown:
            for _ in range(options["repeat"]):
                result = call(graph, **values, **how, progress=shown)
                seconds.append(result.stats.seconds)
                prepare = max(prepare, result.stats.prepare_seconds)
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        click.echo(f"Warning: {text}", err=True)
    return result, report.Times(prepare, seconds, result.stats.edges_streamed if description.is_pipeline else None)


def _verified(
    result: Result, graph: Graph, values: dict[str, Any], tell: Callable[[str], None]
) -> tuple[Comparison, float]:
    if graph.num_edges > SLOW_TO_VERIFY:
        click.echo(
            f"Verifying in plain Python is slow: {graph.num_edges:,} edges may take minutes (Ctrl-C stops it)", err=True
        )
    start = time.perf_counter()
    found = verify(result, graph, values)
    seconds = time.perf_counter() - start
    plain = about(result.algorithm)
    took = f"in {duration(seconds)}"
    if found.agrees and found.allowed == 0:
        tell(f"Verified {took}: every value agrees with plain Python ({plain})")
    elif found.agrees:
        tell(
            f"Verified {took}: agrees with plain Python, L1 distance {found.distance:.2g}, tolerance "
            f"{found.allowed:.2g} ({plain})"
        )
    else:
        tell(f"DIFFERS from plain Python ({plain}): {report.difference(result, found)}")
    return found, seconds
