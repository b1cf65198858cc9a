# SPDX-License-Identifier: Apache-2.0
"""Edges on their way from a file to blocks: taken up piece by piece within a budget of memory."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core import EdgeDirection, EdgeSorter, InputError
from .._files import Path, file_name
from .._memory import num_bytes, shown

PIECE = 1 << 18  # edges handed over at once, where readers choose
_TEXT_BUFFER = (5 << 18, 8 << 20)  # bytes, at least and at most; longer than the longest line
# Bytes that are in use besides: pieces on their way, stacks and allocators of threads, buffers of files.
_OVERHEAD = 8 << 20
_PER_THREAD = 1 << 20
_MEMORY_OF_THREAD = 8 << 20  # unless told, one thread for as much: edges get most of it
_PER_TEXT_BYTE = 7  # text, its columns by thread, then as blocks, and joined; two-digit ids make the most of it


class Intake:
    """Takes edges up, sorted within a budget; what is known of vertices is reserved from it."""

    def __init__(
        self, out: Path, memory: int, scratch: Path | None, threads: int, list_workers: int | None = None
    ) -> None:
        file_name(out)  # refuses what is no path
        self.memory = memory
        self.list_workers = list_workers  # for whom lists by owner are written; None: none are
        self._told_threads = threads
        self.threads = threads or _threads_for(memory)
        self.folder = os.fsdecode(scratch) if scratch is not None else os.path.dirname(os.path.realpath(out))
        self._reserved = _OVERHEAD + _PER_THREAD * self.threads
        self._text = 0
        self._sorter: EdgeSorter | None = None
        self._check()

    def text_buffer(self) -> int:
        """Bytes of text that a parser may look at together; its memory is reserved."""
        size = min(max(self.memory // 64, _TEXT_BUFFER[0]), _TEXT_BUFFER[1])
        self._text = _PER_TEXT_BYTE * size
        self._check()
        return size

    def reserve(self, num_bytes: int) -> None:
        """Take from the budget what stays in memory until the file is written; before edges are added."""
        assert self._sorter is None
        self._reserved += num_bytes
        self._check()

    def add(
        self,
        sources: NDArray[np.uint32],
        targets: NDArray[Any],
        weights: NDArray[Any] | None,
        direction: EdgeDirection = EdgeDirection.FORWARD,
    ) -> None:
        """Take edges up; no edges with weights tell the type of these."""
        self.sorter.add(sources, targets, weights, direction)
        self._check()

    @property
    def sorter(self) -> EdgeSorter:
        """What has the edges."""
        if self._sorter is None:
            self._sorter = EdgeSorter(self.folder, self.memory - self._reserved - self._text, self.threads)
        return self._sorter

    def memory_to_merge(self, num_vertices: int) -> int:
        """Bytes left for merging sorted edges, besides what writing them takes; InputError if they do not suffice."""
        left = self.memory - self._reserved - self._memory_to_write(num_vertices)
        self._refuse(_core.LEAST_SORTING_MEMORY - left, num_vertices)
        return left

    def _memory_to_write(self, num_vertices: int) -> int:
        """Bytes for degrees, and for a block or lists in the making."""
        weight_type = None if self._sorter is None else self._sorter.weight_type
        width = 0 if weight_type is None else np.dtype(weight_type).itemsize
        least = _core.view_writer_memory(width)
        if self.list_workers is not None:
            num_edges = 0 if self._sorter is None else self._sorter.num_edges
            least = max(least, _core.list_writer_memory(num_vertices, num_edges, self.list_workers))
        return 4 * num_vertices + least

    def _check(self) -> None:
        num_vertices = 0 if self._sorter is None else self._sorter.num_vertices
        needed = max(self._text, self._memory_to_write(num_vertices)) + _core.LEAST_SORTING_MEMORY
        self._refuse(self._reserved + needed - self.memory, num_vertices)

    def _refuse(self, missing: int, num_vertices: int) -> None:
        if missing <= 0:
            return
        what = "to read and sort edges"
        if num_vertices:
            what = f"for the {num_vertices} vertices that an id of {num_vertices - 1} makes"
        raise InputError(f"memory is {shown(self.memory)}; at least {shown(self._least(missing))} are needed {what}")

    def _least(self, missing: int) -> int:
        """Memory that suffices where so much is missing; more of it may mean more threads, which take some."""
        of_threads = 0
        while True:
            least = num_bytes(shown(self.memory + missing + of_threads))
            threads = self._told_threads or _threads_for(least)
            if (threads - self.threads) * _PER_THREAD <= of_threads:
                return least
            of_threads = (threads - self.threads) * _PER_THREAD


def _threads_for(memory: int) -> int:
    return max(1, min(_core.default_num_threads(), memory // _MEMORY_OF_THREAD))
