# SPDX-License-Identifier: Apache-2.0
"""Inputs that the fuzz targets in Python (python_targets.py) begin with: one for each kind of content that is read."""

from __future__ import annotations

import io
import json
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

import gaspipe as gp

TESTS = Path(__file__).resolve().parents[1]


def saved(folder: Path) -> Iterator[bytes]:
    plain = gp.Graph((np.array([0, 1, 2, 2, 4]), np.array([1, 2, 0, 4, 3]), np.array([5, 6, 7, 8, 9])))
    named = gp.Graph(([("a"), "b", "c"], ["b", "c", "a"]), relabel=True)
    path = folder / "seed.gaspipe"
    for graph in (plain, named, gp.generate.star(3, weights=(2, 9))):
        for how in ({}, {"blocks": True}, {"blocks": True, "views": ("forward", "reverse")}):
            graph.save(path, **how)
            yield b"\0" + path.read_bytes()
        gp.convert(path, folder / "lists.gaspipe", memory="64 MB", workers=2)
        yield b"\0" + (folder / "lists.gaspipe").read_bytes()
    # What JSON has no words for: tuples, numbers of more than 64 bits, infinity, half of a surrogate pair.
    import networkx as nx

    nodes = [(1, ("a", 2.5)), 10**30, float("inf"), "\ud800", True, "b", 3]
    gp.Graph(nx.DiGraph(zip(nodes, nodes[1:]))).save(path)
    yield b"\0" + path.read_bytes()
    weighted = folder / "seed.metis"
    weighted.write_text("3 2 111 2\n1 4 5 2 7\n2 6 7 1 7 3 8\n3 8 9 2 8\n")
    for how in ({}, {"blocks": True}):
        gp.Graph.from_file(weighted, format="metis").save(path, **how)
        yield b"\0" + path.read_bytes()


def saved_wrongly(folder: Path) -> Iterator[bytes]:
    """Those, and some whose headers say what cannot be."""
    yield from saved(folder)
    named, path = gp.Graph((["a", "b", "c"], ["b", "c", "a"]), relabel=True), folder / "wrong.gaspipe"
    named.save(path, blocks=True)
    for place, value in WRONG:
        yield b"\0" + with_header(path.read_bytes(), place, value)
    gp.convert(path, folder / "lists.gaspipe", memory="64 MB", workers=2)
    for key, value in (("version", 2), ("workers", 3), ("code_bits", 16)):
        yield b"\0" + with_header((folder / "lists.gaspipe").read_bytes(), ("lists", key), value)


# Places in the header of blocks with labels, and what is there.
WRONG: tuple[tuple[tuple[str | int, ...], object], ...] = (
    (("rows",), 2),
    (("rows",), "3"),
    (("edges",), 2),
    (("sections",), {}),
    (("sections", 0, "dtype"), "<u4"),
    (("sections", 0, "dtype"), "nonsense"),
    (("sections", 0, "name"), "reverse"),
    (("sections", 0, "name"), 1),
    (("sections", 0, "crc32"), "x"),
    (("sections", 1, "kind"), "nonsense"),
    (("sections", 1, "kind"), "edge_blocks"),
    (("sections", 1, "shape"), [5, 2]),
    (("sections", 1, "shape"), []),
    (("sections", 2, "kind"), "nonsense"),
    (("sections", 2, "dtype"), "<i4"),
    (("sections", 2, "shape"), [2, 2]),
    (("sections", 2, "start"), 1),
    (("sections", 2, "bytes"), 10**6),
    (("sections", 3, "kind"), "vertex_data"),
    (("sections", 3, "shape"), [4]),
    (("sections", 3, "shape"), [3, 1]),
    (("sections", 3, "kind"), 7),
    (("stored", "weights"), "<f2"),
    (("stored", "weights"), "<i4"),
    (("stored", "simple"), 1),
    (("stored", "largest_weight"), -1),
    (("stored",), None),
)


def with_header(data: bytes, place: tuple[str | int, ...], value: object) -> bytes:
    """Return a saved graph with another value in its header; the target puts checksums and lengths right."""
    prefix = struct.Struct("<8sHHIQQ")
    magic, major, minor, checksum, header_bytes, _ = prefix.unpack_from(data)
    header = json.loads(data[prefix.size : header_bytes])
    at = header
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    text = json.dumps(header).encode()
    new_bytes, body = prefix.size + len(text), data[header_bytes + -header_bytes % 64 :]
    return prefix.pack(magic, major, minor, checksum, new_bytes, 0) + text + bytes(-new_bytes % 64) + body


