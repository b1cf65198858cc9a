# SPDX-License-Identifier: Apache-2.0
"""Shortest paths: what `gp.bfs(..., parents=True)` and `gp.sssp(..., predecessors=True)` add to distances."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._core import InputError
from ._description import PATHS
from ._vertices import Index, Labels, keys, shown

if TYPE_CHECKING:
    from ._result import Result


def path_to(result: Result, vertex: Any) -> list[Any]:
    """Return the vertices of a path; see Result.path_to."""
    offer = PATHS.get(result.algorithm)
    if offer is None:
        raise InputError(f"{result.algorithm} finds no paths; {' and '.join(f'gp.{name}' for name in PATHS)} do")
    before: NDArray[np.int64] | None = result.__dict__.get(offer.field)
    if before is None:
        raise InputError(f"this result has no paths; ask for them: gp.{result.algorithm}(..., {offer.option}=True)")
    at = _id_of(result, vertex)
    path: list[int] = []
    while at >= 0 and (not path or at != path[-1]):
        path.append(at)
        at = int(before[at])
    if at < 0:
        return []
    path.reverse()
    return path if result.labels is None else keys(result.labels[path])


def _id_of(result: Result, vertex: Any) -> int:
    n = len(result.values)
    if result.labels is not None and not isinstance(vertex, Index):
        labels = Labels(result.labels)
        found = labels.id_of(vertex)
        if found is None:
            raise InputError(f"vertex: {labels.missing(vertex)}{labels.hint(vertex)}")
        return found
    if isinstance(vertex, (bool, np.bool_)) or not hasattr(vertex, "__index__"):
        raise InputError(f"vertex is {shown(vertex)}; an integer is needed, 0 to {n - 1}")
    at = operator.index(vertex)
    if not 0 <= at < n:
        raise InputError(f"vertex is {at}; the graph's {n} vertices allow 0 to {n - 1}")
    return at
