# SPDX-License-Identifier: Apache-2.0
"""The argument `memory=` of all that keeps to a budget: a number of bytes, or a text such as "512 MB"."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Union

import numpy as np

from ._core import InputError

Memory = Union[int, str]

_PREFIXES = "kmgt"
_UNITS = {"": 1, "b": 1} | {
    f"{prefix}{ending}": base**power
    for ending, base in (("b", 1000), ("ib", 1024))
    for power, prefix in enumerate(_PREFIXES, 1)
}
_MOST = 1 << 62


def num_bytes(value: Memory, name: str = "memory") -> int:
    """Bytes that `value` stands for.

    Parameters
    ----------
    value : int or str
        A number of bytes, or a number with a unit, blanks between them or not, in upper or lower case: kB, MB, GB and
        TB are powers of 1000; KiB, MiB, GiB and TiB powers of 1024; B or no unit are bytes. Parts of a byte are cut.
    name : str, default "memory"
        What the argument is called, for messages.

    Raises
    ------
    InputError
        If it is no such number, or not above 0.

    """
    size = None
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        size = int(value)
    elif isinstance(value, str):
        found = re.fullmatch(r"\s*([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*([a-zA-Z]*)\s*", value)
        factor = _UNITS.get(found[2].lower()) if found else None
        if found and factor is not None:
            size = int(Decimal(found[1]) * factor)
    if size is None or not 1 <= size <= _MOST:
        raise InputError(
            f'{name} is {value!r}; allowed are a number of bytes, or a text with a unit such as "512MB", "1.5 GB" or '
            '"2GiB", above 0'
        )
    return size


def shown(size: int) -> str:
    """Write a number of bytes so that `num_bytes` reads no less: "64 MB", rounded up to three digits."""
    unit, factor = "B", 1
    for power, prefix in enumerate(_PREFIXES, 1):
        if size >= 1000**power:
            unit, factor = f"{prefix if prefix == 'k' else prefix.upper()}B", 1000**power
    step = max(1, factor // 100 if size < 10 * factor else factor // 10 if size < 100 * factor else factor)
    rounded = Decimal(-(-size // step) * step) / factor
    return f"{rounded.normalize():f} {unit}"
