# SPDX-License-Identifier: Apache-2.0
"""Ranks on the workers of a Dask cluster: answers as SciPy's, NetworkX's and one process's, and what happens when a
worker, a rank, the client or the scheduler fails.
"""

import _thread
import contextlib
import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import gaspipe as gp
from command import environment
from mpi_jobs import finish, start
from spread_graphs import N, as_distances, components, distances, graphs, hops, ranks_of  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.needs(tool) for tool in ("distributed", "pandas", "pyarrow")]

HERE = Path(__file__).parent
LIMIT = 10.0  # seconds in which a fault is an error of the client's
TIMEOUT = 4.0  # of worlds whose ranks get lost


@pytest.fixture(scope="module")
def client():
    """Client of three workers in processes of their own, with a thread each."""
    import cloudpickle
    from distributed import Client, LocalCluster

    here = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(here)  # workers do not import this file
    kwargs = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(**kwargs) as cluster, Client(cluster) as client:
        yield client
    cloudpickle.unregister_pickle_by_value(here)


@pytest.fixture(scope="module")
def world(client):
    with gp.distributed.dask(client) as world:
        yield world


@pytest.fixture
def fragile(client):
    """A world of its own, whose ranks may get lost; afterwards the cluster is whole again."""
    client.wait_for_workers(3, timeout=30)
    with gp.distributed.dask(client, timeout=TIMEOUT) as world:
        yield world
    client.wait_for_workers(3, timeout=30)


# What runs on workers.


def num_ranks(dask_worker):
    from gaspipe.distributed._dask.rank import _ranks

    return sum(address == dask_worker.address for _, address in _ranks)


def num_objects():
    from gaspipe.distributed._dask.rank import _ranks

    return [len(rank.objects) for rank in _ranks.values()]


def process_of(world):
    return os.getpid()


