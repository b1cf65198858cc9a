# SPDX-License-Identifier: Apache-2.0
"""Edges of Dask's dataframes on their way to ranks: from worker to worker, not through the client."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import TYPE_CHECKING, Any

from ..._core import Error, InputError
from .._pieces import Piece, Pieces
from . import rank as on_worker
from .ranks import Ranks

if TYPE_CHECKING:
    from .._graph import DistributedGraph
    from .._world import World

_LOOK = 0.2


class Brought:
    """Edges that lie with the ranks; as an argument on a rank, the list of its pieces, which are then its caller's."""

    def __init__(self, world: str) -> None:
        self.world = world
        self.token = secrets.token_hex(8)


def bring(ranks: Ranks, table: Any, columns: tuple[Any, Any, Any], token: str) -> None:
    """Compute the parts of a table, and let the rank that is nearest take the edges of each."""
    client = ranks.client
    parts = client.compute(_parts(table))
    _wait(ranks, parts)
    where = client.who_has(parts)
    load = [0] * ranks.size
    kept = []
    for number, part in enumerate(parts):
        near = [rank for rank, address in enumerate(ranks.addresses) if address in where.get(part.key, ())]
        rank = min(near or range(ranks.size), key=load.__getitem__)
        load[rank] += 1
        task = client.submit(
            on_worker.keep,
            part,
            ranks.id,
            token,
            number,
            columns,
            key=f"{ranks.id}-keep-{token}-{number}",
            workers=[ranks.addresses[rank]],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        kept.append(task)
    del parts, part  # a part's memory is free once its edges are taken
    _wait(ranks, kept)
    for number, task in enumerate(kept):
        error = task.exception()
        if isinstance(error, Error):
            raise type(error)(f"partition {number} of the table: {error}") from None
        if error is not None:
            raise error


def _parts(table: Any) -> list[Any]:
    """Return the partitions, as Dask's delayed objects or futures."""
    from dask.delayed import Delayed
    from distributed import Future

    parts = table.to_delayed() if hasattr(table, "to_delayed") else table
    if isinstance(parts, (list, tuple)) and parts and all(isinstance(part, (Delayed, Future)) for part in parts):
        return list(parts)
    raise InputError(
        f"the table is a {type(table).__name__}; a Dask dataframe is needed, or a list of Delayed or Future. Tables of "
        "this process become one by dask.dataframe.from_pandas, and arrays go to world.edges"
    )


def _wait(ranks: Ranks, futures: list[Any]) -> None:
    """Wait until tasks have ended, or a rank is lost."""
    from distributed import wait

    while True:
        with contextlib.suppress(TimeoutError, asyncio.TimeoutError):  # one class from Python 3.11 on
            wait(futures, timeout=_LOOK)
            return
        ranks.check()


# On ranks.


def graph_of(
    world: World,
    edges: list[Piece],
    *,
    undirected: bool,
    directed: bool | None,
    strategy: Any,
    num_vertices: int | None,
) -> DistributedGraph:
    """Make a graph of the edges that have been brought."""
    return world._graph(Pieces(edges), strategy, num_vertices, undirected, directed)


def drop(world: World, edges: list[Piece]) -> None:
    """Give up edges that have been brought."""
