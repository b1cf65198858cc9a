# SPDX-License-Identifier: Apache-2.0
"""Runs over graphs whose edges stay in their file: `Graph.load(path, memory=...)`. Answers are those of SciPy."""

import os
import re
import resource
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

import gaspipe as gp
from streams import AMPLE, least_of, with_room

N = 150_000  # three partitions


def make(num_edges, seed, dtype=np.float64, symmetric=False):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, N, (2, num_edges)) * rng.random((2, num_edges)) ** 2
    weights = rng.integers(1, 100, num_edges).astype(dtype)
    matrix = sparse.csr_array((weights, ends.astype(np.int64)), shape=(N, N))
    matrix.sum_duplicates()
    if symmetric:
        matrix = matrix.maximum(matrix.T).tocsr()
    return matrix


@pytest.fixture(scope="module")
def matrix():
    return make(600_000, 1)


@pytest.fixture(scope="module")
def path(tmp_path_factory, matrix):
    path = tmp_path_factory.mktemp("streamed") / "graph.gaspipe"
    gp.Graph(matrix).save(path, blocks=True, views=("forward", "reverse", "undirected"))
    return path


@pytest.fixture
def graph(path):
    return gp.Graph.load(path, memory=AMPLE)


def test_bfs_is_scipys(graph, matrix):
    depth = csgraph.dijkstra(matrix, indices=3, unweighted=True)
    result = gp.bfs(graph, 3)
    np.testing.assert_array_equal(result.values, np.where(np.isinf(depth), -1, depth))
    assert result.stats.device == "cpu" and result.stats.stream["bytes_read"] > 0


def test_bfs_parents_are_the_smallest_that_lead_there(graph, matrix):
    result = gp.bfs(graph, 3, parents=True)
    level, coo = result.values, matrix.tocoo()
    leads = level[coo.col] == level[coo.row] + 1
    leads &= level[coo.row] >= 0
    expected = np.full(N, N)
    np.minimum.at(expected, coo.col[leads], coo.row[leads])
    expected[expected == N] = -1
    expected[3] = 3
    np.testing.assert_array_equal(result.parent, expected)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_sssp_is_scipys(tmp_path, dtype):
    matrix = make(400_000, 2, dtype)
    gp.Graph(matrix).save(tmp_path / "graph.gaspipe", blocks=True)
    distance = csgraph.dijkstra(matrix, indices=5)
    found = gp.sssp(gp.Graph.load(tmp_path / "graph.gaspipe", memory=AMPLE), 5).values
    missing = -1 if found.dtype.kind == "i" else np.inf
    np.testing.assert_array_equal(found, np.where(np.isinf(distance), missing, distance))


def test_components_are_scipys(graph, matrix):
    found = gp.wcc(graph).values
    count, expected = csgraph.connected_components(matrix, directed=False)
    assert len(np.unique(found)) == count == len(np.unique(np.stack([found, expected]), axis=1)[0])


@pytest.mark.parametrize("weights", [False, True])
def test_pagerank_is_that_of_a_power_iteration(graph, matrix, weights):
    steps, damping = 15, 0.85
    out = matrix.sum(axis=1) if weights else np.diff(matrix.indptr).astype(float)
    follow = (
        matrix.copy() if weights else sparse.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), (N, N))
    )
    transposed, ends = follow.T.tocsr(), out == 0
    rank = np.full(N, 1 / N)
    for _ in range(steps):
        sent = np.divide(rank, out, out=np.zeros(N), where=~ends)
        rank = (1 - damping + damping * rank[ends].sum()) / N + damping * (transposed @ sent)
    found = gp.pagerank(graph, damping=damping, tol=0, max_iter=steps, weights=weights)
    np.testing.assert_allclose(found.values, rank, rtol=1e-10)


def test_spmv_is_scipys(graph, matrix):
    x = np.random.default_rng(0).random(N)
    np.testing.assert_allclose(gp.spmv(graph, x).values, matrix @ x, rtol=1e-10)


def test_closeness_asks_for_the_reverse(graph, matrix):
    found = gp.closeness(graph, vertices=[3, 9]).values[[3, 9]]
    expected = gp.closeness(gp.Graph(matrix), vertices=[3, 9]).values[[3, 9]]
    np.testing.assert_allclose(found, expected)


