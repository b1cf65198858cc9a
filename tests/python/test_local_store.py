# SPDX-License-Identifier: Apache-2.0
"""Cell's breadth-first search with local stores, gp.bfs(method="local_store"): against SciPy, NetworkX and igraph."""

import signal
import subprocess
import sys
import textwrap
import threading

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

import gaspipe as gp
import references
import zoo
from command import environment, gaspipe
from gaspipe import _core, _options

SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)
STEPS = ["fetch", "gather", "dispatch", "all_to_all", "bitmap", "commit"]


def search(graph, root=0, **options):
    return gp.bfs(graph, root, method="local_store", **options)


def hops(matrix, root):
    """Levels by SciPy."""
    pattern = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
    found = dijkstra(pattern, indices=root, unweighted=True)
    return np.where(np.isfinite(found), found, -1).astype(np.int32)


@pytest.fixture(scope="module")
def kronecker():
    return gp.generate.kronecker(13, seed=3)


# CEL-1, CEL-17, CEL-24
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("workers", [1, 3, 8])
def test_levels_and_parents_are_those_of_scipy(name, workers):
    matrix = references.matrix(name)
    root = matrix.shape[0] // 2
    for hide_latency in (True, False):
        result = search(matrix, root, workers=workers, hide_latency=hide_latency, parents=True)
        assert result.depth.dtype == np.int32
        np.testing.assert_array_equal(result.depth, hops(matrix, root))
        np.testing.assert_array_equal(result.parent, gp.bfs(matrix, root, parents=True).parent)


# CEL-24
def test_parents_are_a_valid_tree(kronecker):
    result = search(kronecker, 5, workers=8, parents=True)
    reached = np.flatnonzero(result.depth > 0)
    before = result.parent[reached]
    assert (result.depth[before] == result.depth[reached] - 1).all()
    matrix = sp.csr_array((np.ones(kronecker.num_edges), kronecker.indices, kronecker.indptr))
    assert (matrix[before, reached] != 0).all()
    assert result.parent[5] == 5
    assert (result.parent[result.depth < 0] == -1).all()
    far = int(result.depth.argmax())
    assert len(result.path_to(far)) == result.depth[far] + 1


# CEL-14
def test_levels_are_those_of_networkx_and_unreached_vertices_stay_so():
    graph = nx.gnp_random_graph(300, 0.008, seed=4, directed=True)
    wanted = nx.single_source_shortest_path_length(graph, 7)
    result = search(graph, 7, workers=5, num_threads=2)
    assert {v: d for v, d in result.to_dict().items() if d >= 0} == wanted
    assert (result.depth == -1).sum() == 300 - len(wanted) > 0


