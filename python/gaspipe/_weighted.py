# SPDX-License-Identifier: Apache-2.0
"""Questions that take weights where another program answers them than without: hooks either read weights or do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import InputError
from ._description import algorithms

if TYPE_CHECKING:
    from .graph import Graph

WEIGHTED = {"pagerank": "weighted_pagerank"}


def may_read(name: str, arguments: dict[str, Any]) -> bool:
    """Whether the answer may depend on weights."""
    if name in WEIGHTED and arguments["weights"] is not False:
        return True
    return any(instance.reads_weights for instance in algorithms()[name].instances)


def program_for(name: str, arguments: dict[str, Any], graph: Graph) -> tuple[str, dict[str, Any]]:
    """Return the program that answers an algorithm's question, and its arguments.

    Without weights in the graph, `weights=True` is the question without: every edge weighs 1.
    """
    if name not in WEIGHTED:
        return name, arguments
    weights = arguments["weights"]
    if not isinstance(weights, (bool, np.bool_)):
        raise InputError(f"weights is {weights!r}; allowed are True, for the graph's own weights, and False")
    if not weights or not graph.is_weighted:
        return name, {**arguments, "weights": False}
    return WEIGHTED[name], {key: value for key, value in arguments.items() if key != "weights"}
