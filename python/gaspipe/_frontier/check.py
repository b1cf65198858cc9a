# SPDX-License-Identifier: Apache-2.0
"""Tests the laws of reduce: the work of FrontierEngine.check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _laws
from .._core import InputError
from .._own import check_timeout

if TYPE_CHECKING:
    from .engine import FrontierEngine


def check(
    engine: FrontierEngine, functor: str | None, num_cases: int, seed: int, timeout: float | None
) -> _laws.ReduceCheck:
    """See FrontierEngine.check."""
    for what, number, least in (("num_cases", num_cases, 1), ("seed", seed, 0)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < least:
            raise InputError(f"{what} is {number!r}; a whole number >= {least} is needed")
    check_timeout(timeout)
    able = [name for name, calls in engine.functors.items() if "edge_filter" in calls]
    if functor is not None and functor not in able:
        raise InputError(f"functor is {functor!r}; with gather and reduce there are {', '.join(able) or 'none'}")
    program = engine._program
    found = _laws.ReduceCheck((), 0)
    some = np.random.default_rng(seed).integers(0, max(engine.num_vertices, 1), _laws.MOST_VALUES)
    for name in able if functor is None else [functor]:
        job = _laws.ReduceJob(
            program.path(),
            program.name,
            engine._session.functors[name][0],
            name,
            b"" if engine._parameters is None else engine._parameters.tobytes(),
            engine.vertices[some] if engine.num_vertices else np.zeros(0, program.vertex),
            program.edge,
            engine._default,
            num_cases,
            seed,
        )
        if timeout is None:
            done = _laws.check_reduce(job)
        else:
            done = _laws.call_isolated(f"{program.name}.check()", "reduce:check_reduce", job, timeout)
        found = _laws.ReduceCheck((*found.functors, name), found.num_cases + done)
    return found
