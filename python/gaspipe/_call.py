# SPDX-License-Identifier: Apache-2.0
"""The one path from an algorithm's Python function to the engine."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, NamedTuple, TypeVar

from . import _core, _description, _device, _product, _vertices, _weighted
from ._description import Description
from ._result import NotConvergedWarning, Result, Stats
from ._threads import thread_count
from .graph import Graph, as_graph

Progress = Callable[[int, int, int], object]
_Answer = TypeVar("_Answer", bound=Result)


class Own(NamedTuple):
    """An algorithm of the user's."""

    description: Description
    program: Callable[[str], _core.Program]  # loaded for a device
    at_limit: str = ""  # what to say of a run that reached the default limit of super-steps


_PRECISION = {"double": "float64", "single": "float32"}


def call(
    name: str,
    field: str,
    graph: Any,
    arguments: dict[str, Any],
    *,
    answer: type[_Answer],
    rectangular: bool = False,
    number: str = "auto",
    precision: str | None = None,
    device: str,
    xclbin: str | os.PathLike[str] | None,
    execution: str,
    method: str,
    num_threads: int | None,
    partitioning: _core.Partitioning | None,
    scheduler: str,
    progress: Progress | None,
    fallback: bool,
    own: Own | None = None,
    prediction: dict[str, Any] | None = None,
) -> _Answer:
    """Run the algorithm `name`, or one of the user's; see the docstrings of the functions that call this.

    Vertices among the arguments are as users name them; those of the user's own algorithms are ids already.
    """
    _device.check(device, xclbin)
    g: Graph = as_graph(graph, rectangular, num_threads)
    if precision is not None:
        if precision not in _PRECISION:
            raise _core.InputError(f"precision is {precision!r}; allowed are 'double' and 'single'")
        if number != "auto":
            raise _core.InputError("number= and precision= say the same thing; give one of them")
        number = _PRECISION[precision]
    if not all(isinstance(text, str) for text in (number, method, execution, scheduler)):
        raise _core.InputError("number, method, execution and scheduler must be strings")
    if partitioning is not None and not isinstance(partitioning, _core.Partitioning):
        raise _core.InputError("partitioning must come from Graph.partition()")
    if progress is not None and not callable(progress):
        raise _core.InputError("progress must be callable: progress(step, active_vertices, edges)")
    is_uint64 = False
    if rectangular and number == "auto":
        number, arguments, is_uint64 = _product.words(graph, g, arguments)
    threads = thread_count(num_threads)
    program = name
    if own is None:
        arguments = _vertices.resolve(_description.algorithms()[name].parameters, g, arguments)
        program, arguments = _weighted.program_for(name, arguments, g)
    algorithm = program if own is None else own.description
    frames = 3 if own is None else 4  # from here to the caller
    asked: dict[str, Any] = {} if prediction is None else {"prediction": prediction}
    with _device.choose(device, fallback, algorithm, g, arguments, number, xclbin, frames + 1) as place:
        # No name for the card here: the traceback of an error would keep it open.
        values, stats = _core.run(
            program if own is None else own.program(place.device),
            g._core,
            arguments,
            place.device,
            execution,
            place.number,
            method,
            threads,
            partitioning,
            progress,
            **_device.options(place, scheduler),
            **asked,
        )
    if is_uint64:
        values = values.view("uint64")
    result = answer(name, field, values, Stats(stats), g.labels)
    if not result.stats.converged:
        warnings.warn(
            f"{name} did not converge in {result.stats.num_supersteps} super-steps"
            + ((own and own.at_limit) or "; raise max_iter" + " or tol" * ("tol" in arguments)),
            NotConvergedWarning,
            stacklevel=frames,
        )
    return result
