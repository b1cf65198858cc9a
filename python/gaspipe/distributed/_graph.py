# SPDX-License-Identifier: Apache-2.0
"""A graph that is spread over ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..graph import Graph
from . import _call
from ._frontier import RankLinks

if TYPE_CHECKING:
    from ._result import DistributedResult
    from ._world import World


class DistributedGraph(Graph):
    """A graph of a `World`. Algorithms of hooks take it like any graph, on all ranks together.

    Its edges are with the ranks: each has those into the vertices that it owns. Every rank knows the size of the whole
    graph and how many edges leave each vertex (4 bytes per vertex; 8 from 2**32 edges on). What needs the edges in one
    process raises InputError. Made by `World.read`, `World.edges` and the like; vertices have no labels.

    Attributes
    ----------
    world : World
        The ranks.
    strategy : str
        Which rank owns which vertices: "balanced", "hash" or "mix".

    """

    __slots__ = ("_edges", "_own_ids", "strategy", "world")

    world: World
    strategy: str
    _edges: _core.DistributedEdges
    _own_ids: NDArray[np.uint32] | None

    def __init__(self) -> None:
        raise _core.InputError("a DistributedGraph is made by a World: world.read(path), world.edges(...)")

    @classmethod
    def _of(cls, world: World, edges: _core.DistributedEdges, strategy: str) -> DistributedGraph:
        graph = cls.__new__(cls)
        graph._set(edges.skeleton, None, {})
        graph.world, graph.strategy = world, strategy
        graph._edges = edges
        graph._own_ids = None
        return graph

    @property
    def num_own(self) -> int:
        """Number of vertices that this rank owns."""
        return self._edges.num_own

    @property
    def own_ids(self) -> NDArray[np.uint32]:
        """Vertices that this rank owns, ascending, shape (num_own,), uint32."""
        if self._own_ids is None:
            self._own_ids = self._edges.own_ids
        return self._own_ids

    @property
    def first_own_id(self) -> int | None:
        """First of a range of vertices that this rank owns; None where they are no range."""
        return self._edges.first_id

    _is_spread = True

    @property
    def _shows_progress(self) -> bool:  # type: ignore[override]
        return self.world.rank == 0

    def _run_on_ranks(self, *question: Any) -> DistributedResult:
        *what, options = question
        return _call.call(self, _call.Question(*what), options)

    def _frontier_links(self, program: dict[str, Any]) -> RankLinks:
        """Return this rank's domain for a program, which must be the same on all ranks."""
        world = self.world
        with world.step():
            world.agree({"version of gaspipe": _core.__version__, **program})
            return RankLinks(world, self._edges.domain(world.num_threads))

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a DistributedGraph cannot be pickled; its edges are with the ranks")

    def __repr__(self) -> str:
        dtype = self._core.weights_dtype
        weights = "no weights" if dtype is None else f"{dtype} weights"
        return (
            f"DistributedGraph({self.num_vertices} vertices, {self.num_edges} edges, {weights}, {self.world.size} "
            f"ranks, {self.strategy}; rank {self.world.rank} owns {self.num_own} vertices)"
        )
