# SPDX-License-Identifier: Apache-2.0
"""A small run, checked against an answer known by hand.

0 -4-> 1 -2-> 3      the shortest way to 3 leads over 1, with 4 + 2 = 6, for that over 2 has 1 + 7 = 8;
0 -1-> 2 -7-> 3      no way leads to 4 and 5
4 -3-> 5
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import _algorithms
from .._executors import CPU
from ..graph import Graph
from .finding import OK, PROBLEM, Finding

_EDGES = ([0, 0, 1, 2, 4], [1, 2, 3, 3, 5], [4, 1, 2, 7, 3])
_ANSWER = [0, 4, 1, 6, -1, -1]


def on_cpu() -> Iterator[Finding]:
    """Run the engine of the CPU."""
    yield _run("run on cpu", CPU)


def in_emulator() -> Iterator[Finding]:
    """Run the kernels in the emulator."""
    yield _run("run in emulator", "emulator")


def _run(check: str, device: str) -> Finding:
    result = _algorithms.sssp(Graph(_EDGES), root=0, device=device)
    answer = result.values.tolist()
    if answer != _ANSWER:
        found = f"sssp answers {answer}, which should be {_ANSWER}"
        return Finding(check, PROBLEM, found, "install gaspipe again; if it stays, report it as a bug")
    return Finding(
        check, OK, f"sssp answers as it should: {result.stats.device}, {result.stats.num_supersteps} super-steps"
    )
