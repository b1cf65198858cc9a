# SPDX-License-Identifier: Apache-2.0
"""The comparison behind `--verify` (and behind the tests of agreement): what counts as the same answer."""

import numpy as np
import pytest

import gaspipe as gp
import references
from gaspipe import _verify
from gaspipe._verify import compare

INF, NAN = np.inf, np.nan


def test_references_of_the_package_are_those_of_the_tests():
    names = sorted(path.stem for path in references.FOLDER.glob("*.py"))
    assert set(names) <= set(gp.algorithms + gp.cpu_algorithms)
    for name in names:
        with open(_verify.reference(name).__file__, encoding="utf-8") as file:
            assert file.read() == (references.FOLDER / f"{name}.py").read_text(encoding="utf-8")


def test_algorithm_without_a_reference_is_told():
    with pytest.raises(FileNotFoundError, match="dance has no plain implementation"):
        _verify.reference("dance")


@pytest.mark.parametrize("name", ["kronecker", "bundle_of_parallel_edges"])
def test_matrix_has_the_fields_of_scipys(name):
    wanted = references.matrix(name)
    graph = gp.Graph(wanted)
    found = _verify.Matrix(graph)
    assert (found.shape, found.nnz) == (wanted.shape, wanted.nnz)
    assert np.array_equal(found.indptr, wanted.indptr)
    assert np.array_equal(found.indices, wanted.indices)
    assert np.array_equal(found.data, wanted.data)
    assert _verify.Matrix(gp.generate.star(5)).data.dtype == bool


@pytest.mark.parametrize(
    ("values", "wanted", "tolerance", "agrees", "num_different", "first"),
    [
        ([0, 1, 2], [0, 1, 2], 0, True, 0, None),
        ([0, 1, 3], [0, 1, 2], 0, False, 1, 2),
        ([0, 4, 3], [0, 1, 2], 0, False, 2, 1),
        ([0.0, 1.0], [0.0, INF], 0, False, 1, 1),
        ([0.5, NAN], [0.5, NAN], 0, True, 0, None),
        ([0.5, NAN], [0.5, 1.0], 0, False, 1, 1),
        ([0.5, 0.5], [0.5, 0.501], 0.01, True, 1, 1),
        ([0.5, 0.5], [0.5, 0.6], 0.01, False, 1, 1),
        ([100.0, 50.0], [100.0, 50.9], 0.01, True, 1, 1),  # relative to the sum of what is large
        ([100.0, 50.0], [100.0, 52.0], 0.01, False, 1, 1),
        ([0.5, NAN], [0.5, NAN], 0.01, True, 0, None),
        ([0.5, NAN], [0.5, 0.5], 0.01, False, 1, 1),
        ([0.5, 0.5], [0.5, NAN], 0.01, False, 1, 1),
        ([0.5, INF], [0.5, NAN], 0.01, False, 1, 1),
        ([0.5, INF], [0.5, -INF], 0.01, False, 1, 1),
        ([0.5, INF], [0.5, INF], 0.01, True, 0, None),
    ],
)
def test_compare(values, wanted, tolerance, agrees, num_different, first):
    found = compare(np.array(values), np.array(wanted), tolerance)
    assert (found.agrees, found.num_different, found.first) == (agrees, num_different, first)
    assert bool(found.text) is not agrees
    if first is not None and not agrees:
        assert f"vertex {first} is " in found.text


@pytest.mark.parametrize(
    ("wanted", "like", "marks_unreached", "becomes"),
    [
        ([0, -1], np.float32, True, [0.0, INF]),
        ([0.0, INF], np.int64, True, [0, -1]),
        ([0, -1], np.float64, False, [0, -1]),
        ([2**32 + 5, -1], np.int32, False, [5, -1]),  # a product wraps around
    ],
)
def test_expected_values_take_the_kind_of_the_answer(wanted, like, marks_unreached, becomes):
    assert _verify.in_kind_of(np.array(wanted), np.zeros(1, like), marks_unreached).tolist() == becomes


def test_answers_of_other_lengths_differ():
    found = compare(np.zeros(3), np.zeros(4), 0.1)
    assert not found.agrees
    assert "(3,)" in found.text and "(4,)" in found.text


def test_verify_takes_the_number_format_and_the_parameters_into_account():
    graph = gp.generate.kronecker(6, 8)
    parameters = {"damping": 0.6, "tol": 0, "max_iter": 13, "personalization": None}
    for number in ("float64", "float32", "fixed"):
        result = gp.pagerank(graph, **parameters, number=number)
        assert _verify.verify(result, graph, parameters).agrees
        assert not _verify.verify(result, graph, {**parameters, "damping": 0.7}).agrees
    result.values[3] += 1e-3
    assert not _verify.verify(result, graph, parameters).agrees
