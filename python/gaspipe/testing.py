# SPDX-License-Identifier: Apache-2.0
"""Checks for test suites: the same question on several devices gives the same answer.

from gaspipe.testing import assert_devices_agree
assert_devices_agree(gp.bfs, graph, devices=["cpu", "emulator", "fpga"], root=0)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

from . import _core, _predict
from ._executors import AUTO
from ._result import Result
from ._verify import TOLERANCE, compare
from .graph import Graph, as_graph

__all__ = ["assert_devices_agree"]


def assert_devices_agree(
    algorithm: str | Callable[..., Result],
    graph: Any,
    devices: Sequence[str] = ("cpu", "emulator"),
    *,
    tolerance: float | None = None,
    options: dict[str, dict[str, Any]] | None = None,
    **arguments: Any,
) -> dict[str, Result]:
    """Run an algorithm on every device, never on another in its place, and compare each answer with the first's.

    A custom algorithm with `oracle=` is compared with that as well.

    All devices compute in the number format that the last of them chooses by itself (cards offer fewer), unless
    `number=` is among the arguments. Where that format is an integer or fixed point, every value must be the same.

    Parameters
    ----------
    algorithm : str, callable or Algorithm
        Name of an algorithm, or its function, e.g. `gp.bfs`; or one of your own.
    graph : Graph, or anything a Graph is made of
        As for the algorithm.
    devices : sequence of str
        Two or more different ones, e.g. `["cpu", "emulator:u250", "fpga"]`. "auto" is none of them: it may be any.
    tolerance : float, optional
        Largest L1 distance between floating-point answers, relative to the sum of the values; 1e-4 for float32 and
        1e-9 for float64 unless given. 0: the same bits.
    options : dict of dict, optional
        Further keywords for one of the devices, e.g. `{"emulator": {"execution": "shallow"}}`.
    **arguments
        The question, as the algorithm's function takes it.

    Returns
    -------
    dict of str to Result
        The answers, by device.

    Raises
    ------
    AssertionError
        Two devices differ, or a custom algorithm from its oracle; names them and the first vertex.
    DeviceError
        A device cannot be used; there is no falling back here.
    InputError
        For fewer than two devices, the same one twice, or arguments that the algorithm does not take.

    """
    run = _function(algorithm)
    names = list(devices)
    if isinstance(devices, str) or len(names) < 2 or len(set(names)) < len(names):
        raise _core.InputError(f"devices is {devices!r}; two or more different ones are compared")
    if AUTO in names:
        raise _core.InputError("devices has 'auto', which may be any device; name the one that is meant")
    unknown = set(options or {}) - set(names)
    given = set(arguments).union(*(options or {}).values())
    if unknown or given & {"device", "fallback"}:
        raise _core.InputError(
            "options are for the devices that are compared; device= and fallback= are not given here"
        )
    shared = graph if isinstance(graph, Graph) else as_graph(graph, True)
    answers: dict[str, Result] = {}
    for device in reversed(names):
        keywords = {**arguments, **(options or {}).get(device, {})}
        if answers and _takes(run, "number"):
            keywords.setdefault("number", answers[names[-1]].stats.number)
        result = run(shared, **keywords, device=device, fallback=False)
        ran = result.stats.device
        if ran != device.partition(":")[0]:
            raise AssertionError(f"asked for device={device!r}, but stats.device is {ran!r}")
        answers[device] = result
    first = answers[names[0]]
    own = _predict.own_algorithm(algorithm)
    if own is not None and own.has_oracle:
        had = {**arguments, **(options or {}).get(names[0], {})}
        asked = {name: had.get(name, default) for name, default in own.description.defaults.items()}
        comparison = own.verify(first, shared, asked)
        if not comparison.agrees:
            raise AssertionError(f"{own.name} on {names[0]} differs from {own.oracle.about}: {comparison.text}")
    for device in names[1:]:
        _compare(first, names[0], answers[device], device, tolerance)
    return {device: answers[device] for device in names}


def _function(algorithm: str | Callable[..., Result]) -> Callable[..., Result]:
    if callable(algorithm):
        own: Callable[..., Result] = getattr(algorithm, "function", algorithm)  # of a gp.Algorithm
        return own
    from . import _algorithms

    if algorithm not in _algorithms.algorithms:
        raise _core.InputError(f"algorithm is {algorithm!r}; known are {', '.join(_algorithms.algorithms)}")
    function: Callable[..., Result] = getattr(_algorithms, algorithm)
    return function


def _takes(run: Callable[..., Result], keyword: str) -> bool:
    code = getattr(run, "__code__", None)
    return code is None or keyword in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _compare(first: Result, name: str, other: Result, device: str, tolerance: float | None) -> None:
    number = first.stats.number
    if other.stats.number != number or other.stats.scale_bits != first.stats.scale_bits:
        raise AssertionError(
            f"{name} computed in {number}, scale {first.stats.scale_bits}, {device} in {other.stats.number}, "
            f"scale {other.stats.scale_bits}"
        )
    if tolerance is None:
        tolerance = TOLERANCE.get(number, 0)
    comparison = compare(other.values, first.values, tolerance, first.labels)
    if not comparison.agrees or other.values.dtype != first.values.dtype:
        raise AssertionError(f"{first.algorithm} on {device} differs from {name}: {comparison.text or 'another dtype'}")
