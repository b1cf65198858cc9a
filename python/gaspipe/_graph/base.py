# SPDX-License-Identifier: Apache-2.0
"""What a graph is: the core's rows, labels, and data by vertex."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core, _inputs, _progress
from .._core import InputError
from .._progress import FileProgress
from .._threads import thread_count
from .._vertices import Labels

if TYPE_CHECKING:
    from .._domains import Domains
    from .._formats import Streamed
    from .._tables import VertexType
    from ..graph import Graph


class GraphBase:
    """Properties of a graph, its vertices by label, and its partitions."""

    __slots__ = (
        "__weakref__",
        "_core",
        "_domains",
        "_found",
        "_labels",
        "_pe_lists",
        "_split_lists",
        "_streamed",
        "_vertex_data",
        "_vertex_type",
    )

    _is_spread = False  # over ranks: gaspipe.distributed
    _shows_progress = True  # one of them has the bar

    def _run_on_ranks(self, *question: Any) -> Any:
        raise NotImplementedError

    def _frontier_links(self, program: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _set(
        self,
        core: _core.Graph,
        labels: NDArray[Any] | None,
        vertex_data: dict[str, NDArray[Any]],
        vertex_type: VertexType = None,
    ) -> None:
        self._core = core
        self._labels = labels
        self._vertex_data = vertex_data
        self._vertex_type = vertex_type  # of the table that it is from
        self._found: Labels | None = None
        self._split_lists: _core.SplitLists | None = None  # for the last number of workers of gp.bfs
        self._domains: Domains | None = None  # for the last number of domains of a run
        self._streamed: Streamed | None = None  # where edges stay in their file
        self._pe_lists: _core.PeLists | _core.PeRows | None = None  # likewise, in the emulator

    @classmethod
    def _made(
        cls,
        core: _core.Graph,
        labels: NDArray[Any] | None = None,
        vertex_data: dict[str, NDArray[Any]] | None = None,
        vertex_type: VertexType = None,
    ) -> Graph:
        graph = cls.__new__(cls)
        graph._set(core, labels, vertex_data or {}, vertex_type)
        return cast("Graph", graph)

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
        """Vertex ids of labels, an array or any iterable, in their order; InputError if there is none of one.

        Each may be an index as well: `gp.index(3)` among labels, or `gp.index([3, 4])` in their place.
        """
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

    def _square(self, what: str) -> _core.Graph:
        if max(self._core.shape) == 0:
            raise InputError(f"{what} needs at least 1 vertex; this one is a matrix of 0 x 0")
        return _inputs.square(self._core, what)

    def partition(
        self,
        *,
        capacity: int = _core.CPU_CAPACITY,
        compute_units: int = 1,
        partitioner: str = "equal",
        num_threads: int | None = None,
        progress: FileProgress = None,
    ) -> _core.Partitioning:
        """Partitions by destination, each cut into sub-partitions for the compute units; kept by the graph.

        Parameters
        ----------
        capacity : int, default 65536
            Destinations a partition may have: what fits on chip, or in a core's cache.
        compute_units : int, default 1
            Sub-partitions of every partition, 1 to 16.
        partitioner : {"equal", "balanced", "interleaved"}
            How a partition is cut: equally many edges, or equal estimated cost, where sources spanned count too; or
            about equally many edges of any range of sources, as kernels that pass over edges take them: dealt out in
            pieces of at most 1024 neighboring sources.
        num_threads : int, optional
            Threads to use.
        progress : callable or bool, optional
            progress(phase, done, total), ten times a second and when a phase has ended: "counting" and "filling", of
            edges, then "dealing" where they are interleaved. Nothing is told where the graph has these already. True
            shows a bar (pip install tqdm).

        Returns
        -------
        Partitioning
            A sequence: `parts[i][j]` is sub-partition j of partition i, whose edges are sorted by source.

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
        with _progress.of_phases("partition", progress) as told:
            return _core.partition(self._core, int(capacity), int(compute_units), str(partitioner), threads, told)

    def clear_cache(self) -> None:
        """Give back the memory of views, partitions and the relabeled form.

        They are made again when needed, or for the relabeled form as `prepare` says of a new graph.
        """
        self._split_lists = self._pe_lists = self._domains = None
        self._core.clear_cache()
