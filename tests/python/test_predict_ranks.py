# SPDX-License-Identifier: Apache-2.0
"""Predictions of runs on ranks: bytes beside what runs count and NumPy finds, models beside cuts, bad input."""

import dataclasses
import functools
import math
import time

import numpy as np
import pytest

import gaspipe as gp
import snippets
from thread_ranks import on_ranks

D = gp.distributed
NETWORK = D.Network("test", 1e-4, 1e8, 1e-6, 1e-5)
STEPS = {"tol": 0, "max_iter": 4}


@pytest.fixture(scope="module")
def graph():
    return gp.generate.kronecker(11, 8, seed=3)


@pytest.fixture(scope="module")
def root(graph):
    return int(np.argmax(np.diff(graph.indptr)))


def ends_of(graph):
    return np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), np.asarray(graph.indices)


def ghosts_by_numpy(graph, owners, ranks):
    """Pairs of a vertex and a rank other than its owner's into which it has an edge, by rank."""
    sources, targets = ends_of(graph)
    has_edge = np.zeros((graph.num_vertices, ranks), bool)
    has_edge[sources, owners[targets]] = True
    has_edge[np.arange(graph.num_vertices), owners] = False
    return has_edge.sum(axis=0)


def on_world(graph, size, strategy, call):
    """What every rank of `size` counts: bytes sent by super-step, of all ranks together."""
    sources, targets = ends_of(graph)

    def work(world):
        mine = slice(world.rank, None, world.size)
        spread = world.edges(sources[mine], targets[mine], num_vertices=graph.num_vertices, strategy=strategy)
        return np.sum([d.supersteps["bytes_sent"] for d in call(spread).stats.domains], axis=0)

    found = on_ranks(size, work)
    for each in found:
        assert isinstance(each, np.ndarray), each
    return found[0]


@pytest.mark.parametrize("strategy", ["balanced", "hash", "mix"])
@pytest.mark.parametrize(("number", "value_bytes"), [("float64", 8), ("float32", 4)])
def test_bytes_of_pagerank_are_those_of_the_ghosts_that_numpy_counts(graph, strategy, number, value_bytes):
    predicted = D.predict("pagerank", graph, 3, network=NETWORK, strategy=strategy, number=number, **STEPS)
    owners = graph.domains(3, strategy).owner(np.arange(graph.num_vertices))
    ghosts = ghosts_by_numpy(graph, owners, 3)
    assert predicted.supersteps["bytes_sent"].tolist() == [value_bytes * ghosts.sum()] * 4
    assert predicted.num_edges == graph.num_edges
    targets = ends_of(graph)[1]
    assert predicted.supersteps["most_edges"][0] == np.bincount(owners[targets]).max()


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("strategy", ["balanced", "mix"])
def test_bytes_are_those_that_ranks_count(graph, root, size, strategy):
    for name, arguments in (("pagerank", STEPS), ("bfs", {"root": root}), ("sssp", {"root": root}), ("wcc", {})):
        predicted = D.predict(name, graph, size, network=NETWORK, strategy=strategy, **arguments)
        counted = on_world(graph, size, strategy, lambda g, n=name, a=arguments: getattr(gp, n)(g, **a))
        assert predicted.supersteps["bytes_sent"].tolist() == counted.tolist(), name
        assert predicted.bytes_sent == counted.sum() > 0


@pytest.mark.usefixtures("compiled_snippets")
def test_a_custom_program_is_predicted_too(graph, root):
    widest = snippets.one_line()
    predicted = D.predict(widest, graph, 2, network=NETWORK, root=root)
    run = widest(graph, root=root, domains=2)
    counted = np.sum([d.supersteps["bytes_sent"] for d in run.stats.domains], axis=0)
    assert predicted.program == "one_line_widest"
    assert predicted.supersteps["bytes_sent"].tolist() == counted.tolist()


