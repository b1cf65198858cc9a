# SPDX-License-Identifier: Apache-2.0
"""gp.batch beside SciPy, one graph at a time."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp

DEVICES = ("cpu", "emulator")
NAMES = ("bfs", "sssp", "spmv", "wcc")


def matrices(dtype: type = np.int32) -> list[sp.csr_array]:
    """Directed ones of several sizes, one without an edge and one of a single vertex among them."""
    random = np.random.default_rng(5)
    found = []
    for n, m in ((40, 160), (7, 12), (5, 0), (1, 0), (90, 700)):
        rows, columns = random.integers(n, size=(2, m))
        entries = sp.coo_array((random.integers(1, 50, m).astype(dtype), (rows, columns)), (n, n))
        found.append(sp.csr_array(entries.tocsr()))
    return found


@pytest.mark.parametrize("device", DEVICES)
def test_levels_are_those_of_each_graph_alone(device: str) -> None:
    graphs, roots = matrices(), [3, 6, 2, 0, 11]
    found = gp.batch("bfs", graphs, root=roots, device=device)
    for a, root, answer in zip(graphs, roots, found):
        hops = csgraph.shortest_path(a, unweighted=True, indices=root)
        np.testing.assert_array_equal(answer.depth, np.where(np.isinf(hops), -1, hops))
        assert isinstance(answer, gp.BfsResult) and answer.depth.dtype == np.int32
    assert found[0].stats is found[-1].stats and found[0].stats.device == device


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_distances_are_those_of_each_graph_alone(device: str, dtype: type) -> None:
    graphs = matrices(dtype)
    for a, answer in zip(graphs, gp.batch(gp.sssp, graphs, device=device)):  # from vertex 0 of each
        expected = csgraph.dijkstra(a.astype(float), indices=0)
        reached = np.isfinite(expected)
        alone = gp.sssp(a, root=0).distance
        np.testing.assert_array_equal(answer.distance[reached], expected[reached])
        assert (answer.distance[~reached] == alone[~reached]).all() and answer.distance.dtype == alone.dtype


def test_graphs_without_weights_count_hops_beside_those_with_some() -> None:
    path = gp.Graph((np.arange(5), np.arange(1, 6)))
    weighted = gp.Graph((np.arange(5), np.arange(1, 6), np.full(5, 7, np.int32)))
    first, second = gp.batch("sssp", [path, weighted])
    assert first.distance.tolist() == [0, 1, 2, 3, 4, 5] and second.distance.tolist() == [0, 7, 14, 21, 28, 35]


@pytest.mark.parametrize("device", DEVICES)
def test_components_are_those_of_each_graph_alone(device: str) -> None:
    graphs = matrices()
    for a, answer in zip(graphs, gp.batch(gp.wcc, graphs, device=device)):
        _, groups = csgraph.connected_components(a, directed=False)
        smallest = np.full(a.shape[0], a.shape[0])
        np.minimum.at(smallest, groups, np.arange(a.shape[0]))
        np.testing.assert_array_equal(answer.component, smallest[groups])


@pytest.mark.parametrize("device", DEVICES)
def test_products_are_those_of_each_graph_alone(device: str) -> None:
    graphs = matrices(np.float64)
    vectors = [np.linspace(0, 1, a.shape[0]) for a in graphs]
    for a, x, answer in zip(graphs, vectors, gp.batch("spmv", graphs, x=vectors, number="float64", device=device)):
        np.testing.assert_allclose(answer.values, a @ x)


@pytest.mark.parametrize(("entries", "x"), [("u8", "u8"), ("u8", "u1"), ("u8", "i4"), ("u8", "i8"), ("u1", "u8")])
def test_products_of_uint64_have_the_dtype_of_each_graph_alone(entries: str, x: str) -> None:
    graphs = [sp.csr_array(np.array([[2, 1], [0, 1]], entries)), sp.csr_array(np.array([[1, 1], [1, 1]], entries))]
    vectors = [np.array([min(2**60 + 1, np.iinfo(x).max // 4), 1], x), np.ones(2, x)]
    for a, vector, answer in zip(graphs, vectors, gp.batch("spmv", graphs, x=vectors)):
        alone = gp.spmv(a, vector).product
        assert answer.product.dtype == answer.values.dtype == alone.dtype
        np.testing.assert_array_equal(answer.product, alone)


@pytest.mark.parametrize("root", [np.array(1), [np.array(1), np.uint8(1)]])
def test_all_that_an_algorithm_takes_for_a_root_is_one(root: object) -> None:
    path = gp.Graph(([0, 1, 2], [1, 2, 3]))
    assert [r.depth.tolist() for r in gp.batch("bfs", [path, path], root=root)] == [[-1, 0, 1, 2]] * 2


def test_labels_name_roots_and_stay_with_the_answers() -> None:
    graphs = [nx.path_graph(["a", "b", "c"]), nx.path_graph(["c", "d", "a", "e"])]
    for graph, answer in zip(graphs, gp.batch("bfs", graphs, root="a")):
        assert answer.to_dict() == nx.single_source_shortest_path_length(graph, "a")


def test_many_small_graphs_are_predicted_to_share_the_launches() -> None:
    graphs = [gp.generate.grid(4, 4 + i % 3) for i in range(12)]
    together = gp.batch("bfs", graphs, device="emulator:u250")
    alone = [gp.bfs(graph, device="emulator:u250") for graph in graphs]
    for one, other in zip(together, alone):
        np.testing.assert_array_equal(one.depth, other.depth)
    assert len(together[0].stats.supersteps) <= max(len(r.stats.supersteps) for r in alone) + 1
    assert together[0].stats.prediction.seconds < sum(r.stats.prediction.seconds for r in alone) / 6


GRIDS = [gp.generate.grid(2, n) for n in (3, 4, 5)]
WIDE = gp.Graph(sp.csr_array(np.ones((2, 3))), rectangular=True)
EMPTY = gp.Graph(sp.csr_array((0, 0)), rectangular=True)
PAIR = sp.csr_array(np.ones((2, 2), np.uint64))
U8 = np.ones(2, np.uint64)


@pytest.mark.parametrize(
    ("algorithm", "graphs", "more", "said"),
    [
        ("pagerank", GRIDS, {}, "algorithm is 'pagerank'; allowed in a batch are 'bfs', 'sssp', 'spmv' and 'wcc'"),
        (gp.scc, GRIDS, {}, "algorithm is scc; allowed in a batch"),
        (3, GRIDS, {}, "algorithm is 3; allowed in a batch"),
        ("bfs", [], {}, "graphs is empty"),
        ("bfs", GRIDS[0], {}, "graphs is a Graph; a list of graphs is needed"),
        ("bfs", GRIDS[0].to_scipy(), {}, "a list of graphs is needed"),
        ("bfs", [GRIDS[0], None], {}, "graph 1: cannot make a graph of NoneType"),
        ("bfs", GRIDS, {"root": [1, 2]}, "root has 2 vertices for 3 graphs"),
        ("bfs", GRIDS, {"root": 6}, "root of graph 0 is 6; allowed is 0 to 5"),
        ("bfs", GRIDS, {"root": "a"}, "root of graph 0 is 'a'"),
        ("bfs", GRIDS, {"root": np.array(0.5)}, r"root of graph 0 is array\(0.5\); a vertex is needed"),
        *((name, [GRIDS[0], WIDE], {}, "graph 1: a batch needs a square matrix; this one is 2 x 3") for name in NAMES),
        *((name, [EMPTY], {}, "graph 0: a batch needs at least 1 vertex") for name in NAMES),
        ("bfs", GRIDS, {"number": "int32"}, "bfs has no number="),
        ("wcc", GRIDS, {"root": 1}, "wcc has no root=; that is for bfs and sssp"),
        ("spmv", GRIDS, {}, "spmv needs x="),
        ("spmv", GRIDS, {"x": 3}, "x is a int; a list of vectors is needed"),
        ("spmv", GRIDS, {"x": np.array(3)}, "x is a ndarray; a list of vectors is needed"),
        ("spmv", GRIDS[:1], {"x": [[1, [2]]]}, "x of graph 0 cannot be read as an array"),
        (
            "spmv",
            [PAIR] * 2,
            {"x": [[1, 2], [0.5, 1]]},
            "entries of x of graph 1 are float64, of graph 0 int64; a batch",
        ),
        ("spmv", [PAIR, PAIR.astype(int)], {"x": [[1, 2]] * 2}, "products of graph 1 are int64, of graph 0 float64"),
        ("spmv", [PAIR.astype("u1"), PAIR.astype("i4")], {"x": [U8] * 2}, "graph 1 are float64, of graph 0 uint64"),
        ("spmv", [PAIR.astype(bool), PAIR.astype(float)], {"x": [[1, 2]] * 2}, "products of graph 1 are float64"),
        ("spmv", GRIDS, {"x": [np.ones(6)]}, "x has 1 vectors for 3 graphs"),
        ("spmv", GRIDS, {"x": [np.ones(6)] * 3}, r"x of graph 1 has shape \(6,\); \(8,\) is needed"),
        ("bfs", GRIDS, {"device": "gpu"}, "device is 'gpu'"),
    ],
)
def test_what_cannot_be_a_batch_is_an_error(algorithm: object, graphs: object, more: dict, said: str) -> None:
    with pytest.raises(gp.InputError, match=said):
        gp.batch(algorithm, graphs, **more)


@pytest.mark.parametrize("weight", [-5.0, np.nan])
def test_a_length_that_is_none_is_told_by_its_own_graph(weight: float) -> None:
    wrong = gp.Graph((np.array([0, 1, 1]), np.array([1, 0, 2]), np.array([1, 2, weight])))
    with pytest.raises(gp.InputError, match=r"graph 1: edge 1 -> 2 has weight (-5.0|nan); sssp needs weights >= 0"):
        gp.batch("sssp", [GRIDS[0], wrong])


def test_weights_of_several_dtypes_and_too_many_vertices_are_errors() -> None:
    floats = gp.Graph((np.arange(2), np.arange(1, 3), np.full(2, 0.5)))
    integers = gp.Graph((np.arange(2), np.arange(1, 3), np.full(2, 3, np.int32)))
    with pytest.raises(gp.InputError, match="weights of graph 2 are float64, of graph 1 int32; a batch has one dtype"):
        gp.batch("sssp", [GRIDS[0], integers, floats])
    many = [gp.Graph((np.array([0]), np.array([1])), num_vertices=2**28)] * 16
    with pytest.raises(gp.CapacityError, match="16 graphs have 4294967296 vertices together"):
        gp.batch("wcc", many)
