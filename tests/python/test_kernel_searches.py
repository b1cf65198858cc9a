# SPDX-License-Identifier: Apache-2.0
"""512 searches in one pass on kernels: closeness and depths from many sources, against NetworkX and SciPy."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path

import gaspipe as gp
from gaspipe._card import build as _build

WIDE = "bits512"


def random_matrix(n, m, seed):
    """Directed, with self-loops, parallel edges and vertices without any."""
    rng = np.random.default_rng(seed)
    return sp.csr_array(sp.coo_array((np.ones(m), rng.integers(0, n, (2, m))), shape=(n, n)))


def depths_of_scipy(matrix, sources):
    wanted = shortest_path(matrix, unweighted=True, indices=sources)
    return np.where(np.isinf(wanted), -1, wanted).astype(np.int32)


@pytest.mark.parametrize("execution", ["fast", "exact", "shallow"])
def test_closeness_of_512_searches_a_pass_is_that_of_networkx(execution):
    matrix = random_matrix(700, 1500, seed=3)  # two passes
    wanted = nx.closeness_centrality(nx.from_scipy_sparse_array(matrix, create_using=nx.DiGraph))
    found = gp.closeness(matrix, number=WIDE, device="emulator:u250", execution=execution)
    assert np.allclose(found.closeness, [wanted[v] for v in range(700)], rtol=1e-12)
    assert (found.stats.device, found.stats.number) == ("emulator", WIDE)
    narrow = gp.closeness(matrix, device="emulator", execution="fast")
    assert np.array_equal(found.closeness, narrow.closeness)
    assert found.stats.num_supersteps < narrow.stats.num_supersteps / 4  # 2 passes instead of 11


def test_closeness_of_some_is_that_of_networkx_on_every_device():
    graph = nx.scale_free_graph(200, seed=4)
    some = [7, 0, 150, 7]
    for device in ("cpu", "emulator"):
        found = gp.closeness(nx.to_scipy_sparse_array(graph), some, wf_improved=False, number=WIDE, device=device)
        plain = nx.DiGraph(graph)
        for v in set(some):
            assert found.closeness[v] == pytest.approx(nx.closeness_centrality(plain, v, wf_improved=False))
        assert np.isnan(found.closeness[1])


@pytest.mark.parametrize("device", ["emulator", "emulator:u250"])
def test_depths_by_kernels_are_those_of_scipy(device):
    for matrix in (random_matrix(400, 900, seed=5), sp.csr_array(np.eye(60, k=1)), sp.csr_array((1, 1))):
        n = matrix.shape[0]
        rng = np.random.default_rng(6)
        for sources in (rng.integers(0, n, 530), [n - 1, 0, n - 1], []):
            found = gp.multi_source(matrix, sources, device=device)
            assert np.array_equal(found.sources, sources)
            assert found.depth.dtype == np.int32
            wanted = depths_of_scipy(matrix, sources) if len(sources) else np.empty((0, n))
            assert np.array_equal(found.depth, wanted)
    everywhere = gp.multi_source(random_matrix(90, 200, seed=7), device=device)
    assert np.array_equal(everywhere.depth, depths_of_scipy(random_matrix(90, 200, seed=7), None))
    assert (everywhere.stats.device, everywhere.stats.number) == ("emulator", WIDE)


def test_a_pass_of_512_searches_streams_the_edges_of_one():
    graph = gp.generate.kronecker(9, seed=2)
    sources = np.random.default_rng(1).choice(graph.num_vertices, 512, replace=False)
    found = gp.multi_source(graph, sources, device="emulator:u250").stats
    # A step per level, and the one that finds nothing new.
    assert found.num_supersteps == gp.multi_source(graph, sources).depth.max() + 1
    assert found.prediction.edges_streamed + found.edges_skipped == found.num_supersteps * graph.num_edges
    narrow = gp.closeness(graph.transpose(), sources, device="emulator:u250").stats.prediction
    assert narrow.edges_streamed > 6 * found.prediction.edges_streamed


def test_predictions_count_eight_blocks_of_uram_side_by_side():
    graph = gp.generate.kronecker(9, seed=2)
    stats = gp.predict("closeness", graph, board="u250", number=WIDE, vertices=range(64), config="plain").stats
    exact = gp.closeness(graph, range(64), number=WIDE, device="emulator:u250").stats
    # A tenth of 320 blocks of a region stays free: 8 PEs of 4 rows of blocks, 512 bits being 8 blocks of 72.
    assert stats.prediction.resources["uram"] == exact.prediction.resources["uram"] == 4 * 8 * 4 * 8
    assert stats.prediction.seconds == pytest.approx(exact.prediction.seconds, rel=0.02)
    assert _build.uram_blocks(131072, 8, word_bytes=64) == 8 * 4 * 8
    plan = _build.plan(gp.get_include(), "closeness", "u250", number=WIDE)
    assert plan.design.capacity == 131072
    assert plan.xclbin == "closeness_bits512_u250.hw.xclbin"


def test_kernels_that_pack_values_refuse_those_that_fill_words():
    graph = gp.generate.kronecker(6)
    message = 'config is "packed", whose kernels have values of 4 or 8 bytes, and number is "bits512"'
    with pytest.raises(gp.InputError, match=message):
        gp.predict("closeness", graph, board="u250", number=WIDE, config="packed")
    with pytest.raises(gp.InputError, match="number is 'bits512', whose values fill words"):
        _build.plan(gp.get_include(), "closeness", "u250", number=WIDE, config="packed")
    with pytest.raises(gp.InputError, match='config is "hbm", whose kernels have values of 4 or 8 bytes'):
        gp.closeness(graph, device="emulator:u280", number=WIDE, config="hbm")
    with pytest.raises(gp.InputError, match="device is 'nowhere'"):
        gp.multi_source(graph, device="nowhere")


def test_properties_of_an_accelerator_are_a_row_of_words_for_each_vertex():
    graph = gp.Graph((np.array([0, 1]), np.array([1, 2])))
    with gp.Accelerator("closeness", device="emulator", number=WIDE) as accelerator:
        accelerator.acceleratorDataLoad(graph)
        accelerator.acceleratorDataPreprocess(vertices=[2])
        accelerator.acceleratorSuperStep()
        sets = accelerator.acceleratorQueryProperty()
    assert sets.shape == (3, 8)
    assert sets[:, 0].tolist() == [0, 1, 1]
    assert not sets[:, 1:].any()
