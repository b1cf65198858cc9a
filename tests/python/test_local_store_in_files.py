# SPDX-License-Identifier: Apache-2.0
"""Cell's search over a graph that stays in its file: gp.bfs(method="local_store") after Graph.load(memory=...)."""

import os
import re
import subprocess
import sys
import tempfile
import textwrap
import zlib

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
import references
import zoo
from command import environment, gaspipe
from gaspipe import _local_store
from gaspipe._formats.gaspipe.layout import read_header
from streams import AMPLE, with_room

SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)
N = 120_000


def search(graph, root=0, **options):
    return gp.bfs(graph, root, method="local_store", **options)


def hops(matrix, root):
    """Levels by SciPy."""
    pattern = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
    found = csgraph.dijkstra(pattern, indices=root, unweighted=True)
    return np.where(np.isfinite(found), found, -1).astype(np.int32)


@pytest.fixture(scope="module")
def matrix():
    rng = np.random.default_rng(1)
    ends = (rng.integers(0, N, (2, 900_000)) * rng.random((2, 900_000)) ** 2).astype(np.int64)
    matrix = sp.csr_array((np.ones(900_000), ends), shape=(N, N))
    matrix.sum_duplicates()
    return matrix


@pytest.fixture(scope="module")
def path(tmp_path_factory, matrix):
    path = tmp_path_factory.mktemp("lists") / "graph.gaspipe"
    gp.convert(matrix, path, workers=8)
    return path


@pytest.fixture
def graph(path):
    return gp.Graph.load(path, memory=AMPLE)


@pytest.fixture
def copy(path, tmp_path):
    copy = tmp_path / "copy.gaspipe"
    copy.write_bytes(path.read_bytes())
    return copy


# CEL-1, CEL-2, CEL-17, CEL-24
@pytest.mark.parametrize("name", SMALL)
def test_levels_and_parents_are_those_of_scipy(tmp_path, name):
    matrix = references.matrix(name)
    root = matrix.shape[0] // 2
    for workers in (1, 3, 8):
        gp.convert(matrix, tmp_path / "graph.gaspipe", workers=workers)
        graph = gp.Graph.load(tmp_path / "graph.gaspipe", memory=AMPLE)
        for hide_latency in (True, False):
            result = search(graph, root, hide_latency=hide_latency, parents=True)
            np.testing.assert_array_equal(result.depth, hops(matrix, root))
            np.testing.assert_array_equal(result.parent, gp.bfs(matrix, root, parents=True).parent)
            assert result.stats.local_store.workers == workers


# CEL-2, CEL-24
@pytest.mark.parametrize("local_store_bytes", [None, 12_000, 262_144])
def test_lists_and_queues_far_larger_than_the_stores(graph, matrix, local_store_bytes):
    result = search(graph, 7, local_store_bytes=local_store_bytes, parents=True)
    wanted = hops(matrix, 7)
    np.testing.assert_array_equal(result.depth, wanted)
    reached = np.flatnonzero(wanted > 0)
    before = result.parent[reached]
    assert (wanted[before] == wanted[reached] - 1).all() and (matrix[before, reached] != 0).all()
    stats = result.stats
    assert (stats.method, stats.local_store.workers) == ("local_store", 8)
    assert stats.stream["memory"] == 64_000_000_000
    assert stats.stream["bytes_read"] > 4 * matrix.nnz / 2
    assert stats.local_store.local_store_bytes == (local_store_bytes or stats.local_store.local_store_bytes)
    assert (stats.local_store.by_worker["used_bytes"] <= stats.local_store.local_store_bytes).all()
    assert stats.supersteps["edges"].sum() == stats.local_store.edges <= matrix.nnz


@pytest.mark.parametrize("num_threads", [1, 2, 5])
def test_any_number_of_threads_finds_the_same(graph, matrix, num_threads):
    np.testing.assert_array_equal(search(graph, 3, num_threads=num_threads).depth, hops(matrix, 3))


def test_a_trace_and_the_progress_of_levels(graph):
    told = []
    result = search(graph, 7, trace=True, local_store_bytes=65_536, progress=lambda *step: told.append(step))
    assert set(result.stats.local_store.trace["step"]) == set(result.stats.local_store.step_seconds)
    assert [step for step, _, _ in told] == list(range(result.stats.num_supersteps))


