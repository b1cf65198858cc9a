# SPDX-License-Identifier: Apache-2.0
"""Searches by an array of 2, 4 or 8 PEs in the emulator: Cell's (the method "local_store"), and one that also pulls."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from . import _core, _local_store
from ._executors import executor_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .graph import Graph


DIRECTION_OPTIMIZING = "direction_optimizing"
METHODS = (_local_store.METHOD, DIRECTION_OPTIMIZING)


def is_asked_for(options: _core.RunOptions) -> bool:
    """Whether the search is to run as a kernel. InputError for a device that there cannot be or that has none."""
    executor = executor_of(options.device)
    if executor is not None and executor.predicts:
        return True
    if options.method == DIRECTION_OPTIMIZING:
        raise _core.InputError(
            f'device is "{options.device}"; method="{options.method}" runs in the emulator (device="emulator:u280"); '
            'on the CPU method="auto" pushes or pulls as well'
        )
    return False


def run(graph: Graph, root: int, options: _core.RunOptions) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return levels and statistics, as `_core.run` does."""
    core = graph._square("bfs")
    num_pes = _core.num_pes(options)
    start = time.perf_counter()
    pulls = options.method == DIRECTION_OPTIMIZING
    lists = graph._pe_lists
    if lists is None or lists.num_pes != num_pes or lists.pulls != pulls:
        lists = graph._pe_lists = _core.PeLists(core, num_pes, pulls, options.num_threads or 0)
    seconds = time.perf_counter() - start
    values, stats = _core.run_pe_array(lists, root, options)
    stats["prepare_seconds"] += seconds
    return values, stats
