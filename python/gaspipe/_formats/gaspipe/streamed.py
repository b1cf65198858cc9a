# SPDX-License-Identifier: Apache-2.0
"""A file with blocks, opened for runs that leave its edges where they are."""

from __future__ import annotations

import os

from ... import _core
from ..._files import Path, file_name
from .._record import Reading
from .stored import read_stored


def open_streamed(path: Path, memory: int, threads: int) -> Reading:
    """Read all but the blocks, and keep the file open for runs that may take `memory` bytes in all."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        stored = read_stored(path, threads)
        facts = stored.facts
        core = _core.Graph.from_stored(
            file_name(os.fspath(path)),
            descriptor,
            *stored.shape,
            stored.num_edges,
            stored.offsets,
            None if stored.weights is None else stored.weights.str,
            (facts.symmetric, facts.simple, facts.negative_or_nan, facts.largest_weight),
            {name: (view.start, view.index) for name, view in stored.views.items()},
            memory,
        )
    finally:
        os.close(descriptor)
    return Reading(core, stored.labels, stored.vertex_data)
