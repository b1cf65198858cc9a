# SPDX-License-Identifier: Apache-2.0
"""Ids with gaps and strings, which become labels."""

import itertools

import numpy as np
import pytest

import gaspipe as gp
from small_matrices import edges_of


def test_relabel_numbers_the_ids_in_ascending_order():
    graph = gp.Graph(([10**12, 7, 7], [7, 500, 10**12], [1, 2, 3]), relabel=True)
    assert graph.labels.tolist() == [7, 500, 10**12]
    assert edges_of(graph) == [(0, 1, 2), (0, 2, 3), (2, 0, 1)]
    assert [graph.id_of(label) for label in (7, 500, 10**12)] == [0, 1, 2]


def test_relabel_takes_negative_ids():
    graph = gp.Graph(([-5, 3], [3, -7]), relabel=True)
    assert graph.labels.tolist() == [-7, -5, 3]


@pytest.mark.parametrize(
    "dtypes", list(itertools.product((np.int32, np.uint32, np.int64, np.uint64), repeat=2)), ids=str
)
def test_relabel_does_as_np_unique_for_dense_and_sparse_ids(dtypes):
    random = np.random.default_rng(1)
    both = np.result_type(*dtypes) if np.uint64 not in dtypes else np.dtype(np.uint64)
    for most in (40, 2**31 - 1):
        least = 0 if both.kind == "u" else -most
        drawn = [random.integers(max(least, np.iinfo(t).min), most, 3000).astype(t) for t in dtypes]
        labels, numbers = np.unique(np.concatenate([ids.astype(both) for ids in drawn]), return_inverse=True)
        graph = gp.Graph(tuple(drawn), relabel=True, num_threads=2)
        assert np.array_equal(graph.labels, labels)
        assert graph.labels.dtype == both
        # Rows keep the order of their edges.
        order = np.argsort(numbers[:3000], kind="stable")
        assert np.array_equal(graph.indices, numbers[3000:][order])
        assert np.array_equal(graph.out_degrees(), np.bincount(numbers[:3000], minlength=len(labels)))


def test_strings_of_any_array_become_labels_in_ascending_order():
    names = ["b", "a", "", "é", "B", "zz"]
    wanted = sorted(set(names))
    for make in (
        list,
        np.array,
        lambda given: np.array(given, object),
        lambda given: [np.str_(name) for name in given],
    ):
        graph = gp.Graph((make(names), make(names[1:] + names[:1])))
        assert graph.labels.tolist() == wanted
        assert graph.labels.dtype == object


def test_relabel_keeps_large_ids_of_mixed_dtypes_apart():
    ends = np.array([2**53 + 1, 5], np.int64), np.array([2**53, 2**63], np.uint64)
    graph = gp.Graph(ends, relabel=True)
    assert graph.labels.tolist() == [5, 2**53, 2**53 + 1, 2**63]
    assert gp.bfs(graph, 2**53 + 1).to_dict() == {5: -1, 2**53: 1, 2**53 + 1: 0, 2**63: -1}
    with pytest.raises(gp.InputError, match="sources have the id -1"):
        gp.Graph((np.array([-1]), np.array([1], np.uint64)), relabel=True)
