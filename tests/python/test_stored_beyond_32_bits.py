# SPDX-License-Identifier: Apache-2.0
"""Files of more than 2**32 edges: offsets of 8 bytes, blocks and lists far beyond 4 GiB. Most of a file is a hole."""

import json
import zlib

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
from gaspipe._formats.gaspipe.checksums import checksums
from gaspipe._formats.gaspipe.layout import MAGIC, PREFIX, aligned, read_header
from gaspipe._formats.gaspipe.stored import starts_of
from streams import AMPLE
from test_stored_lists import PAGE, expected_records

N = 70_000  # two partitions
MANY = (8, 9)  # vertices with very many edges, which no search gets to
FIRST, ROOT = 128, 200  # blocks are passed over by words of 64 sources
DEGREE = 2_200_000_000  # of each
MOST = 1 << 18  # edges of a block
HEADER = 16_384


def small():
    """The edges that are there: a search from ROOT reaches most vertices, none before FIRST."""
    rng = np.random.default_rng(3)
    return gp.Graph(tuple(rng.integers(FIRST, N, (2, 250_000))), num_vertices=N)


def crc(content):
    """A section's checksum."""
    (found,) = checksums([np.frombuffer(content, np.uint8)], 1)
    return found


def counts_of_blocks():
    """Edges of the blocks of one of MANY."""
    return [min(MOST, DEGREE - first) for first in range(0, DEGREE, MOST)]


def hole_entry(vertex, edges):
    """What the index says of a block whose edges all lead from one vertex to vertex 0, but for its start."""
    return [0, 0, 2 * edges + 7, 0, edges, 1, 0, vertex, vertex, 1]


def with_many(path, source, workers):
    """Write the graph of `source` with the edges of MANY, as far as a search reads it."""
    with open(source, "rb") as file:
        header = read_header(file, source.stat().st_size, str(source))
        content = {}
        for section in header.sections:
            file.seek(header.first + section.start)
            content[section.kind] = file.read(section.num_bytes)
    graph = gp.Graph.load(source)
    offsets = graph.indptr.astype("<u8")
    for vertex in MANY:
        offsets[vertex + 1 :] += DEGREE
    # Blocks: those of MANY come first in the partition, and all of their edges lead to its first vertex.
    index = np.frombuffer(content["edge_index"], "<u4").reshape(-1, 10)
    hole = np.array([hole_entry(vertex, edges) for vertex in MANY for edges in counts_of_blocks()], "<u4")
    starts = np.cumsum([0, *map(aligned, hole[:, 2].tolist())])
    blocks_at = int(starts[-1])
    index = np.concatenate([hole, index])
    starts = np.concatenate([starts[:-1], blocks_at + starts_of(index[len(hole) :])])
    index[:, 0], index[:, 1] = starts & 0xFFFFFFFF, starts >> 32
    # Lists: records of MANY come before all others.
    codes, length_bits = 4, 32 - 17
    skipped = len(MANY) * (aligned16(8 * workers) + aligned16(codes * DEGREE))
    records = expected_records(graph, workers, 32, length_bits)
    pages = -(-(skipped + len(records)) // PAGE)
    lead = skipped % PAGE
    known = bytes(lead) + records
    checks = np.zeros(pages, "<u4")
    for page in range(skipped // PAGE, pages):
        at = (page - skipped // PAGE) * PAGE
        checks[page] = zlib.crc32(known[at : at + PAGE])
    targets = np.packbits(np.isin(np.arange(N), np.r_[graph.indices, 0]), bitorder="little")
    sections, end = [], 0

    def put(file, kind, dtype, shape, content, skip=0, **more):
        nonlocal end
        start = aligned(end)
        if kind == "list_records":  # the first record begins a page
            skip += (-(HEADER + start)) % PAGE
        file.seek(HEADER + start + skip)
        file.write(content)
        num_bytes = skip + len(content)
        shape = [num_bytes] if shape is None else shape
        checksum = 0 if skip else crc(content)
        sections.append(
            {
                "kind": kind,
                "dtype": dtype,
                "shape": shape,
                "start": start,
                "bytes": num_bytes,
                "crc32": f"{checksum:08x}",
            }
            | more
        )
        end = start + num_bytes

    forward = {"name": "forward", "required": True}
    with open(path, "wb") as file:
        put(file, "edge_blocks", "|u1", None, content["edge_blocks"], blocks_at, **forward)
        put(file, "edge_index", "<u4", [len(index), 10], index.tobytes(), **forward)
        put(file, "offsets", "<u8", [N + 1], offsets.tobytes())
        put(file, "list_records", "|u1", None, records, skipped)
        put(file, "list_checks", "<u4", [pages], checks.tobytes())
        put(file, "list_targets", "|u1", [len(targets)], targets.tobytes())
        said = {
            "rows": N,
            "columns": N,
            "edges": int(offsets[-1]),
            "stored": {
                "weights": None,
                "symmetric": False,
                "simple": False,
                "negative_or_nan": False,
                "largest_weight": 1,
            },
            "lists": {"version": 1, "workers": workers, "code_bits": 32},
            "sections": sections,
        }
        text = json.dumps(said).encode().ljust(HEADER - PREFIX.size)
        prefix = PREFIX.pack(MAGIC, 1, 2, 0, HEADER, HEADER + end)
        file.seek(0)
        file.write(PREFIX.pack(MAGIC, 1, 2, zlib.crc32(prefix + text), HEADER, HEADER + end) + text)
    return graph


def aligned16(size):
    return -(-size // 16) * 16


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wide")
    small().save(folder / "small.gaspipe", blocks=True)
    graph = with_many(folder / "large.gaspipe", folder / "small.gaspipe", workers=4)
    return folder / "large.gaspipe", graph


@pytest.fixture
def levels(graphs):
    _, graph = graphs
    matrix = sp.csr_array((np.ones(graph.num_edges), graph.indices, graph.indptr), shape=(N, N))
    hops = csgraph.dijkstra(matrix, indices=ROOT, unweighted=True)
    assert np.isfinite(hops).sum() > N / 2
    return np.where(np.isfinite(hops), hops, -1).astype(np.int32)


def test_a_streamed_search_of_more_edges_than_32_bits_count(graphs, levels):
    path, small_graph = graphs
    graph = gp.Graph.load(path, memory=AMPLE)
    assert graph.num_edges == small_graph.num_edges + 2 * DEGREE > 2**32
    assert graph.out_degrees()[list(MANY)].tolist() == [DEGREE, DEGREE]
    for name in ("bfs", "sssp"):
        result = getattr(gp, name)(graph, ROOT)
        np.testing.assert_array_equal(result.values, levels)
        num_steps = result.stats.num_supersteps
        assert result.stats.stream["blocks_passed_over"] >= num_steps * 2 * (DEGREE // MOST)
        assert 0 < result.stats.stream["bytes_read"] < num_steps * path.stat().st_blocks * 512


def test_local_stores_search_lists_beyond_4_gib(graphs, levels):
    path, _ = graphs
    graph = gp.Graph.load(path, memory=AMPLE)
    result = gp.bfs(graph, ROOT, method="local_store")
    np.testing.assert_array_equal(result.depth, levels)
    assert result.stats.local_store.code_bits == 32


def test_a_block_beyond_4_gib_that_is_damaged_is_named(graphs):
    graph = gp.Graph.load(graphs[0], memory=AMPLE)
    with pytest.raises(gp.GraphFormatError, match=r"checksum of block 0 of its forward edges"):
        gp.bfs(graph, MANY[0])  # a hole
