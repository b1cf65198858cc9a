# SPDX-License-Identifier: Apache-2.0
"""A line of a table: a call, and what it must return."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np


class Line(NamedTuple):
    """What is called, and whether what it returns is right."""

    name: str
    call: Callable[[], Any]
    is_right: Callable[[Any], bool]


def same(wanted: Any, tolerance: float = 0) -> Callable[[Any], bool]:
    return lambda got: bool(np.allclose(got, wanted, rtol=tolerance, atol=0))
