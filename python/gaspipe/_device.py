# SPDX-License-Identifier: Apache-2.0
"""Choosing where a call runs."""

from __future__ import annotations

import os
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _card, _core
from ._core import DeviceError, InputError

if TYPE_CHECKING:
    from ._description import Description
    from .graph import Graph

KNOWN = ("cpu", "auto", "fpga", "emulator")


class DeviceFallbackWarning(UserWarning):
    """A call asked for a card and ran on the CPU; the text names what is missing."""


class Place:
    """Where a call runs; left when it is done. `stands_in`: on the CPU, where a card might have been."""

    def __init__(self, device: str, number: str, lease: _card.Lease | None = None, stands_in: bool = False) -> None:
        self.device = device
        self.number = number
        self.lease = lease
        self.stands_in = stands_in

    def __enter__(self) -> Place:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.lease is not None:
            self.lease.__exit__(kind, error, trace)


def check(device: str, xclbin: str | os.PathLike[str] | None = None) -> None:
    """InputError for a device that there cannot be."""
    if not isinstance(device, str):
        raise InputError(f"device is of type {type(device).__name__}; a string is needed: one of {_listed()}")
    kind = device.partition(":")[0]
    if kind not in KNOWN or (kind in ("cpu", "auto") and device != kind):
        raise InputError(f"device is {device!r}; allowed are {_listed()}")
    if kind == "fpga":
        _card.check_name(device)
    if xclbin is None:
        return
    if not isinstance(xclbin, (str, os.PathLike)) or not isinstance(os.fspath(xclbin), str):
        raise InputError(f"xclbin is of type {type(xclbin).__name__}; the path of a file or folder is needed")
    if kind not in ("fpga", "auto"):
        raise InputError(f"xclbin= is for a card, and device is {device!r}; leave it away, or use device='fpga'")


def choose(
    device: str,
    fallback: bool,
    algorithm: str | Description,
    graph: Graph,
    arguments: dict[str, Any],
    number: str,
    xclbin: str | os.PathLike[str] | None,
    stacklevel: int = 4,
) -> Place:
    """Find where to run: what was asked for, or the CPU in place of a card that cannot be used.

    `"auto"` is a card if there is one, else the CPU, without a warning. What fails once a card runs is an error.
    `algorithm` is as `_card.lease` takes it.
    """
    kind = device.partition(":")[0]
    if kind in ("cpu", "emulator"):
        return Place(device, number)
    # XRT takes signal handlers and time: who would get the CPU anyway is spared.
    if kind == "auto" and not _card.may_run(algorithm, graph, arguments, number, xclbin):
        return Place("cpu", number, stands_in=True)
    try:
        lease = _card.lease("fpga" if kind == "auto" else device, algorithm, graph, arguments, number, xclbin)
        return Place("fpga", lease.program.number, lease)
    except DeviceError as error:
        if kind == "auto":
            return Place("cpu", number, stands_in=True)
        missing = str(error)
    if not fallback:
        raise DeviceError(f"device={device!r} cannot be used: {missing}; use device='cpu' or fallback=True")
    warnings.warn(
        f"device={device!r} cannot be used: {missing}; running on the CPU", DeviceFallbackWarning, stacklevel=stacklevel
    )
    return Place("cpu", number, stands_in=True)


def options(place: Place, scheduler: str) -> dict[str, Any]:
    """Arguments of `_core.run` that only devices with kernels need."""
    if place.stands_in and scheduler in _core.schedulers():
        return {}  # a CPU that was asked for itself refuses one
    found: dict[str, Any] = {} if scheduler == "in_order" else {"scheduler": scheduler}
    return found if place.lease is None else {**found, "card": place.lease.card}


def _listed() -> str:
    return ", ".join(repr(name) for name in KNOWN)
