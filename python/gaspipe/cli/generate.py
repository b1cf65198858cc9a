# SPDX-License-Identifier: Apache-2.0
"""`gaspipe generate`: a command per generator, its options from the signature, their help from the docstring."""

from __future__ import annotations

import inspect
import re
import time
from typing import Any, Callable

import click

from .. import generate
from ..graph import Graph
from . import progress, target
from .options import Command, Option, examples, progress_option, threads_option

# What makes a small graph of each kind, for the examples.
_EXAMPLES = {
    "kronecker": ("--scale 10 --out web.txt.gz", "--scale 10 --weights 1 9 --out roads.gr.gz"),
    "rmat": ("--scale 10 --a 0.45 --b 0.22 --out web.gaspipe", "--scale 10 --no-permute --out web.mtx"),
    "uniform": ("1000 16000 --out web.txt.gz", "1000 16000 --symmetric --seed 7 --out web.graph"),
    "grid": ("30 40 --out grid.mtx", "30 40 --weights 1 9 --out grid.gr"),
    "star": ("1000 --out star.txt", "1000 --no-symmetric --out star.npz"),
    "chain": ("1000 --out chain.txt", "1000 --weights 1 9 --seed 7 --out chain.gr"),
    "complete": ("100 --out complete.mtx", "100 --weights 1 9 --out complete.gaspipe"),
    "acyclic": ("100 --out acyclic.txt.xz", "100 --weights 1 9 --out acyclic.gr"),
}
_NUMBERS: dict[str, Any] = {"int": click.INT, "float": click.FLOAT}


def make_command(kind: str) -> Command:
    """Return the command of one generator."""
    function: Callable[..., Graph] = getattr(generate, kind)
    signature = inspect.signature(function)
    documented = parameter_docs(kind)
    asked: list[click.Parameter] = []
    for name, parameter in signature.parameters.items():
        if name not in ("num_threads", "progress"):
            asked.append(_parameter(parameter, documented.get(name, "")))
    arguments = [p for p in asked if isinstance(p, click.Argument)]
    text = (inspect.getdoc(function) or "").split("\n\nParameters\n")[0]
    text = re.sub(r" \[\d\]_", "", text)
    for p in arguments:
        text += f"\n\n{p.make_metavar_name()}: {documented.get(p.name or '', '')}" if isinstance(p, _Argument) else ""

    def callback(out: str, format: str | None, threads: int | None, **options: Any) -> None:
        target.check(out, format)
        start = time.perf_counter()
        show_progress = options.pop("progress")
        with progress.of_phases(kind, show_progress) as show:
            graph = function(**options, num_threads=threads, progress=show)
        call = target.write(graph, out, format, show_progress=show_progress)
        click.echo(target.report(graph, out, start))
        given = [repr(options[str(p.name)]) for p in arguments]
        for name, parameter in signature.parameters.items():
            if name in options and options[name] != parameter.default and parameter.default is not parameter.empty:
                given.append(f"{name}={options[name]!r}")
        click.echo(f"In Python: gp.generate.{kind}({', '.join(given)}){call}")

    return Command(
        kind,
        callback=callback,
        params=[
            *arguments,
            *[p for p in asked if p not in arguments],
            Option("--out", required=True, metavar="PATH", section="Writing", help=target.OUT_HELP),
            target.format_option("--format"),
            threads_option("Other options"),
            progress_option(),
        ],
        help=text,
        epilog=examples(*(f"gaspipe generate {kind} {rest}" for rest in _EXAMPLES.get(kind, ()))),
    )


class _Argument(click.Argument):
    def make_metavar_name(self) -> str:
        """Name as the usage line shows it."""
        return str(self.name).upper()


def _parameter(parameter: inspect.Parameter, text: str) -> click.Parameter:
    name, section = parameter.name, "The graph"
    flag = "--" + name.replace("_", "-")
    annotation = str(parameter.annotation)
    if parameter.default is parameter.empty:
        return _Argument([name], type=_NUMBERS[annotation])
    if annotation == "bool":
        return Option(
            f"{flag}/--no-{flag[2:]}", default=parameter.default, show_default=True, section=section, help=text
        )
    if name == "weights":
        return Option(flag, nargs=2, type=click.INT, metavar="LOW HIGH", section=section, help=text)
    return Option(
        flag, type=_NUMBERS[annotation], default=parameter.default, show_default=True, section=section, help=text
    )


def parameter_docs(kind: str) -> dict[str, str]:
    """What the docstring says of every parameter; "As in `x`" is looked up there."""
    doc = inspect.getdoc(getattr(generate, kind)) or ""  # "": python -OO has none
    of_parameters = doc.partition("Parameters\n----------\n")[2]
    block = re.split(r"\n\n(?:Raises|References|Returns)\n-+\n", of_parameters)[0]
    found: dict[str, str] = {}
    for names, lines in re.findall(r"^(\w[\w, ]*?)(?: : .*)?\n((?:    .*(?:\n|$))+)", block, re.MULTILINE):
        text = " ".join(lines.split())
        for name in names.split(", "):
            reference = re.match(r"As in `(\w+)`[.;]\s*", text)
            said = parameter_docs(reference[1]).get(name, "") if reference else ""
            rest = text[reference.end() :] if reference else text
            found[name] = f"{said} {rest[:1].upper()}{rest[1:]}".strip()
    return {name: _for_options(text) for name, text in found.items()}


def _for_options(text: str) -> str:
    return text.replace("True: ", "Yes: ").replace("False: ", "No: ")


command = click.Group(
    "generate",
    commands=[make_command(kind) for kind in generate.__all__],
    help="Write a graph made by a recipe. The same arguments make the same graph on every machine.",
    short_help="Write a graph made by a recipe.",
    epilog=examples(
        "gaspipe generate kronecker --scale 12 --out web.txt.gz",
        "gaspipe generate grid 30 40 --weights 1 9 --out roads.gr.gz",
    ),
)
