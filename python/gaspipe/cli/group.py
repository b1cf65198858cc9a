# SPDX-License-Identifier: Apache-2.0
"""The group of all commands: finds them, shows them in sections, and turns what goes wrong into exit codes."""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import click
from click.exceptions import Exit

from .. import Error
from .._build_info import build_info, describe
from .._files import file_name
from . import algorithm, build, cache, completion, convert, devices, doctor, generate, info, new, own, predict, show
from .options import INPUT_ERROR, examples, quiet_stdout

INTERRUPTED = 130  # as a process that SIGINT ended
BROKEN_PIPE = 141  # as one that SIGPIPE ended

_HELP = """Graph analytics as gather-apply-scatter pipelines: BFS levels, shortest paths, PageRank of a graph file.

FILE is an edge list (SNAP, CSV), Matrix Market, METIS, DIMACS-9, LDBC, npz, GAP, GraphML, Parquet or .gaspipe file,
plain or packed (.gz, .xz, .bz2); "-" reads standard input. "gaspipe COMMAND --help" shows options and examples.

An algorithm of your own (gp.Algorithm) in a Python file is a command too: gaspipe my.py::name FILE; "gaspipe new"
writes such a file. Files listed in GASPIPE_ALGORITHMS, with : between them, make theirs commands by name."""

_VERSION_HELP = "Show the version, the commit and what it was built with, and exit."

_EXIT_CODES = """\b
Exit codes:
  0    done (a run that did not converge warns, and says so in --json)
  1    an answer differs (--verify, demo); a problem (doctor, devices --check)
  2    wrong usage: an unknown command or option, a value of the wrong kind
  3    wrong input: a file, graph or argument that cannot be used
  4    a tool failed that gaspipe ran (v++)
  130  interrupted with Ctrl-C
  141  standard output was closed early, as by "| head"
"""


class Commands(click.Group):
    """One command per registered algorithm, generated from its description, beside the fixed ones."""

    def __init__(self) -> None:
        super().__init__(
            "gaspipe",
            help=_HELP,
            epilog=_EXIT_CODES
            + "\n"
            + examples("gaspipe demo", "gaspipe info web.txt.gz", "gaspipe bfs web.txt.gz --root 0 --out depth.npy"),
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        )
        self.params += [
            click.Option(["--version"], is_flag=True, expose_value=False, callback=_version, help=_VERSION_HELP),
            click.Option(["--json", "as_json"], is_flag=True, is_eager=True, help="With --version: one JSON object."),
        ]
        self.sections = {
            "Graph files": (info.command, generate.command, convert.command),
            "Hardware": (devices.command, predict.command, build.command),
            "Algorithms of your own": (new.command, cache.command),
            "More": (show.algorithms, show.demo, doctor.command, completion.command),
        }
        for commands in self.sections.values():
            for command in commands:
                self.add_command(command)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Algorithms first."""
        return [a.name for a in own.descriptions()] + list(self.commands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Find a command; article-rank is article_rank too."""
        fixed = self.commands.get(name)
        if fixed is not None:
            return fixed
        description = own.find(name)
        if description is None:
            description = next((a for a in own.descriptions() if a.name == name.replace("-", "_")), None)
        return None if description is None else algorithm.make_command(description)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a call, or say what may have been meant."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            text = f"No such command {name!r}."
            near = difflib.get_close_matches(name.replace("-", "_"), self.list_commands(ctx), 1)
            if os.path.exists(name):
                text += f" It is a file: try 'gaspipe info {name}'."
            elif near:
                text += f" Did you mean {near[0]!r}?"
            ctx.fail(text)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the commands in sections, each with an example."""
        descriptions = own.descriptions()
        limit = formatter.width - 6 - max(len(name) for name in self.list_commands(ctx))
        rows = [(a.name, _short(a.summary, limit)) for a in descriptions]
        sections = [("Algorithms, e.g. gaspipe pagerank web.txt.gz --top 10", rows)]
        for title, commands in self.sections.items():
            rows = [(str(c.name), c.get_short_help_str(limit)) for c in commands]
            example = {
                "Graph files": "gaspipe info web.txt.gz",
                "Hardware": "gaspipe devices --check",
                "Algorithms of your own": "gaspipe new my_algorithm",
            }.get(title, "gaspipe algorithms")
            sections.append((f"{title}, e.g. {example}", rows))
        width = max(len(name) for name in self.list_commands(ctx))
        for title, rows in sections:
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        if ctx.params["as_json"]:
            ctx.fail("--json before a command is for --version; give it after the command: gaspipe info FILE --json")
        with _telling_errors():
            value = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
            return value

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the arguments, which prints what --version and --help tell."""
        with _telling_errors():
            return super().make_context(*args, **options)

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command; a letter that the encoding of a stream lacks shows as its number: \\u0142."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        return super().main(*args, **options)


@contextlib.contextmanager
def _telling_errors() -> Iterator[None]:
    """What can go wrong becomes one line on stderr and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        _tell("\nInterrupted" if sys.stderr is not None and sys.stderr.isatty() else "Interrupted")
        raise Exit(INTERRUPTED) from None
    except BrokenPipeError:
        quiet_stdout()
        raise Exit(BROKEN_PIPE) from None
    except (Error, OSError, ImportError, MemoryError) as error:
        _tell(f"Error: {_message(error)}")
        raise Exit(INPUT_ERROR) from None


def _tell(text: str) -> None:
    with contextlib.suppress(OSError):  # the exit code tells, too
        click.echo(text, err=True)


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(json.dumps(build_info()) if ctx.params["as_json"] else describe())
        ctx.exit()


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{file_name(error.filename)}: "
        return f"{where}{error.strerror}"
    if isinstance(error, MemoryError):
        return f"not enough memory {error}".strip()
    text, colon, lines = str(error).partition(":\n")
    text = " ".join(text.split())
    return f"{text}:\n{lines}" if colon else text  # lines of a program, with marks below them


def _short(text: str, limit: int) -> str:
    if len(text) > limit:
        text = text.split(":")[0].rstrip(".") + "."
    return text if len(text) <= limit else text[: limit - 3].rsplit(" ", 1)[0] + "..."
