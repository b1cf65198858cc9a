# SPDX-License-Identifier: Apache-2.0
"""`config="hbm"` in the emulator: two kinds of pipelines, against plain answers, SciPy and the plain kernels' bits."""

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
    n, m = 100_000, 130_000
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


def test_answers_are_those_of_scipy(spread):
    how = {"device": "emulator", "config": "hbm"}
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
