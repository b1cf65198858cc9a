# SPDX-License-Identifier: Apache-2.0
"""What each rank computes on: cards are shared out among the ranks of a machine, and one number format is agreed."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _card, _core, _device, _domain_options
from .._core import DeviceError, InputError
from .._executors import AUTO, CARD, CPU, is_card
from ._collective import bytes_of_all, told

if TYPE_CHECKING:
    from .._description import Description
    from ._graph import DistributedGraph


class Seat(NamedTuple):
    """A rank that may compute on a card.

    Attributes
    ----------
    device : str
        What was asked for.
    node : str
        Name of the rank's machine.
    process : int
        Its id there.
    cards : dict of str to int
        Indices of the cards that are meant and can be used, by a name that all processes of the machine have.

    """

    device: str
    node: str
    process: int
    cards: dict[str, int]


def taken(given: dict[str, Any], size: int) -> list[str]:
    """Take the device of each rank from the options of a call; the one that stays there is a card's, if any is.

    Raises
    ------
    InputError
        If a list has not as many devices as there are ranks, or names one that there cannot be.

    """
    _, devices = _domain_options.taken(given)
    if devices is None:
        return [given.get("device", CPU)] * size
    if len(devices) != size:
        raise InputError(
            f"device is a list of {len(devices)}, for {size} ranks; give a device for each rank, or one for all"
        )
    return devices


def may_be_card(device: str) -> bool:
    """Whether a rank may compute on a card."""
    return device == AUTO or is_card(device)


def shared_out(seats: Sequence[Seat]) -> list[int | None]:
    """Return the index of each rank's card: for those that ask for no certain one, the first that no other rank has.

    None for a rank that asks for no card, or finds none on its machine, or would do without.

    Raises
    ------
    DeviceError
        If a machine has fewer cards than ranks that ask for one.

    """
    found: list[int | None] = [None] * len(seats)
    holders: dict[tuple[str, str], int] = {}
    # Those with the least choice first: cards by index, by board, any.
    for rank in sorted(range(len(seats)), key=lambda rank: len(seats[rank].cards)):
        device, node, _, cards = seats[rank]
        free = next((name for name in cards if (node, name) not in holders), None)
        if free is not None:
            found[rank], holders[node, free] = cards[free], rank
        elif cards and device != AUTO:
            held = ", ".join(f"rank {holders[node, name]} has {CARD}:{index}" for name, index in cards.items())
            raise DeviceError(
                f"node {node} has no card left for rank {rank} of {len(seats)} (device={device!r}): {held}; start no "
                "more ranks on a node than it has cards, or give device= as a list, with 'cpu' for ranks without"
            )
    return found


@contextlib.contextmanager
def chosen(
    graph: DistributedGraph,
    devices: list[str],
    options: _core.RunOptions,
    algorithm: str | Description,
    arguments: dict[str, Any],
) -> Iterator[_device.Place]:
    """Find where this rank runs, where any may run on a card; all ranks do so together, within a step.

    Ranks compute in one number format, that of the cards. `missing` of the place is of all ranks.
    """
    world = graph.world
    own = devices[world.rank]
    cards = _cards(own, (algorithm, graph, arguments, options.number, options.xclbin))
    seat = Seat(own, socket.gethostname(), os.getpid(), cards)
    seats = [Seat(*json.loads(box)) for box in bytes_of_all(world.communicator, json.dumps(seat).encode())]
    with contextlib.ExitStack() as stack:
        problem: Exception | None = None
        place = _device.Place(options)
        index: int | None = None
        try:
            indices = shared_out(seats)
            index = indices[world.rank]
            # A process keeps its cards from call to call; other ranks get theirs after all are here.
            others = [
                i for i, other in zip(indices, seats) if other.node == seat.node and other.process != seat.process
            ]
            _card.release_cards([i for i in others if i is not None and i != index])
        except Exception as error:
            problem = error
        world.agree({}, problem)
        try:
            if index is not None or own != AUTO:
                device = own if index is None else f"{CARD}:{index}"
                asked = options.replace(device=device, fallback=options.fallback or own == AUTO)
                place = stack.enter_context(_device.find(asked, algorithm, graph, arguments))
        except Exception as error:
            problem = error
        world.agree({}, problem)
        said = ["" if place.lease is None else place.options.number, "" if own == AUTO else place.missing]
        formats, missing = zip(
            *(json.loads(box) for box in bytes_of_all(world.communicator, json.dumps(said).encode()))
        )
        try:
            number = _device.common_format({*formats} - {""}, options.number)
        except InputError as error:  # of all ranks
            world.agree({}, error)
        place.options = place.options.replace(number=number)
        place.missing = "; ".join(
            f"{told([rank for rank, text in enumerate(missing) if text == each])} of {world.size}: {each}; running on "
            "the CPU there"
            for each in dict.fromkeys(missing)
            if each
        )
        yield place


def _cards(device: str, question: tuple[Any, ...]) -> dict[str, int]:
    """Return the cards that a rank may compute on; none where `_device.find` says why."""
    with contextlib.suppress(_core.Error):
        if device == AUTO:
            return _card.usable_cards_by_lock(CARD) if _card.may_run(*question) else {}
        if is_card(device):
            return _card.usable_cards_by_lock(device)
    return {}
