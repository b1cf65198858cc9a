# SPDX-License-Identifier: Apache-2.0
"""Graph.domains: who owns what, which ghosts there are, and what a cut costs. All by NumPy, from the edges alone."""

import threading

import numpy as np
import pytest
from scipy import sparse

import gaspipe as gp
from gaspipe import _core

STRATEGIES = tuple(_core.domain_strategies())
N = 500


def edges_of(seed, num_edges=4000, n=N):
    rng = np.random.default_rng(seed)
    return rng.integers(0, n, (2, num_edges))  # parallel edges and loops among them


@pytest.fixture(scope="module")
def edges():
    return edges_of(3)


@pytest.fixture(scope="module")
def graph(edges):
    return gp.Graph(tuple(edges), num_vertices=N)


def xorshift(ids):
    """Olive's hash of ids below 2**32, in 64-bit arithmetic."""
    ids = ids ^ (ids << 13 & 0xFFFFFFFF)
    ids = ids ^ ids >> 17
    return ids ^ (ids << 5 & 0xFFFFFFFF)


def test_strategies_are_the_files_of_their_folder():
    assert STRATEGIES == ("balanced", "hash", "mix")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("size", [1, 2, 3, 8, N + 100])
def test_every_vertex_is_in_one_part_and_hash_is_reproducible(graph, strategy, size):  # OLV-27
    domains = graph.domains(size, strategy)
    assert len(domains) == size
    ids = np.concatenate([domain.ids for domain in domains])
    np.testing.assert_array_equal(np.sort(ids), np.arange(N))
    owner = domains.owner(np.arange(N))
    assert owner.dtype == np.int64
    for rank, domain in enumerate(domains):
        assert domain.rank == rank
        assert domain.ids.dtype == np.int64
        np.testing.assert_array_equal(domain.ids, np.flatnonzero(owner == rank))
    np.testing.assert_array_equal(graph.domains(size, strategy).owner(np.arange(N)), owner)
    if strategy == "hash":
        np.testing.assert_array_equal(owner, xorshift(np.arange(N)) % size)


def test_parts_of_mix_are_within_5_percent_at_a_million_vertices():  # OLV-27
    n = 1_000_000
    graph = gp.Graph((np.zeros(0, np.int64), np.zeros(0, np.int64)), num_vertices=n)
    for size in (2, 7, 32):
        vertices = graph.domains(size, "mix").summary().vertices
        assert vertices.sum() == n
        np.testing.assert_allclose(vertices, n / size, rtol=0.05)


def test_a_function_is_a_strategy(graph):  # OLV-28
    calls = []

    def by_square(ids, size):
        assert ids.dtype == np.int64
        calls.append(len(ids))
        return ids * ids % size

    domains = graph.domains(5, by_square)
    assert calls == [N, N]
    assert domains.strategy is by_square
    np.testing.assert_array_equal(domains.owner(np.arange(N)), np.arange(N) ** 2 % 5)
    assert "by_square" in repr(domains)
    assert "by_square" in str(domains.summary())
    assert domains[2].ids.size == 0  # no square is 2 modulo 5
    np.testing.assert_array_equal(graph.domains(2, lambda ids, size: list(ids % size))[1].ids, np.arange(1, N, 2))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("combine", [True, False])
@pytest.mark.parametrize("view", ["forward", "reverse", "undirected"])
def test_ids_are_a_bijection_and_ghosts_lead_to_their_owners(graph, edges, strategy, combine, view):  # OLV-29
    sources, targets = edges if view == "forward" else edges[::-1]
    if view == "undirected":
        both = np.concatenate([edges, edges[::-1]], axis=1)
        sources, targets = np.unique(both, axis=1)
    domains = graph.domains(4, strategy, combine=combine, view=view)
    assert domains.combine == combine
    assert domains.view == view
    owner = domains.owner(np.arange(N))
    for rank, domain in enumerate(domains):
        into = owner[targets] == rank
        cut = into & (owner[sources] != rank)
        assert domain.num_edges == into.sum()
        assert domain.num_cut_edges == cut.sum()
        expected = np.unique(sources[cut]) if combine else sources[cut]
        expected = expected[np.lexsort([expected, owner[expected]])]
        np.testing.assert_array_equal(domain.ghost_ids, expected)
        np.testing.assert_array_equal(domain.ghost_owner, owner[expected])
        everyone = np.concatenate([domain.ids, domain.ghost_ids])
        local = np.arange(len(everyone))
        np.testing.assert_array_equal(domain.to_global(local), everyone)
        _, first, back = np.unique(everyone, return_index=True, return_inverse=True)
        np.testing.assert_array_equal(domain.to_local(everyone), first[back.reshape(-1)])
        if combine:
            np.testing.assert_array_equal(domain.to_local(everyone), local)
        # A remote edge leads to the right (part, local number), as the owner has it.
        for other in domains:
            ghosts = domain.ghost_ids[domain.ghost_owner == other.rank]
            np.testing.assert_array_equal(other.ids[other.mirrors(rank)], ghosts)
            np.testing.assert_array_equal(other.to_local(ghosts), other.mirrors(rank))


