# SPDX-License-Identifier: Apache-2.0
"""`config="hbm"` in the emulator: two kinds of pipelines, against plain answers, SciPy and the plain kernels' bits."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
import references
import zoo
from test_agreement import NUMBERS, holds_weights, instance, is_exact, only_number

NUM_DENSE, NUM_PIPELINES = 11, 14
SMALL = ("single_vertex", "star_in", "self_loops", "no_edges", "weights_of_64_bits", "kronecker")


def run(algorithm, graph, parameters, number, **how):
    return getattr(gp, algorithm)(graph, **parameters, **only_number(algorithm, number), **how)


def on_hbm(algorithm, graph, parameters, number, execution):
    return run(algorithm, graph, parameters, number, device="emulator:u280", config="hbm", execution=execution)


@pytest.fixture(scope="module")
def spread():
    """A graph whose destinations are more than one dense partition holds, so that both kinds have edges."""
    n, m = 200_000, 150_000
    rng = np.random.default_rng(11)
    weights = rng.integers(1, 100, m).astype(np.int32)
    return zoo.matrix_of(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)


@pytest.mark.filterwarnings("ignore::gaspipe.NotConvergedWarning")
@pytest.mark.parametrize(("algorithm", "number"), [(a, number) for a, number in NUMBERS if number != "bits512"])
def test_every_program_computes_what_the_plain_kernels_do(algorithm, number, spread):
    cases = [(name, references.matrix(name)) for name in SMALL]
    for name, matrix in [*cases, ("spread", spread)]:
        if references.refuses(algorithm, matrix) or not holds_weights(instance(algorithm, number), matrix):
            continue
        graph = gp.Graph(matrix)
        parameters = references.arguments(algorithm, matrix.shape[0])
        plain = run(algorithm, graph, parameters, number, method="gas")
        answers = set()
        for execution in ("fast", "exact") if name == "spread" else ("fast", "exact", "shallow"):
            result = on_hbm(algorithm, graph, parameters, number, execution)
            context = f"{algorithm}({number=}, {execution=}) on {name}"
            assert (result.stats.device, result.stats.execution) == ("emulator", execution), context
            answers.add(result.values.tobytes())
            if is_exact(algorithm, number):
                assert result.values.tobytes() == plain.values.tobytes(), f"{context}: other bits than the CPU's"
                assert result.stats.num_supersteps == plain.stats.num_supersteps, context
            if name == "spread":
                if not is_exact(algorithm, number):
                    np.testing.assert_allclose(result.values, plain.values, rtol=1e-4, atol=1e-8, err_msg=context)
            else:
                wanted = references.expected(algorithm, name, 0)
                tolerance = references.reference(algorithm).tolerance(number, matrix, **parameters)
                references.assert_agrees(algorithm, result.values, wanted, tolerance, context)
            if execution == "exact" and name == "spread":
                edges = [unit["edges"] for unit in result.stats.prediction.units]
                assert sum(edges[:NUM_DENSE]) > 0, "no dense pipeline has edges"
                assert sum(edges[NUM_DENSE:NUM_PIPELINES]) > 0, "no sparse pipeline has edges"
                passed_over = result.stats.edges_skipped
                assert sum(edges) + passed_over == result.stats.num_supersteps * result.stats.num_edges
        assert len(answers) == 1, f"{algorithm} on {name}: executions differ"


@pytest.mark.parametrize(
    ("device", "execution"),
    [
        ("emulator", "fast"),
        ("emulator:u280", "exact"),
        ("emulator:u55c", "exact"),
        ("emulator:u50", "fast"),
        ("emulator:u50", "exact"),
        ("emulator:u50", "shallow"),
    ],
)
def test_answers_are_those_of_scipy(device, execution, spread):
    how = {"device": device, "config": "hbm", "execution": execution}
    plain = sp.csr_array((np.ones(spread.nnz), spread.indices, spread.indptr), shape=spread.shape)
    hops = csgraph.shortest_path(plain, unweighted=True, indices=5)
    assert np.array_equal(gp.bfs(spread, root=5, **how).depth, np.where(np.isinf(hops), -1, hops))
    # SciPy adds parallel edges up; a path takes the lightest.
    rows = np.repeat(np.arange(spread.shape[0]), np.diff(spread.indptr))
    order = np.lexsort((spread.data, spread.indices, rows))
    pairs = np.stack([rows, spread.indices])[:, order]
    first = np.append(True, (np.diff(pairs) != 0).any(axis=0))
    lightest = sp.csr_array((spread.data[order][first], pairs[:, first]), shape=spread.shape)
    distance = csgraph.dijkstra(lightest, indices=5)
    assert np.array_equal(
        gp.sssp(spread, root=5, number="uint64", **how).values, np.where(np.isinf(distance), -1, distance)
    )
    x = np.random.default_rng(3).integers(-9, 10, spread.shape[1])
    assert np.array_equal(gp.spmv(spread, x, number="int64", **how).product, spread @ x)


@pytest.mark.parametrize("board", ["u280", "u50", "u55c"])
def test_a_boards_pipelines_run_and_take_about_as_long_as_estimated(board):
    graph = gp.generate.kronecker(16, 8, seed=5, symmetric=False)
    question = {"config": "hbm", "number": "fixed", "max_iter": 2, "tol": 0}
    estimated = gp.predict("pagerank", graph, board=board, **question)
    ran = gp.pagerank(graph, device=f"emulator:{board}", **question)
    fast = gp.pagerank(graph, device=f"emulator:{board}", execution="fast", **question)
    assert fast.values.tobytes() == ran.values.tobytes() == estimated.values.tobytes()
    p, e = ran.stats.prediction, estimated.stats.prediction
    assert p.num_units == e.num_units == {"u280": 14, "u55c": 14, "u50": 10}[board]
    # Two pseudo-channels each, four of apply; what a unit works on is what the estimate gives it.
    assert len(p.channels) == len(e.channels) == 2 * p.num_units + 4
    assert len(p.units) == p.num_units + 1
    assert p.resources == e.resources
    assert [unit["edges"] for unit in p.units] == [unit["edges"] for unit in e.units]
    longest, expected = (max(unit["busy_seconds"] for unit in q.units[:-1]) for q in (p, e))
    assert expected < longest < 1.1 * expected
    # Apply reads and writes 64 bytes a cycle at most: each pipeline's channel takes its copy of the new properties.
    assert 1 < p.units[-1]["busy_seconds"] / e.units[-1]["busy_seconds"] < 2.5


def test_a_small_design_merges_as_many_parts_as_it_has(spread):
    """Apply has streams in use for the pipelines that there are, no more."""
    for board, pipelines in (("u280", 14), ("u50", 10)):
        result = gp.bfs(spread, root=5, device=f"emulator:{board}", config="hbm")
        names = [str(name).partition("[")[0] for name in result.stats.prediction.apply_streams["name"]]
        used = {name: names.count(name) for name in ("gathered", "described", "merged", "copies", "updated")}
        assert used == {**dict.fromkeys(used, pipelines), "copies": pipelines + 1}
        # Each pipeline has the tasks of its own, told apart by its number.
        p = result.stats.prediction
        assert {f"sendParts[{unit}]" for unit in range(pipelines)} <= {task["name"] for task in p._apply_tasks}
        seconds = p.steps["apply_seconds"].sum() - len(p.steps) * p.launch_seconds
        assert p.apply_cycles == pytest.approx(seconds * p.clock_mhz * 1e6)


def test_page_rank_on_a_small_board_is_networkxs():
    graph = gp.generate.kronecker(9, 6, seed=2, symmetric=False)
    sources = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    pairs = nx.MultiDiGraph()
    pairs.add_nodes_from(range(graph.num_vertices))
    pairs.add_edges_from(zip(sources.tolist(), np.asarray(graph.indices).tolist()))
    wanted = nx.pagerank(pairs, alpha=0.85, tol=1e-12, max_iter=500)
    for execution in ("fast", "exact"):
        how = {"device": "emulator:u50", "config": "hbm", "execution": execution}
        found = gp.pagerank(graph, damping=0.85, tol=1e-7, max_iter=200, number="float32", **how)
        np.testing.assert_allclose(found.values, [wanted[v] for v in range(graph.num_vertices)], rtol=1e-3, atol=1e-7)
