# SPDX-License-Identifier: Apache-2.0
"""`gaspipe completion`: what makes a shell complete words, and the table of names that completing reads."""

from __future__ import annotations

import os
from typing import Any

import click

from .. import _core
from . import own
from .options import Command, examples
from .predict import Predict

_SHELLS = {
    "bash": 'eval "$(gaspipe completion bash)" in ~/.bashrc (bash 4.4 or newer)',
    "zsh": 'eval "$(gaspipe completion zsh)" in ~/.zshrc, below compinit',
    "fish": "gaspipe completion fish > ~/.config/fish/completions/gaspipe.fish",
}


def table(commands: click.Group) -> dict[str, Any]:
    """Every one of the commands, with its parameters, and what the values of each may become.

    Files of GASPIPE_ALGORITHMS that cannot be loaded are left out: whatever runs says why.
    """
    try:
        own.descriptions()
    except _core.Error:
        os.environ.pop(own.VARIABLE)
    return _node(commands, click.Context(commands, info_name=commands.name))


def _node(command: click.Command, ctx: click.Context) -> dict[str, Any]:
    node: dict[str, Any] = {"help": command.get_short_help_str(100), "params": [_row(p, ctx) for p in command.params]}
    if not isinstance(command, click.Group):
        return node
    found = {name: command.get_command(ctx, name) for name in command.list_commands(ctx)}
    children = {n: _node(c, click.Context(c, ctx, info_name=n)) for n, c in found.items() if c is not None}
    node["commands"] = children
    algorithms = [children[a.name] for a in own.pipelines() if a.name in children]
    if algorithms:  # what all have is what an algorithm in a Python file has
        common = [row for row in algorithms[0]["params"] if all(row in other["params"] for other in algorithms)]
        node["custom"] = {"help": "", "params": common}
        if isinstance(command, Predict):  # its options may come first
            node["params"] += [row for row in common if "opts" in row]
    return node


def _row(parameter: click.Parameter, ctx: click.Context) -> dict[str, Any]:
    items = [[item.value, item.type] for item in parameter.shell_complete(ctx, "")]
    row: dict[str, Any] = {"name": parameter.name, "nargs": parameter.nargs, "items": items}
    if not isinstance(parameter, click.Option):
        return row
    text = " ".join((parameter.help or "").split())
    return row | {
        "opts": parameter.opts,
        "secondary": parameter.secondary_opts,
        "is_flag": bool(parameter.is_flag),
        "multiple": parameter.multiple,
        "help": text.split(". ")[0].rstrip("."),
    }


def _run(shell: str) -> None:
    from _gaspipe_command import completion, kept

    kept.keep()  # so that the first word is completed as fast as others
    click.echo(completion.script(shell), nl=False)


command = Command(
    "completion",
    callback=_run,
    params=[click.Argument(["shell"], type=click.Choice(list(_SHELLS)))],
    help="""Print what makes a SHELL complete commands, options and their values with the Tab key: bash, zsh or fish.

To have it in every shell from now on, put this line into the file that it names:

\b
"""
    + "\n".join(f"  {name:<6}{line}" for name, line in _SHELLS.items())
    + """

Names are kept in a file of the user's cache folder, so that nothing of gaspipe is loaded for them.""",
    short_help="Make a shell complete words.",
    epilog=examples("gaspipe completion bash", "gaspipe completion fish"),
)
