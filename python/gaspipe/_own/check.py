# SPDX-License-Identifier: Apache-2.0
"""Tests what devices rely on, and compares their answers: the work of Algorithm.check."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import _executors, _laws
from .._card import boards as _boards
from .._core import InputError
from ..graph import as_graph
from . import circuits
from .arguments import Arguments
from .libraries import Libraries
from .oracle import Oracle
from .run import naming_hooks
from .validate import check_timeout

_DEFAULT_BOARD = "u250"
_MORE_GRAPHS = 12  # where a law is broken


def check(
    libraries: Libraries,
    of_calls: Arguments,
    oracle: Oracle | None,
    graph: Any,
    arguments: dict[str, Any],
    *,
    devices: tuple[str, ...],
    num_graphs: int,
    num_cases: int,
    seed: int,
    timeout: float | None,
) -> _laws.Check:
    """Test an algorithm by its libraries; see Algorithm.check."""
    for what, number, least in (("num_graphs", num_graphs, 1), ("num_cases", num_cases, 1), ("seed", seed, 0)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < least:
            raise InputError(f"{what} is {number!r}; a whole number >= {least} is needed")
    if isinstance(devices, str) or not devices:
        raise InputError(f"devices is {devices!r}; a tuple of one or more is needed, as ('cpu', 'emulator')")
    check_timeout(timeout)
    d = libraries.definition
    graphs = _laws.random_graphs(num_graphs, seed) if graph is None else [as_graph(graph, False)]
    more = _laws.random_graphs(_MORE_GRAPHS, seed + 1, degree=6) if graph is None else []
    cases = [(g, of_calls.of_run(g, arguments)) for g in graphs + more]
    for device in devices:
        _executors.check(device)
        executor = _executors.executor_of(device)
        if executor is None or executor.needs_card:
            allowed = " and ".join(repr(e.name) for e in _executors.EXECUTORS.values() if not e.needs_card)
            raise InputError(f"devices has {device!r}; laws are checked on {allowed}")
    by_device = {device: libraries.path(device) for device in devices}
    runs = [((g.num_vertices, g.indptr, g.indices, g.weights), of_calls.for_cpp(resolved)) for g, resolved in cases]
    job = _laws.Job(
        d.name,
        d.prop,
        libraries.orders_path(),
        by_device,
        runs[: len(graphs)],
        runs[len(graphs) :],
        num_cases,
        seed,
    )
    with naming_hooks(d.name):
        if timeout is None:
            found, answers = _laws.check(job)
        else:
            found, answers = _laws.call_isolated(f"{d.name}.check()", "laws:check", job, timeout)
    if oracle is not None:
        for i, ((g, resolved), values) in enumerate(zip(cases, answers)):
            expected = oracle.answer(g, resolved)
            comparison = oracle.compare(values, expected, d.prop, resolved.get("tol", 0.0))
            _laws.compare_with_oracle(job, i, comparison)
    return replace(found, circuits=tuple(_circuit_messages(libraries, devices)))


def _circuit_messages(libraries: Libraries, devices: tuple[str, ...]) -> list[str]:
    """Return which hooks close their loop at a lower clock than a board's, or are no circuits."""
    named = [device.partition(":")[2] for device in devices]
    return circuits.messages(libraries, _boards.read(next(filter(None, named), _DEFAULT_BOARD)), 0)
