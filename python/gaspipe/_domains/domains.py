# SPDX-License-Identifier: Apache-2.0
"""All domains of a graph."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._core import InputError
from .._flags import flag
from .arrays import integer, integers
from .domain import Domain
from .strategy import Strategy, name_of, owners_by
from .summary import DomainsSummary

if TYPE_CHECKING:
    from ..graph import Graph

_VIEWS = ("forward", "reverse", "undirected")


class Domains:
    """A graph cut into domains, for runs with `domains=`; a sequence of :class:`Domain`. Made by `Graph.domains()`.

    Runs build the view that they walk from the same owners. What is seen here are the domains of `view`, which are
    built at first use.
    """

    __slots__ = ("_core", "_strategy", "_threads", "_view")

    def __init__(
        self, graph: Graph, size: int, strategy: str | Strategy, combine: bool, view: str, num_threads: int
    ) -> None:
        size = integer("size", size)
        combine = flag("combine", combine)
        if view not in _VIEWS:
            raise InputError(f"view is {view!r}; allowed are {', '.join(map(repr, _VIEWS))}")
        if callable(strategy):
            owners = owners_by(strategy, graph.num_vertices, size)
            self._core = _core.Domains.from_owners(graph._core, size, owners, name_of(strategy), combine)
        elif isinstance(strategy, str):
            self._core = _core.Domains(graph._core, size, strategy, combine)
        else:
            known = ", ".join(map(repr, _core.domain_strategies()))
            raise InputError(f"strategy is {strategy!r}; allowed are {known} and a function (ids, size) -> ranks")
        self._strategy = strategy
        self._view = view
        self._threads = num_threads

    @property
    def strategy(self) -> str | Strategy:
        """How vertices are given to domains: a name, or the function that was handed in."""
        return self._strategy

    @property
    def combine(self) -> bool:
        """Whether all edges from one vertex share a ghost."""
        return self._core.combine

    @property
    def view(self) -> str:
        """Which edges the domains seen here have."""
        return self._view

    def owner(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Return the domain that owns each vertex, int64 of the shape of `ids`."""
        numbers = integers("ids", ids)
        return self._core.owners(self._view, numbers.ravel(), self._threads).reshape(numbers.shape)

    def summary(self) -> DomainsSummary:
        """Return balance and cut: what the domains hold, and what they will send."""
        parts = [part._core for part in self]

        def column(numbers: list[int]) -> NDArray[np.int64]:
            return np.array(numbers, np.int64)

        return DomainsSummary(
            strategy=self._core.strategy,
            view=self._view,
            vertices=column([part.num_own for part in parts]),
            edges=column([part.num_edges for part in parts]),
            ghosts=column([part.num_ghosts for part in parts]),
            cut_edges=sum(part.num_cut_edges for part in parts),
        )

    def __len__(self) -> int:
        return self._core.size

    def __getitem__(self, rank: int) -> Domain:
        size = len(self)
        index = operator.index(rank)
        if not -size <= index < size:
            raise IndexError(f"there is no domain {index}; {size} domains are 0 to {size - 1}")
        return Domain(self._core.domain(self._view, index % size, self._threads), size)

    def __iter__(self) -> Iterator[Domain]:
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        combined = "" if self.combine else ", combine=False"
        return f"Domains({len(self)} by {self._core.strategy!r}, {self._view} view{combined})"
