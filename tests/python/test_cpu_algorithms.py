# SPDX-License-Identifier: Apache-2.0
"""Algorithms of the CPU: against tests/reference on all graphs of the zoo, against NetworkX, and what they refuse."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph

import gaspipe as gp
import references
import zoo
from gaspipe import _description

DESCRIPTIONS = _description.cpu_algorithms()
SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)


@pytest.mark.filterwarnings("ignore::gaspipe.NotConvergedWarning")
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("algorithm", gp.cpu_algorithms)
def test_answers_are_those_of_plain_python(algorithm, name):
    matrix, module = references.matrix(name), references.reference(algorithm)
    for index, parameters in enumerate(module.parameters(matrix.shape[0])):
        wanted = references.expected(algorithm, name, index)
        for num_threads in (1, 3):
            result = getattr(gp, algorithm)(matrix, num_threads=num_threads, **parameters)
            tolerance = module.tolerance("", matrix, **parameters)
            references.assert_agrees(algorithm, result.values, wanted, tolerance, f"{name}, {parameters}")


def graphs():
    rng = np.random.default_rng(5)
    yield nx.gnp_random_graph(60, 0.1, seed=3)
    yield nx.gnp_random_graph(60, 0.06, seed=4, directed=True)
    yield nx.barabasi_albert_graph(80, 4, seed=5)
    words = nx.relabel_nodes(nx.karate_club_graph(), {v: f"member {v}" for v in range(34)})
    yield words
    yield nx.DiGraph([(int(a), int(b)) for a, b in rng.integers(0, 40, (120, 2)) if a != b])


def same(result, wanted):
    found = result.to_dict()
    assert set(found) == set(wanted)
    assert all(found[v] == pytest.approx(wanted[v], rel=1e-12, abs=1e-15) for v in wanted)


@pytest.mark.parametrize("graph", list(graphs()), ids=lambda g: f"{type(g).__name__}{len(g)}")
def test_answers_are_those_of_networkx(graph):
    plain = nx.Graph(graph)
    same(gp.core_numbers(graph), nx.core_number(plain))
    same(gp.triangles(graph), nx.triangles(plain))
    same(gp.betweenness(graph), nx.betweenness_centrality(graph))
    factor = 1 if graph.is_directed() else 0.5
    unscaled = gp.betweenness(graph, normalized=False).to_dict()
    same_unscaled = nx.betweenness_centrality(graph, normalized=False)
    assert all(factor * unscaled[v] == pytest.approx(same_unscaled[v]) for v in unscaled)
    assert gp.core_numbers(graph).degeneracy == max(nx.core_number(plain).values())
    assert gp.triangles(graph).total == sum(nx.triangles(plain).values()) // 3
    if not graph.is_directed():
        same(gp.clustering(graph), nx.clustering(nx.Graph(graph.edges)))
        assert gp.clustering(graph).mean == pytest.approx(nx.average_clustering(nx.Graph(graph.edges)))
    else:
        parts = gp.scc(graph)
        found = {}
        for v, component in parts.to_dict().items():
            found.setdefault(component, set()).add(v)
        assert sorted(map(sorted, found.values())) == sorted(map(sorted, nx.strongly_connected_components(graph)))
        assert parts.num_components == len(found)


@pytest.mark.parametrize("offsets", [np.int32, np.int64])
@pytest.mark.parametrize("degree", [6, 9, 40])
def test_strong_components_of_larger_graphs_are_those_of_scipy(degree, offsets):
    # By all threads: vertices without edges in or out, a giant, and between them cycles that it does not have.
    rng = np.random.default_rng(degree)
    n = 300_000 // degree
    sources, targets = rng.integers(0, n, (2, n * degree))
    keep = (sources < targets) | (rng.random(len(sources)) < 1 / degree)
    cycles = np.arange(0, n // 10, 3)
    sources = np.concatenate([sources[keep & (sources > n // 10)], cycles, cycles + 1, cycles + 2])
    targets = np.concatenate([targets[keep][: len(sources) - 3 * len(cycles)], cycles + 1, cycles + 2, cycles])
    matrix = sp.csr_array(sp.coo_array((np.ones(len(sources)), (sources, targets)), shape=(n, n)))
    matrix.sum_duplicates()
    _, parts = scipy.sparse.csgraph.connected_components(matrix, connection="strong")
    matrix.indptr, matrix.indices = matrix.indptr.astype(offsets), matrix.indices.astype(np.int32)
    smallest = np.full(parts.max() + 1, n)
    np.minimum.at(smallest, parts, np.arange(n))
    for graph in (gp.Graph(matrix), gp.Graph(matrix, copy=False)):
        for threads in (2, 3, 1, 2):  # the reverse of the graph is made in the second call
            assert np.array_equal(gp.scc(graph, num_threads=threads).component, smallest[parts])


def test_numbers_of_components_and_labels():
    graph = gp.Graph(([0, 1, 2, 3, 5], [1, 2, 0, 4, 5]))
    assert gp.scc(graph).component.tolist() == [0, 0, 0, 3, 4, 5]
    assert gp.scc(graph).num_components == 4
    found = gp.label_propagation(graph)
    assert found.num_labels == len(set(found.label.tolist()))
    assert gp.label_propagation(graph, max_iter=0).num_steps == 0
    assert gp.label_propagation(graph, max_iter=0).label.tolist() == list(range(6))
    two = gp.Graph(([0, 1], [1, 0]))  # labels alternate for ever
    assert gp.label_propagation(two, max_iter=7).num_steps == 7


def test_results_say_what_ran():
    graph = gp.generate.kronecker(10, seed=2)
    result = gp.triangles(graph, num_threads=2)
    assert (result.algorithm, result.field) == ("triangles", "triangles")
    assert result.stats.device == "cpu"
    assert result.stats.num_threads == 2
    assert result.stats.num_edges == graph.num_edges
    assert result.stats.seconds > 0
    assert result.values is result.triangles
    assert isinstance(result, gp._algorithms.TrianglesResult)
    assert result.to_table().columns.tolist() == ["vertex", "triangles"]
    assert "triangles" in repr(result)
    assert "super-step" not in repr(result.stats)
    assert "triangles" in result._repr_html_()
    assert "super-step" not in result._repr_html_()
    with pytest.raises(gp.InputError, match="'supersteps' is for algorithms of hooks; triangles has no super-steps"):
        result.plot("supersteps")


def test_answers_do_not_depend_on_the_number_of_threads():
    graph = gp.generate.kronecker(11, seed=7)
    directed = gp.generate.kronecker(11, seed=7, symmetric=False)
    extra = {"betweenness": {"sources": list(range(0, 2048, 61))}, "katz": {"alpha": 1e-3}}
    for g in (graph, directed):
        for algorithm in gp.cpu_algorithms:
            one, three = (getattr(gp, algorithm)(g, num_threads=t, **extra.get(algorithm, {})) for t in (1, 3))
            assert np.array_equal(one.values, three.values), algorithm


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: gp.betweenness(g, sources=[0, 99]), r"sources\[1\] is 99; the graph's 4 vertices allow 0 to 3"),
        (lambda g: gp.betweenness(g, sources=[0.5]), "sources"),
        (lambda g: gp.label_propagation(g, max_iter=-1), "max_iter is -1; label_propagation needs 0 <= max_iter"),
        (lambda g: gp.triangles(g, num_threads=0), "num_threads is 0; allowed are 1 to"),
        (lambda g: gp.triangles(sp.csr_array((2, 3))), "2 rows and 3 columns"),
        (lambda g: gp.betweenness(g, normalized=1), "normalized is 1; a bool is needed"),
    ],
)
def test_bad_input_is_one_clear_error(call, message):
    with pytest.raises(gp.InputError, match=message):
        call(gp.Graph(([0, 1, 2], [1, 2, 3])))


def test_devices_are_for_hooks():
    with pytest.raises(TypeError, match="device"):
        gp.triangles(gp.Graph(([0], [1])), device="fpga")


def test_sources_may_be_labels():
    graph = nx.relabel_nodes(nx.path_graph(5), dict(enumerate("abcde")))
    assert gp.betweenness(graph, sources=["a"], normalized=False).to_dict() == dict(zip("abcde", [0, 3, 2, 1, 0]))


def test_no_sources_give_zeros():
    assert gp.betweenness(gp.Graph(([0, 1], [1, 2])), sources=[]).values.tolist() == [0, 0, 0]


def diamonds(count):
    """A chain: between its ends there are 2**count shortest paths."""
    first = 3 * np.arange(count)
    edges = np.concatenate(
        [np.stack([first, first + k]) for k in (1, 2)] + [np.stack([first + k, first + 3]) for k in (1, 2)], axis=1
    )
    return gp.Graph(tuple(np.concatenate([edges, edges[::-1]], axis=1)))


@pytest.mark.parametrize("count", [10, 1100])
def test_betweenness_counts_more_paths_than_doubles_hold(count):
    found = gp.betweenness(diamonds(count), sources=[0], normalized=False).values
    # Half of what comes after it passes through an inner vertex, and all of it through one that joins two diamonds.
    beyond = 3 * (count - np.arange(1, count + 1))
    np.testing.assert_allclose(found[3::3], beyond)
    np.testing.assert_allclose(found[1::3], (1 + beyond) / 2)
    np.testing.assert_allclose(found[2::3], (1 + beyond) / 2)


def test_betweenness_says_where_there_are_too_many_paths_to_count():
    with pytest.raises(gp.CapacityError, match="more shortest paths from vertex 0 than"):
        gp.betweenness(diamonds(17_000), sources=[0])


@pytest.mark.parametrize("algorithm", gp.cpu_algorithms)
def test_an_interrupt_ends_a_long_run(algorithm):
    some = "sources=range(256)" if algorithm == "multi_source" else ""  # from all, the answer would take 69 GB
    code = f"""
