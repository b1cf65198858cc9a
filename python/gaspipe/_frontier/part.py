# SPDX-License-Identifier: Apache-2.0
"""One domain of a frontier program: an engine of its own vertices and its ghosts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core


class Part:
    """An engine on a domain's local graph. Sets that callers see have own vertices only.

    An edge lies with the domain that owns its destination. Before edges are walked, vertices of the set that are ghosts
    elsewhere are sent there with their values, and join the set.

    Attributes
    ----------
    core : _core.Frontier
        The engine.
    ids : numpy.ndarray
        Own vertices in the whole graph, ascending, int64.

    """

    def __init__(self, domain: _core.Domain, core: _core.Frontier, vertex: np.dtype[Any], size: int) -> None:
        self.core = core
        self.ids = domain.ids()
        self._vertex = vertex
        self._num_own = domain.num_own
        self._num_local = domain.num_own + domain.num_ghosts
        self._mirrors = [domain.mirrors(rank) for rank in range(size)]
        self._first_ghosts = domain.num_own + domain.ghost_first()

    def set_of(self, own: NDArray[np.uint32], is_bitmap: bool) -> _core.FrontierSet:
        """Return a set of own vertices, by their local numbers."""
        made = self.core.set_of(own)
        if is_bitmap:
            made.convert(True)
        return made

    def all(self) -> _core.FrontierSet:
        """Return the set of all own vertices."""
        return self.set_of(np.arange(self._num_own, dtype=np.uint32), True)

    def boxes(self, own: NDArray[np.uint32]) -> list[bytes]:
        """Return for each rank which of its ghosts are of a set, and their values."""
        is_there = np.zeros(self._num_own, np.bool_)
        is_there[own] = True
        values = self.core.values(0, self._vertex, False)
        made = []
        for mirrors in self._mirrors:
            places = np.flatnonzero(is_there[mirrors]).astype(np.uint32)
            made.append(places.tobytes() + values[mirrors[places]].tobytes() if len(places) else b"")
        return made

    def with_ghosts(
        self, own: _core.FrontierSet, numbers: NDArray[np.uint32], boxes: list[bytes | memoryview]
    ) -> _core.FrontierSet:
        """Return a set with the ghosts that came in boxes; their values are the engine's now."""
        ghosts = []
        for rank, box in enumerate(boxes):
            count = len(box) // (4 + self._vertex.itemsize)
            if count == 0:
                continue
            places = np.frombuffer(box, np.uint32, count)
            local = self._first_ghosts[rank] + places.astype(np.int64)
            self.core.values(0, self._vertex, True)[local] = np.frombuffer(box, self._vertex, count, 4 * count)
            ghosts.append(local.astype(np.uint32))
        if not ghosts:
            return own
        there = np.concatenate([numbers, *ghosts])
        if len(there) == self._num_local:
            return self.core.all()
        made = self.core.set_of(there)
        if own.is_bitmap:
            made.convert(True)
        return made
