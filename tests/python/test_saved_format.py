# SPDX-License-Identifier: Apache-2.0
"""Graph.save and Graph.load: the format as documented, what is recognised, and damage that is found."""

import contextlib
import gzip
import json
import os
import re
import struct
import zlib

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaspipe as gp
import zoo
from gaspipe._formats import gaspipe as saved
from saved_files import MAGIC, assert_same, encode, refusal, section_of, small


@pytest.fixture
def written(tmp_path):
    """Writes bytes to a file and gives its path."""

    def write(content, name="graph.gaspipe"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


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