import os, signal, threading, gaspipe as gp
graph = gp.generate.kronecker(17, seed=3, symmetric={algorithm == "betweenness"})
gp.{algorithm}(gp.Graph(([0], [1])))
try:
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    while True:
        gp.{algorithm}(graph, {some})
except KeyboardInterrupt:
    pass
print("ended")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout == "ended\n", run.stderr


@pytest.mark.filterwarnings("ignore::gaspipe.NotConvergedWarning")
@pytest.mark.parametrize("algorithm", gp.cpu_algorithms)
def test_commands_tell_write_and_verify(algorithm, tmp_path, capsys):
    from gaspipe.cli import main

    file = tmp_path / "graph.txt"
    file.write_text("".join(f"{a} {b}\n" for a, b in nx.gnp_random_graph(30, 0.2, seed=1).edges))
    out = tmp_path / "answer.npy"
    with pytest.raises(SystemExit) as done:
        main([algorithm, str(file), "--verify", "--out", str(out)])
    told = capsys.readouterr().out
    assert not done.value.code, told
    assert "Verified" in told
    assert np.array_equal(np.load(out), getattr(gp, algorithm)(gp.Graph.from_file(file)).values)
    assert "--device" not in told
    with pytest.raises(SystemExit) as done:
        main([algorithm, str(file), "--device", "cpu"])
    # Of blocks, and of kernels, the emulator is another.
    assert done.value.code == (0 if DESCRIPTIONS[algorithm].has_blocks or DESCRIPTIONS[algorithm].kernels else 2)


