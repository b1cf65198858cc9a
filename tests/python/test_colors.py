# SPDX-License-Identifier: Apache-2.0
"""Colorings and maximal independent sets: against NetworkX, by what defines them, and what they refuse."""

import networkx as nx
import numpy as np
import pytest

import gaspipe as gp
import references
import zoo

SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)


def ends(matrix):
    """Both ends of every edge, without self-loops."""
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    targets = matrix.indices
    return sources[sources != targets], targets[sources != targets]


@pytest.mark.parametrize("name", SMALL)
def test_neighbors_have_different_colors(name):
    matrix = references.matrix(name)
    found = gp.coloring(matrix, num_threads=2)
    sources, targets = ends(matrix)
    assert not (found.color[sources] == found.color[targets]).any()
    assert set(found.color.tolist()) == set(range(found.num_colors))
    neighbors = {*zip(sources.tolist(), targets.tolist()), *zip(targets.tolist(), sources.tolist())}
    degrees = np.bincount([v for v, _ in neighbors], minlength=1)
    assert found.num_colors <= degrees.max() + 1
    assert found.color.dtype == np.int32


def graphs():
    yield nx.gnp_random_graph(200, 0.05, seed=3)
    yield nx.barabasi_albert_graph(300, 4, seed=5)
    yield nx.complete_graph(9)
    yield nx.path_graph(50)
    yield nx.karate_club_graph()
    yield nx.relabel_nodes(nx.karate_club_graph(), {v: f"member {v}" for v in range(34)})
    yield nx.grid_2d_graph(8, 9)


@pytest.mark.parametrize("graph", list(graphs()), ids=lambda g: f"{len(g)} vertices")
def test_colors_are_those_of_networkx(graph):
    assert gp.coloring(graph).to_dict() == nx.greedy_color(graph)  # largest_first is its default


def test_a_chain_of_colors_needs_no_worker_to_wait_for_one_that_is_held_up():
    length = 1 << 17  # every vertex waits for the one before; with more threads than cores, for one that does not run
    chain = gp.generate.chain(length)
    wanted = np.arange(length) % 2 ^ 1  # those inside come first, from vertex 1 on
    for threads in (2, 8, 32):
        assert np.array_equal(gp.coloring(chain, num_threads=threads).color, wanted)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("seed", [0, 1, 2**31 - 1])
def test_sets_are_independent_and_maximal(name, seed):
    matrix = references.matrix(name)
    found = gp.maximal_independent_set(matrix, seed=seed, num_threads=2)
    member = found.member
    sources, targets = ends(matrix)
    assert not (member[sources] & member[targets]).any()
    has_member = np.zeros(len(member), bool)
    has_member[sources[member[targets]]] = True
    has_member[targets[member[sources]]] = True
    assert (member | has_member).all()
    assert found.size == member.sum()
    assert member.dtype == bool


def test_seeds_give_other_sets():
    graph = nx.gnp_random_graph(100, 0.1, seed=3)
    sets = {tuple(gp.maximal_independent_set(graph, seed=seed).member) for seed in range(5)}
    assert len(sets) == 5
    assert tuple(gp.maximal_independent_set(graph).member) in sets


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (-1, "seed is -1; maximal_independent_set needs 0 <= seed <= 2147483647"),
        (2**31, "seed is 2147483648; maximal_independent_set needs"),
        (0.5, "seed must be an integer"),
        ("first", "seed is of type str; a number is needed"),
    ],
)
def test_other_seeds_are_one_clear_error(seed, message):
    with pytest.raises(gp.InputError, match=message):
        gp.maximal_independent_set(gp.Graph(([0], [1])), seed=seed)


def test_coloring_has_no_strategies():
    with pytest.raises(TypeError, match="strategy"):
        gp.coloring(gp.Graph(([0], [1])), strategy="smallest_last")


def test_commands_tell_the_size_of_a_set(tmp_path, capsys):
    from gaspipe.cli import main

    file = tmp_path / "star.txt"
    file.write_text("".join(f"0 {v}\n" for v in range(1, 9)))
    with pytest.raises(SystemExit):
        main(["maximal_independent_set", str(file)])
    told = capsys.readouterr().out
    size = gp.maximal_independent_set(gp.Graph.from_file(file)).size
    assert f"maximal_independent_set: {size} member" in told
    assert f"of 9 vertices ({100 * size / 9:.1f} %)" in told
    with pytest.raises(SystemExit):
        main(["coloring", str(file)])
    assert "coloring: color from 0 to 1" in capsys.readouterr().out


def test_a_vertex_that_two_workers_color_keeps_the_first_color():
    """The second of them may have seen later neighbors with colors; more threads than cores make them meet."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(300, 5000))
        graph = gp.Graph((rng.integers(0, n, 4 * n), rng.integers(0, n, 4 * n)), num_vertices=n)
        alone = gp.coloring(graph, num_threads=1).color
        for threads in (2, 4, 8):
            assert (gp.coloring(graph, num_threads=threads).color == alone).all()
