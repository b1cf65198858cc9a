# SPDX-License-Identifier: Apache-2.0
"""Where the edges of a graph in a file come from: io_uring, threads, the system's cache, and a disk that fails."""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import zlib

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

import gaspipe as gp
from command import environment
from gaspipe._formats.gaspipe.stored import read_stored
from streams import AMPLE, is_read_past_cache

HERE = os.path.dirname(__file__)
N = 150_000  # three partitions

# The process forbids itself system calls from a point on, which is what containers do to io_uring, and how a disk's
# failure looks: `forbid(number, errno)` of the thread at hand and those that it starts.
FORBID = """
import ctypes, errno, os, struct, sys, zlib
import gaspipe as gp
from streams import AMPLE, leave_cache, with_room

def forbid(number, error):
    load, equal, give = 0x20, 0x15, 0x06
    steps = [(load, 0, 0, 0), (equal, 0, 1, number), (give, 0, 0, 0x00050000 | error), (give, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    memory = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # no new privileges
    assert libc.prctl(22, 2, program, 0, 0) == 0, os.strerror(ctypes.get_errno())  # a filter

SETUP_OF_IO_URING = 425
PREAD = {"x86_64": 17, "aarch64": 67}[os.uname().machine]
path = sys.argv[1]
graph = gp.Graph.load(path, memory=AMPLE)
"""


@pytest.fixture(scope="module")
def edges():
    return tuple(np.random.default_rng(5).integers(0, N, (2, 900_000)))


@pytest.fixture(scope="module")
def path(tmp_path_factory, edges):
    path = tmp_path_factory.mktemp("reads") / "graph.gaspipe"
    gp.Graph(edges, num_vertices=N).save(path, blocks=True)
    return path


@pytest.fixture(scope="module")
def weighted(tmp_path_factory):
    """A file of 50 MB, beside which what a process takes more or less from call to call is little."""
    rng = np.random.default_rng(6)
    edges = tuple(rng.integers(0, N, (2, 5_000_000)))
    path = tmp_path_factory.mktemp("reads") / "weighted.gaspipe"
    gp.Graph((*edges, rng.random(len(edges[0]))), num_vertices=N).save(path, blocks=True)
    return path, edges


def run(code, *arguments):
    surroundings = environment()
    return subprocess.run(
        [sys.executable, "-c", FORBID + textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**surroundings, "PYTHONPATH": os.pathsep.join([HERE, surroundings["PYTHONPATH"]])},
    )


def test_every_way_to_read_gives_the_same_answer(path, edges):
    matrix = sparse.csr_array((np.ones(len(edges[0])), edges), shape=(N, N))
    hops = csgraph.shortest_path(matrix, unweighted=True, indices=0)
    expected = zlib.crc32(np.where(np.isinf(hops), -1, hops).astype(np.int32).tobytes())
    code = """
        for way in ("any", "no io_uring", "cache"):
            if way == "no io_uring":
                forbid(SETUP_OF_IO_URING, errno.EPERM)
            for attempt in range(10):  # a system that is short of memory keeps nothing in its cache for long
                if way != "cache":
                    leave_cache(path)
                else:
                    open(path, "rb").read()
                result = gp.bfs(graph, 0, num_threads=2)
                stream = result.stats.stream
                if (stream["reader"] == "cache") == (way == "cache"):
                    break
            print(zlib.crc32(result.values.tobytes()), stream["reader"], stream["bytes_from_disk"] > 0)
    """
    can_pass = is_read_past_cache(path)
    done = run(code, path)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) == 3
    assert [row[0] for row in rows] == 3 * [str(expected)]
    if can_pass:
        assert rows[0][1] in ("io_uring", "pread") and rows[0][2] == "True"
        assert rows[1][1:] == ["pread", "True"]
        assert rows[2][1:] == ["cache", "False"]


