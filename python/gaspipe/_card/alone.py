# SPDX-License-Identifier: Apache-2.0
"""Kernels that are no part of a pipeline: what a build makes of them."""

from __future__ import annotations

from .._core import InputError
from .boards import URAM_WORDS
from .kernels import Alone, Pipeline

_BITMAP_BANKS = 8  # of a PE of Cell's search (hls/local_store/mark.h), each as wide as a word of URAM
LEAST_CAPACITY = _BITMAP_BANKS * 64 * URAM_WORDS  # a smaller bitmap takes no fewer blocks


def check(alone: Alone, algorithm: str, units: int | None, lanes: int | None, pes: int | None) -> None:
    """InputError for what such a kernel cannot be built as."""
    if algorithm != alone.algorithm:
        raise InputError(f"config {alone.name!r} is a kernel of {alone.algorithm}; {algorithm} has none like it")
    if units is not None and units not in alone.units:
        raise InputError(f"{units} units; config {alone.name!r} has {', '.join(map(str, alone.units))}")
    for what, given in (("lanes", lanes), ("pes", pes)):
        if given is not None:
            raise InputError(f"{what} is {given}; the units of config {alone.name!r} have none: omit it")


def as_pipeline(alone: Alone) -> Pipeline:
    """Return a kernel in place of a pipeline; it has no edges in ranges, lanes or gather PEs."""
    return Pipeline(alone.name, alone.name, alone.name, "lists", 8, 8, alone.most_capacity)


def bitmap_blocks(capacity: int) -> int:
    """URAM blocks of a PE of Cell's search, which has a bit per vertex."""
    rows = -(-capacity // (_BITMAP_BANKS * 64))
    return _BITMAP_BANKS * -(-rows // URAM_WORDS)
