# SPDX-License-Identifier: Apache-2.0
"""Graphs and answers on Dask workers, as the client has them: what they are like, and handles of the ranks' parts."""

from __future__ import annotations

import os
import warnings
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core import InputError
from ..._device import DeviceFallbackWarning
from ..._files import Path
from ..._result import NotConvergedWarning, Result, Stats
from ...graph import Graph
from .. import _call
from .._graph import DistributedGraph
from .._result import DistributedResult, assembled

if TYPE_CHECKING:
    from .._world import World
    from .world import DaskWorld


class DaskGraph(Graph):
    """A graph whose edges are with the ranks of a `DaskWorld`. Algorithms of hooks take it like any graph.

    The client has no part of it. What needs the edges in one process raises InputError. Made by `DaskWorld.read`,
    `DaskWorld.table` and the like; vertices have no labels. The workers' memory is given back when the client drops the
    graph and its results.

    Attributes
    ----------
    world : DaskWorld
        The ranks.
    strategy : str
        Which rank owns which vertices: "balanced", "hash" or "mix".
    num_own : list of int
        Number of vertices that each rank owns.

    """

    __slots__ = ("_about", "_handle", "num_own", "strategy", "world")

    world: DaskWorld
    strategy: str
    num_own: list[int]
    _about: dict[str, Any]
    _handle: int

    def __init__(self) -> None:
        raise InputError("a DaskGraph is made by a DaskWorld: world.read(path), world.table(dataframe)")

    @classmethod
    def _of(cls, world: DaskWorld, handle: int, of_ranks: list[dict[str, Any]]) -> DaskGraph:
        graph = cls.__new__(cls)
        graph.world, graph._handle, graph._about = world, handle, of_ranks[0]
        graph.strategy = of_ranks[0]["strategy"]
        graph.num_own = [of_rank["num_own"] for of_rank in of_ranks]
        weakref.finalize(graph, world._ranks.release, handle).atexit = False
        return graph

    _is_spread = True

    def _frontier_links(self, program: dict[str, Any]) -> Any:
        raise InputError("this graph is spread over Dask workers; make a FrontierEngine there, in world.run(function)")

    @property
    def _core(self) -> Any:  # type: ignore[override]  # there is none
        raise InputError("this graph is spread over Dask workers; what was asked for needs it in one process")

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return int(self._about["num_vertices"])

    @property
    def num_edges(self) -> int:
        """Number of stored edges; an undirected edge counts twice."""
        return int(self._about["num_edges"])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the graph as a matrix."""
        return self.num_vertices, self.num_vertices

    @property
    def is_weighted(self) -> bool:
        """Whether edges have weights."""
        return self._about["weights"] is not None

    @property
    def labels(self) -> None:
        """None: vertices are 0 to num_vertices - 1."""
        return None

    def _run_on_ranks(self, *question: Any) -> DaskResult:
        *what, options = question
        if options.get("progress"):
            raise InputError(
                "progress= is a function of this process, which the workers cannot call; omit it, or run a function on "
                "the ranks with world.run"
            )
        options = {key: value for key, value in options.items() if key != "progress"}
        for key in ("checkpoint", "resume"):
            if options.get(key) is not None:
                options[key] = absolute(options[key])
        result = self.world.run(_ask, self, what, options)
        assert isinstance(result, DaskResult)
        if result._missing:
            warnings.warn(result._missing, DeviceFallbackWarning, stacklevel=5)
        if not result.stats.converged:
            text = _call.not_converged(_call.Question(*what), result.stats)
            warnings.warn(text, NotConvergedWarning, stacklevel=5)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a DaskGraph cannot be pickled; give it to world.run, where each rank gets its part")

    def __repr__(self) -> str:
        weights = f"{self._about['weights']} weights" if self.is_weighted else "no weights"
        return (
            f"DaskGraph({self.num_vertices} vertices, {self.num_edges} edges, {weights}, {self.world.size} ranks, "
            f"{self.strategy})"
        )


class DaskResult:
    """An answer whose values are with the ranks of a `DaskWorld`, each of which has those of its own vertices.

    Attributes
    ----------
    algorithm, field : str
        Names of the algorithm and of its answer.
    stats : Stats
        How it was found, on all ranks: counts are sums, times those of the slowest rank. `stats.domains` says what each
        rank did.
    num_vertices : int
        Number of values, on all ranks together.
    dtype : numpy.dtype
        Of the values.

    """

    def __init__(self, world: DaskWorld, handle: int, about: dict[str, Any]) -> None:
        self.algorithm: str = about["algorithm"]
        self.field: str = about["field"]
        self.stats: Stats = about["stats"]
        self.num_vertices: int = about["num_vertices"]
        self.dtype = np.dtype(about["dtype"])
        self._answer: type[Result] = about["answer"]
        self._missing: str = about["missing"]
        self._world, self._handle = world, handle
        weakref.finalize(self, world._ranks.release, handle).atexit = False

    if not TYPE_CHECKING:  # checkers take the attributes that there are

        def __getattr__(self, name: str) -> Any:
            field = self.__dict__.get("field")
            if name in ("values", field):
                raise AttributeError(f"the values are with the workers; take them with gather(): r.gather().{name}")
            raise AttributeError(f"a result of {self.__dict__.get('algorithm', '?')} on workers has no {name!r}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise InputError("the values are with the workers; bring them to this process with gather()")

    def __len__(self) -> int:
        return self.num_vertices

    def gather(self) -> Result:
        """Bring the whole answer to the client.

        Returns
        -------
        Result
            As the algorithm returns it in one process.

        """
        parts = self._world.run(_own_part, self)
        whole = assembled(self.num_vertices, self.dtype, parts)
        return self._answer(self.algorithm, self.field, whole, self.stats, None)

    def to_npy(self, path: Path) -> None:
        """Write the whole answer to one `.npy` file, every rank its part.

        The file takes its name when it is whole. All workers must see the same folder.

        Parameters
        ----------
        path : str or path
            File to write; one of that name is replaced.

        Raises
        ------
        OSError
            If a rank cannot write its part.

        """
        self._world.run(_write, self, "to_npy", absolute(path))

    def to_parquet(self, path: Path) -> None:
        """Write the whole answer to a folder of Parquet files, one for each rank.

        The files have the columns `vertex` and the field's name, and the folder takes its name when it is whole. All
        workers must see the same folder; `dask.dataframe.read_parquet` reads it.

        Parameters
        ----------
        path : str or path
            Folder to make.

        Raises
        ------
        InputError
            If there is something of that name.
        ImportError
            If pyarrow is missing on a worker.
        OSError
            If a rank cannot write its part.

        """
        self._world.run(_write, self, "to_parquet", absolute(path))

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a DaskResult cannot be pickled; give it to world.run, where each rank gets its part")

    def __repr__(self) -> str:
        return (
            f"DaskResult({self.algorithm}, {self.num_vertices} values of {self.field}, {self.dtype}, on "
            f"{self._world.size} ranks, {self.stats!r})"
        )


def absolute(path: Path) -> str:
    """Return a path that does not depend on where a process runs."""
    return os.path.abspath(os.fsdecode(os.fspath(path)))


# On ranks.


def _ask(world: World, graph: DistributedGraph, what: list[Any], options: dict[str, Any]) -> DistributedResult:
    return _call.call(graph, _call.Question(*what), options, is_silent=True)


def _own_part(world: World, result: DistributedResult) -> tuple[Any, Any]:
    first = result._graph.first_own_id
    return (result.ids if first is None else first), np.asarray(result.values)


def _write(world: World, result: DistributedResult, how: str, path: str) -> None:
    getattr(result, how)(path)
