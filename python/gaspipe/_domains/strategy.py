# SPDX-License-Identifier: Apache-2.0
"""A user's function as the strategy that gives vertices to domains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import MOST_DOMAINS, InputError
from .._inputs import refuse_masked

Strategy = Callable[[NDArray[np.int64], int], ArrayLike]


def owners_by(strategy: Strategy, num_vertices: int, size: int) -> NDArray[np.uint16]:
    """Return what the function says, called twice; InputError where it is no rank for every vertex, or changes."""
    if not 1 <= size <= MOST_DOMAINS:  # the function is not asked
        raise InputError(f"{size} domains; 1 to {MOST_DOMAINS} are allowed")
    first = _owners(strategy, num_vertices, size)
    again = _owners(strategy, num_vertices, size)
    if not np.array_equal(first, again):
        vertex = int(np.argmax(first != again))
        raise InputError(
            f"strategy {name_of(strategy)} gave vertex {vertex} to domain {first[vertex]}, and in a second call to "
            f"domain {again[vertex]}; every rank must get the same answer: seed random numbers inside the function"
        )
    return first


def name_of(strategy: Any) -> str:
    """Return what messages call a function."""
    return str(getattr(strategy, "__name__", type(strategy).__name__))


def _owners(strategy: Strategy, num_vertices: int, size: int) -> NDArray[np.uint16]:
    name = name_of(strategy)
    given = strategy(np.arange(num_vertices, dtype=np.int64), size)
    refuse_masked(f"what strategy {name} returned", given)
    try:
        owners = np.asarray(given)
    except (TypeError, ValueError) as error:
        raise InputError(f"strategy {name} returned what is no array: {error}") from None
    if owners.shape != (num_vertices,) or owners.dtype.kind not in "iu":
        raise InputError(
            f"strategy {name} returned an array of shape {owners.shape} and dtype {owners.dtype}; integers of shape "
            f"({num_vertices},) are needed, the domain of every vertex"
        )
    is_bad = (owners < 0) | (owners >= size)
    if is_bad.any():
        vertex = int(np.argmax(is_bad))
        raise InputError(
            f"strategy {name} gave vertex {vertex} to domain {owners[vertex]}; {size} domains are 0 to {size - 1}"
        )
    return owners.astype(np.uint16)
