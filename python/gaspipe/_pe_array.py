# SPDX-License-Identifier: Apache-2.0
"""The method "local_store" of gp.bfs in the emulator: Cell's search as a kernel, an array of 2, 4 or 8 PEs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from . import _core
from ._executors import executor_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .graph import Graph


def is_asked_for(options: _core.RunOptions) -> bool:
    """Whether the search is to run as a kernel. InputError for a device that there cannot be."""
    executor = executor_of(options.device)
    return executor is not None and executor.predicts


def run(graph: Graph, root: int, options: _core.RunOptions) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return levels and statistics, as `_core.run` does."""
    core = graph._square("bfs")
    num_pes = _core.num_pes(options)
    start = time.perf_counter()
    lists = graph._pe_lists
    if lists is None or lists.num_pes != num_pes:
        lists = graph._pe_lists = _core.PeLists(core, num_pes, options.num_threads or 0)
    seconds = time.perf_counter() - start
    values, stats = _core.run_pe_array(lists, root, options)
    stats["prepare_seconds"] += seconds
    return values, stats
