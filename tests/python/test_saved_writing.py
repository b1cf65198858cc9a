# SPDX-License-Identifier: Apache-2.0
"""Graph.save and Graph.load: the memory they take, files that appear whole or not at all, and threads that fail."""

import json
import os
import subprocess
import sys
import time
import types
import zlib

import pytest

import gaspipe as gp
import zoo
from gaspipe._formats.gaspipe import checksums
from saved_files import assert_same

# Memory


BIG = """
import resource, sys
import numpy as np
import gaspipe as gp
def status(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field))
gp.bfs(gp.Graph(([0], [1])), num_threads=2)
gp.Graph.load(sys.argv[2], num_threads=2)  # whatever the first load brings with it
room = 32 << 10  # KiB
limit = (status("VmData") + room) << 10
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
before = status("RssAnon")
graph = gp.Graph.load(sys.argv[1], verify=sys.argv[3] == "True", num_threads=2)
print(graph.num_edges, status("RssAnon") - before)
"""


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A file of 192 MB, and a small one."""
    folder = tmp_path_factory.mktemp("big")
    gp.generate.uniform(1 << 18, 24 << 20, weights=(1, 9)).save(folder / "big")
    gp.Graph(([0], [1])).save(folder / "small")
    assert os.path.getsize(folder / "big") > 190 << 20
    return folder


@pytest.mark.parametrize("verify", [True, False])
def test_loading_takes_no_memory(big, verify):
    command = [sys.executable, "-c", BIG, big / "big", big / "small", str(verify)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    num_edges, taken = map(int, done.stdout.split())
    assert num_edges == 24 << 20
    assert taken < 16 << 10  # KiB


def test_the_limit_of_that_test_would_stop_a_copy(big):
    script = BIG.replace("verify=", "mmap=False, verify=")
    command = [sys.executable, "-c", script, big / "big", big / "small", "True"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    assert "MemoryError" in done.stderr


SAVE = BIG.replace("before = ", "source = gp.Graph.load(sys.argv[1]); before = ").replace(
    "graph = gp.Graph.load(sys.argv[1],", "source.save(sys.argv[1] + '.copy'); graph = gp.Graph.load(sys.argv[1],"
)


def test_saving_takes_no_memory(big):
    command = [sys.executable, "-c", SAVE, big / "big", big / "small", "False"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    copied = big / "big.copy"
    assert copied.read_bytes() == (big / "big").read_bytes()
    copied.unlink()


def test_arrays_are_the_pages_of_the_file_and_read_only(tmp_path):
    graph = gp.Graph(zoo.ZOO["weights_of_64_bits"]())
    graph.save(tmp_path / "graph")
    loaded = gp.Graph.load(tmp_path / "graph")
    with open("/proc/self/maps") as maps:
        spans = [line.split()[0].split("-") for line in maps if line.rstrip().endswith(str(tmp_path / "graph"))]
    (low, high) = (int(bound, 16) for bound in spans[0])
    for array in (loaded.indptr, loaded.indices, loaded.weights):
        assert low <= array.ctypes.data < high
        assert array.ctypes.data % 64 == 0
        assert not array.flags.writeable
    own = gp.Graph.load(tmp_path / "graph", mmap=False)
    assert not low <= own.indices.ctypes.data < high


def test_the_map_goes_when_the_graph_goes(tmp_path):
    gp.Graph(zoo.ZOO["grid"]()).save(tmp_path / "graph")

    def is_mapped():
        with open("/proc/self/maps") as maps:
            return str(tmp_path / "graph") in maps.read()

    graph = gp.Graph.load(tmp_path / "graph")
    array = graph.weights
    assert is_mapped()
    del graph
    assert is_mapped()
    assert array.sum() == zoo.ZOO["grid"]().data.sum()
    del array
    deadline = time.monotonic() + 30  # a thread that helped with checksums may end later on a busy machine
    while is_mapped() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_mapped()


def test_a_graph_can_be_saved_over_the_file_it_is_mapped_from(tmp_path):
    path = tmp_path / "graph"
    first, second = gp.Graph(zoo.ZOO["grid"]()), gp.Graph(zoo.ZOO["kronecker"]())
    first.save(path)
    loaded = gp.Graph.load(path)
    second.save(path)
    assert_same(loaded, first)
    loaded.save(path)
    assert_same(loaded, first)
    path.unlink()
    assert_same(loaded, first)


# Writing


@pytest.mark.parametrize("old", [None, b"old"])
def test_no_half_written_file_stays_where_space_ends(tmp_path, old):
    path = tmp_path / "graph"
    if old is not None:
        path.write_bytes(old)
    script = """
