# SPDX-License-Identifier: Apache-2.0
"""The graph to ask questions of, and all that can be made into one."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _inputs, _tables
from ._core import InputError
from ._threads import thread_count
from ._vertices import Labels

if TYPE_CHECKING:
    import scipy.sparse

    GraphLike = Union["Graph", "scipy.sparse.spmatrix", "scipy.sparse.sparray", tuple[ArrayLike, ...], Any]


class Graph:
    """A directed graph in compressed rows, with what has been derived from it so far.

    Building one is worth it when several questions are asked: views and partitions are kept. Vertex ids are 0..n-1.
    Parallel edges, self-loops and edges of weight 0 are edges like others.

    Where a graph has `labels`, all arguments that name vertices (`root=`, `vertices=`, the keys of `personalization=`)
    take labels, and an id is said as `gp.index(3)`; arrays by vertex are in the order of `labels`.

    Parameters
    ----------
    data : SciPy sparse array or matrix, tuple of arrays, NetworkX graph, table of edges, or Graph
        Sparse: square, `data[i, j]` is the edge i -> j, its value the weight (bools that are all True are no weights,
        else False is 0); csr, csc and coo are read as they are, other formats through csr. Tuple:
        `(sources, destinations)` or `(sources, destinations, weights)`, arrays of shape (num_edges,), the ends integers
        or strings, which become `labels` in ascending order. NetworkX: undirected edges count in both directions; nodes
        that are not 0..n-1 in order become `labels`. Table (pandas, polars, pyarrow, ...): as `from_table` reads it.
    num_vertices : int, optional
        For edge arrays and tables; by default the largest id + 1.
    copy : bool or None, default True
        True: the graph has its own memory. False: it borrows the arrays of a csr matrix (int32 indices; weights of
        int32, int64, float32 or float64) and raises InputError where it would have to copy; the arrays must then not
        change while the graph is in use, or answers (and memory accesses) are undefined. None: borrows where it can.
    relabel : bool, default False
        For edge arrays and tables: number the ids that occur 0..k-1, in ascending order, and keep them as `labels`.
    rectangular : bool, default False
        For SciPy matrices: take one that is not square, or 0 x 0, for `gp.spmv`. The graph has as many vertices as its
        longer side, at least 1; `shape` is the matrix's.
    vertex_data : mapping of str to array, optional
        What is known of vertices besides, each array with num_vertices rows; see `vertex_data` below.
    weight : str, default "weight"
        For NetworkX: the edge attribute to read; 1 where an edge has none. No edge has it: no weights. For tables:
        another column.
    num_threads : int, optional
        Threads to build with; by default as OpenMP is set.

    Raises
    ------
    InputError
        Not square, no vertices, ids out of range, a dtype that is no id or weight.

    """

    __slots__ = ("__weakref__", "_core", "_found", "_labels", "_vertex_data")

    def __init__(
        self,
        data: GraphLike,
        *,
        num_vertices: int | None = None,
        copy: bool | None = True,
        relabel: bool = False,
        rectangular: bool = False,
        vertex_data: Mapping[str, ArrayLike] | None = None,
        weight: str = "weight",
        num_threads: int | None = None,
    ) -> None:
        threads = thread_count(num_threads)
        is_edges = isinstance(data, tuple)
        is_table = not is_edges and _tables.is_table(data)
        if not (is_edges or is_table) and (num_vertices is not None or relabel):
            raise InputError(
                "num_vertices= and relabel= are for edge arrays (sources, destinations[, weights]) and tables of edges"
            )
        labels: NDArray[Any] | None = None
        by_vertex: Mapping[str, ArrayLike] = {} if vertex_data is None else vertex_data
        if isinstance(data, Graph):
            core, labels = data._core, data._labels
            by_vertex = {**data._vertex_data, **by_vertex}
        elif is_edges:
            core, labels = _inputs.from_edges(data, num_vertices, relabel, threads)
        elif _inputs.is_sparse(data):
            core = _inputs.from_sparse(data, copy, rectangular, threads)
        elif _inputs.is_networkx(data):
            core, labels = _inputs.from_networkx(data, weight, threads)
        elif is_table:
            column = None if weight == "weight" else weight
            core, labels = _tables.from_table(data, None, None, column, True, relabel or None, num_vertices, threads)
        else:
            raise InputError(
                f"cannot make a graph of {_inputs.kind(data)}; allowed are a SciPy sparse matrix, a tuple of edge "
                "arrays (sources, destinations[, weights]), a NetworkX graph, a table of edges (pandas, polars, "
                "pyarrow)" + _inputs.hint(data)
            )
        self._set(core, labels, _inputs.vertex_data_of(by_vertex, core.num_vertices))

    def _set(self, core: _core.Graph, labels: NDArray[Any] | None, vertex_data: dict[str, NDArray[Any]]) -> None:
        self._core = core
        self._labels = labels
        self._vertex_data = vertex_data
        self._found: Labels | None = None

    @classmethod
    def _made(
        cls,
        core: _core.Graph,
        labels: NDArray[Any] | None = None,
        vertex_data: dict[str, NDArray[Any]] | None = None,
    ) -> Graph:
        graph = cls.__new__(cls)
        graph._set(core, labels, vertex_data or {})
        return graph

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        relabel: bool = False,
        rectangular: bool = False,
        header: bool | None = None,
        dialect: str | None = None,
        directed: bool | None = None,
        num_threads: int | None = None,
    ) -> Graph:
        """Read a graph from a file, plain or compressed with gzip, xz or bzip2.

        Parameters
        ----------
        path : str or path
            File to read. LDBC: the `.v` or the `.e` file, or their common stem.
        format : {"edge_list", "matrix_market", "metis", "dimacs9", "ldbc", "npz", "gap", "gaspipe"}, optional
            By default recognised from name and content.

            - edge_list: SNAP's format, lines of `source destination [weight]`, comments after `#` or `%`.
            - matrix_market (`.mtx`): coordinate format; symmetric matrices are expanded.
            - metis (`.graph`, `.metis`): METIS and DIMACS-10, undirected: both directions become edges. Weights and
              sizes of vertices are in `vertex_data`.
            - dimacs9 (`.gr`): the arcs of the shortest-path challenge.
            - ldbc (`.v` with `.e`): Graphalytics; ids become `labels`, in ascending order. Undirected edges count in
              both directions.
            - npz (`.npz`): what scipy.sparse.save_npz writes.
            - gap (`.sg`, `.wsg`): the GAP benchmark's serialised graphs, with or without weights.
            - gaspipe (`.gaspipe`): what `save` writes; a plain file is mapped, as by `load`.
        relabel : bool, default False
            For edge lists: number the ids that occur 0..k-1 and keep them as `labels`. By default ids are vertices and
            there are as many as the header says, or else as the largest id + 1.
        rectangular : bool, default False
            For Matrix Market, npz and gaspipe files: take a matrix that is not square, for `gp.spmv`.
        header : bool, optional
            For edge lists: whether the first line, comments aside, is a header `vertices edges`. By default it is one
            exactly if that many edge lines follow and all their ids are below the number of vertices.
        dialect : {"metis", "dimacs10"}, optional
            For METIS files: what a 100 in their `fmt` means, sizes of vertices or (DIMACS-10) loops and parallel edges
            and a header that counts entries. By default the number of entries decides where `fmt` is 100, and "metis"
            where it is 101, 110 or 111.
        directed : bool, optional
            For LDBC files without a `.properties` file that says so.
        num_threads : int, optional
            Threads to parse and build with.

        Raises
        ------
        GraphFormatError
            If the file cannot be parsed; names file and line.
        InputError
            If the matrix is not square, ids are so sparse that `relabel=True` must be meant, or an option is not for
            this format.
        OSError
            If the file cannot be read.

        """
        from . import _formats

        threads = thread_count(num_threads)
        options = _formats.ReadOptions(relabel, rectangular, header, dialect, directed, threads)
        return cls._made(*_formats.read(path, format, options))

    @classmethod
    def from_edge_list_file(
        cls,
        path: str | os.PathLike[str],
        *,
        relabel: bool = False,
        header: bool | None = None,
        num_threads: int | None = None,
    ) -> Graph:
        """Read an edge list whatever the file is called: `from_file` with `format="edge_list"`, also fromEdgeListFile.

        Parameters
        ----------
        path : str or path
            File to read, plain or compressed.
        relabel : bool, default False
            Number the ids that occur 0..k-1 and keep them as `labels`.
        header : bool, optional
            Whether the first line, comments aside, is `vertices edges`; by default if the lines that follow agree.
        num_threads : int, optional
            Threads to parse and build with.

        """
        return cls.from_file(path, format="edge_list", relabel=relabel, header=header, num_threads=num_threads)

    @classmethod
    def from_dimacs_file(
        cls, path: str | os.PathLike[str], *, dialect: str | None = None, num_threads: int | None = None
    ) -> Graph:
        """Read a DIMACS-10 or METIS file: `from_file` with `format="metis"`, also fromDimacsFile.

        For the `.gr` files of the 9th DIMACS challenge use `from_file`.

        Parameters
        ----------
        path : str or path
            File to read, plain or compressed.
        dialect : {"metis", "dimacs10"}, optional
            What a 100 in `fmt` means, as in `from_file`.
        num_threads : int, optional
            Threads to parse and build with.

        """
        return cls.from_file(path, format="metis", dialect=dialect, num_threads=num_threads)

    def to_file(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        header: bool | None = None,
        labels: bool = False,
        dialect: str | None = None,
        num_threads: int | None = None,
    ) -> None:
        """Write the graph to a file, which `from_file` reads back as the same graph.

        Same means: as many vertices, the same edges in the same order in their rows, weights of equal value. Their
        type is the one that reading the format gives. The file appears when it is whole: after an error or Ctrl-C
        there is what was there before.

        Parameters
        ----------
        path : str or path
            File to write. If it ends in `.gz`, `.xz` or `.bz2` it is compressed. A link is followed; a pipe or
            `/dev/stdout` is written to as it is.
        format : {"edge_list", "matrix_market", "metis", "dimacs9", "npz", "gaspipe"}, optional
            By default as the name ends.

            - edge_list (`.txt`, `.el`, `.wel`, `.edges`, `.edgelist`, `.tsv` with tabs, `.csv` with commas): lines of
              `source destination [weight]`. Integer weights come back as int32 if all fit, else int64; others as
              float64.
            - matrix_market (`.mtx`): a general matrix of pattern, integer or real. Integers come back as int64, others
              as float64.
            - metis (`.graph`, `.metis`): undirected graphs with weights that are integers from 1, read as int32 if all
              fit, else int64; with `vertex_data["weights"]` and `["sizes"]` where the graph has them.
            - dimacs9 (`.gr`): graphs with weights, which come back as from an edge list. Those who defined the format
              take integers only.
            - npz (`.npz`): as scipy.sparse.save_npz writes a csr_array, of bools if there are no weights. Weights keep
              their type.
            - gaspipe (`.gaspipe`): all there is, labels and vertex data too, as `save` writes it.
        header : bool, optional
            For edge lists: start with a line `vertices edges`. By default there is one, unless `labels`. A file
            without one does not tell of vertices above the largest id, and is read for certain with `header=False`.
        labels : bool, default False
            For edge lists: write the labels, integers from 0, for the ids; to be read with `relabel=True`, which
            numbers vertices by ascending label. Vertices without edges are then not in the file. By default, and in
            all other formats but gaspipe, labels are left out.
        dialect : {"metis", "dimacs10"}, default "metis"
            For METIS files: "dimacs10" allows loops and parallel edges, as its `fmt` 100. Where edges or vertices have
            weights too, reading needs `dialect="dimacs10"` again.
        num_threads : int, optional
            Threads to format text with.

        Raises
        ------
        InputError
            If the name does not say a format that can be written, an option is not for this format, or the format
            cannot say what the graph is: METIS for an edge without one back (use `symmetrize`), DIMACS-9 without
            weights, edge lists with labels that are no integers, a rectangular matrix in all but matrix_market, npz
            and gaspipe.
        OSError
            If the file cannot be written.

        Notes
        -----
        Edge lists and DIMACS-9 do not tell a graph of no edges with weights from one without. `from_file` refuses them,
        and Matrix Market, if they have over 2**24 vertices and less than an edge for 64 of them.

        """
        from . import _formats

        options = _formats.WriteOptions(header, labels, dialect, thread_count(num_threads))
        _formats.write(self, path, format, options)

    # The names that Olive gives them.
    fromEdgeListFile = from_edge_list_file
    fromDimacsFile = from_dimacs_file

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        source: Hashable | None = None,
        destination: Hashable | None = None,
        weight: Hashable | bool | None = None,
        directed: bool = True,
        relabel: bool | None = None,
        num_vertices: int | None = None,
        num_threads: int | None = None,
    ) -> Graph:
        """Make a graph of a table with a row per edge.

        Parameters
        ----------
        table : pandas.DataFrame, polars.DataFrame, pyarrow.Table
            Or any object with `__arrow_c_stream__` or `__dataframe__`. All but pandas go through pyarrow
            (`pip install pyarrow`).
        source, destination : column name, optional
            Columns with the ends of the edges. By default those called source, src, from or u, and destination, dst,
            target, to or v, in upper or lower case, the first that is found; in a table of two or three columns
            without such names, the first and the second.
        weight : column name or False, optional
            Column with the weights, numbers (bools that are all True are none). By default the third of three columns,
            or else the one called weight, w or value, if there is one. False: no weights.
        directed : bool, default True
            False: a row is an edge in both directions; self-loops count once.
        relabel : bool, optional
            True: number the ids that occur 0..k-1, in ascending order, and keep them as `labels`. By default integers
            (and floats that are whole numbers) are vertex ids, and everything else (strings, categories, times,
            UUIDs) is relabelled, in ascending order too, or in order of appearance where values cannot be compared.
            False: take ids only.
        num_vertices : int, optional
            For ids; by default the largest + 1.
        num_threads : int, optional
            Threads to build with.

        Raises
        ------
        InputError
            If columns cannot be told apart (the message lists them), an id or a weight is null or NaN (it names the
            row, from 0), or a column's type is none of these.

        """
        core, labels = _tables.from_table(
            table, source, destination, weight, directed, relabel, num_vertices, thread_count(num_threads)
        )
        return cls._made(core, labels)

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return self._core.num_vertices

    @property
    def num_edges(self) -> int:
        """Number of stored edges; an undirected edge counts twice."""
        return self._core.num_edges

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the graph as a matrix; not square only where `rectangular=True` was asked for."""
        return self._core.shape

    @property
    def is_weighted(self) -> bool:
        """Whether edges have weights."""
        return self._core.is_weighted

    @property
    def labels(self) -> NDArray[Any] | None:
        """What the vertices are called, shape (num_vertices,), or None where ids are all there is.

        `id_of` and `ids_of` give the ids of labels; algorithms take labels themselves.
        """
        return self._labels

    @property
    def vertex_data(self) -> Mapping[str, NDArray[Any]]:
        """What is known of vertices besides, by name; each array has shape (num_vertices, ...).

        METIS files give "weights", int64 of shape (num_vertices, number of constraints), and "sizes", int64.
        """
        return MappingProxyType(self._vertex_data)

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
        found = self._lookup.id_of(label)
        if found is None:
            raise InputError(self._lookup.missing(label))
        return found

    def ids_of(self, labels: Iterable[Hashable]) -> NDArray[np.int64]:
        """Vertex ids of labels, an array or any iterable, in their order; InputError if there is none of one."""
        return self._lookup.ids_of(labels, "labels")

    @property
    def _lookup(self) -> Labels:
        if self._labels is None:
            raise InputError("this graph has no labels; its vertices are 0 to num_vertices - 1")
        if self._found is None:
            self._found = Labels(self._labels)
        return self._found

    def out_degrees(self) -> NDArray[np.int64]:
        """Edges that leave each vertex, shape (num_vertices,)."""
        offsets = self._core.offsets.astype(np.int64)
        return offsets[1:] - offsets[:-1]

    def transpose(self, *, num_threads: int | None = None) -> Graph:
        """Return the graph with every edge reversed, weights kept. The rows come out sorted."""
        return self._made(self._core.transpose(thread_count(num_threads)), self._labels, self._vertex_data)

    def symmetrize(self, *, num_threads: int | None = None) -> Graph:
        """Return the undirected graph: an edge in both directions wherever there is one in either.

        Rows come out sorted and without repetition; where edges fall together the smallest weight stays. Self-loops
        stay, once.
        """
        core = self._square("symmetrize").simplify(True, False, thread_count(num_threads))
        return self._made(core, self._labels, self._vertex_data)

    def simplify(
        self, *, self_loops: bool = False, parallel_edges: bool = False, num_threads: int | None = None
    ) -> Graph:
        """Return the graph without self-loops and parallel edges.

        Parameters
        ----------
        self_loops : bool, default False
            Keep them.
        parallel_edges : bool, default False
            Keep them. Otherwise one edge stays of those with the same source and destination, the one of the smallest
            weight, and rows come out sorted; where they are kept, edges stay in the order they have.
        num_threads : int, optional
            Threads to use.

        """
        threads = thread_count(num_threads)
        core = self._square("simplify")
        if not parallel_edges:
            core = core.simplify(False, not self_loops, threads)
        elif not self_loops:
            core = _core.drop_self_loops(core, threads)
        return self._made(core, self._labels, self._vertex_data)

    def largest_component(self, *, num_threads: int | None = None) -> Graph:
        """Return the largest weakly connected component: its vertices and all edges between them.

        Of components of equal size it is the one with the smallest vertex id. Vertices keep their order and are
        numbered anew; `labels` says what they were called here: labels, or ids (int64) where there are none. Rows come
        out sorted, weights kept.
        """
        threads = thread_count(num_threads)
        return self._selected(_core.largest_component(self._square("largest_component"), threads), threads)

    def reorder(self, order: str | ArrayLike = "degree", *, num_threads: int | None = None) -> Graph:
        """Return the same graph with its vertices numbered anew, so that memory is used better or as told.

        Parameters
        ----------
        order : {"degree", "hub"} or array of int, shape (num_vertices,)
            "degree": by falling out-degree, equal ones by id. "hub": in classes of at least 32, 16, 8, 4, 2, 1 and 1/2
            times the mean out-degree and the rest, inside a class by id, which keeps neighbours that ids put
            together (degree-based grouping [1]_). Array: a permutation, `order[i]` is the vertex that becomes vertex i.
        num_threads : int, optional
            Threads to use.

        Returns
        -------
        Graph
            `labels` says what its vertices were called here: labels, or ids (int64) where there are none. Rows come
            out sorted, parallel edges in the order they have; weights move along.

        Raises
        ------
        InputError
            If the array is not a permutation of 0..num_vertices-1.

        References
        ----------
        .. [1] P. Faldu et al., "A Closer Look at Lightweight Graph Reordering", IISWC 2019,
           doi:10.1109/IISWC47752.2019.9041948.

        """
        threads = thread_count(num_threads)
        self._square("reorder")
        if isinstance(order, str):
            known = {"degree": _core.degree_order, "hub": _core.hub_order}
            if order not in known:
                raise InputError(f"order is {order!r}; allowed are 'degree', 'hub' and a permutation of the vertices")
            return self._selected(known[order](self._core, threads), threads)
        try:
            given = np.asarray(order)
        except ValueError:
            raise InputError("order is a ragged list; a permutation of the vertices is needed") from None
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise InputError(
                f"order is an array of shape {given.shape} and dtype {given.dtype}; integers of shape "
                f"({self.num_vertices},) are needed"
            )
        ids = np.ascontiguousarray(given, np.int64 if given.dtype.kind == "i" else np.uint64)
        return self._selected(_core.vertex_order(ids, self.num_vertices, threads), threads)

    def _selected(self, vertices: NDArray[np.uint32], threads: int) -> Graph:
        labels = vertices.astype(np.int64) if self._labels is None else self._labels[vertices]
        vertex_data = {name: values[vertices] for name, values in self._vertex_data.items()}
        return self._made(_core.select_vertices(self._core, vertices, threads), labels, vertex_data)

    def _square(self, what: str) -> _core.Graph:
        rows, columns = self.shape
        if rows != columns:
            raise InputError(f"{what} needs a square matrix; this one is {rows} x {columns}")
        return self._core

    def save(self, path: str | os.PathLike[str], *, num_threads: int | None = None) -> None:
        """Write the graph to a file that `load` maps into memory: by convention `.gaspipe`.

        The file holds offsets, destinations, weights, labels and vertex data with checksums, in a format that is
        documented byte by byte in `gaspipe._formats.gaspipe`. It takes its name when all of it is on disk; until then,
        and after any error, whatever had that name stays as it was. A graph that is mapped from a file can be saved
        over it: the new file is another one.

        Parameters
        ----------
        path : str or path
            File to write.
        num_threads : int, optional
            Threads to compute checksums with.

        Raises
        ------
        InputError
            If a label is none of str, int, float, bool, None and tuples of these, nor of a NumPy array of numbers,
            times or strings.
        OSError
            If the file cannot be written.

        """
        from . import _formats

        _formats.save(path, self._core, self._labels, self._vertex_data, thread_count(num_threads))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        mmap: bool = True,
        verify: bool = True,
        num_threads: int | None = None,
    ) -> Graph:
        """Load what `save` wrote.

        Parameters
        ----------
        path : str or path
            File to load. One that is compressed with gzip, xz or bzip2 takes memory.
        mmap : bool, default True
            The graph's arrays are the file's pages, which the system reads when they are needed and shares between
            processes; it takes no other memory. The file may be replaced (as `save` does) or removed meanwhile. It
            must not be written to or truncated in place: answers would be undefined, and access beyond its end kills
            the process (SIGBUS), as does a disk that fails. False: the graph has its own memory.
        verify : bool, default True
            Check all checksums, which reads the whole file once. False: only those of the header and of labels that
            are Python objects; that offsets and destinations are in range is checked all the same.
        num_threads : int, optional
            Threads to check with.

        Raises
        ------
        GraphFormatError
            If the file is damaged, or in a newer version of the format.
        OSError
            If the file cannot be read.

        """
        from . import _formats

        saved = _formats.load(path, mmap=mmap, verify=verify, threads=thread_count(num_threads))
        return cls._made(*saved)

    def degree_histogram(
        self, direction: str = "out", *, num_threads: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count vertices by degree, in buckets that double: 0, 1, 2-3, 4-7, ...

        Parameters
        ----------
        direction : {"out", "in"}
            Which edges of a vertex count.
        num_threads : int, optional
            Threads to use.

        Returns
        -------
        lower_bounds, counts : arrays of int64
            `counts[k]` vertices have a degree of at least `lower_bounds[k]` and less than the next bound. The last
            bucket is that of the largest degree.

        """
        if direction not in ("out", "in"):
            raise InputError(f"direction is {direction!r}; allowed are 'out' and 'in'")
        return _core.degree_histogram(self._core, direction == "in", thread_count(num_threads))

    def plot_degrees(self, direction: str = "out", *, ax: Any = None, num_threads: int | None = None) -> Any:
        """Draw how many vertices have which degree, from `degree_histogram`, with matplotlib.

        Parameters
        ----------
        direction : {"out", "in"}
            Which edges of a vertex count.
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.
        num_threads : int, optional
            Threads to count with.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on; both axes are logarithmic, nothing is shown yet.

        """
        from . import _plot

        bounds, counts = self.degree_histogram(direction, num_threads=num_threads)
        return _plot.plot_degrees(bounds, counts, direction, ax)

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Return a SciPy csr_array with its own memory; edges without weights become int32 ones."""
        import scipy.sparse

        fits = max(self.num_vertices, self.num_edges) < 2**31
        index = np.int32 if fits else np.int64
        weights = self._core.weights
        data = np.ones(self.num_edges, np.int32) if weights is None else weights.copy()
        return scipy.sparse.csr_array(
            (data, self._core.targets.astype(index), self._core.offsets[: self.shape[0] + 1].astype(index)),
            shape=self.shape,
        )

    def to_table(self, library: str = "pandas") -> Any:
        """Return the edges as a table with the columns `source`, `destination` and, where there are any, `weight`.

        Parameters
        ----------
        library : {"pandas", "polars", "arrow"}
            Make a pandas.DataFrame, polars.DataFrame or pyarrow.Table.

        Returns
        -------
        table
            A row per edge, in the order they are stored. Vertices are labels where the graph has any, else ids
            (uint32). Destinations and weights share the graph's memory where the library can (pandas, arrow).

        """
        ids = np.arange(self.num_vertices, dtype=np.uint32)
        ends = {"source": np.repeat(ids, self.out_degrees()), "destination": self._core.targets}
        columns: dict[str, Any] = {
            name: values if self._labels is None else (self._labels, values) for name, values in ends.items()
        }
        if self.is_weighted:
            columns["weight"] = self._core.weights
        return _tables.to_table(columns, library)

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
        threads = thread_count(num_threads)
        return _core.partition(self._core, int(capacity), int(compute_units), str(partitioner), threads)

    def clear_cache(self) -> None:
        """Give back the memory of views and partitions; they are made again when needed."""
        self._core.clear_cache()

    def __reduce__(self) -> tuple[Any, ...]:
        c = self._core
        return _unpickle, (c.shape, c.offsets, c.targets, c.weights, self._labels, self._vertex_data)

    def __repr__(self) -> str:
        weights = "no weights" if self.weights is None else f"{self.weights.dtype} weights"
        names = "" if self._labels is None else ", labelled"
        rows, columns = self.shape
        size = f"{rows} vertices" if rows == columns else f"matrix of {rows} x {columns}"
        return f"Graph({size}, {self.num_edges} edges, {weights}{names})"


def as_graph(data: GraphLike, rectangular: bool = False, num_threads: int | None = None) -> Graph:
    """Return `data` as a Graph, borrowing its memory where that is possible: for the length of one call."""
    if isinstance(data, Graph):
        return data
    return Graph(data, copy=None, rectangular=rectangular, num_threads=num_threads)


def _unpickle(
    shape: tuple[int, int], offsets: Any, targets: Any, weights: Any, labels: Any, vertex_data: dict[str, Any]
) -> Graph:
    n = max(shape)
    core = _core.Graph.from_csr(n, n, offsets, targets, weights, False, 0).as_matrix(*shape, 0)
    return Graph._made(core, labels, vertex_data)
