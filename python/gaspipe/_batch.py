# SPDX-License-Identifier: Apache-2.0
"""The same question to several graphs in one run."""

from __future__ import annotations

import contextlib
import operator
import os
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _algorithms, _core, _description, _inputs, _product, _vertices
from ._core import InputError
from ._progress import OfSteps
from ._result import Result
from .graph import Graph, as_graph

if TYPE_CHECKING:
    from .graph import GraphLike

_FROM_A_ROOT = ("bfs", "sssp")
_ALGORITHMS = (*_FROM_A_ROOT, "spmv", "wcc")
_OPTIONS = {"root": _FROM_A_ROOT, "x": ("spmv",), "number": ("sssp", "spmv")}  # that some of them have


def batch(
    algorithm: str | Callable[..., Result],
    graphs: Iterable[GraphLike],
    *,
    root: Hashable | Sequence[Hashable] | None = None,
    x: Sequence[ArrayLike] | None = None,
    number: str | None = None,
    device: str = "cpu",
    xclbin: str | os.PathLike[str] | None = None,
    execution: str = "auto",
    config: str = "plain",
    num_threads: int | None = None,
    scheduler: str = "in_order",
    progress: OfSteps | bool | None = None,
    fallback: bool = True,
) -> list[Result]:
    """Ask the same of several graphs in one run.

    Graphs lie side by side as one, which is run once: on a card, all share the launches of a super-step and what the
    host does between two, which take most of the time where graphs are small. A search starts at a further vertex with
    an edge to every root. There are as many super-steps as the longest of the runs has, and one more for searches.

    Parameters
    ----------
    algorithm : {"bfs", "sssp", "spmv", "wcc"}, or the function of that name
        What to ask. The answer to others changes when graphs lie side by side (ranks), or they have batches of their
        own (`gp.multi_source` and `gp.closeness`: many searches in one graph).
    graphs : several of what Graph() takes
        At least one; 2**32 - 3 vertices over all. Edges in a file or over ranks cannot take part, nor can matrices
        that are not square.
    root : vertex, or a sequence of one per graph
        Of bfs and sssp: where the search starts, 0 if none is given; one vertex counts for every graph. Where a graph
        has labels, a label; `gp.index(3)` is an id there too.
    x : sequence of vectors
        Of spmv: one per graph, shape (num_vertices,), all of one dtype.
    number : str, optional
        Number format, of sssp and spmv; one for all graphs.
    device, xclbin, execution, config, num_threads, scheduler, progress, fallback
        As in `gp.bfs`.

    Returns
    -------
    list of Result
        One per graph, in their order: what the algorithm's own function gives, e.g. a BfsResult each. `stats` are those
        of the whole run, in all of them.

    Raises
    ------
    InputError
        If there is no graph, roots or vectors are not one per graph, weights, vectors or products are of different
        dtypes, or as the algorithm's own function does.
    CapacityError
        If all together have too many vertices.

    Examples
    --------
    >>> import gaspipe as gp
    >>> graphs = [gp.generate.grid(2, n) for n in (3, 4, 5)]
    >>> [int(r.depth.max()) for r in gp.batch("bfs", graphs, root=0)]
    [3, 4, 5]
    """
    name = _name(algorithm)
    given = _several(graphs)
    together = _Together([_graph(i, graph, num_threads) for i, graph in enumerate(given)])
    for option, value in (("root", root), ("x", x), ("number", number)):
        if value is not None and name not in _OPTIONS[option]:
            raise InputError(f"{name} has no {option}=; that is for {' and '.join(_OPTIONS[option])}")
    arguments: dict[str, Any] = {}
    if name == "sssp":
        _check_lengths(together.graphs)
    if name in _FROM_A_ROOT:
        graph = together.with_start(_roots(name, together.graphs, root), is_weighted=name == "sssp")
        arguments["root"] = graph.num_vertices - 1
    else:
        graph = together.graph(is_weighted=name == "spmv")
    if number is not None:
        arguments["number"] = number
    is_uint64 = False
    if name == "spmv":
        arguments["x"] = _vectors(together.graphs, x)
        if number in (None, "auto"):
            _check_products(given, together.graphs, arguments["x"].dtype)
            number, arguments, is_uint64 = _product.words(given[0], together.graphs[0], arguments)
            arguments["number"] = number
    found: Result = getattr(_algorithms, name)(
        graph,
        **arguments,
        device=device,
        xclbin=xclbin,
        execution=execution,
        config=config,
        num_threads=num_threads,
        scheduler=scheduler,
        progress=progress,
        fallback=fallback,
    )
    parts = []
    every = found.values.view(np.uint64) if is_uint64 else found.values
    for own, first in zip(together.graphs, together.firsts):
        values = every[first : first + own.num_vertices]
        if name == "bfs":
            values = np.where(values < 0, values, values - 1)  # a step less than from the further vertex
        elif name == "wcc":
            values = values - values.dtype.type(first)
        of = own.labels, None, found._fields, own._vertex_type
        parts.append(type(found)(name, found.field, values.copy(), found.stats, *of))
    return parts