import resource, signal, sys
import gaspipe as gp
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
graph = gp.generate.uniform(1000, 100_000)
for limit in (0, 10, 1000, 200_000, 399_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        graph.save(sys.argv[1])
    except OSError as error:
        print(error.errno)
"""
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["27"] * 5), done.stderr
    assert os.listdir(tmp_path) == ([] if old is None else ["graph"])
    assert old is None or path.read_bytes() == old


def test_a_full_device_is_an_error():
    with pytest.raises(OSError, match="No space left"):
        gp.Graph(zoo.ZOO["grid"]()).save("/dev/full")


def test_ctrl_c_while_writing_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        gp.Graph(zoo.ZOO["grid"]()).save(tmp_path / "graph")
    assert os.listdir(tmp_path) == []


def test_the_file_is_on_disk_before_it_takes_its_name(tmp_path, monkeypatch):
    events = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: (events.append("fsync"), sync(descriptor)))
    monkeypatch.setattr(os, "replace", lambda *names: (events.append("replace"), replace(*names)))
    gp.Graph(zoo.ZOO["grid"]()).save(tmp_path / "graph")
    assert events == ["fsync", "replace"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_takes_no_files_is_an_error(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError, match="graph"):
            gp.Graph(([0], [1])).save(tmp_path / "graph")
    finally:
        tmp_path.chmod(0o700)


def test_a_directory_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"):
        gp.Graph(([0], [1])).save(tmp_path / "missing" / "graph")


def test_a_graph_can_be_saved_to_a_pipe(tmp_path):
    graph = gp.Graph(zoo.ZOO["cycle"]())
    graph.save(tmp_path / "graph")
    script = "import sys, gaspipe as gp; gp.Graph.load(sys.argv[1]).save('/dev/stdout')"
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "graph"], stdout=subprocess.PIPE, timeout=60, check=True
    )
    assert done.stdout == (tmp_path / "graph").read_bytes()
    script = "import gaspipe as gp; print(gp.Graph.load('/dev/stdin').weights.tolist())"
    with subprocess.Popen(["cat", tmp_path / "graph"], stdout=subprocess.PIPE) as cat:
        done = subprocess.run([sys.executable, "-c", script], stdin=cat.stdout, stdout=subprocess.PIPE, check=True)
    assert json.loads(done.stdout) == graph.weights.tolist()


def test_saving_twice_gives_the_same_bytes(tmp_path):
    graph = gp.Graph(zoo.ZOO["kronecker"]())
    graph.save(tmp_path / "one", num_threads=1)
    graph.save(tmp_path / "two", num_threads=3)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


# Memory that runs short, and threads that do not start or die


@pytest.fixture(scope="module")
def several_blocks():
    """A graph whose arrays are checksummed by several threads."""
    return gp.generate.uniform(100_000, 3_000_000, seed=1)


def fails(*_):
    raise RuntimeError("can't start new thread")


def dies_at_once(*_):
    """As a thread whose first line finds no memory."""
    return 0


def dies_at_work(work, arguments):
    """As a thread that has taken a block and finds no memory for the rest."""
    real, checksums.zlib.crc32 = checksums.zlib.crc32, lambda block: (_ for _ in ()).throw(MemoryError())
    try:
        work(*arguments)
    finally:
        checksums.zlib.crc32 = real
    return 0


@pytest.mark.parametrize("start", [fails, dies_at_once, dies_at_work])
def test_a_thread_that_does_not_start_or_dies_is_not_waited_for(tmp_path, several_blocks, monkeypatch, start):
    several_blocks.save(tmp_path / "one.gaspipe", num_threads=1)
    started = []
    monkeypatch.setattr(checksums, "zlib", types.SimpleNamespace(crc32=zlib.crc32))
    monkeypatch.setattr(
        checksums._thread, "start_new_thread", lambda *arguments: started.append(1) or start(*arguments)
    )
    several_blocks.save(tmp_path / "four.gaspipe", num_threads=4)
    assert started
    assert (tmp_path / "four.gaspipe").read_bytes() == (tmp_path / "one.gaspipe").read_bytes()
    assert gp.Graph.load(tmp_path / "four.gaspipe", num_threads=4).num_edges == several_blocks.num_edges


IN_SHORT_MEMORY = """
import resource, sys
import gaspipe as gp
graph = gp.Graph.load(sys.argv[1], mmap=False, num_threads=4)
def size():
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize:"))
for kib in (0, 512, 4096, 8192, 8300, 9000, 12000, 16600, 18000, 25000, 64000):
    for use in (lambda: graph.save(sys.argv[2], num_threads=4), lambda: gp.Graph.load(sys.argv[1], num_threads=4)):
        resource.setrlimit(resource.RLIMIT_AS, (size() + (kib << 10), resource.RLIM_INFINITY))
        try:
            use()
            found = "done"
        except MemoryError:
            found = "MemoryError"
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(found)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
def test_save_and_load_end_however_short_memory_is(tmp_path, several_blocks):
    several_blocks.save(tmp_path / "a.gaspipe")
    done = subprocess.run(
        [sys.executable, "-c", IN_SHORT_MEMORY, tmp_path / "a.gaspipe", tmp_path / "b.gaspipe"],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = done.stdout.split()
    assert len(found) == 22 and set(found) <= {"done", "MemoryError"}
    assert found[-2:] == ["done", "done"]
    assert (tmp_path / "b.gaspipe").read_bytes() == (tmp_path / "a.gaspipe").read_bytes()
