# SPDX-License-Identifier: Apache-2.0
"""Finds the plain answer of an algorithm in tests/reference, and holds answers against it."""

import functools
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import zoo

FOLDER = Path(__file__).parents[1] / "reference"


@functools.cache
def reference(algorithm):
    """Module tests/reference/<algorithm>.py; the test fails without it."""
    path = FOLDER / f"{algorithm}.py"
    if not path.exists():
        pytest.fail(
            f"algorithm {algorithm!r} is registered but has no reference: write {path} with answer(matrix, ...), "
            "parameters(num_vertices) and tolerance(number, ...)",
            pytrace=False,
        )
    spec = importlib.util.spec_from_file_location(f"reference_{algorithm}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def matrix(name):
    """Graph of the zoo."""
    return zoo.ZOO[name]()


@functools.cache
def expected(algorithm, name, index):
    """Answer to the reference's parameters number `index` on a graph of the zoo; computed once."""
    m = matrix(name)
    module = reference(algorithm)
    return module.answer(m, **module.parameters(m.shape[0])[index])


def in_kind_of(values, like):
    """Expected values with the marks for "unreached" of the dtype of `like`: -1 in integers, inf in floats."""
    if like.dtype.kind == "f" and values.dtype.kind == "i":
        return np.where(values == -1, np.inf, values)
    if like.dtype.kind == "i" and values.dtype.kind == "f":
        return np.where(np.isinf(values), -1, values).astype(np.int64)
    return values


def assert_agrees(values, wanted, tolerance, context):
    """Equal; or with a tolerance, infinite at the same places and within it in the L1 distance, relative above 1."""
    wanted = in_kind_of(wanted, values)
    assert values.shape == wanted.shape, context
    if tolerance == 0:
        wrong = np.flatnonzero(values != wanted)
        assert wrong.size == 0, (
            f"{context}: vertex {wrong[0]} is {values[wrong[0]]}, not {wanted[wrong[0]]}; {wrong.size} differ"
        )
        return
    finite = np.isfinite(wanted)
    assert np.array_equal(finite, np.isfinite(values)), f"{context}: others are unreached"
    distance = np.abs(values[finite] - wanted[finite]).sum()
    allowed = tolerance * max(1.0, np.abs(wanted[finite]).sum())
    assert distance <= allowed, f"{context}: L1 distance {distance:.3g} exceeds {allowed:.3g}"
