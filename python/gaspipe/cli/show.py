# SPDX-License-Identifier: Apache-2.0
"""`gaspipe algorithms` and `gaspipe demo`: what gaspipe can do, and that it does."""

from __future__ import annotations

import json

import click
from click.exceptions import Exit

from . import own
from .options import Command, Option, examples


def _list(as_json: bool) -> None:
    descriptions = own.descriptions()
    if as_json:
        rows = [
            {
                "name": a.name,
                "summary": a.summary,
                "field": a.field,
                "field_doc": a.field_doc,
                "reference": a.reference,
                "numbers": a.numbers,
                "parameters": a.defaults,
            }
            for a in descriptions
        ]
        click.echo(json.dumps(rows))
        return
    for a in descriptions:
        options = " ".join("--" + p.name.replace("_", "-") for p in a.parameters)
        click.echo(f"{a.name}  {options}".rstrip())
        click.echo(f"  {a.summary}")
        on_cpu = "On the CPU" + ", and by blocks in the emulator and on cards" * a.has_blocks
        on_cpu += f", and by the kernels of {a.kernels} on other devices" * bool(a.kernels)
        runs = f"Number formats: {', '.join(a.numbers)}" if a.is_pipeline else on_cpu
        click.echo(f"  Answer: {a.field}. {runs}.")
    click.echo(f"\nHint: gaspipe {descriptions[0].name} --help has the details, and the reference to cite.")


def _demo() -> None:
    from ..demo import run

    if not run(click.echo):
        raise Exit(1)


algorithms = Command(
    "algorithms",
    callback=_list,
    params=[Option("--json", "as_json", is_flag=True, help="A JSON list on standard output.")],
    help="List the algorithms: question, answer and number formats of each.",
    short_help="List the algorithms.",
    epilog=examples("gaspipe algorithms", "gaspipe algorithms --json"),
)

demo = Command(
    "demo",
    callback=_demo,
    help="Run three algorithms on a real road network, check and time the answers.",
    short_help="Three algorithms on a real road network, checked.",
    epilog=examples("gaspipe demo"),
)
