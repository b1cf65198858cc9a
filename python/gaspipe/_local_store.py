# SPDX-License-Identifier: Apache-2.0
"""The method "local_store" of gp.bfs: Cell's search, on the graph's lists, split by their targets' owners."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .graph import Graph

METHOD = "local_store"


def run(graph: Graph, root: int, options: _core.RunOptions) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return levels and statistics, as `_core.run` does."""
    core = graph._square("bfs")
    num_workers = _core.local_store_workers(options)
    start = time.perf_counter()
    lists = graph._split_lists
    if lists is None or lists.num_workers != num_workers:
        lists = graph._split_lists = _core.SplitLists(core, num_workers, options.num_threads or 0)
    seconds = time.perf_counter() - start
    values, stats = _core.run_local_store(lists, root, options)
    stats["prepare_seconds"] += seconds
    return values, stats