def test_labels_name_the_root(tmp_path):
    gp.convert((["oslo", "rome", "oslo"], ["rome", "bern", "oslo"]), tmp_path / "a.gaspipe", workers=2)
    graph = gp.Graph.load(tmp_path / "a.gaspipe", memory=AMPLE)
    assert search(graph, "rome").to_dict() == {"bern": 1, "oslo": -1, "rome": 0}


# CEL-19
def test_a_graph_of_four_times_the_memory_is_searched_within_it(tmp_path):
    graph = gp.generate.uniform(1_000_000, 2_000_000, seed=5)
    wanted = hops(graph.to_scipy().tocsr(), 3)
    assert (wanted >= 0).sum() > 500_000
    path = tmp_path / "large.gaspipe"
    gp.convert(graph, path, workers=64)
    code = """
        import re, sys, gaspipe as gp, numpy as np
        graph = gp.Graph.load(sys.argv[1], memory=int(sys.argv[2]))
        try:
            result = gp.bfs(graph, 3, method="local_store", num_threads=2)
        except gp.CapacityError as refused:
            sys.exit(f"refused: {refused}")
        np.save(sys.argv[3], result.depth)
        print(sys.argv[2], re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
        print(result.stats.stream["bytes_read"])
    """

    def find(memory):
        done = child(code, path, memory, tmp_path / "depth.npy")
        if done.stderr.startswith("refused: "):
            raise gp.CapacityError(done.stderr)
        assert done.returncode == 0, done.stderr
        return map(int, done.stdout.split())

    cap, peak, read = with_room(2_000_000, find)  # what a process takes besides is not the same everywhere
    assert peak * 1024 < cap
    assert path.stat().st_size >= 4 * cap
    assert read > 2 * cap
    np.testing.assert_array_equal(np.load(tmp_path / "depth.npy"), wanted)
    assert sorted(os.listdir(tmp_path)) == ["depth.npy", "large.gaspipe"]


def child(code, *arguments):
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment())


def test_a_budget_that_is_too_small_is_refused_with_the_least_that_works(path, monkeypatch):
    with pytest.raises(gp.CapacityError, match="with 8 workers needs at least"):
        search(gp.Graph.load(path, memory="10 MB"))
    result = with_room(0, lambda memory: search(gp.Graph.load(path, memory=memory)))
    assert result.stats.stream["bytes_read"] > 0
    result = with_room(0, lambda memory: search(gp.Graph.load(path, memory=memory), parents=True))
    assert result.parent[0] == 0
    with pytest.raises(gp.CapacityError, match="for this graph and local_store_bytes=10000000000 "):
        search(gp.Graph.load(path, memory=AMPLE), local_store_bytes=10**10)
    monkeypatch.setattr(_local_store, "_PARENT", 10**6)  # what parents take counts, 120 GB here
    search(gp.Graph.load(path, memory=AMPLE))
    with pytest.raises(gp.CapacityError, match=r"needs at least 120[0-9]{3} MB"):
        search(gp.Graph.load(path, memory=AMPLE), parents=True)


# CEL-16
def test_a_store_too_small_for_the_bitmap_is_refused(graph):
    with pytest.raises(gp.CapacityError, match=r"at least [0-9]+ each: 1920 for the bitmap of 15000 vertices"):
        search(graph, local_store_bytes=1000)


# CEL-23
def test_lists_for_another_number_of_workers_say_how_to_split_again(path, tmp_path, matrix):
    graph = gp.Graph.load(path, memory=AMPLE)
    np.testing.assert_array_equal(search(graph, workers=8).depth, hops(matrix, 0))
    with pytest.raises(gp.InputError, match="split for 8 workers, and workers is 3; use workers=8, or split") as error:
        search(graph, workers=3)
    command = re.search(r"gaspipe (convert .* --workers 3)", str(error.value))[1]
    gaspipe(*command.replace("other.gaspipe", str(tmp_path / "other.gaspipe")).split())
    again = gp.Graph.load(tmp_path / "other.gaspipe", memory=AMPLE)
    np.testing.assert_array_equal(search(again, workers=3).depth, hops(matrix, 0))
    graph.clear_cache()
    search(graph)


