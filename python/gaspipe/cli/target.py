# SPDX-License-Identifier: Apache-2.0
"""The graph file that a command writes."""

from __future__ import annotations

import os
import re
import time

import click

from .._reading import file_name
from ..graph import Graph
from . import output
from .options import Option, argument, duration, num_bytes

SNAPSHOT = "gaspipe"
FORMATS = ("edge_list", "matrix_market", "metis", "dimacs9", "npz", SNAPSHOT)
OUT_HELP = (
    "The name's ending says the format: .gaspipe (mapped into memory when read), .txt, .el or .csv (edge lists), .mtx, "
    ".graph (METIS), .gr (DIMACS-9), .npz; text may also end in .gz, .xz or .bz2."
)


def format_option(name: str) -> Option:
    """Return an option for the format of the file written."""
    return Option(
        name,
        type=click.Choice(FORMATS),
        section="Writing",
        help="Format to write; by default as the name ends.",
    )


def check(path: str, format: str | None) -> None:
    """Raise now what writing would raise after the work: no such directory, no such format."""
    output.check(path)
    if format is None and not _is_snapshot(path):
        ending = re.search(r"\.([a-z]+)(\.(?:gz|xz|bz2))?$", path, re.IGNORECASE)
        from .. import _writing

        _writing._format_of(path, ending[1].lower() if ending else "")


def _is_snapshot(path: str) -> bool:
    return path.lower().endswith(f".{SNAPSHOT}")


def write(graph: Graph, path: str, format: str | None) -> str:
    """Write a graph in the format that the name says, or the given one; return the method call in Python."""
    if format == SNAPSHOT or (format is None and _is_snapshot(path)):
        graph.save(path)
        return f".save({argument(path)})"
    graph.to_file(path, format=format)
    return f".to_file({argument(path)}{'' if format is None else f', format={argument(format)}'})"


def report(graph: Graph, path: str, start: float) -> str:
    """Tell what was written."""
    rows, columns = graph.shape
    size = f"{rows:,} vertices" if rows == columns else f"{rows:,} x {columns:,}"
    weights = "" if graph.weights is None else f", {graph.weights.dtype} weights"
    how = f"{num_bytes(os.path.getsize(path))} in {duration(time.perf_counter() - start)}"
    return f"Wrote {file_name(path)}: {size}, {graph.num_edges:,} edges{weights} ({how})"
