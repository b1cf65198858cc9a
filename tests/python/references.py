# SPDX-License-Identifier: Apache-2.0
"""Finds the plain answer of an algorithm in tests/reference, and holds answers against it."""

import functools
import importlib.util
from pathlib import Path

import pytest

import zoo
from gaspipe._verify import compare, in_kind_of, marks_unreached

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


def arguments(algorithm, num_vertices):
    """The first of the reference's parameters: {} unless the algorithm cannot do without."""
    return reference(algorithm).parameters(num_vertices)[0]


def assert_agrees(algorithm, values, wanted, tolerance, context):
    """Equal; or with a tolerance, not finite at the same places and within it in the L1 distance, relative above 1."""
    found = compare(values, in_kind_of(wanted, values, marks_unreached(reference(algorithm))), tolerance)
    assert found.agrees, f"{context}: {found.text}"


def refuses(algorithm, matrix):
    """Whether an algorithm takes no such weights: an InputError that says which it needs."""
    module = reference(algorithm)
    return hasattr(module, "refuses") and module.refuses(matrix)
