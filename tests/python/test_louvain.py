# SPDX-License-Identifier: Apache-2.0
"""Communities by modularity: what they are, by NetworkX's measure; how good they are; and what louvain refuses."""

import networkx as nx
import numpy as np
import pytest

import gaspipe as gp
import references
import zoo

SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)


def communities_of(result):
    """Sets of labels."""
    sets = {}
    for v, community in result.to_dict().items():
        sets.setdefault(community, set()).add(v)
    return list(sets.values())


def undirected(matrix, weights=True):
    """What louvain says the graph is: NetworkX's Graph or MultiGraph."""
    n = matrix.shape[0]
    sources, targets = np.repeat(np.arange(n), np.diff(matrix.indptr)).tolist(), matrix.indices.tolist()
    weight = matrix.data.astype(float).tolist() if weights else [1.0] * len(targets)
    is_symmetric = sorted(zip(sources, targets)) == sorted(zip(targets, sources))
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(n))
    for source, target, w in zip(sources, targets, weight):
        half = is_symmetric and source != target
        graph.add_edge(source, target, weight=w / 2 if half else w)
    return graph


@pytest.mark.parametrize("name", ["kronecker", "grid"])
def test_a_second_time_never_loses_modularity(name):
    graph = gp.generate.kronecker(12, 8, seed=5) if name == "kronecker" else gp.generate.grid(60, 60)
    once, twice = gp.louvain(graph, refine=False), gp.louvain(graph)
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
    edges = nx.Graph(zip(sources.tolist(), graph.indices.tolist()))
    edges.add_nodes_from(range(graph.num_vertices))
    for result in (once, twice):
        assert nx.community.modularity(edges, communities_of(result)) == pytest.approx(result.modularity)
    assert 0 < once.modularity <= twice.modularity


@pytest.mark.parametrize("resolution", [1, 0.4, 3])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("name", sorted(set(SMALL) - {"infinite_weights"}))
def test_the_modularity_is_that_of_networkx(name, weights, resolution):
    matrix = references.matrix(name)
    result = gp.louvain(matrix, weights=weights, resolution=resolution)
    graph, communities = undirected(matrix, weights), communities_of(result)
    assert result.num_communities == len(communities)
    assert all(result.community[v] == min(c) for c in communities for v in c)
    assert result.community.dtype == np.int64
    heavy = nx.Graph((u, v) for u, v, w in graph.edges(data="weight") if w > 0)
    heavy.add_nodes_from(graph)
    assert all(nx.is_connected(heavy.subgraph(c)) for c in communities)
    if heavy.size() == 0:
        assert result.modularity == result.num_levels == 0
        assert result.num_communities == len(graph)
        return
    assert result.modularity == pytest.approx(nx.community.modularity(graph, communities, "weight", resolution))
    alone = nx.community.modularity(graph, [{v} for v in graph], "weight", resolution)
    assert result.modularity >= alone - 1e-12


def weighted(graph, seed):
    rng = np.random.default_rng(seed)
    for _, _, data in graph.edges(data=True):
        data["weight"] = float(rng.uniform(0.1, 3))
    return graph


def graphs():
    yield nx.karate_club_graph()
    yield nx.les_miserables_graph()
    yield nx.florentine_families_graph()
    yield nx.davis_southern_women_graph()
    yield nx.gnp_random_graph(300, 0.03, seed=3)
    yield nx.barabasi_albert_graph(400, 4, seed=5)
    yield nx.connected_watts_strogatz_graph(500, 6, 0.1, seed=6)
    yield nx.grid_2d_graph(20, 30)
    yield nx.random_labeled_tree(300, seed=2)
    yield weighted(nx.gnp_random_graph(200, 0.05, seed=7), 1)
    yield nx.MultiGraph(nx.gnm_random_graph(100, 300, seed=9).edges)


@pytest.mark.parametrize("graph", list(graphs()), ids=str)
def test_communities_are_as_good_as_networkx_s(graph):
    result = gp.louvain(graph)
    assert result.modularity == pytest.approx(nx.community.modularity(graph, communities_of(result)))
    tries = [nx.community.louvain_communities(graph, seed=seed) for seed in range(10)]
    peers = [nx.community.modularity(graph, communities) for communities in tries]
    assert result.modularity >= np.mean(peers) - 0.005, peers
    assert result.stats.converged


def test_communities_of_known_graphs():
    assert gp.louvain(nx.karate_club_graph(), weights=False).modularity == pytest.approx(0.4197896, abs=2e-3)
    ring = nx.ring_of_cliques(10, 6)
    assert sorted(map(sorted, communities_of(gp.louvain(ring)))) == [list(range(i, i + 6)) for i in range(0, 60, 6)]
    planted = nx.planted_partition_graph(8, 40, 0.5, 0.01, seed=4)
    found = communities_of(gp.louvain(planted))
    assert sorted(map(sorted, found)) == [list(range(i, i + 40)) for i in range(0, 320, 40)]
    parts = nx.disjoint_union_all([nx.complete_graph(5), nx.complete_graph(4), nx.empty_graph(2)])
    result = gp.louvain(parts)
    assert result.community.tolist() == [0] * 5 + [5] * 4 + [9, 10]
    assert result.num_communities == 4


def test_directions_are_ignored():
    graph = nx.gnp_random_graph(120, 0.05, seed=4, directed=True)
    one_way = gp.louvain(graph)
    assert np.array_equal(one_way.community, gp.louvain(graph.reverse()).community)
    assert one_way.modularity == pytest.approx(
        nx.community.modularity(nx.MultiGraph(graph.edges), communities_of(one_way))
    )
    karate = nx.karate_club_graph()
    both = gp.louvain(karate, weights=False)
    single = gp.louvain(gp.Graph(tuple(zip(*karate.edges))))  # every edge in one direction
    assert np.array_equal(both.community, single.community)
    assert both.modularity == pytest.approx(single.modularity)


