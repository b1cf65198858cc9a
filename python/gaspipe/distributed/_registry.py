# SPDX-License-Identifier: Apache-2.0
"""How ranks reach each other: what a communicator does, and those that there are, by name."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Callable, Protocol

from .._core import InputError


class Communicator(Protocol):
    """One rank's way to the others. All ranks make the same calls in the same order, each from one thread at a time.

    Buffers are bytes; what the core hands over is a view of its memory. A call that cannot be done, because another
    rank has failed, raises RankError.
    """

    @property
    def rank(self) -> int:
        """This rank, 0 to size - 1."""
        ...

    @property
    def size(self) -> int:
        """Number of ranks."""
        ...

    def all_to_all(self, send: memoryview, receive: memoryview) -> None:
        """Exchange as many bytes with every rank, this one too: of both buffers rank i has the i-th part."""
        ...

    def begin_boxes(self, boxes: Sequence[memoryview], expected: Sequence[int]) -> None:
        """Send boxes[i] to rank i, from which expected[i] bytes come; those for this rank itself are empty.

        Boxes stay as they are until `end_boxes`, and may travel meanwhile.
        """
        ...

    def end_boxes(self) -> Sequence[Any]:
        """Return a buffer for every rank from which bytes come, valid until the next call; anything for the others."""
        ...

    def fail(self, why: str) -> None:
        """Tell the others that this rank cannot go on; it makes no more calls."""
        ...


_WORLDS: dict[str, Callable[..., AbstractContextManager[Any]]] = {}


def register(name: str, open: Callable[..., AbstractContextManager[Any]]) -> None:
    """Add a kind of communicator.

    Parameters
    ----------
    name : str
        What `open_world` calls it.
    open : callable
        Returns a context manager that gives a `World`, or what stands for one where ranks are elsewhere.

    Raises
    ------
    InputError
        If the name is taken.

    """
    if name in _WORLDS:
        raise InputError(f"there is a communicator {name!r} already; choose another name")
    _WORLDS[name] = open


def communicators() -> list[str]:
    """Return the names of all kinds of communicators."""
    return sorted(_WORLDS)


def open_world(name: str, **options: Any) -> AbstractContextManager[Any]:
    """Return the context manager of a kind of communicator, which gives a `World` (of "dask", a `DaskWorld`).

    Parameters
    ----------
    name : str
        One of `communicators()`; "mpi" is `gp.distributed.mpi`, "dask" `gp.distributed.dask`.
    **options : dict
        Arguments of that kind.

    Raises
    ------
    InputError
        If there is no such kind.

    """
    if name not in _WORLDS:
        raise InputError(f"there is no communicator {name!r}; known are {', '.join(communicators())}")
    return _WORLDS[name](**options)