def test_an_algorithm_of_ones_own(graph, matrix):
    widest = gp.Algorithm(
        "widest_path",
        scatter="min(src, edge)",
        gather="max(a, b)",
        apply="max(acc, old)",
        initial="v == root ? 0xffffffff : 0",
        parameters={"root": 0},
    )
    found = widest(graph, root=3).values
    # Over edges of falling weight, the one that connects a vertex is the narrowest of its widest path.
    width = np.zeros(N, np.int64)
    edges = matrix.tocoo()
    for limit in np.unique(edges.data)[::-1]:
        wide = edges.data >= limit
        part = sparse.csr_array((np.ones(wide.sum()), (edges.row[wide], edges.col[wide])), shape=(N, N))
        reached = csgraph.breadth_first_order(part, 3, return_predecessors=False)
        width[reached] = np.maximum(width[reached], limit)
    width[3] = 2**32 - 1
    np.testing.assert_array_equal(found, width)


@pytest.mark.parametrize("num_threads", [1, 2, 5])
def test_any_number_of_threads_gives_the_same_bits(graph, num_threads):
    one = gp.pagerank(graph, max_iter=5, tol=0, num_threads=1).values
    np.testing.assert_array_equal(gp.pagerank(graph, max_iter=5, tol=0, num_threads=num_threads).values, one)


def test_symmetric_edges_serve_for_every_view_of_edges_without_weights(tmp_path):
    matrix = make(200_000, 7, symmetric=True)
    gp.Graph(matrix).save(tmp_path / "graph.gaspipe", blocks=True)
    graph = gp.Graph.load(tmp_path / "graph.gaspipe", memory=AMPLE)
    count = csgraph.connected_components(matrix, directed=False)[0]
    assert len(np.unique(gp.wcc(graph).values)) == count
    with pytest.raises(gp.InputError, match=r"walks the reverse view.*views="):
        gp.spmv(graph, np.ones(N))


def test_a_view_that_is_not_in_the_file_is_named(tmp_path, matrix):
    gp.Graph(matrix).save(tmp_path / "graph.gaspipe", blocks=True)
    with pytest.raises(gp.InputError, match=r'walks the undirected view.*views="forward,undirected"'):
        gp.wcc(gp.Graph.load(tmp_path / "graph.gaspipe", memory=AMPLE))


@pytest.mark.parametrize(
    "use",
    [
        lambda g: g.indices,
        lambda g: g.weights,
        lambda g: g.to_scipy(),
        lambda g: g.transpose(),
        lambda g: g.partition(),
        lambda g: gp.triangles(g),
        lambda g: gp.bfs(g, 0, device="emulator"),
    ],
)
def test_what_needs_edges_in_memory_says_so(graph, use):
    with pytest.raises(gp.InputError, match=r"loaded with memory=.*without memory="):
        use(graph)


def test_what_it_is_can_be_seen(graph, matrix):
    assert repr(graph) == f"Graph({N} vertices, {matrix.nnz} edges, float64 weights, edges in a file)"
    np.testing.assert_array_equal(graph.out_degrees(), np.diff(matrix.indptr))


def test_a_budget_that_is_too_small_is_refused_with_the_least_that_works(path):
    def rank(memory):
        return gp.pagerank(gp.Graph.load(path, memory=memory), max_iter=2, tol=0)

    with pytest.raises(gp.CapacityError, match=r"memory is 10 MB; pagerank with .* needs at least") as refused:
        rank("10 MB")
    took = int(re.search(r"the process took (\d+) MB", str(refused.value))[1]) * 1_000_000
    assert took < least_of(refused.value) < took + 1_000_000_000
    assert with_room(0, rank).stats.stream["bytes_read"] > 0
    with pytest.raises(gp.InputError, match="memory"):
        gp.Graph.load(path, memory="much")


def test_views_are_not_taken_for_a_flag(tmp_path, matrix):
    with pytest.raises(gp.InputError, match="a bool is needed, and views="):
        gp.Graph(matrix).save(tmp_path / "graph.gaspipe", blocks=("forward", "reverse"))
    assert not any(tmp_path.iterdir())


def test_a_file_without_blocks_is_no_file_for_it(tmp_path, matrix):
    gp.Graph(matrix).save(tmp_path / "plain.gaspipe")
    with pytest.raises(gp.InputError, match="blocks"):
        gp.Graph.load(tmp_path / "plain.gaspipe", memory=AMPLE)


def test_a_flipped_bit_is_named(path, tmp_path):
    copy = tmp_path / "copy.gaspipe"
    copy.write_bytes(path.read_bytes())
    with open(copy, "r+b") as file:
        file.seek(200_000)
        byte = file.read(1)
        file.seek(200_000)
        file.write(bytes([byte[0] ^ 8]))
    with pytest.raises(gp.GraphFormatError, match="checksum of block 0 of its forward edges"):
        gp.bfs(gp.Graph.load(copy, memory=AMPLE), 3)


