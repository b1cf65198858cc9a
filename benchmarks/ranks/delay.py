# SPDX-License-Identifier: Apache-2.0
"""A switch that hands every frame on after a fixed delay: latency where the kernel has no netem.

    python delay.py SECONDS FD FD ...

Descriptors are of tap devices, whose other ends are in the namespaces; a device's number is the last byte of its
address, from 1. Writes a line when it is ready; ends when its standard input does.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import os
import select
import sys
import time

_LARGEST = 1 << 16
_FINE = 1000  # ns by which the system may prolong a sleep; it is 50 us by default
_AT_ONCE = 64  # frames read from a device before others have their turn


def serve(delay: float, devices: list[int]) -> None:
    """Pass frames on until standard input ends."""
    ctypes.CDLL(None).prctl(29, _FINE, 0, 0, 0)  # PR_SET_TIMERSLACK
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # ranks that spin do not hold it up
    ports = dict(enumerate(devices, 1))
    for device in devices:
        os.set_blocking(device, False)
    queue: collections.deque[tuple[float, int, bytes]] = collections.deque()  # one delay: in the order of its ends
    print("ready", flush=True)
    while True:
        wait = max(0.0, queue[0][0] - time.perf_counter()) if queue else None
        readable, _, _ = select.select([0, *devices], [], [], wait)
        if 0 in readable:
            return
        for device in readable:
            for _ in range(_AT_ONCE):
                try:
                    frame = os.read(device, _LARGEST)
                except BlockingIOError:
                    break
                queue.append((time.perf_counter() + delay, device, frame))
        now = time.perf_counter()
        while queue and queue[0][0] <= now:
            _, source, frame = queue.popleft()
            to = ports.get(frame[5])
            for device in [to] if to is not None and not frame[0] & 1 else devices:
                if device != source:
                    with contextlib.suppress(OSError):  # a full device drops it, as switches do
                        os.write(device, frame)


if __name__ == "__main__":
    serve(float(sys.argv[1]), [int(word) for word in sys.argv[2:]])
