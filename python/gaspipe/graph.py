# SPDX-License-Identifier: Apache-2.0
"""The graph to ask questions of, and all that can be made into one."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _inputs
from ._core import InputError

if TYPE_CHECKING:
    import scipy.sparse

    GraphLike = Union["Graph", "scipy.sparse.spmatrix", "scipy.sparse.sparray", tuple[ArrayLike, ...], Any]


class Graph:
    """A directed graph in compressed rows, with what has been derived from it so far.

    Building one is worth it when several questions are asked: views and partitions are kept. Vertex ids are 0..n-1.
    Parallel edges, self-loops and edges of weight 0 are edges like others.

    Parameters
    ----------
    data : SciPy sparse array or matrix, tuple of arrays, NetworkX graph, or Graph
        Sparse: square, `data[i, j]` is the edge i -> j, its value the weight (a bool matrix has no weights); csr, csc
        and coo are read as they are, other formats through csr. Tuple: `(sources, destinations)` or
        `(sources, destinations, weights)`, integer arrays of shape (num_edges,). NetworkX: undirected edges count in
        both directions; nodes that are not 0..n-1 in order become `labels`.
    num_vertices : int, optional
        For edge arrays; by default the largest id + 1.
    copy : bool or None, default True
        True: the graph has its own memory. False: it borrows the arrays of a csr matrix (int32 indices; weights of
        int32, int64, float32 or float64) and raises InputError where it would have to copy; the arrays must then not
        change while the graph is in use, or answers (and memory accesses) are undefined. None: borrows where it can.
    relabel : bool, default False
        For edge arrays: number the ids that occur 0..k-1, in ascending order, and keep them as `labels`.
    weight : str, default "weight"
        For NetworkX: the edge attribute to read; 1 where an edge has none. No edge has it: no weights.
    num_threads : int, optional
        Threads to build with; by default as OpenMP is set.

    Raises
    ------
    InputError
        Not square, no vertices, ids out of range, a dtype that is no id or weight.

    """

    __slots__ = ("__weakref__", "_core", "_ids", "_labels")

    def __init__(
        self,
        data: GraphLike,
        *,
        num_vertices: int | None = None,
        copy: bool | None = True,
        relabel: bool = False,
        weight: str = "weight",
        num_threads: int | None = None,
    ) -> None:
        threads = _threads(num_threads)
        is_edges = isinstance(data, tuple)
        if not is_edges and (num_vertices is not None or relabel):
            raise InputError("num_vertices= and relabel= are for edge arrays (sources, destinations[, weights])")
        labels: NDArray[Any] | None = None
        if isinstance(data, Graph):
            core, labels = data._core, data._labels
        elif is_edges:
            core, labels = _inputs.from_edges(data, num_vertices, relabel, threads)
        elif _inputs.is_sparse(data):
            core = _inputs.from_sparse(data, copy, threads)
        elif _inputs.is_networkx(data):
            core, labels = _inputs.from_networkx(data, weight, threads)
        else:
            raise InputError(
                f"cannot make a graph of {_inputs.kind(data)}; allowed are a SciPy sparse matrix, a tuple of edge "
                "arrays (sources, destinations[, weights]), a NetworkX graph" + _inputs.hint(data)
            )
        self._set(core, labels)

    def _set(self, core: _core.Graph, labels: NDArray[Any] | None) -> None:
        self._core = core
        self._labels = labels
        self._ids: dict[Hashable, int] | None = None

    @classmethod
    def _made(cls, core: _core.Graph, labels: NDArray[Any] | None = None) -> Graph:
        graph = cls.__new__(cls)
        graph._set(core, labels)
        return graph

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        relabel: bool = False,
        num_threads: int | None = None,
    ) -> Graph:
        """Read a graph from a file, plain or compressed with gzip, xz or bzip2.

        Parameters
        ----------
        path : str or path
            File to read.
        format : {"edge_list", "matrix_market"}, optional
            By default recognised from name and content. Edge list: SNAP's format, lines of
            `source destination [weight]`, comments after `#` or `%`. Matrix Market: coordinate format; symmetric
            matrices are expanded.
        relabel : bool, default False
            For edge lists: number the ids that occur 0..k-1 and keep them as `labels`. By default ids are vertices and
            there are as many as the largest id + 1.
        num_threads : int, optional
            Threads to parse and build with.

        Raises
        ------
        GraphFormatError
            If the file cannot be parsed; names file and line.
        InputError
            If the matrix is not square, or ids are so sparse that `relabel=True` must be meant.
        OSError
            If the file cannot be read.

        """
        from . import _files

        threads = _threads(num_threads)
        kind = _files.recognise(path) if format is None else format
        if kind == "edge_list":
            sources, targets, weights, num_vertices, labels = _files.read_edge_list(path, relabel, threads)
            return cls._made(_core.Graph.from_edges(sources, targets, weights, num_vertices, threads), labels)
        if kind != "matrix_market":
            raise InputError(f"format is {format!r}; allowed are 'edge_list' and 'matrix_market'")
        if relabel:
            raise InputError("relabel= is for edge lists; a matrix says its number of rows")
        rows, columns, data, shape = _files.read_matrix_market(path)
        _inputs.check_square(shape)
        return cls._made(
            _core.Graph.from_edges(
                _inputs.ids_of("row", rows),
                _inputs.ids_of("column", columns),
                _inputs.weights_of(data),
                int(shape[0]),
                threads,
            )
        )

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return self._core.num_vertices

    @property
    def num_edges(self) -> int:
        """Number of stored edges; an undirected edge counts twice."""
        return self._core.num_edges

    @property
    def is_weighted(self) -> bool:
        """Whether edges have weights."""
        return self._core.is_weighted

    @property
    def labels(self) -> NDArray[Any] | None:
        """What the vertices are called, shape (num_vertices,), or None where ids are all there is."""
        return self._labels

    @property
    def indptr(self) -> NDArray[Any]:
        """Offsets of the rows, shape (num_vertices + 1,), uint32 or uint64; read-only."""
        return self._core.offsets

    @property
    def indices(self) -> NDArray[np.uint32]:
        """Destinations of the edges, row by row, shape (num_edges,); read-only."""
        return self._core.targets

    @property
    def weights(self) -> NDArray[Any] | None:
        """Weights of the edges, shape (num_edges,), int32, int64, float32 or float64, or None; read-only."""
        return self._core.weights

    def id_of(self, label: Hashable) -> int:
        """Vertex id of a label; InputError if there is none."""
        if self._labels is None:
            raise InputError("this graph has no labels; its vertices are 0 to num_vertices - 1")
        if self._ids is None:
            self._ids = {name: v for v, name in enumerate(self._labels.tolist())}
        try:
            return self._ids[label]
        except KeyError:
            raise InputError(f"there is no vertex {label!r}") from None

    def out_degrees(self) -> NDArray[np.int64]:
        """Edges that leave each vertex, shape (num_vertices,)."""
        offsets = self._core.offsets.astype(np.int64)
        return offsets[1:] - offsets[:-1]

    def transpose(self, *, num_threads: int | None = None) -> Graph:
        """Return the graph with every edge reversed, weights kept. The rows come out sorted."""
        return self._made(self._core.transpose(_threads(num_threads)), self._labels)

    def symmetrize(self, *, num_threads: int | None = None) -> Graph:
        """Return the undirected graph: an edge in both directions wherever there is one in either.

        Rows come out sorted and without repetition; where edges fall together the smallest weight stays. Self-loops
        stay, once.
        """
        return self._made(self._core.simplify(True, False, _threads(num_threads)), self._labels)

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Return a SciPy csr_array with its own memory; edges without weights become int32 ones."""
        import scipy.sparse

        fits = max(self.num_vertices, self.num_edges) < 2**31
        index = np.int32 if fits else np.int64
        weights = self._core.weights
        data = np.ones(self.num_edges, np.int32) if weights is None else weights.copy()
        return scipy.sparse.csr_array(
            (data, self._core.targets.astype(index), self._core.offsets.astype(index)),
            shape=(self.num_vertices, self.num_vertices),
        )

    def partition(
        self,
        *,
        capacity: int = _core.CPU_CAPACITY,
        compute_units: int = 1,
        partitioner: str = "equal",
        num_threads: int | None = None,
    ) -> _core.Partitioning:
        """Partitions by destination, each cut into sub-partitions for the compute units; kept by the graph.

        Parameters
        ----------
        capacity : int, default 65536
            Destinations a partition may have: what fits on chip, or in a core's cache.
        compute_units : int, default 1
            Sub-partitions of every partition, 1 to 16.
        partitioner : {"equal", "balanced"}
            How a partition is cut: equally many edges, or equal estimated cost, where sources spanned count too.
        num_threads : int, optional
            Threads to use.

        Returns
        -------
        Partitioning
            A sequence: `parts[i][j]` is sub-partition j of partition i. Edges are sorted by source inside a partition.

        """
        values = {"capacity": capacity, "compute_units": compute_units}
        for name, value in values.items():
            if (
                not isinstance(value, (int, np.integer))
                or isinstance(value, bool)
                or not 0 <= value <= _inputs.MOST_VERTICES
            ):
                raise InputError(f"{name} is {value!r}; an integer of at least 1 is needed")
        return _core.partition(self._core, int(capacity), int(compute_units), str(partitioner), _threads(num_threads))

    def clear_cache(self) -> None:
        """Give back the memory of views and partitions; they are made again when needed."""
        self._core.clear_cache()

    def __reduce__(self) -> tuple[Any, ...]:
        c = self._core
        return _unpickle, (c.num_vertices, c.offsets, c.targets, c.weights, self._labels)

    def __repr__(self) -> str:
        weights = "no weights" if self.weights is None else f"{self.weights.dtype} weights"
        names = "" if self._labels is None else ", labelled"
        return f"Graph({self.num_vertices} vertices, {self.num_edges} edges, {weights}{names})"


def as_graph(data: GraphLike) -> Graph:
    """Return `data` as a Graph, borrowing its memory where that is possible: for the length of one call."""
    return data if isinstance(data, Graph) else Graph(data, copy=None)


def _unpickle(num_vertices: int, offsets: Any, targets: Any, weights: Any, labels: Any) -> Graph:
    return Graph._made(_core.Graph.from_csr(num_vertices, num_vertices, offsets, targets, weights, False, 0), labels)


def _threads(num_threads: int | None) -> int:
    from ._call import thread_count

    return thread_count(num_threads)
