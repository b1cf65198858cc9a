# SPDX-License-Identifier: Apache-2.0
"""The domains of a call: from how many there are, or from a list of devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _executors
from ._domains import Domains
from .graph import Graph


def taken(given: dict[str, Any]) -> tuple[Any, list[str] | None]:
    """Take `domains`, and a list of devices, from the options of a call; returns both.

    The device that stays among the options is a card, if the list has one, else the first.

    Raises
    ------
    InputError
        If the list is empty, or names a device that there cannot be.

    """
    domains = given.pop("domains", None)
    device = given.get("device")
    if not isinstance(device, (list, tuple)):
        return domains, None
    if not device:
        raise _core.InputError("device is an empty list; name a device for each domain")
    for each in device:
        _executors.check(each)
    given["device"] = next((each for each in device if _executors.is_card(each)), device[0])
    return len(device) if domains is None else domains, list(device)


def of(graph: Graph, domains: Any) -> _core.Domains | None:
    """Return the core's domains of a graph: for a number, those of contiguous ranges with about equal edges.

    Raises
    ------
    InputError
        If they are neither a number nor the graph's own.

    """
    if domains is None:
        return None
    if isinstance(domains, Domains):
        return domains._core
    if isinstance(domains, (bool, np.bool_)) or not isinstance(domains, (int, np.integer)):
        raise _core.InputError(f"domains is {domains!r}; how many domains is needed, at least 1, or Graph.domains()")
    kept = graph._domains
    if kept is None or len(kept) != domains:
        kept = graph._domains = graph.domains(int(domains))
    return kept._core
