# SPDX-License-Identifier: Apache-2.0
"""Gaspipe's own file: what comes back is what was saved, and damage is found before it does harm."""

import contextlib
import copy
import gzip
import json
import os
import re
import struct
import subprocess
import sys
import time
import types
import zlib

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaspipe as gp
import zoo
from gaspipe._formats import gaspipe as saved
from gaspipe._formats.gaspipe import checksums
from gaspipe._formats.gaspipe import labels as json_labels
from streams import AMPLE

MAGIC = b"\x89GSP\r\n\x1a\n"


def assert_same(one, other):
    assert one.shape == other.shape
    for part in ("indptr", "indices", "weights", "labels"):
        a, b = getattr(one, part), getattr(other, part)
        assert (a is None) == (b is None), part
        assert a is None or (a.dtype == b.dtype and a.shape == b.shape), part
        assert a is None or a.dtype == object or a.tobytes() == b.tobytes(), part
    if one.labels is not None and one.labels.dtype == object:
        assert list(map(typed, one.labels)) == list(map(typed, other.labels))
    assert list(one.vertex_data) == list(other.vertex_data)
    for name, values in one.vertex_data.items():
        assert values.dtype == other.vertex_data[name].dtype
        assert values.shape == other.vertex_data[name].shape
        assert values.tobytes() == other.vertex_data[name].tobytes()


def typed(label):
    """A label so that True, 1 and 1.0, 0.0 and -0.0, and nan compare as they should."""
    if isinstance(label, tuple):
        return (tuple, *map(typed, label))
    return (type(label), repr(label))


def labelled(labels):
    """A path with such labels."""
    n = len(labels)
    graph = gp.Graph((range(n - 1), range(1, n)), num_vertices=n)
    if not isinstance(labels, np.ndarray):
        array = np.empty(n, object)
        for v, label in enumerate(labels):
            array[v] = label
        labels = array
    graph._labels = labels
    return graph


def refusal(path, error=gp.GraphFormatError, **options):
    with pytest.raises(error) as caught:
        gp.Graph.load(path, **options)
    return str(caught.value)


def encode(header, sections=b"", *, magic=MAGIC, major=1, minor=0, header_bytes=None, file_bytes=None, checksum=None):
    """A file from the documentation alone: struct, json and zlib."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = 32 + len(text)
    padding = bytes(-size % 64)
    end = size + len(padding) + len(sections)

    def prefix(crc):
        return struct.pack(
            "<8sHHIQQ",
            magic,
            major,
            minor,
            crc,
            size if header_bytes is None else header_bytes,
            end if file_bytes is None else file_bytes,
        )

    crc = zlib.crc32(prefix(0) + text) if checksum is None else checksum
    return prefix(crc) + text + padding + sections


def section_of(kind, content, dtype, shape, start, **more):
    blocks = [content[i : i + (4 << 20)] for i in range(0, len(content), 4 << 20)]
    checksum = zlib.crc32(b"".join(struct.pack("<I", zlib.crc32(block)) for block in blocks))
    return {
        "kind": kind,
        "dtype": dtype,
        "shape": shape,
        "start": start,
        "bytes": len(content),
        "crc32": f"{checksum:08x}",
        **more,
    }


def small(**changes):
    """The header and sections of 0 -> 1, 0 -> 2, 2 -> 0, with changes to the header's sections by kind."""
    offsets, targets = struct.pack("<4I", 0, 2, 2, 3), struct.pack("<3I", 1, 2, 0)
    sections = [
        section_of("offsets", offsets, "<u4", [4], 0),
        section_of("targets", targets, "<u4", [3], 64),
    ]
    for section in sections:
        section.update(changes.get(section["kind"], {}))
    header = {"rows": 3, "columns": 3, "edges": 3, "sections": sections, **changes.get("header", {})}
    return header, offsets.ljust(64, b"\0") + targets


@pytest.fixture
def written(tmp_path):
    """Writes bytes to a file and gives its path."""

    def write(content, name="graph.gaspipe"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


# Round trips


@pytest.mark.parametrize("options", [{}, {"mmap": False}, {"verify": False}, {"mmap": False, "verify": False}])
@pytest.mark.parametrize("name", zoo.ZOO)
def test_the_zoo_comes_back(tmp_path, name, options):
    graph = gp.Graph(zoo.ZOO[name]())
    graph.save(tmp_path / "graph.gaspipe")
    assert_same(graph, gp.Graph.load(tmp_path / "graph.gaspipe", **options))
    assert_same(graph, gp.Graph.from_file(tmp_path / "graph.gaspipe"))
    assert os.listdir(tmp_path) == ["graph.gaspipe"]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64, bool])
