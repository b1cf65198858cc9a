# SPDX-License-Identifier: Apache-2.0
"""A graph without edges keeps the type of its weights: through files, conversion, and ranks."""

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from command import gaspipe
from thread_ranks import on_ranks

TYPES = (np.int32, np.int64, np.float32, np.float64)


def type_of(path):
    return gp.Graph.load(path).weights.dtype


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("blocks", [False, True])
def test_files_convert(tmp_path, dtype, blocks):
    graph = gp.Graph(sp.csr_array((3, 3), dtype=dtype))
    graph.save(tmp_path / "a.gaspipe", blocks=blocks)
    gp.convert(tmp_path / "a.gaspipe", tmp_path / "b.gaspipe", views=("forward", "reverse", "undirected"))
    gaspipe("convert", tmp_path / "b.gaspipe", tmp_path / "c.gaspipe")
    for name in "abc":
        assert type_of(tmp_path / f"{name}.gaspipe") == dtype
    assert f"{np.dtype(dtype)} weights" in repr(gp.Graph.load(tmp_path / "b.gaspipe", memory="900 MB"))


@pytest.mark.parametrize("blocks", [False, True])
def test_no_weights_stay_none(tmp_path, blocks):
    graph = gp.Graph(sp.csr_array((3, 3)).astype(bool))
    graph.save(tmp_path / "a.gaspipe", blocks=blocks)
    gp.convert(tmp_path / "a.gaspipe", tmp_path / "b.gaspipe")
    assert not gp.Graph.load(tmp_path / "b.gaspipe").is_weighted


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("dtype", TYPES)
def test_ranks_hand_over_none(size, dtype):
    none = np.zeros(0, np.uint32)

    def types(world):
        graph = world.edges(none, none, np.zeros(0, dtype), num_vertices=4)
        return str(graph._core.weights_dtype)

    assert on_ranks(size, types) == [np.dtype(dtype).name] * size


def test_an_empty_array_of_a_rank_does_not_change_the_type_of_the_others():
    def types(world):
        ends = np.array([0, 1]) if world.rank == 1 else np.zeros(0, np.int64)
        weights = np.array([2, 3], np.int32) if world.rank == 1 else np.array([])
        return str(world.edges(ends, ends[::-1], weights)._core.weights_dtype)

    assert on_ranks(3, types) == ["int32"] * 3