def test_time_is_what_the_constants_say(graph):
    """PageRank with a given rate: (edges / rate) + alpha + messages + bytes / beta, worked out by hand."""
    network = D.Network("by hand", 0.5, 1e6, 0.01, 0.25, rendezvous_bytes=1 << 60)
    predicted = D.predict("pagerank", graph, 3, network=network, edges_per_second=1e4, number="float64", **STEPS)
    owners = graph.domains(3).owner(np.arange(graph.num_vertices))
    sources, targets = ends_of(graph)
    ghosts = ghosts_by_numpy(graph, owners, 3)
    keys = np.unique(sources.astype(np.int64) * 3 + owners[targets])
    mirrors = np.bincount(owners[keys // 3][owners[keys // 3] != keys % 3], minlength=3)
    compute = np.bincount(owners[targets]).max() / 1e4
    exchange = 0.25 + 0.5 + 2 * 0.01 + 8 * max(ghosts.max(), mirrors.max()) / 1e6
    step = predicted.supersteps[1]
    assert step["compute_seconds"] == pytest.approx(compute)
    assert step["exchange_seconds"] == pytest.approx(exchange, rel=5e-3)  # sums, copying, and noticing late
    assert step["messages"] == 2
    assert predicted.seconds == pytest.approx(4 * (compute + exchange), rel=5e-3)
    assert predicted.one_rank_seconds == pytest.approx(4 * graph.num_edges / 1e4)
    assert predicted.speedup == pytest.approx(predicted.one_rank_seconds / predicted.seconds)


def test_large_messages_wait_for_an_agreement(graph):
    with_one = dataclasses.replace(NETWORK, latency_seconds=1.0, rendezvous_bytes=1, rendezvous_latencies=2.0)
    without = dataclasses.replace(with_one, rendezvous_bytes=1 << 60)
    slow, fast = (
        D.predict("pagerank", graph, 2, network=network, edges_per_second=1e9, **STEPS)
        for network in (with_one, without)
    )
    assert slow.seconds - fast.seconds == pytest.approx(2.0 * 4, rel=1e-2)  # four super-steps


def test_another_network_changes_the_exchanges_only(graph, root):
    first = D.predict("bfs", graph, 3, network=NETWORK, root=root)
    slow = dataclasses.replace(NETWORK, name="slow", latency_seconds=1.0, rendezvous_bytes=1 << 60)
    other = first.on_network(slow)
    assert other.network is slow
    assert other.on_network(NETWORK).supersteps.tolist() == first.supersteps.tolist()
    for same in ("edges", "bytes_sent", "messages", "compute_seconds"):
        assert other.supersteps[same].tolist() == first.supersteps[same].tolist()
    rounds = first.supersteps["messages"] / 2  # to two other ranks each
    gained = other.supersteps["exchange_seconds"] - first.supersteps["exchange_seconds"]
    assert gained == pytest.approx(rounds * (1 - 1e-4), rel=2e-3)  # and ranks notice late
    with pytest.raises(gp.InputError, match="'10GbE'"):
        first.on_network("token ring")


def test_one_rank_sends_nothing(graph, root):
    for name, arguments in (("pagerank", STEPS), ("bfs", {"root": root})):
        predicted = D.predict(name, graph, 1, network=NETWORK, edges_per_second=1e6, **arguments)
        assert predicted.bytes_sent == 0
        assert predicted.exchange_share == 0
        assert predicted.speedup == pytest.approx(1)


@pytest.mark.parametrize(("name", "more"), [("pagerank", STEPS), ("bfs", {})])
def test_a_slower_network_takes_longer(graph, root, name, more):
    arguments = more or {"root": root}

    def seconds(**changes):
        network = dataclasses.replace(NETWORK, **changes)
        return D.predict(name, graph, 4, network=network, edges_per_second=1e6, **arguments).seconds

    times = [seconds(latency_seconds=latency) for latency in (1e-3, 1e-2, 1e-1)]
    assert times == sorted(times)
    assert times[2] > 5 * times[1] > 10 * times[0]
    assert seconds(bytes_per_second=1e4) > seconds(bytes_per_second=1e5) > seconds(bytes_per_second=1e6)
    assert seconds(message_seconds=1e-1) > seconds(message_seconds=1e-2)
    assert seconds(step_seconds=1e-1) > seconds(step_seconds=1e-2)


def test_more_ranks_compute_less_send_more_and_hold_less():
    model = D.KroneckerModel(31, sample_scale=10)
    found = D.predict("pagerank", model, [16, 64, 256, 1024, 4096], network="100GbE", edges_per_second=1e9, **STEPS)
    assert [each.ranks for each in found] == [16, 64, 256, 1024, 4096]
    for fewer, more in zip(found, found[1:]):
        assert more.supersteps["compute_seconds"].sum() < fewer.supersteps["compute_seconds"].sum()
        assert more.bytes_sent > fewer.bytes_sent
        assert more.supersteps["most_bytes"].max() < fewer.supersteps["most_bytes"].max()
        assert more.memory_bytes < fewer.memory_bytes
    degrees_of_all = 8 * 2**31
    assert found[-1].memory_bytes > degrees_of_all
    assert found[0].num_vertices == 2**31
    assert abs(math.log2(found[0].num_edges) - 36) < 0.02


def test_ranks_that_share_a_core_compute_slower(graph):
    alone, shared = (
        D.predict("pagerank", graph, 4, network=NETWORK, edges_per_second=1e6, ranks_per_core=each, **STEPS)
        for each in (1, 2)
    )
    assert shared.supersteps["compute_seconds"].sum() == 2 * alone.supersteps["compute_seconds"].sum()


@functools.cache
def kronecker(scale):
    """Large, and the same for several tests, which come one after the other."""
    return gp.generate.kronecker(scale, 16, seed=1)


@pytest.mark.parametrize("strategy", ["balanced", "mix"])
@pytest.mark.parametrize("ranks", [2, 4, 16, 64])
@pytest.mark.parametrize("scale", [14, 16])
def test_the_kronecker_model_has_the_ghosts_that_numpy_counts(scale, ranks, strategy):
    """All ghosts within 2 %, those of the rank with most within 10 %; edges within 0.2 %, the most by 8 or 25 %."""
    graph = kronecker(scale)
    owners = graph.domains(ranks, strategy).owner(np.arange(graph.num_vertices))
    ghosts = ghosts_by_numpy(graph, owners, ranks)
    cut = D.KroneckerModel(scale, 16).cut(ranks, strategy)
    assert cut.num_edges == pytest.approx(graph.num_edges, rel=2e-3)
    assert cut.ghosts.sum() == pytest.approx(ghosts.sum(), rel=2e-2)
    assert cut.ghosts.max() == pytest.approx(ghosts.max(), rel=1e-1)
    assert cut.mirrors.sum() == pytest.approx(cut.ghosts.sum())
    assert cut.edges.sum() == pytest.approx(cut.num_edges, rel=1e-6)
    edges = np.bincount(owners[ends_of(graph)[1]], minlength=ranks)
    assert cut.edges.max() == pytest.approx(edges.max(), rel=0.08 if strategy == "balanced" else 0.25)


@pytest.mark.parametrize("ranks", [2, 16, 64])
def test_the_uniform_model_has_the_ghosts_that_numpy_counts(ranks):
    graph = gp.generate.uniform(30_000, 200_000, seed=5)
    owners = graph.domains(ranks, "mix").owner(np.arange(graph.num_vertices))
    ghosts = ghosts_by_numpy(graph, owners, ranks)
    cut = D.UniformModel(30_000, 200_000).cut(ranks, "mix")
    assert cut.ghosts.sum() == pytest.approx(ghosts.sum(), rel=1e-2)
    assert cut.ghosts.max() == pytest.approx(ghosts.max(), rel=1.5e-1)
    assert cut.num_edges == pytest.approx(200_000, rel=1e-3)


def test_a_model_predicts_the_bytes_of_a_search_from_a_smaller_graph():
    """All bytes of a run at scale 15, from super-steps at scale 12: within 15 %."""
    large, small = (gp.generate.kronecker(scale, 16) for scale in (15, 12))
    hub, small_hub = (int(np.argmax(np.diff(g.indptr))) for g in (large, small))
    model = D.KroneckerModel(15, 16, sample_scale=12)
    predicted = D.predict("bfs", model, 8, network=NETWORK, edges_per_second=1e9, root=small_hub)
    run = gp.bfs(large, hub, domains=8)
    counted = sum(d.bytes_sent for d in run.stats.domains)
    assert predicted.bytes_sent == pytest.approx(counted, rel=0.15)


def test_more_ranks_than_a_run_has_here_use_shares():
    """Beyond 64 ranks cuts are counted, and what changes is taken from 64: bytes within 15 % of a run's."""
    graph = gp.generate.kronecker(14, 16)
    root = int(np.argmax(np.diff(graph.indptr)))
    predicted = D.predict("bfs", graph, 96, network=NETWORK, edges_per_second=1e9, root=root)
    run = gp.bfs(graph, root, domains=96)
    assert predicted.bytes_sent == pytest.approx(sum(d.bytes_sent for d in run.stats.domains), rel=0.15)
    assert "64 domains" in predicted.method["super-steps"]


def test_everything_shown_is_said_to_be_predicted(graph):
    predicted = D.predict("pagerank", graph, 2, network="ib-hdr", tol=0, max_iter=30)
    text = str(predicted)
    assert text.startswith("Predicted: pagerank on 2 ranks")
    for figure in ("time", "speedup", "memory"):
        assert f"predicted {figure}" in text
    assert "..." in text
    assert len(text.splitlines()) < 30
    assert "predicted" in repr(predicted)
    assert predicted.num_supersteps == 30
    assert set(predicted.method) == {"edges and ghosts", "super-steps", "time of an edge"}


class DelayedCommunicator:
    """One of thread_ranks.py whose exchanges take longer, and longer for more bytes."""

    def __init__(self, inner, latency, bytes_per_second):
        self.inner, self.latency, self.rate = inner, latency, bytes_per_second
        self.rank, self.size, self.fail = inner.rank, inner.size, inner.fail

    def all_to_all(self, send, receive):
        time.sleep(self.latency)
        self.inner.all_to_all(send, receive)

    def begin_boxes(self, boxes, expected):
        num_bytes = max(sum(len(box) for box in boxes), sum(expected))
        time.sleep(self.latency * (num_bytes > 0) + num_bytes / self.rate)
        self.inner.begin_boxes(boxes, expected)

    def end_boxes(self):
        return self.inner.end_boxes()


def test_a_network_is_measured_through_the_communicator():
    def work(world):
        world.communicator = DelayedCommunicator(world.communicator, 0.02, 2e7)
        return D.measure_network(world, rounds=5, name="slow")

    found = on_ranks(2, work)
    assert found[0] == found[1]
    assert found[0].name == "slow"
    assert 0.018 < found[0].latency_seconds < 0.06  # this machine may be busy
    assert 5e6 < found[0].bytes_per_second < 4e7


def test_a_world_of_one_has_no_network():
    (error,) = on_ranks(1, D.measure_network)
    assert isinstance(error, gp.InputError)
    assert "at least 2 ranks" in str(error)


def test_networks_are_a_registry():
    assert {"10GbE", "25GbE", "100GbE", "ib-hdr", "loopback"} <= set(D.networks())
    for network in D.networks().values():
        assert network.source not in ("", "given")
    mine = D.Network("a network of this test", 1e-6, 1e9)
    D.add_network(mine)
    assert D.networks()["a network of this test"] is mine
    with pytest.raises(gp.InputError, match="choose another name"):
        D.add_network(mine)
    with pytest.raises(gp.InputError, match="a Network is needed"):
        D.add_network("10GbE")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("latency_seconds", -1.0),
        ("latency_seconds", math.nan),
        ("latency_seconds", "1us"),
        ("bytes_per_second", 0),
        ("bytes_per_second", math.inf),
        ("message_seconds", True),
        ("step_seconds", None),
        ("rendezvous_bytes", -1),
    ],
)
def test_constants_of_a_network_are_checked(field, value):
    with pytest.raises(gp.InputError, match=field):
        dataclasses.replace(NETWORK, **{field: value})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"program": "page_rank"}, "'pagerank'"),
        ({"program": "triangles"}, "allowed are"),
        ({"program": 3}, "gp.Algorithm"),
        ({"graph": 3}, "KroneckerModel"),
        ({"ranks": 0}, "from 1 to 4096"),
        ({"ranks": 4097}, "from 1 to 4096"),
        ({"ranks": 2.5}, "ranks is 2.5"),
        ({"ranks": True}, "ranks is True"),
        ({"ranks": [2, 0]}, "ranks is 0"),
        ({"network": "token ring"}, "'10GbE'"),
        ({"network": None}, "gp.distributed.Network"),
        ({"strategy": "nearest"}, "nearest"),
        ({"edges_per_second": 0}, "above 0"),
        ({"edges_per_second": "fast"}, "edges_per_second is 'fast'"),
        ({"ranks_per_core": 0.5}, "at least 1"),
        ({"num_threads": 0}, "num_threads is 0"),
        ({"device": "emulator"}, "device= is not"),
        ({"domains": 2}, "domains= is not"),
        ({"damping": 2.0}, "damping"),
    ],
)
def test_what_cannot_be_predicted_is_refused(graph, change, said):
    given = {"program": "pagerank", "graph": graph, "ranks": 2, "network": NETWORK} | change
    program, subject, ranks = (given.pop(name) for name in ("program", "graph", "ranks"))
    with pytest.raises(gp.InputError, match=said):
        D.predict(program, subject, ranks, **given)


@pytest.mark.parametrize(
    "make",
    [
        lambda: D.KroneckerModel(0),
        lambda: D.KroneckerModel(32),
        lambda: D.KroneckerModel(31.0),
        lambda: D.UniformModel(2**32, 1),
        lambda: D.KroneckerModel(31, 0),
        lambda: D.KroneckerModel(31, 16, 40),
        lambda: D.UniformModel(0, 1),
        lambda: D.UniformModel(1, "many"),
        lambda: D.KroneckerModel(12).cut(4, "nearest"),
        lambda: D.UniformModel(100, 100).cut(4, lambda ids, size: ids % size),
    ],
)
def test_models_are_checked(make):
    with pytest.raises(gp.InputError, match=r"needed|allowed"):
        make()
