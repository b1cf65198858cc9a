# SPDX-License-Identifier: Apache-2.0
"""Memory of a rank while it runs, from the sizes of what it keeps."""

from __future__ import annotations

import numpy as np

from .activity import Activity
from .cut import Cut

_FORMS = 2  # of the edges: as they were received, and as the engine walks them
_WIDE = 1 << 32  # edges from which offsets have 8 bytes
_ID = 4


def largest(cut: Cut, activity: Activity) -> int:
    """Return the bytes of the rank that needs most."""

    def offset_bytes(num_edges: float) -> int:
        return 8 if num_edges >= _WIDE else 4

    degrees = offset_bytes(cut.num_edges) * (cut.num_vertices + 1)  # of the whole graph, on every rank
    rows = cut.vertices + cut.ghosts
    of_edges = _FORMS * (cut.edges * (_ID + activity.weight_bytes) + rows * offset_bytes(float(cut.edges.max())))
    of_vertices = 2 * rows * activity.value_bytes + cut.vertices * 8  # properties, updates; answers
    of_ghosts = (_ID + activity.value_bytes) * (cut.ghosts + cut.mirrors)  # ids and boxes
    if activity.sends_changes:
        of_ghosts = of_ghosts + 8 * (cut.mirrors + cut.vertices)  # where a vertex is a ghost
    return int(degrees + np.max(of_edges + of_vertices + of_ghosts))