def test_maps_keep_the_shape_of_what_they_get(graph):
    domain = graph.domains(3)[1]
    pair = domain.ids[:4].reshape(2, 2)
    np.testing.assert_array_equal(domain.to_local(pair), [[0, 1], [2, 3]])
    np.testing.assert_array_equal(domain.to_global([[0, 1], [2, 3]]), pair)
    assert domain.to_local(int(domain.ids[3])) == 3
    assert domain.to_local([]).shape == (0,)
    assert graph.domains(3).owner(np.uint8(0)).shape == ()


def test_balanced_domains_have_equal_edges_in_ranges():
    rng = np.random.default_rng(5)
    n = 100_000
    targets = (n * rng.random(800_000) ** 2).astype(np.int64)  # more edges into small ids
    graph = gp.Graph((rng.integers(0, n, len(targets)), targets), num_vertices=n)
    domains = graph.domains(8)
    cost = domains.summary().edges + domains.summary().vertices
    np.testing.assert_allclose(cost, cost.mean(), rtol=0.002)
    assert all(np.array_equal(domain.ids, np.arange(domain.ids[0], domain.ids[-1] + 1)) for domain in domains)
    assert graph.domains(8, "mix").summary().balance > 1.0


def test_a_summary_counts_the_cut(graph, edges):
    domains = graph.domains(4, "mix")
    found, owner = domains.summary(), domains.owner(np.arange(N))
    sources, targets = edges
    cut = owner[sources] != owner[targets]
    pairs = np.unique(np.stack([sources[cut], owner[targets][cut]]), axis=1)
    np.testing.assert_array_equal(found.vertices, np.bincount(owner, minlength=4))
    np.testing.assert_array_equal(found.edges, np.bincount(owner[targets], minlength=4))
    np.testing.assert_array_equal(found.ghosts, np.bincount(pairs[1], minlength=4))
    assert found.cut_edges == cut.sum()
    assert found.balance == pytest.approx(found.edges.max() / (len(sources) / 4))
    assert found.replication_factor == pytest.approx((N + pairs.shape[1]) / N)
    assert found.bytes_per_step() == 4 * pairs.shape[1]
    assert found.bytes_per_step(8) == 8 * pairs.shape[1]
    text = str(found)
    assert "4 domains by mix, forward view" in text
    assert f"{cut.sum()} of 4000" in text
    every_edge = graph.domains(4, "mix", combine=False).summary()
    assert every_edge.bytes_per_step() == 4 * cut.sum()


def test_a_graph_without_edges_has_no_ghosts():
    graph = gp.Graph((np.zeros(0, np.int64), np.zeros(0, np.int64)), num_vertices=3)
    for strategy in STRATEGIES:
        found = graph.domains(5, strategy).summary()
        assert found.vertices.sum() == 3
        assert (found.cut_edges, found.balance, found.replication_factor) == (0, 1.0, 1.0)
        assert str(found)


def test_one_domain_is_the_whole_graph(graph):
    (domain,) = graph.domains(1, "hash")
    np.testing.assert_array_equal(domain.ids, np.arange(N))
    assert (domain.num_edges, domain.ghost_ids.size, domain.mirrors(0).size) == (graph.num_edges, 0, 0)


def test_rectangular_matrices_have_domains():
    matrix = sparse.random_array((60, 200), density=0.1, rng=np.random.default_rng(1), format="csr")
    domains = gp.Graph(matrix, rectangular=True).domains(3, "mix")
    assert sum(domain.ids.size for domain in domains) == 200
    assert sum(domain.num_edges for domain in domains) == matrix.nnz


def test_domains_are_the_same_for_any_number_of_threads(graph):
    for strategy in STRATEGIES:
        one, four = (graph.domains(3, strategy, num_threads=threads) for threads in (1, 4))
        for a, b in zip(one, four):
            np.testing.assert_array_equal(a.ids, b.ids)
            np.testing.assert_array_equal(a.ghost_ids, b.ghost_ids)


