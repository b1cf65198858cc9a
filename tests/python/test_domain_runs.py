# SPDX-License-Identifier: Apache-2.0
"""Runs over several domains: every program against tests/reference, on CPUs, emulated boards and both together.

Rows OLV-12 (parts 1, 2, 3, 8 give the same answer), OLV-16 (answers by the ids of the whole graph), OLV-30 (message
boxes), OLV-32 (many devices) of the seed systems.
"""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components, dijkstra

import gaspipe as gp
import references
import zoo
from test_agreement import METHODS, NUMBERS, holds_weights, instance, is_exact, only_number

CUTS = [(1, "balanced", True), (2, "hash", True), (3, "balanced", False), (8, "mix", True), (3, "balanced", True)]
STRATEGIES = ("balanced", "hash", "mix")


@pytest.mark.filterwarnings("ignore::gaspipe.NotConvergedWarning")
@pytest.mark.parametrize("name", sorted(set(zoo.ZOO) - zoo.LARGE))
@pytest.mark.parametrize(("algorithm", "number"), NUMBERS)
def test_any_domains_give_the_answer_of_the_whole_graph(algorithm, number, name):
    """OLV-12, OLV-16."""
    matrix = references.matrix(name)
    module = references.reference(algorithm)
    call = getattr(gp, algorithm)
    graph = gp.Graph(matrix)
    options = only_number(algorithm, number)
    parameters = references.arguments(algorithm, matrix.shape[0])
    if references.refuses(algorithm, matrix) or not holds_weights(instance(algorithm, number), matrix):
        with pytest.raises(gp.InputError, match=r"does not fit|need finite weights >= 0|needs weights >= 0"):
            call(graph, **parameters, **options, domains=2)
        return
    wanted = references.expected(algorithm, name, 0)
    tolerance = module.tolerance(number, matrix, **parameters)
    whole = call(graph, **parameters, **options)
    for i, (size, strategy, combine) in enumerate(CUTS):
        domains = graph.domains(size, strategy, combine=combine)
        method = METHODS[i % len(METHODS)]
        result = call(graph, **parameters, **options, method=method, domains=domains, num_threads=1 + i % 3)
        context = f"{algorithm}({number=}, {method=}) on {name} in {size} domains by {strategy}"
        references.assert_agrees(algorithm, result.values, wanted, tolerance, context)
        assert len(result.stats.domains) == size, context
        assert sum(domain.num_vertices for domain in result.stats.domains) == graph.num_vertices, context
        if is_exact(algorithm, number):
            assert result.values.tobytes() == whole.values.tobytes(), context


@pytest.mark.parametrize("algorithm", gp.algorithms)
def test_the_same_number_of_domains_gives_the_same_bits(algorithm):
    graph = gp.Graph(references.matrix("two_cpu_partitions"))
    parameters = references.arguments(algorithm, graph.num_vertices)
    answers = {
        getattr(gp, algorithm)(graph, **parameters, domains=3, num_threads=threads).values.tobytes()
        for threads in (1, 2, 4)
    }
    assert len(answers) == 1


@pytest.fixture(scope="module")
def kronecker():
    return gp.generate.kronecker(11, 8, seed=3)


@pytest.fixture(scope="module")
def hub(kronecker):
    return int(np.argmax(np.diff(kronecker.indptr)))


