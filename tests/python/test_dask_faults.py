# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F811  (fixtures are imported by name)
"""Worlds on Dask workers that cannot begin, ranks that raise, and workers, clients and schedulers that are lost."""

import _thread
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

import gaspipe as gp
from command import environment
from dask_cluster import LIMIT, client, num_ranks, process_of, wait_until, world  # noqa: F401  (fixtures)

pytestmark = pytest.mark.needs("distributed")

TIMEOUT = 4.0  # of worlds whose ranks get lost


@pytest.fixture
def fragile(client):
    """A world of its own, whose ranks may get lost; afterwards the cluster is whole again."""
    with gp.distributed.dask(client, timeout=TIMEOUT) as world:
        yield world
    wait_until(lambda: is_whole(client), 30)


def is_whole(client):
    """Whether there are three workers that answer."""
    found = client.run(os.getpid, on_error="return")
    return len(found) == 3 and all(isinstance(pid, int) for pid in found.values())


# What runs on workers.


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


# Errors that end nothing.


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
    with pytest.raises(gp.RankError, match=r"rank 1 of 3 .* has returned, and rank 0 of 3 .* waits for it"):
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


def test_ranks_whose_client_is_gone_end(client, fragile):
    def set_limit(seconds):
        from gaspipe.distributed._dask import rank

        before, rank._ABANDONED = rank._ABANDONED, seconds
        return before

    graph = fragile.generate.uniform(50, 300)
    before = set(client.run(set_limit, 1.5).values())
    try:
        for watching in fragile._ranks._watching:  # as if this process had ended
            watching.cancel()
        wait_until(lambda: not any(left(client, fragile, fragile.workers)))
    finally:
        client.run(set_limit, *before)
    with pytest.raises(gp.RankError, match=r"rank \d of 3 .* has died"):
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
