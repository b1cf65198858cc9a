# SPDX-License-Identifier: Apache-2.0
"""Every registered algorithm against tests/reference: all graphs of the zoo, number formats and configurations."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gaspipe as gp
import references
import zoo
from gaspipe import _core, _description
from random_calls import ALGORITHMS, PARTITIONERS, POSITIVE, calls, random_matrices

DESCRIBED = _description.algorithms()
NUMBERS = [(a.name, number) for a in DESCRIBED.values() for number in a.numbers]
METHODS = ("auto", "gas")
TURNS = (1, 2, 1, 1, 3, 1)  # more threads than cores take twenty times as long on graphs of this size
SMALL_CUTS = [None, *itertools.product((7, 64, 1000), (1, 3, 16), PARTITIONERS)]
LARGE_CUTS = [None, (1000, 1, "equal"), (20_000, 3, "balanced"), (65_536, 16, "equal"), (131_072, 2, "balanced")]


def instance(algorithm, number):
    return DESCRIBED[algorithm].instance(number)


def is_exact(algorithm, number):
    """Whether answers are the same bits everywhere: integers, fixed point, and sums that meet in a minimum."""
    chosen = instance(algorithm, number)
    return chosen.fixed_point or not chosen.property_type.startswith("float") or chosen.idempotent


def only_number(algorithm, number):
    return {} if len(DESCRIBED[algorithm].instances) == 1 else {"number": number}


def holds_weights(chosen, matrix):
    """Whether a number format can store the weights of a graph."""
    kind = chosen.edge_type
    if chosen.transition_probabilities:
        return True  # made of any weights
    if kind in ("none", "float32", "float64") or matrix.data.dtype.kind == "b" or not matrix.nnz:
        return True
    limits = np.iinfo(kind)
    if not (np.isfinite(matrix.data) & (matrix.data == np.trunc(matrix.data))).all():
        return False
    return limits.min <= matrix.data.min() and matrix.data.max() <= limits.max


def cut(graph, config):
    if config is None:
        return None
    capacity, compute_units, partitioner = config
    return graph.partition(capacity=capacity, compute_units=compute_units, partitioner=partitioner)


@pytest.mark.parametrize("algorithm", gp.algorithms)
def test_every_algorithm_has_a_reference(algorithm):
    references.reference(algorithm)


def test_algorithm_without_a_reference_fails_and_says_what_to_write():
    with pytest.raises(pytest.fail.Exception, match=r"'dance' is registered but has no reference: write .*dance\.py"):
        references.reference("dance")


def test_zoo_has_several_partitions_and_every_weight_type():
    kinds = {references.matrix(name).data.dtype.name for name in zoo.ZOO}
    assert kinds == {"bool", "int32", "int64", "float32", "float64"}
    assert max(references.matrix(name).shape[0] for name in zoo.ZOO) > _core.CPU_CAPACITY


# Rounding can keep float32 from ever reaching the tolerance.
@pytest.mark.filterwarnings("ignore::gaspipe.NotConvergedWarning")
@pytest.mark.parametrize("name", zoo.ZOO)
@pytest.mark.parametrize(("algorithm", "number"), NUMBERS)
def test_answer_agrees_with_the_reference_in_every_configuration(algorithm, number, name):
    matrix = references.matrix(name)
    module = references.reference(algorithm)
    call = getattr(gp, algorithm)
    graph = gp.Graph(matrix)
    if references.refuses(algorithm, matrix) or not holds_weights(instance(algorithm, number), matrix):
        with pytest.raises(gp.InputError, match=r"does not fit|need finite weights >= 0"):
            call(graph, **references.arguments(algorithm, matrix.shape[0]), **only_number(algorithm, number))
        return
    cuts = LARGE_CUTS if name in zoo.LARGE else SMALL_CUTS
    # Threads go round, from another start on every graph, so that every partitioning and method meets each number.
    turn = list(zoo.ZOO).index(name)
    for index, parameters in enumerate(module.parameters(matrix.shape[0])):
        wanted = references.expected(algorithm, name, index)
        tolerance = module.tolerance(number, matrix, **parameters)
        first = None
        configurations = list(itertools.product(cuts, METHODS))
        for i, (config, method) in enumerate(configurations if index == 0 else configurations[:: 3 + index]):
            threads = TURNS[(i + turn) % len(TURNS)]
            context = f"{algorithm}({index=}, {number=}, {method=}, {threads=}, {config=}) on {name}"
            result = call(
                graph, **parameters, **only_number(algorithm, number),
                method=method, num_threads=threads, partitioning=cut(graph, config),
            )  # fmt: skip
            assert (result.stats.device, result.stats.method, result.stats.number) == ("cpu", method, number), context
            references.assert_agrees(algorithm, result.values, wanted, tolerance, context)
            first = result.values if first is None else first
            if is_exact(algorithm, number):
                assert result.values.tobytes() == first.tobytes(), f"{context}: other bits than in the first run"


@pytest.mark.parametrize("name", sorted(set(zoo.ZOO) - zoo.LARGE))
@pytest.mark.parametrize("algorithm", gp.algorithms)
def test_number_chosen_for_the_weights_gives_the_reference_answer(algorithm, name):
    matrix = references.matrix(name)
    parameters = references.arguments(algorithm, matrix.shape[0])
    if references.refuses(algorithm, matrix):
        with pytest.raises(gp.InputError, match="need finite weights >= 0"):
            getattr(gp, algorithm)(matrix, **parameters)
        return
    result = getattr(gp, algorithm)(matrix, **parameters)
    wanted = references.expected(algorithm, name, 0)
    assert result.values.dtype.kind == wanted.dtype.kind
    tolerance = references.reference(algorithm).tolerance(result.stats.number, matrix, **parameters)
    references.assert_agrees(algorithm, result.values, wanted, tolerance, f"{algorithm} on {name}")


@pytest.mark.parametrize("algorithm", gp.algorithms)
def test_same_call_gives_the_same_bits_again(algorithm):
    graph = gp.Graph(references.matrix("two_cpu_partitions"))
    parameters = references.arguments(algorithm, graph.num_vertices)
    answers = {getattr(gp, algorithm)(graph, **parameters, num_threads=3).values.tobytes() for _ in range(3)}
    assert len(answers) == 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(deadline=None, max_examples=30, print_blob=True)
@given(data=st.data())
def test_answer_agrees_on_random_graphs(algorithm, data):
    data.draw(calls((algorithm,))).check()


@settings(deadline=None, max_examples=40, print_blob=True)
@given(matrix=random_matrices(POSITIVE))
def test_fixed_point_pagerank_stays_near_float64(matrix):
    for personalization in (None, np.arange(1, matrix.shape[0] + 1.0)):
        fixed = gp.pagerank(matrix, number="fixed", personalization=personalization)
        assert fixed.stats.number == "fixed"
        assert fixed.stats.scale_bits > 0
        wanted = references.reference("pagerank").answer(matrix, personalization=personalization)
        assert np.abs(fixed.rank - wanted).sum() <= 1e-4
