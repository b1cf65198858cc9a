# SPDX-License-Identifier: Apache-2.0
"""The ranks of a world as the client reaches them: by way of the scheduler, which is all that a client has to reach.

One request goes to every rank at a time. Besides, every second a sign of life: a worker that stops giving one, that the
scheduler has lost, or a scheduler that is lost itself, ends the world, on the client and on the ranks that are left.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import pickle
import secrets
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from ..._core import InputError, RankError
from ..._progress import OfPhases
from . import rank as on_worker
from .asking import Asking

_BEAT = 1.0  # seconds between signs of life of a rank, at least
_BEATS_PER_SECOND = 64  # of all ranks: each is a connection of the scheduler's
_QUIET = 0.6  # share of the time-out after which a rank counts as lost
_IDLE = 60.0  # seconds of it between calls
_GRACE = 2.0  # seconds in which the others may answer once one is lost
_LOOK = 0.1
_FIRST_LOOK = 0.02
_PRIORITY = 100  # of the ranks' tasks, before others that wait for a thread


class Ranks:
    """One rank for each of some workers.

    Attributes
    ----------
    id : str
        Name of the world.
    addresses : list of str
        Of the workers, by rank.
    client : dask.distributed.Client
        The program's.
    failure : str
        What has ended the world; empty as long as it lives.

    """

    def __init__(self, client: Any, addresses: Sequence[str], timeout: float) -> None:
        self.id = f"gaspipe-{secrets.token_hex(8)}"
        self.size = len(addresses)
        self.addresses = list(addresses)
        self.failure = ""
        self.client = client
        self._timeout = timeout
        self._loop = client.loop.asyncio_loop
        self._asking = Asking(client, self.id, addresses, timeout)
        self._tasks: list[Any] = []
        self._calls = 0
        self._called_at = 0.0
        self._released: list[deque[int]] = [deque() for _ in addresses]
        self._told: list[Any] = [None] * self.size  # of each rank: a call, and what it said last of its progress
        self._one_call = threading.Lock()
        self._caller: int | None = None  # the thread that has it
        self._guard = threading.Lock()
        self._is_closed = False
        self._lost: int | None = None  # the rank that has ended the world
        self._watching: list[concurrent.futures.Future[None]] = []

    def start(self, num_threads: Sequence[int]) -> None:
        """Start the ranks, and connect them."""
        try:
            for rank, address in enumerate(self.addresses):
                self._tasks.append(
                    self.client.submit(
                        on_worker.serve,
                        self.id,
                        rank,
                        self.size,
                        num_threads[rank],
                        self._timeout,
                        key=f"{self.id}-rank-{rank}",
                        workers=[address],
                        allow_other_workers=False,
                        pure=False,
                        retries=0,
                        priority=_PRIORITY,
                    )
                )
            self._wait_until_up()
            self._asking.ask_all("prepare", self._asking.names)
            self._asking.ask_all("connect", self.addresses, self._timeout / 2)
        except BaseException:
            with contextlib.suppress(Exception):  # first, so that those that wait for a thread do not start
                concurrent.futures.wait([self._asking.begin(self._cancel())], _GRACE)
            self.close()
            raise
        self._watching = [self._asking.begin(self._watch(rank)) for rank in range(self.size)]
        self._watching.append(self._asking.begin(self._watch_scheduler()))

    def call(self, requests: Sequence[bytes], progress: OfPhases | None = None) -> list[dict[str, Any]]:
        """Let every rank do something; what each answers, and the number of the call.

        `progress` is called on this thread with the sums of what the ranks tell with their signs of life.

        Raises
        ------
        Exception
            What a rank has raised, before the RankErrors that others have because of it.
        RankError
            If a rank or the scheduler is lost.

        """
        with self._one_at_a_time():
            self._calls += 1
            self._called_at = time.monotonic()
            number = self._calls
            pending = [
                self._asking.begin(self._asking.ask(rank, "call", number, request=request))
                for rank, request in enumerate(requests)
            ]
            try:
                self._wait(pending, number, progress)
            except BaseException:
                self._interrupt(number, pending)
                raise
            replies = [self._reply(rank, answer) for rank, answer in enumerate(pending)]
            has_failed = any(reply["kind"] == "error" for reply in replies)
            if progress is not None and not has_failed:
                self._told = [reply["told"] for reply in replies]
                try:
                    self._tell(number, progress, is_done=True)
                except BaseException:
                    self.release(number)
                    raise
        if has_failed:
            self.release(number)
            self._raise(replies)
        for reply in replies:
            reply["call"] = number
        return replies

    @contextlib.contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        self.check()
        with self._one_call:
            self.check()
            self._caller = threading.get_ident()
            try:
                yield
            finally:
                self._caller = None

    def check(self) -> None:
        """Raise RankError where nothing more can be done, InputError in a function that a call has called."""
        if self._caller == threading.get_ident():
            raise InputError("this world is in a call; its function of progress= must not use it; do so after the call")
        if self._is_closed:
            raise RankError("this world has been closed; open another with gp.distributed.dask(client)")
        if self._is_without_client():
            self.failure = self.failure or "the client was closed"
        if self.failure:
            raise RankError(f"{self.failure}; this world has ended, open another with gp.distributed.dask(client)")

    def _is_without_client(self) -> bool:
        return self.client.status in ("closing", "closed")

    def release(self, handle: int) -> None:
        """Let the ranks drop a graph or a result, with their next sign of life."""
        for released in self._released:  # without a lock: the garbage collector calls this anywhere
            released.append(handle)

    def close(self) -> None:
        """End the ranks; what they hold is gone."""
        with self._guard:
            if self._is_closed:
                return
            self._is_closed = True
        for watching in self._watching:
            watching.cancel()
        if not self._loop.is_running() or self.client.status != "running":
            return
        if self.failure:  # the ranks that are left have been told
            return
        why = "the client has closed the world" if self._one_call.locked() else ""
        if self._is_in_loop():  # of the garbage collector
            for rank in range(self.size):
                self._asking.begin(self._end(rank, why))
            return
        self._asking.tell_all("end", why, seconds=_GRACE)
        with contextlib.suppress(Exception):
            if self._watching:
                concurrent.futures.wait([self._asking.begin(self._until_tasks_end())], self._timeout / 2)
            concurrent.futures.wait([self._asking.begin(self._cancel())], _GRACE)

    def _is_in_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    # The start.

    def _wait_until_up(self) -> None:
        end = time.monotonic() + self._timeout
        up: dict[int, int] = {}
        busy: dict[int, str] = {}
        while len(up) < self.size:
            asked = {
                rank: self._asking.begin(self._asking.ask_worker(rank, "live"))
                for rank in range(self.size)
                if rank not in up
            }
            concurrent.futures.wait(asked.values(), max(0.0, end - time.monotonic()))
            for rank, answer in asked.items():
                if self._tasks[rank].status in ("error", "lost", "cancelled"):
                    raise RankError(f"{self._asking.names[rank]} did not start: {self._tasks[rank].exception()}")
                if not answer.done():
                    answer.cancel()
                    busy.setdefault(rank, "it gives no answer")
                    continue
                said = answer.result()
                if "pid" in said:
                    up[rank] = said["pid"]
                else:
                    busy[rank] = (
                        f"it has {said['threads']} threads, and runs {said['running']} other tasks; wait for these, "
                        "or choose other workers with workers=[...]"
                    )
            if time.monotonic() > end and len(up) < self.size:
                rank = next(rank for rank in range(self.size) if rank not in up)
                raise RankError(f"{self._asking.names[rank]} has not started within {self._timeout:g} s: {busy[rank]}")
            time.sleep(_FIRST_LOOK)
        self._asking.names = [
            f"rank {rank} of {self.size} (process {up[rank]}, worker {address})"
            for rank, address in enumerate(self.addresses)
        ]

    async def _until_tasks_end(self) -> None:
        from distributed import wait

        await wait(self._tasks)

    async def _cancel(self) -> None:
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self.client.cancel(self._tasks), _GRACE)

    # The watch, on the client's event loop.

    async def _watch(self, rank: int) -> None:
        while not self.failure:
            released = [self._released[rank].popleft() for _ in range(len(self._released[rank]))]
            sign = asyncio.ensure_future(self._asking.ask(rank, "live", released))
            try:
                await self._wait_for(rank, sign)
                if sign.done():
                    self._told[rank] = sign.result().get("told")
            except RankError as error:
                self._fail(str(error), rank)
            except Exception as error:
                self._fail(self._without_scheduler(error))
            finally:
                sign.cancel()
            await asyncio.sleep(max(_BEAT, self.size / _BEATS_PER_SECOND))

    async def _wait_for(self, rank: int, sign: asyncio.Future[Any]) -> None:
        """Wait for a rank's sign of life; it is lost where there is none in time.

        Between calls that is long: other tasks of Dask's may import large packages on a worker's event loop.
        """
        asked = time.monotonic()
        while not self.failure:
            await asyncio.wait({sign}, timeout=_LOOK)
            if sign.done():
                sign.result()
                return
            is_in_call = self._one_call.locked()
            limit = _QUIET * self._timeout if is_in_call else max(_IDLE, self._timeout)
            since = max(asked, self._called_at) if is_in_call else asked
            if time.monotonic() - since > limit and await self._scheduler_answers():
                self._fail(f"{self._asking.names[rank]} has given no sign of life for {limit:g} s", rank)

    async def _watch_scheduler(self) -> None:
        while not self.failure:
            if await self._scheduler_answers():
                await asyncio.sleep(_BEAT)

    async def _scheduler_answers(self) -> bool:
        """Whether it does, and has all workers; else the world fails."""
        limit = _QUIET * self._timeout
        try:
            known = await asyncio.wait_for(self.client.scheduler.ncores(workers=None), limit)
        except asyncio.TimeoutError:
            self._fail(f"the scheduler {self._scheduler} has given no sign of life for {limit:g} s")
        except Exception as error:
            self._fail(self._without_scheduler(error))
        else:
            for rank, address in enumerate(self.addresses):
                if address not in known:
                    self._fail(f"{self._asking.names[rank]} has died", rank)
        return not self.failure

    @property
    def _scheduler(self) -> str:
        return str(self.client.scheduler.address)

    def _without_scheduler(self, error: BaseException) -> str:
        return f"the connection with the scheduler {self._scheduler} is lost ({type(error).__name__}: {error})"

    def _fail(self, why: str, lost: int | None = None) -> None:
        """Keep the first failure, of a rank that is lost or of all, and end the ranks that are left."""
        with self._guard:
            if self.failure or self._is_closed:
                return
            self.failure, self._lost = why, lost
        for rank in range(self.size):
            if rank != lost:
                self._asking.begin(self._end(rank, why))
        self._asking.begin(self._cancel())  # a worker that starts anew has no rank again

    async def _end(self, rank: int, why: str) -> None:
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self._asking.ask(rank, "end", why), _GRACE)

    # A call.

    def _wait(self, pending: Sequence[concurrent.futures.Future[Any]], number: int, progress: OfPhases | None) -> None:
        failed_at = None
        while True:
            _, late = concurrent.futures.wait(pending, _LOOK)
            if not late:
                return
            if progress is not None:
                self._tell(number, progress)
            if self._is_without_client():
                self.failure = self.failure or "the client was closed"
                return
            if self.failure:
                failed_at = failed_at or time.monotonic()
                if all(pending[rank].done() for rank in range(self.size) if rank != self._lost):
                    return
                if time.monotonic() - failed_at > _GRACE:
                    return

    def _tell(self, number: int, progress: OfPhases, is_done: bool = False) -> None:
        """Call a function with what the ranks have told of a call; all of it is done in the end."""
        of_call = [each for each in self._told if each is not None and each[0] == number]
        if not of_call:
            return
        what = of_call[0][1]
        done = sum(each[2] for each in of_call)
        total = None if any(each[3] is None for each in of_call) else sum(each[3] for each in of_call)
        progress(what, total if is_done and total is not None else done, total)

    def _interrupt(self, number: int, pending: Sequence[concurrent.futures.Future[Any]]) -> None:
        """End a call on all ranks; one that does not end it soon takes the world with it."""
        self._asking.tell_all("stop", number, "the client was interrupted", seconds=_GRACE)
        _, late = concurrent.futures.wait(pending, self._timeout / 2)
        self.release(number)
        for rank, answer in enumerate(pending):
            if answer in late:
                self._fail(f"the client was interrupted, and {self._asking.names[rank]} did not end its call")
                return

    def _reply(self, rank: int, answer: concurrent.futures.Future[Any]) -> dict[str, Any]:
        if not answer.done():
            answer.cancel()
            return self._no_reply(RankError(self.failure))
        try:
            reply: dict[str, Any] = pickle.loads(answer.result()["reply"])
        except RankError as found:
            self._fail(str(found), rank)
            return self._no_reply(found)
        except (Exception, concurrent.futures.CancelledError) as found:
            self._fail(self._without_scheduler(found))
            return self._no_reply(RankError(self.failure))
        if reply.get("problem"):
            self._fail(reply["problem"])
        return reply

    @staticmethod
    def _no_reply(error: RankError) -> dict[str, Any]:
        return {"kind": "error", "value": error, "trace": "", "is_agreed": False}

    def _raise(self, replies: Sequence[dict[str, Any]]) -> NoReturn:
        """Raise the exception of the rank on which it began."""
        of_ranks = [(rank, reply) for rank, reply in enumerate(replies) if reply["kind"] == "error"]
        rank, first = next(
            ((rank, reply) for rank, reply in of_ranks if not isinstance(reply["value"], RankError)), of_ranks[0]
        )
        error = first["value"]
        if first["is_agreed"] or isinstance(error, RankError):
            raise error from None
        if hasattr(error, "add_note"):
            error.add_note(f"on {self._asking.names[rank]}")
        raise error from RankError(f"on {self._asking.names[rank]}:\n{first['trace']}")
