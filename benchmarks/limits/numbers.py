# SPDX-License-Identifier: Apache-2.0
"""As many edges and vertices as numbers of 31 and 32 bits count, and a few more or less."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from limits.line import Line, same

HUBS = 4096  # every vertex of `rows_again` leads to these


def rows_again(num_vertices: int) -> Any:
    """A SciPy matrix in which every vertex leads to 0 ... HUBS - 1: some memory, mapped as often as there are rows."""
    import scipy.sparse as sp

    num_bytes, piece = num_vertices * HUBS * 4, 64 << 20
    file = os.memfd_create("rows")
    os.write(file, np.tile(np.arange(HUBS, dtype=np.int32), piece // 4 // HUBS).tobytes())
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    anonymous, fixed = 0x4022, 0x10  # private and without a reservation
    first = libc.mmap(None, num_bytes + piece, mmap.PROT_READ, anonymous, -1, 0)
    for start in range(first, first + num_bytes, piece):
        if libc.mmap(start, piece, mmap.PROT_READ, mmap.MAP_SHARED | fixed, file, 0) != start:
            raise OSError(ctypes.get_errno(), "mmap")
    os.close(file)
    matrix = sp.csr_array((num_vertices, num_vertices), dtype=bool)
    matrix.indptr = np.arange(num_vertices + 1, dtype=np.int64) * HUBS
    place = ctypes.cast(first, ctypes.POINTER(ctypes.c_int32))
    matrix.indices = np.ctypeslib.as_array(place, (num_vertices * HUBS,))
    matrix.data = np.broadcast_to(np.True_, num_vertices * HUBS)
    return matrix


def depths(rows: int) -> Any:
    """From the last vertex."""
    depth = np.where(np.arange(rows) < HUBS, 1, -1)
    depth[-1] = 0
    return depth


def ranks(rows: int) -> Any:
    return 0.15 / rows + 0.85 / HUBS * (np.arange(rows) < HUBS)


def edges(gp: Any) -> Iterator[Line]:
    """Offsets on both sides of 31 and 32 bits, in memory."""
    for exponent in (31, 32):
        for more in (-1, 0, 1):
            name = f"2^{exponent}" + (f" {'+' if more > 0 else '-'} {HUBS}" if more else "")
            yield from edges_in_memory(gp, (1 << exponent) // HUBS + more, name, more == 0)


def edges_in_memory(gp: Any, rows: int, name: str, are_all: bool) -> Iterator[Line]:
    g = gp.Graph(rows_again(rows), copy=False)
    yield Line(f"num_edges, {name}", lambda: g.num_edges, same(rows * HUBS))
    yield Line(f"bfs, {name}", lambda: gp.bfs(g, rows - 1).depth, same(depths(rows)))
    yield Line(f"sssp, {name}", lambda: gp.sssp(g, rows - 1).distance, same(depths(rows)))
    if are_all:
        yield Line(f"spmv, {name}", lambda: gp.spmv(g, np.arange(rows) / 64).product, same(HUBS * (HUBS - 1) / 128))
        yield Line(f"pagerank, {name}", lambda: gp.pagerank(g, max_iter=3, tol=1e-9).rank, same(ranks(rows), 1e-6))
        yield Line(f"wcc, {name}", lambda: gp.wcc(g).component, same(0))
        components = np.where(np.arange(rows) < HUBS, 0, np.arange(rows))
        yield Line(f"scc, {name}", lambda: gp.scc(g).component, same(components))
        yield Line(f"core_numbers, {name}", lambda: gp.core_numbers(g).core, same(HUBS))


def stored(gp: Any) -> Iterator[Line]:
    """The same graphs with their edges in a file, and 1 GB of memory."""
    for exponent in (32, 31):
        yield from edges_in_a_file(gp, (1 << exponent) // HUBS, f"2^{exponent}")


def edges_in_a_file(gp: Any, rows: int, name: str) -> Iterator[Line]:
    file = Path("large.gaspipe")

    def save() -> float:
        saver = os.fork()  # what it maps counts as memory of the process
        if saver == 0:
            try:
                gp.Graph(rows_again(rows), copy=False).save(file, blocks=True)
                os._exit(0)
            finally:
                os._exit(1)
        return file.stat().st_size / (rows * HUBS) if os.waitpid(saver, 0)[1] == 0 else -1.0

    def load() -> Any:
        return gp.Graph.load(file, memory="1 GB", verify=False)

    yield Line(f"save, bytes per edge, {name}", save, lambda got: 1 <= got < 8)
    yield Line(f"num_edges, {name}", lambda: load().num_edges, same(rows * HUBS))
    yield Line(f"bfs, {name}", lambda: gp.bfs(load(), rows - 1).depth, same(depths(rows)))
    yield Line(f"sssp, {name}", lambda: gp.sssp(load(), rows - 1).distance, same(depths(rows)))
    yield Line(f"pagerank, {name}", lambda: gp.pagerank(load(), max_iter=3, tol=1e-9).rank, same(ranks(rows), 1e-6))
    file.unlink()


def vertices(gp: Any) -> Iterator[Line]:
    """As many vertices as ids of 32 bits allow, and more: right, or refused."""
    for name, last in (("2^32 - 2", 2**32 - 2), ("2^32 - 1", 2**32 - 1), ("2^32", 2**32), ("2^63", 2**63)):
        yield from vertices_up_to(gp, last, name)
    alone = 1 << 28
    yield Line(
        "bfs, 2^28 vertices, one edge",
        lambda: gp.bfs(gp.Graph(([0], [1]), num_vertices=alone), 0).depth.sum(dtype=np.int64),
        same(1 - (alone - 2)),
    )


def vertices_up_to(gp: Any, last: int, name: str) -> Iterator[Line]:
    ends = np.array([0, last - 1, last], np.uint64)
    file = Path("ids.txt")
    file.write_text(f"0 {last}\n")
    yield Line(f"an edge to id {name}", lambda: gp.Graph((ends[:1], ends[2:])).num_vertices, same(last + 1))
    yield Line(f"a file with id {name}", lambda: gp.Graph.from_file(file).num_vertices, same(last + 1))
    yield Line(f"num_vertices={name}", lambda: gp.Graph(([0], [1]), num_vertices=last).num_vertices, same(last))
    yield Line(f"a chain of {name}", lambda: gp.generate.chain(last).num_vertices, same(last))
    few = lambda: gp.Graph((ends[1:2], ends[2:]), relabel=True).labels.tolist()  # noqa: E731
    yield Line(f"ids up to {name}, relabelled", few, lambda got: got == [last - 1, last])
