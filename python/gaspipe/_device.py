# SPDX-License-Identifier: Apache-2.0
"""Choosing where a call runs."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _card, _core
from ._core import DeviceError
from ._executors import AUTO, CARD, CPU, is_card

if TYPE_CHECKING:
    from ._description import Description
    from .graph import Graph


GRAPHOPS = "graphops"  # a design
DIRECTION_OPTIMIZING, DELTA_STEPPING = "direction_optimizing", "delta_stepping"  # methods that only kernels have


class DeviceFallbackWarning(UserWarning):
    """A call asked for a card and ran on the CPU; the text names what is missing."""


def without_execution(options: _core.RunOptions) -> _core.RunOptions:
    """Return the options of a device without kernels that computes beside some, or in place of some, that have them."""
    allowed = next(option.choices for option in _core.options() if option.name == "execution")
    is_known = options.execution in allowed  # any other is an error on every device
    return options.replace(execution=_core.RunOptions().execution) if is_known else options


class Place:
    """Where a call runs, with the options for it; left when it is done."""

    has_cpu = False  # besides the device of the options

    def __init__(self, options: _core.RunOptions, lease: _card.Lease | None = None, missing: str = "") -> None:
        self.options = options
        self.lease = lease
        self.missing = missing  # why this is the CPU in place of a card that was named; empty elsewhere

    @classmethod
    def stand_in(cls, options: _core.RunOptions, missing: str = "") -> Place:
        """Return the CPU in place of a card: it ignores what a CPU asked for by name refuses, which is for kernels."""
        defaults = _core.RunOptions()
        if options.method in (DIRECTION_OPTIMIZING, DELTA_STEPPING):
            options = options.replace(method=defaults.method, workers=None)
        if options.design == GRAPHOPS:
            options = options.replace(design=defaults.design)
        if options.scheduler in _core.schedulers():
            options = options.replace(scheduler=defaults.scheduler)
        return cls(without_execution(options.replace(device=CPU)), missing=missing)

    def card(self) -> dict[str, Any]:
        """Return the argument for the core that is the card, if this is one."""
        return {} if self.lease is None else {"card": self.lease.card}

    def __enter__(self) -> Place:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.lease is not None:
            self.lease.__exit__(kind, error, trace)


def find(options: _core.RunOptions, algorithm: str | Description, graph: Graph, arguments: dict[str, Any]) -> Place:
    """Find where to run: what was asked for, or the CPU in place of a card that cannot be used.

    `"auto"` is a card if there is one, else the CPU, with nothing missing. What fails once a card runs is an error.
    `algorithm` is as `_card.lease` takes it.
    """
    device = options.device
    is_auto = device == AUTO
    if not is_auto and not is_card(device):
        return Place(options)
    question = algorithm, graph, arguments, options.number, options.xclbin, options.method, options.design
    # XRT takes signal handlers and time: a call that would get the CPU anyway is spared both.
    if is_auto and not _card.may_run(*question):
        return Place.stand_in(options)
    try:
        lease = _card.lease(CARD if is_auto else device, *question)
        is_any = lease.program.alone and options.design != GRAPHOPS  # of hooks that run on the host
        number = options.number if is_any else lease.program.number
        return Place(options.replace(device=CARD, number=number), lease)
    except DeviceError as error:
        if is_auto:
            return Place.stand_in(options)
        missing = f"device={device!r} cannot be used: {error}"
    if not options.fallback:
        raise DeviceError(f"{missing}; use device='cpu' or fallback=True")
    return Place.stand_in(options, missing)


def choose(
    options: _core.RunOptions,
    algorithm: str | Description,
    graph: Graph,
    arguments: dict[str, Any],
    stacklevel: int = 4,
) -> Place:
    """Do as `find` does, with a warning of what is missing."""
    place = find(options, algorithm, graph, arguments)
    if place.missing:
        warnings.warn(f"{place.missing}; running on the CPU", DeviceFallbackWarning, stacklevel=stacklevel)
    return place


def common_format(of_cards: set[str], number: str) -> str:
    """Return the number format of devices that compute together: that of the cards, if there are any, else `number`.

    Raises
    ------
    InputError
        If the cards have kernels of different formats.

    """
    if len(of_cards) > 1:
        found = " and ".join(sorted(of_cards))
        raise _core.InputError(f"the cards have kernels of different formats, {found}; choose one by number=")
    return next(iter(of_cards), number)


class Places:
    """Where the domains of a call run; left when it is done."""

    def __init__(self, options: _core.RunOptions, places: list[Place], stack: ExitStack) -> None:
        self.options = options
        self.has_cpu = any(place.options.device == CPU for place in places)
        self._places = places
        self._stack = stack

    def card(self) -> dict[str, Any]:
        """Return the arguments for the core that are the devices and cards."""
        return {
            "devices": [place.options.device for place in self._places],
            "cards": [None if place.lease is None else place.lease.card for place in self._places],
        }

    def __enter__(self) -> Places:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)


def choose_each(
    options: _core.RunOptions,
    devices: list[str] | None,
    algorithm: str | Description,
    graph: Graph,
    arguments: dict[str, Any],
    stacklevel: int = 5,
) -> Place | Places:
    """Find where to run: as `choose` does, or on one of `devices` for every domain.

    The domains compute in one number format: that of the cards, if there are any.
    """
    if devices is None:
        return choose(options, algorithm, graph, arguments, stacklevel)
    with ExitStack() as stack:
        places = []
        for device in devices:
            place = choose(options.replace(device=device), algorithm, graph, arguments, stacklevel)
            places.append(stack.enter_context(place))
        formats = {place.options.number for place in places if place.lease is not None}
        number = common_format(formats, options.number)
        first = next((place for place in places if place.options.device != CPU), places[0])
        if first.options.device == CPU and any(place.missing for place in places):
            options = without_execution(options)
        return Places(options.replace(device=first.options.device, number=number), places, stack.pop_all())
    raise AssertionError
