# SPDX-License-Identifier: Apache-2.0
"""Arrays of 2, 4 or 8 PEs in the emulator: searches and shortest paths as one kernel.

The methods of gp.bfs: "local_store", Cell's search, and "direction_optimizing", which also pulls; that of gp.sssp:
"delta_stepping", by buckets of distance.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from . import _core, _local_store
from ._executors import executor_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .graph import Graph


DIRECTION_OPTIMIZING, DELTA_STEPPING = "direction_optimizing", "delta_stepping"
METHODS = {"bfs": (_local_store.METHOD, DIRECTION_OPTIMIZING), "sssp": (DELTA_STEPPING,)}
_ON_CPU = {DIRECTION_OPTIMIZING: "pushes or pulls as well", DELTA_STEPPING: "goes by buckets as well"}


def is_asked_for(options: _core.RunOptions) -> bool:
    """Whether the algorithm is to run as a kernel. InputError for a device that there cannot be or that has none."""
    executor = executor_of(options.device)
    if executor is not None and executor.predicts:
        return True
    if options.method in _ON_CPU:
        raise _core.InputError(
            f'device is "{options.device}"; method="{options.method}" runs in the emulator (device="emulator:u280"); '
            f'on the CPU method="auto" {_ON_CPU[options.method]}'
        )
    return False


def run(graph: Graph, root: int, options: _core.RunOptions) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return levels or distances, and statistics, as `_core.run` does."""
    start = time.perf_counter()
    if options.method == DELTA_STEPPING:
        rows = _rows(graph, options)
        seconds = time.perf_counter() - start
        values, stats = _core.run_pe_paths(rows, root, options)
    else:
        lists = _lists(graph, options)
        seconds = time.perf_counter() - start
        values, stats = _core.run_pe_array(lists, root, options)
    stats["prepare_seconds"] += seconds
    return values, stats


def _lists(graph: Graph, options: _core.RunOptions) -> _core.PeLists:
    core, num_pes, pulls = graph._square("bfs"), _core.num_pes(options), options.method == DIRECTION_OPTIMIZING
    made = graph._pe_lists
    if not isinstance(made, _core.PeLists) or made.num_pes != num_pes or made.pulls != pulls:
        made = graph._pe_lists = _core.PeLists(core, num_pes, pulls, options.num_threads or 0)
    return made


def _rows(graph: Graph, options: _core.RunOptions) -> _core.PeRows:
    core, num_pes, made = graph._square("sssp"), _core.num_pes(options), graph._pe_lists
    if not isinstance(made, _core.PeRows) or made.num_pes != num_pes:
        made = graph._pe_lists = _core.PeRows(core, num_pes, options.num_threads or 0)
    return made
