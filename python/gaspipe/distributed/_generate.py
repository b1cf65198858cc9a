# SPDX-License-Identifier: Apache-2.0
"""Graphs from a recipe, of which every rank makes a part."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Callable

from .. import _core
from .._core import InputError
from ._pieces import Pieces, part_of

if TYPE_CHECKING:
    from .._domains import Strategy
    from ._graph import DistributedGraph
    from ._world import World


class WorldGenerate:
    """Generators of a world: all ranks' parts together are the graph of `gp.generate` with the same arguments."""

    def __init__(self, world: World) -> None:
        self._world = world

    def kronecker(
        self,
        scale: int = 18,
        edge_factor: int = 16,
        seed: int = 1,
        *,
        symmetric: bool = True,
        weights: tuple[int, int] | None = None,
        strategy: str | Strategy = "balanced",
    ) -> DistributedGraph:
        """Make the graph of `gp.generate.kronecker`. Every rank takes 4 bytes per vertex for the order of vertices.

        Parameters
        ----------
        scale, edge_factor, seed, symmetric
            As there.
        weights : (low, high), optional
            As there; for symmetric graphs.
        strategy : {"balanced", "hash", "mix"} or callable
            As in `World.read`.

        """
        name = "kronecker"
        given = {"scale": scale, "edge_factor": edge_factor, "seed": seed}
        return self._made(name, given, symmetric, weights, strategy)

    def uniform(
        self,
        num_vertices: int,
        num_edges: int,
        seed: int = 1,
        *,
        symmetric: bool = False,
        weights: tuple[int, int] | None = None,
        strategy: str | Strategy = "balanced",
    ) -> DistributedGraph:
        """Make the graph of `gp.generate.uniform`.

        Parameters
        ----------
        num_vertices, num_edges, seed, symmetric
            As there.
        weights : (low, high), optional
            As there; for symmetric graphs.
        strategy : {"balanced", "hash", "mix"} or callable
            As in `World.read`.

        """
        given = {"num_vertices": num_vertices, "num_edges": num_edges, "seed": seed}
        return self._made("uniform", given, symmetric, weights, strategy)

    def _made(self, name: str, given: dict[str, Any], symmetric: bool, weights: Any, strategy: Any) -> DistributedGraph:
        world = self._world
        with world.step():
            problem: Exception | None = None
            pieces = Pieces()
            try:
                pieces = self._pieces(name, given, bool(symmetric), weights)
            except Exception as error:
                problem = error
            what = {"recipe": name, **given, "symmetric": bool(symmetric), "weights": weights}
            world.agree(what, problem)
        return world._graph(pieces, strategy, pieces.num_vertices, False)

    def _pieces(self, name: str, given: dict[str, Any], symmetric: bool, weights: Any) -> Pieces:
        world = self._world
        numbers = {key: _integer(key, value) for key, value in given.items()}
        seed = numbers["seed"]
        if name == "kronecker":
            if not 0 <= numbers["scale"] <= 31 or not 1 <= numbers["edge_factor"] <= 2**31 - 1:
                raise InputError(
                    f"scale is {numbers['scale']} and edge_factor {numbers['edge_factor']}; allowed are scales of 0 to "
                    "31 and factors from 1"
                )
            n = 1 << numbers["scale"]
            total = n * numbers["edge_factor"]
            make: Callable[..., Any] = _core.kronecker_part
        else:
            n, total = numbers["num_vertices"], numbers["num_edges"]
            if n < 1 or total < 0:
                raise InputError(f"num_vertices is {n} and num_edges {total}; at least 1 and 0 are needed")
            make = _core.uniform_part
        if weights is not None and not symmetric:
            raise InputError(
                "weights of a directed graph follow the order of its edges, which no rank sees; use symmetric=True, or "
                "world.edges with weights of your own"
            )
        part = part_of(total, world.rank, world.size)
        sources, targets = make(*numbers.values(), part.first, part.last, world.num_threads)
        pieces = Pieces(num_vertices=n)
        values = None
        if symmetric:
            other = sources != targets
            if not other.all():
                sources, targets = sources[other], targets[other]
            pieces.both_directions = pieces.simplify = True
            if weights is not None:
                low, high = (_integer("weights", value) for value in weights)
                values = _core.symmetric_weights(sources, targets, low, high, seed, world.num_threads)
        pieces.edges = [(sources, targets, values)]
        return pieces


def _integer(name: str, value: Any) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}; an integer is needed") from None
    if name == "seed" and not 0 <= number < 2**64:
        raise InputError(f"seed is {number}; allowed are 0 to 2**64 - 1")
    return number
