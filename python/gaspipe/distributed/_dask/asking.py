# SPDX-License-Identifier: Apache-2.0
"""How the client asks ranks: a message that the scheduler passes on to the worker, and its answer."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import pickle
from collections.abc import Sequence
from typing import Any

from ..._core import RankError
from . import rank as on_worker


class Asking:
    """Messages to the ranks of a world.

    Attributes
    ----------
    names : list of str
        What errors call the ranks.

    """

    def __init__(self, client: Any, world: str, addresses: Sequence[str], timeout: float) -> None:
        size = len(addresses)
        self.names = [f"rank {rank} of {size} (worker {address})" for rank, address in enumerate(addresses)]
        self._client, self._world, self._addresses, self._timeout = client, world, list(addresses), timeout
        self._loop = client.loop.asyncio_loop

    def begin(self, work: Any) -> concurrent.futures.Future[Any]:
        """Start a coroutine on the client's event loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def ask(self, rank: int, what: str, *given: Any, request: bytes = b"") -> Any:
        """Return a rank's answer; RankError where it has none."""
        answer = await self.ask_worker(rank, what, *given, request=request)
        if answer.get("absent"):  # another process has this address
            raise RankError(f"{self.names[rank]} has died")
        if "error" in answer:
            raise RankError(answer["error"])
        return answer

    async def ask_worker(self, rank: int, what: str, *given: Any, request: bytes = b"") -> Any:
        """Return the answer of a rank's worker, which may have no such rank."""
        from distributed.protocol import to_serialize

        address = self._addresses[rank]
        message = {"op": on_worker.ASK, "world": self._world, "what": what, "given": given}
        if request:
            message["request"] = to_serialize(memoryview(request))
        answers = await self._client.scheduler.broadcast(msg=message, workers=[address], on_error="return_pickle")
        answer = answers[address]
        if isinstance(answer, bytes):
            error = pickle.loads(answer)
            if not isinstance(error, OSError):
                raise RankError(f"{self.names[rank]} cannot be asked: {type(error).__name__}: {error}")
        if not isinstance(answer, dict):
            raise RankError(f"{self.names[rank]} has died")
        return answer

    def ask_all(self, what: str, *given: Any) -> list[Any]:
        """Return the answers of all ranks."""
        asked = [self.begin(self.ask(rank, what, *given)) for rank in range(len(self.names))]
        _, late = concurrent.futures.wait(asked, self._timeout)
        for rank, answer in enumerate(asked):
            if answer in late:
                raise RankError(f"{self.names[rank]} has given no answer for {self._timeout:g} s")
        return [answer.result() for answer in asked]

    def tell_all(self, what: str, *given: Any, seconds: float) -> None:
        """Tell all ranks something, and wait for so long at most; those that are lost have no part in it."""
        with contextlib.suppress(Exception):
            told = [self.begin(self.ask(rank, what, *given)) for rank in range(len(self.names))]
            _, late = concurrent.futures.wait(told, seconds)
            for each in late:
                each.cancel()