class _Together:
    """Graphs side by side: vertex v of graph i is number `firsts[i] + v`."""

    def __init__(self, graphs: list[Graph]) -> None:
        self.graphs = graphs
        sizes = [graph.num_vertices for graph in graphs]
        if sum(sizes) > 2**32 - 3:
            raise _core.CapacityError(
                f"{len(graphs)} graphs have {sum(sizes)} vertices together; 2**32 - 3 are possible: ask for fewer"
            )
        self.firsts = [0, *np.cumsum(sizes, dtype=np.int64)[:-1].tolist()]
        self.size = sum(sizes)

    def graph(self, is_weighted: bool) -> Graph:
        """Return all as one, with weights if any has some."""
        is_weighted &= any(graph.is_weighted for graph in self.graphs)
        return _made(self._rows(self._weights() if is_weighted else None))

    def with_start(self, roots: list[int], is_weighted: bool) -> Graph:
        """Return all as one, with a vertex behind them that has an edge to every root, of length 0."""
        rows = self._rows(self._weights() if is_weighted else None)
        starts = np.array([first + root for first, root in zip(self.firsts, roots)], np.uint32)
        offsets = np.append(rows.offsets, rows.offsets[-1] + len(starts))
        weights = rows.weights
        if weights is not None:
            weights = np.concatenate([weights, np.zeros(len(starts), weights.dtype)])
        return _made(_Rows(offsets, np.concatenate([rows.targets, starts]), weights))

    def _rows(self, weights: NDArray[Any] | None) -> _Rows:
        offsets = np.zeros(self.size + 1, np.uint64)
        num_edges = 0
        for graph, first in zip(self.graphs, self.firsts):
            own = offsets[first + 1 : first + 1 + graph.num_vertices]
            np.add(graph.indptr[1:], np.uint64(num_edges), out=own)
            num_edges += graph.num_edges
        targets = [graph.indices + np.uint32(first) for graph, first in zip(self.graphs, self.firsts)]
        return _Rows(offsets, np.concatenate(targets), weights)

    def _weights(self) -> NDArray[Any]:
        """Weights of all edges; those of graphs without are 1."""
        of_graphs = [graph.weights for graph in self.graphs]
        dtypes = {i: w.dtype for i, w in enumerate(of_graphs) if w is not None}
        _check_dtypes("weights", dtypes)
        dtype = next(iter(dtypes.values()), np.dtype(np.int32))
        every = [np.ones(g.num_edges, dtype) if w is None else w for g, w in zip(self.graphs, of_graphs)]
        return np.concatenate(every)


class _Rows(NamedTuple):
    offsets: NDArray[np.uint64]
    targets: NDArray[np.uint32]
    weights: NDArray[Any] | None


def _made(rows: _Rows) -> Graph:
    n = len(rows.offsets) - 1
    return Graph._made(_core.Graph.from_csr(n, n, *rows, False, 0))


def _name(algorithm: Any) -> str:
    name = algorithm if isinstance(algorithm, str) else getattr(algorithm, "__name__", None)
    is_known = name in _ALGORITHMS and (isinstance(algorithm, str) or algorithm is getattr(_algorithms, str(name)))
    if not is_known:
        told = repr(algorithm) if name is None or isinstance(algorithm, str) else name
        known = f"{', '.join(map(repr, _ALGORITHMS[:-1]))} and {_ALGORITHMS[-1]!r}"
        raise InputError(f"algorithm is {told}; allowed in a batch are {known}")
    return str(name)


