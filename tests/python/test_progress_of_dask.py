# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F811  (fixtures are imported by name)
"""`progress=` of files that ranks on Dask workers read: told on the client, of all ranks together."""

import os
import threading
import time

import numpy as np
import pytest

import gaspipe as gp
from dask_cluster import client, world  # noqa: F401  (fixtures)
from gaspipe import _progress
from spread_graphs import graphs  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.needs(tool) for tool in ("distributed", "pandas", "pyarrow")]


@pytest.mark.parametrize("name", ["int.txt", "packed.txt.gz"])  # in parts; by rank 0
def test_the_client_is_told_of_all_bytes_on_its_own_thread(world, graphs, name):
    path, told, threads = graphs[0] / name, [], set()

    def tell(*what):
        told.append(what)
        threads.add(threading.get_ident())

    graph = world.read(path, progress=tell)
    assert graph.num_edges == world.read(path).num_edges
    assert {what for what, _, _ in told} == {"reading"} and threads == {threading.get_ident()}
    done = [num_bytes for _, num_bytes, _ in told]
    assert done == sorted(done)
    assert told[-1][1] == told[-1][2]
    assert abs(told[-1][2] - path.stat().st_size) < world.size  # cut in equal parts


def test_a_saved_graph_is_told_of(world, graphs):
    told = []
    world.load(path=graphs[0] / "saved.gaspipe", progress=lambda *what: told.append(what))
    assert told[-1][0] == "reading" and 0 < told[-1][1] == told[-1][2]


def test_the_client_is_told_while_ranks_read(world, tmp_path):
    """Of a pipe, which gets its edges in the course of some seconds."""
    pipe, told = tmp_path / "edges.txt", []
    os.mkfifo(pipe)
    line = b"".join(b"%d %d\n" % (i % 1000, i * 7 % 1000) for i in range(20_000))

    def write():
        with open(pipe, "wb", buffering=0) as file:
            for _ in range(16):
                file.write(line)
                time.sleep(0.25)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    graph = world.read(pipe, format="edge_list", progress=lambda *what: told.append((time.monotonic(), what)))
    end = time.monotonic()
    writer.join(10)
    assert graph.num_edges == 16 * 20_000
    assert {total for _, (_, _, total) in told} == {None}
    done = [num_bytes for _, (_, num_bytes, _) in told]
    assert done == sorted(done) and len(set(done)) > 2
    assert done[-1] == 16 * len(line)
    assert end - told[0][0] > 1


def test_errors_of_the_function_come_through_and_the_world_goes_on(world, graphs):
    def stop(*what):
        raise KeyError(what)

    path = graphs[0] / "int.txt"
    with pytest.raises(KeyError, match="reading"):
        world.read(path, progress=stop)
    with pytest.raises(gp.InputError, match=r"progress is 1; a bool or a function, progress\(what, done, total\)"):
        world.read(path, progress=1)
    assert np.array_equal(gp.bfs(world.read(path, progress=False)).gather().depth, gp.bfs(world.read(path)).gather())


def test_the_function_must_not_use_the_world(world, tmp_path):
    """It is called in the course of the call, and at the end of a short one."""
    path, said, given = tmp_path / "edges.txt", [], world.generate.uniform(50, 300)
    path.write_text("0 1\n1 2\n")

    def slow(ids, size):
        time.sleep(1.2)
        return ids % size

    def ask(*what):
        with pytest.raises(gp.InputError, match=r"this world is in a call; its function of progress= must not use it"):
            gp.bfs(given)
        said.append(what)

    reading = threading.Thread(target=world.read, args=(path,), kwargs={"strategy": slow, "progress": ask}, daemon=True)
    reading.start()
    reading.join(20)
    assert not reading.is_alive() and len(said) > 1
    assert gp.bfs(given).num_vertices == 50


@pytest.mark.needs("tqdm")
def test_true_shows_a_bar_on_the_client(world, graphs, monkeypatch, capsys):
    monkeypatch.setattr(_progress, "DELAY", 0)
    world.read(graphs[0] / "int.txt", progress=True)
    shown = capsys.readouterr().err
    assert "reading:" in shown
    assert shown.rpartition("\r")[2].strip() == ""
