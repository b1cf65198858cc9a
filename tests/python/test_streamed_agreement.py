# SPDX-License-Identifier: Apache-2.0
"""Every registered algorithm over graphs whose edges stay in their file, against tests/reference, in every number."""

import numpy as np
import pytest
from scipy import sparse

import gaspipe as gp
import references
import zoo
from streams import AMPLE
from test_agreement import NUMBERS, holds_weights, instance, is_exact, only_number

THREADS = (1, 2, 3)

VIEWS = ("forward", "reverse", "undirected")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Path of a graph of the zoo, its edges in blocks."""
    folder, made = tmp_path_factory.mktemp("zoo"), {}

    def path(name):
        if name not in made:
            made[name] = folder / f"{len(made)}.gaspipe"
            gp.Graph(references.matrix(name)).save(made[name], blocks=True, views=VIEWS)
        return made[name]

    return path


# Rounding can keep float32 from ever reaching the tolerance.
@pytest.mark.filterwarnings("ignore::gaspipe.NotConvergedWarning")
@pytest.mark.parametrize(("algorithm", "number"), NUMBERS)
def test_answer_agrees_with_the_reference_and_integers_have_the_bits_of_memory(saved, algorithm, number):
    module, call = references.reference(algorithm), getattr(gp, algorithm)
    options = only_number(algorithm, number)
    for turn, name in enumerate(zoo.ZOO):
        matrix = references.matrix(name)
        graph = gp.Graph.load(saved(name), memory=AMPLE)
        if references.refuses(algorithm, matrix) or not holds_weights(instance(algorithm, number), matrix):
            with pytest.raises(gp.InputError, match=r"does not fit|weights below 0|need finite weights >= 0"):
                call(graph, **references.arguments(algorithm, matrix.shape[0]), **options)
            continue
        for index, parameters in enumerate(module.parameters(matrix.shape[0])):
            context = f"{algorithm}({index=}, {number=}) on {name}"
            threads = THREADS[(turn + index) % len(THREADS)]
            result = call(graph, **parameters, **options, num_threads=threads)
            assert result.stats.stream is not None and result.stats.number == number, context
            wanted = references.expected(algorithm, name, index)
            tolerance = module.tolerance(number, matrix, **parameters)
            references.assert_agrees(algorithm, result.values, wanted, tolerance, context)
            if is_exact(algorithm, number):
                in_memory = call(gp.Graph.load(saved(name)), **parameters, **options)
                assert result.values.tobytes() == in_memory.values.tobytes(), f"{context}: other bits than in memory"


def made_of_weights(tmp_path, weights):
    """Vertices 0 to 2 with edges to all of four partitions, and back to 0."""
    n, rng = 200_000, np.random.default_rng(7)
    ends = np.unique(rng.integers(3, n, 40_000))
    sources = rng.integers(0, 3, len(ends))
    given = weights(rng, len(ends))
    matrix = sparse.csr_array(
        (np.r_[given, np.ones(len(ends), given.dtype)], (np.r_[sources, ends], np.r_[ends, np.zeros_like(ends)])),
        shape=(n, n),
    )
    gp.Graph(matrix).save(tmp_path / "graph.gaspipe", blocks=True)
    return tmp_path / "graph.gaspipe", matrix


@pytest.mark.parametrize(
    "weights",
    [
        lambda rng, count: rng.random(count) ** 9,
        lambda rng, count: rng.integers(0, 3, count),  # some are 0: no edges
        lambda rng, count: np.full(count, 1.0),
        lambda rng, count: rng.random(count) * 1.7e308,  # their sum is no double
        lambda rng, count: np.full(count, 2**62),
    ],
)
def test_fixed_point_shares_are_those_of_rows_in_memory(tmp_path, weights):
    path, matrix = made_of_weights(tmp_path, weights)
    options = {"weights": True, "tol": 0, "max_iter": 20}
    streamed = gp.pagerank(gp.Graph.load(path, memory=AMPLE), number="fixed", **options)
    np.testing.assert_array_equal(streamed.values, gp.pagerank(gp.Graph.load(path), number="fixed", **options).values)
    assert (streamed.stats.number, streamed.stats.stream["bytes_read"] > 0) == ("fixed", True)
    scaled = matrix * 2.0**-70
    out = scaled.sum(axis=1)
    rank, ends = np.full(matrix.shape[0], 1 / matrix.shape[0]), out == 0
    for _ in range(20):
        sent = np.divide(rank, out, out=np.zeros_like(rank), where=~ends)
        rank = (0.15 + 0.85 * rank[ends].sum()) / len(rank) + 0.85 * (scaled.T @ sent)
    for number, tolerance in (("fixed", 1e-4), ("float64", 1e-9), ("float32", 1e-4)):
        found = gp.pagerank(gp.Graph.load(path, memory=AMPLE), number=number, **options).values
        assert np.abs(found - rank).sum() < tolerance, number
    assert [entry.name for entry in tmp_path.iterdir()] == ["graph.gaspipe"]


@pytest.mark.parametrize("number", ["fixed", "float64"])
@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_an_edge_with_a_weight_that_is_no_share_is_named(tmp_path, number, bad):
    gp.Graph(([3, 3, 7], [1, 70_000, 2], [1.0, bad, 2.0])).save(tmp_path / "graph.gaspipe", blocks=True)
    says = r"graph.gaspipe: edge 3 -> 70000 has weight .*; probabilities of following edges need finite weights >= 0"
    with pytest.raises(gp.InputError, match=says):
        gp.pagerank(gp.Graph.load(tmp_path / "graph.gaspipe", memory=AMPLE), weights=True, number=number)


def test_progress_counts_the_bytes_of_shares_too(tmp_path):
    path, _ = made_of_weights(tmp_path, lambda rng, count: rng.random(count))
    graph = gp.Graph.load(path, memory=AMPLE)
    told = []
    gp.pagerank(
        graph,
        weights=True,
        number="fixed",
        tol=0,
        max_iter=3,
        progress=lambda *_: told.append(graph._core.stored_bytes_read),
    )
    steps = np.diff(told)
    assert len(told) >= 3 and steps[0] > 0 and (steps == steps[0]).all()
