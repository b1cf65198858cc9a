# SPDX-License-Identifier: Apache-2.0
"""A rank on a Dask worker: a task that stays there, does what the client asks, and keeps what comes of it."""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import queue
import threading
import time
import traceback
from concurrent.futures import Future
from typing import Any

from ..._core import InputError, RankError
from .._graph import DistributedGraph
from .._pieces import Piece
from .._result import DistributedResult
from .._table import piece_of_table
from .._world import World
from .links import LINK, DaskCommunicator, Links

ASK = "gaspipe_ask"  # operation of a worker, by which the client reaches its rank
TELL = "progress"  # handle of the function that tells the client how far a call is
_LOOK = 1.0  # seconds between looks at the worker and the client
_ABANDONED = 60.0  # seconds without a word of the client after which a rank ends
_ENDS = ("closing", "closed", "failed")  # status of a worker that will be gone

_ranks: dict[tuple[str, str], Rank] = {}  # of this process, by world and worker


def install(dask_worker: Any) -> None:
    """Let a worker be reached by ranks and clients."""
    address = dask_worker.address

    async def ask(comm: Any, world: str = "", what: str = "", given: Any = (), request: Any = None) -> Any:
        rank = _ranks.get((world, address))
        if rank is None:
            state = dask_worker.state
            return {"absent": True, "running": len(state.executing), "threads": state.nthreads}
        try:
            more = () if request is None else (bytes(request),)
            return await getattr(rank, f"when_asked_to_{what}")(*given, *more)
        except RankError as error:
            return {"error": str(error)}

    async def link(comm: Any, world: str = "", rank: int = 0) -> None:
        here = _ranks.get((world, address))
        if here is None or here.links is None:
            comm.abort()
        else:
            await here.links.carry(rank, comm)

    dask_worker.handlers[ASK] = ask
    dask_worker.handlers[LINK] = link


def serve(world: str, rank: int, size: int, num_threads: int, timeout: float) -> None:
    """Be a rank: the task that each worker has. It leaves the worker's threads to other tasks."""
    from distributed import get_worker, secede

    worker = get_worker()
    place = world, worker.address
    _ranks[place] = here = Rank(worker, world, rank, size, num_threads, timeout)
    try:
        secede()
        here.serve()
    finally:
        del _ranks[place]
        here.close()


def keep(table: Any, world: str, token: str, number: int, columns: tuple[Any, Any, Any]) -> None:
    """Take a table's edges into the rank that is here: a task that is pinned to its worker."""
    from distributed import get_worker

    rank = _ranks.get((world, get_worker().address))
    if rank is None:
        raise RankError("there is no rank on this worker any more")
    rank.inbox.setdefault(token, {})[number] = piece_of_table(table, *columns)


