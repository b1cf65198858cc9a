# SPDX-License-Identifier: Apache-2.0
"""`gaspipe convert`: a graph file in another format, and in another shape on the way."""

from __future__ import annotations

import time
from typing import Any

import click

from .. import _formats
from ..graph import Graph
from . import source, target
from .options import Command, Option, argument, examples, progress_option, threads_option

SHAPE = "Shaping, in this order"


def _run(**options: Any) -> None:
    out, threads = options["out"], options["threads"]
    target.check(out, options["to_format"])
    read = source.read(
        options["file"],
        format=options["from_format"],
        details=source.details_of(options),
        rectangular=True,
        threads=threads,
        show_progress=options["progress"],
    )
    click.echo(read.describe())
    start = time.perf_counter()
    graph, calls = shaped(read.graph, options)
    written = target.write(graph, out, options["to_format"])
    click.echo(target.report(graph, out, start))
    click.echo(f"In Python: {read.python}{calls}{written}")


def shaped(graph: Graph, options: dict[str, Any]) -> tuple[Graph, str]:
    """Return the graph in the shape asked for, and the calls that make it."""
    how: dict[str, Any] = {"num_threads": options["threads"]}
    calls = ""
    if options["symmetrize"]:
        graph, calls = graph.symmetrize(**how), calls + ".symmetrize()"
    if options["simplify"]:
        graph, calls = graph.simplify(**how), calls + ".simplify()"
    if options["transpose"]:
        graph, calls = graph.transpose(**how), calls + ".transpose()"
    if options["largest_component"]:
        graph, calls = graph.largest_component(**how), calls + ".largest_component()"
    if options["reorder"]:
        graph = graph.reorder(options["reorder"], **how)
        calls += f".reorder({argument(options['reorder'])})"
    return graph, calls


def _shape(name: str, text: str) -> Option:
    return Option(name, is_flag=True, section=SHAPE, help=text)


def _labels_help() -> str:
    keepers = [f".{each.suffixes[0]}" for each in _formats.writable().values() if each.holds_labels]
    verb = "keeps" if len(keepers) == 1 else "keep"
    return f"Only {' and '.join(keepers)} {verb} labels; elsewhere vertices are numbered from 0."


command = Command(
    "convert",
    callback=_run,
    params=[
        click.Argument(["file"], metavar="IN", type=click.Path()),
        click.Argument(["out"], metavar="OUT", type=click.Path()),
        source.format_option("--from-format", help="Format of IN; by default recognised by name and content."),
        *source.format_details(),
        _shape("--symmetrize", "Every edge in both directions, without repetition."),
        _shape("--simplify", "Without self-loops and parallel edges; the smallest weight stays."),
        _shape("--transpose", "Every edge reversed."),
        _shape("--largest-component", "The largest weakly connected component, numbered anew."),
        Option(
            "--reorder",
            type=click.Choice(["degree", "hub"]),
            section=SHAPE,
            help="Number the vertices anew: by falling degree, or hubs together.",
        ),
        target.format_option("--to-format"),
        threads_option("Other options"),
        progress_option(),
    ],
    help=f"""Write a graph file in another format, and in another shape if told.

OUT: {target.OUT_HELP}

{_labels_help()}""",
    short_help="Write a graph file in another format or shape.",
    epilog=examples(
        "gaspipe convert web.txt.gz web.gaspipe",
        "gaspipe convert roads.gr.gz roads.mtx --largest-component --reorder hub",
        "gaspipe convert web.txt.gz web.graph --symmetrize --simplify",
    ),
)
