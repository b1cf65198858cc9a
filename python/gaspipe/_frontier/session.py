# SPDX-License-Identifier: Apache-2.0
"""The calls of an engine on one graph."""

from __future__ import annotations

import time
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core import InputError
from ..graph import Graph
from .arguments import parameter_values
from .calls import CALLS, NAMES, RUN, VERTICES, calls_of
from .library import Program
from .links import links_of
from .spread import SpreadFrontier
from .subset import VertexSubset

MOST_CALLS = 1 << 16  # of which a record is kept
_WEIGHTS = {"int32", "uint32", "int64", "uint64", "float32", "float64"}


class Session:
    """A graph, its values, and the calls on them.

    Attributes
    ----------
    graph : Graph
        The graph.
    core : _core.Frontier or SpreadFrontier
        The engine; over domains those of all.
    functors : dict
        Number and calls (a bit each) of every functor, by name.
    workqueue_size : int
        Size of the last `dst`.
    domains : int or Domains or None
        As handed in.

    """

    def __init__(
        self,
        program: Program,
        graph: Graph,
        default: NDArray[Any],
        parameters: NDArray[Any] | None,
        options: dict[str, Any],
        domains: Any = None,
    ) -> None:
        edge = program.edge
        weights = str(edge) if edge is not None and str(edge) in _WEIGHTS else ""
        library = program.library()
        self.program = program
        self.graph = graph
        start = default.tobytes()
        self.core: Any
        links = links_of(graph, domains, options["num_threads"], repr(program))
        if links is None:
            self.core = _core.Frontier(library, graph._core, weights, start, **options)
        else:
            self.core = SpreadFrontier(library, graph, links, program.vertex, weights, start, options)
        self.functors = {name: (i, calls) for i, (name, calls) in enumerate(library.functors)}
        self.domains = domains
        self.workqueue_size = 0
        self._parameters = parameters
        self._parameter_bytes = b"" if parameters is None else parameters.tobytes()
        self._views: dict[int, weakref.ref[NDArray[Any]]] = {}
        self.log: list[tuple[str, str, int, int, float]] = []

    def filter(
        self, call: int, dst: VertexSubset | None, src: VertexSubset, functor: str, parameters: dict[str, Any]
    ) -> VertexSubset:
        """Do a call that fills a set, which is made where there is none."""
        if dst is None:
            dst = VertexSubset(self.graph.num_vertices)
        elif not isinstance(dst, VertexSubset):
            raise InputError(f"dst is {dst!r}; a VertexSubset or None is needed")
        self.call(call, dst, src, functor, parameters)
        self.workqueue_size = len(dst)
        return dst

    def call(
        self,
        call: int,
        dst: VertexSubset | None,
        src: VertexSubset | None,
        functor: str,
        parameters: dict[str, Any],
    ) -> Any:
        """Do any call; `src` is None for a whole program."""
        number = self.check(call, functor)
        to = None if dst is None else self.loaded(dst, "dst")
        of = to if src is dst else None
        if of is None and call != RUN:
            of = self.loaded(src, "src")
        given = self._parameter_bytes if not parameters else self._bytes_of(parameters)
        if self._views:
            self._tell_of_views()
        walked = 0 if src is None else len(src)
        start = time.perf_counter()
        answer = self.core.call(number, call, to, of, given)
        if len(self.log) < MOST_CALLS:
            seconds = time.perf_counter() - start
            self.log.append((NAMES[call], functor, walked, 0 if dst is None else len(dst), seconds))
        return answer

    def check(self, call: int, functor: Any) -> int:
        """Return the number of a functor that serves a call; InputError for any other."""
        found = self.functors.get(functor) if isinstance(functor, str) else None
        if found is None or not found[1] >> call & 1:
            raise InputError(self._missing(call, functor))
        return found[0]

    def fill(self, subset: VertexSubset, vertices: NDArray[np.uint32]) -> None:
        """Make these the vertices of a set, as a queue."""
        subset._loaded, subset._owner, subset._graph = self.core.set_of(vertices), self.core, self.graph

    def view(self, which: int) -> NDArray[Any]:
        """Return the values as an array that can be written; the same one while it is held."""
        held = self._views.get(which)
        view = None if held is None else held()
        if view is None:
            view = self.core.values(which, self._dtype(which), True)
            self._views[which] = weakref.ref(view)
        return view

    def _dtype(self, which: int) -> np.dtype[Any]:
        if which == VERTICES:
            return self.program.vertex
        if self.program.edge is None:
            raise InputError(f"the edges of {self.program.name} have no values; give edge=")
        return self.program.edge

    def _tell_of_views(self) -> None:
        """Values may have been written through a view that is held."""
        for which, held in list(self._views.items()):
            if held() is None:
                del self._views[which]
            self.core.values(which, self._dtype(which), True)

    def loaded(self, subset: Any, what: str) -> Any:
        """Return a set as the core has it; made at its first use by this engine."""
        if not isinstance(subset, VertexSubset):
            raise InputError(f"{what} is {subset!r}; a VertexSubset is needed, see FrontierEngine.subset")
        if subset._owner is self.core and subset._loaded is not None:
            return subset._loaded
        if subset._graph is not None and subset._graph is not self.graph:
            raise InputError(f"{what} is a set of another graph's vertices; make it with FrontierEngine.subset")
        if subset._capacity == 0 and what == "dst":
            subset._capacity = self.graph.num_vertices
        if subset._capacity != self.graph.num_vertices:
            raise InputError(
                f"{what} is a set of {subset._capacity} vertices, the graph has {self.graph.num_vertices}; make it "
                "with FrontierEngine.subset"
            )
        ids, is_bitmap = subset.vertices, subset.is_bitmap
        is_all = is_bitmap and len(ids) == self.graph.num_vertices
        loaded = self.core.all() if is_all else self.core.set_of(ids)
        if is_bitmap and not is_all:
            loaded.convert(True)
        subset._loaded, subset._owner, subset._graph = loaded, self.core, self.graph
        return loaded

    def _missing(self, call: int, functor: Any) -> str:
        name, needs = list(CALLS.items())[call]
        if isinstance(functor, str) and functor in self.functors:
            offered = calls_of(self.functors[functor][1])
            serves = f"serves {', '.join(offered)}" if offered else "serves no call"
            return f"{functor} does not serve {name}, which needs {needs}; it {serves}"
        known = [f for f, (_, calls) in self.functors.items() if calls >> call & 1]
        there = f"there is {', '.join(known)}" if known else "there is none"
        return f"functor is {functor!r}; {name} needs {needs}; in the source of {self.program.name} {there}"

    def _bytes_of(self, given: dict[str, Any]) -> bytes:
        values = parameter_values(self.program.parameters, given, self._parameters)
        if values is None:
            raise InputError(f"{next(iter(given))!r} is no parameter; {self.program.name} has none")
        return values.tobytes()
