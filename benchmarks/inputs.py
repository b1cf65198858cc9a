# SPDX-License-Identifier: Apache-2.0
"""How fast graphs are made of what people have, next to SciPy and NumPy doing the same.

A Kronecker graph as matrices, edge arrays, ids with gaps and names; each side has all it needs in memory and makes rows
of it. What is made is compared before anything is timed. A borrowed matrix has SciPy's copy beside it, which reads and
writes what borrowing only reads; where ids of 64 bits have to become narrow, both sides write.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any, Callable

from machine import Others, alternate, facts, load, require, save, table

Make = Callable[[], Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=int, default=18, help="2**SCALE vertices")
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--names", type=int, default=1_000_000, help="edges whose ends are names, at most")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of gaspipe; the others have one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--patience", type=float, default=30, metavar="S", help="seconds to wait for idle CPUs")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    gp, scipy = require("gaspipe"), require("scipy")
    before = load()
    drawn = gp.generate.kronecker(options.scale, options.edge_factor, seed=1, weights=(1, 255))
    lines, report = [], {}
    for name, peer, ours, theirs in pairs(drawn, options.names, options.threads):
        compare(name, ours(), theirs())
        samples = alternate(options.rounds, options.patience, {"gaspipe": timed(ours), peer: timed(theirs)})
        ratio = samples[peer].median / samples["gaspipe"].median
        lines.append([name, str(samples["gaspipe"]), peer, str(samples[peer]), f"{ratio:.2f}"])
        report[name] = samples
    print(table(["graph of", "gaspipe, ms (middle half)", "peer", "its ms (middle half)", "peer / gaspipe"], lines))
    known = facts(
        gaspipe=gp.__version__,
        scipy=scipy.__version__,
        threads=options.threads,
        edges=drawn.num_edges,
        load=f"{before} before, {load()} after",
    )
    print("\n" + "\n".join(f"{key}: {value}" for key, value in known.items()))
    save(options.json, {"facts": known, "seconds": report})


def pairs(drawn: Any, most_names: int, threads: int) -> list[tuple[str, str, Make, Make]]:
    """Return rows of a name, a peer, and what makes (indptr, indices, weights or None, labels or None) by either."""
    import numpy as np
    import scipy.sparse as sp

    import gaspipe as gp

    n = drawn.num_vertices
    csr = sp.csr_array((drawn.weights, drawn.indices.astype(np.int32), drawn.indptr.astype(np.int32)), shape=(n, n))
    wide = csr.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    coo, csc, upper = csr.tocoo(), csr.tocsc(), sp.triu(csr).tocsr()
    order = np.random.default_rng(1).permutation(coo.nnz)
    sources, targets, weights = coo.row[order], coo.col[order], coo.data[order]
    shuffled = sp.coo_array((weights, (sources, targets)), shape=(n, n))
    gaps = sources.astype(np.int64) * 1_000_003 + 17, targets.astype(np.int64) * 1_000_003 + 17
    called = np.array([f"v{v}" for v in range(n)], object)
    some = slice(0, most_names)
    names = called[sources[some]], called[targets[some]]

    def graph(made: Any, **how: Any) -> Make:
        def make() -> Any:
            one = gp.Graph(made, num_threads=threads, **how)
            return one.indptr, one.indices, one.weights, one.labels

        return make

    def matrix(make: Callable[[], Any]) -> Make:
        def made() -> Any:
            one = make()
            return one.indptr, one.indices, one.data, None

        return made

    def narrow() -> Any:
        return sp.csr_array((wide.data, wide.indices.astype(np.int32), wide.indptr.astype(np.int32)), shape=wide.shape)

    def symmetrized() -> Any:
        one = gp.Graph(upper, copy=False).symmetrize(num_threads=threads)
        return one.indptr, one.indices, one.weights, None

    def numbered(ends: tuple[Any, Any], values: Any) -> Make:
        def make() -> Any:
            labels, new = np.unique(np.concatenate(ends), return_inverse=True)
            half, size = len(ends[0]), len(labels)
            data = np.ones(half, np.int8) if values is None else values
            one = sp.coo_array((data, (new[:half], new[half:])), shape=(size, size))
            rows = np.argsort(one.row, kind="stable")  # tocsr() would add up parallel edges
            indptr = np.concatenate([[0], np.cumsum(np.bincount(one.row, minlength=size))])
            return indptr, one.col[rows], None if values is None else one.data[rows], labels

        return make

    return [
        ("csr, borrowed", "SciPy copy()", graph(csr, copy=False), matrix(csr.copy)),
        ("csr, copied", "SciPy copy()", graph(csr), matrix(csr.copy)),
        ("csr of int64, borrowed", "NumPy astype()", graph(wide, copy=None), matrix(narrow)),
        ("csc", "SciPy tocsr()", graph(csc), matrix(csc.tocsr)),
        ("coo", "SciPy tocsr()", graph(shuffled), matrix(shuffled.tocsr)),
        ("edge arrays", "SciPy tocsr()", graph((sources, targets, weights), num_vertices=n), matrix(shuffled.tocsr)),
        (
            "ids with gaps, relabel=True",
            "NumPy unique()",
            graph((*gaps, weights), relabel=True),
            numbered(gaps, weights),
        ),
        ("names", "NumPy unique()", graph(names), numbered(names, None)),
        ("symmetrize()", "SciPy maximum()", symmetrized, matrix(lambda: upper.maximum(upper.T.tocsr()))),
    ]


def timed(make: Make) -> Callable[[int], tuple[list[float], float]]:
    def run(_: int) -> tuple[list[float], float]:
        with Others() as others:
            start = time.perf_counter()
            make()
            seconds = time.perf_counter() - start
        return [seconds], others.share

    return run


def compare(name: str, ours: Any, theirs: Any) -> None:
    """End the script unless both have the same rows, whatever the order within a row."""
    import numpy as np

    def settled(made: Any) -> Any:
        indptr, indices, weights, labels = made
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(np.asarray(indptr, np.int64)))
        values = np.zeros(len(indices)) if weights is None else weights
        order = np.lexsort((values, indices, rows))
        return np.asarray(indptr, np.int64), indices[order], values[order], [] if labels is None else list(labels)

    for mine, other in zip(settled(ours), settled(theirs)):
        if not np.array_equal(mine, other):
            sys.exit(f"inputs.py: of {name}, gaspipe and its peer make different graphs")


if __name__ == "__main__":
    main()
