# SPDX-License-Identifier: Apache-2.0
"""Finds ranks that have died or hang: connections through rank 0, with a sign of life every second.

The system closes the connections of a process that ends, however it ends; a process that has been stopped, or a machine
that is gone, gives no sign of life. Rank 0 passes on what happened. MPI itself has nothing for this.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import socket
import struct
import sys
import threading
import time
from typing import Any, Callable

from .._core import RankError

_LOOK = 0.005  # seconds between looks, where one waits
_BEAT = 1.0  # seconds between signs of life
_TOKEN = 16
_QUIET = 0.6  # share of the time-out after which a rank counts as lost; the rest is for ending the job
_UNNOTICED = 2.0  # seconds after which a process ends whose main thread does not notice that a rank was lost
_GRACE = 2.0  # seconds in which ranks that have the same exception leave
_ALIVE, _FAILED, _LEAVES, _HAS_LEFT = b"A", b"F", b"L", b"E"
_HEAD = struct.Struct("<cI")


class Watch:
    """This rank's connections: to rank 0, and of rank 0 to all.

    Attributes
    ----------
    failure : str
        What has happened to another rank; empty as long as all is well.
    exit_code : int
        Exit code of the job, if it is aborted: that of a rank that has left with one.
    num_steps : int
        Steps under way of this rank with the others, 0 outside of them. Within one, the process ends where its main
        thread does not see the failure soon: it may be in a long loop, or wait in MPI for what never comes.

    """

    def __init__(self, rank: int, size: int, gather: Callable[[Any], list[Any]], timeout: float) -> None:
        self.failure = ""
        self.exit_code = 1
        self.num_steps = 0  # under way, of this rank with the others
        self._failed_at = 0.0
        self._is_noticed = False
        self._rank, self._size, self._timeout = rank, size, timeout
        self._peers: dict[int, socket.socket] = {}
        self._last: dict[int, float] = {}
        self._received: dict[int, bytes] = {}
        self._left: set[int] = set()
        self._odd: tuple[float, str] | None = None  # since when a rank is gone, with an exception that others may have
        self._guard = threading.Lock()
        self._stops = threading.Event()
        host = socket.gethostname()
        self._names = [
            f"rank {r} of {size} (process {pid} on {name})" for r, (name, pid) in enumerate(gather((host, os.getpid())))
        ]
        self._thread: threading.Thread | None = None
        if size > 1:
            self._connect(gather, host)
            self._thread = threading.Thread(target=self._run, name="gaspipe-watch", daemon=True)
            self._thread.start()

    def check(self) -> None:
        """Raise RankError where another rank has failed, or has left with an exception that this one does not have."""
        self._check_failure()
        if self._odd is not None and time.monotonic() - self._odd[0] > _GRACE:
            raise RankError(self._odd[1])

    def _check_failure(self) -> None:
        if self.failure:
            self._is_noticed = True
            raise RankError(self.failure)

    def fail(self, why: str) -> None:
        """Tell the others that this rank cannot go on."""
        text = f"{self._names[self._rank]} has stopped: {why}"
        for rank in list(self._peers):
            self._send(rank, _FAILED, text.encode("utf-8", "replace")[: 1 << 16])

    def leave(self, why: str = "", exit_code: int = 1) -> None:
        """Say that this rank makes no more calls; with an exception, why, and the exit code of a job without it."""
        text = f"{self._names[self._rank]} has left: {why}".encode("utf-8", "replace")[: 1 << 16]
        text = bytes([exit_code]) + text if why else b""
        if self._rank == 0 and why:
            for rank in list(self._peers):
                self._send(rank, _HAS_LEFT, text)
        elif self._rank > 0:
            self._send(0, _LEAVES, text)

    def wait_for_all(self) -> None:
        """After `leave`: wait until all have left, so that no rank is missing as long as another needs it."""
        # While the interpreter ends there is no thread that receives.
        while len(self._left) < len(self._peers) and not sys.is_finalizing():
            self._check_failure()  # a rank that has left is not missed here, whatever it left with
            time.sleep(_LOOK)
        for rank in list(self._peers):
            self._send(rank, _LEAVES)

    def wait_for_some(self, seconds: float) -> None:
        """Wait until all have left or died, for `seconds` at most; for all of them without rank 0, which reports it."""
        end = time.monotonic() + seconds
        if self._rank > 0 and 0 in self._left:
            time.sleep(seconds)
        while time.monotonic() < end and len(self._left) < len(self._peers):
            time.sleep(_LOOK)

    def close(self) -> None:
        """End the connections."""
        self._stops.set()
        if self._thread is not None and not sys.is_finalizing():
            self._thread.join(2 * _BEAT)
        for peer in self._peers.values():
            with contextlib.suppress(OSError):
                peer.close()

    def _connect(self, gather: Callable[[Any], list[Any]], host: str) -> None:
        problem = ""
        token = gather(secrets.token_bytes(_TOKEN) if self._rank == 0 else None)[0]
        listener = None
        try:
            if self._rank == 0:
                listener = socket.create_server(("", 0), backlog=self._size)
                listener.settimeout(self._timeout)
        except OSError as error:
            problem = f"rank 0 cannot listen: {error}"
        address = gather((host, _addresses(host), listener.getsockname()[1]) if listener is not None else None)[0]
        try:
            if listener is not None:
                self._accept(listener, token)
            elif self._rank > 0 and address is not None:
                self._peers[0] = _reach(address, host, token, self._rank, self._timeout)
        except OSError as error:
            problem = f"rank {self._rank} ({host}) cannot be connected with rank 0: {error}"
        finally:
            if listener is not None:
                listener.close()
        problems = [text for text in gather(problem) if text]
        if problems:
            raise RankError(f"{problems[0]}; ranks need TCP connections to rank 0")
        now = time.monotonic()
        for rank, peer in self._peers.items():
            peer.settimeout(None)
            self._last[rank], self._received[rank] = now, b""

    def _accept(self, listener: socket.socket, token: bytes) -> None:
        end = time.monotonic() + self._timeout
        while len(self._peers) < self._size - 1:
            if time.monotonic() > end:
                missing = next(r for r in range(1, self._size) if r not in self._peers)
                raise OSError(f"no connection from rank {missing} within {self._timeout:g} s")
            peer, _ = listener.accept()
            peer.settimeout(self._timeout)
            said = _exactly(peer, _TOKEN + 4)
            if said[:_TOKEN] == token:
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._peers[int.from_bytes(said[_TOKEN:], "little")] = peer
            else:
                peer.close()

    def _run(self) -> None:
        selector = selectors.DefaultSelector()
        for rank, peer in self._peers.items():
            selector.register(peer, selectors.EVENT_READ, rank)
        beat = time.monotonic()
        while not self._stops.is_set():
            woken = time.monotonic()
            for key, _ in selector.select(_BEAT / 4):
                if not self._read(key.data):
                    selector.unregister(key.fileobj)
            now = time.monotonic()
            if now - woken > self._timeout / 2:  # this process itself was stopped, not the others
                self._last = dict.fromkeys(self._last, now)
            if now - beat >= _BEAT:
                beat = now
                for rank in list(self._peers):
                    self._send(rank, _ALIVE)
            for rank, last in self._last.items():
                if rank not in self._left and now - last > _QUIET * self._timeout:
                    seconds = f"{now - last:.0f} s"
                    self._take(rank, f"{self._names[rank]} has given no sign of life for {seconds}", is_lost=True)
            has_failed = self.failure and now - self._failed_at > _UNNOTICED
            if has_failed and self.num_steps > 0 and not self._is_noticed:
                self._say(f"rank {self._rank} of {self._size} ends: {self.failure}")
                os._exit(1)
        selector.close()

    @staticmethod
    def _say(text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(2, f"gaspipe: {text}\n".encode("utf-8", "replace"))

    def _read(self, rank: int) -> bool:
        try:
            data = self._peers[rank].recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            if rank not in self._left and not self._stops.is_set():
                self._take(rank, f"{self._names[rank]} has died", is_lost=True)
            return False
        self._last[rank] = time.monotonic()
        data = self._received[rank] + data
        while len(data) >= _HEAD.size:
            kind, length = _HEAD.unpack_from(data)
            if len(data) < _HEAD.size + length:
                break
            text, data = data[_HEAD.size : _HEAD.size + length], data[_HEAD.size + length :]
            if kind == _FAILED:
                self._take(rank, text.decode("utf-8", "replace"))
            elif kind == _LEAVES:
                self._left.add(rank)
                if text:
                    self._relay(rank, text)
            elif kind == _HAS_LEFT:
                self._keep(text)
        self._received[rank] = data
        return True

    def _keep(self, text: bytes) -> None:
        if text[0] != 1:
            self.exit_code = text[0]
        self._odd = self._odd or (time.monotonic(), text[1:].decode("utf-8", "replace"))

    def _relay(self, rank: int, text: bytes) -> None:
        self._keep(text)
        for other in list(self._peers):
            if other != rank:
                self._send(other, _HAS_LEFT, text)

    def _take(self, rank: int, what: str, is_lost: bool = False) -> None:
        """Keep the first failure; rank 0 passes it on."""
        if is_lost:
            self._left.add(rank)
        if self.failure:
            return
        self._failed_at = time.monotonic()
        self.failure = what
        if is_lost and self._rank == (1 if rank == 0 else 0):
            # At once: a launcher that misses a process ends the others.
            self._say(what)
        for other in list(self._peers):
            if other != rank:
                self._send(other, _FAILED, what.encode("utf-8", "replace"))

    def _send(self, rank: int, kind: bytes, text: bytes = b"") -> None:
        with self._guard, contextlib.suppress(OSError):  # of one that is gone, reading tells
            self._peers[rank].sendall(_HEAD.pack(kind, len(text)) + text)


def _addresses(host: str) -> list[str]:
    with contextlib.suppress(OSError):
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(host, None, socket.AF_INET)})
    return []


def _reach(address: tuple[str, list[str], int], host: str, token: bytes, rank: int, timeout: float) -> socket.socket:
    name, addresses, port = address
    problem = OSError(f"{name} has no address")
    for each in ["127.0.0.1"] * (name == host) + addresses:
        try:
            peer = socket.create_connection((each, port), timeout / 2)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer.sendall(token + rank.to_bytes(4, "little"))
        except OSError as error:
            problem = OSError(f"{each}:{port}: {error}")
        else:
            return peer
    raise problem


def _exactly(peer: socket.socket, num_bytes: int) -> bytes:
    data = b""
    while len(data) < num_bytes:
        more = peer.recv(num_bytes - len(data))
        if not more:
            break
        data += more
    return data
