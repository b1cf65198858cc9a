# SPDX-License-Identifier: Apache-2.0
"""Builds with two kinds of pipelines (hls/kernel/pipelines.h): how many there are of each, and what a board has for."""

from __future__ import annotations

from collections.abc import Callable

from .. import _core
from . import region as _region
from .boards import URAM_WORDS, Board

_TABLE = "hls/kernel/pipelines.h"
_BANKS = 2  # of a pipeline: edges, vertices; apply has one


def most_of_kinds(read: Callable[[str], str]) -> tuple[int, int]:
    """Pipelines of both kinds, dense and sparse, of the largest design; `read` returns the text of a header."""
    known = _region.constants(read, _TABLE)
    return int(known["kDensePipelines"]), int(known["kSparsePipelines"])


def dense_units(read: Callable[[str], str], units: int) -> int:
    """How many of so many pipelines are dense: the share of the largest design, and one less than all."""
    dense, sparse = most_of_kinds(read)
    return units - max(1, round(units * sparse / (dense + sparse)))


def most_units(read: Callable[[str], str], board: Board) -> int:
    """As many pipelines as a board has pseudo-channels for, at most those of the largest design."""
    return min(sum(most_of_kinds(read)), (board.num_banks - 1) // _BANKS)


def check(read: Callable[[str], str], config: str, board: Board, units: int | None, capacity: int | None) -> None:
    """InputError for numbers that no such design has, CapacityError for a board that has no room for one."""
    if board.memory != "HBM":
        raise _core.CapacityError(
            f'config "{config}" needs pseudo-channels of HBM; {board.name} has {board.num_banks} banks of DDR; '
            'use "packed" there, or a board with HBM (u280)'
        )
    most = most_units(read, board)
    if units is not None and not 2 <= units <= most:
        raise _core.InputError(f'{units} compute units; config "{config}" has 2 to {most} pipelines on {board.name}')
    whole = 16 * per_sparse(read)
    if capacity is not None and capacity % whole:
        raise _core.InputError(
            f'a capacity of {capacity} vertices; of config "{config}" it must be a multiple of {whole}, for a dense '
            f"partition is 1/{per_sparse(read)} of a sparse one"
        )


def per_sparse(read: Callable[[str], str]) -> int:
    """Dense partitions that are together as large as a sparse one."""
    return int(_region.constants(read, _TABLE)["kDensePerSparse"])


def uram_blocks(
    read: Callable[[str], str], units: int, lanes: int, pes: int, word_bytes: int, capacity: int
) -> list[int]:
    """URAM blocks of every pipeline: a dense one has a copy of its destinations per lane, in blocks side by side."""
    side_by_side = int(_region.constants(read, "hls/module/one_bank.h")["kCopyBlocks"])

    def blocks(memories: int, vertices: int) -> int:
        rows = -(-vertices * word_bytes // (8 * memories))
        return memories * -(-rows // URAM_WORDS)

    dense = lanes * blocks(side_by_side, capacity // per_sparse(read))
    num_dense = dense_units(read, units)
    return [dense] * num_dense + [blocks(pes, capacity)] * (units - num_dense)