def graphml(folder: Path) -> Iterator[bytes]:
    yield b"""<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge" attr.name="weight" attr.type="int"><default>3</default></key><graph edgedefault="directed">
<node id="a"/><node id="b"/><edge source="a" target="b"><data key="w">4</data></edge><edge source="b" target="b"/>
</graph></graphml>"""
    yield b"""<graphml><key id="w" for="edge" attr.name="weight" attr.type="double"/><graph edgedefault="undirected">
<node id="1"/><edge source="1" target="2"><data key="w">4e3</data></edge></graph></graphml>"""
    yield b"""<graphml><key id="w" for="edge" attr.name="weight" attr.type="long"/><graph edgedefault="undirected">
<node id="1"/><node id="2"/><edge source="1" target="2"><data key="w">12345678901</data></edge></graph></graphml>"""
    start, one = b"<graphml><graph edgedefault='directed'>", b"<node id='a'/><edge source='a' target='%s'%s/>"
    yield start + one % (b"a", b"") + b"</graph><graph/></graphml>"
    yield start + one % (b"a", b" directed='false'") + b"</graph></graphml>"
    yield start + one % (b"nowhere", b"") + b"</graph></graphml>"
    yield start + b"</graph></graphml>"
    yield b"<graphml/>"
    yield b"<!DOCTYPE graphml [<!ENTITY a 'aaaa'>]>" + start + one % (b"&a;", b"") + b"</graph></graphml>"
    yield b"<?xml version='1.0' encoding='nonsense'?><graphml/>"
    for text in (b"x", b"nan"):
        yield (
            b"<graphml><key id='w' for='edge' attr.name='weight' attr.type='float'/><graph edgedefault='directed'>"
            + (b"<node id='a'/><edge source='a' target='a'><data key='w'>%s</data></edge></graph></graphml>" % text)
        )
    yield b"<graphml><node/></graphml>"
    yield b"<graphml><key id='w' for='edge' attr.name='weight' attr.type='string'/></graphml>"
    yield b"<graphml><key id='w' for='edge' attr.name='weight' attr.type='int'/>" + start[9:] + one % (b"a", b"")


def csv(folder: Path) -> Iterator[bytes]:
    """Behind a byte that chooses options."""
    texts = (
        b"source,target,weight\nann,bob,1\nbob,cid,2\n",
        b"# c\nsrc;dst\n1;2\n3;4\n",
        b'\xef\xbb\xbffrom\tto\n"a b"\tc\r\nd\te\r\n',
        b"1,2,0.5\n2,3,1.5\n",
        b"left|right|size\n1|2|3\n",
        b"ann,bob\ncid,dan\n",
        b"ann,7\nbob,8\n",
        b"source,target\n",
        b"one column\n1\n",
        b"# nothing\n",
        b"a,b\0\n",
        b"source,target\n1\n",
        b'source,target\n"' + b"x" * 1000 + b'",2\n',
    )
    for option in range(5):
        for text in texts:
            yield bytes([option]) + text


NPZ_NAMES = ("indptr", "indices", "data", "shape", "format", "row", "col", "weight", "_is_array", "coords", "offsets")


def npz(folder: Path) -> Iterator[bytes]:
    rows = {"indptr": [0, 1, 1, 2], "indices": [1, 0], "data": [5.0, 6.0], "shape": (3, 3)}
    ends = {"row": [0, 1], "col": [1, 2], "data": [3, 4], "shape": (3, 3), "format": b"coo"}
    blocks = {"indptr": [0, 1, 2], "indices": [1, 0], "data": np.arange(8).reshape(2, 2, 2), "shape": (4, 4)}
    wrong = {**blocks, "indptr": [0, 1, 5]}
    diagonals = {"offsets": [0, 1, -1], "data": np.arange(9).reshape(3, 3), "shape": (3, 3), "format": "dia"}
    for arrays in (
        {**rows, "format": b"csr"},
        {**rows, "format": "csc"},
        {**rows, "format": "lil"},
        {**rows, "format": b"csr", "shape": (3, 4)},
        {**rows, "format": b"csr", "shape": (2**40, 3)},
        ends,
        {**ends, "shape": (2**31, 2**31)},
        {**ends, "data": [3]},
        {"coords": [[0, 1], [1, 2]], "data": [3, 4], "shape": (3, 3), "format": b"coo"},
        {**blocks, "format": b"bsr"},
        {**wrong, "format": b"bsr"},
        diagonals,
        {**diagonals, "offsets": [0]},
        {"data": [1], "format": b"csr", "shape": (1, 1)},
    ):
        seed = b"\0"
        for key, values in arrays.items():
            member = io.BytesIO()
            np.save(member, np.asarray(values))
            content = member.getvalue()
            seed += bytes([NPZ_NAMES.index(key)]) + len(content).to_bytes(2, "little") + content
        yield seed
    member = io.BytesIO()
    np.lib.format.write_array(member, np.array([1]), version=(3, 0))
    yield b"\0\2" + len(member.getvalue()).to_bytes(2, "little") + member.getvalue()


