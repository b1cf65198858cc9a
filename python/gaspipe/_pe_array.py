# SPDX-License-Identifier: Apache-2.0
"""Arrays of 2, 4 or 8 PEs, in the emulator or on a card: searches and shortest paths as one kernel.

The methods of gp.bfs: "local_store", Cell's search, and "direction_optimizing", which also pulls; that of gp.sssp:
"delta_stepping", by buckets of distance.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from . import _core, _device, _local_store
from ._device import DELTA_STEPPING, DIRECTION_OPTIMIZING
from ._executors import CPU, executor_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .graph import Graph


METHODS = {"bfs": (_local_store.METHOD, DIRECTION_OPTIMIZING), "sssp": (DELTA_STEPPING,)}
_ON_CPU = {DIRECTION_OPTIMIZING: "pushes or pulls as well", DELTA_STEPPING: "goes by buckets as well"}


def run(
    name: str,
    program: str,
    graph: Graph,
    arguments: dict[str, Any],
    options: _core.RunOptions,
    stacklevel: int,
    **own: Any,
) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return levels or distances, and statistics, as `_core.run` does.

    Where a card cannot be used, the CPU runs `program` instead. `own` are options of the CPU's local_store.
    """
    root, method = arguments["root"], options.method
    executor = executor_of(options.device)
    if executor is not None and executor.predicts:
        return _run_kernel(graph, root, options, {})
    if options.device == CPU:
        if method != _local_store.METHOD:
            raise _core.InputError(
                f'device is "{options.device}"; method="{method}" runs in the emulator (device="emulator:u280") and on '
                f'a card (device="fpga"); on the CPU method="auto" {_ON_CPU[method]}'
            )
        return _local_store.run(graph, root, options, **own)
    with _device.choose(options, name, graph, arguments, stacklevel) as place:
        if place.lease is not None:
            return _run_kernel(graph, root, place.options, place.card())
        if method == _local_store.METHOD:
            return _local_store.run(graph, root, place.options, **own)
        return _core.run(program, graph._core, arguments, place.options)


def _run_kernel(
    graph: Graph, root: int, options: _core.RunOptions, card: dict[str, Any]
) -> tuple[NDArray[Any], dict[str, Any]]:
    start = time.perf_counter()
    num_pes = _core.num_pes(options, **card)
    if options.method == DELTA_STEPPING:
        rows = _rows(graph, num_pes, options)
        seconds = time.perf_counter() - start
        values, stats = _core.run_pe_paths(rows, root, options, **card)
    else:
        lists = _lists(graph, num_pes, options)
        seconds = time.perf_counter() - start
        values, stats = _core.run_pe_array(lists, root, options, **card)
    stats["prepare_seconds"] += seconds
    return values, stats


def _lists(graph: Graph, num_pes: int, options: _core.RunOptions) -> _core.PeLists:
    core, pulls = graph._square("bfs"), options.method == DIRECTION_OPTIMIZING
    made = graph._pe_lists
    if not isinstance(made, _core.PeLists) or made.num_pes != num_pes or made.pulls != pulls:
        made = graph._pe_lists = _core.PeLists(core, num_pes, pulls, options.num_threads or 0)
    return made


def _rows(graph: Graph, num_pes: int, options: _core.RunOptions) -> _core.PeRows:
    core, made = graph._square("sssp"), graph._pe_lists
    if not isinstance(made, _core.PeRows) or made.num_pes != num_pes:
        made = graph._pe_lists = _core.PeRows(core, num_pes, options.num_threads or 0)
    return made
