# SPDX-License-Identifier: Apache-2.0
"""Answers held against the plain implementations of `gaspipe/reference`, which share no code with the hooks."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
from importlib import resources
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _description, _registered, _vertices
from ._result import Result
from ._vertices import keys
from ._vertices import shown as named
from .graph import Graph

# In the L1 distance, relative to the sum of the values: sums in another order, over some tens of super-steps.
TOLERANCE = {"float32": 1e-4, "float64": 1e-9}


class Matrix:
    """A graph as the plain implementations read it: the fields of SciPy's csr_array, without SciPy."""

    def __init__(self, graph: Graph) -> None:
        weights = graph.weights
        self.shape = graph.shape
        self.nnz = graph.num_edges
        self.indptr: NDArray[np.int64] = graph.indptr[: self.shape[0] + 1].astype(np.int64)
        self.indices: NDArray[np.int64] = graph.indices.astype(np.int64)
        self.data: NDArray[Any] = np.ones(self.nnz, np.bool_) if weights is None else weights


class Comparison(NamedTuple):
    """How far an answer is from the plain one."""

    agrees: bool
    num_different: int  # values that are not the same (NaN and NaN are)
    first: int | None  # the vertex, or row, of the first of them
    expected: Any  # the plain value there
    distance: float  # L1, over values finite in both
    allowed: float  # largest distance that agrees; 0: every value must be the same
    text: str  # what differs, or ""


@functools.cache
def reference(algorithm: str) -> ModuleType:
    """Return the plain implementation of an algorithm, with `answer(matrix, ...)` and `tolerance(number, matrix, ...)`.

    FileNotFoundError if the algorithm has none.
    """
    from . import _core

    # Beside the package in a wheel; in an editable install the files were installed beside the extension.
    for root in (str(resources.files(__package__)), os.path.dirname(os.path.abspath(_core.__file__))):
        path = os.path.join(root, "reference", f"{algorithm}.py")
        if os.path.isfile(path):
            spec = importlib.util.spec_from_file_location(f"gaspipe.reference.{algorithm}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise FileNotFoundError(f"{algorithm} has no plain implementation to be checked against")


def about(algorithm: str) -> str:
    """Say where plain answers of an algorithm come from; raises what :func:`reference` does, or InputError."""
    own = _registered.algorithms.get(algorithm)
    if own is not None:
        return own.oracle.about
    text = (reference(algorithm).__doc__ or "").strip().split("\n")[0].split(". ")[0].rstrip(".")
    return re.sub(r" \([^()]*\)", "", text)


def verify(result: Result, graph: Graph, parameters: dict[str, Any]) -> Comparison:
    """Compare the answer of a run, with its arguments by name, with the plain one; slow, as plain Python is."""
    own = _registered.algorithms.get(result.algorithm)
    if own is not None:
        return own.verify(result, graph, parameters)
    parameters = _vertices.resolve(_description.built_in()[result.algorithm].parameters, graph, parameters)
    module, matrix = reference(result.algorithm), Matrix(graph)
    wanted = module.answer(matrix, **parameters)
    wanted = in_kind_of(wanted, result.values, marks_unreached(module))
    tolerance = module.tolerance(result.stats.number, matrix, **parameters)
    labels = result.labels if result.row == "vertex" else None
    return compare(result.values, wanted, tolerance, labels, result.row)


def marks_unreached(module: ModuleType) -> bool:
    """Whether -1 (in floats: inf) stands for "unreached" in the answers of a plain implementation."""
    return getattr(module, "MARKS_UNREACHED", False)


def in_kind_of(values: NDArray[Any], like: NDArray[Any], marks_unreached: bool) -> NDArray[Any]:
    """Expected values in the dtype of `like`: integers wrap around, marks for "unreached" become the dtype's own."""
    if not marks_unreached:
        both_integers = like.dtype.kind in "iu" and values.dtype.kind in "iu"
        return values.astype(like.dtype) if both_integers else values
    if like.dtype.kind == "f" and values.dtype.kind == "i":
        return np.where(values == -1, np.inf, values)
    if like.dtype.kind == "i" and values.dtype.kind == "f":
        return np.where(np.isinf(values), -1, values).astype(np.int64)
    return values


def compare(
    values: NDArray[Any],
    wanted: NDArray[Any],
    tolerance: float,
    labels: NDArray[Any] | None = None,
    row: str = "vertex",
) -> Comparison:
    """Equal; or with a tolerance, infinite or NaN alike and within it in the L1 distance, relative above 1.

    `row` says what has a value each, or several.
    """
    if values.shape != wanted.shape:
        return Comparison(False, wanted.size, None, None, np.inf, 0, f"shape {values.shape}, expected {wanted.shape}")
    is_wrong = (values != wanted) & ~(np.isnan(values) & np.isnan(wanted))
    wrong = np.flatnonzero(is_wrong.any(axis=tuple(range(1, values.ndim))))
    first = int(wrong[0]) if wrong.size else None
    expected = None if first is None else wanted[first]
    called = first if first is None or labels is None else named(keys(labels[first : first + 1])[0])
    shown = "" if first is None else f"{row} {called} is {values[first]}, not {expected}; {wrong.size} differ"
    finite = np.isfinite(wanted) & np.isfinite(values)
    same_places = bool(finite[wrong].all())
    distance = float(np.abs(values[finite].astype(np.float64) - wanted[finite].astype(np.float64)).sum())
    if tolerance == 0:
        return Comparison(not wrong.size, wrong.size, first, expected, distance, 0, shown)
    allowed = float(tolerance * max(1.0, np.abs(wanted[finite]).sum()))
    agrees = same_places and distance <= allowed
    if same_places:
        text = f"L1 distance {distance:.3g} exceeds {allowed:.3g}; {shown}"
    else:
        text = f"others are infinite or NaN; {shown}"
    return Comparison(agrees, wrong.size, first, expected, distance, allowed, "" if agrees else text)
