# SPDX-License-Identifier: Apache-2.0
"""What ranks send each other at the end of a super-step, as cpp/src/domain/exchange.cpp does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cut import Cut
from .network import Network

_ANNOUNCED = 256  # bytes that announce a box, or have all of a small one
_WITHIN = _ANNOUNCED - 32  # of these for a box
_PLACE = 4  # bytes that say which ghost a value is of


@dataclass(frozen=True, eq=False)
class Boxes:
    """Bytes of one exchange.

    Attributes
    ----------
    sent, received : numpy.ndarray
        Of every rank, in boxes, as `stats.domains` counts them.
    largest : float
        Of the box of one rank for one other that has most bytes.

    """

    sent: NDArray[np.float64]
    received: NDArray[np.float64]
    largest: float


def all_values(cut: Cut, value_bytes: int) -> Boxes:
    """Boxes with all ghosts' values."""
    return Boxes(cut.mirrors * value_bytes, cut.ghosts * value_bytes, _largest_pair(cut) * value_bytes)


def some_values(cut: Cut, share: float, value_bytes: int, are_same: bool) -> Boxes:
    """Boxes with so large a share of the values, each in the form that takes least; one value stands for equal ones."""
    if cut.pairs is not None:
        boxes = _form_bytes(cut.pairs.astype(np.float64), share, value_bytes, are_same)
        return Boxes(boxes.sum(axis=0), boxes.sum(axis=1), float(boxes.max(initial=0)))
    others = max(cut.size - 1, 1)
    sent, received = (
        _form_bytes(places / others, share, value_bytes, are_same) * others for places in (cut.mirrors, cut.ghosts)
    )
    return Boxes(sent, received, float(max(sent.max(), received.max())) / others)


def counted_boxes(sent: NDArray[np.float64], received: NDArray[np.float64]) -> Boxes:
    """Boxes that a run had in as many domains."""
    return Boxes(sent, received, float(max(sent.max(), received.max())) / max(len(sent) - 1, 1))


def have_same_values(cut: Cut, share: float, value_bytes: int, sent: float) -> bool:
    """Whether ranks that sent so many bytes have sent one value for all."""
    one, each = (float(some_values(cut, share, value_bytes, same).sent.sum()) for same in (True, False))
    return abs(sent - one) < abs(sent - each)


def _form_bytes(places: NDArray[np.float64], share: float, value_bytes: int, are_same: bool) -> NDArray[np.float64]:
    count = places * min(share, 1.0)
    values = (np.minimum(count, 1.0) if are_same else count) * value_bytes
    as_pairs = count * _PLACE + values
    as_bits = np.ceil(places / 64) * 8 + values
    least: NDArray[np.float64] = np.minimum(np.minimum(as_pairs, as_bits), places * value_bytes)
    return least


def _largest_pair(cut: Cut) -> float:
    if cut.pairs is not None:
        return float(cut.pairs.max(initial=0))
    return float(max(cut.mirrors.max(), cut.ghosts.max())) / max(cut.size - 1, 1)


@dataclass(frozen=True)
class Cost:
    """Of one exchange.

    Attributes
    ----------
    seconds : float
        Until the last rank has all.
    messages : int
        That a rank sends.
    most_bytes : float
        That a rank sends or receives, with all that is around values.

    """

    seconds: float
    messages: int
    most_bytes: float


def cost(boxes: Boxes, num_sums: int, announced: bool, network: Network) -> Cost:
    """Time of an exchange: that of the rank with most bytes.

    Ranks whose boxes have known sizes need one round, with the sums behind the values. Others announce boxes to all
    ranks, with small ones inside, and need a second round as soon as one box is larger.
    """
    others = len(boxes.sent) - 1
    if others == 0:
        return Cost(0.0, 0, 0.0)
    most = float(max(boxes.sent.max(), boxes.received.max()))
    sums = others * 8 * num_sums
    if not announced:
        return Cost(network.seconds(others, most + sums, boxes.largest), others, most + sums)
    around = others * _ANNOUNCED + sums
    seconds = network.seconds(others, around)
    if boxes.largest <= _WITHIN:
        return Cost(seconds, others, around)
    return Cost(seconds + network.seconds(others, most, boxes.largest), 2 * others, around + most)