@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3), (1, 4)])
def test_weights_and_shapes_come_back(tmp_path, rng, dtype, shape):
    dense = (rng.integers(0, 2, shape) * rng.integers(1, 9, shape)).astype(dtype)
    graph = gp.Graph(sp.csr_array(dense), rectangular=True)
    graph.save(tmp_path / "graph")
    loaded = gp.Graph.load(tmp_path / "graph")
    assert_same(graph, loaded)
    assert loaded.to_scipy().toarray().tolist() == dense.tolist()
    if shape[0] == shape[1]:
        assert_same(graph, gp.Graph.from_file(tmp_path / "graph"))
    else:
        assert_same(graph, gp.Graph.from_file(tmp_path / "graph", rectangular=True))
        with pytest.raises(gp.InputError, match=r"rows and .* columns.*square"):
            gp.Graph.from_file(tmp_path / "graph")


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (0, 0)])
def test_matrices_without_rows_or_columns_come_back(tmp_path, shape, blocks):
    graph, path = gp.Graph(sp.csr_array(shape), rectangular=True), tmp_path / "graph.gaspipe"
    graph.save(path, blocks=blocks)
    assert_same(graph, gp.Graph.load(path))
    assert_same(graph, gp.Graph.load(path, mmap=False))
    assert_same(graph, gp.Graph.from_file(path, rectangular=True))
    gp.convert(path, tmp_path / "again.gaspipe", rectangular=True)
    assert gp.Graph.load(tmp_path / "again.gaspipe").shape == shape
    with pytest.raises(gp.InputError, match=r"graph\.gaspipe: .*(square|no vertices)"):
        gp.Graph.from_file(path)
    with pytest.raises(gp.InputError, match=r"graph\.gaspipe: .*(square|no vertices)"):
        gp.convert(path, tmp_path / "other.gaspipe")


def test_matrices_without_rows_or_columns_run_in_their_file(tmp_path):
    for shape in ((3, 0), (0, 3)):
        gp.Graph(sp.csr_array(shape), rectangular=True).save(
            tmp_path / "graph", blocks=True, views=("forward", "reverse")
        )
        streamed = gp.Graph.load(tmp_path / "graph", memory=AMPLE)
        assert gp.spmv(streamed, np.ones(shape[1])).product.tolist() == [0] * shape[0]
    gp.Graph(sp.csr_array((0, 0)), rectangular=True).save(tmp_path / "graph", blocks=True)
    with pytest.raises(gp.InputError, match="a matrix of 0 x 0 has no edges to leave in the file"):
        gp.Graph.load(tmp_path / "graph", memory=AMPLE)


def test_offsets_of_64_bits_come_back(tmp_path):
    graph = gp.Graph._made(
        gp._core.Graph.from_csr(3, 3, np.array([0, 1, 1, 2], np.uint64), np.array([1, 0], np.uint32), None, False, 0)
    )
    assert graph.indptr.dtype == np.uint64
    graph.save(tmp_path / "graph")
    assert_same(graph, gp.Graph.load(tmp_path / "graph"))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([5, -7, 2**62]),
        np.array([5, 7, 2**64 - 1], np.uint64),
        np.array([1, 2, 3], np.int8),
        np.array([1, 2, 3], ">i4"),
        np.array([0.5, np.nan, -0.0]),
        np.array([True, False]),
        np.array([1 + 2j, 3]),
        np.array(["a", "Ünïcode \U0001f600", ""]),
        np.array([b"a", b"bc"]),
        np.array(["2024-01-01", "NaT"], "datetime64[ns]"),
        np.array([1, 2], "timedelta64[25s]"),
        np.arange(20)[::5],
    ],
    ids=lambda labels: labels.dtype.str,
)
def test_labels_in_arrays_come_back(tmp_path, labels):
    graph = labelled(labels)
    graph.save(tmp_path / "graph")
    loaded = gp.Graph.load(tmp_path / "graph").labels
    assert loaded.dtype == labels.dtype.newbyteorder("=")
    assert loaded.tobytes() == np.ascontiguousarray(labels, loaded.dtype).tobytes()