def test_what_is_sent_is_received_and_is_what_the_cut_predicts(kronecker):
    """OLV-30: boxes lose nothing, and joined ones say the same as one for every edge."""
    for strategy in STRATEGIES:
        domains = kronecker.domains(4, strategy)
        result = gp.pagerank(kronecker, number="float32", domains=domains, tol=0, max_iter=5)
        predicted = domains.summary().bytes_per_step(property_bytes=4)
        for step in range(5):
            sent = sum(int(d.supersteps["bytes_sent"][step]) for d in result.stats.domains)
            received = sum(int(d.supersteps["bytes_received"][step]) for d in result.stats.domains)
            assert sent == received == predicted
        ghosts = sum(len(domain.ghost_ids) for domain in domains)
        assert predicted == 4 * ghosts
        edge_by_edge = kronecker.domains(4, strategy, combine=False)
        alone = gp.pagerank(kronecker, number="float32", domains=edge_by_edge, tol=0, max_iter=5)
        np.testing.assert_allclose(alone.rank, result.rank, rtol=1e-4)
        matrix = kronecker.to_scipy()
        owner = domains.owner(np.arange(kronecker.num_vertices))
        coo = matrix.tocoo()
        cut = int((owner[coo.row] != owner[coo.col]).sum())
        assert sum(d.bytes_sent for d in alone.stats.domains) == 5 * 4 * cut
        assert edge_by_edge.summary().cut_edges == domains.summary().cut_edges == cut


def test_searches_send_only_what_has_changed(kronecker, hub):
    whole = gp.bfs(kronecker, root=hub)
    result = gp.bfs(kronecker, root=hub, domains=4)
    assert (result.depth == whole.depth).all()
    ghosts = sum(domain.num_ghosts for domain in result.stats.domains)
    reached = whole.depth[whole.depth >= 0]
    sent = sum(int(d.supersteps["values_sent"].sum()) for d in result.stats.domains)
    assert 0 < sent <= ghosts
    assert result.stats.supersteps["active_vertices"].tolist() == np.bincount(reached).tolist()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_shortest_paths_wait_in_the_buckets_of_their_domains(strategy):
    """Labels would take a super-step for every edge of the longest shortest path, which buckets do not."""
    graph = gp.generate.grid(60, 60, weights=(1, 99), seed=7)
    wanted, before = dijkstra(graph.to_scipy(), indices=0, return_predecessors=True)
    hops = np.zeros(graph.num_vertices, dtype=int)
    for v in np.argsort(wanted)[1:]:
        hops[v] = hops[before[v]] + 1
    domains = graph.domains(4, strategy)
    result = gp.sssp(graph, 0, domains=domains)
    assert (result.distance == wanted).all()
    if strategy == "balanced":
        assert result.stats.num_supersteps < hops.max()
    # Boards keep nothing waiting, and wait for domains that do.
    for device in (["cpu", "emulator", "cpu", "cpu"], ["emulator", "cpu", "emulator", "emulator"]):
        assert (gp.sssp(graph, 0, domains=domains, device=device).distance == wanted).all()
    streamed = gp.sssp(graph, 0, domains=domains, method="gas")
    assert (streamed.distance == wanted).all()
    assert streamed.stats.num_supersteps > hops.max()


def test_emulated_boards_are_domains(kronecker, hub):
    """OLV-32."""
    whole = gp.bfs(kronecker, root=hub)
    boards = gp.bfs(kronecker, root=hub, device=["emulator", "emulator"])
    assert boards.stats.device == "emulator"
    assert boards.depth.tobytes() == whole.depth.tobytes()
    timed = gp.bfs(kronecker, root=hub, device=["emulator:u250", "emulator:u280", "cpu"])
    assert [domain.device for domain in timed.stats.domains] == ["emulator:u250", "emulator:u280", "cpu"]
    assert timed.stats.device == "mixed"
    assert timed.depth.tobytes() == whole.depth.tobytes()
    fixed = gp.pagerank(kronecker, number="fixed", device=["emulator", "cpu", "emulator"], max_iter=20, tol=0)
    assert fixed.rank.tobytes() == gp.pagerank(kronecker, number="fixed", max_iter=20, tol=0).rank.tobytes()


