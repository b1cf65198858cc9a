# SPDX-License-Identifier: Apache-2.0
"""Edges in blocks: what comes back is what was converted, whatever it came from and however little memory there was."""

import bz2
import gzip
import json
import lzma
import os
import re
import subprocess
import sys
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import gaspipe as gp
from gaspipe import _core
from gaspipe._formats.gaspipe.layout import PREFIX, read_header
from gaspipe._formats.gaspipe.stored import blocks_of, read_stored

WEIGHTS = [None, np.int32, np.int64, np.float32, np.float64]
VIEWS = ("forward", "reverse", "undirected")


def edges(seed=1, n=300, m=4000, dtype=None):
    """Edges with loops and parallel ones; weights with NaN, infinities and both zeros where they can be."""
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, n, m), rng.integers(0, n, m) ** 2 // n
    if dtype is None:
        return sources, targets
    weights = rng.integers(-50, 50, m).astype(dtype)
    if np.dtype(dtype).kind == "f":
        weights[:6] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5]
    return sources, targets, weights


def in_order(graph):
    """Sources, destinations and weights as files have them, parallel edges by weight."""
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
    weights = np.zeros(graph.num_edges) if graph.weights is None else graph.weights
    order = np.lexsort([weights, graph.indices, sources])
    return sources[order], graph.indices[order], weights[order]


def assert_same(one, other):
    assert one.shape == other.shape
    assert (one.weights is None) == (other.weights is None)
    assert one.weights is None or one.weights.dtype == other.weights.dtype
    for a, b in zip(in_order(one), in_order(other)):
        np.testing.assert_array_equal(a, b)