def test_self_loops_and_parallel_edges_count_as_in_networkx():
    graph = nx.Graph(nx.karate_club_graph().edges)
    graph.add_edges_from((v, v) for v in range(0, 34, 3))
    result = gp.louvain(graph)
    assert result.modularity == pytest.approx(nx.community.modularity(graph, communities_of(result)))
    # a path of four: its middle edge three times holds together what one edge does not
    path = [(0, 1), (1, 2), (2, 3)]
    assert gp.louvain(gp.Graph(tuple(zip(*path)))).community.tolist() == [0, 0, 2, 2]
    assert gp.louvain(gp.Graph(tuple(zip(*path, *[(1, 2)] * 4)))).community.tolist() != [0, 0, 2, 2]
    loops = gp.louvain(gp.Graph(([0, 0, 1], [0, 0, 1])))
    assert loops.community.tolist() == [0, 1]
    assert loops.modularity == pytest.approx(1 - 5 / 9)


def test_weights_count_if_there_are_any():
    edges, weights = ([0, 1, 2, 3], [1, 2, 3, 0]), [9.0, 1.0, 9.0, 1.0]  # a cycle
    assert gp.louvain(gp.Graph((*edges, weights))).community.tolist() == [0, 0, 2, 2]
    assert gp.louvain(gp.Graph((*edges, weights[::-1]))).community.tolist() == [0, 1, 1, 0]
    graph = gp.Graph((*edges, weights[::-1]))
    without = gp.louvain(graph, weights=False)
    assert np.array_equal(without.community, gp.louvain(gp.Graph(edges)).community)
    # only their ratios matter
    random = weighted(nx.gnp_random_graph(80, 0.1, seed=2), 3)
    plain = gp.louvain(random)
    for scale in (2.0**-1000, 2.0**1020):
        scaled = random.copy()
        for _, _, data in scaled.edges(data=True):
            data["weight"] *= scale
        result = gp.louvain(scaled)
        assert communities_of(result) == communities_of(plain)
        assert result.modularity == plain.modularity


def test_higher_resolutions_give_more_communities():
    graph = nx.ring_of_cliques(12, 5)
    counts = [gp.louvain(graph, resolution=r).num_communities for r in (0, 0.1, 1, 20, 1e300)]
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert counts[2] == 12
    assert counts[4] == 60


def test_levels_may_be_fewer():
    graph = nx.grid_2d_graph(30, 30)
    found = [gp.louvain(graph, max_level=level) for level in (1, 2, 3)]
    assert [result.num_levels for result in found] == [1, 2, 3]
    assert found[0].modularity < found[1].modularity < found[2].modularity <= gp.louvain(graph).modularity
    assert gp.louvain(graph, threshold=0.5).num_levels < gp.louvain(graph).num_levels
    assert gp.louvain(gp.Graph(([], []), num_vertices=3)).num_levels == 0


def two_stripes():
    """Enough edges for two stripes, in groups with members in both: found within few rounds."""
    groups, members = 2000, 32
    n = groups * members
    first, second = np.triu_indices(members, 1)
    pairs = groups * np.stack([first, second])[:, None] + np.arange(groups)[:, None]
    others = np.random.default_rng(5).integers(0, n, (2, 1_300_000))
    return gp.Graph(tuple(np.hstack([pairs.reshape(2, -1), others])), num_vertices=n)


@pytest.mark.parametrize(
    "graph",
    [
        two_stripes,
        lambda: gp.generate.kronecker(12, seed=3, weights=(1, 9)),
        lambda: gp.generate.grid(300, 300),
    ],
)
def test_answers_do_not_depend_on_the_number_of_threads(graph):
    one, *others = (gp.louvain(graph(), num_threads=t) for t in (1, 2, 3))
    for other in others:
        assert np.array_equal(one.community, other.community)
        assert (one.modularity, one.num_levels) == (other.modularity, other.num_levels)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: gp.louvain(g), r"edge 1 -> 2 has weight -2; louvain needs finite weights >= 0, or weights=False"),
        (lambda g: gp.louvain(gp.Graph(([0], [1], [np.inf]))), "edge 0 -> 1 has weight inf; louvain needs finite"),
        (lambda g: gp.louvain(gp.Graph(([0], [1], [np.nan]))), "edge 0 -> 1 has weight nan; louvain needs finite"),
        (lambda g: gp.louvain(g, resolution=-1), "resolution is -1; louvain needs 0 <= resolution"),
        (
            lambda g: gp.louvain(g, resolution=np.nan),
            "resolution is nan; louvain needs a finite number, 0 <= resolution",
        ),
        (lambda g: gp.louvain(g, threshold=-1e-9), "threshold is -1e-09; louvain needs 0 <= threshold"),
        (lambda g: gp.louvain(g, max_level=0), "max_level is 0; louvain needs 1 <= max_level"),
        (lambda g: gp.louvain(g, weights="w"), "weights is 'w'; a bool is needed"),
    ],
)
def test_bad_input_is_one_clear_error(call, message):
    with pytest.raises(gp.InputError, match=message):
        call(gp.Graph(([0, 1, 2], [1, 2, 0], [1.0, -2.0, 1.0])))


def test_commands_tell_the_communities(tmp_path, capsys):
    from gaspipe.cli import main

    file = tmp_path / "cliques.txt"
    file.write_text("".join(f"{u} {v}\n" for u, v in nx.ring_of_cliques(5, 6).edges))
    with pytest.raises(SystemExit):
        main(["louvain", str(file), "--verify"])
    told = capsys.readouterr().out
    assert "5 communities, the largest with 6 vertices (20.0 %)" in told
    assert "Verified" in told
