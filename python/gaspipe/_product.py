# SPDX-License-Identifier: Apache-2.0
"""Products with uint64, a dtype that no number format has, in NumPy's own dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._inputs import is_sparse, refuse_masked
from .graph import Graph

_UINT64 = frozenset(map(np.dtype, ("<u8", ">u8")))


def words(matrix: Any, graph: Graph, arguments: dict[str, Any]) -> tuple[str, dict[str, Any], bool]:
    """Return `number=` and the arguments for `matrix @ x`, and whether its int64 values are uint64's bits.

    `graph` is made of `matrix`, and keeps unsigned weights as signed ones. Sums and products that wrap around are the
    same bits in int64 and uint64.
    """
    entries = np.dtype(matrix.dtype) if is_sparse(matrix) else graph._core.weights_dtype or np.dtype(bool)
    try:
        x = np.asarray(arguments["x"])
        product = np.result_type(entries, x.dtype)
    except (TypeError, ValueError):
        return "auto", arguments, False  # the core says what is wrong with x
    if _UINT64.isdisjoint((entries, x.dtype)):
        return "auto", arguments, False
    if product == np.uint64:
        refuse_masked("x", arguments["x"])
        return "int64", {**arguments, "x": x.astype(np.uint64).view(np.int64)}, True
    return "float64" if product == np.float64 else "auto", arguments, False
