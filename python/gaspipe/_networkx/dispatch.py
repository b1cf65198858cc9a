# SPDX-License-Identifier: Apache-2.0
"""What NetworkX asks the backend: which functions there are, whether one can and should run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import Any, Callable, TypeVar

import networkx as nx

from _gaspipe_networkx import NOT_OFFERED, OFFERED

from .._core import Error
from .convert import changed_reading, convert_from_nx, convert_to_nx
from .graph import GaspipeGraph

_Function = TypeVar("_Function", bound=Callable[..., Any])
Reason = Callable[[Mapping[str, Any]], "str | None"]

# Below as many edges a call of NetworkX's own takes less time than a conversion and the answer.
SOME_EDGES = 2000

_registered: dict[str, tuple[Callable[..., Any], inspect.Signature, Reason]] = {}


def always(_: Mapping[str, Any]) -> str | None:
    """Accept every call."""
    return None


def answers(unless: Reason = always) -> Callable[[_Function], _Function]:
    """Register a function of NetworkX's name and signature. `unless` tells why a call cannot run."""

    def register(function: _Function) -> _Function:
        name = function.__name__

        @functools.wraps(function)
        def called(G: Any, *args: Any, **kwargs: Any) -> Any:
            G = convert_from_nx(G)
            if len(G) == 0:  # gp.Graph has a vertex; NetworkX has errors and answers for none
                own = getattr(nx, name, None) or getattr(nx.community, name)
                return own(convert_to_nx(G), *args, **kwargs, backend="networkx")
            try:
                return function(G, *args, **kwargs)
            except Error as error:
                raise NotImplementedError(f"gaspipe cannot answer {name}: {error}") from error

        _registered[name] = (called, inspect.signature(function), unless)
        return function

    return register


def adds_parallel_edges(arguments: Mapping[str, Any]) -> str | None:
    """Refuse multigraphs where NetworkX adds up parallel edges, with weights or without."""
    if not arguments["G"].is_multigraph():
        return None
    return (
        "NetworkX adds up the parallel edges of a multigraph, which gaspipe takes as one; "
        "pass a Graph or DiGraph whose weights are the sums"
    )


def _has_several_weights(arguments: Mapping[str, Any]) -> str | None:
    if arguments.get("weight") is None or not arguments["G"].is_multigraph():
        return None
    return "parallel edges of a multigraph have several weights; pass weight=None, or a graph without parallel edges"


def can_run(name: str, args: Any, kwargs: Any) -> bool | str:
    """Whether a call can be answered; if not, why."""
    _, signature, unless = _registered[name]
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        return f"gaspipe's {name} takes {signature}: {error}"
    bound.apply_defaults()
    arguments = bound.arguments
    if callable(arguments.get("weight")):
        return "weight= is a function; gaspipe reads weights from an edge attribute, so give the attribute's name"
    graph = arguments["G"]
    reason = None if isinstance(graph, GaspipeGraph) else changed_reading(graph)
    reason = reason or unless(arguments) or _has_several_weights(arguments)
    return True if reason is None else reason


def should_run(name: str, args: Any, kwargs: Any) -> bool | str:
    """Whether a call is large enough to gain from conversion; if not, why."""
    graph = args[0] if args else kwargs["G"]
    if isinstance(graph, GaspipeGraph) or _is_converted(graph):
        return True
    edges = graph.number_of_edges()
    if edges < SOME_EDGES:
        return f"{edges} edges are fewer than {SOME_EDGES}, from which on a conversion pays"
    if kwargs.get("nodes") is not None or kwargs.get("u") is not None:
        return "asks about a few nodes, which takes less time than a conversion"
    return True


def _is_converted(graph: Any) -> bool:
    cache = getattr(graph, "__networkx_cache__", None) or {}
    return bool(cache.get("backends", {}).get("gaspipe"))


# Tests of NetworkX that the backend cannot pass by design, by the end of their names, and why.
SKIPPED_TESTS: dict[str, str] = {}


def on_start_tests(items: Any) -> None:
    """Mark those of NetworkX's own tests that cannot pass, when its suite runs with this backend."""
    import pytest

    for item in items:
        for end, reason in SKIPPED_TESTS.items():
            if item.nodeid.endswith(end):
                item.add_marker(pytest.mark.skip(reason=f"gaspipe: {reason}"))


def functions() -> dict[str, dict[str, str]]:
    """Return the tables of the documentation: {"offered": {name: text}, "not offered": {name: reason}}."""
    offered = {name: algorithm + (f"; {note}" if note else "") for name, (algorithm, note) in OFFERED.items()}
    return {"offered": offered, "not offered": dict(NOT_OFFERED)}


class Backend:
    """The functions of the backend as attributes, as NetworkX looks for them."""

    convert_from_nx = staticmethod(convert_from_nx)
    convert_to_nx = staticmethod(convert_to_nx)
    can_run = staticmethod(can_run)
    should_run = staticmethod(should_run)
    on_start_tests = staticmethod(on_start_tests)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in _registered:
            return _registered[name][0]
        raise AttributeError(f"gaspipe has no function {name!r} of NetworkX")

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *_registered])


backend = Backend()
