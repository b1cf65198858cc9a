# SPDX-License-Identifier: Apache-2.0
"""The author's plain answer for a custom algorithm, to compare runs with."""

from __future__ import annotations

import traceback
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .._inputs import refuse_masked
from .._verify import TOLERANCE, Comparison, compare
from ..graph import Graph
from .callables import Required, names_of, parameters_of


class Oracle:
    """`function(graph, **parameters)`, the expected value of every vertex, with what it needs checked.

    Parameters
    ----------
    name : str
        Of the algorithm.
    function : callable
        Takes a Graph, then any of the algorithm's parameters by name.
    parameters : list of str
        Those parameters.

    Raises
    ------
    InputError
        If it cannot be called so.

    """

    def __init__(self, name: str, function: Callable[..., Any], parameters: list[str]) -> None:
        if not callable(function):
            raise InputError(f"oracle is {function!r}; a callable is needed: oracle(graph, **parameters) -> array")
        for taken, default in parameters_of(function).items():
            if default is Required and taken not in parameters:
                raise InputError(
                    f"the oracle of {name} takes {taken!r}, which is no parameter of it; it has {', '.join(parameters)}"
                )
        self.name = name
        self.function = function
        names = names_of(function)
        self._names = {p for p in parameters if p in names}

    @property
    def about(self) -> str:
        """What the answer comes from, for people."""
        return f"the oracle {getattr(self.function, '__name__', type(self.function).__name__)}()"

    def answer(self, graph: Graph, arguments: dict[str, Any]) -> NDArray[Any]:
        """Expected values; InputError where the oracle fails or returns something else."""
        passed = {k: v for k, v in arguments.items() if k in self._names}
        try:
            given = self.function(graph, **passed)
            values = np.asarray(given)
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            raise InputError(
                f"the oracle of {self.name} failed: {type(error).__name__}: {error} ({at.filename}:{at.lineno})"
            ) from error
        refuse_masked(f"what the oracle of {self.name} returned", given)
        if values.dtype.kind not in "biuf":
            raise InputError(f"the oracle of {self.name} returned values of dtype {values.dtype}; numbers are needed")
        if values.shape != (graph.num_vertices,):
            raise InputError(
                f"the oracle of {self.name} returned an array of shape {values.shape}; one value per vertex is needed: "
                f"({graph.num_vertices},)"
            )
        return values

    def compare(self, values: NDArray[Any], expected: NDArray[Any], number: str, tol: float = 0.0) -> Comparison:
        """Compare an answer, computed in a number format, with the expected one; `tol` is that of the run, if any."""
        known = {**TOLERANCE, "fixed": 1e-4}
        tolerance = max(known.get(number, 0.0), known.get(str(values.dtype), 0.0))
        # A run may end a step earlier or later than the oracle, or near the limit that the oracle computes at once.
        return compare(values, _comparable(expected, values), tolerance + 10 * tol)


def _comparable(expected: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Return expected values in the dtype of the answer if that holds them all; else as they are."""
    if "f" in (values.dtype.kind, expected.dtype.kind) or not expected.size:
        return expected
    info = np.iinfo(values.dtype)
    fits = info.min <= int(expected.min()) and int(expected.max()) <= info.max
    return expected.astype(values.dtype) if fits else expected
