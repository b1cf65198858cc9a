# SPDX-License-Identifier: Apache-2.0
"""Arguments of a call of a custom algorithm: checked, and made what callables and C++ receive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .. import _vertices
from .._core import InputError
from .._description import Parameter
from .._inputs import refuse_masked
from ..graph import Graph
from .callables import Required, names_of
from .cpp import Definition
from .question import Question, limit_of


class Arguments:
    """What an algorithm makes of the arguments of its calls.

    Attributes
    ----------
    question : Question
        What calls may ask.

    """

    def __init__(self, definition: Definition, question: Question, parameters: Sequence[Parameter]) -> None:
        self._definition = definition
        self.question = question
        self._parameters = parameters
        self._name = definition.name

    def of_run(self, graph: Graph, given: dict[str, Any]) -> dict[str, Any]:
        """Return what a run has whose other arguments are the defaults."""
        defaults = {p.name: p.default for p in self._parameters}
        for key in given:
            if key not in defaults:
                raise InputError(f"{self._name} has no parameter {key!r}; it has {', '.join(defaults)}")
        return self.resolved(graph, {**defaults, **given})

    def for_cpp(self, resolved: dict[str, Any]) -> dict[str, Any]:
        """Return those of a run's arguments that C++ receives."""
        return {k: v for k, v in resolved.items() if k not in self.question.python}

    def resolved(self, graph: Graph, arguments: dict[str, Any]) -> dict[str, Any]:
        """Check arguments, and make those that a run has: arrays where C++ receives some, a number for `max_iter`."""
        name, arguments = self._name, _vertices.resolve(self._parameters, graph, arguments)
        for key, value in arguments.items():
            if value is Required and key not in self.question.vectors:
                raise InputError(f"{name} needs {key}=")
        values = {k: v for k, v in arguments.items() if k not in self.question.vectors}
        for key, origin in self.question.vectors.items():
            given = arguments.get(key)
            if given is None or given is Required:
                given = self._evaluate(origin, graph, values, key) if callable(origin) else origin
            if given is None:
                raise InputError(f"{name} needs {key}=, an array with one number per vertex")
            arguments[key] = self._array(key, given, graph)
        if not self.question.has_fixed_length:
            arguments["max_iter"] = limit_of(arguments["max_iter"], self.question, graph.num_vertices)
        return arguments

    def _evaluate(self, function: Callable[..., Any], graph: Graph, values: dict[str, Any], what: str) -> Any:
        wanted = names_of(function)
        for p in self._parameters:
            value: Any = values.get(p.name)
            is_vertex = p.kind == "vertex" and p.name in wanted and isinstance(value, (int, np.integer))
            if is_vertex and not 0 <= value < graph.num_vertices:
                raise InputError(
                    f"{p.name} is {value}; the graph's {graph.num_vertices} vertices allow 0 to "
                    f"{graph.num_vertices - 1}"
                )
        found = function(graph, **{k: v for k, v in values.items() if k in wanted})
        if found is None:
            raise InputError(f"{what} of {self._name} returned None; an array with one number per vertex is needed")
        return found

    def _array(self, key: str, value: Any, graph: Graph) -> NDArray[Any]:
        """Return an array of the type in which C++ receives it: every number must be one of that type."""
        n = graph.num_vertices
        if isinstance(value, Mapping):
            value = _vertices.by_vertex(f"{key} of {self._name}", value, graph, missing=None)
        refuse_masked(f"{key} of {self._name}", value)
        try:
            found = np.asarray(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"{key} of {self._name} cannot be read as an array: {error}") from None
        if found.dtype.kind not in "biuf":
            raise InputError(f"{key} of {self._name} has dtype {found.dtype}; real numbers are needed")
        if found.ndim == 0:
            found = np.full(n, found)
        if found.shape != (n,):
            raise InputError(f"{key} of {self._name} has shape {found.shape}; the graph's {n} vertices need ({n},)")
        wanted = np.dtype("float64" if self._definition.is_fixed else self._definition.prop)
        if self._definition.is_fixed:
            bad = ~((found >= 0) & np.isfinite(found))
        elif wanted.kind == "f":
            return np.ascontiguousarray(found, wanted)
        elif found.dtype.kind == "f":
            info = np.iinfo(wanted)
            # 2**63 is a double, 2**63 - 1 is not: compare with what lies past the end.
            bad = ~((found >= float(info.min)) & (found < float(info.max) + 1.0) & (found == np.trunc(found)))
        else:
            info = np.iinfo(wanted)
            bad = np.zeros(n, bool)
            if found.dtype.kind == "i" and np.iinfo(found.dtype).min < info.min:
                bad |= found < info.min
            if found.dtype.kind != "b" and np.iinfo(found.dtype).max > info.max:
                bad |= found > info.max
        if bad.any():
            v = int(np.flatnonzero(bad)[0])
            what = "fixed point, which needs finite numbers >= 0" if self._definition.is_fixed else str(wanted)
            hint = '; prop="float64" holds it' if wanted.kind != "f" and found[v] != np.trunc(found[v]) else ""
            raise InputError(f"{key}[{v}] of {self._name} is {found[v]}, which is no {what}{hint}")
        return np.ascontiguousarray(found, wanted)
