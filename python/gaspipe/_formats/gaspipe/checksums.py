# SPDX-License-Identifier: Apache-2.0
"""Checksums of a `.gaspipe` file's sections, in parallel; the package describes the format."""

from __future__ import annotations

import _thread
import contextlib
import zlib
from collections.abc import Sequence
from typing import Callable

import numpy as np
from numpy.typing import NDArray

from ... import _core

BLOCK = 4 << 20


def checksums(
    contents: Sequence[NDArray[np.uint8]], threads: int, told: Callable[[int], object] | None = None
) -> list[int]:
    """Checksum of each, as the format has it; `told` is called on this thread with bytes that have been looked at."""
    blocks = [content[first : first + BLOCK].data for content in contents for first in range(0, len(content), BLOCK)]
    sums = iter(_block_sums(blocks, threads or _core.default_num_threads(), told))
    return [
        zlib.crc32(b"".join(next(sums).to_bytes(4, "little") for _ in range(0, len(content), BLOCK)))
        for content in contents
    ]


def _block_sums(blocks: Sequence[memoryview], threads: int, told: Callable[[int], object] | None) -> list[int]:
    """CRC-32 of each block; zlib releases the GIL.

    This thread works too and waits for no other. Where memory is short a thread may not start, or die before its first
    line, and threading.Thread.start waits for that line. A block that another thread took and has not done is done
    here.
    """
    sums: list[int | None] = [None] * len(blocks)
    places = list(range(len(blocks)))
    num_untold = len(blocks)

    def work(report: Callable[[], object] = lambda: None) -> None:
        while True:
            try:
                place = places.pop()
            except IndexError:
                return
            sums[place] = zlib.crc32(blocks[place])
            report()

    def help() -> None:
        with contextlib.suppress(MemoryError):
            work()

    def tell() -> None:
        nonlocal num_untold
        num_left = len(places)
        if told is not None and num_left < num_untold:
            told(sum(block.nbytes for block in blocks[num_left:num_untold]))
            num_untold = num_left

    try:
        for _ in range(min(threads, len(blocks)) - 1):
            try:
                _thread.start_new_thread(help, ())
            except (RuntimeError, MemoryError):
                break
        work(tell)
        tell()
        return [zlib.crc32(block) if found is None else found for block, found in zip(blocks, sums)]
    finally:
        places.clear()  # after KeyboardInterrupt the other threads stop too