def runs(world, graph, file):
    """Run until something ends it."""
    if world.rank == 0:
        Path(file).write_text("yes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while True:
            gp.pagerank(graph, tol=0, max_iter=10)


def raises_in_a_run(world, graph):
    def progress(step, active, edges):
        if world.rank == 1 and step == 3:
            raise ValueError("the third step of rank 1")

    gp.pagerank(graph, tol=0, max_iter=50, progress=progress)


def raises_alone(world):
    if world.rank == 2:
        raise KeyError("only here")
    world.barrier()


def exits(world):
    if world.rank == 1:
        sys.exit(3)
    world.barrier()


# Answers.


def test_answers_are_those_of_others_and_of_one_process(world, graphs):  # noqa: F811
    folder, integers, _ = graphs
    whole = gp.Graph(integers)
    for strategy in ("balanced", "mix"):
        graph = world.read(folder / "int.txt", strategy=strategy)
        assert (graph.num_vertices, graph.num_edges, graph.is_weighted) == (N, integers.nnz, True)
        assert graph.shape == (N, N)
        assert sum(graph.num_own) == N
        result = gp.bfs(graph, root=3)
        assert result.stats.num_supersteps == gp.bfs(whole, root=3, method="gas").stats.num_supersteps
        assert [domain.rank for domain in result.stats.domains] == [0, 1, 2]
        assert len(result) == N
        depth = result.gather()
        assert isinstance(depth, gp.Result)
        assert depth.depth.dtype == result.dtype == gp.bfs(whole).depth.dtype
        np.testing.assert_array_equal(depth.depth, hops(integers, 3))
        found = gp.sssp(graph, root=3).gather().distance
        np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
        np.testing.assert_array_equal(found, gp.sssp(whole, root=3).distance)
        np.testing.assert_array_equal(gp.wcc(graph).gather().values, components(integers))
        found = gp.pagerank(graph, tol=1e-10, max_iter=200).gather().rank
        np.testing.assert_allclose(found, ranks_of(integers, False), atol=1e-9)
        found = gp.pagerank(graph, tol=0, max_iter=20, number="fixed").gather().values
        np.testing.assert_array_equal(found, gp.pagerank(whole, tol=0, max_iter=20, number="fixed").values)
        x = np.load(folder / "x.npy")
        np.testing.assert_allclose(gp.spmv(graph, x).gather().values, integers @ x, rtol=1e-12)


def test_files_are_read_in_parts(world, graphs, monkeypatch):  # noqa: F811
    folder, integers, floats = graphs
    monkeypatch.chdir(folder)
    for name in ("int.txt", "rows.parquet", "matrix.npz"):  # by ranges of bytes, by row groups, by rank 0
        found = gp.sssp(world.read(name), root=3).gather().distance
        np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
    found = gp.sssp(world.load(path="saved.gaspipe", strategy="hash"), root=3).gather().distance
    np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
    found = gp.sssp(world.read("float.csv")).gather().distance
    np.testing.assert_allclose(found, distances(floats, 0), rtol=1e-12)
    graph = world.read("packed.txt.gz", undirected=True)
    np.testing.assert_array_equal(gp.bfs(graph).gather().depth, hops(integers + integers.T, 0))


def test_generators_make_the_graphs_of_one_process(world):
    graph = world.generate.kronecker(scale=6, edge_factor=4, seed=7, weights=(1, 9))
    whole = gp.generate.kronecker(scale=6, edge_factor=4, seed=7, weights=(1, 9))
    np.testing.assert_array_equal(gp.sssp(graph, root=1).gather().values, gp.sssp(whole, root=1).values)
    graph, whole = (make.uniform(50, 300, seed=3) for make in (world.generate, gp.generate))
    np.testing.assert_array_equal(gp.bfs(graph).gather().values, gp.bfs(whole).values)


def test_large_boxes_arrive_whole(world):
    graph, whole = (make.uniform(200_000, 400_000, seed=2) for make in (world.generate, gp.generate))
    np.testing.assert_array_equal(gp.wcc(graph).gather().values, gp.wcc(whole).values)
    assert max(domain.bytes_sent for domain in gp.wcc(graph).stats.domains) > 1 << 17
    sizes = world.run(lambda world: [len(text) for text in world.gather(b"x" * 3_000_000 * world.rank)])
    assert sizes == [[0, 3_000_000, 6_000_000]] * 3


def test_dask_dataframes_become_graphs(client, world, graphs):  # noqa: F811
    import dask
    import dask.dataframe
    import pandas as pd

    folder, integers, _ = graphs
    rows, columns = integers.nonzero()
    table = pd.DataFrame({"a": rows, "b": columns, "w": integers.data})
    names = {"source": "a", "destination": "b", "weight": "w"}
    lazy = dask.dataframe.from_pandas(table, npartitions=7)
    persisted = lazy.persist()
    from_files = dask.dataframe.read_parquet(folder / "rows.parquet", split_row_groups=1)
    parts = [dask.delayed(lambda i: table[i::4])(i) for i in range(4)]
    for given, more in ((lazy, names), (persisted, names), (from_files, {}), (parts, names)):
        graph = world.table(given, **more)
        assert (graph.num_vertices, graph.num_edges) == (N, integers.nnz)
        found = gp.sssp(graph, root=3).gather().distance
        np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
    assert not any(sum(client.run(lambda: _inboxes()).values(), []))
    empty = world.table([dask.delayed(table)[:0]], num_vertices=4, **names)
    np.testing.assert_array_equal(gp.wcc(empty).gather().values, [0, 1, 2, 3])
    graph = world.table(lazy, undirected=True, strategy="mix", num_vertices=N + 1, **names)
    np.testing.assert_array_equal(gp.bfs(graph).gather().depth[:N], hops(integers + integers.T, 0))


def _inboxes():
    from gaspipe.distributed._dask.rank import _ranks

    return [len(rank.inbox) for rank in _ranks.values()]


def test_a_table_stays_on_the_workers_that_have_it(client, world):
    import pandas as pd

    here = [client.submit(pd.DataFrame, {"a": [i], "b": [i + 1]}, workers=[w]) for i, w in enumerate(world.workers)]
    before = transferred(client)
    graph = world.table(here, source="a", destination="b")
    assert transferred(client) == before
    np.testing.assert_array_equal(gp.bfs(graph).gather().depth, [0, 1, 2, 3])


def transferred(client):
    """Transfers of data between workers so far."""
    return sum(client.run(lambda dask_worker: dask_worker.state.transfer_incoming_count_total).values())


def test_errors_of_tables_name_the_partition_and_leave_nothing(client, world):
    import dask
    import pandas as pd

    good, bad = pd.DataFrame({"a": [0], "b": [1]}), pd.DataFrame({"a": ["x"], "b": ["y"]})
    parts = [dask.delayed(good), dask.delayed(bad)]
    with pytest.raises(gp.InputError, match="partition 1 of the table: "):
        world.table(parts, source="a", destination="b")
    with pytest.raises(gp.InputError, match=r"partition 0 of the table: .*'c'"):
        world.table(parts, source="c", destination="b")
    with pytest.raises(gp.InputError, match="the table is a DataFrame; a Dask dataframe is needed"):
        world.table(good)
    with pytest.raises(ZeroDivisionError):
        world.table([dask.delayed(lambda: 1 / 0)()])
    assert not any(sum(client.run(_inboxes).values(), []))


def test_edge_arrays_are_shared_out(world, graphs):  # noqa: F811
    integers = graphs[1]
    graph = world.edges(*integers.nonzero(), integers.data)
    found = gp.sssp(graph, root=3).gather().distance
    np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
    graph = world.edges([0, 1], [1, 0])  # fewer vertices than ranks
    np.testing.assert_array_equal(gp.bfs(graph, root=1).gather().depth, [1, 0])
    with pytest.raises(gp.InputError, match=r"destinations\[1\] is -1"):
        world.edges([0, 1], [1, -1])


def test_answers_go_to_files(world, graphs, tmp_path, monkeypatch):  # noqa: F811
    from pyarrow import parquet

    folder, integers, _ = graphs
    monkeypatch.chdir(tmp_path)
    for strategy in ("balanced", "mix"):
        result = gp.bfs(world.read(folder / "int.txt", strategy=strategy), root=3)
        result.to_npy(f"{strategy}.npy")
        result.to_parquet(tmp_path / f"{strategy}.parquet")
        np.testing.assert_array_equal(np.load(tmp_path / f"{strategy}.npy"), hops(integers, 3))
        table = parquet.read_table(tmp_path / f"{strategy}.parquet")
        np.testing.assert_array_equal(table["vertex"], np.arange(N))
        np.testing.assert_array_equal(table["depth"], hops(integers, 3))
        assert len(list((tmp_path / f"{strategy}.parquet").iterdir())) == 3
        with pytest.raises(gp.InputError, match="is there already"):
            result.to_parquet(tmp_path / f"{strategy}.parquet")
    with pytest.raises(FileNotFoundError):
        result.to_npy(tmp_path / "absent" / "x.npy")
    assert not list(tmp_path.glob(".gaspipe*"))


def test_a_custom_algorithm_is_compiled_where_it_runs(world, graphs, compiled_snippets):  # noqa: F811
    integers = graphs[1]
    widest = gp.Algorithm(
        "widest",
        prop="uint32",
        scatter="min(src, edge)",
        gather="max(a, b)",
        initial="v == root ? 0xffffffff : 0",
        parameters={"root": 0},
    )
    whole = widest(gp.Graph(integers), root=3)  # also: the library is loaded here when the algorithm travels
    graph = world.edges(*integers.nonzero(), integers.data)
    np.testing.assert_array_equal(widest(graph, root=3).gather().values, whole.values)


def test_functions_run_on_every_rank(world, graphs):  # noqa: F811
    folder, integers, _ = graphs
    assert world.run(lambda world, a, b: (world.rank, world.size, a + b), 1, b=2) == [(0, 3, 3), (1, 3, 3), (2, 3, 3)]
    assert len(set(world.run(process_of)) | {os.getpid()}) == 4
    graph = world.run(lambda world, path: world.read(path), str(folder / "int.txt"))
    result = world.run(lambda world, given: gp.bfs(given["graph"], root=3), {"graph": graph})
    np.testing.assert_array_equal(result.gather().depth, hops(integers, 3))
    reached = world.run(lambda world, result: int((result.depth >= 0).sum()), result)
    assert sum(reached) == (hops(integers, 3) >= 0).sum()


def test_parts_are_dropped_with_their_handles(client, world):
    gc.collect()
    wait_until(lambda: not any(sum(client.run(num_objects).values(), [])))
    graph = world.generate.uniform(50, 300)
    result = gp.bfs(graph)
    assert client.run(num_objects) == dict.fromkeys(world.workers, [2])
    del graph
    gc.collect()
    wait_until(lambda: client.run(num_objects) == dict.fromkeys(world.workers, [1]))
    assert result.gather().depth[0] == 0
    del result
    gc.collect()
    wait_until(lambda: not any(sum(client.run(num_objects).values(), [])))


def wait_until(holds, seconds=LIMIT):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


# Errors that end nothing.


def test_errors_of_all_ranks_are_one_error(world, graphs):  # noqa: F811
    folder = graphs[0]
    graph = world.read(folder / "int.txt")
    for call, kind, text in (
        (lambda: gp.bfs(graph, root=N), gp.InputError, "root is 90; the graph's 90 vertices allow 0 to 89"),
        (lambda: world.read(folder / "bad.txt"), gp.GraphFormatError, "seven"),
        (lambda: world.read(folder / "absent.txt"), FileNotFoundError, "absent.txt"),
        (lambda: world.read(folder / "int.txt", strategy="nearest"), gp.InputError, "strategy is 'nearest'"),
        (lambda: world.generate.kronecker(scale=99), gp.InputError, "scale is 99"),
        (lambda: gp.bfs(graph, device="fpga"), gp.InputError, "ranks run on 'cpu' and 'emulator'"),
        (lambda: gp.bfs(graph, domains=2), gp.InputError, "domains="),
        (lambda: gp.bfs(graph, progress=print), gp.InputError, "progress="),
        (lambda: gp.triangles(graph), gp.InputError, "spread over Dask workers"),
        (lambda: graph.symmetrize(), gp.InputError, "spread over Dask workers"),
        (lambda: np.asarray(gp.bfs(graph)), gp.InputError, r"gather\(\)"),
        (lambda: gp.bfs(graph).depth, AttributeError, r"r\.gather\(\)\.depth"),
        (lambda: world.run(lambda world, g: None if world.rank else g, graph), gp.InputError, "on some ranks"),
        (lambda: world.run(lambda world, other: other, world), gp.InputError, "a DaskWorld is among the arguments"),
    ):
        with pytest.raises(kind, match=text):
            call()
    with pytest.warns(gp.NotConvergedWarning, match="pagerank did not converge in 2 super-steps") as warned:
        gp.pagerank(graph, max_iter=2)
    assert warned[0].filename == __file__
    assert gp.bfs(graph).gather().depth[0] == 0


def test_an_exception_of_one_rank_names_it_and_ends_the_call_of_the_others(world):
    graph = world.generate.kronecker(scale=6)
    begin = time.monotonic()
    with pytest.raises(ValueError, match="the third step of rank 1") as raised:
        world.run(raises_in_a_run, graph)
    assert re.match(r"on rank 1 of 3 \(process \d+, worker tcp://.*\):\nTraceback", str(raised.value.__cause__))
    with pytest.raises(KeyError, match="only here") as raised:
        world.run(raises_alone)
    assert "on rank 2 of 3" in str(raised.value.__cause__)
    with pytest.raises(gp.RankError, match="SystemExit: 3"):
        world.run(exits)
    with pytest.raises(TypeError):
        world.run(lambda world: threading.Lock())  # cannot be pickled
    assert time.monotonic() - begin < LIMIT
    assert gp.bfs(graph).gather().depth[0] == 0


def test_ranks_that_differ_say_in_what(world):
    graph = world.generate.uniform(50, 300)
    with pytest.raises(gp.InputError, match="rank 1 of 3 and rank 0 differ in the argument root: 0 on rank 0 and 1"):
        world.run(lambda world, graph: gp.bfs(graph, root=world.rank % 2), graph)
    with pytest.raises(gp.RankError, match="rank 1 of 3 .* has returned, and rank 0 of 3 .* waits for it"):
        world.run(lambda world, graph: None if world.rank else gp.wcc(graph), graph)
    assert gp.bfs(graph).gather().depth[0] == 0


def test_ctrl_c_ends_the_call_and_not_the_world(world, tmp_path):
    graph = world.generate.kronecker(scale=8)
    file = tmp_path / "runs"
    interrupt = threading.Thread(target=lambda: (wait_until(file.exists), _thread.interrupt_main()))
    begin = time.monotonic()
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        world.run(runs, graph, str(file))
    assert time.monotonic() - begin < LIMIT
    interrupt.join()
    assert gp.bfs(graph).gather().depth[0] == 0


# Bad input, and worlds that do not begin.


def test_worlds_follow_each_other_and_leave_nothing(client):
    before = client.run(num_ranks)
    for workers in (2, sorted(client.nthreads())[1:], None):
        with gp.distributed.open_world("dask", client=client, workers=workers, num_threads=2) as world:
            assert world.size == (2 if workers else 3)
            threads = world.run(lambda world: world.num_threads)
            assert threads == [2] * world.size
            graph = world.generate.uniform(50, 300)
            result = gp.bfs(graph)
    assert client.run(num_ranks) == before
    for call in (lambda: gp.bfs(graph), result.gather, lambda: world.run(process_of)):
        with pytest.raises(gp.RankError, match="this world has been closed"):
            call()
    assert repr(world) == "DaskWorld(3 ranks, closed)"


def test_two_worlds_do_not_share_graphs(client, world):
    graph = world.generate.uniform(50, 300)
    with gp.distributed.dask(client) as other, pytest.raises(gp.InputError, match="of another world"):
        other.run(lambda world, graph: None, graph)


def test_ranks_leave_threads_to_other_tasks(client, world):
    assert client.submit(lambda: 7, pure=False).result(timeout=LIMIT) == 7


def test_bad_arguments_are_told(client, monkeypatch):
    for arguments, text in (
        ({"workers": 4}, "workers is 4; the cluster has 3 workers, and 1 to 3 ranks are allowed"),
        ({"workers": 0}, "workers is 0"),
        ({"workers": ["tcp://1.2.3.4:5"]}, "there is no worker 'tcp://1.2.3.4:5'; the cluster has 3 workers: tcp"),
        ({"workers": []}, "at least one"),
        ({"workers": "all"}, "a number or a list of addresses is needed"),
        ({"num_threads": -1}, "num_threads"),
        ({"timeout": 1}, "timeout is 1; at least 2 seconds are needed"),
    ):
        with pytest.raises(gp.InputError, match=re.escape(text)):
            gp.distributed.dask(client, **arguments)
    with pytest.raises(gp.InputError, match=r"client is 'tcp://.*'; a dask.distributed.Client is needed"):
        gp.distributed.dask("tcp://127.0.0.1:8786")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(gp.InputError, match=r"needs dask and distributed: pip install dask distributed"):
        gp.distributed.dask(client)


def test_a_worker_with_another_version_is_named(client):
    odd = sorted(client.nthreads())[1]

    def set_version(version):
        gp.__version__ = version

    client.run(set_version, "0.0.9", workers=[odd])
    try:
        with pytest.raises(gp.InputError, match=rf"worker {odd} has gaspipe 0.0.9, and this process {gp.__version__}"):
            gp.distributed.dask(client)
    finally:
        client.run(set_version, gp.__version__, workers=[odd])


def test_a_worker_that_is_busy_is_named(client):
    odd = sorted(client.nthreads())[1]
    before = client.run(num_ranks)
    busy = client.submit(time.sleep, 3, workers=[odd], pure=False)
    wait_until(lambda: client.processing()[odd])
    with pytest.raises(gp.RankError, match=rf"{odd}\) has not started within 2 s: it has 1 threads, and runs 1 other"):
        gp.distributed.dask(client, timeout=2)
    busy.result(timeout=LIMIT)
    time.sleep(0.2)
    assert client.run(num_ranks) == before


# Ranks, workers and schedulers that are lost.


def lose(client, world, graph, file, signal_number):
    """Send a signal to the worker of rank 1 in the middle of a run: the error on the client."""
    pid = world.run(process_of)[1]
    begin = []

    def act():
        wait_until(file.exists)
        begin.append(time.monotonic())
        os.kill(pid, signal_number)

    thread = threading.Thread(target=act)
    thread.start()
    try:
        with pytest.raises(gp.RankError) as raised:
            world.run(runs, graph, str(file))
        assert time.monotonic() - begin[0] < LIMIT
    finally:
        thread.join()
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    others = [address for rank, address in enumerate(world.workers) if rank != 1]
    with pytest.raises(gp.RankError, match="this world has ended"):
        gp.bfs(graph)
    wait_until(lambda: not any(left(client, world, others)))
    return str(raised.value), rf"rank 1 of 3 \(process {pid}, worker {world.workers[1]}\)"


def left(client, world, workers):
    """Which of the workers have a rank of this world."""
    name = world._ranks.id

    def has_rank():
        from gaspipe.distributed._dask.rank import _ranks

        return any(world == name for world, _ in _ranks)

    return list(client.run(has_rank, workers=workers).values())


def test_a_worker_that_is_killed_is_named(client, fragile, tmp_path):
    graph = fragile.generate.kronecker(scale=8)
    said, name = lose(client, fragile, graph, tmp_path / "runs", signal.SIGKILL)
    assert re.match(rf"{name} has died", said), said


def test_a_worker_that_hangs_is_named(client, fragile, tmp_path):
    graph = fragile.generate.kronecker(scale=8)
    said, name = lose(client, fragile, graph, tmp_path / "runs", signal.SIGSTOP)
    assert re.match(rf"{name} has given no sign of life for 2.4 s", said), said


def test_a_worker_that_dies_between_calls_is_named(client, fragile):
    graph = fragile.generate.uniform(50, 300)
    pid = fragile.run(process_of)[2]
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: "ended" in repr(fragile))
    with pytest.raises(gp.RankError, match=rf"rank 2 of 3 \(process {pid}, .*\) has died; this world has ended"):
        gp.bfs(graph)


