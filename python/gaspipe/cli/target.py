# SPDX-License-Identifier: Apache-2.0
"""The graph file that a command writes."""

from __future__ import annotations

import os
import time

import click

from .. import _formats
from .._files import file_name
from ..graph import Graph
from . import output, progress
from .options import Option, argument, duration, num_bytes


def _out_help() -> str:
    formats = sorted(_formats.writable().values(), key=lambda format: not format.is_mapped)
    suffixes = ", ".join(format.help for format in formats if format.help)
    return f"The name's ending says the format: {suffixes}; text may also end in .gz, .xz or .bz2."


OUT_HELP = _out_help()


def format_option(name: str) -> Option:
    """Return an option for the format of the file written."""
    return Option(
        name,
        type=click.Choice(list(_formats.writable())),
        section="Writing",
        help="Format to write; by default as the name ends.",
    )


def check(path: str, format: str | None) -> None:
    """Raise before the work what writing would raise after it: no such directory, no such format."""
    output.check(path)
    _formats.to_write(path, format)


def write(graph: Graph, path: str, format: str | None, *, show_progress: bool) -> str:
    """Write a graph in the format that the name says, or the given one; return the method call in Python."""
    kind = _formats.to_write(path, format)
    is_plain = path.lower().endswith(tuple(f".{suffix}" for suffix in kind.suffixes))
    with progress.of_files(show_progress) as shown:
        if kind.is_mapped and (is_plain or format is not None):
            graph.save(path, progress=shown)
            return f".save({argument(path)})"
        graph.to_file(path, format=format, progress=shown)
    return f".to_file({argument(path)}{'' if format is None else f', format={argument(format)}'})"


def report(graph: Graph, path: str, start: float) -> str:
    """Line that says what was written."""
    rows, columns = graph.shape
    size = f"{rows:,} vertices" if rows == columns else f"{rows:,} x {columns:,}"
    weights = "" if graph.weights is None else f", {graph.weights.dtype} weights"
    how = f"{num_bytes(os.path.getsize(path))} in {duration(time.perf_counter() - start)}"
    return f"Wrote {file_name(path)}: {size}, {graph.num_edges:,} edges{weights} ({how})"
