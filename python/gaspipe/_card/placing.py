# SPDX-License-Identifier: Apache-2.0
"""Which compute unit goes where on a board, by the URAM that its buffers take."""

from __future__ import annotations

from collections.abc import Callable

from .._core import CapacityError
from .boards import URAM_WORDS, Board

_URAM_SHARE = 0.9  # of an SLR's, as ThunderGP's generator of configurations fills it
CAPACITY_UNKNOWN = 1 << 16  # where the board's URAM is not known


def uram_blocks(capacity: int, pes: int, edges: str = "plain", word_bytes: int = 4) -> int:
    """URAM blocks of a compute unit that gathers `capacity` vertices, for a layout of edges.

    A value of a PE takes a word of its own; with packed edges words are full, and there are two of each.
    """
    rows = (capacity + pes - 1) // pes
    if edges == "packed":
        rows = (rows * word_bytes + 7) // 8
    blocks = (rows + URAM_WORDS - 1) // URAM_WORDS
    return pes * blocks * (2 if edges == "packed" else 1)


def largest_capacity(
    board: Board,
    units: int,
    pes: int,
    most: int,
    needs: Callable[[int], int | list[int]],
    unknown: int = CAPACITY_UNKNOWN,
) -> int:
    """Most vertices of a partition that fit a board, `most` halved as often as needed; `needs` has URAM blocks.

    `unknown` where the board's URAM is not known.
    """
    if not board.slrs:
        return min(most, unknown)
    capacity = most
    while place(board, units, needs(capacity)) is None:
        capacity //= 2
        if capacity < 16:
            raise CapacityError(f"{units} compute units of {pes} PEs do not fit {board.name}; use fewer")
    return capacity


def of_units(units: int, blocks: int | list[int]) -> list[int]:
    """Blocks of every unit, of which all may be alike."""
    return [blocks] * units if isinstance(blocks, int) else blocks


def place(board: Board, units: int, blocks: int | list[int]) -> list[int] | None:
    """SLR of every compute unit, then of the apply kernel; None where they do not fit.

    Units go where most URAM is left, ascending as the banks are if all are alike; the apply kernel goes where fewest
    units are, nearest the middle. `blocks` are those that a unit takes, of every unit if they differ.
    """
    if not board.slrs:
        return None
    left = [int(uram * _URAM_SHARE) for uram, _ in board.slrs]
    slrs = []
    for needed in of_units(units, blocks):
        slr = left.index(max(left))
        if left[slr] < needed:
            return None
        left[slr] -= needed
        slrs.append(slr)
    middle = (len(left) - 1) / 2
    if isinstance(blocks, int):
        slrs.sort()
    return [*slrs, min(range(len(left)), key=lambda slr: (slrs.count(slr), abs(slr - middle)))]
