# SPDX-License-Identifier: Apache-2.0
"""Graphs relabeled inside: the answers of the graph as it is, in its own ids, and when there is such a form."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
import references
from gaspipe import _description

OF_HOOKS = ["article_rank", "bfs", "closeness", "pagerank", "sssp", "wcc", "weighted_pagerank"]
OF_CPU = ["betweenness", "core_numbers"]
SMALL = ["single_vertex_with_loop", "path_against_the_ids", "bundle_of_parallel_edges", "disconnected", "self_loops"]
GRAPHS = [*SMALL, "dangling_heavy", "explicit_zero_weights", "unsorted_rows", "kronecker"]


def skewed(num_vertices=2000, num_edges=30_000, seed=1, symmetric=True):
    """Hubs anywhere among the ids, isolated vertices, and integer weights."""
    rng = np.random.default_rng(seed)
    ends = np.minimum(rng.pareto(0.9, (2, num_edges)) * 3, num_vertices - 1).astype(int)
    i, j = rng.permutation(num_vertices)[ends]
    matrix = sp.csr_array((rng.integers(1, 100, num_edges), (i, j)), shape=(num_vertices,) * 2)
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    return (matrix.maximum(matrix.T) if symmetric else matrix).tocsr()


def relabeled_at_random(matrix):
    """A Graph with a form that orders the vertices of any matrix at random."""
    graph = gp.Graph(matrix, rectangular=False)
    core = graph._core
    n = graph.num_vertices
    ids = np.random.default_rng(n).permutation(n).astype(np.uint32)
    places = np.argsort(ids).astype(np.uint32)
    rows = [np.arange(core.offsets[v], core.offsets[v + 1]) for v in ids]
    edges = np.concatenate(rows).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(core.offsets.dtype)
    weights = None if core.weights is None else core.weights[edges]
    core.keep_prepared(ids, offsets, places[core.targets[edges]], weights, 1)
    return graph


@pytest.mark.filterwarnings("ignore::gaspipe.NotConvergedWarning")
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("algorithm", [*OF_HOOKS, *OF_CPU])
def test_any_order_of_vertices_gives_the_answers_of_the_reference(algorithm, name):
    matrix = references.matrix(name)
    if references.refuses(algorithm, matrix) or (algorithm, name) == ("betweenness", "kronecker"):
        return  # weights that the algorithm refuses; half a minute of the reference's
    graph = relabeled_at_random(matrix)
    module = references.reference(algorithm)
    numbers = _description.algorithms()[algorithm].numbers if algorithm in OF_HOOKS else ()
    wanted_numbers = [{}, *({"number": number} for number in numbers if len(numbers) > 1 and name == "kronecker")]
    for index, parameters in enumerate(module.parameters(graph.num_vertices)):
        wanted = references.expected(algorithm, name, index)
        for number in wanted_numbers:
            for threads in (1, 2):
                result = getattr(gp, algorithm)(graph, **parameters, num_threads=threads, **number)
                assert result.stats.prepared
                tolerance = module.tolerance(result.stats.number, matrix, **parameters)
                values = wanted if not isinstance(wanted, dict) else next(iter(wanted.values()))
                references.assert_agrees(algorithm, result.values, values, tolerance, f"{name}, {parameters}, {number}")


ON_KERNELS = ["bfs", "closeness", "sssp", "wcc"]  # that pass over edges, in any order


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("algorithm", ON_KERNELS)
def test_any_order_of_vertices_gives_the_answers_of_the_reference_on_kernels(algorithm, name):
    matrix = references.matrix(name)
    if references.refuses(algorithm, matrix):
        return
    graph = relabeled_at_random(matrix)
    parameters = references.arguments(algorithm, graph.num_vertices)
    result = getattr(gp, algorithm)(graph, **parameters, device="emulator", config="packed")
    assert result.stats.prepared
    tolerance = references.reference(algorithm).tolerance(result.stats.number, matrix, **parameters)
    references.assert_agrees(algorithm, result.values, references.expected(algorithm, name, 0), tolerance, name)


def test_kernels_walk_the_relabeled_form_from_the_first_run_on_where_that_gains():
    graph = gp.generate.kronecker(15, 8, seed=5, weights=(1, 100))
    matrix = graph.to_scipy()
    assert matrix.nnz >= 1 << 18
    lengths = csgraph.dijkstra(matrix, indices=0)
    wanted = np.where(np.isfinite(lengths), lengths, -1)
    for device in ("emulator", "emulator:u250"):
        result = gp.sssp(graph, 0, device=device, config="packed")
        assert result.stats.prepared
        assert result.stats.partitioner == "interleaved"
        assert np.array_equal(result.distance, wanted)
    assert gp.predict("bfs", graph, root=0, board="u250", config="packed").stats.prepared
    cut = graph.partition(capacity=4096, compute_units=2)
    for how in [{"skip_idle": False}, {"partitioning": cut}, {"config": "hbm"}, {"config": "plain"}]:
        result = gp.sssp(graph, 0, **{"device": "emulator", "config": "packed", **how})
        assert not result.stats.prepared
        assert np.array_equal(result.distance, wanted)
    for config in ("thundergp", "plain", "regraph", "hbm"):
        assert not gp.predict("bfs", graph, root=0, board="u280", config=config).stats.prepared
    # All its edges are streamed, whatever their order.
    ranks = gp.pagerank(graph, device="emulator", config="packed", max_iter=2, tol=1)
    assert not ranks.stats.prepared
    assert ranks.stats.partitioner == "equal"


def test_kernels_leave_a_graph_as_it_is_where_relabeling_does_not_pay_or_is_not_wanted():
    never = gp.generate.kronecker(15, 8, seed=5)
    assert not never.prepare("never").is_relabeled
    grid = gp.generate.grid(400, 400)
    few = gp.Graph(skewed())
    in_four_partitions = gp.generate.kronecker(20, 1)
    for graph in (never, grid, few, in_four_partitions):
        result = gp.bfs(graph, 0, device="emulator", config="packed")
        assert not result.stats.prepared
        assert result.stats.partitioner == ("equal" if graph is in_four_partitions else "interleaved")
        assert np.array_equal(result.depth, gp.bfs(graph, 0).depth)


def test_kernels_tell_a_custom_algorithm_of_the_ids_and_degrees_of_the_graph_as_it_is():
    graph = gp.generate.kronecker(15, 12, seed=6, symmetric=False)
    n = graph.num_vertices
    marks, weights = np.random.default_rng(1).integers(0, 1 << 16, (2, n)).astype(np.uint32)
    marks[marks % 50 != 0] = 0
    spread = gp.Algorithm(  # integers, merged in any order, though merging twice is not merging once
        "spread",
        gather="a + b",
        active="update != 0",
        is_source="prop != 0",
        apply="(acc ^ weight) & 0xff0f & (degree << 3 | acc)",
        inputs={"weight": weights, "degree": "out_degree(v)"},
        initial=marks,
        until=("steps", 3),
    )
    found = {"cpu": spread(graph), "emulator": spread(graph, device="emulator", config="packed")}
    assert found["emulator"].stats.prepared
    assert not found["cpu"].stats.prepared
    assert len(np.unique(found["cpu"].values)) > 100
    assert np.array_equal(found["cpu"].values, found["emulator"].values)


@pytest.mark.parametrize("symmetric", [True, False])
def test_prepared_graph_agrees_with_scipy_and_has_paths(symmetric):
    matrix = skewed(symmetric=symmetric)
    graph = gp.Graph(matrix)
    plain = gp.Graph(matrix)
    made = graph.prepare(num_threads=2)
    assert made.is_relabeled
    assert made.num_bytes >= 4 * matrix.nnz
    assert made.seconds > 0
    assert graph.prepare() == made == graph.prepare("auto")
    root = int(np.argmax(np.diff(matrix.indptr)))
    hops = csgraph.shortest_path(matrix, unweighted=True, indices=root)
    found = gp.bfs(graph, root, parents=True)
    assert found.stats.prepared
    assert found.stats.prepare_seconds < made.seconds + 1
    assert np.array_equal(found.depth, np.where(np.isfinite(hops), hops, -1))
    for v in np.flatnonzero(found.depth > 0):
        assert found.depth[found.parent[v]] == found.depth[v] - 1
        assert matrix[found.parent[v], v] > 0
    lengths = csgraph.dijkstra(matrix, indices=root)
    far = gp.sssp(graph, root, predecessors=True)
    assert far.stats.prepared
    assert np.array_equal(far.distance, np.where(np.isfinite(lengths), lengths, -1))
    assert np.array_equal(far.predecessor, gp.sssp(plain, root, predecessors=True).predecessor)
    _, labels = csgraph.connected_components(matrix, directed=False)
    smallest = np.full(labels.max() + 1, len(labels))
    np.minimum.at(smallest, labels, np.arange(len(labels)))
    assert np.array_equal(gp.wcc(graph).component, smallest[labels])
    assert not gp.wcc(plain).stats.prepared
    x = np.random.default_rng(2).random(len(labels))
    assert np.allclose(gp.spmv(graph, x).product, matrix @ x)
    if not symmetric:
        return
    parts = graph.partition(capacity=256)
    for different in (
        {"method": "gas"},
        {"partitioning": parts},
        {"domains": 2},
    ):
        as_it_is = gp.bfs(graph, root, **different)
        assert not as_it_is.stats.prepared, different
        assert np.array_equal(as_it_is.depth, found.depth)


def test_labels_and_personalization_keep_their_ids():
    matrix = skewed(seed=3)
    names = np.array([f"v{i}" for i in np.random.default_rng(1).permutation(matrix.shape[0])])
    i, j = matrix.nonzero()
    graph = gp.Graph((names[i], names[j], matrix.data))
    plain = gp.Graph((names[i], names[j], matrix.data))
    assert graph.prepare().is_relabeled
    root = names[i[0]]
    assert gp.bfs(graph, root).to_dict() == gp.bfs(plain, root).to_dict()
    wanted = {names[i[3]]: 2.0, names[i[5]]: 1.0}
    one, other = (
        gp.pagerank(g, personalization=wanted, weights=True, tol=1e-12, max_iter=1000) for g in (graph, plain)
    )
    assert one.stats.prepared and not other.stats.prepared
    assert np.allclose(one.rank, other.rank, rtol=1e-9, atol=0)


def test_grids_uniform_graphs_and_small_ones_keep_their_order():
    for graph in (
        gp.generate.grid(60, 60),
        gp.generate.uniform(2000, 20_000, seed=1),
        gp.Graph(([], []), num_vertices=3),
    ):
        assert graph.prepare() == gp.Preparation(False, 0.0, 0)
        assert not gp.bfs(graph, 0).stats.prepared
    hubs = np.repeat(np.arange(0, 4000, 20), 19)  # the center of a star among every 20 vertices
    others = np.setdiff1d(np.arange(4000), hubs)
    star = gp.Graph((hubs, others), directed=False)
    assert star.out_degrees().max() > 4 * star.num_edges / star.num_vertices
    assert not star.prepare().is_relabeled  # its edges lead nearby


def test_saved_form_is_loaded_and_a_wrong_one_refused(tmp_path):
    matrix = skewed(symmetric=False)
    graph = gp.Graph(matrix)
    made = graph.prepare()
    graph.save(tmp_path / "prepared.gaspipe")
    for mmap in (True, False):
        loaded = gp.Graph.load(tmp_path / "prepared.gaspipe", mmap=mmap)
        assert loaded.prepare("auto") == gp.Preparation(True, 0.0, made.num_bytes)
        result = gp.sssp(loaded, 7)
        assert result.stats.prepared
        lengths = csgraph.dijkstra(matrix, indices=7)
        assert np.array_equal(result.distance, np.where(np.isfinite(lengths), lengths, -1))
    graph.clear_cache()
    assert graph.prepare("auto") == gp.Preparation(False, 0.0, 0)
    graph.save(tmp_path / "plain.gaspipe")
    assert not gp.Graph.load(tmp_path / "plain.gaspipe").prepare("auto").is_relabeled

    n = graph.num_vertices
    form = gp.Graph(matrix)._core.prepare(1)
    arrays = [np.array(form[1]), form[0].offsets, np.array(form[0].targets), form[0].weights]
    twice = arrays[0].copy()
    twice[1] = twice[0]
    beyond = arrays[2].copy()
    beyond[3] = n
    for broken, text in (
        ([twice, *arrays[1:]], "of another graph"),
        ([arrays[0][::-1].copy(), *arrays[1:]], "of another graph"),
        ([arrays[0], arrays[1], beyond, arrays[3]], "allow 0 to"),
        ([*arrays[:3], None], "the graph has"),
    ):
        with pytest.raises(gp.InputError, match=text):
            graph._core.keep_prepared(*broken, 1)


def test_bad_input_says_what_is_allowed():
    graph = gp.Graph(skewed())
    with pytest.raises(gp.InputError, match="when is 'soon'; allowed are 'now', 'auto' and 'never'"):
        graph.prepare("soon")
    with pytest.raises(gp.InputError, match="num_threads"):
        graph.prepare(num_threads=0)
    wide = gp.Graph(sp.csr_array(np.ones((2, 3))), rectangular=True)
    with pytest.raises(gp.InputError, match="2 x 3 cannot be prepared"):
        wide.prepare()


def test_threads_prepare_once_and_agree():
    matrix = skewed(20_000, 400_000, seed=5)
    graph = gp.Graph(matrix)
    lengths = csgraph.dijkstra(matrix, indices=0)
    made, wrong = [], []

    def work():
        made.append(graph.prepare(num_threads=2))
        for _ in range(3):
            distance = gp.sssp(graph, 0, num_threads=2).distance
            if not np.array_equal(distance, np.where(np.isfinite(lengths), lengths, -1)):
                wrong.append(distance)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1
    assert not wrong


def test_graph_that_is_asked_often_is_relabeled_by_itself():
    graph, never = (gp.generate.kronecker(16, 12, seed=1) for _ in range(2))
    assert graph.num_edges >= 1 << 20
    assert never.prepare("never") == gp.Preparation(False, 0.0, 0)
    answers = [gp.core_numbers(graph), gp.core_numbers(never)]
    assert not any(answer.stats.prepared for answer in answers)
    seconds, runs = 0.0, 0
    while not answers[0].stats.prepared:
        seconds += answers[0].stats.seconds
        answers = [gp.core_numbers(graph), gp.core_numbers(never)]
        runs += 1
        assert runs < 1000, f"not after {seconds} s"
    assert seconds >= 39e-9 * graph.num_edges
    assert answers[0].stats.prepare_seconds > 0
    assert not answers[1].stats.prepared
    assert np.array_equal(answers[0].core, answers[1].core)
    assert gp.bfs(graph, 3).stats.prepared
    assert not gp.pagerank(graph, max_iter=2, tol=1).stats.prepared  # its sums are rounded in the order of edges
    graph.prepare()
    assert gp.pagerank(graph, max_iter=2, tol=1).stats.prepared
