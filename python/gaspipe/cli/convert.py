# SPDX-License-Identifier: Apache-2.0
"""`gaspipe convert`: a graph file in another format, and in another shape on the way."""

from __future__ import annotations

import os
import time
from typing import Any

import click
import numpy as np

from .. import _formats
from .._convert import convert
from .._core import MOST_WORKERS, InputError
from .._files import file_name
from ..graph import Graph
from . import progress, source, target
from .options import Command, Option, argument, duration, examples, num_bytes, progress_option, threads_option

SHAPE = "Shaping, in this order"
_OF_BLOCKS = ("memory", "views", "workers")
_SHAPES = ("symmetrize", "simplify", "transpose", "largest_component")


BLOCKS = "Graphs larger than memory"
MEMORY = "1 GB"


def _run(**options: Any) -> None:
    out, threads = options["out"], options["threads"]
    target.check(out, options["to_format"])
    if any(options[name] is not None for name in _OF_BLOCKS):
        return _to_blocks(options)
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
    written = target.write(graph, out, options["to_format"], show_progress=options["progress"])
    click.echo(target.report(graph, out, start))
    click.echo(f"In Python: {read.python}{calls}{written}")


def _to_blocks(options: dict[str, Any]) -> None:
    """Write the edges in blocks, within a budget of memory."""
    file, out = options["file"], options["out"]
    path = source.path_of(file)
    if not _formats.to_write(out, options["to_format"]).is_mapped:
        raise InputError(
            f"{file_name(out)}: --memory, --views and --workers are for .gaspipe files, where edges can lie in blocks"
        )
    shaping = [name for name in (*_SHAPES, "reorder") if options[name]]
    if shaping:
        raise InputError(
            f"--{shaping[0].replace('_', '-')} works on a graph in memory; omit --memory, --views and --workers, or "
            "shape first and convert the outcome"
        )
    views = tuple(view.strip() for view in (options["views"] or "forward").split(","))
    memory = options["memory"] or MEMORY
    details = {"format": options["from_format"], **source.details_of(options)}
    start = time.perf_counter()
    rectangular = _formats.to_read(path, options["from_format"]).holds_rectangular
    with progress.of_files(options["progress"]) as show:
        convert(
            path,
            out,
            memory=memory,
            views=views,
            workers=options["workers"],
            rectangular=rectangular,
            num_threads=options["threads"],
            progress=show,
            **details,
        )
    header = _formats.header_of(out)
    rows, columns = header.shape
    size = f"{rows:,} vertices" if rows == columns else f"{rows:,} x {columns:,}"
    assert header.facts is not None
    weights = "" if header.facts.weights is None else f", {np.dtype(header.facts.weights)} weights"
    lists = ""
    if header.lists is not None:
        lists = f" and as lists for {header.lists.workers} worker{'s' * (header.lists.workers != 1)}"
    took = f"{num_bytes(os.path.getsize(out))} in {duration(time.perf_counter() - start)}"
    click.echo(f"Wrote {file_name(out)}: {size}, {header.num_edges:,} edges{weights}, in blocks{lists} ({took})")
    if rows != columns:
        details["rectangular"] = True
    calls = [argument(path), argument(out), f"memory={argument(memory)}"]
    calls += [f"views={views!r}"] if options["views"] else []
    calls += [f"workers={options['workers']}"] if options["workers"] else []
    calls += [f"{name}={argument(value)}" for name, value in details.items() if source.is_given(name, value)]
    click.echo(f"In Python: gp.convert({', '.join(calls)})")


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
        source.format_option("--from-format", "IN"),
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
        Option(
            "--memory",
            metavar="SIZE",
            section=BLOCKS,
            help="Write the edges in blocks (.gaspipe only), within so much memory: 512MB, 1.5GB, 2GiB. IN may be "
            "larger.",
        ),
        Option(
            "--views",
            metavar="VIEWS",
            section=BLOCKS,
            help="Edges to write in blocks, with commas between: forward (always), reverse, undirected.",
        ),
        Option(
            "--workers",
            type=click.IntRange(1, MOST_WORKERS),
            metavar="N",
            section=BLOCKS,
            help="Write besides the lists that N workers of `bfs --method local_store` read (.gaspipe only); IN may "
            "have those of another number.",
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
        "gaspipe convert huge.txt.xz huge.gaspipe --memory 1GB",
        "gaspipe convert huge.gaspipe eight.gaspipe --workers 8",
    ),
)
