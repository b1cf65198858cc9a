# SPDX-License-Identifier: Apache-2.0
"""Choosing where a call runs."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _card, _core
from ._core import DeviceError
from ._executors import AUTO, CARD, CPU, is_card

if TYPE_CHECKING:
    from ._description import Description
    from .graph import Graph


class DeviceFallbackWarning(UserWarning):
    """A call asked for a card and ran on the CPU; the text names what is missing."""


class Place:
    """Where a call runs, with the options for it; left when it is done."""

    def __init__(self, options: _core.RunOptions, lease: _card.Lease | None = None) -> None:
        self.options = options
        self.lease = lease

    @classmethod
    def stand_in(cls, options: _core.RunOptions) -> Place:
        """Return the CPU in place of a card: it ignores a scheduler, which a CPU asked for by name refuses."""
        if options.scheduler in _core.schedulers():
            options = options.replace(scheduler=_core.RunOptions().scheduler)
        return cls(options.replace(device=CPU))

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


def choose(
    options: _core.RunOptions,
    algorithm: str | Description,
    graph: Graph,
    arguments: dict[str, Any],
    stacklevel: int = 4,
) -> Place:
    """Find where to run: what was asked for, or the CPU in place of a card that cannot be used.

    `"auto"` is a card if there is one, else the CPU, without a warning. What fails once a card runs is an error.
    `algorithm` is as `_card.lease` takes it.
    """
    device = options.device
    is_auto = device == AUTO
    if not is_auto and not is_card(device):
        return Place(options)
    question = algorithm, graph, arguments, options.number, options.xclbin
    # XRT takes signal handlers and time: a call that would get the CPU anyway is spared both.
    if is_auto and not _card.may_run(*question):
        return Place.stand_in(options)
    try:
        lease = _card.lease(CARD if is_auto else device, *question)
        return Place(options.replace(device=CARD, number=lease.program.number), lease)
    except DeviceError as error:
        if is_auto:
            return Place.stand_in(options)
        missing = str(error)
    if not options.fallback:
        raise DeviceError(f"device={device!r} cannot be used: {missing}; use device='cpu' or fallback=True")
    warnings.warn(
        f"device={device!r} cannot be used: {missing}; running on the CPU", DeviceFallbackWarning, stacklevel=stacklevel
    )
    return Place.stand_in(options)
