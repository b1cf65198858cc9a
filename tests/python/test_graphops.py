# SPDX-License-Identifier: Apache-2.0
"""Accelerators of GraphOps' blocks: design="graphops", and conductance and vertex covers on the CPU."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp

DEVICES = ["emulator", "emulator:u250"]


def graphs():
    """Directed and symmetric, with vertices that no edge leads to, deep, a star, without edges, of one vertex."""
    yield gp.generate.kronecker(8, 8, seed=1, symmetric=False)
    yield gp.generate.kronecker(7, 6, seed=2)
    yield gp.generate.chain(70)
    yield gp.generate.star(100)
    yield gp.Graph(sp.csr_array((5, 5)))
    yield gp.Graph(([0], [0]))


def weighted(dtype, n=150, seed=3):
    matrix = sp.random_array((n, n), density=0.06, format="csr", rng=np.random.default_rng(seed))
    matrix.data = (matrix.data * 50 + 1).astype(dtype)
    return sp.csr_array(matrix, dtype=dtype)


def same(call, graph, device, field, **arguments):
    """A run by blocks, whose answer is that of the plain pipeline on the CPU."""
    found = call(graph, device=device, design="graphops", **arguments)
    plain = call(graph, method="gas", **arguments)
    assert getattr(found, field).dtype == getattr(plain, field).dtype
    assert np.array_equal(getattr(found, field), getattr(plain, field)), call.__name__
    assert found.stats.device == "emulator"
    assert found.stats.blocks.kernel == "graphops_" + call.__name__
    assert found.stats.execution == ("exact" if ":" in device else "fast")
    return found


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("graph", list(graphs()), ids=lambda g: f"{g.num_vertices}")
def test_answers_are_those_of_the_cpu(graph, device):
    # GOP-30: symmetric and directed; GOP-31: deep and shallow.
    same(gp.pagerank, graph, device, "rank", number="fixed", max_iter=4, tol=0)
    same(gp.bfs, graph, device, "depth", root=0)
    floats = gp.pagerank(graph, device=device, design="graphops", max_iter=4, tol=0).rank
    assert np.allclose(floats, gp.pagerank(graph, max_iter=4, tol=0).rank, rtol=1e-12, atol=1e-15)
    same(gp.sssp, graph, device, "distance", root=0)  # every edge has length 1


def test_answers_are_those_of_networkx():
    # GOP-30 to GOP-33, against another's implementation.
    matrix = weighted(np.int32)
    graph, plain = gp.Graph(matrix), nx.from_scipy_sparse_array(matrix, create_using=nx.DiGraph)
    run = {"device": "emulator:u250", "design": "graphops"}
    ranks = nx.pagerank(plain, tol=1e-12, weight=None)
    assert np.allclose(gp.pagerank(graph, tol=1e-12, **run).rank, [ranks[v] for v in range(150)], atol=1e-10)
    levels = nx.single_source_shortest_path_length(plain, 7)
    assert {v: d for v, d in enumerate(gp.bfs(graph, root=7, **run).depth) if d >= 0} == levels
    distances = nx.single_source_dijkstra_path_length(plain, 7)
    assert {v: d for v, d in enumerate(gp.sssp(graph, root=7, **run).distance) if d >= 0} == distances
    x = np.arange(150, dtype=np.int32)
    assert np.array_equal(gp.spmv(matrix, x, **run).product, matrix @ x)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_weights_of_every_type(dtype):
    # GOP-32, GOP-33.
    matrix = weighted(dtype)
    x = (np.arange(150) % 9).astype(dtype)
    for device in DEVICES:
        same(gp.sssp, gp.Graph(matrix), device, "distance", root=3)
        found = gp.spmv(matrix, x, device=device, design="graphops").product
        assert found.dtype == dtype
        assert np.allclose(found, matrix @ x, rtol=1e-5 if dtype == np.float32 else 1e-12)
    rectangular = matrix[:40]
    assert np.allclose(gp.spmv(rectangular, x, device="emulator", design="graphops").product, rectangular @ x)


def test_ways_to_run_agree_and_repeat():
    graph = gp.generate.kronecker(9, 8, seed=5, symmetric=False)
    root = int(np.argmax(np.diff(graph.indptr)))
    for call, arguments in [(gp.bfs, {"root": root}), (gp.pagerank, {"number": "fixed", "personalization": {3: 1}})]:
        runs = [
            call(graph, device="emulator:u250", design="graphops", execution=execution, **arguments)
            for execution in ("fast", "exact", "shallow", "exact")
        ]
        assert all(np.array_equal(run.values, runs[0].values) for run in runs)
        cycles = [run.stats.blocks.cycles for run in runs]
        assert cycles[0] == 0 < cycles[1] == cycles[3] < cycles[2]


def test_ports_report_their_beats():
    # GOP-37: beats, bytes per edge, and the share of what a port can carry.
    graph = gp.generate.kronecker(10, 16, seed=1)
    stats = gp.pagerank(graph, device="emulator:u250", design="graphops", number="fixed", tol=0, max_iter=3).stats
    ports = {port["name"]: port for port in stats.blocks.ports}
    assert list(ports) == ["offsets", "replicas", "gathered", "updated"]
    indptr = graph.indptr.astype(np.int64)
    first, last = indptr[:-1], indptr[1:]
    lines = np.where(first < last, (last - 1) // 16 - first // 16 + 1, 0).sum()
    assert ports["replicas"]["beats"] == 3 * lines
    assert ports["offsets"]["beats"] == 3 * (1024 // 8 + 1)
    assert ports["replicas"]["bytes_per_edge"] == pytest.approx(64 * lines / graph.num_edges)
    assert stats.blocks.bytes_per_edge == pytest.approx(sum(port["bytes_per_edge"] for port in ports.values()))
    assert ports["replicas"]["share"] == pytest.approx(3 * lines / stats.blocks.cycles)
    assert 0.7 < ports["replicas"]["share"] <= 1  # the chain waits for this port
    assert "% of the port's limit" in repr(stats.blocks)
    assert stats.prediction.config == "graphops"
    assert stats.predicted_cycles > stats.blocks.cycles
    assert stats.predicted_mteps > 0
    assert {"mem_rd_unit(replicas)", "nbr_prop_red", "elem_update"} <= set(stats.prediction.stages["stage"])
    assert "sets" in stats.prediction.streams["name"]
    assert gp.bfs(graph).stats.blocks is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: gp.bfs(g, design="graphops"), r'device is "cpu"; use device="emulator"'),
        (lambda g: gp.bfs(g, device="emulator", design="olive"), r'allowed are "gas" and "graphops"'),
        (lambda g: gp.wcc(g, device="emulator", design="graphops"), "no accelerator for wcc"),
        (lambda g: gp.bfs(g, device="emulator", design="graphops", scheduler="longest_first"), "omit it"),
        (lambda g: gp.bfs(g, device="emulator", design="graphops", partitioning=g.partition()), "omit it"),
    ],
)
def test_what_does_not_go_together_is_refused(call, message):
    with pytest.raises(gp.InputError, match=message):
        call(gp.generate.chain(5))


@pytest.mark.parametrize("seed", range(3))
def test_conductance_is_that_of_networkx(seed):
    # GOP-34, on the CPU.
    plain = nx.gnp_random_graph(60, 0.1, seed=seed)
    members = [v for v in plain if v % 3 == 0]
    found = gp.conductance(plain, members=members)
    assert found.conductance == pytest.approx(nx.conductance(plain, members))
    assert found.cut == nx.cut_size(plain, members)
    assert found.members_degree == nx.volume(plain, members)
    assert found.others_degree == nx.volume(plain, set(plain) - set(members))
    assert found.leaving.sum() == found.cut
    assert gp.conductance(plain, members=list(plain)).conductance == 0


@pytest.mark.parametrize("graph", list(graphs()), ids=lambda g: f"{g.num_vertices}")
def test_vertex_covers_cover_with_at_most_twice_what_is_needed(graph):
    # GOP-35, on the CPU.
    found = gp.vertex_cover(graph)
    sources = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    loops = sources == graph.indices
    assert (found.member[sources] | found.member[graph.indices]).all()
    plain = nx.Graph(zip(sources[~loops].tolist(), graph.indices[~loops].tolist()))
    least = len(nx.max_weight_matching(plain, maxcardinality=True))  # no cover is smaller
    assert found.size == found.member.sum() <= 2 * found.num_matched + np.unique(sources[loops]).size
    assert found.num_matched <= least
