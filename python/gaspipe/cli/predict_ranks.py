# SPDX-License-Identifier: Apache-2.0
"""`gaspipe predict ALGORITHM FILE --ranks N`: what an algorithm would take on the ranks of a job."""

from __future__ import annotations

import json
from typing import Any

import click

from .. import _core, _registered, distributed
from .._core import InputError
from .._description import Description
from ..distributed import RanksPrediction
from . import parameters, report, source
from .options import Option, argument

_SECTION = "The prediction for ranks"
_OF_RANKS = ("network", "strategy", "edges_per_second", "ranks_per_core")
_OF_BOARDS = ("board", "board_file", "configs", "clock_mhz", "sample_edges")


def options() -> list[Option]:
    """Return the options that only a prediction for ranks has."""
    return [
        Option(
            "--ranks",
            multiple=True,
            type=click.IntRange(1, _core.MOST_DOMAINS),
            metavar="N",
            section=_SECTION,
            help="Predict a run on N ranks of an MPI job or of Dask, each on a machine of its own, instead of a board; "
            "may be repeated.",
        ),
        Option(
            "--network",
            metavar="NAME",
            completes=list(distributed.networks()),
            section=_SECTION,
            help=f"Network between the ranks: {', '.join(distributed.networks())}. By default 10GbE.",
        ),
        Option(
            "--strategy",
            metavar="NAME",
            completes=_core.domain_strategies(),
            section=_SECTION,
            help=f"Which rank owns which vertices: {', '.join(_core.domain_strategies())}. By default balanced.",
        ),
        Option(
            "--edges-per-second",
            type=click.FLOAT,
            metavar="N",
            section=_SECTION,
            help="Edges that a rank processes in a second; by default measured on this machine.",
        ),
        Option(
            "--ranks-per-core",
            type=click.FLOAT,
            metavar="N",
            section=_SECTION,
            help="Ranks that share a core; by default 1.",
        ),
    ]


def check(options: dict[str, Any]) -> None:
    """Report an error if options of boards and of ranks are mixed, or a name is unknown."""
    of_boards = [name for name in _OF_BOARDS if options[name] not in (None, ())]
    of_ranks = [name for name in _OF_RANKS if options[name] is not None]
    if not options["ranks"]:
        if of_ranks:
            raise click.UsageError(f"{_flag(of_ranks[0])} is for a prediction of ranks; give --ranks, too")
        return
    if of_boards:
        raise click.UsageError(f"{_flag(of_boards[0])} is for a board, and --ranks predicts ranks; give one of them")
    for name, known in (("network", list(distributed.networks())), ("strategy", _core.domain_strategies())):
        if options[name] is not None and options[name] not in known:
            raise InputError(f"--{name} is {options[name]!r}; allowed are {', '.join(known)}")


def tell(
    description: Description, options: dict[str, Any], read: source.Source, asked: dict[str, parameters.Value]
) -> None:
    """Predict, and show what is found."""
    how = {key: options[key] for key in _OF_RANKS if options[key] is not None}
    if options["threads"] is not None:
        how["num_threads"] = options["threads"]
    if options.get("number", "auto") != "auto":
        how["number"] = options["number"]
    ranks = list(dict.fromkeys(options["ranks"]))
    program = _registered.algorithms.get(description.name, description.name)
    values = {key: given.value for key, given in asked.items()}
    found = distributed.predict(program, read.graph, ranks, **how, **values)
    if options["html"] is not None:
        found[0].report(options["html"], other=found[1:])
    if options["as_json"]:
        document = {
            **report.what_was_asked(description.name, read, asked),
            "predictions": [_as_json(each) for each in found],
        }
        click.echo(json.dumps(document, allow_nan=False))
        return
    click.echo("\n\n".join(map(str, found)))
    click.echo(f"In Python: {_python(description.name, read, asked, ranks, how)}")


def _as_json(prediction: RanksPrediction) -> dict[str, Any]:
    steps = prediction.supersteps
    network = prediction.network
    has_steps = len(steps) > 0
    return {
        "ranks": prediction.ranks,
        "strategy": prediction.strategy,
        "network": {
            "name": network.name,
            "latency_seconds": network.latency_seconds,
            "bytes_per_second": network.bytes_per_second,
            "message_seconds": network.message_seconds,
            "step_seconds": network.step_seconds,
            "source": network.source,
        },
        "seconds": prediction.seconds,
        "one_rank_seconds": prediction.one_rank_seconds,
        "speedup": prediction.speedup if has_steps else None,
        "exchange_share": prediction.exchange_share if has_steps else None,
        "bytes_sent": prediction.bytes_sent,
        "memory_bytes": prediction.memory_bytes,
        "method": prediction.method,
        "supersteps": [dict(zip(steps.dtype.names or (), step.item())) for step in steps],
    }


def _flag(name: str) -> str:
    return "--config" if name == "configs" else f"--{name.replace('_', '-')}"


def _python(
    name: str, read: source.Source, asked: dict[str, parameters.Value], ranks: list[int], how: dict[str, Any]
) -> str:
    given = [f"{key}={argument(value)}" for key, value in how.items()]
    given += [f"{key}={value.python}" for key, value in asked.items() if value.python is not None]
    graph, before = read.python, ""
    if any("graph." in text for text in given):
        graph, before = "graph", f"graph = {read.python}; "
    number = repr(ranks[0] if len(ranks) == 1 else ranks)
    return f"{before}gp.distributed.predict({', '.join([argument(name), graph, number, *given])})"
