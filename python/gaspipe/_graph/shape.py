# SPDX-License-Identifier: Apache-2.0
"""Graphs made of a graph: reversed, undirected, simpler, smaller or numbered anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core, _progress
from .._core import InputError
from .._flags import flag
from .._inputs import refuse_masked
from .._progress import FileProgress, OfPhases
from .._threads import thread_count
from .base import GraphBase

if TYPE_CHECKING:
    from ..graph import Graph


class GraphShape(GraphBase):
    """Methods that return another graph."""

    __slots__ = ()

    def transpose(self, *, num_threads: int | None = None, progress: FileProgress = None) -> Graph:
        """Return the graph with every edge reversed, weights kept. The rows come out sorted.

        Parameters
        ----------
        num_threads : int, optional
            Threads to use.
        progress : callable or bool, optional
            progress(phase, done, total), ten times a second and when a phase has ended: "counting" and "sorting", of
            edges, and "rows". Nothing is told where the graph has its transpose already. True shows a bar (pip install
            tqdm).

        """
        threads = thread_count(num_threads)
        with _progress.of_phases("transpose", progress) as told:
            core = self._core.transpose(threads, told)
        return self._made(core, self._labels, self._vertex_data, self._vertex_type)

    def symmetrize(self, *, num_threads: int | None = None, progress: FileProgress = None) -> Graph:
        """Return the undirected graph: an edge in both directions wherever there is one in either.

        Rows come out sorted and without repetition; where edges fall together the smallest weight stays. Self-loops
        stay, once.

        Parameters
        ----------
        num_threads : int, optional
            Threads to use.
        progress : callable or bool, optional
            As of `transpose`, which comes first; then "merging" and "moving", of rows.

        """
        threads = thread_count(num_threads)
        with _progress.of_phases("symmetrize", progress) as told:
            core = self._square("symmetrize").simplify(True, False, threads, told)
        return self._made(core, self._labels, self._vertex_data, self._vertex_type)

    def simplify(
        self,
        *,
        self_loops: bool = False,
        parallel_edges: bool = False,
        num_threads: int | None = None,
        progress: FileProgress = None,
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
        progress : callable or bool, optional
            progress(phase, done, total), ten times a second and when a phase has ended: "merging" and "moving", of
            rows, or where parallel edges are kept "choosing" and "copying", of edges. True shows a bar (pip install
            tqdm).

        """
        self_loops, parallel_edges = flag("self_loops", self_loops), flag("parallel_edges", parallel_edges)
        threads = thread_count(num_threads)
        core = self._square("simplify")
        with _progress.of_phases("simplify", progress) as told:
            if not parallel_edges:
                core = core.simplify(False, not self_loops, threads, told)
            elif not self_loops:
                core = _core.drop_self_loops(core, threads, told)
        return self._made(core, self._labels, self._vertex_data, self._vertex_type)

    def largest_component(self, *, num_threads: int | None = None, progress: FileProgress = None) -> Graph:
        """Return the largest weakly connected component: its vertices and all edges between them.

        Of components of equal size it is the one with the smallest vertex id. Vertices keep their order and are
        numbered anew; `labels` says what they were called here: labels, or ids (int64) where there are none. Rows come
        out sorted, weights kept.

        Parameters
        ----------
        num_threads : int, optional
            Threads to use.
        progress : callable or bool, optional
            progress(phase, done, total), ten times a second and when a phase has ended: the component is found
            ("looking", of vertices, and "joining", of edges), its vertices are listed ("counting", "sorting" and
            "rows"), and their edges taken ("choosing" and "copying"). True shows a bar (pip install tqdm).

        """
        threads = thread_count(num_threads)
        core = self._square("largest_component")
        with _progress.of_phases("largest_component", progress) as told:
            return self._selected(_core.largest_component(core, threads, told), threads, told)

    def reorder(
        self, order: str | ArrayLike = "degree", *, num_threads: int | None = None, progress: FileProgress = None
    ) -> Graph:
        """Return the same graph with its vertices numbered anew, so that memory is used better or as told.

        Parameters
        ----------
        order : {"degree", "hub"} or array of int, shape (num_vertices,)
            "degree": by falling out-degree, equal ones by id. "hub": in classes of at least 32, 16, 8, 4, 2, 1 and 1/2
            times the mean out-degree and the rest, inside a class by id, which keeps neighbours that ids put
            together (degree-based grouping [1]_). Array: a permutation, `order[i]` is the vertex that becomes vertex i.
        num_threads : int, optional
            Threads to use.
        progress : callable or bool, optional
            progress(phase, done, total), ten times a second and when a phase has ended: vertices are put in order
            ("counting", "sorting" and "rows"; not of an array), then edges taken over ("choosing" and "copying"). True
            shows a bar (pip install tqdm).

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
            with _progress.of_phases("reorder", progress) as told:
                return self._selected(known[order](self._core, threads, told), threads, told)
        refuse_masked("order", order)
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
        with _progress.of_phases("reorder", progress) as told:
            return self._selected(_core.vertex_order(ids, self.num_vertices, threads), threads, told)

    def _selected(self, vertices: NDArray[np.uint32], threads: int, told: OfPhases | None) -> Graph:
        labels = vertices.astype(np.int64) if self._labels is None else self._labels[vertices]
        vertex_data = {name: values[vertices] for name, values in self._vertex_data.items()}
        core = _core.select_vertices(self._core, vertices, threads, told)
        return self._made(core, labels, vertex_data, self._vertex_type)