def test_blocks_are_kept_in_the_memory_that_is_left(weighted):
    path, edges = weighted
    expected = np.full(N, 1 / N)
    matrix = sparse.csr_array((np.ones(len(edges[0])), edges), shape=(N, N))
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    for _ in range(6):
        sent = np.divide(expected, degrees, out=np.zeros(N), where=degrees > 0)
        expected = 0.15 / N + 0.85 * (matrix.T @ sent + expected[degrees == 0].sum() / N)
    np.save(f"{path}.expected.npy", expected)
    code = """
        import numpy as np

        def rank(memory):
            leave_cache(path)
            graph = gp.Graph.load(path, memory=memory)
            return gp.pagerank(graph, tol=0, max_iter=6, number="float64", num_threads=2)

        expected = np.load(path + ".expected.npy")
        for room in sys.argv[2:]:
            result = with_room(int(room), rank)
            np.testing.assert_allclose(result.values, expected, rtol=1e-12)
            print(result.stats.stream["bytes_read"], result.stats.stream["bytes_from_disk"])
    """
    # More buffers come first, eight in all for each of two threads.
    blocks = read_stored(path).views["forward"].index[:, 2].astype(np.int64)
    buffers = 16 * int(blocks.max())
    can_pass = is_read_past_cache(path)
    done = run(code, path, 0, buffers + int(blocks.sum()) * 2 // 3, int(AMPLE.split()[0]) * 10**9)
    assert done.returncode == 0, done.stderr
    read, (none, some, all_) = np.array([line.split() for line in done.stdout.splitlines()], np.int64).T
    assert set(read) == {6 * blocks.sum()}
    if can_pass:
        assert all_ == blocks.sum()  # once
        assert all_ < some < none
        assert none > read[0] // 2


def test_a_disk_that_fails_under_a_search_with_local_stores_is_an_error_with_the_files_name(tmp_path, edges):
    path = tmp_path / "lists.gaspipe"
    gp.convert(edges, path, workers=2)
    code = """
        gp.bfs(graph, method="local_store")
        forbid(PREAD, errno.EIO)
        forbid(SETUP_OF_IO_URING, errno.EPERM)
        for again in range(2):
            leave_cache(path)
            try:
                gp.bfs(graph, method="local_store", num_threads=1)
            except OSError as error:
                assert error.errno == errno.EIO, error
                print(type(error).__name__, error)
    """
    done = run(code, path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(str(path) in line and os.strerror(5) in line for line in lines)
    assert os.listdir(tmp_path) == ["lists.gaspipe"]


def test_a_file_of_another_user_is_read_ahead(path):
    """To those who may not write to a file, the system says that its cache has all of it."""
    if os.geteuid() != 0:
        pytest.skip("root only may run a process as another user")
    code = """
        expected = gp.bfs(graph, 0).values
        leave_cache(path)
        try:
            os.setuid(65534)
            graph = gp.Graph.load(path, memory=AMPLE)
        except OSError as error:
            sys.exit(f"no other user: {error}")
        result = gp.bfs(graph, 0, num_threads=2)
        print((result.values == expected).all(), result.stats.stream["bytes_from_disk"] > 0)
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "graph.gaspipe")
        shutil.copyfile(path, copy)
        os.chmod(folder, 0o755)
        os.chmod(copy, 0o644)
        can_pass = is_read_past_cache(copy)
        done = run(code, copy)
    if done.stderr.startswith("no other user"):
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    is_right, is_from_disk = done.stdout.split()
    assert is_right == "True"
    if can_pass:
        assert is_from_disk == "True"


def test_a_disk_that_fails_is_an_error_with_the_files_name(path):
    code = """
        forbid(PREAD, errno.EIO)
        forbid(SETUP_OF_IO_URING, errno.EPERM)
        for again in range(2):
            leave_cache(path)
            try:
                gp.pagerank(graph, num_threads=1)
            except OSError as error:
                assert error.errno == errno.EIO, error
                print(type(error).__name__, error)
    """
    done = run(code, path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(str(path) in line and os.strerror(5) in line for line in lines)
