# SPDX-License-Identifier: Apache-2.0
"""Arguments that are bools: nothing else passes for one, for directed="no" would count as true."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import InputError


def flag(name: str, given: Any) -> bool:
    """Return an argument that is a bool, of Python or NumPy."""
    if not isinstance(given, (bool, np.bool_)):
        raise InputError(f"{name} is {given!r}; a bool is needed")
    return bool(given)


def check_flags(**given: Any) -> None:
    """Refuse arguments that are neither bools nor None."""
    for name, value in given.items():
        if value is not None:
            flag(name, value)