def test_gp_lists_them():
    assert set(gp.cpu_algorithms) == set(DESCRIPTIONS)
    assert not set(gp.cpu_algorithms) & set(gp.algorithms)
    for name in gp.cpu_algorithms:
        assert getattr(gp, name).__doc__.startswith(DESCRIPTIONS[name].summary)


@pytest.mark.parametrize("graph", list(graphs()), ids=lambda g: f"{type(g).__name__}{len(g)}")
def test_values_by_pair_are_those_of_networkx(graph):
    plain = nx.Graph(graph)
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))
    names = list(graph)
    pairs = [(names[7 * i % len(names)], names[(3 * i * i + 1) % len(names)]) for i in range(100)]
    pairs = [(u, v) for u, v in pairs if u != v]
    wanted = [score for _, _, score in nx.jaccard_coefficient(plain, pairs)]
    result = gp.jaccard(graph, pairs)
    assert result.values == pytest.approx(wanted, abs=1e-15)
    table = result.to_table()
    assert list(zip(table["source"], table["target"])) == pairs
    counts = gp.common_neighbors(graph, pairs).values.tolist()
    assert counts == [len(list(nx.common_neighbors(plain, u, v))) for u, v in pairs]
    everywhere = gp.jaccard(graph).to_table()
    edges = [(u, v) for u, v in zip(everywhere["source"], everywhere["target"])]
    assert sorted(map(str, edges)) == sorted(map(str, nx.DiGraph(graph).edges))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 1), (1, 9)], r"pairs\[1, 1\] is 9; the graph's 3 vertices allow 0 to 2"),
        ([0, 1], "pairs has 0 where a pair of vertices is needed"),
        ([(0, 1, 2)], r"pairs has \(0, 1, 2\) where a pair"),
        (5, "pairs is 5; a list or an array of pairs of vertices is needed"),
        ("ab", "pairs is 'ab'; a list or an array of pairs"),
        ([(0, 0.5)], "pairs: there is no vertex 0.5"),
        (np.zeros((2, 3), int), r"pairs has the shape \(2, 3\); pairs need \(number of pairs, 2\)"),
        (np.zeros((2, 2)), "pairs has dtype float64; vertex ids are integers"),
        (np.zeros((2, 2, 2), int), "pairs has 3 dimensions; two are needed"),
    ],
)
def test_bad_pairs_are_one_clear_error(pairs, message):
    with pytest.raises(gp.InputError, match=message):
        gp.jaccard(gp.Graph(([0, 1, 2], [1, 2, 0])), pairs)


