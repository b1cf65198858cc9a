# SPDX-License-Identifier: Apache-2.0
"""Ranks that are threads of a test's process, with a communicator written for tests."""

import threading

from gaspipe.distributed import World


class ThreadCommunicator:
    """One rank; `shared` is of all."""

    def __init__(self, rank, size, shared):
        self.rank, self.size, self._shared = rank, size, shared

    def _exchange(self, boxes):
        """Bytes from every rank."""
        offered, barrier = self._shared["offered"], self._shared["barrier"]
        offered[self.rank] = [bytes(box) for box in boxes]
        barrier.wait(30)
        found = [offered[rank][self.rank] for rank in range(self.size)]
        barrier.wait(30)
        return found

    def all_to_all(self, send, receive):
        n = len(send) // self.size
        found = self._exchange([send[rank * n : (rank + 1) * n] for rank in range(self.size)])
        receive[:] = b"".join(found)

    def begin_boxes(self, boxes, expected):
        self._received = self._exchange(boxes)
        assert [len(box) for box in self._received] == list(expected)

    def end_boxes(self):
        return self._received

    def fail(self, why):
        self._shared["failed"].append((self.rank, why))
        self._shared["barrier"].abort()


def on_ranks(size, work):
    """What `work(world)` returns, or raises, on each of so many ranks."""
    shared = {"offered": [None] * size, "barrier": threading.Barrier(size), "failed": []}
    found = [None] * size

    def run(rank):
        try:
            found[rank] = work(World(ThreadCommunicator(rank, size, shared), 1))
        except BaseException as error:
            found[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return found
