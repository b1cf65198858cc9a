# SPDX-License-Identifier: Apache-2.0
"""Searches and walks: multi_source, diameter, random_walks, ego and khop against NetworkX, SciPy and counting."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path
from scipy.stats import chisquare

import gaspipe as gp


def matrices():
    """Directed and not, with parts that are not connected, self-loops and parallel edges."""
    yield "one", sp.csr_array((1, 1))
    yield "no_edges", sp.csr_array((5, 5))
    yield "loops", sp.csr_array(np.eye(3))
    yield "path", sp.csr_array(np.eye(200, k=1))
    yield "cycle", sp.csr_array(np.roll(np.eye(150), 1, axis=1))
    rng = np.random.default_rng(3)
    for n, m in [(30, 40), (300, 500), (400, 3000), (2000, 9000)]:
        edges = sp.coo_array((np.ones(m), rng.integers(0, n, (2, m))), shape=(n, n))
        yield f"random{n}", sp.csr_array(edges)
        yield f"symmetric{n}", sp.csr_array(edges + edges.T)
    grid = gp.generate.grid(40, 50)
    yield "grid", sp.csr_array((np.ones(grid.num_edges), grid.indices, grid.indptr), shape=grid.shape)


MATRICES = dict(matrices())


@pytest.mark.parametrize("name", MATRICES)
def test_depths_are_those_of_scipy(name):
    matrix = MATRICES[name]
    n = matrix.shape[0]
    wanted = shortest_path(matrix, unweighted=True)
    wanted = np.where(np.isinf(wanted), -1, wanted).astype(np.int32)
    sources = np.random.default_rng(7).integers(0, n, 200)
    for given in (None, sources, sources[:64], sources[:65], [n - 1], [0, 0], []):
        for num_threads in (1, 2, 3):
            result = gp.multi_source(matrix, given, num_threads=num_threads)
            rows = np.arange(n) if given is None else np.asarray(given, int)
            assert np.array_equal(result.depth, wanted[rows])
            assert result.depth.dtype == np.int32
            assert np.array_equal(result.sources, rows)


def test_deep_and_flat_graphs_use_all_ways_to_search():
    # A path on a random graph: bundles are worth it, the path comes after. Then the same the other way round.
    n = 3000
    flat = gp.generate.uniform(n, 8 * n, seed=1)
    ends = np.repeat(np.arange(n), np.diff(flat.indptr)), flat.indices.astype(int)
    tail = np.arange(n - 1, n + 400)
    graph = gp.Graph((np.r_[ends[0], tail], np.r_[ends[1], tail + 1]))
    sources = np.r_[np.arange(300), n + 100, n + 400]
    depth = gp.multi_source(graph, sources, num_threads=2).depth
    for row, source in zip(depth, sources):
        assert np.array_equal(row, gp.bfs(graph, root=source).depth)
    back = graph.transpose()
    sources = sources[::-1]
    assert np.array_equal(gp.multi_source(back, sources).depth[:, sources], depth[:, sources][::-1].T)


def test_depths_that_do_not_fit_in_memory_are_one_clear_error():
    graph = gp.Graph((np.array([0]), np.array([999_999])))
    message = (
        r"depths from 1000000 sources to 1000000 vertices take 4000 GB; this machine has .* GB; give fewer sources="
    )
    with pytest.raises(gp.InputError, match=message):
        gp.multi_source(graph)


@pytest.mark.parametrize("name", MATRICES)
def test_eccentricities_lie_between_their_bounds(name):
    matrix = MATRICES[name]
    hops = shortest_path(matrix, directed=False, unweighted=True)
    wanted = np.where(np.isinf(hops), 0, hops).max(axis=1)
    for num_threads in (1, 3):
        result = gp.diameter(matrix, num_threads=num_threads)
        assert result.lower == result.upper == wanted.max()
        assert result.num_searches <= matrix.shape[0]
        assert (result.eccentricity_lower <= wanted).all()
        assert (result.eccentricity_upper >= wanted).all()
        assert result.eccentricity_lower.max() == result.lower
        for limit in (1, 2, 9, 30):
            result = gp.diameter(matrix, max_searches=limit, num_threads=num_threads)
            assert result.num_searches <= limit
            assert result.lower <= wanted.max() <= result.upper
            assert (result.eccentricity_lower <= wanted).all()
            assert (result.eccentricity_upper >= wanted).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_diameter_is_that_of_networkx(seed):
    graph = nx.connected_watts_strogatz_graph(150, 4, 0.1, seed=seed)
    assert gp.diameter(graph).lower == nx.diameter(graph)
    tree = nx.from_prufer_sequence(list(np.random.default_rng(seed).integers(0, 120, 118)))
    assert gp.diameter(tree).upper == nx.diameter(tree)


def test_few_searches_find_the_diameter_of_many_graphs():
    assert gp.diameter(gp.generate.grid(100, 100)).num_searches < 20
    assert gp.diameter(gp.generate.kronecker(12, seed=1)).num_searches < 100
    assert gp.diameter(gp.generate.chain(1000)).num_searches < 10


@pytest.mark.parametrize(
    "parameters", [{}, {"p": 0.5, "q": 3}, {"weights": True}, {"weights": True, "p": 4, "q": 0.25}]
)
def test_walks_follow_edges_to_their_end(parameters):
    rng = np.random.default_rng(1)
    graph = gp.Graph((*rng.integers(0, 300, (2, 500)), rng.integers(0, 3, 500)))
    walks = gp.random_walks(graph, length=30, num_walks=3, seed=4, **parameters).walks
    assert walks.shape == (900, 31)
    assert walks.dtype == np.int64
    assert walks[:, 0].tolist() == np.repeat(np.arange(300), 3).tolist()
    usable = graph.weights > 0 if "weights" in parameters else np.ones(500, bool)
    sources = np.repeat(np.arange(300), np.diff(graph.indptr))
    edges = {(int(u), int(v)) for u, v, use in zip(sources, graph.indices, usable) if use}
    dead = set(range(300)) - {u for u, _ in edges}
    for walk in walks.tolist():
        for u, v in zip(walk, walk[1:]):
            assert (u, v) in edges or (v == -1 and (u == -1 or u in dead))


def test_a_walk_depends_on_its_seed_source_and_number_alone():
    graph = gp.generate.kronecker(9, seed=2)
    for how in ({}, {"p": 0.25, "q": 4.0}):
        wanted = gp.random_walks(graph, length=20, num_walks=4, num_threads=1, **how).walks.reshape(512, 4, 21)
        others = gp.random_walks(graph, [77, 3, 77], length=20, num_walks=4, num_threads=3, **how).walks
        assert np.array_equal(others.reshape(3, 4, 21), wanted[[77, 3, 77]])
        few = gp.random_walks(graph, length=11, num_walks=2, **how).walks
        assert np.array_equal(few.reshape(512, 2, 12), wanted[:, :2, :12])
        assert not np.array_equal(gp.random_walks(graph, length=20, num_walks=4, seed=1, **how).walks, wanted)
    assert len({tuple(walk) for walk in wanted[np.diff(graph.indptr).argmax()]}) == 4


def fits(found, probabilities):
    """Whether steps that were seen may come from these probabilities; by chance they do not, once in 10^6 times."""
    assert set(found) <= {v for v, p in probabilities.items() if p > 0}
    keys = [v for v, p in probabilities.items() if p > 0]
    expected = np.array([probabilities[v] for v in keys]) / sum(probabilities[v] for v in keys)
    seen = np.array([np.count_nonzero(np.asarray(found) == v) for v in keys])
    return len(keys) == 1 or chisquare(seen, expected * len(found)).pvalue > 1e-6


def test_steps_come_with_the_probabilities_of_their_edges():
    sources, targets = [0] * 6, [1, 2, 3, 3, 4, 0]
    weights = [1, 2, 3, 4, 0, 0.5]
    graph = gp.Graph((sources, targets, np.array(weights)))
    steps = gp.random_walks(graph, [0], length=1, num_walks=20_000).walks[:, 1]
    assert fits(steps, {1: 1, 2: 1, 3: 2, 4: 1, 0: 1})
    steps = gp.random_walks(graph, [0], length=1, num_walks=20_000, weights=True).walks[:, 1]
    assert fits(steps, {1: 1, 2: 2, 3: 7, 0: 0.5})


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize(
    ("p", "q"), [(1, 1), (0.25, 4), (4, 0.25), (1e6, 1), (1, 1e6), (1e6, 1e6), (1e-6, 1), (1, 1e-6)]
)
def test_steps_come_with_the_probabilities_of_node2vec(p, q, weights):
    graph = nx.Graph([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4), (4, 0), (1, 5), (1, 1)])
    directed = nx.DiGraph(graph)
    directed.add_edges_from([(5, 3), (6, 5), (2, 6)])
    for g in (graph, directed):
        for i, (_, _, data) in enumerate(g.edges(data=True)):
            data["weight"] = 1 + i % 4
        walks = gp.random_walks(g, length=40, num_walks=700, p=p, q=q, weights=weights, seed=5).walks
        after = {}
        for walk in walks.tolist():
            for t, v, x in zip(walk, walk[1:], walk[2:]):
                if x >= 0:
                    after.setdefault((t, v), []).append(x)
        names = list(g)
        for (t, v), found in after.items():
            wanted = {}
            for x in g[names[v]]:
                bias = 1 / p if x == names[t] else 1 if g.has_edge(names[t], x) else 1 / q
                wanted[names.index(x)] = bias * (g[names[v]][x]["weight"] if weights else 1)
            if len(found) > 200:
                likely = {x: share for x, share in wanted.items() if share > 1e-4 * sum(wanted.values())}
                assert fits([x for x in found if x in likely], likely)
                assert sum(x not in likely for x in found) < 0.01 * len(found) + 5


def test_weighted_walks_are_those_of_plain_python():
    import references

    rng = np.random.default_rng(6)
    module = references.reference("random_walks")
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        drawn = sp.random_array((60, 60), density=0.1, rng=rng, data_sampler=lambda size: rng.integers(0, 9, size))
        matrix = sp.csr_array(drawn).astype(dtype)
        if np.dtype(dtype).kind == "f":
            matrix.data /= 3
        for how in ({}, {"p": 1e-6}, {"q": 1e6, "p": 0.3}, {"p": 1e9, "q": 1e9}):
            parameters = {"weights": True, "length": 25, "num_walks": 3, "seed": 9, **how}
            wanted = module.answer(matrix, **parameters)
            assert np.array_equal(gp.random_walks(matrix, num_threads=2, **parameters).walks, wanted)


def test_bad_weights_of_walks_are_one_clear_error():
    for weight in (-1.0, np.nan, np.inf):
        graph = gp.Graph(([0, 1, 2], [1, 2, 0], np.array([1, 2, weight])))
        with pytest.raises(
            gp.InputError, match=f"edge 2 -> 0 has weight .*{weight:.0f}.*; random_walks needs finite weights >= 0"
        ):
            gp.random_walks(graph, weights=True)
        assert gp.random_walks(graph, length=2).walks[0].tolist() == [0, 1, 2]
    graph = gp.Graph(([0, 0], [1, 1], np.array([1.7e308, 1.7e308])))
    with pytest.raises(gp.InputError, match="have a sum above the largest double; scale them down"):
        gp.random_walks(graph, weights=True)
    unweighted = gp.generate.grid(5, 5)
    found, wanted = (gp.random_walks(unweighted, weights=w).walks for w in (True, False))
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiDiGraph])
def test_ego_graphs_are_those_of_networkx(seed, kind):
    rng = np.random.default_rng(seed)
    graph = kind()
    graph.add_nodes_from(f"v{i}" for i in range(60))
    graph.add_edges_from((f"v{a}", f"v{b}") for a, b in rng.integers(0, 60, (100, 2)))
    names = np.array(graph)
    for root in ("v0", "v7", "v31"):
        for radius in (0, 1, 2, 4, 100):
            for center in (True, False):
                for both in (True, False):
                    wanted = nx.ego_graph(graph, root, radius, center, undirected=both)
                    how = {"radius": radius, "center": center, "any_direction": both}
                    found = gp.ego(graph, root, num_threads=1 + seed % 2, **how)
                    assert set(names[found.vertex]) == set(wanted)
                    edges = [tuple(edge) for edge in names[found.edges].tolist()]
                    all_edges = [(u, v) for u, v, *_ in nx.MultiDiGraph(wanted).edges]
                    assert sorted(edges) == sorted(all_edges)
                    hops = nx.single_source_shortest_path_length(graph.to_undirected() if both else graph, root)
                    assert found.distance.tolist() == [hops[v] for v in names[found.vertex]]


def test_edges_of_an_ego_graph_have_indices():
    graph = gp.Graph(([0, 0, 1, 2, 2, 3, 0], [2, 1, 2, 0, 2, 0, 1], np.arange(7.0)))
    found = gp.ego(graph, root=0)
    assert found.vertex.tolist() == [0, 1, 2]
    assert found.edges.tolist() == [[0, 2], [0, 1], [0, 1], [1, 2], [2, 0], [2, 2]]
    assert graph.weights[found.edge_indices].tolist() == [0, 1, 6, 2, 3, 4]
    assert gp.ego(graph, root=0, center=False).edges.tolist() == [[1, 2], [2, 2]]


@pytest.mark.parametrize("name", MATRICES)
def test_members_are_within_k_hops(name):
    matrix = MATRICES[name]
    n = matrix.shape[0]
    sources = np.unique(np.random.default_rng(2).integers(0, n, 5))
    for both in (True, False):
        hops = shortest_path(matrix, unweighted=True, directed=not both, indices=sources).min(axis=0)
        for k in (0, 1, 2, 7, 2**31 - 1):
            for num_threads in (1, 3):
                found = gp.khop(matrix, sources, k=k, any_direction=both, num_threads=num_threads)
                assert found.vertex.tolist() == np.flatnonzero(hops <= min(k, n)).tolist()
                assert found.distance.tolist() == hops[found.vertex].tolist()
    assert gp.khop(matrix).vertex.tolist() == list(range(n))
    assert len(gp.khop(matrix, [])) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: gp.multi_source(g, [0, 4]), r"sources\[1\] is 4; the graph's 4 vertices allow 0 to 3"),
        (lambda g: gp.diameter(g, max_searches=-1), "max_searches is -1; diameter needs 0 <= max_searches"),
        (lambda g: gp.random_walks(g, length=-1), "length is -1; random_walks needs 0 <= length"),
        (lambda g: gp.random_walks(g, num_walks=0), "num_walks is 0; random_walks needs 1 <= num_walks"),
        (lambda g: gp.random_walks(g, p=0), "p is 0; random_walks needs 1e-09 <= p"),
        (lambda g: gp.random_walks(g, q=float("inf")), "q is inf; random_walks needs a finite number, 1e-09 <= q"),
        (lambda g: gp.random_walks(g, seed=2**40), "seed is 1099511627776; random_walks needs 0 <= seed"),
        (
            lambda g: gp.random_walks(g, length=2**31 - 2, num_walks=99),
            r"396 walks of \d+ steps take .* GB; this machine",
        ),
        (lambda g: gp.ego(g, root=4), "root is 4; the graph's 4 vertices allow 0 to 3"),
        (lambda g: gp.ego(g, radius=-1), "radius is -1; ego needs 0 <= radius"),
        (lambda g: gp.ego(g, radius=0.5), "radius must be an integer"),
        (lambda g: gp.khop(g, k=-1), "k is -1; khop needs 0 <= k"),
        (lambda g: gp.khop(g, [0.5]), "sources"),
    ],
)
def test_bad_input_is_one_clear_error(call, message):
    with pytest.raises(gp.InputError, match=message):
        call(gp.Graph(([0, 1, 2], [1, 2, 3])))


def test_tables_have_a_row_per_member_with_its_label():
    graph = nx.relabel_nodes(nx.path_graph(5), dict(enumerate("abcde")))
    for result in (gp.ego(graph, "b"), gp.khop(graph, ["b"], k=1)):
        table = result.to_table()
        assert table["vertex"].tolist() == ["a", "b", "c"]
        assert table["distance"].tolist() == [1, 0, 1]
        assert result.row == "member"
    table = gp.diameter(graph).to_table()
    assert table.columns.tolist() == ["vertex", "eccentricity_lower", "eccentricity_upper"]
    assert gp.random_walks(graph).row == "walk"


@pytest.fixture
def command(tmp_path, capsys):
    from gaspipe.cli import main

    (tmp_path / "graph.txt").write_text("10 20\n20 30\n30 40\n40 10\n40 50\n60 70\n")

    def run(*arguments, out):
        name, *options = arguments
        with pytest.raises(SystemExit) as done:
            main([name, str(tmp_path / "graph.txt"), "--relabel", *options, "--verify", "--out", str(tmp_path / out)])
        told = capsys.readouterr()
        return done.value.code, told.out + told.err, tmp_path / out

    return run


def test_commands_write_members_by_label(command):
    code, told, out = command("khop", "--sources", "30", "--k", "1", out="x.csv")
    assert not code, told
    assert out.read_text() == "vertex,distance\n30,0\n40,1\n"
    assert "khop: 2 members" in told
    assert "first:\n    vertex 30\n    vertex 40\n" in told
    code, told, out = command("ego", "--root", "40", "--no-center", "--any-direction", out="x.txt")
    assert out.read_text() == "10\n30\n50\n"
    assert "ego from root 40: 3 members" in told


def test_commands_write_walks_as_lines_of_labels(command):
    code, told, out = command("random-walks", "--sources", "20,40,60", "--length", "3", "--seed", "2", out="x.txt")
    assert not code, told
    lines = out.read_text().splitlines()
    assert lines[0].startswith("20 30 40 ")
    assert lines[1] in ("40 50", "40 10 20 30")
    assert lines[2] == "60 70"
    code, told, out = command("random-walks", "--length", "3", out="x.npy")
    assert np.load(out).shape == (7, 4)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
@pytest.mark.parametrize(
    ("name", "row", "field"), [("random-walks", "walk", "walks"), ("multi-source", "source", "depth")]
)
def test_commands_refuse_tables_of_rows_before_the_work(command, name, row, field, ending):
    code, told, out = command(name, out=f"x{ending}")
    assert code == 3
    assert f"a {row} of the answer has several values" in told
    assert f"use --out {field}.npy or {field}.txt" in told
    assert "Verified" not in told
    assert not out.exists()


def test_the_command_tells_the_diameter(command):
    code, told, out = command("diameter", out="x.csv")
    assert not code, told
    assert "sum 14, lower 3, upper 3, num_searches 2" in told
    assert out.read_text().startswith("vertex,eccentricity_lower,eccentricity_upper\n10,2,3\n")
