# SPDX-License-Identifier: Apache-2.0
"""How many pipelines there are of two kinds (hls/kernel/pipelines.h), and how their partitions differ."""

from __future__ import annotations

from collections.abc import Callable

from . import region as _region

_TABLE = "hls/kernel/pipelines.h"


def most_of_kinds(read: Callable[[str], str]) -> tuple[int, int]:
    """Pipelines of both kinds, dense and sparse, of the largest design; `read` returns the text of a header."""
    known = _region.constants(read, _TABLE)
    return int(known["kDensePipelines"]), int(known["kSparsePipelines"])


def dense_units(read: Callable[[str], str], units: int) -> int:
    """How many of so many pipelines are dense: the share of the largest design, and one less than all."""
    dense, sparse = most_of_kinds(read)
    return units - max(1, round(units * sparse / (dense + sparse)))


def per_sparse(read: Callable[[str], str]) -> int:
    """Dense partitions that are together as large as a sparse one."""
    return int(_region.constants(read, _TABLE)["kDensePerSparse"])
