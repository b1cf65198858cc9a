# SPDX-License-Identifier: Apache-2.0
"""A file with blocks, opened for runs that leave its edges, and its lists by owner, where they are."""

from __future__ import annotations

import os
import tempfile
from typing import NamedTuple

from ... import _core
from ..._core import InputError
from ..._files import Path, file_name
from .._record import Reading
from .stored import read_stored


class Streamed(NamedTuple):
    """A graph whose edges stay in its file."""

    reading: Reading
    lists: _core.StoredLists | None  # by owner, where the file has them
    name: str  # of the file, for messages
    folder: str  # where it is

    def scratch_folder(self) -> str:
        """Return where a temporary file can be written: beside the file, or where the system has such files."""
        return _scratch_folder(self.folder)


def _scratch_folder(beside: str) -> str:
    return beside if os.access(beside, os.W_OK | os.X_OK) else tempfile.gettempdir()


def _scratch_folder_or(beside: str) -> str:
    """Return the same; where there is none, a run that needs one says so, and others run."""
    try:
        return _scratch_folder(beside)
    except FileNotFoundError:
        return beside


def open_streamed(path: Path, memory: int, threads: int) -> Streamed:
    """Read all but the blocks, and keep the file open for runs that may take `memory` bytes in all."""
    name = file_name(os.fspath(path))
    folder = os.path.dirname(os.path.realpath(os.fsdecode(path)))
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        stored = read_stored(path, threads)
        if max(stored.shape) == 0:
            raise InputError(f"{name}: a matrix of 0 x 0 has no edges to leave in the file; load it without memory=")
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
            _scratch_folder_or(folder),
        )
        lists = None
        if stored.lists is not None:
            said, start, num_bytes, checks, targets = stored.lists
            lists = _core.StoredLists(core, said.workers, said.code_bits, start, num_bytes, checks, targets)
    finally:
        os.close(descriptor)
    return Streamed(Reading(core, stored.labels, stored.vertex_data), lists, name, folder)