def _several(graphs: Any) -> list[Any]:
    if isinstance(graphs, Graph) or not isinstance(graphs, Iterable) or hasattr(graphs, "shape"):
        raise InputError(f"graphs is a {type(graphs).__name__}; a list of graphs is needed")
    found = list(graphs)
    if not found:
        raise InputError("graphs is empty; at least one graph is needed")
    for i, graph in enumerate(found):
        if isinstance(graph, Graph) and (graph._is_spread or graph._core.is_stored):
            where = "over ranks" if graph._is_spread else "in a file"
            raise InputError(f"graph {i} has its edges {where}; a batch takes graphs in memory")
    return found


def _graph(i: int, given: Any, num_threads: int | None) -> Graph:
    try:
        graph = as_graph(given, False, num_threads)
        graph._square("a batch")
    except InputError as error:
        raise InputError(f"graph {i}: {error}") from error
    return graph


def _check_dtypes(what: str, dtypes: dict[int, np.dtype[Any]]) -> None:
    """Refuse several dtypes, which are by graph."""
    for j, other in dtypes.items():
        i, one = next(iter(dtypes.items()))
        if other != one:
            raise InputError(f"{what} of graph {j} are {other}, of graph {i} {one}; a batch has one dtype: use astype")


def _check_lengths(graphs: list[Graph]) -> None:
    """Refuse what gp.sssp refuses, by the graph's own numbers."""
    for i, graph in enumerate(graphs):
        weights = graph.weights
        if weights is None or bool((weights >= 0).all()):
            continue
        edge = int(np.argmin(weights >= 0))
        source = int(np.searchsorted(graph.indptr, edge, side="right")) - 1
        target, weight = graph.indices[edge], weights[edge]
        raise InputError(f"graph {i}: edge {source} -> {target} has weight {weight}; sssp needs weights >= 0")


def _roots(name: str, graphs: list[Graph], given: Any) -> list[int]:
    """Id of each graph's root."""
    many = isinstance(given, (list, tuple, range)) or (isinstance(given, np.ndarray) and given.ndim > 0)
    if many and len(given) != len(graphs):
        raise InputError(f"root has {len(given)} vertices for {len(graphs)} graphs; give one per graph, or one for all")
    parameters = _description.algorithms()[name].parameters
    found = []
    for i, graph in enumerate(graphs):
        own = {} if given is None else {"root": given[i] if many else given}
        root = _vertices.resolve(parameters, graph, own).get("root", 0)
        vertex = None
        with contextlib.suppress(TypeError):
            vertex = operator.index(root)
        if vertex is None or isinstance(root, bool):
            raise InputError(f"root of graph {i} is {root!r}; a vertex is needed")
        if not 0 <= vertex < graph.num_vertices:
            raise InputError(f"root of graph {i} is {root}; allowed is 0 to {graph.num_vertices - 1}")
        found.append(vertex)
    return found


def _vectors(graphs: list[Graph], given: Any) -> NDArray[Any]:
    if given is None:
        raise InputError("spmv needs x=, a vector per graph")
    try:
        vectors = [_vector(i, x) for i, x in enumerate(given)]
    except TypeError:
        raise InputError(f"x is a {type(given).__name__}; a list of vectors is needed, one per graph") from None
    if len(vectors) != len(graphs):
        raise InputError(f"x has {len(vectors)} vectors for {len(graphs)} graphs; one per graph is needed")
    for i, (x, graph) in enumerate(zip(vectors, graphs)):
        if x.shape != (graph.num_vertices,):
            raise InputError(f"x of graph {i} has shape {x.shape}; ({graph.num_vertices},) is needed")
    _check_dtypes("entries of x", {i: x.dtype for i, x in enumerate(vectors)})
    return np.concatenate(vectors)


def _vector(i: int, given: Any) -> NDArray[Any]:
    _inputs.refuse_masked(f"x of graph {i}", given)
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:  # a ragged list
        raise InputError(f"x of graph {i} cannot be read as an array: {error}") from None


def _check_products(given: list[Any], graphs: list[Graph], x: np.dtype[Any]) -> None:
    """Refuse graphs whose own products with such vectors are of different dtypes."""
    if x.kind not in "biuf":
        return  # the core says what is wrong with x
    products = {}
    for i, (matrix, graph) in enumerate(zip(given, graphs)):
        entries = graph._core.weights_dtype or np.dtype(bool)
        if _inputs.is_sparse(matrix) and np.dtype(np.uint64) in (matrix.dtype, x):  # as _product.words has it
            entries = np.dtype(matrix.dtype)
        products[i] = np.result_type(entries, x)
    _check_dtypes("products", products)
