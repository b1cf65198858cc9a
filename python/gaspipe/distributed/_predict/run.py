# SPDX-License-Identifier: Apache-2.0
"""`gp.distributed.predict`: what a program would take on ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..._core import MOST_DOMAINS, InputError
from ...graph import Graph
from . import exchange, memory
from .activity import Activity, Pace, Program, activity_of, pace_of, program_of
from .cut import Cut, Model, counted
from .exchange import Boxes
from .network import Network, resolve
from .prediction import STEP_FIELDS, RanksPrediction

if TYPE_CHECKING:
    from ..._own import Algorithm
    from ..._result import Result

_MOST_RUN = 64  # domains that a run in this process has
_OF_SAMPLE = 8


@overload
def predict(
    program: str | Callable[..., Result] | Algorithm,
    graph: Graph | Model,
    ranks: int,
    *,
    network: str | Network = ...,
    strategy: str = ...,
    edges_per_second: float | None = ...,
    ranks_per_core: float = ...,
    num_threads: int = ...,
    **arguments: Any,
) -> RanksPrediction: ...
@overload
def predict(
    program: str | Callable[..., Result] | Algorithm,
    graph: Graph | Model,
    ranks: Sequence[int],
    *,
    network: str | Network = ...,
    strategy: str = ...,
    edges_per_second: float | None = ...,
    ranks_per_core: float = ...,
    num_threads: int = ...,
    **arguments: Any,
) -> list[RanksPrediction]: ...
def predict(
    program: str | Callable[..., Result] | Algorithm,
    graph: Graph | Model,
    ranks: int | Sequence[int],
    *,
    network: str | Network = "10GbE",
    strategy: str = "balanced",
    edges_per_second: float | None = None,
    ranks_per_core: float = 1.0,
    num_threads: int = 1,
    **arguments: Any,
) -> RanksPrediction | list[RanksPrediction]:
    """Predict what a program would take on the ranks of a job, each on a machine of its own.

    A super-step takes the time in which the rank with most edges computes, then that of the exchange, by an alpha-beta
    model [1]_ [2]_: `latency + messages * message_seconds + bytes / bandwidth` for the rank with most bytes. Bytes are
    those that ranks put into boxes: counted on a graph that is here, expected of a model. The program runs in this
    process, on the graph or on a smaller one of the model's kind: for its super-steps, for how many edges and ghosts
    have a part in each, and for the time that an edge takes on one rank here.

    Parameters
    ----------
    program : str, function or Algorithm
        "bfs", gp.bfs, or a gp.Algorithm.
    graph : Graph, KroneckerModel or UniformModel
        The graph, or what a graph is like that is not here.
    ranks : int, or a sequence
        Number of ranks, 1 to 4096; of several, predictions from the same measurements.
    network : str or Network
        A name of `gp.distributed.networks()`, or constants of your own, as `gp.distributed.measure_network` finds them.
    strategy : {"balanced", "hash", "mix"}
        Which rank owns which vertices.
    edges_per_second : float, optional
        Edges that a rank looks at in a second, for another machine than this one; by default measured here, super-step
        by super-step.
    ranks_per_core : float
        Ranks that share a core, at least 1: they compute so many times slower.
    num_threads : int
        Threads of a rank, for the measurement.
    **arguments
        The program's own: `root=3`, `number="float32"`.

    Returns
    -------
    RanksPrediction, or a list
        Super-steps, total time, speedup, memory of a rank.

    Raises
    ------
    InputError
        If there is no such program, network or strategy, or a value is out of range.

    References
    ----------
    .. [1] R. W. Hockney, "The communication challenge for MPP", Parallel Computing 20 (1994),
       doi:10.1016/S0167-8191(06)80021-9.
    .. [2] A. Alexandrov et al., "LogGP: incorporating long messages into the LogP model", SPAA 1995,
       doi:10.1145/215399.215427.

    Examples
    --------
    >>> print(gp.distributed.predict("pagerank", gp.distributed.KroneckerModel(31), 256, network="100GbE"))

    """
    asked_ranks: list[Any] = list(ranks) if not isinstance(ranks, int) and _is_sequence(ranks) else [ranks]
    sizes = [_whole("ranks", each, MOST_DOMAINS) for each in asked_ranks]
    num_threads = _whole("num_threads", num_threads, 1 << 12)
    network = resolve(network)
    rate = None if edges_per_second is None else _number("edges_per_second", edges_per_second, above=0.0)
    slower = _number("ranks_per_core", ranks_per_core, least=1.0)
    asked = program_of(program, arguments)
    if isinstance(graph, Graph):
        here = graph
        cuts = [counted(graph, size, strategy, asked.view) for size in sizes]
    elif hasattr(graph, "cut") and hasattr(graph, "sample"):
        cuts = [graph.cut(size, strategy) for size in sizes]
        here = graph.sample()
    else:
        raise InputError(f"graph is {type(graph).__name__}; a Graph, a KroneckerModel or a UniformModel is needed")
    pace = pace_of(asked, here, num_threads)
    activities: dict[int, Activity] = {}
    found = []
    for cut in cuts:
        is_exact = here is graph and cut.size <= _MOST_RUN
        size = min(cut.size, _MOST_RUN if here is graph else _OF_SAMPLE)
        if size not in activities:
            counts = cut if is_exact else counted(here, size, strategy, asked.view)
            activities[size] = activity_of(asked, here, counts, strategy)
        activity = activities[size]
        times = _times(pace, activity, rate, slower)
        method = {
            "edges and ghosts": cut.how,
            "super-steps": _said_of_steps(size, is_exact, here, here is graph),
            "time of an edge": _said_of_edges(pace, rate, here, num_threads),
        }
        found.append(_prediction(asked, cut, activity, is_exact, times, network, str(strategy), method))
    return found if _is_sequence(ranks) else found[0]


def _is_sequence(ranks: Any) -> bool:
    return isinstance(ranks, (list, tuple, np.ndarray, range))


def _said_of_steps(size: int, is_exact: bool, here: Graph, is_whole: bool) -> str:
    if is_exact:
        return f"of a run in {size} domains in this process"
    what = "the graph" if is_whole else f"a graph of {here.num_vertices:,} vertices of this kind"
    return f"and shares of active edges and ghosts: of a run in {size} domains in this process, on {what}"


def _said_of_edges(pace: Pace, rate: float | None, here: Graph, num_threads: int) -> str:
    if rate is not None:
        return f"given: {rate:,.4g} edges a second on a rank"
    total = float(pace.edges.sum()) / max(float(pace.seconds.sum()), 1e-12)
    return (
        f"measured on one rank here, {num_threads} thread(s), {here.num_vertices:,} vertices: {total:,.4g} edges a "
        "second"
    )


class _Times(NamedTuple):
    """Of the processor of a rank, in seconds."""

    edge: NDArray[np.float64]  # by super-step
    value: float
    place: float


def _times(pace: Pace, activity: Activity, rate: float | None, slower: float) -> _Times:
    edge = pace.of(activity) if rate is None else np.full(len(activity.kinds), 1 / rate)
    return _Times(edge * slower, pace.value_seconds * slower, pace.place_seconds * slower)


def _prediction(
    program: Program,
    cut: Cut,
    activity: Activity,
    is_exact: bool,
    times: _Times,
    network: Network,
    strategy: str,
    method: dict[str, str],
) -> RanksPrediction:
    steps = np.zeros(len(activity.kinds), dtype=STEP_FIELDS)
    steps["step"] = np.arange(len(steps))
    steps["kind"] = activity.kinds
    whole = exchange.all_values(cut, activity.value_bytes)
    for i, step in enumerate(steps):
        edges = activity.edges_of_each[i] if is_exact else cut.edges * activity.edges[i]
        boxes = _boxes(cut, activity, i, is_exact, whole)
        cost = exchange.cost(boxes, activity.num_sums, activity.sends_changes, network)
        step["edges"] = activity.edges[i] * cut.num_edges
        step["most_edges"] = edges.max()
        step["bytes_sent"] = boxes.sent.sum()
        step["most_bytes"], step["messages"] = cost.most_bytes, cost.messages
        step["compute_seconds"] = edges.max() * times.edge[i]
        step["exchange_seconds"] = cost.seconds + _copying(cut, activity, i, times)
        if i == 0 and activity.sends_changes and cut.size > 1:
            step["exchange_seconds"] += float((cut.vertices + cut.mirrors).max()) * times.place
    steps["seconds"] = steps["compute_seconds"] + steps["exchange_seconds"]
    return RanksPrediction(
        program=program.name,
        num_vertices=cut.num_vertices,
        num_edges=cut.num_edges,
        ranks=cut.size,
        strategy=strategy,
        network=network,
        supersteps=steps,
        one_rank_seconds=float((activity.edges * cut.num_edges) @ times.edge),
        memory_bytes=memory.largest(cut, activity),
        method=method,
        _again=lambda other: _prediction(program, cut, activity, is_exact, times, other, strategy, method),
    )


def _boxes(cut: Cut, activity: Activity, step: int, is_exact: bool, whole: Boxes) -> Boxes:
    if not activity.sends_changes:
        return whole
    if is_exact:
        return exchange.counted_boxes(activity.sent[step], activity.received[step])
    return exchange.some_values(cut, float(activity.values[step]), activity.value_bytes, bool(activity.are_same[step]))


def _copying(cut: Cut, activity: Activity, step: int, times: _Times) -> float:
    """Time in which a rank writes values into boxes, and reads those that arrive."""
    share = float(activity.values[step]) if activity.sends_changes else 1.0
    return float((cut.mirrors + cut.ghosts).max()) * share * times.value


def _whole(name: str, value: Any, most: int) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 1 <= value <= most:
        raise InputError(f"{name} is {value!r}; a whole number from 1 to {most} is needed")
    return int(value)


def _number(name: str, value: Any, *, least: float | None = None, above: float = 0.0) -> float:
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    allowed = f"above {above:g}" if least is None else f"of at least {least:g}"
    if not is_number or not math.isfinite(value) or value < (above if least is None else least) or value <= above:
        raise InputError(f"{name} is {value!r}; a number {allowed} is needed")
    return float(value)