def test_pairs_may_be_labels_indices_or_both():
    graph = nx.relabel_nodes(nx.path_graph(4), dict(enumerate("abcd")))
    for pairs in ([("a", "c")], np.array([["a", "c"]]), [gp.index([0, 2])], [("a", gp.index(2))]):
        assert gp.jaccard(graph, pairs).pairs.tolist() == [[0, 2]]
    with pytest.raises(gp.InputError, match="pairs: there is no vertex 'z'"):
        gp.jaccard(graph, [("a", "z")])
    assert len(gp.jaccard(graph, [])) == 0


def test_a_result_by_pair_says_so():
    result = gp.jaccard(gp.Graph(([0, 1], [1, 2])), [(0, 2)])
    assert result.row == "pair"
    assert "<th>pair</th>" in result._repr_html_()
    assert result.to_dict() == {(0, 2): 1.0}  # both have the neighbor 1


def test_commands_take_pairs_and_write_them(tmp_path, capsys):
    from gaspipe.cli import main

    file = tmp_path / "graph.txt"
    file.write_text("0 1\n1 2\n2 3\n")
    (tmp_path / "pairs").write_text("0 2\n1, 3\n")
    for given in ("0,2 1,3", f"@{tmp_path / 'pairs'}"):
        with pytest.raises(SystemExit) as done:
            main(["common-neighbors", str(file), "--pairs", given, "--verify", "--out", str(tmp_path / "out.csv")])
        told = capsys.readouterr().out
        assert not done.value.code, told
        assert (tmp_path / "out.csv").read_text() == "source,target,count\n0,2,1\n1,3,1\n"
        assert "pairs=[(0, 2), (1, 3)]" in told
    with pytest.raises(SystemExit):
        main(["jaccard", str(file), "--pairs", "0,2 1"])
    assert "pairs has '1' where a pair of vertices is needed, as in '0,5 5,7'" in capsys.readouterr().err
