# SPDX-License-Identifier: Apache-2.0
"""A frontier program over domains, with the face of `_core.Frontier`: a graph in parts, each with an engine."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core import InputError
from .._threads import thread_count
from ..graph import Graph
from .calls import CALLS, EDGE_CALLS, EDGES, RUN, VERTEX_REDUCE, VERTICES
from .edge_places import edge_places
from .links import Links
from .part import Part

T = TypeVar("T")
_DEBUG = 3  # of arguments.LEVELS


class SpreadSet:
    """Own vertices of every domain of this process. Its size is that of the set on all ranks."""

    def __init__(self, engine: SpreadFrontier, parts: list[_core.FrontierSet], size: int) -> None:
        self.parts = parts
        self._engine = engine
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __contains__(self, vertex: int) -> bool:
        place = self._engine.place_of(vertex)
        return place is not None and place[1] in self.parts[place[0]]

    @property
    def is_bitmap(self) -> bool:
        return self.parts[0].is_bitmap

    def numbers(self) -> list[NDArray[np.uint32]]:
        """Return the local numbers in each part, ascending."""
        return [part.vertices() for part in self.parts]

    def vertices(self) -> NDArray[np.uint32]:
        """Return ids in the whole graph, ascending; on ranks those of this one."""
        found = [part.ids[own] for part, own in zip(self._engine.parts, self.numbers())]
        return np.sort(np.concatenate(found)).astype(np.uint32)

    def convert(self, to_bitmap: bool) -> None:
        for part in self.parts:
            part.convert(to_bitmap)

    def clear(self) -> None:
        for part in self.parts:
            part.clear()
        self._size = 0


class SpreadFrontier:
    """An engine per domain of this process, each in a thread; all that callers see is of the whole graph.

    On ranks, values and sets that callers see are of the vertices that the rank owns.
    """

    def __init__(
        self,
        library: _core.FrontierProgram,
        graph: Graph,
        links: Links,
        vertex: np.dtype[Any],
        weight_type: str,
        default: bytes,
        options: dict[str, Any],
    ) -> None:
        self._graph = graph
        self._links = links
        self._at_work = threading.Lock()
        self._log, self._log_level = options["log"], options["log_level"]
        num_threads = thread_count(options["num_threads"]) or links.num_threads or _core.default_num_threads()
        shares = _shares(num_threads, len(links.domains))
        self._pool = ThreadPoolExecutor(len(shares)) if len(shares) > 1 else None
        own = [{**options, "num_threads": share, "log": None} for share in shares]
        cores = self._each(
            lambda i: _core.Frontier(library, links.domains[i], weight_type, default, **own[i]), len(shares)
        )
        self.parts = [Part(domain, core, vertex, links.size) for domain, core in zip(links.domains, cores)]
        ids = np.concatenate([part.ids for part in self.parts])
        # Of the i-th value here: the part and the local number that has it.
        order = np.argsort(ids, kind="stable")
        self._ids = ids[order]
        self._part = np.repeat(np.arange(len(self.parts)), [len(part.ids) for part in self.parts])[order]
        self._number = np.concatenate([np.arange(len(part.ids)) for part in self.parts])[order]
        self._edges: list[NDArray[np.int64]] | None = None
        self._pending: dict[int, NDArray[Any]] = {}  # handed out since the last call
        self._held: dict[int, weakref.ref[NDArray[Any]]] = {}  # handed out before, as long as the caller keeps them

    @property
    def seconds(self) -> float:
        """Time in calls, s: of the slowest domain."""
        return max(part.core.seconds for part in self.parts)

    def place_of(self, vertex: int) -> tuple[int, int] | None:
        """Return part and local number of a vertex; None where this process does not own it."""
        at = int(np.searchsorted(self._ids, vertex))
        if at == len(self._ids) or self._ids[at] != vertex:
            return None
        return int(self._part[at]), int(self._number[at])

    def all(self) -> SpreadSet:
        """Return the set of all vertices."""
        return SpreadSet(self, [part.all() for part in self.parts], self._graph.num_vertices)

    def set_of(self, vertices: NDArray[np.uint32]) -> SpreadSet:
        """Return a set; on ranks the same one is to be given on all, or own vertices of each."""
        at = np.searchsorted(self._ids, vertices)
        at = at[self._ids[np.minimum(at, len(self._ids) - 1)] == vertices] if len(self._ids) else at[:0]
        made = [
            part.set_of(self._number[at[self._part[at] == i]].astype(np.uint32), False)
            for i, part in enumerate(self.parts)
        ]
        with self._links.step():
            return SpreadSet(self, made, self._total([len(part) for part in made]))

    def call(
        self, functor: int, call: int, dst: SpreadSet | None, src: SpreadSet | None, parameters: bytes
    ) -> int | float | None:
        """Do as `_core.Frontier.call` does, in all domains."""
        name = list(CALLS)[call]
        if call == RUN:
            raise InputError(
                "run: a program in C++ sees one domain; give the graph without domains=, or call its functors here"
            )
        assert src is not None
        if not self._at_work.acquire(blocking=False):
            raise InputError("this engine is at work, in another thread or in its own log; it takes one call at a time")
        start = time.perf_counter()
        try:
            with self._links.step():
                self._links.agree({"call": [name, functor, parameters.hex(), len(src)]})
                self._write_views()
                answer = self._in_parts(functor, call, dst, src, parameters)
                self._read_views()
        finally:
            self._at_work.release()
        if self._log is not None and self._log_level >= _DEBUG:
            made = "" if dst is None else f" -> {len(dst)} vertices"
            seconds = time.perf_counter() - start
            self._log(_DEBUG, f"{name}: {len(src)} vertices{made}, {self._links.size} domains, {seconds * 1e6:.4g} us")
        return answer

    def values(self, which: int, dtype: np.dtype[Any], will_write: bool) -> NDArray[Any]:
        """Return values of the whole graph, or of this rank; what is written there is seen by the next call."""
        known = self._pending.get(which)
        if known is None and which in self._held:
            known = self._held[which]()
        if known is not None:
            return known
        if which == EDGES:
            self._edge_places()  # refuses, where there are none
        whole = np.empty(self._graph.num_edges if which == EDGES else len(self._ids), dtype)
        self._read(which, whole)
        if not will_write:
            whole.flags.writeable = False
            return whole
        self._pending[which] = whole
        return whole

    def _in_parts(
        self, functor: int, call: int, dst: SpreadSet | None, src: SpreadSet, parameters: bytes
    ) -> int | float | None:
        sources = src.parts
        if call in EDGE_CALLS:
            numbers = src.numbers()
            boxes = self._links.swap(self._each(lambda i: self.parts[i].boxes(numbers[i])))
            sources = self._each(lambda i: self.parts[i].with_ghosts(src.parts[i], numbers[i], boxes[i]))
        made = None if dst is None else [part.core.set_of(np.zeros(0, np.uint32)) for part in self.parts]
        answers = self._each(
            lambda i: self.parts[i].core.call(functor, call, None if made is None else made[i], sources[i], parameters)
        )
        if dst is not None and made is not None:
            size = self._total([len(part) for part in made])
            dst.parts, dst._size = made, size
        return self._combined(functor, parameters, answers) if call == VERTEX_REDUCE else None

    def _combined(self, functor: int, parameters: bytes, answers: list[Any]) -> int | float:
        """Return the answers of all domains as one, in the order of the domains."""
        is_real = isinstance(answers[0], float)
        words = np.array(answers, np.float64 if is_real else np.int64).view(np.int64).reshape(-1, 1)
        of_all = self._links.of_all(words)[:, 0]
        numbers: list[Any] = of_all.view(np.float64).tolist() if is_real else of_all.tolist()
        total: Any = numbers[0]
        for number in numbers[1:]:
            total = self.parts[0].core.combine(functor, parameters, total, number)
        return total  # type: ignore[no-any-return]

    def _total(self, sizes: list[int]) -> int:
        return int(self._links.of_all(np.array(sizes, np.int64).reshape(-1, 1)).sum())

    def _write_views(self) -> None:
        """Give the domains what may have been written to views: those in use, and those let go since the last call."""
        arrays = dict(self._pending)
        for which, held in self._held.items():
            array = held()
            if array is not None:
                arrays[which] = array
        self._held = {which: weakref.ref(array) for which, array in arrays.items()}
        self._pending = {}
        for which, array in arrays.items():
            self._write(which, array)

    def _read_views(self) -> None:
        for which, held in list(self._held.items()):
            array = held()
            if array is None:
                del self._held[which]
            else:
                self._read(which, array)

    def _write(self, which: int, whole: NDArray[Any]) -> None:
        for i, part in enumerate(self.parts):
            if which == EDGES:
                part.core.values(EDGES, whole.dtype, True)[:] = whole[self._edge_places()[i]]
            else:
                part.core.values(VERTICES, whole.dtype, True)[: len(part.ids)] = whole[self._places(part)]

    def _read(self, which: int, whole: NDArray[Any]) -> None:
        for i, part in enumerate(self.parts):
            values = part.core.values(which, whole.dtype, False)
            if which == EDGES:
                whole[self._edge_places()[i]] = values
            else:
                whole[self._places(part)] = values[: len(part.ids)]

    def _places(self, part: Part) -> Any:
        """Where the values of a part are among all that are here."""
        return part.ids if self._links.has_all else slice(None)

    def _edge_places(self) -> list[NDArray[np.int64]]:
        if not self._links.has_all:
            raise InputError("values of edges lie with the ranks; functors read and write them there")
        if self._edges is None:
            owners = np.empty(len(self._ids), np.int64)
            owners[self._ids] = self._part
            self._edges = edge_places(self._graph, self._links.domains, owners)
        return self._edges

    def _each(self, f: Callable[[int], T], count: int | None = None) -> list[T]:
        """Return f(i) of every part, in threads; the first error is raised when all have ended."""
        n = len(self.parts) if count is None else count
        if self._pool is None:
            return [f(i) for i in range(n)]
        futures: list[Future[T]] = [self._pool.submit(f, i) for i in range(n)]
        try:
            wait(futures)
        except BaseException:  # Ctrl-C counts when all have ended
            wait(futures)
            raise
        return [future.result() for future in futures]


def _shares(num_threads: int, num_parts: int) -> list[int]:
    return [max(1, num_threads // num_parts + (i < num_threads % num_parts)) for i in range(num_parts)]