# CEL-17
@pytest.mark.parametrize("workers", range(1, 10))
@pytest.mark.parametrize("num_threads", [1, 2, 4])
def test_any_number_of_workers_and_threads_finds_the_same(workers, num_threads):
    graph = gp.generate.uniform(100, 350, seed=6)  # 100 vertices of 8 or 9 workers: the last has less
    wanted = gp.bfs(graph, 3).depth
    np.testing.assert_array_equal(search(graph, 3, workers=workers, num_threads=num_threads).depth, wanted)
    assert workers * -(-100 // workers) >= 100


def test_labels_name_the_root():
    graph = nx.DiGraph([("oslo", "rome"), ("rome", "bern")])
    result = search(graph, "rome", workers=2)
    assert result.to_dict() == {"oslo": -1, "rome": 0, "bern": 1}


# CEL-16
def test_a_store_too_small_for_the_bitmap_is_refused_with_the_least_that_works():
    graph = gp.Graph((np.array([0]), np.array([1])), num_vertices=4_000_000)
    with pytest.raises(gp.CapacityError, match=r"at least [0-9]+ each: 500032 for the bitmap of 4000000") as error:
        search(graph, workers=1)
    least = int(str(error.value).split("at least ")[1].split()[0])
    with pytest.raises(gp.CapacityError):
        search(graph, workers=1, local_store_bytes=least - 1)
    result = search(graph, workers=1, local_store_bytes=least)
    assert result.depth[1] == 1
    assert result.stats.local_store.by_worker["used_bytes"].tolist() == [least]


# CEL-16
def test_every_worker_keeps_to_its_store(kronecker):
    for num_bytes in (4096, 20_000, 262_144):
        profile = search(kronecker, workers=4, local_store_bytes=num_bytes).stats.local_store
        assert (profile.by_worker["used_bytes"] <= num_bytes).all()
        assert sum(profile.layout.values()) == profile.by_worker["used_bytes"][0]


# CEL-23
def test_lists_are_kept_and_split_again_for_other_workers(kronecker):
    graph = gp.Graph(kronecker)
    first = search(graph, workers=2)
    assert first.stats.prepare_seconds > 0
    lists = graph._split_lists
    search(graph, 9, workers=2)
    assert graph._split_lists is lists
    search(graph, workers=3)
    assert graph._split_lists.num_workers == 3
    graph.clear_cache()
    assert graph._split_lists is None
    with pytest.raises(gp.InputError, match="split for 2 workers, and workers is 5; split the graph again"):
        _core.run_local_store(lists, 0, _options.read(method="local_store", workers=5))


# CEL-22
def test_stats_have_the_profile_of_every_step(kronecker):
    stats = search(kronecker, workers=4, num_threads=1, local_store_bytes=8192).stats
    assert (stats.device, stats.method, stats.number, stats.num_threads) == ("cpu", "local_store", "uint32", 1)
    profile = stats.local_store
    assert list(profile.step_seconds) == STEPS
    assert all(seconds > 0 for seconds in profile.step_seconds.values())
    assert sum(profile.step_seconds.values()) + profile.stall_seconds <= stats.seconds
    assert profile.periods > 4
    assert profile.messages > 0
    assert profile.edges == stats.edges_streamed == stats.supersteps["edges"].sum()
    assert profile.by_worker["vertices"].sum() == stats.supersteps["active_vertices"].sum()
    assert (profile.workers, profile.local_store_bytes, profile.code_bits) == (4, 8192, 32)
    assert profile.trace is None
    assert "bitmap" in repr(profile)
    assert sum(stats.phases.values()) == pytest.approx(stats.seconds)
    assert gp.bfs(kronecker).stats.local_store is None


# CEL-15
def test_a_trace_shows_loads_and_stores_beside_computing(kronecker):
    profile = search(kronecker, workers=2, num_threads=1, local_store_bytes=8192, trace=True).stats.local_store
    trace = profile.trace
    assert set(trace["step"]) == set(STEPS)
    assert (trace["begin"] <= trace["end"]).all()
    own = trace[trace["worker"] == 0]
    at = {(row["step"], row["iteration"]): row for row in own}
    beside = [
        load["begin"] <= row["begin"] and row["end"] <= load["end"]
        for (step, iteration), row in at.items()
        if step == "bitmap" and (load := at.get(("gather", iteration + 1))) is not None
    ]
    assert sum(beside) > 10
    # CEL-21
    apart = search(kronecker, workers=2, num_threads=1, local_store_bytes=8192, trace=True, hide_latency=False)
    for worker in range(2):
        own = np.sort(apart.stats.local_store.trace, order="begin")
        own = own[own["worker"] == worker]
        steps = own[~np.isin(own["step"], ["fetch", "commit"])]  # parts of gather, and of bitmap where bQnext is full
        assert (steps["begin"][1:] >= steps["end"][:-1] - 1e-9).all()
        periods = {(row["iteration"], row["period"]) for row in own[own["step"] == "bitmap"]}
        assert periods >= {(row["iteration"], row["period"]) for row in own[own["step"] == "commit"]}


def test_the_schedule_is_drawn(kronecker):
    result = search(kronecker, workers=3, local_store_bytes=8192, trace=True)
    ax = result.plot("periods")
    assert len(ax.get_yticks()) == 3
    assert "loads and stores beside computing" in ax.get_title().replace("\n", " ")
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {
        "1 fetch", "2 gather", "3 dispatch", "4 all-to-all", "5 bitmap", "6 commit",
    }  # fmt: skip
    ax.figure.canvas.draw()
    search(gp.generate.chain(1), workers=2, trace=True).plot("periods").figure.canvas.draw()
    result.plot("supersteps").figure.canvas.draw()
    plt.close("all")
    for other in (gp.bfs(kronecker), search(kronecker), gp.wcc(kronecker)):
        with pytest.raises(gp.InputError, match="kind 'periods' is for searches with a trace"):
            other.plot("periods")
    plt.close("all")


def test_progress_is_told_after_every_level(kronecker):
    told = []
    result = search(kronecker, workers=2, progress=lambda *step: told.append(step))
    assert [step for step, _, _ in told] == list(range(result.stats.num_supersteps))
    assert sum(edges for _, _, edges in told) == result.stats.edges_streamed

    def stop(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        search(kronecker, workers=2, progress=stop)


@pytest.mark.parametrize(
    "options, says",
    [
        ({"workers": 0}, "workers is 0; allowed are 1"),
        ({"workers": -3}, "workers is -3; allowed are 1"),
        ({"workers": 1.5}, "workers is 1.5; an integer is needed"),
        ({"workers": True}, "workers is True; an integer is needed"),
        ({"workers": "8"}, "workers is '8'; an integer is needed"),
        ({"workers": 1025}, "workers is 1025; allowed are 1 to 1024"),
        ({"workers": 2**70}, "allowed are 1 to"),
        ({"local_store_bytes": 0}, "local_store_bytes is 0; allowed are 1"),
        ({"local_store_bytes": 2.0}, "local_store_bytes is 2.0; an integer is needed"),
        ({"execution": "exact"}, "has no kernels"),
        ({"scheduler": "longest_first"}, "has no kernels"),
        ({"config": "packed"}, "has no kernels"),
        ({"design": "graphops"}, "has no kernels"),
        ({"every": 5}, 'every is 5; method="local_store" writes no checkpoints'),
        ({"overlap": "bogus"}, 'overlap is "bogus"; allowed are "auto"'),
        ({"root": 99}, "root"),
    ],
)
def test_bad_options_are_refused(options, says):
    graph = gp.generate.chain(5)
    with pytest.raises(gp.InputError, match=says):
        search(graph, **options)


def test_partitionings_are_refused():
    graph = gp.generate.chain(5)
    with pytest.raises(gp.InputError, match="has owners instead"):
        search(graph, partitioning=graph.partition())


@pytest.mark.parametrize(
    "options", [{"workers": 2}, {"local_store_bytes": 4096}, {"hide_latency": False}, {"trace": True}]
)
def test_its_options_are_refused_without_it(options):
    name = next(iter(options))
    says = "it is for methods with workers" if name == "workers" else 'is for method="local_store"'
    with pytest.raises(gp.InputError, match=rf'{name} .*{says}, and method is "auto"; omit it'):
        gp.bfs(gp.generate.chain(5), **options)


def test_other_algorithms_refuse_the_method():
    graph = gp.generate.chain(5)
    for function in (gp.sssp, gp.wcc, gp.pagerank):
        with pytest.raises(gp.InputError, match=r'"local_store"; allowed are "auto".*is for bfs alone'):
            function(graph, method="local_store")
        with pytest.raises(gp.InputError if function is gp.sssp else TypeError, match="workers"):
            function(graph, workers=2)
        with pytest.raises(TypeError, match="trace"):
            function(graph, trace=True)
        assert "local_store" not in function.__doc__
    assert '{"auto", "gas", "local_store", "direction_optimizing"}' in gp.bfs.__doc__


def test_one_graph_serves_several_threads(kronecker):
    graph = gp.Graph(kronecker)
    wanted = {workers: gp.bfs(graph, workers).depth for workers in (1, 2, 5)}
    wrong = []

    def work(workers):
        for _ in range(5):
            if not np.array_equal(search(graph, workers, workers=workers, num_threads=2).depth, wanted[workers]):
                wrong.append(workers)

    threads = [threading.Thread(target=work, args=(workers,)) for workers in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_command_has_the_options(tmp_path, kronecker):
    path = tmp_path / "graph.txt"
    kronecker.to_file(path)
    shown = gaspipe("bfs", path, "--method", "local_store", "--workers", 8, "--local-store-bytes", 65536, "--verify")
    assert "every value agrees" in shown.stdout
    assert 'method="local_store", workers=8, local_store_bytes=65536' in shown.stdout
    gaspipe("bfs", path, "--workers", 8, code=3)
    assert "--workers" not in gaspipe("wcc", "--help").stdout
    assert "local_store" not in gaspipe("sssp", "--help").stdout


INTERRUPTED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import gaspipe as gp
graph = gp.generate.chain(60_000)
gp.bfs(graph, method="local_store", workers=4, num_threads={threads}, local_store_bytes=200_000)
try:
    print("ready", flush=True)
    while True:
        gp.bfs(graph, method="local_store", workers=4, num_threads={threads}, local_store_bytes=200_000)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_search(threads):
    program = textwrap.dedent(INTERRUPTED).format(threads=threads)
    arguments = {"stdout": subprocess.PIPE, "text": True, "env": environment()}
    with subprocess.Popen([sys.executable, "-c", program], **arguments) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "stopped\n"
        assert process.returncode == 0