OBJECTS = [
    "text", "", "\0", '"\\\n', "é\U0001f600", "\ud83d", "\ud83d\ude00", 0, 1, -1, 2**63, 2**64, -(2**200), 10**5000,
    True, False, None, 0.0, -0.0, 1.0, 1e300, 5e-324, 0.1, float("nan"), float("inf"), float("-inf"), (), (1, "a"),
    ((1, 2.0), (None, (True, float("nan")))),
]  # fmt: skip


@pytest.mark.parametrize(
    "labels", [OBJECTS, [o for o in OBJECTS if o == "text"], [0, 1.0, "2", True], [(0, 1), (1, 0)]]
)
def test_labels_that_are_objects_come_back_with_their_types(tmp_path, labels):
    graph = labelled(labels)
    graph.save(tmp_path / "graph")
    loaded = gp.Graph.load(tmp_path / "graph")
    assert loaded.labels.dtype == object
    # repr would refuse the digits of 10**5000
    assert [typed(label) if label != 10**5000 else label for label in loaded.labels] == [
        typed(label) if label != 10**5000 else label for label in labels
    ]


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(nested, min_size=1, max_size=20))
def test_any_such_labels_come_back(tmp_path_factory, labels):
    content = np.frombuffer(json_labels.labels_to_json(labels), np.uint8)
    loaded = json_labels.labels_from_json(content, len(labels), "file")
    assert list(map(typed, loaded)) == list(map(typed, labels))


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        (b"bytes", "bytes"),
        ([1], "list"),
        ({"float": "nan"}, "dict"),
        (frozenset(), "frozenset"),
        (np.int64(3), r"numpy\.int64"),
        (np.float64(3), r"numpy\.float64"),
        (Text("a"), r"test_saved\.Text"),
        ((1, (2, b"x")), "bytes"),
        (1j, "complex"),
    ],
    ids=str,
)
def test_other_labels_are_refused_by_name_vertex_and_type(tmp_path, label, kind):
    with pytest.raises(gp.InputError, match=rf"vertex 2 is a {kind};.*tuples"):
        labelled(["a", "b", label]).save(tmp_path / "graph")
    assert os.listdir(tmp_path) == []


def test_labels_in_records_are_refused(tmp_path):
    with pytest.raises(gp.InputError, match="labels of dtype"):
        labelled(np.zeros(2, [("a", "i4"), ("b", "O")])).save(tmp_path / "graph")
    with pytest.raises(gp.InputError, match=r"float128|longdouble"):
        labelled(np.zeros(2, np.longdouble)).save(tmp_path / "graph")


def test_data_of_vertices_come_back(tmp_path):
    data = {
        "weights": np.arange(12).reshape(4, 3),
        "é": np.array([0.5, 1, 2, np.nan], np.float32),
        "flags": np.array([True, False, True, True]),
        "none": np.zeros((4, 0)),
        "columns": np.asfortranarray(np.arange(8, dtype=np.uint16).reshape(4, 2)),
        "deep": np.arange(24, dtype=">i8").reshape(4, 2, 3),
    }
    graph = gp.Graph(([0, 1], [1, 3]), vertex_data=data)
    graph.save(tmp_path / "graph")
    for options in ({}, {"mmap": False}):
        loaded = gp.Graph.load(tmp_path / "graph", **options).vertex_data
        assert list(loaded) == list(data)
        for name, values in data.items():
            np.testing.assert_array_equal(loaded[name], values)
            assert loaded[name].dtype == values.dtype.newbyteorder("=")


def test_networkx_names_and_algorithms_on_a_loaded_graph(tmp_path):
    import networkx as nx

    graph = gp.Graph(nx.grid_2d_graph(4, 3))
    graph.save(tmp_path / "graph")
    loaded = gp.Graph.load(tmp_path / "graph")
    assert loaded.id_of((3, 2)) == graph.id_of((3, 2))
    wanted = nx.single_source_shortest_path_length(nx.grid_2d_graph(4, 3), (0, 0))
    assert gp.bfs(loaded, (0, 0)).to_dict() == wanted
    assert_same(loaded, copy.deepcopy(loaded))
    assert_same(loaded.transpose().transpose(), graph.transpose().transpose())


