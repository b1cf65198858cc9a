# SPDX-License-Identifier: Apache-2.0
"""Centralities by iteration: against NetworkX and linear algebra, on their way to the limit, and what they refuse."""

import json

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp

NAMES = ["eigenvector", "hits", "katz"]
every_name = pytest.mark.parametrize("name", NAMES)


def weighted(graph, seed):
    rng = np.random.default_rng(seed)
    for _, _, data in graph.edges(data=True):
        data["weight"] = float(rng.uniform(0.1, 3))
    return graph


def graphs():
    yield nx.gnp_random_graph(60, 0.1, seed=3)
    yield nx.gnp_random_graph(60, 0.06, seed=4, directed=True)
    yield nx.barabasi_albert_graph(80, 4, seed=5)
    yield nx.relabel_nodes(nx.karate_club_graph(), {v: f"member {v}" for v in range(34)})  # with weights
    yield weighted(nx.gnp_random_graph(50, 0.1, seed=6, directed=True), 1)
    loops = nx.gnp_random_graph(30, 0.1, seed=7, directed=True)
    loops.add_edges_from((v, v) for v in range(0, 30, 4))
    yield loops


every_graph = pytest.mark.parametrize("graph", list(graphs()), ids=str)


def assert_same(found, wanted, relative=1e-12):
    assert set(found) == set(wanted)
    assert all(found[v] == pytest.approx(wanted[v], rel=relative, abs=relative) for v in wanted)


@every_graph
@pytest.mark.parametrize("weights", [False, True])
def test_katz_is_networkx_s(graph, weights):
    weight = "weight" if weights else None
    matrix = nx.to_numpy_array(graph, weight=weight)
    for alpha in (0.01, 0.9 / np.abs(np.linalg.eigvals(matrix)).max()):
        for given in ({}, {"beta": 0.3, "normalized": False}, {"tol": 1e-10}):
            wanted = nx.katz_centrality(graph, alpha, weight=weight, **given)
            assert_same(gp.katz(graph, alpha=alpha, weights=weights, **given).to_dict(), wanted)


@every_graph
@pytest.mark.parametrize("weights", [False, True])
def test_eigenvector_is_networkx_s(graph, weights):
    weight = "weight" if weights else None
    start = {v: 1 + i % 4 for i, v in enumerate(graph)}
    for given in ({}, {"tol": 1e-9}, {"nstart": start}):
        wanted = nx.eigenvector_centrality(graph, 1000, weight=weight, **given)
        assert_same(gp.eigenvector(graph, max_iter=1000, weights=weights, **given).to_dict(), wanted)


@every_graph
@pytest.mark.parametrize("weights", [False, True])
def test_hits_are_networkx_s(graph, weights):
    plain = type(graph)(graph.edges) if not weights else graph
    hub, authority = nx.hits(plain)
    result = gp.hits(graph, tol=1e-13, max_iter=10_000, **({} if weights else {"weights": False}))
    assert_same(result.to_dict(), {v: hub.get(v, 0) for v in graph}, 1e-9)
    assert result.authority == pytest.approx(np.array([authority.get(v, 0) for v in graph]), abs=1e-9)


def random_edges(seed, num_vertices=40, num_edges=300):
    """Edges with parallel ones and self-loops, and their weights; with the matrix in which parallel ones are summed."""
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, num_vertices, (2, num_edges))
    weights = rng.uniform(0, 2, num_edges)
    dense = np.zeros((num_vertices, num_vertices))
    np.add.at(dense, (sources, targets), weights)
    return gp.Graph((sources, targets, weights), num_vertices=num_vertices), dense


@pytest.mark.parametrize("seed", range(4))
def test_limits_are_those_of_linear_algebra(seed):
    graph, dense = random_edges(seed)
    n = len(dense)
    alpha = 0.5 / np.abs(np.linalg.eigvals(dense)).max()
    katz = gp.katz(graph, alpha=alpha, beta=2, tol=1e-15, weights=True, normalized=False)
    assert katz.values == pytest.approx(np.linalg.solve(np.eye(n) - alpha * dense.T, np.full(n, 2.0)), rel=1e-12)
    values, vectors = np.linalg.eig(dense.T)
    leading = np.abs(vectors[:, np.argmax(values.real)])
    found = gp.eigenvector(graph, tol=1e-15, max_iter=10_000, weights=True)
    assert found.values == pytest.approx(leading / np.linalg.norm(leading), abs=1e-11)
    left, _, right = np.linalg.svd(dense)
    hits = gp.hits(graph, tol=1e-14, max_iter=10_000)
    assert hits.hub == pytest.approx(np.abs(left[:, 0]) / np.abs(left[:, 0]).sum(), abs=1e-11)
    assert hits.authority == pytest.approx(np.abs(right[0]) / np.abs(right[0]).sum(), abs=1e-11)


