# SPDX-License-Identifier: Apache-2.0
"""LUTs and BRAM of the kernels of a build, as the core counts them: LUTs are an estimate (gaspipe/fabric.h)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .. import _core
from .._core import CapacityError
from . import kinds as _kinds
from .boards import Board
from .kernels import Design, Pipeline
from .numbers import bytes_of

_FLOATING = ("float32", "float64")


class Fabric(NamedTuple):
    """What a kernel takes beside URAM."""

    luts: int  # 0: not estimated
    bram: int  # blocks of 36 kbit


def of_design(read: Callable[[str], str], design: Design, pipeline: Pipeline) -> list[Fabric]:
    """Of every compute unit, then of the apply kernel; `read` returns the text of a header."""
    word_bytes, is_floating = bytes_of(design.number), design.number in _FLOATING

    def kernel(name: str) -> Fabric:
        return Fabric(*_core.kernel_fabric(name, design.lanes, design.pes, word_bytes, design.weighted, is_floating))

    apply = Fabric(*_core.apply_fabric(pipeline.apply, design.units, word_bytes, is_floating, design.num_aux))
    num_dense = _kinds.dense_units(read, design.units) if pipeline.dense else 0
    dense = [kernel(pipeline.dense)] * num_dense if pipeline.dense else []
    return [*dense, *[kernel(pipeline.gather_scatter)] * (design.units - num_dense), apply]


def taken(board: Board, uram: int, fabric: Sequence[Fabric]) -> str:
    """What all kernels of a build take of a board, in words."""
    slrs = board.slrs
    luts = sum(kernel.luts for kernel in fabric) if all(kernel.luts for kernel in fabric) else 0
    there = sum(slr.luts for slr in slrs) if all(slr.luts for slr in slrs) else 0

    def of(number: int) -> str:
        return f" of {number:,}" if number else ""

    return (
        f"URAM {uram:,}{of(board.num_uram)}, BRAM {sum(kernel.bram for kernel in fabric):,}"
        f"{of(sum(slr.bram for slr in slrs))}, LUTs " + (f"about {luts:,}{of(there)}" if luts else "not estimated")
    )


def said(fabric: Fabric) -> str:
    """What a kernel takes, for a message."""
    luts = f"about {fabric.luts} LUTs" if fabric.luts else "LUTs that are not estimated"
    return f"{fabric.bram} blocks of BRAM and {luts}"


def refusal(board: Board, fabric: Sequence[Fabric]) -> CapacityError:
    """Return the error for kernels that the board's regions have no BRAM or LUTs for."""
    *units, apply = fabric
    kinds = " or ".join(dict.fromkeys(said(unit) for unit in units))
    regions = ", ".join(f"{slr.bram} and {slr.luts or 'an unknown number'}" for slr in board.slrs)
    return CapacityError(
        f"{len(units)} compute units of {kinds}, and an apply kernel of {said(apply)}, each in one region, do not fit "
        f"{board.name}, whose regions have {regions}; LUTs are an estimate by yosys, which finds more than Vivado. Use "
        "fewer compute units, another configuration or a board with more"
    )
