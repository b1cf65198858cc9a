# SPDX-License-Identifier: Apache-2.0
"""`gaspipe cache`: the compiled snippets of this user."""

from __future__ import annotations

import dataclasses
import json

import click

from .. import cache
from .._compile import shown
from .options import Command, Option, examples


def _cache(clear: bool, as_json: bool) -> None:
    deleted = cache.clear() if clear else None
    found = cache.info()
    if as_json:
        click.echo(json.dumps({**dataclasses.asdict(found), "deleted": deleted}))
        return
    if deleted is not None:
        click.echo(f"Deleted {deleted} compiled snippet{'s' * (deleted != 1)}")
    names = f": {', '.join(found.algorithms)}" if found.algorithms else ""
    click.echo(f"{shown(found.path)}: {found.num_libraries} compiled snippets ({found.num_bytes:,} bytes){names}")


command = Command(
    "cache",
    callback=_cache,
    params=[
        Option("--clear", is_flag=True, help="Delete them; they are compiled again when they are next used."),
        Option("--json", "as_json", is_flag=True, help="One JSON object on standard output."),
    ],
    help="Show, or delete, what was compiled from algorithms of your own (gp.Algorithm).",
    short_help="Compiled algorithms of your own.",
    epilog=examples("gaspipe cache", "gaspipe cache --clear"),
)