@every_name
def test_edges_count_at_the_end_they_lead_to(name):
    # 0 -> 1 -> 2, 3 -> 1, and the way back
    back = {} if name == "hits" else {"max_iter": 1000, "tol": 1e-4}
    result = getattr(gp, name)(gp.Graph(([0, 3, 1, 2], [1, 1, 2, 0])), **back)
    values = result.authority if name == "hits" else result.values
    assert values[1] == max(values)
    assert values[3] == pytest.approx(min(values), abs=1e-6)


@every_name
def test_a_run_that_does_not_converge_says_so(name, tmp_path, capsys):
    graph, _ = random_edges(1)
    given = {"alpha": 0.01} if name == "katz" else {}
    run = getattr(gp, name)
    with pytest.warns(
        gp.NotConvergedWarning, match=f"{name} did not converge in 2 steps; raise max_iter or tol"
    ) as told:
        result = run(graph, max_iter=2, **given)
    assert told[0].filename == __file__
    assert not result.stats.converged
    assert result.num_steps == 2
    assert "not converged" in repr(result.stats)
    converged = run(graph, max_iter=1000, **given)
    assert converged.stats.converged
    assert 2 < converged.num_steps < 1000
    same = run(graph, max_iter=converged.num_steps, **given)
    assert same.stats.converged
    exact = run(graph, max_iter=converged.num_steps, tol=0, **given)
    assert exact.stats.converged
    assert exact.num_steps == converged.num_steps
    assert np.array_equal(exact.values, converged.values)
    assert run(graph, max_iter=2, tol=0, **given).num_steps == 2


@every_name
def test_a_command_that_does_not_converge_says_so(name, tmp_path, capsys):
    from gaspipe.cli import main

    file = tmp_path / "graph.txt"
    file.write_text("0 1\n1 2\n2 0\n0 2\n3 0\n")
    for format_options in ([], ["--json"]):
        with pytest.raises(SystemExit) as done:
            main([name, str(file), "--max-iter", "2", *format_options])
        assert not done.value.code
        told = capsys.readouterr()
        if format_options:
            assert json.loads(told.out)["stats"]["converged"] is False
        else:
            assert "not converged" in told.out
        assert f"{name} did not converge in 2 steps" in told.err


@every_name
def test_answers_are_the_same_bits_for_any_number_of_threads(name):
    for graph in (gp.generate.kronecker(12, seed=3, symmetric=False), random_edges(2, 5000, 60_000)[0]):
        given = {"max_iter": 20, "tol": 0, "weights": True} | ({"alpha": 1e-3} if name == "katz" else {})
        one, *others = (getattr(gp, name)(graph, num_threads=t, **given) for t in (1, 2, 3))
        for other in others:
            assert np.array_equal(one.values, other.values)
            if name == "hits":
                assert np.array_equal(one.authority, other.authority)


def test_graphs_without_edges():
    graph = gp.Graph(([], []), num_vertices=4)
    assert gp.katz(graph).values.tolist() == [0.5] * 4
    assert gp.katz(graph, normalized=False).values.tolist() == [1] * 4
    assert gp.katz(graph, beta=0).values.tolist() == [0] * 4
    assert gp.eigenvector(graph).values.tolist() == [0.5] * 4
    hits = gp.hits(graph)
    assert hits.hub.tolist() == hits.authority.tolist() == [0] * 4
    assert hits.stats.converged


def test_weights_of_a_graph_that_has_none_are_1():
    graph = gp.generate.kronecker(8, seed=3, symmetric=False)
    for name in NAMES:
        given = {"alpha": 1e-3} if name == "katz" else {}
        plain, same = (getattr(gp, name)(graph, weights=w, **given).values for w in (False, True))
        assert np.array_equal(plain, same)


def test_extreme_weights():
    sources, targets = [0, 1, 2, 0], [1, 2, 0, 2]
    plain = gp.hits(gp.Graph((sources, targets)))
    for scale in (1e-300, 1e290):
        scaled = gp.hits(gp.Graph((sources, targets, np.full(4, scale))))
        assert scaled.hub == pytest.approx(plain.hub)
        assert scaled.authority == pytest.approx(plain.authority)
    large = gp.katz(gp.Graph(([0], [1], [1e300])), weights=True)
    assert large.values == pytest.approx([1e-299, 1])
    negative = gp.katz(gp.Graph((sources, targets, [1.0, -1, 2, 1])), weights=True, normalized=False, tol=1e-15)
    assert negative.values[1] == pytest.approx(1 + 0.1 * negative.values[0])
    assert negative.values[2] == pytest.approx(1 - 0.1 * negative.values[1] + 0.1 * negative.values[0])


