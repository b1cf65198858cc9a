# SPDX-License-Identifier: Apache-2.0
"""`gaspipe devices`: what there is to run on, and what a card still needs."""

from __future__ import annotations

import json

import click
from click.exceptions import Exit

from .._card import check as _check
from .._card import devices
from . import own
from .options import Command, Option, examples

_MARKS = {True: "ok", False: "MISSING", None: "-"}


def _run(check: bool, xclbin: str | None, as_json: bool) -> None:
    own.descriptions()  # whose kernels an xclbin may hold
    if not check:
        found = devices(xclbin)
        click.echo(json.dumps(found.as_json(), allow_nan=False) if as_json else repr(found))
        return
    steps = _check.check(xclbin)
    missing = _check.first_missing(steps)
    usable = all(step.ok for step in steps)
    if as_json:
        document = {
            "steps": [step._asdict() for step in steps],
            "missing": None if missing is None else missing.title,
            "usable": usable,
        }
        click.echo(json.dumps(document, allow_nan=False))
    else:
        for step in steps:
            click.echo(f"{_MARKS[step.ok]:<9}{step.title:<15}{step.found}")
        if missing is not None:
            click.echo(f"First missing: {missing.title}. {missing.found}")
            click.echo(f"What to do: {missing.remedy}")
        else:
            click.echo('A card is usable: device="fpga" runs there.')
    if not usable:
        raise Exit(1)


command = Command(
    "devices",
    callback=_run,
    params=[
        Option("--check", is_flag=True, help="Look, step by step, for what a card needs; exit code 1 if not usable."),
        Option("--xclbin", metavar="PATH", help="An xclbin, or a folder with some, instead of the search path."),
        Option("--json", "as_json", is_flag=True, help="One JSON object on standard output."),
    ],
    help="""What there is to run on: the CPU, the boards of the emulator, the cards with the xclbins found for
them, and why something cannot be used.

An xclbin is looked for where --xclbin says; else in the files and folders of the environment variable GASPIPE_XCLBIN,
then in the user's data folder, ~/.local/share/gaspipe/xclbin. Kernels of a gp.Algorithm are known by name where the
environment variable GASPIPE_ALGORITHMS lists its file.""",
    short_help="What there is to run on, and what a card still needs.",
    epilog=examples(
        "gaspipe devices", "gaspipe devices --check", "gaspipe devices --json --xclbin bfs_uint32_u250.hw.xclbin"
    ),
)
