# SPDX-License-Identifier: Apache-2.0
"""Files that one process must read from start to end: rank 0 reads, and every rank gets a share of each piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _formats
from .._core import EdgeDirection, InputError
from .._files import Path, file_name, names_file
from ._collective import exchange, words_of_all
from ._pieces import Piece, Pieces, part_of

if TYPE_CHECKING:
    from ._world import World

_TEXT_BUFFER = 8 << 20
_PIECE = 1 << 20  # edges that are sent at a time
_TYPES: tuple[Any, ...] = (None, np.int32, np.int64, np.float32, np.float64)


class Sender:
    """What formats hand edges to (as `_formats.Intake` is), on rank 0."""

    def __init__(self, world: World, threads: int) -> None:
        self.threads = threads
        self.kept: list[Piece] = []
        self._world = world

    def text_buffer(self) -> int:
        """Bytes of text that a parser may look at together."""
        return _TEXT_BUFFER

    def reserve(self, num_bytes: int) -> None:
        """Take note of memory: there is no budget."""

    def add(
        self,
        sources: NDArray[Any],
        targets: NDArray[Any],
        weights: NDArray[Any] | None,
        direction: EdgeDirection = EdgeDirection.FORWARD,
    ) -> None:
        """Hand edges on."""
        if direction != EdgeDirection.REVERSE:
            self._send(sources, targets, weights)
        if direction == EdgeDirection.BOTH:
            other = sources != targets
            self._send(targets[other], sources[other], None if weights is None else weights[other])
        elif direction == EdgeDirection.REVERSE:
            self._send(targets, sources, weights)

    def _send(self, sources: NDArray[Any], targets: NDArray[Any], weights: NDArray[Any] | None) -> None:
        for first in range(0, len(sources), _PIECE):
            last = first + _PIECE
            self._send_piece(
                np.asarray(sources[first:last], np.uint32),
                np.asarray(targets[first:last], np.uint32),
                None if weights is None else weights[first:last],
            )

    def _send_piece(self, sources: NDArray[Any], targets: NDArray[Any], weights: NDArray[Any] | None) -> None:
        size = self._world.size
        kind = 0 if weights is None else _TYPES.index(weights.dtype.type)
        words_of_all(self._world.communicator, [1, kind])
        boxes = []
        for rank in range(size):
            part = slice(*part_of(len(sources), rank, size))
            if rank == 0:
                self.kept.append(
                    (sources[part].copy(), targets[part].copy(), None if weights is None else weights[part].copy())
                )
                boxes.append(b"")
                continue
            data = sources[part].tobytes() + targets[part].tobytes()
            boxes.append(data if weights is None else data + weights[part].tobytes())
        exchange(self._world.communicator, boxes)

    def end(self) -> None:
        """Tell that there are no more."""
        words_of_all(self._world.communicator, [0, 0])


def relayed(world: World, path: Path, kind: str, options: _formats.ReadOptions) -> Pieces:
    """Return this rank's share of the edges."""
    pieces, problem = Pieces(), None
    if world.rank == 0:
        sender = Sender(world, options.threads)
        try:
            with names_file(path):
                pieces.num_vertices = _read(sender, path, kind, options)
        except Exception as error:
            problem = error
        sender.end()
        pieces.edges = sender.kept
    else:
        pieces.edges = _received(world)
    world.agree({}, problem)
    n = words_of_all(world.communicator, [pieces.num_vertices or 0])[0, 0]
    pieces.num_vertices = int(n) or None
    return pieces


def _read(sender: Sender, path: Path, kind: str, options: _formats.ReadOptions) -> int:
    format = _formats.known()[kind]
    if format.stream is not None and kind != "gaspipe":
        vertices = format.stream(path, options, sender)  # type: ignore[arg-type]  # the part of Intake that formats use
        shape, labels = vertices.shape, vertices.labels
    else:
        reading = format.read(path, options)
        core, labels = reading.core, reading.labels
        shape = core.shape
        offsets = core.offsets.astype(np.int64)
        sources = np.repeat(np.arange(core.num_vertices, dtype=np.uint32), np.diff(offsets))
        sender.add(sources, core.targets, core.weights)
    if shape[0] != shape[1]:
        raise InputError(f"{file_name(path)}: a matrix of {shape[0]} x {shape[1]}; on ranks graphs must be square")
    if labels is not None:
        raise InputError(f"{file_name(path)}: its vertices have labels; on ranks they are integers from 0")
    return int(shape[0])


def _received(world: World) -> list[Piece]:
    found: list[Piece] = []
    while True:
        go_on, kind = (int(word) for word in words_of_all(world.communicator, [0, 0])[0])
        if not go_on:
            return found
        data = bytes(exchange(world.communicator, [b""] * world.size)[0])
        width = 0 if kind == 0 else np.dtype(_TYPES[kind]).itemsize
        count = len(data) // (8 + width)
        sources, targets = (np.frombuffer(data, np.uint32, count, 4 * count * i) for i in range(2))
        weights = None if kind == 0 else np.frombuffer(data, _TYPES[kind], count, 8 * count)
        found.append((sources, targets, weights))