def test_domains_may_be_asked_from_several_threads():
    graph = gp.Graph(tuple(edges_of(8, 200_000, 20_000)), num_vertices=20_000)
    domains, found = graph.domains(6, "mix"), {}
    threads = [threading.Thread(target=lambda rank=rank: found.update({rank: domains[rank]})) for rank in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(found[rank].num_edges for rank in range(6)) == 200_000


def test_domains_are_a_sequence(graph):
    domains = graph.domains(3)
    assert domains[-1].rank == 2
    assert [domain.rank for domain in domains] == [0, 1, 2]
    for index in (3, -4):
        with pytest.raises(IndexError, match="3 domains are 0 to 2"):
            domains[index]
    assert repr(domains) == "Domains(3 by 'balanced', forward view)"
    assert repr(domains[1]).startswith("Domain(1 of 3: ")


@pytest.mark.parametrize("size", [0, -1, 4097, 2**70, -(2**70)])
def test_sizes_out_of_range_are_refused(graph, size):
    for strategy in ("balanced", lambda ids, size: ids % size):
        with pytest.raises(gp.InputError, match="1 to 4096 are allowed"):
            graph.domains(size, strategy)


@pytest.mark.parametrize("size", [2.0, "2", None, True])
def test_sizes_are_integers(graph, size):
    with pytest.raises(gp.InputError, match="an integer is needed"):
        graph.domains(size)


def test_unknown_names_are_refused_with_the_known_ones(graph):
    with pytest.raises(gp.InputError, match='no domain strategy "metis"; known are balanced, hash, mix'):
        graph.domains(2, "metis")
    with pytest.raises(gp.InputError, match="strategy is 3; allowed are 'balanced', 'hash', 'mix' and a function"):
        graph.domains(2, 3)
    with pytest.raises(gp.InputError, match="view is 'back'; allowed are 'forward', 'reverse', 'undirected'"):
        graph.domains(2, view="back")


@pytest.mark.parametrize(
    ("strategy", "reason"),
    [
        (lambda ids, size: ids[:-1] % size, r"shape \(499,\) and dtype int64; integers of shape \(500,\)"),
        (lambda ids, size: ids / size, "dtype float64; integers"),
        (lambda ids, size: None, r"shape \(\) and dtype object"),
        (lambda ids, size: ids % (size + 1), "gave vertex 3 to domain 3; 3 domains are 0 to 2"),
        (lambda ids, size: ids % size - 1, "gave vertex 0 to domain -1; 3 domains"),
        (lambda ids, size: ids % size + 65536, "gave vertex 0 to domain 65536"),
        (lambda ids, size: [[1], [1, 2]], "returned what is no array"),
    ],
)
def test_functions_that_name_no_domain_for_every_vertex_are_refused(graph, strategy, reason):
    with pytest.raises(gp.InputError, match=reason):
        graph.domains(3, strategy)


def test_functions_that_change_between_calls_are_refused(graph):
    calls = iter((0, 1))

    def drifting(ids, size):
        return (ids + (ids == 7) * next(calls)) % size

    with pytest.raises(gp.InputError, match="drifting gave vertex 7 to domain 1, and in a second call to domain 2"):
        graph.domains(3, drifting)


def test_what_a_function_raises_is_raised(graph):
    def broken(ids, size):
        raise KeyError("no such part")

    with pytest.raises(KeyError, match="no such part"):
        graph.domains(3, broken)


def test_what_is_no_vertex_is_refused(graph):
    domains = graph.domains(2)
    domain = domains[0]
    for ids in ([0, N], [-1], [2**40]):
        with pytest.raises(gp.InputError, match=r"there is no vertex -?\d+; the largest is 499"):
            domains.owner(ids)
        with pytest.raises(gp.InputError, match=r"there is no vertex -?\d+; the largest is 499"):
            domain.to_local(ids)
    with pytest.raises(gp.InputError, match="local number"):
        domain.to_global([domain.ids.size + domain.ghost_ids.size])
    lonely = gp.Graph(([0], [1]), num_vertices=4).domains(2, lambda ids, size: ids // 2)[0]
    with pytest.raises(gp.InputError, match="vertex 3 is neither an own vertex nor a ghost of domain 0; its owner is"):
        lonely.to_local([0, 3])
    for rank in (2, -1):
        with pytest.raises(gp.InputError, match="2 domains are 0 to 1"):
            domain.mirrors(rank)
    with pytest.raises(gp.InputError, match="dtype float64; integers are needed"):
        domains.owner([0.5])
    with pytest.raises(gp.InputError, match="the largest integer allowed"):
        domains.owner(np.array([2**63], np.uint64))
    with pytest.raises(gp.InputError, match="there is no local number 0; there are none"):
        gp.Graph(([0], [0]), num_vertices=1).domains(2)[1].to_global([0])


def test_graphs_whose_edges_stay_in_a_file_are_refused(tmp_path, graph):
    path = tmp_path / "graph.gaspipe"
    graph.save(path, blocks=True)
    with pytest.raises(gp.InputError, match="domains need them in memory: load it without memory="):
        gp.Graph.load(path, memory="1 GB").domains(2)
