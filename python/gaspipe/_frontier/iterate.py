# SPDX-License-Identifier: Apache-2.0
"""Rounds of edgeFilter and vertexFilter, on any device: the work of FrontierEngine.iterate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core, _progress
from .._core import InputError
from .._executors import CPU
from .._own import AUTO, auto_limit
from .._result import NotConvergedWarning, Stats
from ..graph import Graph
from . import calls, hooks
from .session import Session
from .subset import VertexSubset


@dataclass(frozen=True)
class Iteration:
    """What `FrontierEngine.iterate` did.

    Attributes
    ----------
    num_rounds : int
        Rounds of `edge_filter` and `vertex_filter`.
    stats : Stats or None
        How the kernels ran; None on the CPU, where the engine's own loops run.

    """

    num_rounds: int
    stats: Stats | None


def iterate(
    on: Session,
    algorithm: Any,
    functor: str,
    front: VertexSubset,
    max_iter: int | str | None,
    progress: bool | _progress.OfSteps | None,
    options: dict[str, Any],
) -> Iteration:
    """See FrontierEngine.iterate; `algorithm` makes the functor's hooks."""
    is_auto = isinstance(max_iter, str) and max_iter == AUTO
    is_number = isinstance(max_iter, (int, np.integer)) and not isinstance(max_iter, bool) and max_iter >= 0
    if max_iter is not None and not is_auto and not is_number:
        raise InputError(f"max_iter is {max_iter!r}; a whole number is needed, {AUTO!r} or None")
    on.loaded(front, "front")
    device = options.pop("device")
    parameters = options.pop("parameters")
    if device == CPU:
        if options:
            raise InputError(f"{next(iter(options))!r} is no parameter of the program and no option of device='cpu'")
        rounds, limit = 0, auto_limit(on.graph.num_vertices) if is_auto else max_iter
        on.check(calls.EDGE_VERTEX_FILTER, functor)
        with _progress.of_steps(functor, progress) as told:
            if told is not None and not callable(told):
                raise InputError(
                    f"progress is {progress!r}; a bool or a function, progress(round, vertices, edges), is needed"
                )
            degrees = None if told is None else on.graph.out_degrees()
            while front and rounds != limit:
                edges = 0 if degrees is None else int(degrees[front.vertices].sum())
                on.filter(calls.EDGE_VERTEX_FILTER, front, front, functor, parameters)
                if told is not None:
                    told(rounds, len(front), edges)
                rounds += 1
        if front and is_auto:
            _warn(functor, rounds, on.graph.num_vertices)
        return Iteration(rounds, None)
    if on.graph._is_spread:
        raise InputError(f"device is {device!r}; on ranks frontier programs run on 'cpu'")
    if on.domains is not None:
        options.setdefault("domains", on.domains)
    made = algorithm()
    if not front or max_iter == 0:
        return Iteration(0, None)
    graph = _with_edge_values(on)
    words = hooks.words_of(on.view(calls.VERTICES), np.diff(graph.indptr), front.vertices)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)  # of hooks that the caller has not written
        result = made(graph, initial=words, device=device, max_iter=max_iter, progress=progress, **options)
    if not result.stats.converged and is_auto:
        _warn(functor, result.stats.num_supersteps, on.graph.num_vertices)
    values, left = hooks.values_of(result.values, on.program.vertex)
    on.view(calls.VERTICES)[...] = values
    on.fill(front, left)
    return Iteration(result.stats.num_supersteps, result.stats)


def _warn(functor: str, rounds: int, num_vertices: int) -> None:
    text = (
        f"{functor}: the set is not empty after {rounds} rounds, the default limit for {num_vertices:,} vertices; it "
        "may never be: give max_iter= where more are needed (None: no limit)"
    )
    warnings.warn(text, NotConvergedWarning, stacklevel=4)


def _with_edge_values(on: Session) -> Graph:
    """Return the graph with the engine's edge values as its weights."""
    graph, edge = on.graph, on.program.edge
    if edge is None:
        return graph
    values = on.view(calls.EDGES)
    if graph.weights is None:
        is_same = bool((values == 1).all())
    else:
        is_same = graph.weights.shape == values.shape and bool((graph.weights == values).all())
    if is_same:
        return graph
    weights = values.astype(np.int64) if edge.kind == "u" else values.copy()
    n = graph.num_vertices
    return Graph._made(_core.Graph.from_csr(n, n, graph.indptr, graph.indices, weights, False, 0), graph.labels, {})
