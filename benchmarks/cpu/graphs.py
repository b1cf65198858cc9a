# SPDX-License-Identifier: Apache-2.0
"""The graphs, symmetric and with weights, and the file formats in which peers read them, written from NumPy."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Callable

import numpy as np

GRAPHS = ("kron18", "kron20", "urand20", "grid1000", "cnr-2000", "USA-road-d.NY")
_FILES = {"cnr-2000": "cnr-2000-sym.graph.xz", "USA-road-d.NY": "USA-road-d.NY.gr.xz"}


def with_weights(indptr: Any, indices: Any, low: int, high: int, seed: int = 1) -> Any:
    """Integer weights for a symmetric graph, the same in both directions: a hash of the edge's two ends."""
    sources = np.repeat(np.arange(len(indptr) - 1, dtype=np.uint64), np.diff(indptr))
    ends = indices.astype(np.uint64)
    word = np.minimum(sources, ends) << np.uint64(32) | np.maximum(sources, ends)
    word += np.uint64(seed)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):  # splitmix64
        word = (word ^ (word >> np.uint64(shift))) * np.uint64(factor)
    return (low + word % np.uint64(high - low + 1)).astype(np.int32)


class Case:
    """One graph: arrays of a CSR in a folder, and what is written from them on demand."""

    def __init__(self, name: str, folder: str | os.PathLike[str]) -> None:
        self.name, self.folder = name, Path(folder)
        self.indptr, self.indices, self.weights, self.roots = (
            np.load(self.folder / f"{what}.npy", mmap_mode="r") for what in ("indptr", "indices", "weights", "roots")
        )
        self.num_vertices, self.num_edges = len(self.indptr) - 1, len(self.indices)

    def file(self, kind: str) -> Path:
        """Path of the graph in a peer's format, written at the first call."""
        path = self.folder / kind
        if not path.exists():
            part = path.with_name(f"{kind}.part")
            WRITERS[kind](self, part)
            part.rename(path)
        return path

    def matrix(self, dtype: Any = None) -> Any:
        """The graph as a SciPy CSR matrix in memory; without a dtype it has no weights, only unread bools."""
        from scipy import sparse

        indptr, indices = (np.load(self.folder / f"{name}.npy") for name in ("indptr", "indices"))
        if dtype is None:
            data = np.load(self.file("ones.npy"), mmap_mode="r")
        else:
            data = np.load(self.folder / "weights.npy").astype(dtype, copy=False)
        return sparse.csr_array((data, indices, indptr), shape=(self.num_vertices,) * 2)

    def vector(self, dtype: Any) -> Any:
        """Values for SpMV, of size 1, in a fixed random order.

        Made in their dtype at once: an answer that fits what a conversion leaves behind needs no memory of its own.
        """
        return np.random.default_rng(3).random(self.num_vertices, np.dtype(dtype).type)


def save(folder: str | os.PathLike[str], indptr: Any, indices: Any, weights: Any, num_roots: int, seed: int) -> None:
    """Keep a graph for `Case`; roots are drawn from the vertices of its largest component."""
    from scipy import sparse

    shape = (len(indptr) - 1,) * 2
    matrix = sparse.csr_array((np.ones(len(indices), bool), indices.astype(np.int32), indptr.astype(np.int64)), shape)
    _, labels = sparse.csgraph.connected_components(matrix, directed=False)
    inside = np.flatnonzero(labels == np.bincount(labels).argmax())
    roots = np.random.default_rng(seed).choice(inside, num_roots, replace=len(inside) < num_roots)
    narrow = np.int32 if len(indices) < 2**31 else np.int64
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, array in (
        ("indptr", indptr.astype(narrow)),
        ("indices", indices.astype(np.int32)),
        ("weights", weights.astype(np.int32)),
        ("roots", roots.astype(np.int64)),
    ):
        np.save(Path(folder, f"{name}.npy"), array)


