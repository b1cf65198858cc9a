# SPDX-License-Identifier: Apache-2.0
"""SNAP's edge lists, with or without a header of counts."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core import EdgeListParser, EdgeSyntax, GraphFormatError, InputError, TextFormat
from .._files import Path, file_name
from ._arrays import MOST_VERTICES
from ._intake import Intake
from ._record import DIRECTED, Fill, Format, Option, Reading, ReadOptions, Vertices, WriteOptions
from ._text import feed, graph_of, stream, text_of

if TYPE_CHECKING:
    from ..graph import Graph

_SEPARATORS = {"txt": " ", "el": " ", "wel": " ", "edges": " ", "edgelist": " ", "tsv": "\t", "csv": ","}


def read(path: Path, options: ReadOptions) -> Reading:
    """Read the list; `relabel` makes its ids labels."""
    parser = EdgeListParser(file_name(path), options.threads, EdgeSyntax.PLAIN, header=options.header)
    feed(parser, path, functools.partial(_refuse_matrix_market, path))
    *edges, num_vertices, labels = parser.finish(options.relabel)
    return Reading(graph_of(edges, num_vertices, options), labels)


def stream_edges(path: Path, options: ReadOptions, intake: Intake) -> Vertices:
    """Hand edges over as they are read."""
    size = intake.text_buffer()
    parser = EdgeListParser(
        file_name(path), options.threads, EdgeSyntax.PLAIN, header=options.header, buffer_bytes=size
    )
    n = stream(parser, path, intake, size, options, functools.partial(_refuse_matrix_market, path))
    return Vertices((n, n))


def _refuse_matrix_market(path: Path, start: bytes) -> None:
    """Its banner would be a comment, and its sizes an edge: in a pipe nothing else tells the format."""
    if start.startswith(b"%%MatrixMarket"):
        raise GraphFormatError(f'{file_name(path)}: a Matrix Market file; read it with format="matrix_market"')


def write(graph: Graph, options: WriteOptions, suffix: str) -> Fill:
    """Lines of source, destination and weight, after a header unless there is to be none."""
    names = _integer_labels(graph) if options.labels else None
    # With names a header would be an edge to a reader, unless that is told.
    header = not options.labels if options.header is None else bool(options.header)
    if options.header is None and names is not None:
        _refuse_first_line_like_header(graph, names)
    return text_of(
        _core.GraphText(
            graph._core,
            TextFormat.EDGE_LIST,
            options.threads,
            header=header,
            separator=_SEPARATORS.get(suffix, " "),
            names=names,
        )
    )


def _integer_labels(graph: Graph) -> NDArray[np.int64]:
    if graph.labels is None:
        raise InputError("this graph has no labels; without labels=True the ids are written")
    values = graph.labels
    if values.dtype.kind not in "iu":
        for vertex, value in enumerate(values.tolist()):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise InputError(
                    f"vertex {vertex} has the label {value!r}; labels in an edge list are integers, or leave out "
                    "labels=True to write the ids"
                )
    if len(values) and not 0 <= values.min() <= values.max() <= np.iinfo(np.int64).max:
        raise InputError(
            f"labels go from {values.min()} to {values.max()}; those in an edge list go from 0 to 2**63 - 1"
        )
    names = np.ascontiguousarray(values, np.int64)
    ordered = np.sort(names)
    twice = np.flatnonzero(ordered[1:] == ordered[:-1])
    if twice.size:
        raise InputError(f"two vertices have the label {ordered[twice[0]]}; an edge list would make one of them")
    return names


def _refuse_first_line_like_header(graph: Graph, names: NDArray[np.int64]) -> None:
    """A reader takes "a b" for the counts if b lines follow, all of ids below a."""
    if graph.is_weighted or graph.num_edges == 0:
        return
    degrees = graph.out_degrees()
    a, b = int(names[np.flatnonzero(degrees)[0]]), int(names[graph.indices[0]])
    if b != graph.num_edges - 1 or not 1 <= a <= MOST_VERTICES:
        return
    degrees[np.flatnonzero(degrees)[0]] -= 1
    later, sources = graph.indices[1:], np.flatnonzero(degrees)
    if all(names[ids].max(initial=-1) < a for ids in (later, sources)):
        raise InputError(
            f'the first line, "{a} {b}", would be read as a header; use header=False, and read the file with '
            "header=False too"
        )


FORMAT = Format(
    name="edge_list",
    suffixes=tuple(_SEPARATORS),
    read=read,
    stream=stream_edges,
    write=write,
    takes_rest=True,
    options=(
        Option(
            "relabel",
            "--relabel",
            "Edge lists: number the ids that occur 0, 1, 2, ... and keep them as labels.",
            default=False,
        ),
        Option(
            "header",
            "--header/--no-header",
            'Edge lists: whether the first line is "vertices edges"; by default if the lines after it agree.',
        ),
        DIRECTED,
    ),
    write_options=("header", "labels"),
    help=".txt, .el or .csv (edge lists)",
    place=10,
)