def gap(folder: Path) -> Iterator[bytes]:
    yield struct.pack("<?qq3q2i", False, 2, 2, 0, 1, 2, 1, 0)
    yield struct.pack("<?qq3qi3qi", True, 1, 2, 0, 1, 1, 1, 0, 0, 1, 0)


def board(folder: Path) -> Iterator[bytes]:
    full = gp.Board("u250").to_dict()
    yield json.dumps(full).encode()
    yield json.dumps({**full, "slrs": [1]}).encode()
    yield json.dumps({key: value for key, value in full.items() if key != "memory"}).encode()
    for text in (
        '{"base": "u280", "memory": {"num_banks": 4}, "clock_mhz": 200, "clocks": {"bfs": 180}}',
        '{"base": "u280", "clocks": [1]}',
        '{"base": "u280", "clocks": {"bfs": null}}',
        '{"base": "u280", "slrs": {}}',
        '{"base": "u280", "memory": true}',
        '{"base": "u280", "memory": {"nonsense": 1}}',
        '{"base": "u280", "clock_mhz": 1e400}',
        '{"base": "u280", "name": 7}',
        '{"base": "nonsense"}',
        '{"base": "u280", "base": "u250"}',
        '{"base": "u280", "clock_mhz": NaN}',
        "[1]",
        "{",
        "[" * 2000,
    ):
        yield text.encode()
    yield b"\xff\xfe"


def outline(folder: Path) -> Iterator[bytes]:
    yield b"prop_t gatherFunc(prop_t a, prop_t b) { return a < b ? a : b; } // }\n#include <cmath>\n"
    yield b"template <class N> struct Hooks { static constexpr N kIdentity = 0; N scatterFunc(N a, N) { return a; } };"
    yield b"""#define IS_ACTIVE_VERTEX(a) (a)
prop_t applyFunc(prop_t t, prop_t s, prop_t d, unsigned int (&extra)[4], unsigned int arg) { return t; /* ) */ }
const char* c = R"(})";"""
    yield b"""prop_t scatterFunc(prop_t a, prop_t e) { const float x = 1.5; double y; y = a * 2.5f; static float z(0.5);
for (float i = 0.5; i < 2.5; i += 0.5) { if (a > 0.25) { y += (unsigned)1.5; return std::max<float>(a, 0.5) * 1.5; } }
return static_cast<float>(0.5) + a / 3.0 + f(2.5) + (float)(0.5) + 1e3; }"""
    yield b"unsigned f(unsigned n) { return n ? f(n - 1) : 0; } prop_t gatherFunc(prop_t a, prop_t b) { return b; }"
    yield b"unsigned g(unsigned); unsigned f(unsigned n) { return g(n); } unsigned g(unsigned n) { return f(n); }"


def xclbin(folder: Path) -> Iterator[bytes]:
    sys.path.insert(0, str(TESTS / "python"))
    from cards import xclbin_bytes

    bank, zeros, ones = ("DDR[0]", 1, 16 << 20), "0123456789abcdef", "f" * 16
    apply = (f"apply_{zeros}", "apply_1", {0: [0]})
    for units in (
        [(f"gs_8_8_10000_{zeros}", "gs_1", {0: [0]}), apply],
        [(f"gs_8_8_10000_{zeros}", "gs_2", {0: [0]}), apply],
        [(f"gs_8_8_10000_{zeros}", f"gs_{i + 1}", {0: [0], 1: [0]}) for i in range(3)] + [apply],
        [(f"gs_8_8_10000_{ones}", "gs_1", {}), apply],
        [(f"gs_8_8_10000_{zeros}", "gs_1", {0: [0]})],
        [("vadd", "vadd_1", {0: [0]})],
        [],
    ):
        yield xclbin_bytes(units, [bank], clock_mhz=275)
    yield xclbin_bytes([apply], [bank], mode=99)