# The format


def test_the_bytes_of_a_small_file_are_as_documented(tmp_path):
    graph = gp.Graph(
        ([0, 0, 2], [1, 2, 0], np.array([7, 8, -9], np.int32)), vertex_data={"é": np.array([1.5, 2, 3], np.float32)}
    )
    graph._labels = np.array(["x", 1, None], object)
    graph.save(tmp_path / "graph")
    data = (tmp_path / "graph").read_bytes()

    assert data[:8] == MAGIC
    major, minor, checksum, header_bytes, file_bytes = struct.unpack_from("<HHIQQ", data, 8)
    assert (major, minor, file_bytes) == (1, 0, len(data))
    assert checksum == zlib.crc32(data[:12] + b"\0\0\0\0" + data[16:header_bytes])
    first = header_bytes + -header_bytes % 64
    assert data[header_bytes:first] == bytes(first - header_bytes)
    wanted = [
        section_of("offsets", struct.pack("<4I", 0, 2, 2, 3), "<u4", [4], 0),
        section_of("targets", struct.pack("<3I", 1, 2, 0), "<u4", [3], 64),
        section_of("weights", struct.pack("<3i", 7, 8, -9), "<i4", [3], 128),
        section_of("labels", b'["x",1,null]', "json", [3], 192),
        section_of("vertex_data", struct.pack("<3f", 1.5, 2, 3), "<f4", [3], 256, name="é"),
    ]
    header = json.loads(data[32:header_bytes].decode("utf-8"))
    assert header == {"rows": 3, "columns": 3, "edges": 3, "sections": wanted}
    assert data[first : first + 16] == b"\0\0\0\0\2\0\0\0\2\0\0\0\3\0\0\0"
    assert data[first + 16 : first + 64] == bytes(48)
    assert data[first + 64 : first + 76] == b"\1\0\0\0\2\0\0\0\0\0\0\0"
    assert data[first + 128 : first + 140] == b"\7\0\0\0\x08\0\0\0\xf7\xff\xff\xff"
    assert data[first + 192 : first + 204] == b'["x",1,null]'
    assert data[first + 256 :] == b"\0\0\xc0\x3f\0\0\0\x40\0\0\x40\x40"


def test_the_example_of_the_documentation_reads_a_file(tmp_path, monkeypatch):
    example = saved.__doc__.split("NumPy alone::\n\n")[1]
    matrix = zoo.ZOO["kronecker"]()
    gp.Graph(matrix, vertex_data={"a": np.arange(1024).reshape(512, 2)}).save(tmp_path / "graph.gaspipe")
    monkeypatch.chdir(tmp_path)
    space = {}
    exec(re.sub("^    ", "", example, flags=re.MULTILINE), space)
    arrays = space["arrays"]
    np.testing.assert_array_equal(arrays["offsets", None], matrix.indptr)
    np.testing.assert_array_equal(arrays["targets", None], matrix.indices)
    np.testing.assert_array_equal(arrays["weights", None], matrix.data)
    np.testing.assert_array_equal(arrays["vertex_data", "a"], np.arange(1024).reshape(512, 2))


def test_a_file_written_from_the_documentation_is_read(written):
    graph = gp.Graph.load(written(encode(*small())))
    assert graph.to_scipy().toarray().tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]


def test_checksums_of_several_blocks_are_as_documented(tmp_path, rng):
    m = (9 << 20) // 4  # targets of 9 MiB: three blocks
    graph = gp.Graph((rng.integers(0, 50, m), rng.integers(0, 50, m)), num_vertices=50)
    for threads in (1, 3):
        graph.save(tmp_path / "graph", num_threads=threads)
        data = (tmp_path / "graph").read_bytes()
        header = json.loads(data[32 : int.from_bytes(data[16:24], "little")])
        targets = graph.indices.astype("<u4").tobytes()
        assert header["sections"][1] == section_of("targets", targets, "<u4", [m], 256)
        assert_same(graph, gp.Graph.load(tmp_path / "graph", num_threads=threads))


