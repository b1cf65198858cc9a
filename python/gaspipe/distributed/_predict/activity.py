# SPDX-License-Identifier: Apache-2.0
"""What a program does in its super-steps, from runs in this process: edges, values that change, seconds."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from numpy.typing import NDArray

from ... import _description
from ..._core import InputError
from ..._predict import own_algorithm
from ..._result import NotConvergedWarning, Result
from . import exchange
from .cut import Cut

if TYPE_CHECKING:
    from ...graph import Graph

_WARM_RUNS = 5  # after one that makes what the engine needs; of each super-step the fastest counts
_NUM_SUMS = 2  # words of 8 bytes; programs have one to three
_VALUE_SECONDS = 2e-9  # where nothing is sent


@dataclass(frozen=True, eq=False)
class Program:
    """A program that runs on ranks.

    Attributes
    ----------
    name : str
        What it is called.
    view : str
        The edges that it walks.
    call : callable
        call(graph, **options) runs it, with the arguments that were given.
    sends_changes : callable
        Whether ranks send what has changed only, by the number format of a run.
    reads_weights : callable
        Likewise, whether edges have weights.

    """

    name: str
    view: str
    call: Callable[..., Result]
    sends_changes: Callable[[str], bool]
    reads_weights: Callable[[str], bool]


@dataclass(frozen=True, eq=False)
class Activity:
    """Super-steps of a run in domains.

    Attributes
    ----------
    kinds : numpy.ndarray
        Of every super-step, as in `Stats.supersteps`.
    edges : numpy.ndarray
        Share of the edges that are looked at, by super-step; above 1 where some are looked at twice.
    values : numpy.ndarray
        Share of the ghosts whose values are sent, likewise.
    are_same : numpy.ndarray
        Whether these are one value for all, likewise.
    sent, received : numpy.ndarray
        Bytes in boxes, by super-step and domain, of this very run.
    edges_of_each : numpy.ndarray
        Edges likewise.
    value_bytes : int
        Bytes of a vertex's value.
    num_sums : int
        Words that ranks add up in a super-step.
    sends_changes : bool
        Whether only values that have changed are sent.
    weight_bytes : int
        Of an edge.

    """

    kinds: NDArray[np.str_]
    edges: NDArray[np.float64]
    values: NDArray[np.float64]
    are_same: NDArray[np.bool_]
    sent: NDArray[np.float64]
    received: NDArray[np.float64]
    edges_of_each: NDArray[np.float64]
    value_bytes: int
    num_sums: int
    sends_changes: bool
    weight_bytes: int


@dataclass(frozen=True, eq=False)
class Pace:
    """Time of the super-steps of a run on one rank, and of boxes between two.

    Attributes
    ----------
    kinds : numpy.ndarray
        Of every super-step.
    edges, seconds : numpy.ndarray
        Likewise, edges looked at and time.
    value_seconds : float
        Of a value that is written into a box, or read from one.
    place_seconds : float
        Of a vertex or mirror, once in a run that sends what has changed: a rank finds where its vertices are ghosts.

    """

    kinds: NDArray[np.str_]
    edges: NDArray[np.float64]
    seconds: NDArray[np.float64]
    value_seconds: float
    place_seconds: float

    def of(self, activity: Activity) -> NDArray[np.float64]:
        """Return the seconds per edge of every super-step of another run.

        Those of the same super-step, if both runs have the same ones; else of all super-steps of its kind.
        """
        if np.array_equal(self.kinds, activity.kinds):
            return np.asarray(self.seconds / np.maximum(self.edges, 1))
        found = np.empty(len(activity.kinds))
        for kind in np.unique(activity.kinds):
            alike = self.kinds == kind
            if not alike.any():
                alike[:] = True
            found[activity.kinds == kind] = self.seconds[alike].sum() / max(self.edges[alike].sum(), 1)
        return found


def program_of(program: Any, arguments: dict[str, Any]) -> Program:
    """Return a program by what `predict` takes; InputError where there is none."""
    own = own_algorithm(program)
    if own is not None:
        description, call = own.description, own
    else:
        import gaspipe

        known = {name: d for name, d in _description.algorithms().items() if name in gaspipe.__all__}
        name = program if isinstance(program, str) else getattr(program, "__name__", None)
        if name not in known or not (isinstance(program, str) or getattr(gaspipe, name) is program):
            raise InputError(
                f"program is {program!r}; allowed are {', '.join(map(repr, sorted(known)))}, functions of gaspipe "
                "(gp.bfs) and a gp.Algorithm"
            )
        description, call = known[name], getattr(gaspipe, name)
    for taken in ("domains", "device", "method", "partitioning"):
        if taken in arguments:
            raise InputError(f"{taken}= is not of a prediction; ranks run on the CPU, each on its part")

    def run(graph: Graph, **options: Any) -> Result:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConvergedWarning)
            return call(graph, **arguments, **options)

    def instance(number: str) -> Any:
        return next((i for i in description.instances if i.number == number), description.instances[0])

    return Program(
        name=description.name,
        view=description.view,
        call=run,
        sends_changes=lambda number: bool(instance(number).idempotent),
        reads_weights=lambda number: bool(instance(number).reads_weights),
    )


def activity_of(program: Program, graph: Graph, cut: Cut, strategy: Any) -> Activity:
    """Run a program on a graph in domains, and count."""
    domains = graph.domains(cut.size, strategy, view=program.view)
    stats = program.call(graph, domains=domains, num_threads=cut.size).stats
    steps = [report.supersteps for report in stats.domains]
    num_steps = min(map(len, steps))

    def column(name: str) -> NDArray[np.float64]:
        return np.stack([step[name][:num_steps] for step in steps], axis=1).astype(np.float64)

    ghosts = max(float(cut.ghosts.sum()), 1.0)
    instance = stats.number
    value_bytes = stats.domains[0].value_bytes
    values, sent = column("values_sent").sum(axis=1) / ghosts, column("bytes_sent")
    same = [
        exchange.have_same_values(cut, float(share), value_bytes, float(of_step.sum()))
        for share, of_step in zip(values, sent)
    ]
    return Activity(
        kinds=stats.supersteps["kind"][:num_steps],
        edges=column("edges").sum(axis=1) / max(cut.num_edges, 1),
        values=values,
        are_same=np.array(same, dtype=np.bool_),
        sent=sent,
        received=column("bytes_received"),
        edges_of_each=column("edges"),
        value_bytes=value_bytes,
        num_sums=_NUM_SUMS,
        sends_changes=program.sends_changes(instance),
        weight_bytes=_weight_bytes(graph) if program.reads_weights(instance) else 0,
    )


def pace_of(program: Program, graph: Graph, num_threads: int) -> Pace:
    """Run a program on one rank that has the whole graph, and on two for their boxes, and measure."""
    steps, kinds = _fastest(program, graph, 1, num_threads, "computing_seconds")
    value_seconds, place_seconds = _copying_of(program, graph)
    return Pace(
        kinds=kinds,
        edges=steps[0]["edges"].astype(np.float64),
        seconds=steps[0]["computing_seconds"].astype(np.float64),
        value_seconds=value_seconds,
        place_seconds=place_seconds,
    )


def _copying_of(program: Program, graph: Graph) -> tuple[float, float]:
    """Return the seconds of a value, and those of a vertex or mirror in the first super-step."""
    steps, _ = _fastest(program, graph, 2, 2, "exchanging_seconds")
    moved = np.sum([step["values_sent"] + step["values_received"] for step in steps], axis=0).astype(np.float64)
    spent = np.sum([step["exchanging_seconds"] for step in steps], axis=0)
    later = slice(1, None) if moved[1:].sum() > 0 else slice(None)
    if moved[later].sum() == 0:
        return _VALUE_SECONDS, 0.0
    per_value = float(spent[later].sum() / moved[later].sum())
    num_places = graph.num_vertices + sum(len(part.ghost_ids) for part in graph.domains(2, view=program.view))
    return per_value, max(0.0, float(spent[0] - moved[0] * per_value)) / num_places


def _fastest(program: Program, graph: Graph, size: int, num_threads: int, column: str) -> tuple[list[Any], Any]:
    """Return the super-steps of all domains, with the least of several runs in a column, and their kinds."""
    domains = graph.domains(size, view=program.view)
    found: list[list[Any]] = []
    kinds: Any = None
    for _ in range(1 + _WARM_RUNS):
        stats = program.call(graph, domains=domains, num_threads=num_threads).stats
        num_steps = min(len(report.supersteps) for report in stats.domains)
        if found and num_steps != len(found[0][0]):
            continue  # floating-point sums of another order of threads may end a step earlier
        found.append([report.supersteps[:num_steps] for report in stats.domains])
        kinds = stats.supersteps["kind"][:num_steps]
    best = [step.copy() for step in found[-1]]
    for rank, step in enumerate(best):
        step[column] = np.min([run[rank][column] for run in found[1:] or found], axis=0)
    return best, kinds


def _weight_bytes(graph: Graph) -> int:
    dtype = graph._core.weights_dtype
    return 0 if dtype is None else int(np.dtype(dtype).itemsize)
