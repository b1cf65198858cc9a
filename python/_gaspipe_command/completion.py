# SPDX-License-Identifier: Apache-2.0
"""Completes words of a command line by click's own machinery, over commands made of names that are kept in a file."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from . import VARIABLE, kept

PROGRAM = "gaspipe"
_BREAKS = re.compile("[:=]+")


def complete(instruction: str) -> None:
    """Do what a shell asks for, as in "bash_complete", and end the process."""
    with contextlib.suppress(Exception):  # a message would land in the line being typed
        commands = _Group(PROGRAM, kept.names())
        commands.main(prog_name=PROGRAM, complete_var=VARIABLE)
    sys.exit(1)


def script(shell: str) -> str:
    """Return what a shell has to run to complete words of this command."""
    completing = get_completion_class(shell)
    assert completing is not None
    return completing(_Group(PROGRAM, {"params": []}), {}, PROGRAM, VARIABLE).source()


def _items(rows: list[list[str]]) -> Callable[..., list[CompletionItem]]:
    def find(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [
            # The shell itself finds files.
            CompletionItem(value if kind == "plain" else incomplete, type=kind)
            for value, kind in rows
            if kind != "plain" or value.startswith(incomplete)
        ]

    return find


def _parameter(row: dict[str, Any]) -> click.Parameter:
    how = {"nargs": row["nargs"], "shell_complete": _items(row["items"])}
    if "opts" not in row:
        return click.Argument([row["name"]], required=False, **how)
    flags = "/".join([row["opts"][0], *row["secondary"][:1]])
    return click.Option(
        [row["name"], flags, *row["opts"][1:]],
        is_flag=row["is_flag"],
        multiple=row["multiple"],
        help=row["help"],
        **how,
    )


class _Command(click.Command):
    def __init__(self, name: str, node: dict[str, Any]) -> None:
        super().__init__(name, params=[_parameter(row) for row in node["params"]], short_help=node.get("help"))


class _Group(click.Group):
    """A group whose commands are made when they are asked for."""

    def __init__(self, name: str, node: dict[str, Any]) -> None:
        super().__init__(name, params=[_parameter(row) for row in node["params"]], short_help=node.get("help"))
        self._nodes = node.get("commands", {})
        self._custom = node.get("custom")  # stands for the commands of algorithms in Python files

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._nodes)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        node = self._nodes.get(name) or self._nodes.get(name.replace("-", "_"))
        if node is None and self._custom is not None and name.partition("::")[0].endswith(".py"):
            node = self._custom
        if node is None:
            return None
        return (_Group if "commands" in node else _Command)(name, node)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = super().shell_complete(ctx, incomplete)
        if not found and incomplete and self._custom is not None:
            return [CompletionItem(incomplete, type="file")]
        return found


@add_completion_class
class _Bash(BashComplete):
    """Bash takes ":" and "=" for words of their own, and replaces what is behind them."""

    def get_completion_args(self) -> tuple[list[str], str]:
        words, incomplete = super().get_completion_args()
        joined: list[str] = []
        is_open = False
        for word in [*words, incomplete]:
            is_break = bool(_BREAKS.fullmatch(word))
            if joined and (is_break or (is_open and word)):
                joined[-1] += word
            else:
                joined.append(word)
            is_open = is_break
        self._replaced = len(joined[-1].rpartition("=")[2].rpartition(":")[0]) if joined else 0
        return joined[:-1], joined[-1]

    def format_completion(self, item: CompletionItem) -> str:
        text = super().format_completion(item)
        if item.type != "plain" or not self._replaced:
            return text
        return f"{item.type},{item.value[self._replaced + 1 :]}"