@pytest.mark.parametrize("algorithm", gp.algorithms)
def test_every_algorithm_runs_on_several_boards(algorithm):
    graph = gp.Graph(references.matrix("lines_shared_by_partitions" if "lines_shared_by_partitions" in zoo.ZOO
                                       else sorted(set(zoo.ZOO) - zoo.LARGE)[0]))  # fmt: skip
    parameters = references.arguments(algorithm, graph.num_vertices)
    wanted = getattr(gp, algorithm)(graph, **parameters, device="emulator")
    result = getattr(gp, algorithm)(graph, **parameters, device=["emulator"] * 3)
    np.testing.assert_allclose(result.values, wanted.values, rtol=1e-5)


def test_a_custom_algorithm_runs_over_domains(kronecker, hub):
    widest = gp.Algorithm(
        "widest_path_of_domains",
        scatter="min(src, edge)",
        gather="max(a, b)",
        apply="max(acc, old)",
        initial="v == root ? 0xffffffff : 0",
        parameters={"root": 0},
        field="width",
    )
    rng = np.random.default_rng(4)
    matrix = kronecker.to_scipy().astype(np.uint32)
    matrix.data[:] = rng.integers(1, 100, matrix.nnz)
    graph = gp.Graph(matrix.astype(np.int64))
    whole = widest(graph, root=hub)
    for device in ("cpu", ["cpu"] * 3, ["emulator", "cpu"]):
        result = widest(graph, root=hub, device=device, domains=None if isinstance(device, list) else 5)
        assert result.width.tobytes() == whole.width.tobytes()


@pytest.mark.parametrize("method", ["auto", "gas"])
def test_every_vertex_is_active_where_all_values_are_sent(method, kronecker):
    result = gp.pagerank(kronecker, domains=4, method=method, tol=0, max_iter=3)
    assert result.stats.supersteps["active_vertices"].tolist() == [kronecker.num_vertices] * 3


@pytest.mark.parametrize("strategy", ["balanced", "mix"])
@pytest.mark.parametrize("name", ["pagerank", "article_rank", "spmv"])
def test_values_that_travel_early_change_no_bit(name, strategy):
    """OLV-31."""
    graph = gp.generate.kronecker(15, seed=3)
    given = {"x": np.arange(graph.num_vertices) % 7.0} if name == "spmv" else {"tol": 0, "max_iter": 9}
    cut = graph.domains(3, strategy)
    off, on = (getattr(gp, name)(graph, domains=cut, overlap=how, **given) for how in ("off", "on"))
    assert on.values.tobytes() == off.values.tobytes()
    for one, other in zip(on.stats.domains, off.stats.domains):
        assert one.bytes_sent == other.bytes_sent > 0
        assert (one.supersteps["computing_seconds"] > 0).all()
        assert (one.supersteps["exchanging_seconds"] > 0).all()
    mixed = getattr(gp, name)(graph, domains=cut, overlap="on", device=["cpu", "emulator", "cpu"], **given)
    np.testing.assert_allclose(mixed.values, off.values, rtol=1e-4)


def test_progress_is_told_once_a_super_step(kronecker, hub):
    told = []
    result = gp.bfs(kronecker, root=hub, domains=3, progress=lambda *step: told.append(step))
    steps = result.stats.supersteps
    assert told == list(zip(steps["step"].tolist(), steps["active_vertices"].tolist(), steps["edges"].tolist()))


def test_an_error_of_one_domain_is_the_calls_error(kronecker):
    def stop(step, active, edges):
        if step == 1:
            raise RuntimeError("enough")

    for _ in range(5):
        with pytest.raises(RuntimeError, match="enough"):
            gp.pagerank(kronecker, domains=4, progress=stop)
    matrix = kronecker.to_scipy().astype(np.float64)
    matrix.data[7] = -1
    source, target = np.searchsorted(matrix.indptr, 7, side="right") - 1, matrix.indices[7]
    graph = gp.Graph(matrix)
    for domains in (None, 3, graph.domains(3, "hash")):
        with pytest.raises(gp.InputError, match=f"edge {source} -> {target} has weight -1; sssp needs weights >= 0"):
            gp.sssp(graph, root=0, domains=domains)


