# SPDX-License-Identifier: Apache-2.0
"""METIS's rows of neighbours, and DIMACS-10's dialect of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core import InputError, MetisParser, TextFormat
from .._files import Path, file_name
from ._record import Fill, Format, Option, Reading, ReadOptions, WriteOptions
from ._text import feed, text_of

if TYPE_CHECKING:
    from ..graph import Graph

_DIALECTS = ("metis", "dimacs10")


def read(path: Path, options: ReadOptions) -> Reading:
    """Read the rows, and weights and sizes of the vertices as vertex data."""
    _check_dialect(options.dialect)
    parser = MetisParser(file_name(path), options.threads, options.dialect or "auto", options.directed is True)
    feed(parser, path)
    n, offsets, targets, weights, vertex_weights, ncon, vertex_sizes = parser.finish()
    core = _core.Graph.from_csr(n, n, offsets, targets, weights, False, options.threads)
    vertex_data = {}
    if vertex_weights is not None:
        vertex_data["weights"] = vertex_weights.reshape(n, ncon)
    if vertex_sizes is not None:
        vertex_data["sizes"] = vertex_sizes
    return Reading(core, None, vertex_data)


def write(graph: Graph, options: WriteOptions, suffix: str) -> Fill:
    """METIS, or DIMACS-10 with loops and parallel edges."""
    _check_dialect(options.dialect)
    n = graph.num_vertices
    data = graph.vertex_data
    weights, sizes = (_vertex_column(data, name, n) for name in ("weights", "sizes"))
    ncon = 0 if weights is None else weights.size // n
    return text_of(
        _core.GraphText(
            graph._core,
            TextFormat.METIS,
            options.threads,
            is_multigraph=options.dialect == "dimacs10",
            num_constraints=ncon,
            vertex_weights=weights if ncon else None,
            vertex_sizes=sizes,
        )
    )


def _check_dialect(dialect: str | None) -> None:
    if dialect is not None and dialect not in _DIALECTS:
        raise InputError(f"dialect is {dialect!r}; allowed are {' and '.join(map(repr, _DIALECTS))}")


def _vertex_column(data: Any, name: str, n: int) -> NDArray[np.int64] | None:
    """Weights or sizes of the vertices, by vertex in one dimension."""
    values = data.get(name)
    if values is None:
        return None
    values = np.asarray(values)
    most_dimensions = 2 if name == "weights" else 1
    if values.dtype.kind not in "iu" or not 1 <= values.ndim <= most_dimensions or len(values) != n:
        shapes = f"({n}, ncon)" if name == "weights" else f"({n},)"
        raise InputError(
            f'vertex_data["{name}"] has dtype {values.dtype}, shape {values.shape}; METIS files take integers of '
            f"shape {shapes}"
        )
    if values.dtype.kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
        raise InputError(f'vertex_data["{name}"] goes up to {values.max()}; METIS files take up to 2**63 - 1')
    return np.ascontiguousarray(values, np.int64).reshape(-1)


FORMAT = Format(
    name="metis",
    suffixes=("graph", "metis"),
    read=read,
    write=write,
    options=(
        Option(
            "dialect",
            "--dialect",
            "METIS files: what a 100 in fmt means; by default the number of entries decides.",
            choices=_DIALECTS,
        ),
        Option(
            "directed",
            "--directed/--not-directed",
            "METIS files: with --directed every edge is listed one way, by its source, and counts as one.",
        ),
    ),
    write_options=("dialect",),
    help=".graph (METIS)",
    place=30,
)