def test_what_later_versions_add_is_passed_over(written):
    header, content = small()
    content = content.ljust(128, b"\0") + b"new"
    added = section_of("colours", b"new", "packed", {"a": 1}, 128)
    header["sections"].append(added)
    header["written"] = "later"
    header["sections"][0]["hint"] = [1, 2]
    for options in ({}, {"mmap": False}, {"verify": False}):
        assert gp.Graph.load(written(encode(header, content, minor=7)), **options).indices.tolist() == [1, 2, 0]
    assert "checksum" in refusal(written(encode(header, content[:-1] + b"x")))
    added["required"] = True
    assert "'colours' is needed" in refusal(written(encode(header, content)))
    added["required"] = "yes"  # anything but false
    assert "'colours' is needed" in refusal(written(encode(header, content)))


@pytest.mark.parametrize("major", [2, 3, 65535])
def test_a_newer_version_is_refused_by_number(written, major):
    path = written(encode(b"anything at all", major=major))
    wanted = f"written by a newer gaspipe: format version {major}, this one reads up to 1"
    assert wanted in refusal(path)
    assert wanted in refusal(path, verify=False)
    with pytest.raises(gp.GraphFormatError, match=wanted):
        gp.Graph.from_file(path)


# Recognition


def test_files_are_recognised_by_name_and_by_content(tmp_path):
    graph = gp.Graph(zoo.ZOO["grid"]())
    for name in ("a.gaspipe", "b.GASPIPE", "c.bin", "d"):
        graph.save(tmp_path / name)
        assert_same(graph, gp.Graph.from_file(tmp_path / name))
        assert_same(graph, gp.Graph.from_file(str(tmp_path / name), format="gaspipe"))
    with pytest.raises(gp.InputError, match="relabel= is for format"):
        gp.Graph.from_file(tmp_path / "d", relabel=True)


@pytest.mark.parametrize("name", ["graph.gaspipe", "graph.gaspipe.gz", "GRAPH.GASPIPE.XZ"])
def test_to_file_writes_all_of_it_too(tmp_path, name):
    graph = gp.Graph(sp.csr_array(np.eye(2, 3)), rectangular=True, vertex_data={"a": np.arange(3)})
    graph._labels = np.array(["x", (1, 2), None], object)
    graph.to_file(tmp_path / name)
    assert_same(graph, gp.Graph.load(tmp_path / name))
    graph.to_file(tmp_path / "other.txt", format="gaspipe")
    graph.save(tmp_path / "saved")
    assert (tmp_path / "other.txt").read_bytes() == (tmp_path / "saved").read_bytes()
    with pytest.raises(gp.InputError, match="labels= is for format"):
        graph.to_file(tmp_path / name, labels=True)


def test_compressed_files_are_read(tmp_path):
    graph = gp.Graph(zoo.ZOO["uniform"]())
    graph.save(tmp_path / "graph")
    packed = tmp_path / "graph.gaspipe.gz"
    packed.write_bytes(gzip.compress((tmp_path / "graph").read_bytes()))
    assert_same(graph, gp.Graph.from_file(packed))
    assert_same(graph, gp.Graph.load(packed))


