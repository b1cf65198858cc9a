# SPDX-License-Identifier: Apache-2.0
"""Which compute unit goes where on a board, by the URAM that its buffers take, its BRAM and its LUTs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .._core import CapacityError, InputError
from . import kinds as _kinds
from . import region as _region
from .boards import URAM_WORDS, Board
from .fabric import Fabric, refusal, said

_BLOCK_SHARE = 0.9  # of an SLR's URAM and BRAM, as ThunderGP's generator of configurations fills it
_BANKS, _BANKS_OF_APPLY = 2, 4  # of one of two kinds of pipelines: edges, vertices
CAPACITY_UNKNOWN = 1 << 16  # where the board's URAM is not known


def uram_blocks(capacity: int, pes: int, edges: str = "plain", word_bytes: int = 4) -> int:
    """URAM blocks of a compute unit that gathers `capacity` vertices, for a layout of edges.

    A value of a PE takes a word of its own, or eight side by side if it has 64 bytes; with packed edges words are full,
    and there are two of each.
    """
    rows, width = (capacity + pes - 1) // pes, max(word_bytes // 8, 1)
    if edges == "packed":
        rows, width = (rows * word_bytes + 7) // 8, 2
    blocks = (rows + URAM_WORDS - 1) // URAM_WORDS
    return pes * blocks * width


def largest_capacity(
    board: Board,
    units: int,
    pes: int,
    most: int,
    needs: Callable[[int], int | list[int]],
    unknown: int = CAPACITY_UNKNOWN,
    fabric: Sequence[Fabric] = (),
) -> int:
    """Most vertices of a partition that fit a board, `most` halved as often as needed; `needs` has URAM blocks.

    `unknown` where the board's URAM is not known. `fabric` is that of every unit and of apply.
    """
    if not board.slrs:
        return min(most, unknown)
    capacity = most
    while place(board, units, needs(capacity), fabric) is None:
        capacity //= 2
        if capacity < 16:
            if place(board, units, needs(capacity)) is not None:
                raise refusal(board, fabric)
            raise CapacityError(f"{units} compute units of {pes} PEs do not fit {board.name}; use fewer")
    return capacity


def of_units(units: int, blocks: int | list[int]) -> list[int]:
    """Blocks of every unit, of which all may be alike."""
    return [blocks] * units if isinstance(blocks, int) else blocks


def place(board: Board, units: int, blocks: int | list[int], fabric: Sequence[Fabric] = ()) -> list[int] | None:
    """SLR of every compute unit, then of the apply kernel; None where they do not fit.

    Units go where most URAM is left, ascending as the banks are if all are alike; the apply kernel goes where fewest
    units are, nearest the middle; all only where BRAM and LUTs are left for them. `blocks` are those of URAM that a
    unit takes, of every unit if they differ; `fabric` is that of every unit and of apply. More LUTs are estimated than
    a vendor's tool would take, so all of a region's may be taken.
    """
    if not board.slrs:
        return None
    left = [[int(slr.uram * _BLOCK_SHARE), int(slr.bram * _BLOCK_SHARE), slr.luts or math.inf] for slr in board.slrs]

    def rooms(needed: tuple[int, int, int]) -> list[int]:
        return [i for i, region in enumerate(left) if all(has >= want for has, want in zip(region, needed))]

    each = [(luts, bram) for luts, bram in fabric] or [(0, 0)] * (units + 1)
    slrs = []
    for uram, (luts, bram) in zip(of_units(units, blocks), each):
        needed = (uram, bram, luts)
        slr = max(rooms(needed), key=lambda i: left[i][0], default=None)
        if slr is None:
            return None
        left[slr] = [has - takes for has, takes in zip(left[slr], needed)]
        slrs.append(slr)
    luts, bram = each[-1]
    middle = (len(left) - 1) / 2
    of_apply = min(rooms((0, bram, luts)), key=lambda i: (slrs.count(i), abs(i - middle)), default=None)
    if of_apply is None:
        return None
    return [*(sorted(slrs) if isinstance(blocks, int) else slrs), of_apply]


def most_units(read: Callable[[str], str], board: Board) -> int:
    """As many pipelines as a board has pseudo-channels for, at most those of the largest design."""
    return min(sum(_kinds.most_of_kinds(read)), (board.num_banks - _BANKS_OF_APPLY) // _BANKS)


def units_that_fit(
    config: str,
    board: Board,
    most: int,
    needs: Callable[[int], list[int]],
    fabric: Callable[[int], Sequence[Fabric]],
) -> int:
    """As many pipelines as a board takes, at most `most`; `needs` and `fabric` have what so many take.

    Predictions and the emulator count likewise (cpp/src/predict/pipeline_fit.h).
    """
    if not board.slrs:
        return most
    for units in range(most, 1, -1):
        if place(board, units, needs(units), fabric(units)) is not None:
            return units
    (dense, sparse), (of_dense, of_sparse, of_apply) = needs(2), fabric(2)
    regions = "; ".join(f"{slr.uram}, {slr.bram} and {slr.luts or 'an unknown number'}" for slr in board.slrs)
    raise CapacityError(
        f'config "{config}" needs room for 2 pipelines, of which one takes {dense} blocks of URAM, {said(of_dense)}, '
        f"and the other {sparse}, {said(of_sparse)}, and for apply, {said(of_apply)}, each in one region; the regions "
        f"of {board.name} have {regions}, of whose blocks {100 * _BLOCK_SHARE:g} % may be used. LUTs are an estimate "
        'by yosys, which finds more than Vivado; use "packed" there, or a board with more (u280)'
    )


def check_kinds(read: Callable[[str], str], config: str, board: Board, units: int | None, capacity: int | None) -> None:
    """InputError for numbers that no such design has, CapacityError for a board that has no room for one."""
    if board.memory != "HBM":
        raise CapacityError(
            f'config "{config}" needs pseudo-channels of HBM; {board.name} has {board.num_banks} banks of DDR; '
            'use "packed" there, or a board with HBM (u280)'
        )
    most = most_units(read, board)
    if most < 2:
        raise CapacityError(
            f'config "{config}" needs at least {2 * _BANKS + _BANKS_OF_APPLY} pseudo-channels of HBM, for 2 pipelines '
            f'and apply; {board.name} has {board.num_banks}; use "packed" there, or a board with more (u280)'
        )
    if units is not None and not 2 <= units <= most:
        raise InputError(f'{units} compute units; config "{config}" has 2 to {most} pipelines on {board.name}')
    whole = 16 * _kinds.per_sparse(read)
    if capacity is not None and capacity % whole:
        raise InputError(
            f'a capacity of {capacity} vertices; of config "{config}" it must be a multiple of {whole}, for a dense '
            f"partition is 1/{_kinds.per_sparse(read)} of a sparse one"
        )


def uram_blocks_of_kinds(
    read: Callable[[str], str], units: int, lanes: int, pes: int, word_bytes: int, capacity: int
) -> list[int]:
    """URAM blocks of every pipeline: a dense one has a copy of its destinations per lane, in blocks side by side."""
    side_by_side = int(_region.constants(read, "hls/module/one_bank.h")["kCopyBlocks"])

    def blocks(memories: int, vertices: int) -> int:
        rows = -(-vertices * word_bytes // (8 * memories))
        return memories * -(-rows // URAM_WORDS)

    dense = lanes * blocks(side_by_side, capacity // _kinds.per_sparse(read))
    num_dense = _kinds.dense_units(read, units)
    return [dense] * num_dense + [blocks(pes, capacity)] * (units - num_dense)
