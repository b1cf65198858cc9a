# SPDX-License-Identifier: Apache-2.0
"""Kernels that are no part of a pipeline: what a build makes of them."""

from __future__ import annotations

from .. import _description
from .._core import InputError
from .._description import Description
from .boards import URAM_WORDS
from .kernels import Alone, Pipeline, kernels_alone, read_ports

_BANKS = 8  # of what is kept of vertices (hls/local_store/mark.h, frontier.h, relax.h), as wide as a word of URAM
_LEAST_BITS = _BANKS * 64 * URAM_WORDS  # fewer take no fewer blocks


def least_capacity(alone: Alone) -> int:
    """Vertices of a PE below which it takes no fewer blocks."""
    return _LEAST_BITS // alone.vertex_bits


def describe(include: str, algorithm: str, config: str) -> Description | None:
    """Description of an algorithm of the CPU, which has such a kernel only; None for others."""
    if algorithm not in _description.cpu_algorithms():
        return None
    configs = [alone.name for alone in kernels_alone(include).values() if alone.algorithm == algorithm]
    if configs and config not in configs:
        raise InputError(f"config is {config!r}; the kernel of {algorithm} is config {configs[0]!r}")
    return _description.cpu_algorithms()[algorithm] if configs else None


def check(
    include: str,
    alone: Alone,
    algorithm: str,
    number: str,
    *,
    weighted: bool | None,
    units: int | None,
    lanes: int | None,
    pes: int | None,
    capacity: int | None,
) -> None:
    """InputError for what such a kernel cannot be built as."""
    if algorithm != alone.algorithm:
        raise InputError(f"config {alone.name!r} is a kernel of {alone.algorithm}; {algorithm} has none like it")
    if alone.numbers and number not in alone.numbers:
        raise InputError(f"number is {number!r}; config {alone.name!r} has {', '.join(alone.numbers)}")
    if weighted is False and alone.vertex_bits > 1:
        raise InputError(f"config {alone.name!r} has a length of every edge, 1 in graphs without weights: omit it")
    if weighted is False and any(row[4] == "weights" for row in read_ports(include, alone.name)):
        raise InputError(f"config {alone.name!r} reads weights; build it with them")
    if capacity is not None and alone.most_capacity == 0:
        raise InputError(f"capacity is {capacity}; config {alone.name!r} keeps no vertices on the chip: omit it")
    if units is not None and units not in alone.units:
        raise InputError(f"{units} units; config {alone.name!r} has {', '.join(map(str, alone.units))}")
    for what, given in (("lanes", lanes), ("pes", pes)):
        if given is not None:
            raise InputError(f"{what} is {given}; the units of config {alone.name!r} have none: omit it")


def as_pipeline(alone: Alone) -> Pipeline:
    """Return a kernel in place of a pipeline; it has no edges in ranges, lanes or gather PEs."""
    return Pipeline(alone.name, alone.name, alone.name, "lists", 8, 8, alone.most_capacity)


def blocks(alone: Alone, units: int, capacity: int) -> int:
    """URAM blocks of a PE: a bit for each of its vertices, or its distance.

    One that pulls as well has that in both regions, and two bitmaps of the frontier of all PEs.
    """
    own = _blocks(capacity * alone.vertex_bits)
    return 2 * own + 2 * _blocks(units * capacity) if alone.beside else own


def _blocks(bits: int) -> int:
    rows = -(-bits // (_BANKS * 64))
    return _BANKS * -(-rows // URAM_WORDS)