# CEL-23
def test_a_file_without_lists_says_how_to_write_them(copy, tmp_path, matrix):
    gp.convert(matrix, tmp_path / "plain.gaspipe")
    says = r"has no lists for workers, .* gaspipe convert .*{} other.gaspipe --workers 5, or load the graph without"
    with pytest.raises(gp.InputError, match=says.format("plain.gaspipe")):
        search(gp.Graph.load(tmp_path / "plain.gaspipe", memory=AMPLE), workers=5)
    content = copy.read_bytes()
    size = int.from_bytes(content[16:24], "little")
    newer = content[:size].replace(b'"lists":{"version":1,', b'"lists":{"version":2,')
    newer = newer[:12] + bytes(4) + newer[16:]
    copy.write_bytes(newer[:12] + zlib.crc32(newer).to_bytes(4, "little") + newer[16:] + content[size:])
    graph = gp.Graph.load(copy, memory=AMPLE)
    with pytest.raises(gp.InputError, match=says.format("copy.gaspipe")):
        search(graph, workers=5)
    np.testing.assert_array_equal(gp.bfs(graph).depth, hops(matrix, 0))


def flip(path, kind, place):
    """Flip a bit of a section."""
    with open(path, "r+b") as file:
        header = read_header(file, path.stat().st_size, str(path))
        section = next(section for section in header.sections if section.kind == kind)
        file.seek(header.first + section.start + place)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 16]))


def test_a_flipped_bit_in_the_lists_is_named(copy):
    flip(copy, "list_records", 50_000)
    graph = gp.Graph.load(copy, memory=AMPLE)  # nothing of the records is read yet
    with pytest.raises(gp.GraphFormatError, match=r"copy.gaspipe: damaged: the checksum of page 1[12] of its lists"):
        search(graph)


@pytest.mark.parametrize("kind", ["checks", "targets"])
def test_a_flipped_bit_in_what_is_said_of_the_lists_is_named(copy, kind):
    flip(copy, f"list_{kind}", 40)
    for memory in ({}, {"memory": AMPLE}):
        with pytest.raises(gp.GraphFormatError, match=f"damaged: the checksum of its {kind} of lists is wrong"):
            gp.Graph.load(copy, **memory)


def test_a_file_that_is_cut_or_written_to_is_an_error_and_one_that_is_replaced_is_not(copy, path, tmp_path, matrix):
    graph = gp.Graph.load(copy, memory=AMPLE)
    (tmp_path / "other").write_bytes(b"something else")
    os.replace(tmp_path / "other", copy)
    np.testing.assert_array_equal(search(graph).depth, hops(matrix, 0))  # the old file is still open
    copy.write_bytes(path.read_bytes())
    graph = gp.Graph.load(copy, memory=AMPLE)
    os.truncate(copy, copy.stat().st_size // 2)
    with pytest.raises(gp.GraphFormatError, match="written to since it was opened"):
        search(graph)
    with pytest.raises(gp.GraphFormatError, match="cut short"):
        gp.Graph.load(copy, memory=AMPLE)


def test_a_file_that_is_cut_while_it_is_searched_is_an_error(copy):
    graph = gp.Graph.load(copy, memory=AMPLE)

    def cut(step, *_):
        if step == 0:
            os.truncate(copy, copy.stat().st_size // 2)

    with pytest.raises(gp.GraphFormatError, match=r"written to|cut short"):
        search(graph, 7, progress=cut)


def test_a_full_disk_is_told_and_nothing_is_left(copy):
    code = """
        import resource, sys, gaspipe as gp
        graph = gp.Graph.load(sys.argv[1], memory="64 GB")
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            gp.bfs(graph, 7, method="local_store")
        except OSError as error:
            print(error)
    """
    done = child(code, copy)
    assert done.returncode == 0, done.stderr
    assert "File too large" in done.stdout and "temporary file for the queues of a search" in done.stdout
    assert os.listdir(copy.parent) == [copy.name]


def test_queues_are_elsewhere_where_nothing_can_be_written_beside_the_file(copy, tmp_path_factory, monkeypatch):
    graph = gp.Graph.load(copy, memory=AMPLE)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.getbasetemp() / "missing"))
    with pytest.raises(FileNotFoundError, match="missing"):
        search(graph)


def test_the_command_line_searches_within_a_budget(path, matrix):
    shown = gaspipe("bfs", path, "--method", "local_store", "--memory", "2GB", "--root", 7).stdout
    assert f"{(hops(matrix, 7) >= 0).sum():,} of 120,000 vertices reached" in shown and "of edges read" in shown
    assert 'memory="2GB"), root=7, method="local_store")' in shown
    refused = gaspipe("bfs", path, "--method", "local_store", "--memory", "2GB", "--workers", 5, code=3).stderr
    assert "split for 8 workers, and workers is 5" in refused