def view_of(path, view):
    """Edges of a view, as its blocks have them."""
    stored = read_stored(path)
    kind = "" if stored.weights is None else stored.weights.str
    with open(path, "rb") as file:
        parts = [
            _core.edges_of_block(entry, block, kind, True)
            for _, entry, block in blocks_of(file, stored.views[view], view, path.name)
        ]
    if not parts:
        return np.zeros(0, np.uint32), np.zeros(0, np.uint32), None
    sources, targets, weights = zip(*parts)
    return *map(np.concatenate, (sources, targets)), None if weights[0] is None else np.concatenate(weights)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.gaspipe"


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_a_graph_saved_in_blocks_comes_back(out, dtype):
    graph = gp.Graph(edges(dtype=dtype), num_vertices=310)
    graph.save(out, blocks=True)
    loaded = gp.Graph.load(out)
    assert_same(loaded, graph)
    rows = loaded.indptr
    assert all((np.diff(loaded.indices[a:b].astype(int)) >= 0).all() for a, b in zip(rows, rows[1:]))
    assert_same(gp.Graph.from_file(out), graph)


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_views_are_those_of_scipy(out, dtype):
    n = 70_000  # two partitions
    sources, targets, *weights = edges(n=n, m=20_000, dtype=dtype)
    gp.convert((sources, targets, *weights), out, views=VIEWS)
    graph = gp.Graph.load(out)
    n = graph.num_vertices
    for view, (from_, to) in {"forward": (sources, targets), "reverse": (targets, sources)}.items():
        got = view_of(out, view)
        order = np.lexsort([*weights, to, from_, to // 65536])
        np.testing.assert_array_equal(got[0], from_[order])
        np.testing.assert_array_equal(got[1], to[order])
        if weights:
            np.testing.assert_array_equal(got[2], weights[0][order])
    got = view_of(out, "undirected")
    both = graph.symmetrize()
    made = gp.Graph(got if weights else got[:2], num_vertices=n)
    assert_same(made, both)
    key = got[1].astype(np.int64) // 65536 * 2**40 + got[0]
    assert (np.diff(key) >= 0).all()


def test_a_block_has_at_most_so_many_edges_and_a_run_goes_on_in_the_next(out):
    m = 600_000
    gp.convert((np.full(m, 3), np.arange(m) % 1000), out)
    index = read_stored(out).views["forward"].index
    assert index[:, 4].tolist() == [1 << 18, 1 << 18, m - (2 << 18)]
    assert gp.Graph.load(out).num_edges == m


@pytest.mark.parametrize(
    ("given", "symmetric", "simple"),
    [
        (([0, 1], [1, 0]), True, True),
        (([0, 1, 0], [1, 0, 1]), False, False),
        (([0, 1, 1, 0], [1, 0, 0, 1]), True, False),
        (([0, 1], [1, 2]), False, True),
        (([2, 2], [2, 2]), True, False),
    ],
)
def test_facts_are_those_of_the_edges(out, given, symmetric, simple):
    gp.convert(given, out, views=VIEWS)
    facts = read_stored(out).facts
    assert facts[1:3] == (symmetric, simple)
    assert facts.weights is None
    assert facts[3:] == (False, 1.0)


@pytest.mark.parametrize(
    ("weights", "negative_or_nan", "largest"),
    [
        ([1.5, 2.5], False, 2.5),
        ([1.5, np.inf], False, 1.5),
        ([1.5, np.nan], True, 1.5),
        ([-1.5, 0.0], True, 0.0),
        (np.array([7, -(2**40)]), True, 7.0),
    ],
)
def test_facts_of_weights(out, weights, negative_or_nan, largest):
    gp.convert(([0, 1], [1, 2], weights), out)
    assert read_stored(out).facts[3:] == (negative_or_nan, largest)


@pytest.mark.parametrize("dtype", [None, np.float32])
def test_a_graph_without_edges(out, dtype):
    none = np.zeros(0, np.int64)
    graph = gp.Graph((none, none) if dtype is None else (none, none, none.astype(dtype)), num_vertices=5)
    gp.convert(graph, out, views=VIEWS)
    loaded = gp.Graph.load(out)
    assert (loaded.num_vertices, loaded.num_edges) == (5, 0)
    assert (loaded.weights is None) == (dtype is None)


def test_labels_and_vertex_data_come_along(out, tmp_path):
    graph = gp.Graph((["b", "a", "c"], ["a", "c", "a"]), vertex_data={"size": np.arange(6).reshape(3, 2)})
    graph.save(out, blocks=True)
    for path in (out, tmp_path / "again.gaspipe"):
        loaded = gp.Graph.load(path) if path == out else (gp.convert(out, path), gp.Graph.load(path))[1]
        assert loaded.labels.tolist() == ["a", "b", "c"]
        np.testing.assert_array_equal(loaded.vertex_data["size"], graph.vertex_data["size"])
        assert_same(loaded, graph)


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("shape", [(3, 5), (5, 3)])
def test_rectangles(out, tmp_path, shape, blocks):
    matrix = sp.random_array(shape, density=0.5, rng=np.random.default_rng(1))
    graph = gp.Graph(matrix, rectangular=True)
    graph.save(tmp_path / "in.gaspipe", blocks=blocks)
    gp.convert(tmp_path / "in.gaspipe", out, rectangular=True, views=VIEWS)
    assert_same(gp.Graph.load(out), graph)
    with pytest.raises(gp.InputError, match="square"):
        gp.convert(tmp_path / "in.gaspipe", out)


def written(folder, name, text):
    """A file with a text, packed as its name says."""
    pack = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}.get(name.rpartition(".")[2], bytes)
    (folder / name).write_bytes(pack(text))
    return folder / name


TEXTS = {
    "plain.txt": b"# c\n3 4\n0 9\n0 9\n",
    "header.txt": b"10 2\n0 1\n5 3\n",
    "no-header-count.txt": b"10 3\n0 1\n5 3\n",
    "no-header-id.txt": b"4 2\n0 1\n5 3\n",
    "weighted-header.txt": b"6 2\n0 1 2.5\n5 3 7\n",
    "only-header.txt": b"4 0\n",
    "mixed.txt": b"0 1 5\n1 2 3000000000\n0 1 4\n2 0 0.25\n0 1 nan\n",
    "wide.txt": b"0 1 5\n1 2 3000000000\n0 1 4\n",
    "packed.txt.gz": b"0 1\n1 2\n",
    "packed.csv.xz": b"0,1,2\n1,2,3\n",
    "packed.tsv.bz2": b"0\t1\n1\t2\n",
    "unended.el": b"0 1\n1 2",
    "general.mtx": b"%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 2 7\n3 4 1\n",
    "symmetric.mtx": b"%%MatrixMarket matrix coordinate real symmetric\n4 4 2\n2 1 7\n3 3 1\n",
    "pattern.mtx.gz": b"%%MatrixMarket matrix coordinate pattern general\n4 4 1\n1 2\n",
    "empty.mtx": b"%%MatrixMarket matrix coordinate real general\n4 4 0\n",
    "roads.gr": b"c x\np sp 5 3\na 1 2 7\na 2 1 7\na 5 1 9\n",
    "rows.graph": b"3 2\n2\n1 3\n2\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_converts_to_what_from_file_reads(out, tmp_path, name):
    path = written(tmp_path, name, TEXTS[name])
    gp.convert(path, out, views=VIEWS)
    graph = gp.Graph.from_file(path)
    assert_same(gp.Graph.load(out), graph)
    facts = read_stored(out).facts
    assert facts.symmetric == same_pairs(graph)


def same_pairs(graph):
    sources, targets, _ = in_order(graph)
    return sorted(zip(sources.tolist(), targets.tolist())) == sorted(zip(targets.tolist(), sources.tolist()))


@pytest.mark.parametrize("header", [None, True, False])
@pytest.mark.parametrize("counts", ["400 60000", "400 59999", "300 60000", "400 60000 1"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_header_is_one_in_long_texts_exactly_where_it_is_to_from_file(out, tmp_path, header, counts, weighted):
    rng = np.random.default_rng(5)
    ids = rng.integers(0, 350, (60_000, 2)).tolist()
    lines = [f"{a} {b} {a % 7}" if weighted else f"{a} {b}" for a, b in ids]
    path = tmp_path / "long.txt"
    path.write_text("\n".join([counts, *lines]) + "\n")
    try:
        expected = gp.Graph.from_file(path, header=header)
    except gp.GraphFormatError as error:
        with pytest.raises(gp.GraphFormatError, match=f"^{re.escape(str(error))}$"):
            gp.convert(path, out, header=header)
        assert not out.exists()
        return
    gp.convert(path, out, header=header, memory="30 MB")
    assert_same(gp.Graph.load(out), expected)


@pytest.mark.parametrize("directed", [True, False])
def test_ldbc_files(out, tmp_path, directed):
    (tmp_path / "g.v").write_text("70\n10\n30\n")
    (tmp_path / "g.e").write_text("10 30 0.5\n30 70 1.5\n70 70 1\n")
    (tmp_path / "g.properties").write_text(
        f"graph.g.directed = {str(directed).lower()}\ngraph.g.meta.vertices = 3\ngraph.g.meta.edges = 3\n"
    )
    gp.convert(tmp_path / "g.v", out)
    expected = gp.Graph.from_file(tmp_path / "g.v")
    loaded = gp.Graph.load(out)
    assert_same(loaded, expected)
    assert loaded.labels.tolist() == [10, 30, 70]
    (tmp_path / "g.e").write_text("10 30 0.5\n30 71 1.5\n70 70 1\n")
    with pytest.raises(gp.GraphFormatError, match=r"g\.e:2: found a vertex that is not in the vertex file"):
        gp.convert(tmp_path / "g.v", out)


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_files_of_rows_and_of_blocks_convert(out, tmp_path, dtype, blocks):
    graph = gp.Graph(edges(dtype=dtype))
    path = tmp_path / "in.gaspipe"
    graph.save(path, blocks=blocks)
    gp.convert(path, out, views=VIEWS)
    assert_same(gp.Graph.load(out), graph)
    gp.convert(graph, path, views=VIEWS)
    assert out.read_bytes() == path.read_bytes()
    packed = written(tmp_path, "in.gaspipe.gz", path.read_bytes())
    gp.convert(packed, tmp_path / "other", views=VIEWS)
    assert (tmp_path / "other").read_bytes() == path.read_bytes()
    assert_same(gp.Graph.load(packed), graph)


def test_matrices_and_arrays_convert(out, tmp_path):
    matrix = sp.random_array((50, 50), density=0.1, rng=np.random.default_rng(1), format="csr")
    expected = gp.Graph(matrix)
    sp.save_npz(tmp_path / "a.npz", matrix)
    scipy.io.mmwrite(tmp_path / "a.mtx", matrix)
    for source in (matrix, expected, tmp_path / "a.npz", str(tmp_path / "a.mtx")):
        gp.convert(source, out)
        assert_same(gp.Graph.load(out), expected)


def test_relabel_reads_a_list_as_a_whole(out, tmp_path):
    path = written(tmp_path, "a.txt", b"1000000000000 5\n5 7\n")
    with pytest.raises(gp.GraphFormatError, match=r"a.txt:1: found vertex id 1000000000000; .* relabel=True"):
        gp.convert(path, out)
    gp.convert(path, out, relabel=True)
    assert gp.Graph.load(out).labels.tolist() == [5, 7, 1000000000000]


@pytest.mark.parametrize("dtype", [None, np.int32, np.float64])
def test_files_do_not_depend_on_memory_or_threads(tmp_path, dtype):
    source = tmp_path / "in.gaspipe"
    gp.Graph(edges(n=100_000, m=2_000_000, dtype=dtype)).save(source)
    made = []
    for memory, threads in (("28 MB", 1), ("32 MB", 2), ("1 GB", 1), (10**9, 3)):
        out = tmp_path / f"{len(made)}.gaspipe"
        gp.convert(source, out, memory=memory, num_threads=threads, views=VIEWS)
        made.append(zlib.crc32(out.read_bytes()))
    assert len(set(made)) == 1
    assert sorted(os.listdir(tmp_path)) == ["0.gaspipe", "1.gaspipe", "2.gaspipe", "3.gaspipe", "in.gaspipe"]


PEAK = """
import resource, sys
import gaspipe as gp
from gaspipe import _formats
_formats.known()
gp.convert((range(3), range(3)), sys.argv[2])
def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) * 1024
open("/proc/self/clear_refs", "w").write("5")
before = peak()
gp.convert(sys.argv[1], sys.argv[2], memory=sys.argv[3], num_threads=2, views=("forward", "undirected"))
print(peak() - before)
"""


@pytest.mark.parametrize("name", ["edges.txt", "edges.txt.gz", "weighted.txt", "rows.gaspipe", "blocks.gaspipe"])
def test_memory_stays_below_the_budget(out, tmp_path, name):
    rng = np.random.default_rng(3)
    n, m = 200_000, 4_000_000
    sources, targets = rng.integers(0, n, m), rng.integers(0, n, m)
    graph = gp.Graph((sources, targets, rng.random(m).round(3)) if name == "weighted.txt" else (sources, targets))
    path = tmp_path / name
    graph.save(path, blocks=name == "blocks.gaspipe") if path.suffix == ".gaspipe" else graph.to_file(path)
    budget = 32_000_000
    got = subprocess.run(
        [sys.executable, "-c", PEAK, path, out, str(budget)], capture_output=True, text=True, check=True
    )
    assert int(got.stdout) < budget
    assert_same(gp.Graph.load(out), gp.Graph.from_file(path))


def test_too_little_memory_is_refused_with_the_least_that_works(out, tmp_path):
    path = written(tmp_path, "a.txt", b"0 1\n3000000 5\n")
    with pytest.raises(gp.InputError, match=r"memory is 1 MB; at least .* are needed to read and sort edges") as caught:
        gp.convert(path, out, memory="1 MB")
    least = re.search("at least (.*) are", str(caught.value))[1]
    with pytest.raises(gp.InputError, match=r"for the 3000001 vertices that an id of 3000000 makes") as caught:
        gp.convert(path, out, memory=least)
    least = re.search("at least (.*) are", str(caught.value))[1]
    gp.convert(path, out, memory=least)
    assert gp.Graph.load(out).num_vertices == 3_000_001


LEAST = """
import re, sys
import gaspipe as gp
memory = "1 MB"
for _ in range(2):
    try:
        gp.convert(sys.argv[1], sys.argv[2], memory=memory)
    except gp.InputError as error:
        memory = re.search("at least (.*) are", str(error))[1]
gp.convert(sys.argv[1], sys.argv[2], memory=memory)
"""


@pytest.mark.parametrize("threads", [1, 3, 16])
def test_the_least_that_works_works_with_as_many_threads_as_it_allows(out, tmp_path, threads):
    path = written(tmp_path, "a.txt", b"0 1\n9000000 5\n")
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    subprocess.run([sys.executable, "-c", LEAST, path, out], env=environment, check=True)
    assert gp.Graph.load(out).num_vertices == 9_000_001


def test_a_file_that_is_read_as_a_whole_must_fit(out, tmp_path):
    text = b"20000 20000\n" + b"".join(b"%d\n" % (v + 2 if v % 2 == 0 else v) for v in range(20_000))
    text = b"20000 10000\n" + text.split(b"\n", 1)[1]
    for name in ("a.graph", "a.graph.gz"):
        path = written(tmp_path, name, text * 1)
        gp.convert(path, out)
        assert_same(gp.Graph.load(out), gp.Graph.from_file(path))
    big = tmp_path / "b.graph"
    big.write_bytes(text + b" " * 6_000_000)
    with pytest.raises(gp.InputError, match=r"'metis' is read as a whole, .* memory is 30 MB.* piece by piece: 'edge"):
        gp.convert(big, out, memory="30 MB")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"views": ("reverse",)}, 'views lacks "forward"'),
        ({"views": ("forward", "upward")}, "views has 'upward'; allowed are 'forward', 'reverse', 'undirected'"),
        ({"views": "forward"}, "a sequence of names is needed"),
        ({"memory": "much"}, "memory is 'much'"),
        ({"format": "bmp"}, "format is 'bmp'"),
        ({"dialect": "metis"}, "dialect= is for format 'metis'"),
    ],
)
def test_wrong_arguments_are_refused_before_a_file_is_touched(out, tmp_path, options, message):
    path = written(tmp_path, "a.txt", b"0 1\n")
    with pytest.raises(gp.InputError, match=re.escape(message)):
        gp.convert(path, out, **options)
    assert not out.exists()


