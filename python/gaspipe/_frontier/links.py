# SPDX-License-Identifier: Apache-2.0
"""How the domains of a frontier program reach each other: in this process, or as `RankLinks` of gaspipe.distributed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _core, _domain_options
from .._core import InputError
from .._domains import Domains
from .._threads import thread_count
from ..graph import Graph


class Links(Protocol):
    """The domains that this process has, and the way to those of others.

    Attributes
    ----------
    size : int
        Number of all domains.
    domains : sequence of _core.Domain
        Those of this process, ascending by rank.
    has_all : bool
        Whether these are all.
    num_threads : int
        Threads of this process, unless the caller says how many; 0: as OpenMP is set.

    """

    size: int
    domains: Sequence[_core.Domain]
    has_all: bool
    num_threads: int

    def step(self) -> contextlib.AbstractContextManager[Any]:
        """Return a context for what all domains do together; what is raised in it ends the steps of the others."""

    def agree(self, what: dict[str, Any]) -> None:
        """Raise InputError on all ranks where this is not equal on all of them."""

    def swap(self, boxes: list[list[bytes]]) -> list[list[bytes | memoryview]]:
        """Send boxes[i][rank], of the i-th domain here, to a rank; return what came for it from each rank."""

    def of_all(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return words of shape (domains here, n) of all domains, (size, n)."""


def links_of(graph: Graph, domains: Any, num_threads: int | None, text: str) -> Links | None:
    """Return the domains to run a program in; None: in the graph as it is.

    Raises
    ------
    InputError
        If they are neither a number nor the graph's own, or the graph is spread over ranks already.

    """
    if graph._is_spread:
        if domains is not None:
            raise InputError("domains= is for a graph in one process; each rank of this one is a domain already")
        return graph._frontier_links({"frontier program": text})  # type: ignore[no-any-return]
    found = _domain_options.of(graph, domains)
    if found is None:
        return None
    if not found.is_of(graph._core):
        raise InputError("domains= are those of another graph; make them by domains() of this one")
    if isinstance(domains, Domains) and domains.view != "forward":
        raise InputError(f"domains= are of the {domains.view} view; frontier programs walk the forward one")
    threads = thread_count(num_threads)
    return InProcess([found.domain("forward", rank, threads) for rank in range(found.size)])


class InProcess:
    """Domains that are all here."""

    has_all = True
    num_threads = 0

    def __init__(self, domains: Sequence[_core.Domain]) -> None:
        self.domains = domains
        self.size = len(domains)

    def step(self) -> contextlib.AbstractContextManager[Any]:
        """Return a context that does nothing: one thread makes all calls."""
        return contextlib.nullcontext()

    def agree(self, what: dict[str, Any]) -> None:
        """Do nothing, for there is one caller."""

    def swap(self, boxes: list[list[bytes]]) -> list[list[bytes | memoryview]]:
        """Return boxes by whom they are for."""
        return [[box[rank] for box in boxes] for rank in range(self.size)]

    def of_all(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the words."""
        return words
