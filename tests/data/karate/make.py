# SPDX-License-Identifier: Apache-2.0
"""Writes the karate club in every format: with SciPy where it has a writer, else with plain NumPy; never with gaspipe.

python tests/data/karate/make.py
"""

import bz2
import gzip
import lzma
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.io
import scipy.sparse as sp

FOLDER = Path(__file__).parent
SEED = 1977


def write_text(name, lines, end="\n"):
    (FOLDER / name).write_bytes("".join(f"{line}{end}" for line in lines).encode())


def rows_of(matrix):
    """(destination, weight) of every row."""
    starts, ends = matrix.indptr[:-1].tolist(), matrix.indptr[1:].tolist()
    pairs = list(zip(matrix.indices.tolist(), matrix.data.tolist()))
    return [pairs[start:end] for start, end in zip(starts, ends)]


def main():
    rng = np.random.default_rng(SEED)
    club = np.array(nx.karate_club_graph().edges(), np.int64)
    n = int(club.max()) + 1
    # Directed: most friendships one way round, some both; with two who know nobody at the end.
    turned, both = rng.random(len(club)) < 0.5, rng.random(len(club)) < 0.3
    edges = np.concatenate(
        [np.where(turned[:, None], club[:, ::-1], club), np.where(turned[:, None], club, club[:, ::-1])[both]]
    )
    edges = edges[rng.permutation(len(edges))]
    integers = rng.integers(1, 100, len(edges))
    reals = np.round(rng.uniform(0.01, 10, len(edges)), 3)
    size = n + 2

    plain = [f"{a}\t{b}" for a, b in edges.tolist()]
    snap = ["# Zachary's karate club", f"# Nodes: {n} Edges: {len(edges)}", "# FromNodeId\tToNodeId", *plain]
    write_text("karate.txt", snap, "\r\n")
    write_text("karate-header.txt", ["% vertices edges", f"{size} {len(edges)}", *plain])
    write_text("karate-integer.txt", [f"{a} {b} {w}" for (a, b), w in zip(edges.tolist(), integers.tolist())])
    write_text("karate-real.csv", [f"{a},{b},{w}" for (a, b), w in zip(edges.tolist(), reals.tolist())])
    text = (FOLDER / "karate.txt").read_bytes()
    (FOLDER / "karate.txt.gz").write_bytes(gzip.compress(text, mtime=0))
    (FOLDER / "karate.txt.xz").write_bytes(lzma.compress(text))
    (FOLDER / "karate.txt.bz2").write_bytes(bz2.compress(text))

    directed = sp.csr_array((integers, edges.T), shape=(size, size))
    real = sp.csr_array((reals, edges.T), shape=(size, size))
    weights = rng.integers(1, 100, len(club))
    undirected = sp.csr_array((np.tile(weights, 2), np.concatenate([club, club[:, ::-1]]).T), shape=(size, size))
    upper = sp.triu(undirected).tocsr()
    for name, matrix, field, symmetry in (
        ("pattern", directed, "pattern", "general"),
        ("real", real, "real", "general"),
        ("integer", directed, "integer", "general"),
        ("symmetric", undirected, "integer", "symmetric"),
        ("pattern-symmetric", undirected, "pattern", "symmetric"),
        ("skew", (upper - upper.T).astype(float), "real", "skew-symmetric"),
    ):
        scipy.io.mmwrite(FOLDER / f"karate-{name}.mtx", matrix, field=field, symmetry=symmetry)

    rows = rows_of(undirected)
    m = len(club)
    write_text(
        "karate.graph", ["% karate club", f"{size} {m}", *(" ".join(str(v + 1) for v, _ in row) for row in rows)]
    )
    for name, head in (("karate-001.graph", f"{size} {m} 001"), ("karate-111.graph", f"{size} {m} 111 2")):
        lines = ([] if name == "karate-001.graph" else [7, u, 2 * u] for u in range(size))
        whole = [[*line, *(k for v, w in row for k in (v + 1, w))] for line, row in zip(lines, rows)]
        write_text(name, [head, *(" ".join(map(str, line)) for line in whole)])
    # DIMACS-10's multigraphs: a loop at every fifth vertex and one edge twice.
    multi = [[*(v for v, _ in row), *([u] if u % 5 == 0 else [])] for u, row in enumerate(rows)]
    multi[0].append(1)
    multi[1].append(0)
    lines = [" ".join(str(v + 1) for v in row) for row in multi]
    write_text("karate-100.graph", [f"{size} {sum(map(len, multi))} 100", *lines])

    arcs = [f"a {a + 1} {b + 1} {w}" for (a, b), w in zip(edges.tolist(), integers.tolist())]
    write_text("karate.gr", ["c karate club", f"p sp {size} {len(edges)}", "c arcs", *arcs])

    ids = 10 * rng.permutation(size) + 3
    write_text("karate.v", sorted(ids.tolist()))
    write_text("karate.e", [f"{ids[a]} {ids[b]} {w}" for (a, b), w in zip(edges.tolist(), reals.tolist())])
    write_text("karate.properties", ["graph.karate.directed = true", f"graph.karate.meta.edges = {len(edges)}"])

    sp.save_npz(FOLDER / "karate-csr.npz", real)
    sp.save_npz(FOLDER / "karate-coo.npz", sp.coo_array((integers.astype(np.int32), edges.T), shape=(size, size)))

    for name, matrix, is_weighted in (("karate.sg", directed, False), ("karate.wsg", directed, True)):
        with open(FOLDER / name, "wb") as file:
            file.write(b"\1" + np.array([matrix.nnz, size], "<i8").tobytes())
            for side in (matrix, matrix.T.tocsr()):
                file.write(side.indptr.astype("<i8").tobytes())
                pairs = np.stack([side.indices, side.data], 1) if is_weighted else side.indices
                file.write(pairs.astype("<i4").tobytes())


if __name__ == "__main__":
    main()
