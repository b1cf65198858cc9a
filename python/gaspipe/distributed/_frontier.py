# SPDX-License-Identifier: Apache-2.0
"""Frontier programs on ranks: how the domains of gp.FrontierEngine reach each other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ._collective import digest, exchange, words_of_all

if TYPE_CHECKING:
    from ._world import World


class RankLinks:
    """The domain of this rank, and the world of the others; as `gaspipe._frontier.links.Links` says."""

    has_all = False

    def __init__(self, world: World, domain: _core.Domain) -> None:
        self.domains = [domain]
        self.size = world.size
        self.num_threads = world.num_threads
        self._world = world

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """Tell the others of what is raised inside."""
        with self._world.step():
            yield

    def agree(self, what: dict[str, Any]) -> None:
        """Compare one word; where ranks differ, say in what."""
        own = int(digest(repr(what))[0], 16) >> 1
        if (words_of_all(self._world.communicator, [own]) != own).any():
            self._world.agree(what)

    def swap(self, boxes: list[list[bytes]]) -> list[list[bytes | memoryview]]:
        """Exchange boxes with all ranks."""
        return [exchange(self._world.communicator, boxes[0])]

    def of_all(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Exchange words with all ranks."""
        return words_of_all(self._world.communicator, words[0].tolist())