def run_aside(*command):
    return subprocess.Popen(
        [sys.executable, "-m", *command], env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_scheduler_that_is_lost_is_named(signal_number, tmp_path):
    from distributed import Client

    where = ("--scheduler-file", str(tmp_path / "scheduler.json"))
    scheduler = run_aside("distributed.cli.dask_scheduler", *where, "--port", "0", "--no-dashboard")
    of_workers = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--death-timeout", "5")
    workers = [run_aside("distributed.cli.dask_worker", *where, *of_workers) for _ in range(2)]
    try:
        wait_until((tmp_path / "scheduler.json").exists, 30)
        client = Client(scheduler_file=where[1], timeout=20)
        client.wait_for_workers(2, timeout=30)
        world = gp.distributed.dask(client, timeout=TIMEOUT)
        graph = world.generate.kronecker(scale=8)
        kill = threading.Thread(
            target=lambda: (wait_until((tmp_path / "runs").exists), os.kill(scheduler.pid, signal_number))
        )
        begin = time.monotonic()
        kill.start()
        with pytest.raises(gp.RankError, match=r"the scheduler tcp://.* (is lost|has given no sign of life)"):
            world.run(runs, graph, str(tmp_path / "runs"))
        assert time.monotonic() - begin < LIMIT + 2
        kill.join()
        world.close()
        client.close(timeout=1)
        if signal_number == signal.SIGKILL:  # workers end by themselves
            assert [worker.wait(15) for worker in workers]
    finally:
        for process in [scheduler, *workers]:
            process.kill()
            process.wait()


# Other clusters.


@pytest.mark.needs("cryptography")
def test_ranks_exchange_by_tls_where_the_cluster_does(client):
    from distributed import Client, LocalCluster

    kwargs = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(security=True, protocol="tls://", **kwargs) as cluster, Client(cluster) as secure:
        with gp.distributed.dask(secure) as world:
            protocols = world.run(lambda world: type(next(iter(world.communicator._links._comms.values()))).__name__)
            assert protocols == ["TLS", "TLS"]
            graph = world.generate.uniform(50, 300, seed=3)
            found = gp.bfs(graph).gather().values
        np.testing.assert_array_equal(found, gp.bfs(gp.generate.uniform(50, 300, seed=3)).values)


@pytest.mark.needs("mpi4py", "mpi", "dask_mpi")
def test_dask_mpi_starts_the_cluster(graphs, tmp_path):  # noqa: F811
    folder, integers, _ = graphs
    program = HERE / "dask_mpi_program.py"
    code, output, errors = finish(start(4, program, folder / "int.txt", tmp_path / "answers.npz"))
    assert code == 0, output + errors
    found = np.load(tmp_path / "answers.npz")
    assert found["size"] == 2
    np.testing.assert_array_equal(found["depth"], hops(integers, 3))
