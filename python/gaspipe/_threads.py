# SPDX-License-Identifier: Apache-2.0
"""The argument `num_threads=` of all that works in parallel."""

from __future__ import annotations

import operator

from ._core import InputError


def thread_count(num_threads: int | None) -> int:
    """Number for the core, where 0 means "as OpenMP is set"."""
    if num_threads is None:
        return 0
    try:
        if isinstance(num_threads, bool):
            raise TypeError
        count = operator.index(num_threads)
    except TypeError:
        raise InputError(f"num_threads is {num_threads!r}; an integer is needed, at least 1") from None
    if not 1 <= count <= 4096:
        raise InputError(f"num_threads is {count}; allowed are 1 to 4096")
    return count
