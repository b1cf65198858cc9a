# SPDX-License-Identifier: Apache-2.0
"""Commands whose options come in sections, and helpers that all commands share."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from .. import _core
from .._core import InputError
from .._executors import AUTO, EXECUTORS
from .._files import file_name
from .._options import TABLE

INPUT_ERROR = 3  # exit code
_FILES = {"PATH": "file", "FILE": "file", "DIR": "dir"}  # what shells complete, by how an option names its value


class Option(click.Option):
    """An option with the heading under which its help is listed."""

    def __init__(
        self, *declarations: str, section: str = "Other options", completes: Sequence[str] = (), **attributes: Any
    ) -> None:
        """Declare an option; `completes` are values that a shell offers where others are allowed too."""
        kind = _FILES.get(attributes.get("metavar") or "")
        if completes or kind is not None:
            attributes["shell_complete"] = completing(completes, kind)
        super().__init__(declarations, **attributes)
        self.section = section


def completing(values: Sequence[str], kind: str | None = None) -> Callable[..., list[CompletionItem]]:
    """Return what offers values to a shell, or leaves it to the shell to find files (kind "file", "dir")."""

    def find(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found = [CompletionItem(value) for value in values if value.startswith(incomplete)]
        return found if kind is None else [CompletionItem(incomplete, type=kind)]

    return find


class Command(click.Command):
    """A command with its options in sections."""

    def __init__(self, name: str, *, params: Sequence[click.Parameter] = (), **attributes: Any) -> None:
        seen = {"--help"}
        for parameter in params:
            words = {parameter.name or "", *parameter.opts, *parameter.secondary_opts}
            for word in sorted(seen & words):  # of a custom algorithm
                word = word.lstrip("-").replace("-", "_")
                raise InputError(
                    f"{name} has a parameter {word!r}, and the command has its own --{word.replace('_', '-')}; call "
                    "the algorithm in Python, or rename the parameter"
                )
            seen |= words
        super().__init__(name, params=list(params), **attributes)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(parameter, "section", "Other options"), []).append(record)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def examples(*lines: str) -> str:
    """Epilog of a command's help: commands that run as they stand."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class _Config(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """Configurations whose kernels run; of the others it says what can be done with them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            for known in _core.configs():
                if value == known["name"]:
                    board = "u280" if known["is_for_hbm"] else "u250"
                    self.fail(
                        f"{error.message} It can only be predicted, for there are no kernels of it to run: gaspipe "
                        f"predict ALGORITHM GRAPH --board {board} --config {value}",
                        param,
                        ctx,
                    )
            raise


def table_option(option: _core.Option, section: str, choices: Sequence[str] = ()) -> Option:
    """Return an option of the core's table, as the command line has it."""
    text = str(option.help)
    dashed = option.name.replace("_", "-")
    if option.kind == "count":
        return threads_option(section)
    if option.kind == "flag":
        return Option(f"--{dashed}/--no-{dashed}", default=option.default, section=section, help=text)
    if option.kind in ("number", "domains"):
        return Option(f"--{dashed}", type=click.IntRange(min=1), metavar="N", section=section, help=text)
    if choices:
        kind: dict[str, Any] = {"type": (_Config if option.name == "config" else click.Choice)(list(choices))}
    else:
        kind = {"metavar": "PATH" if option.kind == "path" else option.name.upper()}
    if option.name == "device":
        found = [place[0] for executor in EXECUTORS.values() for place in executor.found()]
        kind["completes"] = sorted({*EXECUTORS, AUTO, *found})
    shows = option.default is not None
    return Option(f"--{dashed}", default=option.default, show_default=shows, section=section, help=text, **kind)


def table_key(option: _core.Option) -> str:
    """Return the key of an option of the core's table among those of a command."""
    return "threads" if option.kind == "count" else option.name


def threads_option(section: str) -> Option:
    """Return the option --threads."""
    return Option(
        "--threads",
        type=click.IntRange(1, 4096),
        section=section,
        help=next(str(option.help) for option in TABLE if option.kind == "count"),
    )


def progress_option() -> Option:
    """Return the option --no-progress."""
    return Option(
        "--progress/--no-progress",
        default=True,
        section="Other options",
        help="Progress bars on stderr, where that is a terminal and tqdm is installed.",
    )


def argument(value: Any) -> str:
    """Write a value as in a Python program."""
    if not isinstance(value, str):
        return repr(value)
    is_text = value == file_name(value)  # a file's name may be no text
    return json.dumps(value, ensure_ascii=not is_text)


def duration(seconds: float) -> str:
    """Write a time with three digits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}" if seconds < 1000 else f"{seconds:,.0f} s"
    return f"{1e6 * seconds:.3g} us"


def num_bytes(number: int) -> str:
    """Write a size with three digits."""
    size = float(number)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1000 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.3g} {unit}"


def quiet_stdout() -> None:
    """Send what is left for a closed pipe nowhere, so that Python's own flush at exit does not complain."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # not a real file, as in tests
        pass