def arrow(folder: Path) -> Iterator[bytes]:
    import datetime
    from decimal import Decimal

    import pyarrow as pa

    times = pa.array([datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2)], pa.timestamp("us", "UTC"))
    ends = {"source": [0, 1], "target": [1, 0]}
    nulls = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["a", None]))
    for table in (
        pa.table({"source": [0, 1, 2], "target": [1, 2, 0], "weight": [1.5, 2.5, 3.5]}),
        pa.table({"src": ["a", "b"], "dst": pa.array(["b", "a"]).dictionary_encode()}),
        pa.table({"source": pa.array([1, None], pa.uint8()), "target": pa.array([2, 3], pa.int16())}),
        pa.table({"source": [0.0, 1.0], "target": [1.0, 0.5]}),
        pa.table({"source": [Decimal(0), Decimal(1)], "target": [Decimal(1), Decimal("0.5")]}),
        pa.table({**ends, "weight": [Decimal("0.5"), Decimal(1)]}),
        pa.table({**ends, "weight": [True, False]}),
        pa.table({**ends, "weight": ["x", "y"]}),
        pa.table({**ends, "weight": [float("nan"), 1.0]}),
        pa.table({"source": times, "target": times}),
        pa.table({"source": pa.array([1, 2], pa.time32("s")), "target": pa.array([2, 1], pa.time32("s"))}),
        pa.table({"source": pa.array(["a"], pa.large_string()), "target": pa.array([b"a"], pa.binary())}),
        pa.table({"source": nulls, "target": nulls}),
        pa.table({"source": ["a", "b"], "target": [1, 2]}),
        pa.table({"source": [[1]], "target": [[2]]}),
        pa.table({"source": pa.array([2**63], pa.uint64()), "target": [0]}),
        pa.table({"source": pa.array([1, 2]).dictionary_encode(), "target": pa.array([2, 1]).dictionary_encode()}),
        pa.table({"source": pa.array([], pa.dictionary(pa.int8(), pa.string())), "target": pa.array([], pa.string())}),
        pa.table({"a": [1], "b": [2], "c": [3], "d": [4]}),
    ):
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        yield sink.getvalue()


def arrays(folder: Path) -> Iterator[bytes]:
    offsets, targets = np.array([0, 1, 2, 2], "<u4"), np.array([1, 0], "<u4")
    head = bytes([2, 2, 0, 0, 2, 16, 8, 8])
    yield head + offsets.tobytes() + targets.tobytes() + np.array([3, 4], "<i4").tobytes()


WORDS = (
    *("bfs", "sssp", "pagerank", "wcc", "info", "triangles", "devices", "convert", "nonsense", "--version", "--help"),
    *("GRAPH", "OUT", "-", "--root", "--json", "--out", "--format", "--relabel", "--num-threads", "--max-iter"),
    *("--tol", "--device", "--number", "--domains", "--damping", "--top", "--verify", "--directed", "--header"),
    *("0", "1", "2", "-1", "99", "1e-3", "nan", "inf", "0.5", "cpu", "emulator:none", "fpga:x", "edge_list", "metis"),
    *("", "é", "\U0001f600", "--", "-q", "=", "--root=1", "--out=", "a\nb", "gp.index(3)", "float64", "uint32", "0x10"),
    *("khop", "spmv", "jaccard", "closeness", "--sources", "--x", "--pairs", "--vertices", "ones", "random:7", "0,1"),
    *("0,1 1,2", "0,1,2", "@LIST", "LIST", "ARRAY", "LABELS", "a,b", "a", "0,9", "-v", "bfs2", "--k"),
)


def arguments(folder: Path) -> Iterable[bytes]:
    for line in (
        "bfs GRAPH --root 0 --json",
        "info GRAPH",
        "convert GRAPH OUT",
        "pagerank GRAPH --damping 0.5",
        "khop GRAPH --sources 0,1 --k 2",
        "khop GRAPH --sources @LIST",
        "spmv GRAPH --x ones",
        "spmv GRAPH --x random:7",
        "spmv GRAPH --x LIST",
        "spmv GRAPH --x ARRAY",
        "jaccard GRAPH --pairs 0,1",
        "jaccard GRAPH --pairs @LIST",
        "bfs LABELS --root a --relabel",
        "sssp LABELS --root 0 --relabel",
        "closeness GRAPH --vertices 0,9",
        "bfs2 GRAPH",
        "--version",
    ):
        yield bytes(WORDS.index(word) for word in line.split())
