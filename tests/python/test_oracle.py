# SPDX-License-Identifier: Apache-2.0
"""`gp.Algorithm(oracle=...)`: answers are compared with the author's own, wherever answers are compared."""

import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph

import gaspipe as gp
from gaspipe.testing import assert_devices_agree


@pytest.fixture(autouse=True, scope="module")
def cache(compiled_snippets):
    """Snippets that the whole session shares."""


def widest_by_sorting(graph, root):
    """Vertices join the root's component as edges are added from the widest on (another way than the hooks')."""
    n = graph.num_vertices
    sources = np.repeat(np.arange(n), np.diff(graph.indptr.astype(np.int64)))
    width = np.zeros(n, np.int64)
    width[root] = 2**32 - 1
    for least in np.unique(graph.weights)[::-1]:
        thick = graph.weights >= least
        reach = np.zeros((n, n), bool)
        reach[sources[thick], graph.indices[thick]] = True
        found = csgraph.breadth_first_order(reach, root, return_predecessors=False)
        width[found] = np.maximum(width[found], least)
    return width


def widest(oracle):
    """As snippets.one_line(), which is compiled once."""
    return gp.Algorithm(
        "one_line_widest",
        scatter="min(src, edge)",
        gather="max(a, b)",
        initial="v == root ? 0xffffffff : 0",
        parameters={"root": 0},
        oracle=oracle,
    )


@pytest.fixture(scope="module")
def graph():
    return gp.generate.uniform(40, 160, seed=3, weights=(1, 9))


def one_off(graph, root):
    expected = widest_by_sorting(graph, root)
    expected[17] += 1
    return expected


def test_devices_are_compared_with_the_oracle(graph):
    answers = assert_devices_agree(widest(widest_by_sorting), graph, root=5)
    assert set(answers) == {"cpu", "emulator"}
    with pytest.raises(
        AssertionError, match=r"on cpu differs from the oracle one_off\(\): vertex 17 is \d+, not \d+; 1 "
    ):
        assert_devices_agree(widest(one_off), graph, root=5)


def test_registered_functions_have_their_oracle_too(graph):
    try:
        function = gp.register(widest(one_off))
        for called in (function, gp.one_line_widest):
            with pytest.raises(AssertionError, match="differs from the oracle"):
                assert_devices_agree(called, graph, root=5)
    finally:
        gp.unregister("one_line_widest")


def test_check_uses_it():
    assert widest(widest_by_sorting).check(devices=("cpu",)).num_graphs == 4
    wrong = widest(lambda graph, root: widest_by_sorting(graph, root) + (np.arange(graph.num_vertices) == 2))
    with pytest.raises(gp.CheckError, match=r"device='cpu' differs from its oracle: vertex 2 is .*, on 3 vertices and"):
        wrong.check(devices=("cpu",))


def test_an_oracle_gets_what_the_run_had(graph):
    seen = []

    def oracle(graph, **given):
        seen.append(given)
        return np.full(graph.num_vertices, 2 * given["much"])

    def initial(graph, much=1, how="any"):
        return np.full(graph.num_vertices, much)

    algorithm = gp.Algorithm("twice", gather="a", apply="2 * old", initial=initial, until=("steps", 1), oracle=oracle)
    assert algorithm.verify(algorithm(graph, much=3), graph, dict(much=3, how="odd", max_iter=1)).agrees
    assert seen == [dict(much=3, how="odd", max_iter=1)]
    # One that names parameters gets those; arrays as the run had them, the limit as a number.
    algorithm = widest(lambda graph, max_iter: np.full(graph.num_vertices, max_iter))
    found = algorithm.verify(algorithm(graph), graph, dict(root=0, max_iter="auto"))
    assert found.expected == 4 * 40 + 10_000


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (lambda g: np.zeros(39), r"the oracle of one_line_widest returned an array of shape \(39,\); .*\(40,\)"),
        (lambda g: 0, r"shape \(\)"),
        (lambda g: None, "dtype object"),
        (lambda g: ["a"] * 40, "numbers are needed"),
        (lambda g: np.full(40, 1j), "numbers are needed"),
        (lambda g: [[1], [2, 3]], "the oracle of one_line_widest failed: ValueError"),
        (lambda g: 1 // 0, r"the oracle of one_line_widest failed: ZeroDivisionError: .*test_oracle\.py:\d+\)"),
    ],
)
def test_an_oracle_that_fails_is_told_as_the_author_s(graph, oracle, message):
    algorithm = widest(oracle)
    result = algorithm(graph)
    with pytest.raises(gp.InputError, match=message) as caught:
        algorithm.verify(result, graph, dict(root=0, max_iter="auto"))
    if "Zero" in message:
        assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (3, "oracle is 3; a callable"),
        (lambda: 0, "does not take a graph"),
        (lambda *, graph: 0, "does not take a graph"),
        (lambda graph, start: 0, "takes 'start', which is no parameter of it; it has root, max_iter"),
        (np.add, "no signature|by position"),
    ],
)
def test_what_is_no_oracle_is_refused(oracle, message):
    with pytest.raises(gp.InputError, match=message):
        widest(oracle)
    widest(lambda graph, root, more=1: 0)


@pytest.mark.parametrize(("moved", "agrees"), [(1e-10, True), (1e-6, False)])
def test_floats_may_round(graph, moved, agrees):
    in_degree = np.bincount(graph.indices, minlength=40)
    algorithm = gp.Algorithm(
        "thirds",
        gather="a + b",
        apply="acc / 3",
        prop="float64",
        initial=1,
        until=("steps", 1),
        oracle=lambda graph: in_degree / 3 * (1 + moved),
    )
    assert algorithm.verify(algorithm(graph), graph, dict(initial=None, max_iter=1)).agrees is agrees


@pytest.mark.parametrize("expected", [np.int64(-1), np.uint64(2**63), np.float64(0.5), True])
def test_expected_values_of_another_type_are_compared_by_value(graph, expected):
    algorithm = gp.Algorithm(
        "zeros", gather="a + b", until=("steps", 1), oracle=lambda graph: np.full(graph.num_vertices, expected)
    )
    found = algorithm.verify(algorithm(graph), graph, dict(initial=None, max_iter=1))
    assert found.num_different == 40
    assert found.distance == pytest.approx(40 * abs(float(expected)))


def test_who_has_no_oracle_says_so(graph):
    with pytest.raises(gp.InputError, match=r"one_line_widest has nothing to be compared with; give .*oracle=f"):
        widest(None).verify(None, graph, dict(root=0, max_iter="auto"))
