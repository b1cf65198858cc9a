# SPDX-License-Identifier: Apache-2.0
r"""Gaspipe's own file, `.gaspipe`: a graph as it lies in memory, checksummed, to be mapped instead of read.

Format, version 1.3. All numbers are little-endian.

====== ===== ===========================================================================================
byte   size  what
====== ===== ===========================================================================================
0      8     magic: 89 47 53 50 0D 0A 1A 0A (``b"\x89GSP\r\n\x1a\n"``)
8      2     uint16, major version: 1. A reader refuses a larger one: all after this may differ.
10     2     uint16, minor version: 0, 1 where edges lie in blocks, 2 where lists by owner do too, 3 with a relabeled
             form. Larger ones only add what a reader may pass over, or must refuse by `required`.
12     4     uint32, CRC-32 of bytes 0 to H - 1 with these four as zeros
16     8     uint64, H: bytes of the header, which is these 32 and the JSON
24     8     uint64, bytes of the whole file
32     H-32  JSON in UTF-8, an object, see below; spaces may follow it
H            zeros up to D, the next multiple of 64 (H itself if it is one)
D            the sections, in the order of the JSON; each starts at the next multiple of 64, zeros between
====== ===== ===========================================================================================

The JSON object::

    {"rows": 4, "columns": 4, "edges": 3, "sections": [
        {"kind": "offsets", "dtype": "<u4", "shape": [5], "start": 0, "bytes": 20, "crc32": "9f2f7a5c"}, ...]}

rows, columns : integers of 0 to 2**32 - 1
    Shape of the matrix; n, the number of vertices, is the larger of the two, and at least 1.
edges : integer
    m, the number of stored edges.
sections : array of objects
    ``kind``; ``name`` (of vertex data); ``dtype``, as NumPy writes it, or "json"; ``shape``; ``start``, bytes from D
    on; ``bytes``; ``crc32``, eight hexadecimal digits; ``required``, true where a reader that does not know the kind
    must refuse the file (absent: false, the section may be passed over). Other keys are passed over.

=========== ============================================ ==================================================
kind        dtype, shape                                 what
=========== ============================================ ==================================================
offsets     "<u4" or "<u8", [n + 1]                      the edges of vertex v are offsets[v] to offsets[v + 1] - 1
targets     "<u4", [m]                                   destinations, less than `columns`
weights     "<i4", "<i8", "<f4" or "<f8", [m]            absent where edges have none
labels      a number, time or text of fixed width, or    what the vertices are called; absent where ids are all
            "json", [n]                                  there is
vertex_data a number, time or text of fixed width,       one section per `name`
            [n, ...]
=========== ============================================ ==================================================

offsets and targets come once, weights and labels at most once, vertex data once per name. Arrays are in C order.

The relabeled form (version 1.3; `Graph.prepare`) has the same edges in rows of vertices in another order. A reader may
pass over it:

================ ============================ =========================================================
kind             dtype, shape                 what
================ ============================ =========================================================
prepared_ids     "<u4", [n]                   its vertex v is the vertex prepared_ids[v] of the graph
prepared_offsets as offsets                   of its rows
prepared_targets "<u4", [m]                   destinations, by its own numbers
prepared_weights as weights                   absent where edges have none
================ ============================ =========================================================

Edges in blocks (version 1.1), for runs over graphs that are larger than memory, come in place of targets and weights.
The JSON object then has one more key::

    "stored": {"weights": "<f4", "symmetric": false, "simple": true, "negative_or_nan": false, "largest_weight": 7.5}

weights : "<i4", "<i8", "<f4", "<f8" or null
    Type of the weights; null where edges have none.
symmetric, simple : boolean
    Whether every edge has its reverse, just as often, weights aside; whether there are no parallel edges.
negative_or_nan : boolean
    Whether a weight is.
largest_weight : number
    The largest finite weight if it is above 0, else 0; 1 without weights.

and per view, which is the section's name, two sections that are required:

=========== ============================================ ==================================================
kind        dtype, shape                                 what
=========== ============================================ ==================================================
edge_blocks "|u1", [bytes]                               the blocks, each from a multiple of 64 on, zeros between
edge_index  "<u4", [blocks, 10]                          where they are and what is in them, in their order
=========== ============================================ ==================================================

The view "forward" has the edges and is always there; "reverse" has them turned round; "undirected" has them in both
directions without repetition: of several weights the smallest stays, NaN only where all are, and self-loops come once.

A block has edges into one partition: 65536 destinations from a multiple of that on. Edges are in the order of
partition, source, destination and weight (NaN last), and a block has at most 262144 of them. It is made of

- the weights of its edges, if they have any;
- their destinations, uint16, less the partition's first;
- its runs of edges with one source. For each: how far the source is from that of the run before (of the first run: 0),
  in 1 or 2 bytes as the index says, all ones: uint32 with the distance follow; then its edges less 1, in 1 byte, all
  ones: uint32 with them follow.

The words of an index entry, uint32:

====== ===== =========================================================
word   words what
====== ===== =========================================================
0      2     where the block starts, in bytes from the section's start
2      1     its bytes
3      1     its CRC-32
4      1     its edges
5      1     its runs
6      1     its partition
7      1     its first source
8      1     its last source
9      1     bytes of a distance: 1 or 2
====== ===== =========================================================

Lists by owner (version 1.2), which workers with local stores search (`gp.bfs(method="local_store")`), come besides the
blocks, of a square matrix. The JSON object then has one more key::

    "lists": {"version": 1, "workers": 8, "code_bits": 32}

version : integer
    Of what follows. A reader passes over lists of another version.
workers : integer of 1 to 1024
    P: worker w owns the vertices w * s to (w + 1) * s - 1 that there are, where s is n / P rounded up.
code_bits : 32 or 64
    Width of a vertex code. Its upper bits, as many as n - 1 has (1 at least), are the vertex's id; the others are its
    out-degree, all ones for that or more. It is 32 where that leaves 4 bits for the out-degree.

============ ============= =================================================================================
kind         dtype, shape  what
============ ============= =================================================================================
list_records "|u1" [bytes] a record per vertex that has out-edges, in their order; the first one starts where the
                           place in the file is a multiple of 4096, zeros before it
list_checks  "<u4" [pages] CRC-32 of every 4096 bytes of the records, counted from the first one on
list_targets "|u1" [bytes] a bit per vertex, the lowest of a byte first: whether an edge leads to it; n / 8 bytes
============ ============= =================================================================================

A record is a header and the codes of the destinations in ascending order, each filled up with zeros to a multiple of 16
bytes. The header has two uint32 per worker: how many codes come before those that the worker owns, and how many these
are.

JSON labels are an array of n values: strings, integers, floats (numbers with a point or an exponent), true, false,
null, and objects of one key for what JSON lacks: ``{"tuple": [...]}`` of any of these, ``{"float": "nan"}`` (also
"inf", "-inf"), ``{"int": "0x..."}`` for integers of very many digits, ``{"str": [...]}`` of code points for strings
that UTF-8 cannot hold (lone surrogates).

Checksums: a section's bytes are cut into blocks of 4 MiB (the last one may be shorter; no bytes make no block); its
``crc32`` is the CRC-32 of the blocks' CRC-32s, written one after the other as uint32. So blocks can be checked in
parallel, and a damaged span of up to 32 bits never goes unnoticed. CRC-32 is zlib's. It guards against accidents, not
against forgers; against these, readers check sizes and that offsets and targets are in range.

To read one with NumPy alone::

    import json, numpy as np
    data = np.memmap("graph.gaspipe", np.uint8, "r")
    size = int(data[16:24].view("<u8")[0])
    header = json.loads(bytes(data[32:size]))
    first = -(-size // 64) * 64
    arrays = {}
    for section in header["sections"]:
        if section["dtype"] != "json":
            start = first + section["start"]
            values = data[start : start + section["bytes"]].view(section["dtype"]).reshape(section["shape"])
            arrays[section["kind"], section.get("name")] = values
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._files import Path, file_name
from .._arrays import check_graph
from .._intake import Intake
from .._record import Fill, Format, Reading, ReadOptions, Vertices, WriteOptions
from .blocks import check_views, save_blocks, write_blocks
from .layout import MAGIC
from .load import load
from .pieces import stream
from .save import save, writer
from .stored import header_of
from .streamed import Streamed, open_streamed

if TYPE_CHECKING:
    from ...graph import Graph

__all__ = [
    "FORMAT",
    "Streamed",
    "check_views",
    "header_of",
    "load",
    "open_streamed",
    "save",
    "save_blocks",
    "write_blocks",
]


def read(path: Path, options: ReadOptions) -> Reading:
    """Load the file, as the other formats are read."""
    saved = load(path, threads=options.threads)
    if not options.rectangular:
        check_graph(saved.core.shape, file_name(path))
    return saved


def stream_edges(path: Path, options: ReadOptions, intake: Intake) -> Vertices:
    """Hand the edges of rows or blocks over; labels and vertex data stay in memory."""
    return stream(path, intake, rectangular=options.rectangular)


def write(graph: Graph, options: WriteOptions, suffix: str) -> Fill:
    """Write the graph with its labels and vertex data, as Graph.save does."""
    return writer(graph._core, graph.labels, graph.vertex_data, options.threads)[0]


FORMAT = Format(
    name="gaspipe",
    suffixes=("gaspipe",),
    read=read,
    stream=stream_edges,
    write=write,
    sniff=lambda start: start.startswith(MAGIC),
    holds_rectangular=True,
    holds_labels=True,
    is_mapped=True,
    help=".gaspipe (mapped into memory when read)",
    place=80,
)
