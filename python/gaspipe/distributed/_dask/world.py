# SPDX-License-Identifier: Apache-2.0
"""The world of ranks on Dask workers, as the program of the client uses it."""

from __future__ import annotations

import contextlib
import functools
import io
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, cast

import numpy as np
from numpy.typing import ArrayLike

from ... import _progress
from ..._core import InputError, RankError
from ..._progress import OfPhases
from .._generate import WorldGenerate
from .._pieces import part_of
from .._registry import register
from .._world import World, piece_of
from . import tables
from .proxies import DaskGraph, DaskResult, absolute
from .rank import TELL
from .ranks import Ranks
from .workers import chosen, same_versions, with_dask

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    from ..._domains import Strategy
    from .._graph import DistributedGraph

    P = ParamSpec("P")


class Telling:
    """On a rank, the function that tells the client how far a call is."""

    def __init__(self, world: str) -> None:
        self.world = world


def _forwarded_reader(
    method: Callable[Concatenate[World, P], DistributedGraph],
) -> Callable[Concatenate[DaskWorld, P], DaskGraph]:
    """Return a method of `DaskWorld` that calls one of `World` on all ranks, with its signature and docstring.

    Progress is told here: about once a second, of what all ranks have read.
    """

    @functools.wraps(method)
    def forward(self: DaskWorld, *args: P.args, **kwargs: P.kwargs) -> DaskGraph:
        given: tuple[Any, ...] = args
        if given:
            given = absolute(given[0]), *given[1:]
        elif "path" in kwargs:
            kwargs["path"] = absolute(kwargs["path"])  # type: ignore[arg-type]
        with _progress.of_files(kwargs.pop("progress", None)) as told:  # type: ignore[arg-type]
            options = kwargs if told is None else {**kwargs, "progress": Telling(self._ranks.id)}
            return self._as_graph(self._run([(method, given, options)] * self.size, told))

    return cast("Callable[Concatenate[DaskWorld, P], DaskGraph]", forward)


def _forwarded_recipe(
    method: Callable[Concatenate[WorldGenerate, P], DistributedGraph],
) -> Callable[Concatenate[DaskGenerate, P], DaskGraph]:
    """Do the same for the generators of a world."""

    @functools.wraps(method)
    def forward(self: DaskGenerate, *args: P.args, **kwargs: P.kwargs) -> DaskGraph:
        graph: DaskGraph = self._world._graph(_made, method.__name__, *args, **kwargs)
        return graph

    return cast("Callable[Concatenate[DaskGenerate, P], DaskGraph]", forward)


class DaskGenerate:
    """Generators of a `DaskWorld`: all ranks' parts together are the graph of `gp.generate` with the same arguments."""

    def __init__(self, world: DaskWorld) -> None:
        self._world = weakref.proxy(world)

    kronecker = _forwarded_recipe(WorldGenerate.kronecker)
    uniform = _forwarded_recipe(WorldGenerate.uniform)


