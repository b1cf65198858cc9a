# SPDX-License-Identifier: Apache-2.0
"""The one path from an algorithm's Python function to the engine."""

from __future__ import annotations

import warnings
from typing import Any, Callable, NamedTuple, TypeVar, cast

from . import (
    _core,
    _cost,
    _description,
    _device,
    _domain_options,
    _executors,
    _options,
    _pe_array,
    _product,
    _progress,
    _vertices,
    _weighted,
)
from ._description import Description
from ._flags import flag
from ._result import NotConvergedWarning, Result, Stats
from .graph import Graph, as_graph

Progress = _progress.OfSteps
Phases = _progress.OfPhases
_Answer = TypeVar("_Answer", bound=Result)


class Own(NamedTuple):
    """A custom algorithm."""

    description: Description
    program: Callable[[str, bool], _core.Program]  # loaded for a device, and for the CPU as well
    at_limit: str = ""  # what to say of a run that reached the default limit of super-steps
    text: str = ""  # all that tells it from another algorithm


def call_cpu(
    name: str,
    graph: Any,
    arguments: dict[str, Any],
    *,
    answer: type[_Answer],
    progress: _progress.FileProgress = None,
    **given: Any,
) -> _Answer:
    """Run an algorithm of the CPU, or kernels or blocks that find its answer. `given` are options of a run."""
    description = _description.cpu_algorithms()[name]
    options = _options.read(**given)
    kernels = description.kernels or (name if options.design == _device.GRAPHOPS and description.has_blocks else "")
    if options.device == _executors.AUTO and not kernels:  # no card has any
        options = options.replace(device=_executors.CPU)
    g: Graph = as_graph(graph, False, options.num_threads)
    g._square(name)
    arguments = _vertices.resolve(description.parameters, g, arguments)
    with _progress.of_phases(name, progress) as told:
        if kernels:
            with _device.choose(options, kernels, g, {}) as place:
                fields, stats, remedy = _core.run_cpu(
                    name, g._core, arguments, place.options, **place.card(), progress=told
                )
        else:
            fields, stats, remedy = _core.run_cpu(name, g._core, arguments, options, progress=told)
    values = fields.pop(description.field)
    kind = g._vertex_type
    result = answer(name, description.field, values, Stats(stats), g.labels, fields, description.fields, kind)
    if not result.stats.converged:
        text = f"{name} did not converge in {arguments['max_iter']} steps; {remedy}"
        warnings.warn(text, NotConvergedWarning, stacklevel=3)
    return result


_PRECISION = {"double": "float64", "single": "float32"}


def _number_of(precision: Any, number: str) -> str:
    if precision not in _PRECISION:
        raise _core.InputError(f"precision is {precision!r}; allowed are 'double' and 'single'")
    if number != "auto":
        raise _core.InputError("number= and precision= say the same thing; give one of them")
    return _PRECISION[precision]


def call(
    name: str,
    field: str,
    graph: Any,
    arguments: dict[str, Any],
    *,
    answer: type[_Answer],
    rectangular: bool = False,
    precision: str | None = None,
    own: Own | None = None,
    prediction: dict[str, Any] | None = None,
    paths: bool = False,
    **given: Any,
) -> _Answer:
    """Run the algorithm `name`, or a custom one; see the docstrings of the functions that call this.

    Vertices among the arguments are as users name them; those of custom algorithms are ids already. `given` are options
    of the core's table.
    """
    progress = given.get("progress")
    if isinstance(progress, bool) and isinstance(graph, Graph) and not graph._shows_progress:
        progress = None
    with _progress.of_steps(name, progress) as given["progress"]:
        return _called(name, field, graph, arguments, answer, rectangular, precision, own, prediction, paths, given)


def _called(
    name: str,
    field: str,
    graph: Any,
    arguments: dict[str, Any],
    answer: type[_Answer],
    rectangular: bool,
    precision: str | None,
    own: Own | None,
    prediction: dict[str, Any] | None,
    paths: bool,
    given: dict[str, Any],
) -> _Answer:
    if isinstance(graph, Graph) and graph._is_spread:
        if prediction is not None or paths:
            raise _core.InputError("predictions and paths need the graph in one process; this one is spread over ranks")
        if precision is not None:
            given["number"] = _number_of(precision, given.get("number", "auto"))
        _options.check_folders(given)
        loaded = None if own is None else own.program
        description, text, at_limit = (None, "", "") if own is None else (own.description, own.text, own.at_limit)
        return cast(
            _Answer, graph._run_on_ranks(name, field, arguments, answer, description, loaded, text, at_limit, given)
        )
    domains, devices = _domain_options.taken(given)
    if name in _description.PATHS:
        flag(_description.PATHS[name].option, paths)
    options = _options.read(**given)
    number = options.number
    has_weights = own is not None or _weighted.may_read(name, arguments)
    g: Graph = as_graph(graph, rectangular, options.num_threads, has_weights=has_weights)
    if not rectangular:
        g._square(name)
    cut = _domain_options.of(g, domains)
    if precision is not None:
        number = _number_of(precision, number)
    is_uint64 = False
    if rectangular and number == "auto":
        number, arguments, is_uint64 = _product.words(graph, g, arguments)
    program = name
    if own is None:
        arguments = _vertices.resolve(_description.algorithms()[name].parameters, g, arguments)
        program, arguments = _weighted.program_for(name, arguments, g)
    algorithm = program if own is None else own.description
    frames = 4 if own is None else 5  # from here to the caller
    if prediction is not None or cut is not None or number != options.number:
        options = options.replace(number=number, prediction=prediction, domains=cut)
    parameters = _description.algorithms()[name].parameters if own is None else own.description.parameters
    _cost.check(
        name, parameters, arguments, g.num_edges, options, is_predicted=prediction is not None, stacklevel=frames
    )
    if own is None and options.method in _pe_array.METHODS.get(name, ()):
        if cut is not None:
            raise _core.InputError(f"method {options.method!r} has workers, not domains; omit domains=")
        values, stats = _pe_array.run(name, program, g, arguments, options, frames + 2, paths=paths)
    else:
        with _device.choose_each(options, devices, algorithm, g, arguments, frames + 2) as place:
            # No name for the card here: the traceback of an error would keep it open. A kernel that searches for any
            # program leaves its hooks to the host, as in the emulator.
            device = place.options.device
            if device == _executors.CARD and options.method == _device.DIRECTION_OPTIMIZING:  # a search
                device = _executors.PREDICTING
            values, stats = _core.run(
                program if own is None else own.program(device, place.has_cpu),
                g._core,
                arguments,
                place.options,
                **place.card(),
            )
    if is_uint64:
        values = values.view("uint64")
    fields = _description.algorithms()[name].answers if own is None else ()
    result = answer(name, field, values, Stats(stats), g.labels, fields=fields, vertex_type=g._vertex_type)
    if paths:
        offer = _description.PATHS[name]
        result.__dict__[offer.field] = _core.predecessors(g._core, values, arguments["root"], options.num_threads or 0)
    if not result.stats.converged:
        warnings.warn(
            f"{name} did not converge in {result.stats.num_supersteps} super-steps"
            + ((own and own.at_limit) or "; raise max_iter" + " or tol" * ("tol" in arguments)),
            NotConvergedWarning,
            stacklevel=frames,
        )
    return result