def make(gp: Any, name: str, folder: str | os.PathLike[str], data: str | None, num_roots: int, smaller: int) -> None:
    """Make graph `name`; `smaller` takes so many powers of two from the number of generated vertices."""
    if name.startswith("kron"):
        graph = gp.generate.kronecker(int(name[4:]) - smaller, 16, seed=1, weights=(1, 255))
    elif name.startswith("urand"):
        n = 1 << (int(name[5:]) - smaller)
        graph = gp.generate.uniform(n, 16 * n, seed=1, symmetric=True, weights=(1, 255))
    elif name.startswith("grid"):
        side = int(name[4:]) >> (smaller // 2)
        graph = gp.generate.grid(side, side, weights=(1, 10))
    else:
        graph = gp.Graph.from_file(Path(data or ".", _FILES[name]))
    indices = graph.indices.view(np.int32)
    weights = graph.weights
    if weights is None:
        weights = with_weights(graph.indptr, indices, 1, 255)
    save(folder, graph.indptr, indices, weights, num_roots, seed=7)


def is_known(name: str) -> bool:
    """Whether `make` understands a name: kron, urand and grid take a number."""
    return name in _FILES or re.fullmatch(r"(kron|urand|grid)[0-9]+", name) is not None


def is_available(name: str, data: str | None) -> bool:
    return name not in _FILES or (data is not None and Path(data, _FILES[name]).exists())


# The formats. GAPBS's: bool directed; int64 edges, vertices; int64 offsets; int32 targets, or (target, weight) pairs.


def _gapbs(case: Case, path: Path, weighted: bool) -> None:
    with path.open("wb") as file:
        file.write(b"\0" + np.array([case.num_edges, case.num_vertices], np.int64).tobytes())
        file.write(case.indptr.astype(np.int64).tobytes())
        file.write((np.column_stack([case.indices, case.weights]) if weighted else case.indices).tobytes())


def _partition_centric(case: Case, path: Path, weighted: bool) -> None:
    """GPOP's and PCPM's: words of 32 bits: vertices, edges; offsets but the last; targets; weights."""
    arrays = [case.indptr[:-1], case.indices, *([case.weights] if weighted else [])]
    with path.open("wb") as file:
        file.write(np.array([case.num_vertices, case.num_edges], np.uint32).tobytes())
        for array in arrays:
            file.write(array.astype(np.uint32).tobytes())


def _gbbs(case: Case, path: Path, weighted: bool) -> None:
    """GBBS's: words of 64 bits: vertices, edges, size of the file; offsets; targets, or (weight, target) pairs."""
    edges = np.column_stack([case.weights, case.indices]) if weighted else np.asarray(case.indices)
    size = 8 * (3 + case.num_vertices + 1) + edges.nbytes
    with path.open("wb") as file:
        file.write(np.array([case.num_vertices, case.num_edges, size], np.int64).tobytes())
        file.write(case.indptr.astype(np.uint64).tobytes())
        file.write(edges.tobytes())


def _ligra(case: Case, path: Path, weighted: bool) -> None:
    """Ligra's binary: three files with one stem. The stem itself is an empty file, so that `Case.file` finds it."""
    stem = path.with_suffix("")
    stem.with_name(f"{stem.name}.config").write_text(f"{case.num_vertices}\n")
    case.indptr[:-1].astype(np.int32).tofile(stem.with_name(f"{stem.name}.idx"))
    with stem.with_name(f"{stem.name}.adj").open("wb") as file:
        file.write(case.indices.tobytes())
        file.write(case.weights.tobytes() if weighted else b"")
    path.touch()


def _ones(case: Case, path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.ones(case.num_edges, bool))


WRITERS: dict[str, Callable[[Case, Path], None]] = {
    "graph.sg": lambda case, path: _gapbs(case, path, False),
    "graph.wsg": lambda case, path: _gapbs(case, path, True),
    "graph.csr": lambda case, path: _partition_centric(case, path, False),
    "graphw.csr": lambda case, path: _partition_centric(case, path, True),
    "graph.bin": lambda case, path: _gbbs(case, path, False),
    "graphw.bin": lambda case, path: _gbbs(case, path, True),
    "ligra": lambda case, path: _ligra(case, path, False),
    "ligraw": lambda case, path: _ligra(case, path, True),
    "vector32": lambda case, path: case.vector(np.float32).tofile(path),
    "vector64": lambda case, path: case.vector(np.float64).tofile(path),
    "ones.npy": _ones,
}