def test_a_start_vector_may_be_by_label_and_of_any_size():
    graph = nx.relabel_nodes(nx.path_graph(4), dict(enumerate("abcd")))
    by_label = gp.eigenvector(graph, nstart={"a": 3, "b": 1}, max_iter=3, tol=0)
    as_array = gp.eigenvector(graph, nstart=[3, 1, 0, 0], max_iter=3, tol=0)
    assert np.array_equal(by_label.values, as_array.values)
    huge = gp.eigenvector(graph, nstart=[1.5e308, 0.5e308, 0, 0], max_iter=3, tol=0)
    assert huge.values == pytest.approx(as_array.values)


def test_an_alpha_too_large_is_told_with_its_bound():
    remedy = "alpha must be below 1 / the largest eigenvalue of the adjacency matrix, here about"
    graph = nx.complete_graph(21)  # its largest eigenvalue is 20
    with pytest.warns(gp.NotConvergedWarning, match=rf"did not converge in 1000 steps; {remedy} 0\.0(5|49)$"):
        assert not gp.katz(graph).stats.converged
    assert gp.katz(graph, alpha=0.049).stats.converged
    message = rf"sums over walks exceed the largest double at alpha=0\.1; {remedy} 0\.03[23]$"
    with pytest.raises(gp.InputError, match=message):
        gp.katz(nx.complete_graph(31))


def test_a_real_number_may_be_a_whole_one_of_any_size():
    graph = nx.path_graph(3)
    assert np.array_equal(gp.katz(graph, beta=10**19).values, gp.katz(graph, beta=1e19).values)
    with pytest.raises(gp.InputError, match="out of range"):
        gp.katz(graph, beta=10**400)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: gp.katz(g, alpha=-1), "alpha is -1; katz needs 0 <= alpha"),
        (lambda g: gp.katz(g, alpha=np.nan), "alpha is nan; katz needs a finite number, 0 <= alpha"),
        (lambda g: gp.katz(g, beta=np.inf), "beta is inf; katz needs a finite number, of any size"),
        (lambda g: gp.katz(g, normalized=2), "normalized is 2; a bool is needed"),
        (lambda g: gp.eigenvector(g, nstart=[0, 0, 0]), "nstart is 0 at every vertex; give at least one"),
        (lambda g: gp.eigenvector(g, nstart=[1, 2]), "nstart has 2 entries; the graph's 3 vertices need 3"),
        (lambda g: gp.eigenvector(g, nstart=[1, -2, 3]), r"nstart\[1\] is -2; eigenvector needs finite numbers"),
        (lambda g: gp.eigenvector(g, nstart=[1, np.nan, 3]), r"nstart\[1\] is nan; eigenvector needs finite numbers"),
        (
            lambda g: gp.eigenvector(g, weights=True),
            r"edge 1 -> 2 has weight -2; eigenvector needs finite weights >= 0",
        ),
        (lambda g: gp.hits(g), r"edge 1 -> 2 has weight -2; hits needs finite weights >= 0, or weights=False"),
        (lambda g: gp.hits(gp.Graph(([0], [1], [np.inf]))), "edge 0 -> 1 has weight inf; hits needs finite"),
        (lambda g: gp.katz(gp.Graph(([1], [0], [np.nan])), weights=True), "edge 1 -> 0 has weight nan; katz"),
        (lambda g: gp.hits(gp.Graph(([0, 0], [1, 1], [1.7e308] * 2))), "too large: .* scale them down"),
        (
            lambda g: gp.eigenvector(gp.Graph(([0], [0], [1e200])), weights=True),
            "too large: .* scale them down",
        ),
        *[(lambda g, n=n: getattr(gp, n)(g, max_iter=0), f"max_iter is 0; {n} needs 1 <= max_iter") for n in NAMES],
        *[(lambda g, n=n: getattr(gp, n)(g, tol=-1e-9), f"tol is -1e-09; {n} needs 0 <= tol") for n in NAMES],
        *[(lambda g, n=n: getattr(gp, n)(g, weights="w"), "weights is 'w'; a bool is needed") for n in NAMES],
        *[(lambda g, n=n: getattr(gp, n)(sp.csr_array((2, 3))), "2 rows and 3 columns") for n in NAMES],
    ],
)
def test_bad_input_is_one_clear_error(call, message):
    with pytest.raises(gp.InputError, match=message):
        call(gp.Graph(([0, 1, 2], [1, 2, 0], [1.0, -2.0, 1.0])))
