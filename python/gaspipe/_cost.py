# SPDX-License-Identifier: Apache-2.0
"""Tells, before a run starts, that it cannot end today."""

from __future__ import annotations

import os
import warnings
from typing import Any

from . import _core, _executors
from ._description import Parameter

# Of one thread: several times what machines of 2026 reach, so that a run of which a warning speaks takes longer.
_EDGES_PER_SECOND = {"cpu": 1e10, "fast": 1e9, "exact": 3e7}
_DAY = 24 * 3600.0


class LongRunWarning(UserWarning):
    """A run takes more than a day, even at the highest speed that its device may have."""


def check(
    name: str,
    parameters: tuple[Parameter, ...],
    arguments: dict[str, Any],
    num_edges: int,
    options: _core.RunOptions,
    *,
    is_predicted: bool = False,
    processes: int = 1,
    stacklevel: int,
) -> None:
    """Warn with a LongRunWarning, of the caller `stacklevel` frames up, if the super-steps asked for take a day.

    How many there will be is known of those runs that do as many as they are asked for; of others, that there is one.
    """
    steps = _least_steps(parameters, arguments)
    if steps * num_edges < _DAY * min(_EDGES_PER_SECOND.values()):
        return  # in no time beside the rest: asking for the number of cores takes longer than a small call
    kind = _kind(options, is_predicted)
    threads = processes * (options.num_threads or os.cpu_count() or 1)
    seconds = steps * num_edges / (_EDGES_PER_SECOND[kind] * threads)
    if seconds < _DAY:
        return
    remedy = "a smaller graph" if steps == 1 else "a smaller max_iter="
    if kind == "exact":
        remedy += ', or execution="fast"'
    warnings.warn(
        f"{name} will take {seconds / 3600:,.0f} hours or more: {steps:,} super-step{'s' * (steps != 1)} of "
        f"{num_edges:,} edges on {options.device!r} with {threads} thread{'s' * (threads != 1)}; give {remedy}",
        LongRunWarning,
        stacklevel=stacklevel + 1,
    )


def _least_steps(parameters: tuple[Parameter, ...], arguments: dict[str, Any]) -> int:
    kinds = {p.name: p.kind for p in parameters}
    limit, tol = arguments.get("max_iter"), arguments.get("tol")
    is_exact = tol == 0 if "tol" in kinds else True
    is_known = kinds.get("max_iter") == "integer" and isinstance(limit, int) and is_exact
    return max(1, limit) if is_known and limit is not None else 1


def _kind(options: _core.RunOptions, is_predicted: bool) -> str:
    if not options.device.startswith(_executors.PREDICTING):
        return "cpu"
    is_board = ":" in options.device
    if options.execution == "fast" or (options.execution == "auto" and not is_board) or is_predicted:
        return "fast"
    return "exact"
