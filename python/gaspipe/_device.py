# SPDX-License-Identifier: Apache-2.0
"""Choosing where a call runs."""

from __future__ import annotations

import warnings

from ._core import DeviceError, InputError

KNOWN = ("cpu", "auto", "fpga", "emulator")


class DeviceFallbackWarning(UserWarning):
    """A call asked for a card and ran on the CPU; the text names what is missing."""


def choose(device: str, fallback: bool) -> str:
    """Name of the device to run on: what was asked for, or the CPU in place of a card that is not there.

    `"auto"` is a card if there is one, else the CPU, without a warning.
    """
    if not isinstance(device, str):
        raise InputError(f"device is of type {type(device).__name__}; a string is needed: one of {_listed()}")
    kind = device.partition(":")[0]
    if kind not in KNOWN or (kind in ("cpu", "auto") and device != kind):
        raise InputError(f"device is {device!r}; allowed are {_listed()}")
    if kind in ("cpu", "auto"):
        return "cpu"
    if kind == "emulator":
        return device
    missing = "this build of gaspipe has no XRT backend"
    if not fallback:
        raise DeviceError(f"device={device!r} cannot be used: {missing}; use device='cpu' or fallback=True")
    warnings.warn(
        f"device={device!r} cannot be used: {missing}; running on the CPU", DeviceFallbackWarning, stacklevel=4
    )
    return "cpu"


def _listed() -> str:
    return ", ".join(repr(name) for name in KNOWN)