def test_a_file_that_is_cut_or_written_to_is_an_error_and_one_that_is_replaced_is_not(path, tmp_path):
    copy = tmp_path / "copy.gaspipe"
    copy.write_bytes(path.read_bytes())
    graph = gp.Graph.load(copy, memory=AMPLE)
    expected = gp.bfs(graph, 3).values
    other = tmp_path / "other"
    other.write_bytes(b"something else")
    os.replace(other, copy)
    np.testing.assert_array_equal(gp.bfs(graph, 3).values, expected)  # the old file is still open
    copy.write_bytes(path.read_bytes())
    graph = gp.Graph.load(copy, memory=AMPLE)
    os.truncate(copy, copy.stat().st_size // 2)
    with pytest.raises(gp.GraphFormatError, match="written to"):
        gp.bfs(graph, 3)


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def write_to(path):
    with open(path, "r+b") as file:
        file.seek(200_000)
        file.write(bytes(100))


def replace(path):
    other = path.with_name("other")
    other.write_bytes(b"something else")
    os.replace(other, path)


@pytest.mark.parametrize(("change", "says"), [(cut, "written to|cut short"), (write_to, "written to"), (replace, None)])
def test_a_file_that_changes_while_a_run_reads_it(path, tmp_path, change, says):
    copy = tmp_path / "copy.gaspipe"
    copy.write_bytes(path.read_bytes())
    os.utime(copy, (1, 1))  # a clock of files ticks some milliseconds only
    graph = gp.Graph.load(copy, memory=AMPLE)
    expected = gp.pagerank(graph, tol=0, max_iter=6).values

    def progress(step, *_):
        if step == 1:
            change(copy)

    if says is None:  # the old file is still open
        found = gp.pagerank(graph, tol=0, max_iter=6, progress=progress).values
        np.testing.assert_array_equal(found, expected)
        return
    with pytest.raises(gp.GraphFormatError, match=says):
        gp.pagerank(graph, tol=0, max_iter=6, progress=progress)


def child(code, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """96 MB as rows in memory, 80 MB as blocks."""
    rng = np.random.default_rng(3)
    graph = gp.Graph((*rng.integers(0, 70_000, (2, 8_000_000)), rng.random(8_000_000)))
    path = tmp_path_factory.mktemp("large") / "large.gaspipe"
    graph.save(path, blocks=True)
    return path


# A limit is on memory that can be written to, stacks of threads with all that they may become.
BUDGET = """
    import re, resource, sys, gaspipe as gp

    def told(what):
        return int(re.search(what + r":\\s+(\\d+) kB", open("/proc/self/status").read())[1]) * 1024

    memory, stacks = map(int, sys.argv[2:])
    graph = gp.Graph.load(sys.argv[1], memory=memory)
    before = told("VmRSS")
    if stacks and memory > before:
        limit = told("VmData") + memory - before + stacks
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    try:
        gp.pagerank(graph, max_iter=4, tol=0, num_threads=2)
        gp.sssp(graph, 0, num_threads=2)
    except gp.CapacityError as refused:
        sys.exit(f"refused: {refused}")
    print(memory, before, told("VmHWM"))
    try:
        gp.Graph.load(sys.argv[1])
    except MemoryError:
        print("no memory")
"""


@pytest.mark.parametrize("limit", [False, True])
def test_the_process_keeps_to_its_budget(large, limit):
    stack = 1 << 20  # instead of 8 MB; 2 threads, and 16 that read where there is no io_uring

    def use(memory):
        small_stacks = (lambda: resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))) if limit else None
        process = child(BUDGET, large, memory, 20 * stack * limit, preexec_fn=small_stacks)
        out, err = process.communicate(timeout=300)
        if err.startswith("refused: "):
            raise gp.CapacityError(err)
        assert process.returncode == 0, err
        return out.split()

    budget, before, peak, *outcome = with_room(20_000_000, use)
    assert int(peak) < int(budget)
    assert int(budget) - int(before) < 60_000_000 < large.stat().st_size
    assert outcome == (["no", "memory"] if limit else [])  # in memory the graph does not fit there


def test_ctrl_c_ends_a_run(path):
    code = """
        import sys, gaspipe as gp
        graph = gp.Graph.load(sys.argv[1], memory="64 GB")
        print("begins", flush=True)
        gp.pagerank(graph, max_iter=10**6, tol=0)
    """
    run = child(code, path)
    assert run.stdout.readline() == "begins\n"
    try:
        run.wait(0.5)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert "KeyboardInterrupt" in err


def test_the_command_line_tells_what_was_read(path):
    command = [sys.executable, "-m", "gaspipe", "pagerank", str(path), "--memory", "2GB"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "edges stay there" in done.stdout and "of edges read" in done.stdout
    assert 'memory="2GB"' in done.stdout
    done = subprocess.run([*command, "--undirected"], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2 and "--memory" in done.stderr
