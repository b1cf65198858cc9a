# SPDX-License-Identifier: Apache-2.0
"""The method "local_store" of gp.bfs: Cell's search, on the graph's lists, split by their targets' owners.

Lists of a graph in memory are split where they are needed; those of one that stays in its file were when that was made.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._formats import Streamed
    from .graph import Graph

METHOD = "local_store"


_PARENT = 12  # bytes by vertex that finding parents takes


def run(graph: Graph, root: int, options: _core.RunOptions, *, paths: bool) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return levels and statistics, as `_core.run` does; `paths`: parents will be found as well."""
    core = graph._square("bfs")
    if graph._streamed is not None:
        stored = _stored_lists(graph._streamed, options)
        others = _PARENT * core.num_vertices if paths else 0
        return _core.run_stored_lists(stored, root, options, graph._streamed.scratch_folder(), others)
    num_workers = _core.local_store_workers(options)
    start = time.perf_counter()
    lists = graph._split_lists
    if lists is None or lists.num_workers != num_workers:
        lists = graph._split_lists = _core.SplitLists(core, num_workers, options.num_threads or 0)
    seconds = time.perf_counter() - start
    values, stats = _core.run_local_store(lists, root, options)
    stats["prepare_seconds"] += seconds
    return values, stats


def _stored_lists(streamed: Streamed, options: _core.RunOptions) -> _core.StoredLists:
    if streamed.lists is not None:
        return streamed.lists
    workers = _core.local_store_workers(options)
    name = streamed.name
    raise InputError(
        f"{name} has no lists for workers, which method={METHOD!r} reads of a graph that stays in its file; write "
        f"them: gaspipe convert {name} other.gaspipe --workers {workers}, or load the graph without memory="
    )