class DaskWorld:
    """Ranks on the workers of a Dask client, and what this program lets them do together.

    It ends with its `with` block, or by `close`. An exception of a rank is raised here, and the world goes on; where a
    rank, its worker or the scheduler is lost, RankError names it, and the world has ended.

    Attributes
    ----------
    size : int
        Number of ranks.
    workers : list of str
        Addresses of the workers, by rank.
    generate : DaskGenerate
        Graphs from a recipe, of which every rank makes a part: `world.generate.kronecker(scale=22)`.

    """

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self.size = ranks.size
        self.workers = list(ranks.addresses)
        self.generate = DaskGenerate(self)
        self._finalizer = weakref.finalize(self, ranks.close)

    read = _forwarded_reader(World.read)
    load = _forwarded_reader(World.load)

    def table(
        self,
        table: Any,
        *,
        source: Any = None,
        destination: Any = None,
        weight: Any = None,
        undirected: bool = False,
        directed: bool | None = None,
        strategy: str | Strategy = "balanced",
        num_vertices: int | None = None,
    ) -> DaskGraph:
        """Make a graph of a Dask dataframe with a row per edge.

        Its partitions are computed on the cluster. Each goes to the worker of one rank, where it is already if a rank
        is there, and not by way of this process.

        Parameters
        ----------
        table : dask.dataframe.DataFrame, or a list of Delayed or Future
            Edges; the parts of a list are pandas, polars or pyarrow tables. Vertices are integers.
        source, destination, weight : str, optional
            Names of columns, as `gp.Graph.from_table` takes them.
        undirected, directed, strategy, num_vertices
            As in `read`.

        Raises
        ------
        InputError
            If there are no such columns, or vertices are not integers.

        """
        self._ranks.check()
        brought = tables.Brought(self._ranks.id)
        given = {
            "undirected": undirected,
            "directed": directed,
            "strategy": strategy,
            "num_vertices": num_vertices,
        }
        try:
            tables.bring(self._ranks, table, (source, destination, weight), brought.token)
        except BaseException:
            with contextlib.suppress(RankError):
                self.run(tables.drop, brought)
            raise
        return self._graph(tables.graph_of, brought, **given)

    def edges(
        self,
        sources: ArrayLike,
        targets: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        undirected: bool = False,
        directed: bool | None = None,
        strategy: str | Strategy = "balanced",
        num_vertices: int | None = None,
    ) -> DaskGraph:
        """Make a graph of edge arrays of this process, of which every rank gets a part.

        Parameters
        ----------
        sources, targets : array_like
            Ends of the edges, integers of shape (k,).
        weights : array_like, optional
            Weights of the edges.
        undirected, directed, strategy, num_vertices
            As in `read`.

        """
        columns = piece_of(sources, targets, weights)
        count = len(columns[0])
        cuts = [slice(*part_of(count, rank, self.size)) for rank in range(self.size)]
        parts = [[None if column is None else np.ascontiguousarray(column[cut]) for column in columns] for cut in cuts]
        given = {
            "undirected": undirected,
            "directed": directed,
            "strategy": strategy,
            "num_vertices": num_vertices,
        }
        return self._as_graph(self._run([(World.edges, part, given) for part in parts]))

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call `function(world, *args, **kwargs)` on every rank, each with its `World`.

        The function may do what a rank of an MPI job does: its world has `rank`, `size`, `read`, `edges`, `barrier`,
        and `gp.bfs(graph)` in it gives the rank's own part. Graphs and results of this world among the arguments are
        there those of the rank.

        Parameters
        ----------
        function : callable
            What is called; it and its arguments are pickled.
        *args, **kwargs
            Arguments, the same on all ranks.

        Returns
        -------
        list, DaskGraph or DaskResult
            What it returns on each rank, by rank; where that is a graph or a result, its handle.

        Raises
        ------
        Exception
            What the function raises on a rank; the calls of the others end.
        RankError
            If a rank or the scheduler is lost.

        """
        return self._run([(function, args, kwargs)] * self.size)

    def close(self) -> None:
        """End the ranks, and give back what they hold; graphs and results of this world are of no use afterwards."""
        self._finalizer()

    def __enter__(self) -> DaskWorld:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", closed" if not self._finalizer.alive else ", ended" if self._ranks.failure else ""
        return f"DaskWorld({self.size} ranks{state})"

    def _graph(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> DaskGraph:
        return self._as_graph(self.run(function, *args, **kwargs))

    @staticmethod
    def _as_graph(value: Any) -> DaskGraph:
        assert isinstance(value, DaskGraph)
        return value

    def _run(self, jobs: Sequence[tuple[Any, Any, Any]], told: OfPhases | None = None) -> Any:
        self._ranks.check()
        texts: dict[int, bytes] = {}
        for job in jobs:
            if id(job) not in texts:
                texts[id(job)] = self._pickled(job)
        replies = self._ranks.call([texts[id(job)] for job in jobs], told)
        kinds = {reply["kind"] for reply in replies}
        handle, values = replies[0]["call"], [reply["value"] for reply in replies]
        if kinds == {"graph"}:
            return DaskGraph._of(self, handle, values)
        if kinds == {"result"}:
            return DaskResult(self, handle, values[0])
        if kinds != {"value"}:
            self._ranks.release(handle)
            raise InputError("the function returned a graph or a result on some ranks, and something else on others")
        return values

    def _pickled(self, job: Any) -> bytes:
        import cloudpickle

        class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
            """Has handles for graphs and results."""

            def persistent_id(self, value: Any) -> tuple[str, int | str] | None:
                if isinstance(value, DaskGraph):
                    return value.world._ranks.id, value._handle
                if isinstance(value, DaskResult):
                    return value._world._ranks.id, value._handle
                if isinstance(value, tables.Brought):
                    return value.world, value.token
                if isinstance(value, Telling):
                    return value.world, TELL
                if isinstance(value, DaskWorld):
                    raise InputError(
                        "a DaskWorld is among the arguments; functions on ranks get a World of their own as the first"
                    )
                return None

        file = io.BytesIO()
        Pickler(file).dump(job)
        return file.getvalue()


def _made(world: World, recipe: str, *args: Any, **kwargs: Any) -> DistributedGraph:
    graph: DistributedGraph = getattr(world.generate, recipe)(*args, **kwargs)
    return graph


def dask(
    client: Any,
    workers: int | Sequence[str] | None = None,
    *,
    num_threads: int | None = None,
    timeout: float = 10.0,
) -> DaskWorld:
    """Open a world whose ranks are workers of a Dask cluster, one rank a worker.

    The ranks are tasks that stay on their workers, but leave the workers' threads to other tasks. They exchange
    directly, over connections of Dask's own. A worker that dies or hangs, and a scheduler that is lost, end the world:
    the call under way raises RankError with its name within `timeout`, the next one otherwise.

    Parameters
    ----------
    client : dask.distributed.Client
        Client of the cluster; its workers have this version of gaspipe.
    workers : int, or a list of addresses, optional
        How many workers get a rank, or which; by default all that there are now.
    num_threads : int, optional
        Threads of a rank; by default as many as its worker has.
    timeout : float
        Seconds in which ranks must start, and within which a worker that hangs in a call is found; between calls it is
        a minute.

    Returns
    -------
    DaskWorld
        The world, which is also a context manager that closes it.

    Raises
    ------
    InputError
        If dask is missing, workers have another version of gaspipe, or there are too few.
    RankError
        If ranks cannot start or reach each other.

    """
    with_dask(client)
    if not isinstance(timeout, (int, float)) or isinstance(timeout, bool) or not timeout >= 2:
        raise InputError(f"timeout is {timeout!r}; at least 2 seconds are needed")
    threads = chosen(client, workers, num_threads)
    same_versions(client, list(threads), float(timeout))
    ranks = Ranks(client, list(threads), float(timeout))
    ranks.start(list(threads.values()))
    return DaskWorld(ranks)


register("dask", dask)