def test_other_files_are_not_graphs(written, tmp_path):
    for content in (b"", b"0 1\n1 2\n", b"\x89PNG\r\n\x1a\n" + bytes(100), MAGIC[:-1], bytes(1000), MAGIC[::-1] * 9):
        assert re.search("not a .gaspipe file|cut short", refusal(written(content)))
    # Line ends that a transfer as text has changed
    assert "not a .gaspipe file" in refusal(written(encode(*small()).replace(b"\r\n", b"\n")))
    with pytest.raises(FileNotFoundError):
        gp.Graph.load(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        gp.Graph.load(tmp_path)
    with pytest.raises(TypeError):
        gp.Graph.load(0)


# Damage


@pytest.fixture(scope="module")
def rich():
    """A file with every kind of section, and its graph."""
    import tempfile

    graph = gp.Graph(([0, 0, 2], [1, 2, 0], [0.5, 1.5, 2.5]), vertex_data={"a": np.array([[1, 2], [3, 4], [5, 6]])})
    graph._labels = np.array(["x", (1, 2.5), None], object)
    with tempfile.TemporaryDirectory() as folder:
        graph.save(folder + "/graph")
        with open(folder + "/graph", "rb") as file:
            return graph, file.read()


def test_a_file_cut_at_any_byte_is_refused(written, rich):
    _, content = rich
    for size in range(len(content)):
        path = written(content[:size])
        for options in ({}, {"verify": False}, {"mmap": False}):
            refusal(path, **options)
    for options in ({}, {"verify": False}, {"mmap": False}):
        assert "followed by other data" in refusal(written(content + b"\0"), **options)


@pytest.mark.parametrize("change", [0x01, 0x80, 0xFF, 0x20])
def test_every_changed_byte_is_found(written, rich, change):
    graph, content = rich
    for i in range(len(content)):
        path = written(content[:i] + bytes([content[i] ^ change]) + content[i + 1 :])
        message = refusal(path)
        assert "graph.gaspipe: " in message
        refusal(path, mmap=False)
        try:  # without checksums another graph may come, but never one that harms
            loaded = gp.Graph.load(path, verify=False)
        except gp.GraphFormatError:
            continue
        assert loaded.shape == graph.shape
        gp.bfs(loaded, gp.index(0))
        gp.pagerank(loaded, tol=0, max_iter=2)
        loaded.transpose()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_of_any_kind_is_found(written, rich, data):
    _, content = rich
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        at, span = data.draw(st.integers(0, len(changed))), data.draw(st.integers(0, 40))
        changed[at : at + span] = data.draw(st.binary(max_size=40))
    path = written(bytes(changed))
    if changed == content:
        gp.Graph.load(path)
    else:
        refusal(path)
        with contextlib.suppress(gp.GraphFormatError):
            gp.wcc(gp.Graph.load(path, verify=False))


def test_a_changed_name_is_found_without_verification_too(written, rich):
    _, content = rich
    assert content.count(b'["x",') == 1
    path = written(content.replace(b'["x",', b'["y",'))
    assert "checksum of its labels" in refusal(path, verify=False)


def test_a_changed_bit_of_a_large_section_is_found_where_it_is(tmp_path, rng):
    m = 3 << 20
    graph = gp.Graph((rng.integers(0, 9, m), rng.integers(0, 9, m), rng.random(m)), num_vertices=9)
    graph.save(tmp_path / "graph")
    size = os.path.getsize(tmp_path / "graph")
    for at, section in ((1000, "targets"), (12 << 20, "targets"), (size - 1, "weights"), (size // 2, "weights")):
        with open(tmp_path / "graph", "r+b") as file:
            file.seek(at)
            (old,) = file.read(1)
            file.seek(at)
            file.write(bytes([old ^ 1]))
            file.flush()
            assert f"checksum of its {section} is wrong" in refusal(tmp_path / "graph")
            file.seek(at)
            file.write(bytes([old]))
    assert_same(graph, gp.Graph.load(tmp_path / "graph"))


HUGE = 1 << 60
FORGED = {
    "rows": ({"header": {"rows": HUGE}}, "integer of 0 to 4294967295"),
    "many vertices": ({"header": {"rows": 4294967295}}, "offsets are .* shape .4294967296,"),
    "no rows": ({"header": {"rows": 0, "columns": 0}}, r"offsets are .* shape \(2,\)"),
    "bool": ({"header": {"rows": True}}, "integer of 0"),
    "float": ({"header": {"columns": 3.0}}, "integer of 0"),
    "text": ({"header": {"edges": "3"}}, "integer of 0"),
    "edges": ({"header": {"edges": HUGE}}, "integer of 0"),
    "fewer edges": ({"header": {"edges": 2}}, r"targets are .* shape \(2,\)"),
    "no sections": ({"header": {"sections": []}}, "sections end"),
    "sections": ({"header": {"sections": {"a": 1}}}, "no array"),
    "section": ({"header": {"sections": [1]}}, "no object"),
    "terabytes": ({"targets": {"bytes": HUGE, "shape": [HUGE // 4]}}, "integer of 0"),
    "overlap": ({"targets": {"start": 0}}, "starts at 0; 64 is next"),
    "gap": ({"targets": {"start": 128}}, "starts at 128|integer of 0"),
    "negative": ({"offsets": {"start": -64}}, "found -64"),
    "shape": ({"targets": {"shape": [4]}}, "cannot have 12 bytes"),
    "matrix": ({"targets": {"shape": [3, 1]}}, "targets are"),
    "empty": ({"targets": {"shape": [0]}}, "cannot have 12 bytes"),
    "no shape": ({"targets": {"shape": []}}, "shape"),
    "deep shape": ({"targets": {"shape": [1] * 33}}, "shape"),
    "objects": ({"targets": {"dtype": "|O"}}, "dtype"),
    "record": ({"targets": {"dtype": "i4,i4"}}, "dtype"),
    "other end": ({"targets": {"dtype": ">u4"}}, "dtype"),
    "signed": ({"targets": {"dtype": "<i4"}}, "targets are <i4"),
    "json targets": ({"targets": {"dtype": "json"}}, "dtype 'json'"),
    "wide text": ({"targets": {"dtype": "<U999999999"}}, "cannot have|wrong"),
    "checksum": ({"targets": {"crc32": "0"}}, "checksum '0'"),
    "twice": ({"targets": {"kind": "offsets"}}, "twice"),
    "name": ({"targets": {"name": "x"}}, "name 'x'"),
    "unknown": ({"targets": {"kind": "else"}}, "there are no targets"),
    "columns": ({"header": {"columns": 2}}, "column"),
    "few rows": ({"header": {"rows": 2}}, "beyond row 2"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_header_is_refused(written, name):
    changes, wanted = FORGED[name]
    path = written(encode(*small(**changes)))
    for options in ({}, {"verify": False}, {"mmap": False}):
        assert re.search(wanted, refusal(path, **options)), refusal(path, **options)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"header_bytes": HUGE}, "header of"),
        ({"header_bytes": 1 << 23}, "cut short"),
        ({"header_bytes": 0}, "header of 0"),
        ({"file_bytes": HUGE}, "cut short: found"),
        ({"file_bytes": 10}, "followed by"),
        ({"checksum": 1}, "checksum of its header"),
        ({"major": 0}, "checksum of its header"),
    ],
)
def test_sizes_that_are_not_true_are_refused(written, options, wanted):
    assert wanted in refusal(written(encode(*small(), **options)))


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff\xfe", b'{"rows": NaN}', b"[" * 100_000, b"1" * 5000])
def test_headers_that_are_no_json_objects_are_refused(written, text):
    assert "header is wrong" in refusal(written(encode(text)))


@pytest.mark.parametrize(
    "text",
    [
        b"[1, 2]", b"[1, 2, 3, 4]", b"{}", b'["a", "b", [1]]', b"[1, 2, NaN]", b'[1, 2, {"tuple": 3}]', b"\xff",
        b"[1, 2", b'[1, 2, {"float": "1"}]', b'[1, 2, {"str": [-1]}]', b'[1, 2, {"int": "x"}]',
        b'[1, 2, {"a": 1, "b": 2}]',
        b'[1, 2, {"str": [99999999999999999999]}]', b'[1, 2, {"str": ["a"]}]', b"[" * 100_000,
        b"[1, 2, " + b"1" * 5000 + b"]",
        b"[1, 2, " + b'{"tuple": [' * 5000 + b"]}" * 5000 + b"]",
    ],
)  # fmt: skip
def test_labels_that_are_not_as_documented_are_refused(written, text):
    header, content = small()
    header["sections"].append(section_of("labels", text, "json", [3], 128))
    path = written(encode(header, content.ljust(128, b"\0") + text))
    assert "labels are wrong" in refusal(path)
    assert "labels are wrong" in refusal(path, verify=False)


@pytest.mark.parametrize(
    ("offsets", "targets", "wanted"),
    [
        ([1, 2, 2, 3], [1, 2, 0], "start with 0"),
        ([0, 2, 1, 3], [1, 2, 0], "falls from 2 to 1"),
        ([0, 2, 2, 4], [1, 2, 0], "ends with 4"),
        ([0, 2, 2, 3], [1, 3, 0], "indices[1] is 3"),
    ],
)
def test_arrays_that_are_no_graph_are_refused_in_spite_of_right_checksums(written, offsets, targets, wanted):
    a, b = struct.pack("<4I", *offsets), struct.pack("<3I", *targets)
    sections = [section_of("offsets", a, "<u4", [4], 0), section_of("targets", b, "<u4", [3], 64)]
    header = {"rows": 3, "columns": 3, "edges": 3, "sections": sections}
    path = written(encode(header, a.ljust(64, b"\0") + b))
    for options in ({}, {"verify": False}):
        assert wanted in refusal(path, **options)


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
