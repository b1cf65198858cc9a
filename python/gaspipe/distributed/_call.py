# SPDX-License-Identifier: Apache-2.0
"""A call of an algorithm on all ranks: checked on each, compared, and run."""

from __future__ import annotations

import pickle
import warnings
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np

from .. import _core, _description, _device, _executors, _options, _vertices, _weighted
from .._core import InputError
from .._result import NotConvergedWarning, Result, Stats
from ._collective import bytes_of_all
from ._result import DistributedResult
from ._stats import joined

if TYPE_CHECKING:
    from .._description import Description
    from ._graph import DistributedGraph


class Question(NamedTuple):
    """What is asked: an algorithm, its arguments, and what its answer is called."""

    name: str
    field: str
    arguments: dict[str, Any]
    answer: type[Result]
    description: Description | None = None  # of a custom algorithm
    program: Callable[[str], _core.Program] | None = None  # likewise, loaded for a device
    text: str = ""  # likewise, all that it is made of
    at_limit: str = ""


def call(
    graph: DistributedGraph, question: Question, given: dict[str, Any], *, is_silent: bool = False
) -> DistributedResult:
    """Run an algorithm; all ranks do so together. Rank 0 warns of what does not converge, unless silent."""
    world = graph.world
    with world.step():
        problem: Exception | None = None
        program: Any = None
        options: Any = None
        arguments: dict[str, Any] = {}
        try:
            program, arguments, options = _prepared(graph, question, given)
        except Exception as error:
            problem = error
        world.agree(_what(graph, question, arguments, given), problem)
        values, stats = _core.run_rank(program, graph._edges, arguments, options)
        if len(values) != graph.num_own:  # every rank has the whole answer
            values = values[graph.own_ids]
        of_all = [pickle.loads(box) for box in bytes_of_all(world.communicator, pickle.dumps(stats))]
        result = DistributedResult(graph, question.name, question.field, values, Stats(joined(of_all)), question.answer)
    if not result.stats.converged and world.rank == 0 and not is_silent:
        warnings.warn(not_converged(question, result.stats), NotConvergedWarning, stacklevel=5)
    return result


def not_converged(question: Question, stats: Stats) -> str:
    """Say that a run has ended at its limit of super-steps, and what may help."""
    return f"{question.name} did not converge in {stats.num_supersteps} super-steps" + (
        question.at_limit or "; raise max_iter" + " or tol" * ("tol" in question.arguments)
    )


def _prepared(
    graph: DistributedGraph, question: Question, given: dict[str, Any]
) -> tuple[Any, dict[str, Any], _core.RunOptions]:
    """Return the program, its arguments and options, all checked."""
    given = dict(given)
    for option in ("domains", "partitioning"):
        if given.get(option) is not None:
            raise InputError(f"{option}= is for a graph in one process; each rank of this one is a domain already")
    device = given.get("device", "cpu")
    if not isinstance(device, str):
        raise InputError(f"device is {device!r}; on ranks one device is allowed, each rank's own")
    if _executors.is_card(device):
        raise InputError(f"device is {device!r}; ranks run on 'cpu' and 'emulator'")
    if device == "auto":
        given["device"] = "cpu"
    if given.get("num_threads") is None:
        given["num_threads"] = graph.world.num_threads or None
    options = _options.read(**given)
    if options.method not in ("auto", "gas"):
        raise InputError(f"method is {options.method!r}; on ranks 'auto' and 'gas' are allowed")
    program: Any = question.name
    arguments = question.arguments
    if question.program is None:
        parameters = _description.algorithms()[question.name].parameters
        arguments = _vertices.resolve(parameters, graph, arguments)
        program, arguments = _weighted.program_for(question.name, arguments, graph)
    with _device.choose(options, question.description or program, graph, arguments) as place:
        options = place.options
    if question.program is not None:
        program = question.program(options.device)
    _core.check_rank(program, graph._edges, arguments, options)
    return program, arguments, options


def _what(
    graph: DistributedGraph, question: Question, arguments: dict[str, Any], given: dict[str, Any]
) -> dict[str, Any]:
    """Return what must be equal on all ranks."""
    what: dict[str, Any] = {
        "version of gaspipe": _core.__version__,
        "algorithm": question.name,
        "number of vertices": graph.num_vertices,
        "number of edges": graph.num_edges,
        "type of weights": str(graph._core.weights_dtype),
    }
    if question.text:
        what["hooks of the algorithm"] = question.text
    for key, value in sorted(arguments.items()):
        what[f"argument {key}"] = np.asarray(value) if isinstance(value, (list, tuple)) else value
    for key, value in sorted(given.items()):
        if key not in ("num_threads", "progress"):
            what[f"option {key}"] = value if isinstance(value, (str, int, float, type(None))) else repr(type(value))
    return what
