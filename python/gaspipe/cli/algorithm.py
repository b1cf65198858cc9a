# SPDX-License-Identifier: Apache-2.0
"""The command of one algorithm, generated from its description."""

from __future__ import annotations

from typing import Any

import click

from .._description import Description
from .._job import job_size
from .._options import TABLE
from .._render.options import offered_options
from . import output, parameters, run, source
from .options import Command, Option, examples, progress_option, table_option


def make_command(description: Description) -> Command:
    """Return the command for an algorithm's description."""

    def callback(**options: Any) -> None:
        if job_size() > 1:
            from . import on_ranks

            on_ranks.run(description, options)
        else:
            run.run(description, options)

    asked = [parameters.option(p) for p in description.parameters]
    reading = [source.format_option(), *source.format_details(), _undirected()]
    if description.is_pipeline:
        reading.append(source.memory_option())
    running = _run_options(description)
    text = "\n\n".join(
        part
        for part in (
            description.summary,
            description.details,
            f"The answer is `{description.field}`: {description.field_doc}.",
            f"Reference: {description.reference}" if description.reference else "",
        )
        if part
    )
    return Command(
        description.name,
        callback=callback,
        params=[source.file_argument(), *asked, *reading, *running, *_answer_options(), progress_option()],
        help=text,
        short_help=description.summary,
        epilog=examples(*_examples(description)),
    )


def _undirected() -> Option:
    return Option(
        "--undirected",
        is_flag=True,
        section="Reading",
        help="Take every edge in both directions (Graph.symmetrize).",
    )


def _run_options(description: Description) -> list[Option]:
    section, numbers = "Running", description.numbers
    offered = {option.name: option for option in offered_options(description)}
    if len(numbers) > 1:
        offered["number"] = next(option for option in TABLE if option.name == "number")
    options = [
        table_option(offered[name], section, ["auto", *numbers] if name == "number" else offered[name].choices)
        for name in (option.name for option in TABLE)
        if name in offered and offered[name].help is not None
    ]
    options.append(
        Option(
            "--repeat",
            type=click.IntRange(min=1),
            default=1,
            metavar="N",
            section=section,
            help="Run N times and tell how the times spread.",
        )
    )
    return options


def _answer_options() -> list[Option]:
    section = "The answer"
    return [
        Option(
            "--out",
            type=output.answer_path,
            metavar="PATH",
            section=section,
            help="Write it to a file: .npy, .csv (vertex and value), .txt (a value per line), .parquet; text may end "
            "in .gz, .xz or .bz2. - is text on standard output.",
        ),
        Option(
            "--top",
            type=click.IntRange(min=0),
            default=3,
            show_default=True,
            metavar="K",
            section=section,
            help="Show the K vertices that tell most: the highest, the farthest, the largest components.",
        ),
        Option(
            "--verify",
            is_flag=True,
            section=section,
            help="Compare with an independent plain implementation; exit code 1 if they differ.",
        ),
        Option(
            "--report",
            metavar="FILE",
            section=section,
            help="Write a report to look at: a page of HTML with what ran, super-step by super-step, and its pipeline.",
        ),
        Option("--json", "as_json", is_flag=True, section=section, help="One JSON object on standard output."),
    ]


def _examples(description: Description) -> list[str]:
    name, field = description.name, description.field
    weighted = any(i.reads_weights for i in description.instances)
    file = "roads.gr.gz" if weighted else "web.txt.gz"
    kinds = {p.kind: "--" + p.name.replace("_", "-") for p in description.parameters}
    needed = f" {kinds['vector']} ones" if "vector" in kinds else ""
    question = f" {kinds['vertex']} 5" if "vertex" in kinds else needed
    return [
        f"gaspipe {name} {file}{question} --out {field}.npy",
        f"gaspipe {name} {file}{needed} --top 10 --verify",
        f"gaspipe {name} {file}{needed} --repeat 5 --json",
    ]