def test_options_of_reading_are_refused_for_graphs_in_memory(out):
    with pytest.raises(gp.InputError, match="the source is a graph in memory"):
        gp.convert(([0], [1]), out, header=True)


def test_views_of_a_file_of_rows_are_refused(out):
    with pytest.raises(gp.InputError, match="views= is for blocks=True"):
        gp.Graph(([0], [1])).save(out, views=("forward", "reverse"))


def test_an_error_leaves_what_was_there(out, tmp_path):
    out.write_bytes(b"before")
    path = written(tmp_path, "a.txt", b"0 1\n" * 1000 + b"0 x\n")
    with pytest.raises(gp.GraphFormatError, match=r"a\.txt:1001: "):
        gp.convert(path, out)
    assert out.read_bytes() == b"before"
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "out.gaspipe"]


FULL = """
import resource, signal, sys
import gaspipe as gp
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]), int(sys.argv[4])))
try:
    gp.convert(sys.argv[1], sys.argv[2], memory=sys.argv[3], num_threads=1)
except OSError as error:
    print(error.errno, error)
"""


@pytest.mark.parametrize(
    ("memory", "what"),
    [("24 MB", "writing sorted edges to a temporary file"), ("1 GB", "writing a graph's edges")],
)
def test_a_full_disk_is_told_and_nothing_is_left(out, tmp_path, memory, what):
    source = tmp_path / "in.gaspipe"
    gp.Graph(edges(n=100_000, m=2_000_000)).save(source)
    got = subprocess.run(
        [sys.executable, "-c", FULL, source, out, memory, "2000000"], capture_output=True, text=True, check=True
    )
    assert re.match(rf"27 \[Errno 27\] File too large \({what}\): ", got.stdout), got
    assert os.listdir(tmp_path) == ["in.gaspipe"]


