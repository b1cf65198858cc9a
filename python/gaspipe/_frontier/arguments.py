# SPDX-License-Identifier: Apache-2.0
"""Reads what gp.FrontierEngine is given."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .._inputs import refuse_masked
from .._own import read_file
from .dtypes import value_type

_KEYWORDS = {"dst", "src", "functor", "driver", "front", "device", "max_iter", "progress"}
LEVELS = {"error": 0, "warning": 1, "info": 2, "debug": 3}


def read(name: str, source: Any) -> tuple[str, str]:
    """Text of a source, and what compilers call it."""
    if isinstance(source, os.PathLike):
        return read_file(source), os.path.basename(os.fspath(source))
    if not isinstance(source, str):
        raise InputError(f"source is of type {type(source).__name__}; C++ text or a path (pathlib.Path) is needed")
    return source, f"{name}.cpp"


def parameter_type(parameters: Mapping[str, Any] | None) -> np.dtype[Any] | None:
    if not parameters:
        return None
    if not isinstance(parameters, Mapping):
        raise InputError(f"parameters is {parameters!r}; a dict of numbers by name is needed")
    types = {bool: "?", int: "i8", float: "f8"}
    fields = []
    for name, value in parameters.items():
        if name in _KEYWORDS:
            raise InputError(f"a parameter cannot be called {name!r}; calls take that name themselves")
        if type(value) not in types and not isinstance(value, np.generic):
            raise InputError(f"parameters[{name!r}] is {value!r}; a bool, an int, a float or a NumPy number is needed")
        fields.append((name, types.get(type(value)) or value.dtype))
    return value_type(fields, "parameters")


def parameter_values(
    dtype: np.dtype[Any] | None, given: dict[str, Any], defaults: NDArray[Any] | None = None
) -> NDArray[Any] | None:
    if dtype is None:
        return None
    values = np.zeros((), dtype) if defaults is None else defaults.copy()
    for name, value in given.items():
        if name not in (dtype.names or ()):
            raise InputError(f"{name!r} is no parameter; there are {', '.join(dtype.names or ())}")
        values[name] = one_value(value, dtype[name], name)
    return values


def of_program(dtype: np.dtype[Any] | None, given: dict[str, Any]) -> dict[str, Any]:
    """Return those of some keywords that are parameters of the program."""
    return {name: value for name, value in given.items() if dtype is not None and name in (dtype.names or ())}


def one_value(value: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    """Return one value of a type; InputError where it does not fit."""
    found = np.zeros((), dtype)
    if dtype.names is not None:
        if isinstance(value, (np.void, np.ndarray)) and value.dtype.names == dtype.names and value.ndim == 0:
            value = value.item()
        if not isinstance(value, tuple) and np.isscalar(value) and value == 0:
            return found
        if not isinstance(value, tuple) or len(value) != len(dtype.names):
            raise InputError(
                f"{what} is {value!r}; a tuple with a value for each of {', '.join(dtype.names)} is needed"
            )
        for name, part in zip(dtype.names, value):
            found[name] = one_value(part, dtype[name], f"{what}[{name!r}]")
        return found
    refuse_masked(what, value)
    try:
        with np.errstate(all="ignore"):
            given, made = np.asarray(value), np.asarray(value).astype(dtype.base)
            found = np.broadcast_to(made, dtype.shape).astype(dtype.base)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what} is {value!r}, which is no {dtype}: {error}") from None
    if given.dtype.kind not in "biuf":
        raise InputError(f"{what} is {value!r}, which is no {dtype}")
    is_finite = np.isfinite(given)
    fits = np.isfinite(made) | ~is_finite if dtype.base.kind == "f" else is_finite & (made == given)
    if not np.all(fits):
        raise InputError(f"{what} is {value!r}, which does not fit {dtype}")
    return found


def choice(what: str, given: Any, known: dict[str, int]) -> int:
    if not isinstance(given, str) or given not in known:
        raise InputError(f"{what} is {given!r}; allowed are {', '.join(map(repr, known))}")
    return known[given]


def integer(what: str, given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        raise InputError(f"{what} is {given!r}; an integer is needed")
    return int(given)


def logger(log: Any) -> Callable[[int, str], object] | None:
    if log is None:
        return None
    if not callable(log):
        raise InputError(f"log is {log!r}; a callable (level, text) is needed")
    names = list(LEVELS)
    return lambda level, text: log(names[level], text)
