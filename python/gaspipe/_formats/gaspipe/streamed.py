# SPDX-License-Identifier: Apache-2.0
"""A file with blocks, opened for runs that leave its edges, and its lists by owner, where they are."""

from __future__ import annotations

import os
from typing import NamedTuple

from ... import _core
from ..._files import Path, file_name
from .._record import Reading
from .stored import read_stored


class Streamed(NamedTuple):
    """A graph whose edges stay in its file."""

    reading: Reading
    lists: _core.StoredLists | None  # by owner, where the file has them
    name: str  # of the file, for messages
    folder: str  # where it is


def open_streamed(path: Path, memory: int, threads: int) -> Streamed:
    """Read all but the blocks, and keep the file open for runs that may take `memory` bytes in all."""
    name = file_name(os.fspath(path))
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        stored = read_stored(path, threads)
        facts = stored.facts
        core = _core.Graph.from_stored(
            name,
            descriptor,
            *stored.shape,
            stored.num_edges,
            stored.offsets,
            None if stored.weights is None else stored.weights.str,
            (facts.symmetric, facts.simple, facts.negative_or_nan, facts.largest_weight),
            {name: (view.start, view.index) for name, view in stored.views.items()},
            memory,
        )
        lists = None
        if stored.lists is not None:
            said, start, num_bytes, checks, targets = stored.lists
            lists = _core.StoredLists(core, said.workers, said.code_bits, start, num_bytes, checks, targets)
    finally:
        os.close(descriptor)
    folder = os.path.dirname(os.path.realpath(os.fsdecode(path)))
    return Streamed(Reading(core, stored.labels, stored.vertex_data), lists, name, folder)