def test_sums_that_leave_their_format_begin_again_in_every_domain():
    chain = zoo.matrix_of(6, range(5), range(1, 6), np.full(5, 2**31 - 5, np.int32))
    result = gp.sssp(gp.Graph(chain), root=0, domains=3)
    assert result.distance.tolist() == [i * (2**31 - 5) for i in range(6)]
    assert result.stats.attempts == gp.sssp(gp.Graph(chain), root=0).stats.attempts > 1


def test_components_take_a_super_step_for_every_domain_that_is_crossed(tmp_path):
    """Not one for every edge of a path. Also of a run that goes on in other domains."""
    n = 5000
    matrix = zoo.matrix_of(n + 3, [*range(n - 1), n + 1], [*range(1, n), n + 2])
    labels = connected_components(matrix, directed=False)[1]
    smallest = np.unique(labels, return_index=True)[1][labels]
    graph = gp.Graph(matrix)
    result = gp.wcc(graph, domains=4, checkpoint=tmp_path, every=1)
    np.testing.assert_array_equal(result.component, smallest)
    assert result.stats.supersteps["kind"].tolist() == ["components"] * 5
    assert sum(d.supersteps["edges"][0] for d in result.stats.domains) == 2 * n
    for options in ({"domains": 3}, {}, {"device": ["cpu", "emulator"]}):
        np.testing.assert_array_equal(gp.wcc(graph, resume=tmp_path, **options).component, smallest)
    np.testing.assert_array_equal(gp.wcc(graph, domains=graph.domains(3, "hash")).component, smallest)


def test_more_domains_than_vertices_and_no_edges():
    graph = gp.Graph(zoo.matrix_of(3, [0, 1], [1, 2]))
    for strategy in STRATEGIES:
        assert gp.bfs(graph, domains=graph.domains(9, strategy)).depth.tolist() == [0, 1, 2]
        for device in ("emulator", "emulator:u250"):
            assert gp.bfs(graph, device=device, domains=graph.domains(9, strategy)).depth.tolist() == [0, 1, 2]
    # All edges lead to one vertex, so that one of the domains has none.
    hub = gp.Graph(zoo.matrix_of(50, range(49), [49] * 49))
    for how in ({"execution": "exact"}, {"config": "packed", "execution": "shallow"}):
        found = gp.bfs(hub, domains=4, device="emulator", **how)
        assert found.depth.tolist() == [0] + [-1] * 48 + [1]
        assert 0 in [domain.num_vertices for domain in found.stats.domains]
    lonely = gp.Graph(zoo.matrix_of(5, [], []))
    assert gp.wcc(lonely, domains=3).component.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"domains": 0}, "domains"),
        ({"domains": True}, "domains is True"),
        ({"domains": "4"}, "domains is '4'"),
        ({"device": []}, "empty list"),
        ({"device": ["cpu", "gpu"]}, "device is 'gpu'"),
        ({"device": ["cpu", 3]}, "device is of type int"),
        ({"device": ["cpu", "cpu"], "domains": 3}, "2 devices for 3 domains"),
        ({"domains": 2, "method": "local_store"}, "local_store"),
        ({"domains": 2, "device": "emulator", "design": "graphops"}, "omit domains="),
    ],
)
def test_what_cannot_be_is_told(kronecker, options, found):
    with pytest.raises(gp.InputError, match=found):
        gp.bfs(kronecker, root=0, **options)


def test_domains_of_another_graph_are_refused(kronecker):
    other = gp.generate.kronecker(5, 4, seed=1)
    with pytest.raises(gp.InputError, match="of another graph"):
        gp.bfs(kronecker, root=0, domains=other.domains(2))


def test_the_ranks_are_drawn(kronecker, hub):
    result = gp.bfs(kronecker, root=hub, domains=3)
    assert result.plot("ranks") is not None
    with pytest.raises(gp.InputError, match="several domains"):
        gp.bfs(kronecker, root=hub).plot("ranks")
