# SPDX-License-Identifier: Apache-2.0
"""One domain of a graph: its vertices, its ghosts, and their numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .arrays import integer, integers


class Domain:
    """A part of a graph: vertices of its own and all edges into them. Made by indexing a :class:`Domains`.

    Sources of these edges that other domains own are its ghosts: copies of a value, which the owner sends when it
    changes. Local numbers count own vertices first, in the order of their ids, then ghosts, by owner and id. Arrays are
    made anew at every access.
    """

    __slots__ = ("_core", "_size")

    def __init__(self, core: _core.Domain, size: int) -> None:
        self._core = core
        self._size = size

    @property
    def rank(self) -> int:
        """Which of the domains it is, 0 to len(domains) - 1."""
        return self._core.rank

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids of own vertices in the whole graph, ascending, shape (number of own vertices,)."""
        return self._core.ids()

    @property
    def ghost_ids(self) -> NDArray[np.int64]:
        """Ids of ghosts in the whole graph, shape (number of ghosts,); without `combine`, an id for every cut edge."""
        return self._core.ghost_ids()

    @property
    def ghost_owner(self) -> NDArray[np.int64]:
        """The domain that owns each ghost, ascending, shape (number of ghosts,)."""
        return self._core.ghost_owners()

    @property
    def num_edges(self) -> int:
        """Number of edges into own vertices."""
        return self._core.num_edges

    @property
    def num_cut_edges(self) -> int:
        """Number of those that come from ghosts."""
        return self._core.num_cut_edges

    def to_global(self, local: ArrayLike) -> NDArray[np.int64]:
        """Ids in the whole graph of local numbers, int64 of the shape of `local`; InputError for what is none."""
        numbers = integers("local numbers", local)
        return self._core.to_global(numbers.ravel()).reshape(numbers.shape)

    def to_local(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Local numbers of own vertices and ghosts, int64 of the shape of `ids`; of repeated ghosts, the first.

        InputError for a vertex that is neither.
        """
        numbers = integers("ids", ids)
        return self._core.to_local(numbers.ravel()).reshape(numbers.shape)

    def mirrors(self, rank: int) -> NDArray[np.int64]:
        """Own vertices that are ghosts of another domain, by local number, in the order of the ghosts there.

        `a.ids[a.mirrors(b.rank)]` equals `b.ghost_ids[b.ghost_owner == a.rank]`.
        """
        return self._core.mirrors(integer("rank", rank))

    def __repr__(self) -> str:
        core = self._core
        return (
            f"Domain({core.rank} of {self._size}: {core.num_own} vertices, {core.num_edges} edges, "
            f"{core.num_ghosts} ghosts)"
        )
