# SPDX-License-Identifier: Apache-2.0
"""The graph file that a command is about."""

from __future__ import annotations

import os
import time
from typing import Any, NamedTuple

import click

from .. import _files
from .._ldbc import beside, ldbc_stem
from .._reading import file_name
from ..graph import Graph
from . import progress
from .options import Option, argument

RECTANGULAR = ("matrix_market", "npz", "gaspipe")  # formats whose matrices need not be square


class Source(NamedTuple):
    """A graph, where it came from, and how to get it in Python."""

    graph: Graph
    name: str
    format: str
    seconds: float
    python: str

    def describe(self) -> str:
        """Tell in one line what was read."""
        g = self.graph
        rows, columns = g.shape
        size = f"{g.num_vertices:,} vertices" if rows == columns else f"{rows:,} x {columns:,}"
        weights = "no weights" if g.weights is None else f"{g.weights.dtype} weights"
        names = "" if g.labels is None else ", labelled"
        what = f"{size}, {g.num_edges:,} edges, {weights}{names}"
        return f"{self.name}: {what} ({self.format}, read in {self.seconds:.2f} s)"

    def as_json(self) -> dict[str, Any]:
        """Tell the same to programs."""
        g = self.graph
        return {
            "file": self.name,
            "format": self.format,
            "num_vertices": g.num_vertices,
            "num_edges": g.num_edges,
            "weights": None if g.weights is None else str(g.weights.dtype),
            "is_labelled": g.labels is not None,
        }


def file_argument() -> click.Argument:
    """Return the argument FILE."""
    return click.Argument(["file"], metavar="FILE", type=click.Path())


def format_option(name: str = "--format", **attributes: Any) -> Option:
    """Return an option for the format of the file read."""
    attributes = {
        "section": "Reading",
        "help": "Format of FILE; by default recognised by name and content.",
    } | attributes
    return Option(name, type=click.Choice(list(_files._READERS)), **attributes)


def format_details() -> list[Option]:
    """Return the options that are for files of one format."""
    return [
        Option(
            "--relabel",
            is_flag=True,
            section="Reading",
            help="Edge lists: number the ids that occur 0, 1, 2, ... and keep them as labels.",
        ),
        Option(
            "--header/--no-header",
            default=None,
            section="Reading",
            help='Edge lists: whether the first line is "vertices edges"; by default if the lines after it agree.',
        ),
        Option(
            "--dialect",
            type=click.Choice(["metis", "dimacs10"]),
            section="Reading",
            help="METIS files: what a 100 in fmt means; by default the number of entries decides.",
        ),
        Option(
            "--directed/--not-directed",
            default=None,
            section="Reading",
            help="LDBC files: whether edges are directed, where no .properties file says so.",
        ),
    ]


def details_of(options: dict[str, Any]) -> dict[str, Any]:
    """Of a command's options, those of `format_details`, as `read` takes them."""
    return {name: options[name] for name in ("relabel", "header", "dialect", "directed")}


def read(
    file: str,
    *,
    format: str | None = None,
    details: dict[str, Any] | None = None,
    undirected: bool = False,
    rectangular: bool = False,
    threads: int | None = None,
    show_progress: bool = False,
) -> Source:
    """Read the file of a command; "-" is standard input."""
    path = "/dev/stdin" if file == "-" else file
    start = time.perf_counter()
    kind = format or _files.recognise(path)
    options: dict[str, Any] = {"format": format, **(details or {})}
    if rectangular and kind in RECTANGULAR:
        options["rectangular"] = True
    with progress.reading(_size(path, kind), show_progress):
        graph = Graph.from_file(path, **options, num_threads=threads)
    if graph.shape[0] == graph.shape[1]:
        options.pop("rectangular", None)
    python = f"gp.Graph.from_file({argument(path)}"
    python += "".join(f", {name}={argument(value)}" for name, value in options.items() if _is_given(name, value)) + ")"
    if undirected:
        graph = graph.symmetrize(num_threads=threads)
        python += ".symmetrize()"
    return Source(graph, file_name(file), kind, time.perf_counter() - start, python)


def _is_given(name: str, value: Any) -> bool:
    return value is not None and not (name in ("relabel", "rectangular") and not value)


def _size(path: str, kind: str) -> int | None:
    """Bytes that will be read, for the progress bar."""
    files = [path]
    if kind == "ldbc":
        stem = ldbc_stem(path)
        files = [name for name in (beside(stem, ".v"), beside(stem, ".e")) if name]
    try:
        return sum(os.path.getsize(name) for name in files)
    except OSError:
        return None
