# SPDX-License-Identifier: Apache-2.0
"""Partitions: every edge once, where it belongs, in order, and cut as promised."""

import numpy as np
import pytest

import gaspipe as gp
import references
import zoo
from gaspipe import _core
from tools import whole

CAPACITIES = (1, 7, 64, 1000, 65_536, 65_537, 200_000)
UNITS = (1, 2, 3, 16)
PARTITIONERS = tuple(_core.partitioners())
PADDING = 0xFFFFFFFF
COST_PER_SOURCE = 0.2648 / 0.6971  # of the balanced cut: that many edges a source spanned


def graph_of(name):
    return gp.Graph(references.matrix(name))


def capacities_for(name):
    return CAPACITIES[3:] if name in zoo.LARGE else CAPACITIES[:4]


def decoded(partition):
    """Sources and destinations of a partition's edges, without padding, and checks of the padding on the way."""
    sources, destinations = [], []
    for sub in partition:
        s, d = sub.encode()
        assert s.dtype == d.dtype == np.uint32
        assert len(s) == len(d) == sub.num_padded_edges == -(-sub.num_edges // 16) * 16
        assert (d[sub.num_edges :] == PADDING).all()
        assert (s[sub.num_edges :] == (s[sub.num_edges - 1] if sub.num_edges else 0)).all()
        sources.append(s[: sub.num_edges])
        destinations.append(d[: sub.num_edges])
    return np.concatenate(sources).astype(np.int64), np.concatenate(destinations).astype(np.int64)


@pytest.mark.parametrize("partitioner", PARTITIONERS)
@pytest.mark.parametrize("name", zoo.ZOO)
def test_partitions_hold_every_edge_once_by_destination_and_sorted_by_source(name, partitioner):
    graph = graph_of(name)
    n = graph.num_vertices
    sources = np.repeat(np.arange(n), graph.out_degrees())
    destinations = graph.indices.astype(np.int64)
    for turn, capacity in enumerate(capacities_for(name)):
        for units in UNITS if whole() else UNITS[turn % 2 :: 2]:
            parts = graph.partition(capacity=capacity, compute_units=units, partitioner=partitioner, num_threads=2)
            assert len(parts) == -(-n // capacity)
            assert parts.num_edges == graph.num_edges
            found = []
            for p, part in enumerate(parts):
                first, last = p * capacity, min((p + 1) * capacity, n)
                assert (part.index, part.first_vertex, part.last_vertex) == (p, first, last)
                assert len(part) == units
                s, d = decoded(part)
                assert len(s) == part.num_edges
                borders = np.cumsum([sub.num_edges for sub in part])[:-1]
                assert all((np.diff(one) >= 0).all() for one in np.split(s, borders))
                assert ((first <= d) & (d < last)).all()
                found.append(s * n + d)
            # Edges of one source into one partition keep their order, so the sort must be stable.
            order = np.lexsort((sources, destinations // capacity))
            wanted = (sources * n + destinations)[order]
            if partitioner in ("equal", "balanced"):
                assert np.array_equal(np.concatenate(found), wanted)
                continue
            for part, edges in zip(found, np.split(wanted, np.cumsum([len(part) for part in found])[:-1])):
                assert np.array_equal(np.sort(part), np.sort(edges))


@pytest.mark.parametrize("partitioner", PARTITIONERS)
@pytest.mark.parametrize("name", ["kronecker", "star_in", "path", "no_edges", "bundle_of_parallel_edges"])
def test_sub_partitions_tile_their_partition(name, partitioner):
    graph = graph_of(name)
    for capacity in (7, 64, 1000):
        for units in UNITS:
            for part in graph.partition(capacity=capacity, compute_units=units, partitioner=partitioner):
                at = 0
                for j, sub in enumerate(part):
                    assert (sub.partition, sub.index, sub.first_edge) == (part.index, j, at)
                    assert len(sub) == sub.num_edges
                    at += sub.num_edges
                assert at == part.num_edges


@pytest.mark.parametrize("name", sorted(set(zoo.ZOO) - zoo.LARGE))
def test_sources_spanned_are_those_of_the_first_and_last_edge(name):
    for part in graph_of(name).partition(capacity=64, compute_units=3):
        for sub in part:
            sources, _ = sub.encode()
            wanted = (sources[0], sources[sub.num_edges - 1]) if sub.num_edges else (0, 0)
            assert (sub.first_source, sub.last_source) == wanted


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("name", ["kronecker", "two_cpu_partitions", "star_out", "single_vertex_with_loop"])
def test_equal_cut_differs_by_one_edge_at_most(name, units):
    for part in graph_of(name).partition(capacity=1000, compute_units=units, partitioner="equal"):
        sizes = [sub.num_edges for sub in part]
        assert max(sizes) - min(sizes) <= 1


def cost(sub):
    return sub.num_edges + COST_PER_SOURCE * (sub.last_source - sub.first_source)


@pytest.mark.parametrize("units", [2, 3, 16])
@pytest.mark.parametrize("graph", [
    gp.generate.kronecker(14, 16, symmetric=False),
    gp.generate.uniform(30_000, 200_000),
], ids=["kronecker", "uniform"])  # fmt: skip
def test_balanced_cut_has_nearly_equal_estimated_costs(graph, units):
    for part in graph.partition(capacity=8192, compute_units=units, partitioner="balanced"):
        costs = [cost(sub) for sub in part]
        # A cut falls on an edge, and the sources between two slices belong to neither: a few edges' worth.
        assert max(costs) - min(costs) <= 0.01 * sum(costs) / units + 20


def test_balanced_cut_gives_fewer_edges_to_the_slice_of_spread_sources():
    # 1000 edges from source 0, then 1000 from sources far apart.
    sources = np.concatenate([np.zeros(1000), np.arange(1, 1001) * 100]).astype(int)
    graph = gp.Graph((sources, np.arange(2000) % 50))
    dense, spread = graph.partition(compute_units=2, partitioner="balanced", capacity=200_000)[0]
    assert dense.num_edges > 1300
    assert cost(dense) == pytest.approx(cost(spread), rel=0.01)


def hubs_first(graph):
    """The same graph, with vertices of many edges first."""
    matrix = graph.to_scipy()
    order = np.argsort(-graph.out_degrees(), kind="stable")
    return gp.Graph(matrix[order][:, order])


@pytest.mark.parametrize("units", [2, 4, 16])
@pytest.mark.parametrize("capacity", [4096, 65_536])
@pytest.mark.parametrize("graph", [
    gp.generate.kronecker(14, 16, symmetric=False),
    hubs_first(gp.generate.kronecker(14, 16)),
    gp.generate.grid(150, 150),
    gp.generate.star(20_000),
    gp.generate.chain(40_000),
], ids=["kronecker", "hubs_first", "grid", "star", "path"])  # fmt: skip
def test_interleaved_cut_gives_every_unit_its_share_of_any_range_of_sources(graph, capacity, units):
    for part in graph.partition(capacity=capacity, compute_units=units, partitioner="interleaved"):
        share = -(-part.num_edges // units)
        piece = max(share // 64, min(share, 1024))  # what a unit gets at once, at most
        sources = [sub.encode()[0][: sub.num_edges] for sub in part]
        for border in [*range(0, graph.num_vertices, 1024), graph.num_vertices]:
            before = [np.searchsorted(one, border) for one in sources]
            assert max(before) - min(before) <= piece, border


def test_interleaved_cut_of_weighted_edges_keeps_weights_and_edges_together():
    graph = gp.generate.kronecker(13, 8, seed=2, weights=(1, 100))
    wanted = gp.sssp(graph, 0).distance
    cut = graph.partition(capacity=2048, compute_units=3, partitioner="interleaved")
    for device in ("cpu", "emulator"):
        for config in ("plain", "packed") if device == "emulator" else ("plain",):
            found = gp.sssp(graph, 0, device=device, config=config, partitioning=cut)
            assert np.array_equal(found.distance, wanted)
            assert found.stats.partitioner == "interleaved"


def test_default_is_one_unit_and_the_cpus_capacity():
    parts = graph_of("two_cpu_partitions").partition()
    assert (parts.capacity, parts.compute_units, parts.partitioner) == (65_536, 1, "equal")
    assert [(p.first_vertex, p.last_vertex) for p in parts] == [(0, 65_536), (65_536, 70_000)]
    assert parts.num_bytes > 0


def test_same_configuration_gives_the_same_partitions_again():
    graph = graph_of("kronecker")
    one, other = (graph.partition(capacity=64, compute_units=3, partitioner="balanced") for _ in range(2))
    assert one is other or repr(one) == repr(other)
    for p, q in zip(one, other):
        assert [np.array_equal(a, b) for a, b in zip(decoded(p), decoded(q))] == [True, True]


def test_number_of_threads_does_not_change_partitions():
    graph = graph_of("two_cpu_partitions")
    seen = []
    for threads in (1, 2, 3):
        graph.clear_cache()
        parts = graph.partition(capacity=5000, compute_units=3, partitioner="balanced", num_threads=threads)
        seen.append([sub.encode()[0].tobytes() + sub.encode()[1].tobytes() for part in parts for sub in part])
    assert seen[0] == seen[1] == seen[2]


def test_partitions_are_found_by_id_under_both_names():
    parts = graph_of("kronecker").partition(capacity=100, compute_units=3)
    for found in (parts.get_partition(2), parts.getPartition(2), parts[2], parts[-len(parts) + 2], list(parts)[2]):
        assert found.index == 2
    for found in (
        parts.get_sub_partition(2, 1), parts.getSubPartition(2, 1), parts[2].get_sub_partition(1), parts[2][1],
        parts[2][-2],
    ):  # fmt: skip
        assert (found.partition, found.index) == (2, 1)


@pytest.mark.parametrize("bad", [-1, 6, 10**6, 2**62])
def test_ids_out_of_range_are_an_error(bad):
    parts = graph_of("kronecker").partition(capacity=100, compute_units=3)
    assert len(parts) == 6
    for call in (parts.get_partition, parts.getPartition, lambda i: parts.get_sub_partition(i, 0),
                 lambda i: parts.getSubPartition(i, 0)):  # fmt: skip
        with pytest.raises(gp.InputError, match=f"no partition {bad}; ids go from 0 to 5"):
            call(bad)
    for call in (parts[0].get_sub_partition, lambda i: parts.getSubPartition(0, i)):
        with pytest.raises(gp.InputError, match=f"no sub-partition {bad}; ids go from 0 to 2"):
            call(bad)


@pytest.mark.parametrize("bad", [6, -7])
def test_subscripts_out_of_range_are_index_errors(bad):
    parts = graph_of("kronecker").partition(capacity=100, compute_units=6)
    with pytest.raises(IndexError):
        parts[bad]
    with pytest.raises(IndexError):
        parts[0][bad]


def test_repr_shows_ranges_edges_and_padding():
    parts = graph_of("star_in").partition(capacity=60, compute_units=2)
    assert repr(parts) == 'Partitioning(2 partitions of at most 60 vertices, 2 compute units, partitioner "equal")'
    assert repr(parts[0]) == "Partition(0: vertices 0 to 59, 99 edges in 2 sub-partitions)"
    assert repr(parts[0][0]) == "SubPartition(0, 0: 50 edges, 64 with padding, sources 1 to 50)"
    assert repr(parts[1]) == "Partition(1: vertices 60 to 99, 0 edges in 2 sub-partitions)"


def test_parts_outlive_the_graph_and_its_cache():
    graph = graph_of("kronecker")
    sub = graph.partition(capacity=100)[1][0]
    wanted = sub.encode()[1].tolist()
    graph.clear_cache()
    del graph
    assert sub.encode()[1].tolist() == wanted


@pytest.mark.parametrize("capacity", [0, -1, 2**32, 1.5, "64", True, None])
def test_capacities_that_are_none_are_refused(capacity):
    with pytest.raises(gp.InputError, match="capacity"):
        graph_of("path").partition(capacity=capacity)


@pytest.mark.parametrize("units", [0, -1, 17, 2**40, 1.5, "2", True, None])
def test_compute_units_out_of_range_are_refused(units):
    with pytest.raises(gp.InputError, match=r"compute.units"):
        graph_of("path").partition(compute_units=units)


def test_unknown_partitioner_is_refused_with_the_known_names():
    with pytest.raises(gp.InputError, match='no partitioner "best"; known are balanced, equal, interleaved'):
        graph_of("path").partition(partitioner="best")


def test_largest_capacity_is_one_partition():
    parts = graph_of("two_cpu_partitions").partition(capacity=2**32 - 1)
    assert len(parts) == 1
    assert parts[0].num_edges == 200_000