INTERRUPTED = """
import signal, sys
import gaspipe as gp
def stop(what, done, total):
    if what == sys.argv[3]:
        signal.raise_signal(signal.SIGINT)
try:
    gp.convert(sys.argv[1], sys.argv[2], memory="24 MB", num_threads=2, progress=stop)
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.parametrize("when", ["reading", "writing"])
def test_ctrl_c_stops_and_leaves_nothing(out, tmp_path, when):
    source = tmp_path / "in.txt"
    gp.Graph(edges(n=1000, m=1_000_000)).to_file(source)
    command = [sys.executable, "-c", INTERRUPTED, source, out, when]
    got = subprocess.run(command, capture_output=True, text=True, check=True)
    assert got.stdout == "stopped\n"
    assert os.listdir(tmp_path) == ["in.txt"]


def test_a_folder_for_temporary_files_that_is_not_there_is_an_os_error(out, tmp_path):
    source = tmp_path / "in.gaspipe"
    gp.Graph(edges(n=100_000, m=2_000_000)).save(source)
    with pytest.raises(FileNotFoundError, match="temporary file for sorted edges") as caught:
        gp.convert(source, out, memory="24 MB", scratch=tmp_path / "none")
    assert caught.value.filename == str(tmp_path / "none")


@pytest.fixture
def stored(out):
    gp.Graph(edges(n=200_000, m=500_000, dtype=np.float32)).save(out, blocks=True, views=VIEWS)
    return out


def test_a_flipped_bit_in_a_block_is_found_and_the_block_is_named(stored):
    content = bytearray(stored.read_bytes())
    view = read_stored(stored).views["forward"]
    number = 2
    content[view.start + int(view.index[number, 0]) + 100] ^= 4
    stored.write_bytes(content)
    with pytest.raises(gp.GraphFormatError, match="block 2 of its forward edges is damaged: its checksum is wrong"):
        gp.Graph.load(stored)
    with pytest.raises(gp.GraphFormatError, match="block 2 of its forward edges is damaged: its checksum is wrong"):
        gp.convert(stored, stored.with_name("other"))
    gp.Graph.load(stored, verify=False)  # the bit is one of a weight


def test_flipped_bits_elsewhere_are_found(stored):
    content = stored.read_bytes()
    with open(stored, "rb") as file:
        header = read_header(file, len(content), "")
    places = [40, *(header.first + s.start for s in header.sections if s.kind != "edge_blocks" and s.num_bytes)]
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1
        stored.write_bytes(damaged)
        for read in (gp.Graph.load, read_stored):
            with pytest.raises(gp.GraphFormatError, match="checksum of its"):
                read(stored)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.999])
def test_a_file_cut_short_is_refused(stored, kept):
    content = stored.read_bytes()
    stored.write_bytes(content[: int(len(content) * kept)])
    for read in (gp.Graph.load, read_stored):
        with pytest.raises(gp.GraphFormatError, match="cut short"):
            read(stored)


def forged(path, change):
    """A file whose header or index says something else, with checksums that are right."""
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:24], "little")
    said = json.loads(content[32:size])
    index = next(s for s in said["sections"] if s["kind"] == "edge_index" and s["name"] == "forward")
    first = size + index["start"]
    words = np.frombuffer(content, "<u4", index["bytes"] // 4, first).reshape(-1, 10).copy()
    change(said, words)
    content[first : first + index["bytes"]] = words.tobytes()
    index["crc32"] = f"{zlib.crc32(zlib.crc32(words.tobytes()).to_bytes(4, 'little')):08x}"
    content[32:size] = json.dumps(said, separators=(",", ":")).encode().ljust(size - 32)
    content[12:16] = bytes(4)
    content[12:16] = zlib.crc32(content[:size]).to_bytes(4, "little")
    path.write_bytes(content)


def in_index(word, value, block=1):
    def change(said, words):
        words[block, word] = value(words[block, word]) if callable(value) else value

    return change


def in_header(key, value):
    return lambda said, words: said["stored"].update({key: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (in_index(0, lambda start: start + 64), "block 1 does not start where the one before ends"),
        (in_index(4, 0), "block 1 has no edge"),
        (in_index(4, 1 << 19), "block 1 has no edge, or more"),
        (in_index(5, 0), "block 1 has no run"),
        (in_index(9, 3), "block 1 has distances of other than"),
        (in_index(2, 100), "does not start where|has a size"),
        (in_index(6, 9), "block 1 has destinations beyond|comes before"),
        (in_index(8, 1 << 30), "block 1 has sources that do not ascend below"),
        (in_index(6, 0, block=2), "block 2 comes before the one before it"),
        (in_index(4, lambda edges: edges - 1), "by their index; it has 500000 edges"),
        (in_header("weights", "<f2"), "its header is wrong: stored is"),
        (in_header("simple", 1), "its header is wrong: stored is"),
        (in_header("largest_weight", -1), "its header is wrong: the largest weight is -1"),
        (lambda said, words: said["stored"].pop("symmetric"), "its header is wrong: there is no 'symmetric'"),
        (lambda said, words: said["sections"][0].update(name="sideways"), "its header is wrong: section 'edge_blocks'"),
    ],
)
def test_an_index_or_header_that_says_what_cannot_be_is_refused(stored, change, message):
    forged(stored, change)
    for read in (gp.Graph.load, read_stored):
        with pytest.raises(gp.GraphFormatError, match=message):
            read(stored)


def test_what_is_no_file_of_blocks_is_refused_by_read_stored(tmp_path):
    rows = tmp_path / "rows.gaspipe"
    gp.Graph(([0], [1])).save(rows)
    with pytest.raises(gp.InputError, match=r"its edges do not lie in blocks; gp\.convert writes"):
        read_stored(rows)
    packed = written(tmp_path, "rows.gaspipe.gz", rows.read_bytes())
    with pytest.raises(gp.InputError, match="a compressed file or a pipe"):
        read_stored(packed)
    with pytest.raises(gp.GraphFormatError, match=r"not a \.gaspipe file"):
        read_stored(written(tmp_path, "a.txt", b"0 1\n"))


def test_files_of_rows_stay_version_1_0_and_those_of_blocks_are_1_1(tmp_path):
    graph = gp.Graph(edges())
    for blocks in (False, True):
        graph.save(tmp_path / "a", blocks=blocks)
        assert PREFIX.unpack((tmp_path / "a").read_bytes()[:32])[1:3] == (1, int(blocks))


def test_progress_is_reported_in_bytes_and_in_edges(out, tmp_path):
    path = tmp_path / "a.txt"
    gp.Graph(edges()).to_file(path)
    seen = []
    gp.convert(path, out, views=VIEWS, progress=lambda *report: seen.append(report))
    reading = [report for report in seen if report[0] == "reading"]
    writing = [report for report in seen if report[0] == "writing"]
    assert seen == reading + writing
    assert reading[-1][1:] == (path.stat().st_size,) * 2
    assert writing[-1][1] == writing[-1][2] >= 12_000


def test_progress_that_raises_stops_the_conversion(out, tmp_path):
    path = written(tmp_path, "a.txt", b"0 1\n")

    def stop(what, done, total):
        if what == "writing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gp.convert(path, out, progress=stop)
    assert os.listdir(tmp_path) == ["a.txt"]
