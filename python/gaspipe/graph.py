# SPDX-License-Identifier: Apache-2.0
"""The graph to ask questions of, and all that can be made into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union

from numpy.typing import ArrayLike, NDArray

from . import _core, _inputs
from ._core import InputError
from ._flags import flag
from ._graph import GraphDegrees, GraphDomains, GraphFiles, GraphPrepared, GraphShape, GraphTables
from ._threads import thread_count

if TYPE_CHECKING:
    import scipy.sparse

    from ._tables import VertexType

    GraphLike = Union["Graph", "scipy.sparse.spmatrix", "scipy.sparse.sparray", tuple[ArrayLike, ...], Any]


class Graph(GraphFiles, GraphTables, GraphShape, GraphDegrees, GraphDomains, GraphPrepared):
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
    directed : bool, optional
        For edge arrays and tables False says that each edge is one in both directions; self-loops count once. For SciPy
        matrices False takes `symmetrize()`: an edge in both directions wherever there is one in either, with the
        smaller weight, as SciPy's csgraph does. NetworkX graphs say themselves, and have to agree.
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

    __slots__ = ()

    def __init__(
        self,
        data: GraphLike,
        *,
        num_vertices: int | None = None,
        copy: bool | None = True,
        relabel: bool = False,
        directed: bool | None = None,
        rectangular: bool = False,
        vertex_data: Mapping[str, ArrayLike] | None = None,
        weight: str = "weight",
        num_threads: int | None = None,
    ) -> None:
        from . import _tables

        threads = thread_count(num_threads)
        copy = None if copy is None else flag("copy", copy)
        directed = None if directed is None else flag("directed", directed)
        relabel, rectangular = flag("relabel", relabel), flag("rectangular", rectangular)
        is_edges = isinstance(data, tuple)
        is_table = not is_edges and _tables.is_table(data)
        if not (is_edges or is_table) and (num_vertices is not None or relabel):
            raise InputError(
                "num_vertices= and relabel= are for edge arrays (sources, destinations[, weights]) and tables of edges"
            )
        labels: NDArray[Any] | None = None
        vertex_type: VertexType = None
        kept: dict[str, NDArray[Any]] = {}
        if copy is False and not isinstance(data, Graph) and not _inputs.is_sparse(data):
            raise InputError(f"copy=False needs a csr matrix to borrow from; this is {_inputs.kind(data)}")
        if isinstance(data, Graph):
            if directed is not None:
                raise InputError("directed= is for what becomes a graph; of a Graph use symmetrize()")
            core, labels, vertex_type = data._core, data._labels, data._vertex_type
            kept = data._vertex_data
        elif is_edges:
            core, labels = _inputs.from_edges(data, num_vertices, relabel, threads, directed)
        elif _inputs.is_sparse(data):
            if directed is False and copy is False:
                raise InputError("copy=False borrows the matrix as it is; directed=False needs copy=True")
            core = _inputs.from_sparse(data, copy, rectangular, threads)
            if directed is False:
                core = _inputs.symmetrized(core, threads)
        elif _inputs.is_networkx(data):
            _inputs.check_networkx(data, directed)
            core, labels = _inputs.from_networkx(data, weight, threads)
        elif is_table:
            column = None if weight == "weight" else weight
            core, labels, _, vertex_type = _tables.from_table(
                data, None, None, column, directed is not False, relabel or None, num_vertices, threads
            )
        else:
            raise InputError(
                f"cannot make a graph of {_inputs.kind(data)}; allowed are a SciPy sparse matrix, a tuple of edge "
                "arrays (sources, destinations[, weights]), a NetworkX graph, a table of edges (pandas, polars, "
                "pyarrow)" + _inputs.hint(data)
            )
        given = {} if vertex_data is None else vertex_data
        self._set(core, labels, {**kept, **_inputs.vertex_data_of(given, core.num_vertices)}, vertex_type)

    def __reduce__(self) -> tuple[Any, ...]:
        c = self._core
        arrays = c.offsets, c.targets, c.weights, self._labels
        return _unpickle, (c.shape, *arrays, self._vertex_data, self._vertex_type)

    def __repr__(self) -> str:
        dtype = self._core.weights_dtype
        weights = "no weights" if dtype is None else f"{dtype} weights"
        names = "" if self._labels is None else ", labelled"
        rows, columns = self.shape
        size = f"{rows} vertices" if rows == columns else f"matrix of {rows} x {columns}"
        place = ", edges in a file" if self._core.is_stored else ""
        return f"Graph({size}, {self.num_edges} edges, {weights}{names}{place})"


def as_graph(
    data: GraphLike, rectangular: bool = False, num_threads: int | None = None, *, has_weights: bool = True
) -> Graph:
    """Return `data` as a Graph, borrowing its memory where that is possible: for the length of one call.

    With `has_weights=False`, for a call that reads no weights, a matrix is taken without.
    """
    if isinstance(data, Graph):
        return data
    if _inputs.is_sparse(data):
        core = _inputs.from_sparse(data, None, rectangular, thread_count(num_threads), has_weights)
        return Graph._made(core)
    return Graph(data, copy=None, rectangular=rectangular, num_threads=num_threads)


def _unpickle(
    shape: tuple[int, int],
    offsets: Any,
    targets: Any,
    weights: Any,
    labels: Any,
    vertex_data: dict[str, Any],
    vertex_type: VertexType = None,
) -> Graph:
    n = max(*shape, 1)
    core = _core.Graph.from_csr(n, n, offsets, targets, weights, False, 0).as_matrix(*shape, 0)
    return Graph._made(core, labels, vertex_data, vertex_type)
