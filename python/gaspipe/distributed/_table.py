# SPDX-License-Identifier: Apache-2.0
"""Edges of a table whose vertices are integers."""

from __future__ import annotations

from typing import Any

from .. import _inputs, _tables
from .._core import InputError
from ._pieces import Piece


def piece_of_table(table: Any, source: Any, destination: Any, weight: Any) -> Piece:
    """Return the edges of a table; InputError where its vertices have names."""
    if not _tables.is_table(table):
        raise InputError(
            f"cannot read edges from {_inputs.kind(table)}; a table (pandas, polars, pyarrow) is needed, also on ranks "
            "that have no edges"
        )
    sources, targets, weights = _tables.edges_of(table, source, destination, weight)
    return (
        _inputs.ids_of("source", sources),
        _inputs.ids_of("destination", targets),
        _inputs.weights_of(weights),
    )
