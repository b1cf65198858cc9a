# SPDX-License-Identifier: Apache-2.0
"""Files whose rows have columns: which of them are the ends of an edge and its weight, and the graph that they make."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence, Set
from typing import Any

from .. import _tables
from .._core import GraphFormatError, InputError
from ._record import DIRECTED, Option, Reading, ReadOptions

_COLUMNS = Option(
    "columns",
    "--columns",
    "Tables of edges: names of the columns with source, destination and, where there are any, weights; by default "
    "told by their names or, of two or three, by their order.",
    metavar="NAME,NAME[,NAME]",
)
_RELABEL = Option(
    "relabel",
    "--relabel",
    "Tables of edges: the same; names, as opposed to integers, always are labels.",
    default=False,
)

OPTIONS = (_COLUMNS, _RELABEL, DIRECTED)


def arrow(name: str, kind: str, module: str) -> tuple[Any, Any]:
    """Import pyarrow, which reads such files, and a module of it."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module(f"pyarrow.{module}")
    except ImportError:
        raise InputError(f"{name}: {kind} is read with pyarrow, which is missing; pip install pyarrow") from None


def ends_and_weight(name: str, names: list[str], options: ReadOptions) -> list[str]:
    """Names of the columns with source, destination and, where there is one, weight."""
    listed = ", ".join(map(repr, names))
    given = options.columns
    if given is None:
        try:
            at = _tables.choose(names, None, None, None)
        except InputError:
            raise InputError(
                f"{name}: cannot tell which columns are the ends of the edges; give columns= with the names of source, "
                f"destination and, where there are any, weights; the columns are {listed}"
            ) from None
        return [names[i] for i in at if i is not None]
    check_columns(given)
    try:
        _tables.choose(names, *given, *[False] * (3 - len(given)))  # they are there, once each
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    return list(given)


def check_columns(given: Sequence[str] | None) -> None:
    """Refuse what is no names of two ends and, if any, weights."""
    if given is None:
        return
    is_ordered = isinstance(given, Iterable) and not isinstance(given, (str, Set))
    names = list(given) if is_ordered else []
    if len(names) not in (2, 3) or not all(isinstance(each, str) for each in names):
        raise InputError(f"columns is {given!r}; give two or three names: source, destination and, if any, weight")


def graph_of(name: str, table: Any, ends: list[str], options: ReadOptions) -> Reading:
    """Make the graph of a pyarrow.Table."""
    if table.num_rows == 0:
        raise GraphFormatError(f"{name}: there is no row below the names of the columns")
    source, destination, *rest = ends
    weight = rest[0] if rest else False
    relabel = options.relabel or None
    try:
        directed = options.directed is not False
        return Reading(
            *_tables.from_table(table, source, destination, weight, directed, relabel, None, options.threads)
        )
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
