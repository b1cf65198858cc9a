# SPDX-License-Identifier: Apache-2.0
"""Ranks of an MPI job, through mpi4py: buffers without pickling, waits that Ctrl-C ends, and lost ranks found."""

from __future__ import annotations

import atexit
import contextlib
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from typing import Any

from .. import _core
from .._core import InputError, RankError
from ._registry import register
from ._watch import Watch
from ._world import World, described

_PIECE = 1 << 30  # bytes of a message: counts of MPI have 31 bits
SPIN = 1e-4  # seconds of asking without sleep
FIRST_NAP, LONGEST_NAP = 2e-5, 1e-3  # seconds: every nap is longer than the one before by the first
_LAST_WORDS = 3.0  # seconds in which ranks may say what happened before the job ends
_FORWARDING = 0.2  # in which mpiexec reads what they wrote: it may drop the rest, and on a busy machine all of it


class MpiCommunicator:
    """A `Communicator` over a duplicate of one of mpi4py's."""

    def __init__(self, comm: Any, watch: Watch) -> None:
        from mpi4py import MPI

        self._mpi = MPI
        self._comm = comm.Dup()
        self._watch = watch
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()
        self._words = [bytearray(), bytearray()]  # sent, received: the caller's memory may end before a lost message
        self._buffers: list[bytearray] = [bytearray() for _ in range(self.size)]
        self._requests: list[Any] = []
        self._boxes: Sequence[memoryview] = ()
        self._received: list[Any] = []

    def all_to_all(self, send: memoryview, receive: memoryview) -> None:
        """Exchange equally many bytes with every rank."""
        num_bytes = len(send) // self.size
        if num_bytes == 0:
            return
        if len(send) > _PIECE:
            self._all_to_all_in_boxes(send, receive, num_bytes)
            return
        sent, received = (_grown(self._words, i, len(send)) for i in range(2))
        sent[:] = send
        with self._explained():
            self._wait([self._comm.Ialltoall([sent, self._mpi.BYTE], [received, self._mpi.BYTE])])
        receive[:] = received

    def _all_to_all_in_boxes(self, send: memoryview, receive: memoryview, num_bytes: int) -> None:
        parts = [slice(rank * num_bytes, (rank + 1) * num_bytes) for rank in range(self.size)]
        own = parts[self.rank]
        boxes = [send[part] if part is not own else send[:0] for part in parts]
        self.begin_boxes(boxes, [len(box) for box in boxes])
        for part, box in zip(parts, self.end_boxes()):
            receive[part] = send[part] if part is own else box

    def begin_boxes(self, boxes: Sequence[memoryview], expected: Sequence[int]) -> None:
        """Post receives and sends, large boxes in pieces."""
        self._boxes = boxes
        self._received = [None] * self.size
        self._requests = []
        with self._explained():
            self._post(boxes, expected)

    def _post(self, boxes: Sequence[memoryview], expected: Sequence[int]) -> None:
        for rank, num_bytes in enumerate(expected):
            if num_bytes == 0 or rank == self.rank:
                continue
            box = _grown(self._buffers, rank, num_bytes)
            self._received[rank] = box
            for first in range(0, num_bytes, _PIECE):
                self._requests.append(self._comm.Irecv([box[first : first + _PIECE], self._mpi.BYTE], rank))
        for rank, box in enumerate(boxes):
            if rank == self.rank:
                continue
            for first in range(0, len(box), _PIECE):
                self._requests.append(self._comm.Isend([box[first : first + _PIECE], self._mpi.BYTE], rank))

    def end_boxes(self) -> Sequence[Any]:
        """Wait for all of them."""
        with self._explained():
            self._wait(self._requests)
        self._boxes = ()
        return self._received

    def fail(self, why: str) -> None:
        """Tell the others."""
        self._watch.fail(why)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Within, an error of MPI is one of the rank that was lost: some MPIs find that as soon as the watch does."""
        try:
            yield
        except self._mpi.Exception as error:
            end = time.monotonic() + _LAST_WORDS
            while not self._watch.failure and time.monotonic() < end:
                time.sleep(0.01)
            self._watch.check()
            raise RankError(f"MPI has failed: {error}") from None

    def close(self) -> None:
        """Give the duplicate back, after the last call of all ranks."""
        self._comm.Free()

    def _wait(self, requests: list[Any]) -> None:
        test = self._mpi.Request.Testall
        start = time.perf_counter()
        nap = 0.0
        while not test(requests):
            self._watch.check()
            if time.perf_counter() - start < SPIN:
                continue
            time.sleep(nap)  # 0: other ranks of this machine get the processor
            nap = min(nap + FIRST_NAP, LONGEST_NAP)


def _grown(buffers: list[bytearray], i: int, num_bytes: int) -> memoryview:
    """Return so many bytes of a buffer; one that is too small is replaced, for views of it may be left."""
    if len(buffers[i]) < num_bytes:
        buffers[i] = bytearray(num_bytes)
    return memoryview(buffers[i])[:num_bytes]


@contextlib.contextmanager
def mpi(comm: Any = None, *, num_threads: int | None = None, timeout: float = 10.0) -> Iterator[World]:
    """Open the world of an MPI job; all its ranks do so together.

    A rank that dies, hangs or fails ends the job: the calls of the others raise RankError with its name within
    `timeout`, and where the block ends with an exception that not all ranks have, the job is aborted. Ctrl-C on one
    rank ends all. sys.exit ends the block of its rank like its last line does; where another rank waits for this one in
    a call, the job is aborted, with its exit code. A job of one rank is never aborted. After the block, calls with its
    graphs and results raise RankError.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        The ranks; by default MPI.COMM_WORLD.
    num_threads : int, optional
        Threads of a rank; by default the machine's processors, shared by its ranks.
    timeout : float
        Seconds without a sign of life after which a rank counts as lost. A process gives none while it is stopped, and
        while a library holds Python's lock.

    Yields
    ------
    World
        This rank's.

    Raises
    ------
    InputError
        If mpi4py is missing or finds no MPI.
    RankError
        If ranks cannot be connected by TCP.

    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise InputError(
            f"gp.distributed.mpi needs mpi4py and an MPI: pip install mpi4py and, where the system has no MPI, "
            f"pip install mpich ({error})"
        ) from None
    if not isinstance(timeout, (int, float)) or isinstance(timeout, bool) or not timeout >= 2:
        raise InputError(f"timeout is {timeout!r}; at least 2 seconds are needed")
    ranks = MPI.COMM_WORLD if comm is None else comm
    watch = Watch(ranks.Get_rank(), ranks.Get_size(), ranks.allgather, float(timeout))
    communicator = MpiCommunicator(ranks, watch)
    if num_threads is None:
        local = ranks.Split_type(MPI.COMM_TYPE_SHARED)
        num_threads = max(1, _core.default_num_threads() // local.Get_size())
        local.Free()
    world = World(communicator, num_threads, watch)
    ending: BaseException | None = None
    try:
        try:
            yield world
        except (SystemExit, GeneratorExit) as error:  # an end of the block, unless other ranks go on
            if world.has_failed:
                raise
            ending = error
        if not world.has_failed:
            watch.leave("" if ending is None else described(ending), _exit_code(ending))
            watch.wait_for_all()
            communicator.close()
    except BaseException as error:
        if world.size > 1 and (world.has_failed or not world.is_agreed(error)):
            _abort(ending or error, world, watch, MPI)
        watch.leave(described(error))
        watch.close()
        if world.size == 1:
            communicator.close()
        raise
    finally:
        world.close()
    if world.has_failed and world.size > 1:  # the caller has caught it; MPI cannot end as usual
        atexit.register(lambda: _exit(MPI))
    watch.close()
    if ending is not None:
        raise ending


_INTERRUPTED = 130  # exit code, as of shells


def _exit_code(error: BaseException | None) -> int:
    """Return the exit code of a job that is aborted because of an exception; never 0."""
    if isinstance(error, KeyboardInterrupt):
        return _INTERRUPTED
    if isinstance(error, SystemExit) and isinstance(error.code, int):
        return error.code & 0xFF or 1
    return 1


def _abort(error: BaseException, world: World, watch: Watch, mpi: Any) -> None:
    """End the job. The rank on which it began says so first."""
    if not world.has_failed:
        world.fail(error)
    if isinstance(error, RankError):
        lines = f"gaspipe: rank {world.rank} of {world.size} ends: {error}\n"
        if not watch.failure:  # a rank has left that this one needs
            watch.fail(str(error))
    elif isinstance(error, KeyboardInterrupt):
        lines = f"gaspipe: rank {world.rank} of {world.size} was interrupted\n"
    elif isinstance(error, SystemExit):
        lines = "" if error.code is None or isinstance(error.code, int) else f"{error.code}\n"
    else:
        lines = f"gaspipe: rank {world.rank} of {world.size} has failed:\n" + "".join(
            traceback.format_exception(type(error), error, error.__traceback__)
        )
    sys.stdout.flush()
    sys.stderr.write(lines)
    sys.stderr.flush()
    watch.leave(type(error).__name__, _exit_code(error))
    watch.wait_for_some(_LAST_WORDS)
    _exit(mpi, watch.exit_code if isinstance(error, RankError) else _exit_code(error))


def _exit(mpi: Any, code: int = 1) -> None:
    time.sleep(_FORWARDING)
    mpi.COMM_WORLD.Abort(code)


register("mpi", mpi)
