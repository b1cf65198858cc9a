# SPDX-License-Identifier: Apache-2.0
"""Lists split by owner in a file: gp.convert(workers=...), and what of them is refused."""

import json
import os
import re
import subprocess
import sys
import zlib

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from command import gaspipe
from gaspipe._formats.gaspipe.layout import PREFIX, read_header

PAGE = 4096


def edges(n=300, m=4000, seed=1):
    """Edges with loops and parallel ones; the last vertices have none."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, n - 5, m), rng.integers(0, n - 5, m) ** 2 // n


@pytest.fixture
def graph():
    return gp.Graph(edges(), num_vertices=300)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.gaspipe"


def header_of(path):
    with open(path, "rb") as file:
        return read_header(file, os.path.getsize(path), str(path))


def sections_of(path):
    """Header, and by kind where a section starts and its bytes."""
    header, content = header_of(path), path.read_bytes()
    first = header.first
    found = {s.kind: (first + s.start, content[first + s.start :][: s.num_bytes]) for s in header.sections}
    return header, found


def expected_records(graph, workers, code_bits, length_bits):
    """Records as the format describes them, vertex by vertex."""
    n = graph.num_vertices
    share = -(-n // workers)
    degrees = graph.out_degrees()
    codes = np.arange(n, dtype=np.uint64) << length_bits | np.minimum(degrees, 2**length_bits - 1).astype(np.uint64)
    records = []
    for v in range(n):
        row = np.sort(graph.indices[graph.indptr[v] : graph.indptr[v + 1]])
        if not len(row):
            continue
        lengths = np.bincount(row // share, minlength=workers)
        header = np.stack([np.cumsum(lengths) - lengths, lengths], axis=1).astype("<u4").tobytes()
        for part in (header, codes[row].astype(f"<u{code_bits // 8}").tobytes()):
            records += [part, bytes(-len(part) % 16)]
    return b"".join(records)


# CEL-23, CEL-8
@pytest.mark.parametrize("workers", [1, 3, 8, 400])
@pytest.mark.parametrize("weights", [False, True])
def test_a_conversion_writes_codes_and_the_lists_of_every_owner(out, graph, workers, weights):
    source = gp.Graph((*edges(), np.arange(4000.0)), num_vertices=300) if weights else graph
    gp.convert(source, out, workers=workers)
    header, found = sections_of(out)
    assert header.lists == (1, workers, 32)
    start, section = found["list_records"]
    pad = -start % PAGE
    records = section[pad:]
    assert not any(section[:pad])
    assert records == expected_records(graph, workers, 32, 32 - 9)
    checks = [zlib.crc32(records[first : first + PAGE]) for first in range(0, len(records), PAGE)]
    assert np.frombuffer(found["list_checks"][1], "<u4").tolist() == checks
    targets = np.unpackbits(np.frombuffer(found["list_targets"][1], np.uint8), bitorder="little")
    assert np.flatnonzero(targets).tolist() == np.unique(graph.indices).tolist()


def test_a_list_longer_than_memory_holds_is_written_whole(out):
    long = np.arange(900_000) % 700_001
    graph = gp.Graph((np.r_[np.zeros_like(long), 5, 7], np.r_[long, 0, 9]))
    gp.convert(graph, out, workers=2)
    _, found = sections_of(out)
    start, section = found["list_records"]
    header = np.frombuffer(section, "<u4", 4, -start % PAGE)
    assert header.tolist() == [0, 550_000, 550_000, 350_000]
    assert section[-start % PAGE :] == expected_records(graph, 2, 32, 32 - 20)


# CEL-23
def test_a_file_is_split_again_for_another_number_of_workers(out, tmp_path, graph):
    gp.convert(graph, out, workers=8)
    shown = gaspipe("convert", out, tmp_path / "three.gaspipe", "--workers", 3)
    assert "lists for 3 workers" in shown.stdout and "workers=3" in shown.stdout
    gp.convert(graph, tmp_path / "direct.gaspipe", workers=3)
    assert (tmp_path / "three.gaspipe").read_bytes() == (tmp_path / "direct.gaspipe").read_bytes()
    gp.convert(out, tmp_path / "none.gaspipe")
    gp.convert(graph, tmp_path / "plain.gaspipe")
    assert (tmp_path / "none.gaspipe").read_bytes() == (tmp_path / "plain.gaspipe").read_bytes()


def test_files_do_not_depend_on_memory_or_threads(tmp_path):
    source = gp.Graph(edges(n=60_000, m=1_500_000))
    made = set()
    for number, (memory, threads) in enumerate((("22 MB", 1), ("26 MB", 2), ("1 GB", 3))):
        out = tmp_path / f"{number}.gaspipe"
        gp.convert(source, out, memory=memory, num_threads=threads, workers=4, views=("forward", "undirected"))
        made.add(zlib.crc32(out.read_bytes()))
    assert len(made) == 1
    assert sorted(os.listdir(tmp_path)) == ["0.gaspipe", "1.gaspipe", "2.gaspipe"]


def test_lists_of_a_graph_without_edges(out):
    none = np.zeros(0, np.int64)
    gp.convert(gp.Graph((none, none), num_vertices=5), out, workers=2)
    _, found = sections_of(out)
    assert not any(found["list_records"][1]) and found["list_checks"][1] == b""


# CEL-23
def test_a_file_says_its_version_and_loads_into_memory_with_and_without_lists(out, tmp_path, graph):
    gp.convert(graph, out, workers=8)
    gp.convert(graph, tmp_path / "plain.gaspipe")
    assert [PREFIX.unpack(path.read_bytes()[:32])[1:3] for path in (out, tmp_path / "plain.gaspipe")] == [
        (1, 2),
        (1, 1),
    ]
    for path in (out, tmp_path / "plain.gaspipe"):
        loaded = gp.Graph.load(path)
        np.testing.assert_array_equal(loaded.indptr, graph.indptr)
        result = gp.bfs(loaded, method="local_store", workers=3)  # lists in memory are split for any number
        np.testing.assert_array_equal(result.depth, gp.bfs(graph).depth)


@pytest.mark.parametrize("budget", [40_000_000, 60_000_000, 90_000_000])
def test_the_memory_of_a_conversion_stays_below_the_budget(out, tmp_path, budget):
    rng = np.random.default_rng(3)
    graph = gp.Graph(tuple(rng.integers(0, 200_000, (2, 4_000_000))))
    graph.save(tmp_path / "in.gaspipe")
    del graph
    code = """
        import sys, gaspipe as gp
        from gaspipe import _formats
        _formats.known()
        gp.convert((range(3), range(3)), sys.argv[2], workers=2)
        def peak():
            return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) * 1024
        open("/proc/self/clear_refs", "w").write("5")
        before = peak()
        gp.convert(sys.argv[1], sys.argv[2], memory=int(sys.argv[3]), num_threads=2, workers=8)
        print(peak() - before)
    """
    code = re.sub(r"(?m)^ {8}", "", code)
    command = [sys.executable, "-c", code, str(tmp_path / "in.gaspipe"), str(out), str(budget)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < budget
    assert out.stat().st_size > 30e6


def test_a_full_disk_is_told_and_nothing_is_left(out, graph):
    gp.convert(graph, out)
    size = out.stat().st_size
    code = (
        "import resource, sys, gaspipe as gp\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 9000}, {size + 9000}))\n"
        "try: gp.convert(sys.argv[1], sys.argv[2], workers=8)\n"
        "except OSError as error: print(error)\n"
    )
    command = [sys.executable, "-c", code, str(out), str(out.parent / "lists.gaspipe")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert "File too large" in done.stdout and "lists.gaspipe" in done.stdout, done.stderr
    assert os.listdir(out.parent) == [out.name]


def test_too_little_memory_is_refused_with_the_least_that_works(out):
    given = edges(n=200_000, m=300_000)
    with pytest.raises(gp.InputError, match="at least") as refused:
        gp.convert(given, out, workers=8, memory="1 MB", num_threads=1)
    for _ in range(3):  # first to begin with, then for the vertices
        least = re.search(r"at least (.*) are needed", str(refused.value))[1]
        try:
            gp.convert(given, out, workers=8, memory=least, num_threads=1)
            break
        except gp.InputError as error:
            refused.value.args = error.args
    assert out.exists()


@pytest.mark.parametrize(
    ("workers", "says"),
    [
        (0, "workers is 0; allowed are 1 to 1024"),
        (1025, "workers is 1025; allowed are 1 to 1024"),
        (2.0, "workers is 2.0; an integer is needed"),
        (True, "workers is True; an integer is needed"),
    ],
)
def test_wrong_numbers_of_workers_are_refused_before_a_file_is_touched(out, graph, workers, says):
    with pytest.raises(gp.InputError, match=says):
        gp.convert(graph, out, workers=workers)
    assert not out.exists()


def test_lists_of_a_rectangle_are_refused(out):
    matrix = gp.Graph(sp.csr_array(np.ones((2, 3))), rectangular=True)
    with pytest.raises(gp.InputError, match="square matrices; this one is 2 x 3"):
        gp.convert(matrix, out, rectangular=True, workers=2)
    assert not out.exists()


def with_header(path, change):
    """Rewrite the header's JSON, with its checksum."""
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:24], "little")
    text = change(bytes(content[32:size]).decode().rstrip()).encode()
    content[32:size] = text.ljust(size - 32)
    content[12:16] = bytes(4)
    content[12:16] = zlib.crc32(content[:size]).to_bytes(4, "little")
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"version": 1, "workers": 0, "code_bits": 32}, "an integer of 1 to 1024"),
        ({"version": 1, "workers": 8, "code_bits": 31}, "codes of 31 bits"),
        ({"version": True, "workers": 8, "code_bits": 32}, "found True"),
        ({"workers": 8, "code_bits": 32}, "no 'version'"),
    ],
)
def test_a_header_that_says_what_cannot_be_of_lists_is_refused(out, graph, said, says):
    gp.convert(graph, out, workers=8)
    lists = '"lists":' + json.dumps(said)
    with_header(out, lambda text: re.sub(r'"lists":\{.*?\}', lists, text))
    with pytest.raises(gp.GraphFormatError, match=says):
        gp.Graph.load(out)
