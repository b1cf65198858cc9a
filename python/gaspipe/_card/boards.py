# SPDX-License-Identifier: Apache-2.0
"""What a build takes from a board of hls/device: banks as v++ names them, regions, platform and clock."""

from __future__ import annotations

from typing import NamedTuple

from .. import _core

URAM_WORDS = 4096  # of a block, of 72 bits


class Slr(NamedTuple):
    """A region of a chip."""

    uram: int  # blocks of 4096 x 72 bits
    bram: int  # blocks of 36 kbit
    luts: int = 0  # 0: unknown


class Board(NamedTuple):
    """A board, as in hls/device/board.h; 0 is unknown."""

    name: str
    platform: str
    memory: str  # DDR or HBM
    num_banks: int
    bytes_per_bank: int
    slrs: tuple[Slr, ...]
    clock_mhz: int

    @property
    def num_uram(self) -> int:
        """URAM blocks of the whole chip."""
        return sum(slr.uram for slr in self.slrs)


def names() -> list[str]:
    """Names of the known boards, sorted."""
    return sorted(_core.boards())


def read(name: str) -> Board:
    """Return a board by its name; a ValueError lists those that are known."""
    if name not in names():
        raise ValueError(f"board is {name!r}; known are {', '.join(names())}")
    found = _core.find_board(name)
    return Board(
        found.name,
        found.platform,
        found.memory.kind.upper(),
        found.memory.num_banks,
        found.memory.bytes_per_bank,
        tuple(Slr(slr.uram, slr.bram, slr.luts) for slr in found.slrs),
        found.clock_mhz,
    )