class Rank:
    """What a worker has of a world.

    Attributes
    ----------
    links : Links or None
        Connections with the other ranks, once these have a name.
    objects : dict of int to object
        Graphs and results that the client has handles of, by the call that made them.
    inbox : dict of str to dict of int to Piece
        Edges that tasks have brought, by the client's token and the number of the part.

    """

    def __init__(self, worker: Any, world: str, rank: int, size: int, num_threads: int, timeout: float) -> None:
        self.links: Links | None = None
        self.objects: dict[int, Any] = {}
        self.inbox: dict[str, dict[int, Piece]] = {}
        self._worker, self._world_id = worker, world
        self._world: World | None = None
        self._rank, self._size, self._num_threads, self._timeout = rank, size, num_threads, timeout
        self._jobs: queue.Queue[tuple[int, bytes, Future[bytes]] | None] = queue.Queue()
        self._heard = time.monotonic()
        self._told: tuple[int, str, int, int | None] | None = None  # a call, and what it said last of its progress
        self._call = 0
        self._guard = threading.Lock()
        self._has_ended = False

    # On the worker's event loop: what the client asks.

    async def when_asked_to_live(self, released: list[int] | tuple[int, ...] = ()) -> Any:
        """Give a sign of life, and let go of what the client has no handle of any more."""
        self._heard = time.monotonic()
        for handle in released:
            self.objects.pop(handle, None)
        return {"pid": os.getpid(), "told": self._told}

    async def when_asked_to_connect(self, addresses: list[str], timeout: float) -> Any:
        """Reach all other ranks, which have been prepared."""
        assert self.links is not None
        await self.links.connect(addresses, timeout)
        return {}

    async def when_asked_to_prepare(self, names: list[str]) -> Any:
        """Take the names of all ranks; now they may connect."""
        self.links = Links(self._worker, self._world_id, self._rank, names)
        self._world = World(DaskCommunicator(self._rank, self._size, self.links), self._num_threads)
        asyncio.ensure_future(self._look())  # noqa: RUF006  (ends by itself)
        return {}

    async def when_asked_to_call(self, call: int, request: bytes) -> Any:
        """Do something in the rank's thread."""
        from distributed.protocol import to_serialize

        answer: Future[bytes] = Future()
        with self._guard:
            if self._has_ended:
                raise RankError(f"rank {self._rank} of {self._size} has ended")
            self._jobs.put((call, request, answer))
        text: bytes = await asyncio.wrap_future(answer)
        return {"reply": to_serialize(memoryview(text))}

    async def when_asked_to_stop(self, call: int, why: str) -> Any:
        """End a call."""
        if self.links is not None:
            self.links.stop(call, why)
        return {}

    async def when_asked_to_end(self, why: str) -> Any:
        """End the rank; with a reason, in the middle of a call as well."""
        if why and self.links is not None:
            self.links.lose(why)
        self._jobs.put(None)
        return {}

    async def _look(self) -> None:
        while not self._has_ended:
            if reason := self._reason_to_end():
                assert self.links is not None
                self.links.lose(reason)
            await asyncio.sleep(_LOOK)

    def _reason_to_end(self) -> str:
        if self._worker.status.name in _ENDS:
            return f"the worker {self._worker.address} is being closed"
        limit = self._timeout if self.links is None else _ABANDONED  # one that starts too late is not wanted any more
        if time.monotonic() - self._heard > limit:
            return f"the client has given no sign of life for {limit:.0f} s"
        return ""

    # In the rank's thread.

    def serve(self) -> None:
        """Do what the client asks until it, the worker or another rank ends."""
        while True:
            try:
                job = self._jobs.get(timeout=_LOOK)
            except queue.Empty:
                if self._reason_to_end() or (self.links is not None and self.links.problem):
                    return
                continue
            if job is None:
                return
            call, request, answer = job
            answer.set_result(self._answer(call, request))

    def close(self) -> None:
        """Give back what there is, and end the connections."""
        with self._guard:
            self._has_ended = True
        while not self._jobs.empty():
            job = self._jobs.get()
            if job is not None:
                job[2].set_exception(RankError(f"rank {self._rank} of {self._size} has ended"))
        self.objects.clear()
        self.inbox.clear()
        if self.links is not None:
            self._worker.loop.add_callback(self.links.close)

    def tell(self, what: str, done: int, total: int | None) -> None:
        """Keep how far the call is, for the client; RankError where the client has ended it."""
        assert self.links is not None
        self.links.check()
        self._told = self._call, what, done, total

    def _answer(self, call: int, request: bytes) -> bytes:
        assert self.links is not None and self._world is not None
        world = self._world
        world.recover()
        self._call = call
        self.links.begin(call)
        try:
            function, args, kwargs = _Unpickler(io.BytesIO(request), self._world_id, self).load()
            value = function(world, *args, **kwargs)
            reply = _pickled(value, self._told)
            if isinstance(value, (DistributedGraph, DistributedResult)):
                self.objects[call] = value
        except BaseException as error:
            is_agreed = world.is_agreed(error)
            if not is_agreed and not world.has_failed:
                world.fail(error)
            reply = _pickled_error(error, is_agreed, self.links.problem)
        self.links.leave()
        return reply


class _Unpickler(pickle.Unpickler):
    """Puts graphs, results and edges of this rank where the client has given handles."""

    def __init__(self, file: io.BytesIO, world: str, rank: Rank) -> None:
        super().__init__(file)
        self._world, self._rank = world, rank

    def persistent_load(self, handle: tuple[str, int | str]) -> Any:
        world, name = handle
        if world != self._world:
            raise InputError("this graph or result is one of another world; each world has its own")
        if isinstance(name, int):
            return self._rank.objects[name]
        if name == TELL:
            return self._rank.tell
        return list(self._rank.inbox.pop(name, {}).values())


def _pickled(value: Any, told: tuple[Any, ...] | None) -> bytes:
    """Return what the client gets of a value; of graphs and results, what they are like."""
    import cloudpickle

    kind = "value"
    if isinstance(value, DistributedGraph):
        dtype = value._core.weights_dtype
        kind = "graph"
        value = {
            "num_vertices": value.num_vertices,
            "num_edges": value.num_edges,
            "weights": None if dtype is None else str(dtype),
            "strategy": value.strategy,
            "num_own": value.num_own,
        }
    elif isinstance(value, DistributedResult):
        kind = "result"
        value = {
            "algorithm": value.algorithm,
            "field": value.field,
            "stats": value.stats,
            "answer": value._answer,
            "missing": value._missing,
            "num_vertices": value.num_vertices,
            "dtype": str(value.values.dtype),
        }
    text: bytes = cloudpickle.dumps({"kind": kind, "value": value, "told": told})
    return text


def _pickled_error(error: BaseException, is_agreed: bool, problem: str) -> bytes:
    """Return what the client gets of an exception: itself, if it can be pickled and is no end of a program."""
    import cloudpickle

    told = error
    try:
        if not isinstance(error, Exception):
            raise TypeError
        pickle.loads(cloudpickle.dumps(error))
    except Exception:
        told = RankError(f"{type(error).__name__}: {error}")
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    about = {"trace": trace, "is_agreed": is_agreed, "problem": problem}
    text: bytes = cloudpickle.dumps({"kind": "error", "value": told, **about})
    return text
