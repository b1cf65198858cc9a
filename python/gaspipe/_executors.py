# SPDX-License-Identifier: Apache-2.0
"""What programs run on, by the core's registry of executors, and the names of devices."""

from __future__ import annotations

import os

from . import _core
from ._core import InputError

EXECUTORS = {executor.name: executor for executor in _core.executors()}
AUTO = "auto"  # a card if there is one, else the CPU
CPU: str = _core.RunOptions().device  # also what stands in for a card
CARD = next(executor.name for executor in EXECUTORS.values() if executor.needs_card)
PREDICTING = next(executor.name for executor in EXECUTORS.values() if executor.predicts)


def executor_of(device: str) -> _core.Executor | None:
    """Return the executor that a device names; None for "auto". InputError for a device that there cannot be."""
    if device == AUTO:
        return None
    name, colon, _ = device.partition(":")
    if name not in EXECUTORS or (colon and EXECUTORS[name].which is None):
        raise InputError(f"device is {device!r}; allowed are {_listed()}")
    return _core.find_executor(device)


def is_card(device: str) -> bool:
    """Whether a device names a card."""
    executor = executor_of(device)
    return executor is not None and executor.needs_card


def check(device: str, xclbin: str | os.PathLike[str] | None = None) -> None:
    """InputError for a device that there cannot be."""
    if not isinstance(device, str):
        raise InputError(f"device is of type {type(device).__name__}; a string is needed: one of {_listed()}")
    executor = executor_of(device)
    if xclbin is None:
        return
    if not isinstance(xclbin, (str, os.PathLike)) or not isinstance(os.fspath(xclbin), str):
        raise InputError(f"xclbin is of type {type(xclbin).__name__}; the path of a file or folder is needed")
    if executor is not None and not executor.needs_card:
        raise InputError(f"xclbin= is for a card, and device is {device!r}; omit it, or use device={CARD!r}")


def _listed() -> str:
    return ", ".join(repr(name) for name in [*EXECUTORS, AUTO])
