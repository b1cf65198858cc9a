# SPDX-License-Identifier: Apache-2.0
"""What ranks do together besides runs: bytes of all, and whether all agree on what comes next."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import InputError, RankError
from ._registry import Communicator


def view_of(array: NDArray[Any]) -> memoryview:
    """Return the bytes of an array, which must be contiguous."""
    flat: Any = array.reshape(-1).view(np.uint8) if array.size else b""
    return memoryview(flat)


def words_of_all(communicator: Communicator, words: Sequence[int]) -> NDArray[np.int64]:
    """Return the words of every rank, shape (size, len(words))."""
    sent = np.tile(np.asarray(words, np.int64), communicator.size)
    received = np.zeros_like(sent)
    communicator.all_to_all(view_of(sent), view_of(received))
    return received.reshape(communicator.size, len(words))


def exchange(communicator: Communicator, boxes: Sequence[Any]) -> list[bytes | memoryview]:
    """Send a buffer to every rank, this one too; return what came from each, valid until the next call."""
    rank, size = communicator.rank, communicator.size
    views = [memoryview(box).cast("B") if len(memoryview(box)) else memoryview(b"") for box in boxes]
    sent = np.array([len(view) for view in views], np.int64)
    coming = np.zeros(size, np.int64)
    communicator.all_to_all(view_of(sent), view_of(coming))
    own, views[rank] = views[rank], memoryview(b"")
    coming[rank] = 0
    communicator.begin_boxes(views, coming.tolist())
    received = communicator.end_boxes()
    found: list[bytes | memoryview] = []
    for other in range(size):
        if other == rank:
            found.append(own)
        else:
            found.append(memoryview(received[other]).cast("B") if coming[other] else b"")
    return found


def bytes_of_all(communicator: Communicator, text: bytes) -> list[bytes]:
    """Return the bytes of every rank."""
    return [bytes(box) for box in exchange(communicator, [text] * communicator.size)]


def bytes_of(communicator: Communicator, root: int, text: bytes) -> bytes:
    """Return the bytes of one rank, on all ranks."""
    return bytes(exchange(communicator, [text if communicator.rank == root else b""] * communicator.size)[root])


def digest(value: Any) -> tuple[str, str]:
    """Return a digest of a value, and a short text of it for messages."""
    found = hashlib.blake2b(digest_size=8)
    if isinstance(value, np.ndarray) and value.dtype != object:
        found.update(f"{value.dtype}{value.shape}".encode())
        found.update(np.ascontiguousarray(value).view(np.uint8).data if value.size else b"")
        shown = f"an array of {value.dtype}, shape {value.shape}"
    else:
        shown = value if isinstance(value, str) else repr(value)
        found.update(shown.encode("utf-8", "surrogateescape"))
    if len(shown) > 80:
        shown = shown[:80] + "..."
    return found.hexdigest(), shown


def told(ranks: Sequence[int]) -> str:
    """Return the name of a rank, or of several."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    return "ranks " + ", ".join(map(str, ranks[:8])) + ", ..." * (len(ranks) > 8)


def disagreement(
    communicator: Communicator, what: Mapping[str, Any], problem: Exception | None = None
) -> Exception | None:
    """Find out whether all ranks can go on, and mean the same. All are in step afterwards.

    Parameters
    ----------
    communicator : Communicator
        Of this rank.
    what : mapping of str to Any
        Values that must be equal on all ranks, by what messages call them.
    problem : BaseException, optional
        Why this rank cannot go on.

    Returns
    -------
    Exception or None
        `problem`; or a RankError with that of another rank; or an InputError that says what is not equal on all ranks.

    """
    text = "" if problem is None else f"{type(problem).__name__}: {problem}"
    said = {"problem": text, "what": {} if text else {name: digest(value) for name, value in what.items()}}
    all_said = [json.loads(box) for box in bytes_of_all(communicator, json.dumps(said).encode())]
    if problem is not None:
        return problem
    for rank, other in enumerate(all_said):
        if other["problem"]:
            return RankError(f"rank {rank} of {communicator.size} cannot go on: {other['problem']}")
    first = all_said[0]["what"]
    for name in [*first, *(name for other in all_said for name in other["what"] if name not in first)]:
        of_ranks = [other["what"].get(name, ["", "not there"]) for other in all_said]
        odd = [rank for rank, found in enumerate(of_ranks) if found[0] != of_ranks[0][0]]
        if odd:
            here, there = of_ranks[0][1], of_ranks[odd[0]][1]
            values = f"{here} on rank 0 and {there} on rank {odd[0]}" if here != there else "not the same content"
            return InputError(
                f"{told(odd)} of {communicator.size} and rank 0 differ in the {name}: {values}; all ranks must make "
                "the same calls, with equal arguments, the same files and the same version of gaspipe"
            )
    return None
