# SPDX-License-Identifier: Apache-2.0
"""What an engine says while it works: messages, and of a program in C++ how many calls it has made."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from .. import _progress
from .arguments import LEVELS, choice, logger

# The line that every call of an engine in C++ writes at "debug" (cpp/include/gaspipe/frontier/loops.h).
_CALL = re.compile(r"(edgeFilter|edgeMap|vertexFilter|vertexMap|edgeVertexFilter|vertexReduce)[,:]")


class Listener:
    """Takes the messages of an engine: for `log`, and to count calls for `progress`."""

    def __init__(self, log: Any, log_level: str, progress: _progress.FileProgress) -> None:
        self._log = logger(log)
        self._level = choice("log_level", log_level, LEVELS)
        _progress.check_phases(progress)
        self._progress = progress
        self._told: _progress.OfPhases | None = None
        self._num_calls = 0

    def options(self) -> dict[str, Any]:
        """Return `log` and `log_level` of the core; calls are written only where they are counted or logged."""
        if self._progress is None or self._progress is False:
            return {"log": self._log, "log_level": self._level}
        return {"log": self._take, "log_level": LEVELS["debug"]}

    @contextlib.contextmanager
    def counting(self, name: str) -> Iterator[None]:
        """Tell of the calls that are made within the block, under a program's name."""
        with _progress.of_phases(name, self._progress) as told:
            self._told, self._num_calls = told, 0
            try:
                yield
            finally:
                self._told = None

    def _take(self, level: int, text: str) -> None:
        if self._told is not None and level == LEVELS["debug"] and _CALL.match(text):
            self._num_calls += 1
            self._told("calls", self._num_calls, None)
        if self._log is not None and level <= self._level:
            self._log(level, text)
