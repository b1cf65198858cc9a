# SPDX-License-Identifier: Apache-2.0
"""The argument `num_threads=` of all that works in parallel."""

from __future__ import annotations

from . import _core


def thread_count(num_threads: int | None) -> int:
    """Number for the core, where 0 means "as OpenMP is set"."""
    return _core.thread_count(num_threads)
