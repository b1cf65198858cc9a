# SPDX-License-Identifier: Apache-2.0
"""The command `gaspipe`."""

from __future__ import annotations

import click

from . import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gaspipe")
def main() -> None:
    """Graph analytics as gather-apply-scatter pipelines."""


@main.command()
def demo() -> None:
    """Run three algorithms on a real road network, check and time the answers."""
    from .demo import run

    ok = run(click.echo)
    if not ok:
        raise click.exceptions.Exit(1)
