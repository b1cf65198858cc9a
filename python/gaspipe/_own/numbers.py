# SPDX-License-Identifier: Apache-2.0
"""Number formats of custom algorithms: dtypes, and fixed point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._card.kernels import NUMBERS
from .._core import InputError


@dataclass(frozen=True)
class Fixed:
    """A fixed-point number format; made by :func:`fixed`."""

    bits: int
    scale: int | None


def fixed(bits: int = 32, scale: int | str = "auto") -> Fixed:
    """Number format for `prop=` of :class:`Algorithm`: unsigned fixed point, as kernels for cards prefer it.

    A property is a word of value `word / 2**scale`; hooks see the word. `saturating_add(a, b)` and
    `multiply_fraction(word, fraction, 31)` are at hand, real parameters arrive as fractions of 2**31 (so they lie in
    0 to 1). A value at the ceiling (all bits set) counts as an overflow: the run is repeated in a coarser scale.

    Parameters
    ----------
    bits : int
        Width of the word; 32.
    scale : int or "auto"
        Binary digits after the point, 0 to 64. "auto" starts from 31 + log2(num_vertices), which suits values of about
        1 / num_vertices, and takes the largest in which nothing overflows; `result.stats.scale_bits` tells which. A
        number is kept: a run that overflows is a CapacityError.

    """
    if bits != 32:
        raise InputError(f"fixed(bits) is {bits!r}; allowed is 32")
    if scale == "auto":
        return Fixed(32, None)
    if isinstance(scale, bool) or not isinstance(scale, int) or not 0 <= scale <= 64:
        raise InputError(f"fixed(scale) is {scale!r}; allowed are 'auto' and 0 to 64")
    return Fixed(32, scale)


def number_format(dtype: Any, what: str) -> str:
    """Name of a number format, as in NUMBERS."""
    if isinstance(dtype, Fixed):
        return "fixed"
    allowed = [n for n in NUMBERS if n not in ("fixed", "bits512")]
    try:
        name = str(np.dtype(dtype).name)
    except TypeError:
        name = ""
    if dtype is None or name not in allowed:
        raise InputError(f"{what} is {dtype!r}; allowed are {', '.join(allowed)}{', gp.fixed()' * (what == 'prop')}")
    return name
