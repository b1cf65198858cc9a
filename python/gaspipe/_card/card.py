# SPDX-License-Identifier: Apache-2.0
"""The cards that this process has open, and how it releases them.

A card stays open between calls, with its xclbin and the graphs on it. It belongs to one process at a time (`lock`), and
within that to one call at a time (`leases`).
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from .._core import DeviceError

_SECONDS_AT_EXIT = 10.0  # that a run of another thread may take to end


@dataclass(frozen=True)
class Card:
    """A card as the driver lists it."""

    index: int
    name: str  # of its shell; "" where it cannot be read
    address: str  # on the bus; "" where there is none
    problem: str  # why it cannot be used; "" where it can

    def __str__(self) -> str:
        return f"card {self.index}" + (f" ({self.address})" if self.address else "")


class Slot:
    """A card of this process: what is on it, and the locks."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self.lock = threading.Lock()
        self.owner = 0  # thread that holds it
        self.loaded: Any = None  # _core.LoadedCard
        self.key: object = None  # of what is loaded
        self.file: int | None = None  # that is locked

    def close(self) -> None:
        """Release the card. The caller holds the lock."""
        self.loaded = self.key = None
        if self.file is not None:
            os.close(self.file)
            self.file = None


_guard = threading.Lock()  # of the slots; held for moments
_slots: dict[int, Slot] = {}


def slot_of(card: Card) -> Slot:
    """Return the slot of a card, made at its first use."""
    with _guard:
        return _slots.setdefault(card.index, Slot(card))


def slots() -> list[Slot]:
    """Return the slots of all cards that this process has used."""
    with _guard:
        return list(_slots.values())


def release_devices() -> None:
    """Close all cards that this process has open, and let other processes use them.

    The graphs on them are gone, and the next call on a card opens it anew. A run of another thread is waited for. Done
    at the end of the process as well.

    Raises
    ------
    DeviceError
        If it is called from a run on a card, as by its `progress`.

    """
    _release(slots())


def release_cards(indices: Collection[int]) -> None:
    """Close those of these cards that this process has open, as `release_devices` does."""
    _release([slot for slot in slots() if slot.card.index in indices])


def _release(found: list[Slot]) -> None:
    for slot in found:
        if slot.owner == threading.get_ident():
            raise DeviceError(f"{slot.card} is running the call that this one is made from; release it afterwards")
        with slot.lock:
            slot.close()


def release_at_exit() -> None:
    """Close all cards, but for those that a run of another thread does not leave in time."""
    for slot in list(_slots.values()):
        if slot.lock.acquire(timeout=_SECONDS_AT_EXIT):
            slot.close()
            slot.lock.release()


def forget_in_child() -> None:
    """After a fork: the cards are the parent's. Nothing of them is touched, nor destroyed; its locks stay its own."""
    global _guard, _slots
    for slot in _slots.values():
        if slot.loaded is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(slot.loaded))
        if slot.file is not None:
            os.close(slot.file)  # the lock is the parent's as long as it has its own
        slot.loaded = slot.key = slot.file = None
    _guard, _slots = threading.Lock(), {}
