# SPDX-License-Identifier: Apache-2.0
"""Integers that users hand in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .._inputs import refuse_masked

_LARGEST = np.iinfo(np.int64).max


def integers(name: str, given: Any) -> NDArray[np.int64]:
    """Return integers of any shape as a C-contiguous int64 array; InputError where they are none."""
    refuse_masked(name, given)
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} cannot be read as an array: {error}") from None
    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    if array.dtype.kind not in "iu":
        raise InputError(f"{name} have dtype {array.dtype}; integers are needed")
    if array.dtype == np.uint64 and array.max() > _LARGEST:
        raise InputError(f"{name} have the value {array.max()}; the largest integer allowed is {_LARGEST}")
    return np.asarray(array, np.int64, order="C")


def integer(name: str, given: Any) -> int:
    """Return an integer that fits the core; InputError where it is none."""
    if not isinstance(given, (int, np.integer)) or isinstance(given, bool):
        raise InputError(f"{name} is {given!r}; an integer is needed")
    return max(-_LARGEST, min(int(given), _LARGEST))
