# SPDX-License-Identifier: Apache-2.0
"""Connections between ranks that are Dask workers.

They are connections of distributed's own, to the ports on which workers listen already: the cluster's protocol and its
TLS hold, and no further port has to be open. A rank's thread posts and waits; the worker's event loop carries. Every
message has the number of the client's call that it is a part of, so that what an earlier call has left is dropped.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

from ..._core import RankError

LINK = "gaspipe_link"  # operation of a worker, by which a rank connects
_INLINE = 1 << 16  # bytes that are sent within a message's head
_LOOK = 1.0  # seconds after which a thread that waits looks again


class Links:
    """This rank's connections with all others.

    Attributes
    ----------
    problem : str
        Why this rank can do nothing more with the others; empty as long as it can.

    """

    def __init__(self, worker: Any, world: str, rank: int, names: Sequence[str]) -> None:
        self.problem = ""
        self._worker = worker
        self._world, self._rank, self._names = world, rank, names
        self._call = 0
        self._stopped = -1, ""  # call that has failed, and why
        self._is_closed = False
        self._comms: dict[int, Any] = {}
        self._outgoing: dict[int, asyncio.Queue[Any]] = {}
        self._received: list[deque[tuple[int, Any]]] = [deque() for _ in names]
        self._arrived = threading.Condition()
        self._tasks: set[asyncio.Task[Any]] = set()

    # On the event loop.

    async def connect(self, addresses: Sequence[str], timeout: float) -> None:
        """Connect with the ranks before this one, and wait for those behind it."""
        from distributed.comm import connect

        for other in range(self._rank):
            try:
                comm = await connect(addresses[other], timeout=timeout, **self._worker.connection_args)
                await comm.write({"op": LINK, "reply": False, "world": self._world, "rank": self._rank})
            except OSError as error:
                raise RankError(f"{self._names[self._rank]} cannot reach {self._names[other]}: {error}") from None
            self._start(self.carry(other, comm))
        end = asyncio.get_running_loop().time() + timeout
        while len(self._comms) < len(self._names) - 1:
            if asyncio.get_running_loop().time() > end:
                missing = next(r for r in range(len(self._names)) if r != self._rank and r not in self._comms)
                raise RankError(f"{self._names[missing]} has not reached {self._names[self._rank]} in {timeout:g} s")
            await asyncio.sleep(0.005)

    async def carry(self, other: int, comm: Any) -> None:
        """Send and receive over a connection until it ends."""
        self._comms[other] = comm
        self._outgoing[other] = asyncio.Queue()
        self._start(self._write(other, comm))
        try:
            while not self._is_closed:
                self._take(other, await comm.read())
        except OSError:
            self.lose(f"{self._names[other]} has died")

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _write(self, other: int, comm: Any) -> None:
        try:
            while True:
                await comm.write(await self._outgoing[other].get())
        except OSError:
            self.lose(f"{self._names[other]} has died")

    def _take(self, other: int, message: dict[str, Any]) -> None:
        with self._arrived:
            if "why" in message:
                self._stop(message["call"], message["why"])
            else:
                self._received[other].append((message["call"], message.get("data")))
            self._arrived.notify_all()

    def _stop(self, call: int, why: str) -> None:
        if call > self._stopped[0]:
            self._stopped = call, why

    def stop(self, call: int, why: str) -> None:
        """End a call of this rank at its next exchange."""
        with self._arrived:
            self._stop(call, why)
            self._arrived.notify_all()

    def lose(self, why: str) -> None:
        """End all that this rank does with the others."""
        with self._arrived:
            if not self._is_closed:
                self.problem = self.problem or why
            self._arrived.notify_all()

    def close(self) -> None:
        """End the connections."""
        self._is_closed = True
        for comm in self._comms.values():
            comm.abort()
        for task in list(self._tasks):
            task.cancel()

    # In the rank's thread.

    def begin(self, call: int) -> None:
        """Begin a call: messages of earlier ones are dropped."""
        with self._arrived:
            self._call = call

    def send(self, boxes: dict[int, Any]) -> None:
        """Send a message to some ranks; buffers are copied, as a lost connection may keep them."""
        from distributed.protocol import to_serialize

        messages = {}
        for other, box in boxes.items():
            data = bytes(box)
            part = data if len(data) <= _INLINE else to_serialize(memoryview(data))
            messages[other] = {"call": self._call, "data": part}
        self._post(messages)

    def fail(self, why: str) -> None:
        """Tell all ranks that this one cannot go on with this call."""
        text = f"{self._names[self._rank]} has stopped: {why}"
        self._post({other: {"call": self._call, "why": text} for other in self._comms})

    def leave(self) -> None:
        """Tell all ranks that this one sends nothing more in this call."""
        self._post({other: {"call": self._call} for other in self._comms})

    def _post(self, messages: dict[int, Any]) -> None:
        def put() -> None:
            for other, message in messages.items():
                self._outgoing[other].put_nowait(message)

        self._worker.loop.add_callback(put)

    def receive(self, other: int, num_bytes: int) -> memoryview:
        """Return the next message of a rank."""
        queue = self._received[other]
        with self._arrived:
            while not queue or queue[0][0] != self._call:
                if queue and queue[0][0] < self._call:
                    queue.popleft()
                    continue
                self.check()
                self._arrived.wait(_LOOK)
            found = queue[0][1]
            if found is None:
                self.check()
                raise RankError(
                    f"{self._names[other]} has returned, and {self._names[self._rank]} waits for it; all ranks must "
                    "make the same calls"
                )
            queue.popleft()
        data = memoryview(found).cast("B")
        if len(data) != num_bytes:
            raise RankError(
                f"{self._names[other]} has sent {len(data)} bytes where {self._names[self._rank]} expected "
                f"{num_bytes}; all ranks must make the same calls"
            )
        return data

    def check(self) -> None:
        """Raise RankError where another rank has failed, or the client has ended the call."""
        if self.problem:
            raise RankError(self.problem)
        if self._stopped[0] == self._call:
            raise RankError(self._stopped[1])


class DaskCommunicator:
    """A `Communicator` over the connections of a rank."""

    def __init__(self, rank: int, size: int, links: Links) -> None:
        self.rank, self.size = rank, size
        self._links = links
        self._expected: Sequence[int] = ()

    def all_to_all(self, send: memoryview, receive: memoryview) -> None:
        """Exchange equally many bytes with every rank."""
        self._links.check()
        num_bytes = len(send) // self.size
        if num_bytes == 0:
            return
        parts = [slice(rank * num_bytes, (rank + 1) * num_bytes) for rank in range(self.size)]
        self._links.send({rank: send[part] for rank, part in enumerate(parts) if rank != self.rank})
        for rank, part in enumerate(parts):
            receive[part] = send[part] if rank == self.rank else self._links.receive(rank, num_bytes)

    def begin_boxes(self, boxes: Sequence[memoryview], expected: Sequence[int]) -> None:
        """Send all boxes that are not empty."""
        self._links.check()
        self._expected = expected
        self._links.send({rank: box for rank, box in enumerate(boxes) if rank != self.rank and len(box)})

    def end_boxes(self) -> Sequence[Any]:
        """Wait for those of the others."""
        return [
            self._links.receive(rank, num_bytes) if num_bytes and rank != self.rank else b""
            for rank, num_bytes in enumerate(self._expected)
        ]

    def fail(self, why: str) -> None:
        """Tell the others."""
        self._links.fail(why)
