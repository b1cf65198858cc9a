# SPDX-License-Identifier: Apache-2.0
"""The graph file that a command is about."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import click

from .. import _formats
from .._files import STANDARD_INPUT, file_name
from ..graph import Graph
from . import progress
from .options import Option, argument


class Source(NamedTuple):
    """A graph, where it came from, and how to get it in Python."""

    graph: Graph
    name: str
    format: str
    seconds: float
    python: str

    def describe(self) -> str:
        """One line that says what was read."""
        g = self.graph
        rows, columns = g.shape
        size = f"{g.num_vertices:,} vertices" if rows == columns else f"{rows:,} x {columns:,}"
        dtype = g._core.weights_dtype
        weights = "no weights" if dtype is None else f"{dtype} weights"
        names = "" if g.labels is None else ", labelled"
        what = f"{size}, {g.num_edges:,} edges, {weights}{names}"
        return f"{self.name}: {what} ({self.format}, read in {self.seconds:.2f} s)"

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        g = self.graph
        return {
            "file": self.name,
            "format": self.format,
            "num_vertices": g.num_vertices,
            "num_edges": g.num_edges,
            "weights": None if g._core.weights_dtype is None else str(g._core.weights_dtype),
            "is_labelled": g.labels is not None,
        }


def file_argument() -> click.Argument:
    """Return the argument FILE."""
    return click.Argument(["file"], metavar="FILE", type=click.Path())


def path_of(file: str) -> str:
    """Return the path of FILE; "-" is standard input."""
    return STANDARD_INPUT if file == "-" else file


def format_option(name: str = "--format", file: str = "FILE", **attributes: Any) -> Option:
    """Return an option for the format of the file read."""
    attributes = {
        "section": "Reading",
        "metavar": "FORMAT",
        "help": f"Format of {file}: {', '.join(_formats.known())}; by default recognised by name and content.",
    } | attributes
    return Option(name, type=click.Choice(list(_formats.known())), **attributes)


def format_details() -> list[Option]:
    """Return the options that are for files of some formats only."""
    found = []
    for options in _details().values():
        first = options[0]
        kind: dict[str, Any] = {"type": click.Choice(first.choices)} if first.choices else {"is_flag": True}
        if first.metavar:
            kind = {"metavar": first.metavar}
        text = " ".join(dict.fromkeys(option.help for option in options))
        found.append(Option(first.flags, section="Reading", help=text, default=first.default, **kind))
    return found


def details_of(options: dict[str, Any]) -> dict[str, Any]:
    """Of a command's options, those of `format_details`, as `read` takes them."""
    found = {name: options[name] for name in _details()}
    if found["columns"] is not None:
        found["columns"] = [name.strip() for name in found["columns"].split(",")]
    return found


def _details() -> dict[str, list[_formats.Option]]:
    """Options by name; formats may share one."""
    found: dict[str, list[_formats.Option]] = {}
    for format in _formats.known().values():
        for option in format.options:
            found.setdefault(option.name, []).append(option)
    return found


def read(
    file: str,
    *,
    format: str | None = None,
    details: dict[str, Any] | None = None,
    undirected: bool = False,
    rectangular: bool = False,
    threads: int | None = None,
    memory: str | None = None,
    show_progress: bool = False,
) -> Source:
    """Read the file of a command. With `memory` its edges stay there."""
    if memory is not None:
        return _opened(file, memory, undirected, details or {}, threads)
    path = path_of(file)
    start = time.perf_counter()
    kind = _formats.to_read(path, format)
    options: dict[str, Any] = {"format": format, **(details or {})}
    if rectangular and kind.holds_rectangular:
        options["rectangular"] = True
    with progress.of_files(show_progress) as shown:
        graph = Graph.from_file(path, **options, num_threads=threads, progress=shown)
    if graph.shape[0] == graph.shape[1]:
        options.pop("rectangular", None)
    python = f"gp.Graph.from_file({argument(path)}"
    python += "".join(f", {name}={argument(value)}" for name, value in options.items() if is_given(name, value)) + ")"
    if undirected:
        graph = graph.symmetrize(num_threads=threads)
        python += ".symmetrize()"
    return Source(graph, file_name(file), kind.name, time.perf_counter() - start, python)


def _opened(file: str, memory: str, undirected: bool, details: dict[str, Any], threads: int | None) -> Source:
    given = ["--undirected"] * undirected + [
        f"--{name}" for name, value in details.items() if is_given(name, value) and value is not False
    ]
    if given:
        raise click.UsageError(f"{given[0]} is for graphs that are read into memory, not with --memory")
    start = time.perf_counter()
    path = path_of(file)
    graph = Graph.load(path, memory=memory, num_threads=threads)
    python = f"gp.Graph.load({argument(path)}, memory={argument(memory)})"
    return Source(graph, file_name(file), "gaspipe, edges stay there", time.perf_counter() - start, python)


def memory_option() -> Option:
    """Return the option that leaves edges in their file."""
    return Option(
        "--memory",
        metavar="SIZE",
        section="Reading",
        help="Leave the edges in FILE, a .gaspipe file with blocks (`gaspipe convert --memory`), and keep the process "
        'to this: "512MB", "2GiB".',
    )


def is_given(name: str, value: Any) -> bool:
    """Whether an option of reading is other than its default."""
    return value is not None and not (name in ("relabel", "rectangular") and not value)
