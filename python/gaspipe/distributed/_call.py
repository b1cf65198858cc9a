# SPDX-License-Identifier: Apache-2.0
"""A call of an algorithm on all ranks: checked on each, compared, and run."""

from __future__ import annotations

import pickle
import warnings
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core, _cost, _description, _device, _executors, _options, _vertices, _weighted
from .._core import InputError
from .._result import NotConvergedWarning, Result, Stats
from . import _devices
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
    """Run an algorithm; all ranks do so together. Rank 0 warns of what did not go as asked, unless silent."""
    world = graph.world
    with world.step():
        values, stats, missing = _run(graph, question, given)
        if len(values) != graph.num_own:  # every rank has the whole answer
            values = values[graph.own_ids]
        of_all = [pickle.loads(box) for box in bytes_of_all(world.communicator, pickle.dumps(stats))]
        result = DistributedResult(graph, question.name, question.field, values, Stats(joined(of_all)), question.answer)
    if world.rank == 0 and not is_silent:
        if missing:
            warnings.warn(missing, _device.DeviceFallbackWarning, stacklevel=6)
        if not result.stats.converged:
            warnings.warn(not_converged(question, result.stats), NotConvergedWarning, stacklevel=6)
    result._missing = missing
    return result


def _run(
    graph: DistributedGraph, question: Question, given: dict[str, Any]
) -> tuple[NDArray[Any], dict[str, Any], str]:
    """Return this rank's values and statistics, and where the CPU stood in for a card."""
    world = graph.world
    problem: Exception | None = None
    program: Any = None
    options = _core.RunOptions()
    arguments: dict[str, Any] = {}
    devices: list[str] = []
    asks_for_cards = False
    try:
        program, arguments, options, devices = _asked(graph, question, given)
        asks_for_cards = any(map(_devices.may_be_card, devices))
        if question.program is None or not asks_for_cards:
            program = _checked(graph, question, program, arguments, options)
    except Exception as error:
        problem = error
    world.agree(_what(graph, question, arguments, given), problem)
    if world.rank == 0:
        parameters = (question.description or _description.algorithms()[question.name]).parameters
        _cost.check(question.name, parameters, arguments, graph.num_edges, options, processes=world.size, stacklevel=6)
    if not asks_for_cards:
        return *_core.run_rank(program, graph._edges, arguments, options), ""
    algorithm = question.description or program
    with _devices.chosen(graph, devices, options, algorithm, arguments) as place:
        if question.program is not None:
            try:
                program = _checked(graph, question, program, arguments, place.options)
            except Exception as error:
                problem = error
            world.agree({}, problem)
        # No name for the card here: the traceback of an error would keep it open.
        found = _core.run_rank(program, graph._edges, arguments, place.options, **place.card())
        return *found, place.missing


def not_converged(question: Question, stats: Stats) -> str:
    """Say that a run has ended at its limit of super-steps, and what may help."""
    return f"{question.name} did not converge in {stats.num_supersteps} super-steps" + (
        question.at_limit or "; raise max_iter" + " or tol" * ("tol" in question.arguments)
    )


def _asked(
    graph: DistributedGraph, question: Question, given: dict[str, Any]
) -> tuple[str, dict[str, Any], _core.RunOptions, list[str]]:
    """Return the program's name, its arguments, the options of this rank, and the devices of all."""
    given = dict(given)
    for option in ("domains", "partitioning"):
        if given.get(option) is not None:
            raise InputError(f"{option}= is for a graph in one process; each rank of this one is a domain already")
    devices = _devices.taken(given, graph.world.size)
    if given.get("num_threads") is None:
        given["num_threads"] = graph.world.num_threads or None
    options = _options.read(**given).replace(device=devices[graph.world.rank])
    if options.device == _executors.AUTO:
        options = _device.Place.stand_in(options).options
    elif _has_no_kernels(options.device) and not all(map(_has_no_kernels, devices)):
        options = _device.without_execution(options)
    if options.method not in ("auto", "gas"):
        raise InputError(f"method is {options.method!r}; on ranks 'auto' and 'gas' are allowed")
    program = question.name
    arguments = question.arguments
    if question.program is None:
        parameters = _description.algorithms()[question.name].parameters
        arguments = _vertices.resolve(parameters, graph, arguments)
        program, arguments = _weighted.program_for(question.name, arguments, graph)
    return program, arguments, options, devices


def _has_no_kernels(device: str) -> bool:
    executor = _executors.executor_of(device)
    return executor is not None and not executor.has_kernels


def _checked(
    graph: DistributedGraph, question: Question, name: str, arguments: dict[str, Any], options: _core.RunOptions
) -> Any:
    """Return the program, for a rank's device, after a look at all that it is given."""
    program = name if question.program is None else question.program(options.device)
    _core.check_rank(program, graph._edges, arguments, options)
    return program


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
            value = list(value) if isinstance(value, (list, tuple)) else value
            what[f"option {key}"] = (
                value if isinstance(value, (str, int, float, list, type(None))) else repr(type(value))
            )
    return what
