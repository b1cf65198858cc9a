# SPDX-License-Identifier: Apache-2.0
"""The graphs of the published measurements, made again from their recipes, as the published pipeline takes them.

The pipeline numbers only vertices with out-edges, in order; a vertex without takes the number of the next that has
some. Answers suffer from that, so it is done here and not in gaspipe: it decides how many partitions there are and how
many edges each has, which is what takes time.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

import numpy as np
import scipy.sparse as sp

import gaspipe as gp

SEED = 1
WEIGHTS = 16  # an edge's weight is its place modulo this, as published for SSSP


@dataclass(frozen=True)
class Recipe:
    """How a graph is made, and what was published of it."""

    name: str
    about: str
    vertices: str  # as published
    edges: str
    make: Callable[[], gp.Graph]


def _talk() -> gp.Graph:
    """A stand-in for wiki-Talk, which is not made but downloaded: its size, and sources as few as there.

    Edges of an R-MAT whose rows are more skewed than its columns; those that fall outside are left out, and of the rest
    a random 5,021,410 are kept.
    """
    num_vertices, num_edges = 2_394_385, 5_021_410
    drawn = gp.generate.rmat(22, 2, a=0.61, b=0.26, c=0.08, seed=SEED, permute=False, symmetric=False)
    sources = np.repeat(np.arange(drawn.num_vertices, dtype=np.uint32), np.diff(drawn.indptr))
    inside = np.flatnonzero((sources < num_vertices) & (drawn.indices < num_vertices))
    rng = np.random.default_rng(SEED)
    kept = rng.permutation(inside)[:num_edges]
    names = rng.permutation(num_vertices).astype(np.uint32)
    return gp.Graph((names[sources[kept]], names[drawn.indices[kept]]), num_vertices=num_vertices)


def _kronecker(scale: int, edge_factor: int, symmetric: bool) -> Callable[[], gp.Graph]:
    return lambda: gp.generate.kronecker(scale, edge_factor, SEED, symmetric=symmetric)


_DRAWN = "edges as drawn, duplicates kept"
_BOTH_WAYS = "both directions, without self-loops and duplicates"
RECIPES = {
    r.name: r
    for r in (
        Recipe("R19", f"Kronecker 19, edge factor 32, {_DRAWN}", "524.3K", "16.8M", _kronecker(19, 32, False)),
        Recipe("R21", f"Kronecker 21, edge factor 32, {_DRAWN}", "2,097,152", "67,108,864", _kronecker(21, 32, False)),
        Recipe(
            "R24", f"Kronecker 24, edge factor 16, {_DRAWN}", "16,777,214", "268,435,456", _kronecker(24, 16, False)
        ),
        Recipe("G23", f"Kronecker 23, edge factor 16, {_BOTH_WAYS}", "4.6M", "258.5M", _kronecker(23, 16, True)),
        Recipe("WT", "stand-in of wiki-Talk's size: skewed R-MAT, see graphs.py", "2,394,385", "5,021,410", _talk),
    )
}


class Case:
    """A graph with vertices renumbered, with and without weights; made once, then read from a folder."""

    def __init__(self, name: str, folder: str | None = None) -> None:
        self.name = name
        self.recipe = RECIPES[name]
        place = Path(folder or Path(tempfile.gettempdir()) / "gaspipe-predict")
        place.mkdir(parents=True, exist_ok=True)
        files = [place / f"{name}.{what}.npy" for what in ("indptr", "indices")]
        if not all(file.exists() for file in files):
            made = compressed(self.recipe.make())
            for file, array in zip(files, made):
                part = file.with_suffix(".part")
                with open(part, "wb") as stream:
                    np.save(stream, array)
                part.replace(file)
        self.indptr, self.indices = (np.load(file, mmap_mode="r") for file in files)
        self.num_vertices = len(self.indptr) - 1
        self.num_edges = len(self.indices)
        self.root = int(np.argmax(np.diff(self.indptr)))
        self._graph: tuple[bool, gp.Graph] | None = None

    def graph(self, weighted: bool) -> gp.Graph:
        """Return the graph; one of the two is kept at a time."""
        if self._graph is None or self._graph[0] != weighted:
            self._graph = None
            self._graph = (weighted, as_graph(self.indptr, self.indices, weighted))
        return self._graph[1]

    def forget(self) -> None:
        """Give the memory back."""
        self._graph = None


def as_graph(indptr: Any, indices: Any, weighted: bool) -> gp.Graph:
    """Graph of a compressed adjacency, whose arrays it borrows."""
    num_edges, n = len(indices), len(indptr) - 1
    if weighted:
        values = np.arange(num_edges, dtype=np.int32)
        values %= WEIGHTS
    else:
        values = np.ones(num_edges, bool)  # a matrix of truth values is a graph without weights
    matrix = sp.csr_array((values, indices.view(np.int32), indptr.view(np.int32)), shape=(n, n))
    return gp.Graph(matrix, copy=None)


def compressed(graph: gp.Graph) -> tuple[Any, Any]:
    """Row offsets and targets of a graph whose vertices are those with out-edges, and their numbers.

    Vertices after the last with out-edges take its number, for there is no next.
    """
    offsets = np.asarray(graph.indptr)
    if graph.num_edges >= 1 << 31:
        raise ValueError(f"{graph.num_edges} edges; offsets of 31 bits are kept here")
    has_edges = offsets[1:] != offsets[:-1]
    number = np.cumsum(has_edges, dtype=np.uint32)
    number -= has_edges
    total = int(has_edges.sum())
    np.minimum(number, total - 1, out=number)
    indptr = np.append(offsets[:-1][has_edges], graph.num_edges).astype(np.uint32)
    return indptr, number[graph.indices]
