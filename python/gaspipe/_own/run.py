# SPDX-License-Identifier: Apache-2.0
"""Runs a custom algorithm: the work behind its Python function."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import _call, _core, _executors, _laws
from .._description import Description
from .._executors import CPU
from .._result import AnyResult, Result
from ..graph import Graph, as_graph
from .arguments import Arguments
from .cpp import Definition
from .libraries import Libraries
from .question import AUTO, Question

_OF_CPP = (RuntimeError, ValueError, IndexError, OverflowError)  # what pybind11 makes of the standard's exceptions
_CALLERS = (_call.__name__, _laws.__name__)  # modules that call C++ which calls hooks


@contextlib.contextmanager
def naming_hooks(name: str) -> Iterator[None]:
    """Make what a hook of an algorithm throws a CrashError; errors of gaspipe and of Python pass."""
    try:
        yield
    except _OF_CPP as error:
        if type(error) not in _OF_CPP or not _raised_in(error).startswith(_CALLERS):
            raise
        text = "" if str(error) == "Caught an unknown exception!" else f": {error}"  # of what is no std::exception
        raise _laws.CrashError(f"a hook of {name} threw an exception{text}") from None


def _raised_in(error: Exception) -> str:
    """Name of the module that raised an error, or called the C++ that did."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return "" if at is None else str(at.tb_frame.f_globals.get("__name__", ""))


class Runner:
    """Runs of one algorithm.

    Attributes
    ----------
    tried : set of str
        Devices on which a first run has ended in a process of its own, where the author asks for that.

    """

    def __init__(
        self,
        definition: Definition,
        description: Description,
        arguments: Arguments,
        libraries: Libraries,
        timeout: float | None,
    ) -> None:
        self._definition = definition
        self._description = description
        self._arguments = arguments
        self._libraries = libraries
        self._timeout = timeout
        self.tried: set[str] = set()

    def call(
        self,
        name: str,
        field: str,
        graph: Any,
        arguments: dict[str, Any],
        **how: Any,
    ) -> AnyResult:
        """Do the work of the algorithm's function."""
        given = how.pop("device")
        are_several = isinstance(given, (list, tuple))
        devices = [self._checked(each, how) for each in (given if are_several else [given])]
        graph = as_graph(graph, False)
        passed = self._arguments.for_cpp(self._arguments.resolved(graph, arguments))
        for device in devices if self._timeout is not None else ():
            executor = _executors.executor_of(device)
            # What would hang a card hangs the CPU as well.
            tried = CPU if executor is None or executor.needs_card else device
            if tried not in self.tried:
                with naming_hooks(name):
                    self._try(graph, passed, tried, how)
        at_limit = _at_limit(graph, arguments, self._arguments.question)
        own = _call.Own(self._description, self._libraries.program, at_limit, self._libraries.header)
        with naming_hooks(name):
            result = _call.call(
                name,
                field,
                graph,
                passed,
                answer=AnyResult,
                own=own,
                device=devices if are_several else devices[0],
                number=self._definition.prop,
                **how,
            )
        self.check_scale(result)
        return result

    def _checked(self, device: str, how: dict[str, Any]) -> str:
        """Check that the hooks can run on a device; returns what stands in for "auto" where they cannot be hardware."""
        _executors.check(device, how["xclbin"])
        executor = _executors.executor_of(device)
        if executor is None:
            if self._libraries.faults:
                how["xclbin"] = None
                return CPU
        elif executor.needs_card:
            self._libraries.check_hardware(device)
        return device

    def check_scale(self, result: Result) -> None:
        """Raise CapacityError for an answer in another scale than the author's."""
        scale = self._definition.scale
        if scale is not None and result.stats.scale_bits != scale:
            raise _core.CapacityError(
                f"{self._definition.name}: a value left the fixed-point format of scale {scale}; scale "
                f"{result.stats.scale_bits} or 'auto' would hold it"
            )

    def _try(self, graph: Graph, passed: dict[str, Any], device: str, how: dict[str, Any]) -> None:
        """Make the first run on a device in a process of its own."""
        assert self._timeout is not None
        csr = graph.num_vertices, graph.indptr, graph.indices, graph.weights
        passed_on = {"method": how["method"]}
        if _core.find_executor(device).has_kernels:
            passed_on["execution"] = how["execution"]
        options = {"device": device, "number": self._definition.prop, **passed_on}
        attempt = self._libraries.path(device), self._definition.name, csr, passed, options
        _laws.call_isolated(f"{self._definition.name} with device={device!r}", "laws:attempt", attempt, self._timeout)
        self.tried.add(device)


def _at_limit(graph: Graph, arguments: dict[str, Any], question: Question) -> str:
    """What to say of a run that reaches the limit; nothing where that is the caller's, or the author's."""
    if arguments["max_iter"] != AUTO or "max_iter" in question.limits:
        return ""
    return (
        f", the default limit for {graph.num_vertices:,} vertices; applyFunc may never come to rest: end the run "
        'with until=("steps", n), or give max_iter= where it does need more (None: no limit)'
    )
