# SPDX-License-Identifier: Apache-2.0
"""Custom algorithms as functions of gaspipe: gp.<name>."""

from __future__ import annotations

import importlib.util
import sys
from typing import Callable

from .._core import InputError
from .._flags import flag
from .._registered import algorithms as registered
from .._result import AnyResult
from .algorithm import Algorithm

_PACKAGE = __package__.rpartition(".")[0]  # gaspipe


def register(algorithm: Algorithm, *, replace: bool = False) -> Callable[..., AnyResult]:
    """Make an algorithm `gp.<name>`, and a command of `gaspipe` in this process.

    A command line of its own finds it as `gaspipe file.py::<name>`.

    Parameters
    ----------
    algorithm : Algorithm
        The algorithm.
    replace : bool
        Whether it may take the place of one registered before under the same name.

    Returns
    -------
    callable
        The function that is now `gp.<name>`; type checkers find it under the name that it is given here.

    Raises
    ------
    InputError
        If the name is taken, by a built-in algorithm, by another part of gaspipe, or by one registered before.

    """
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"register() takes a gp.Algorithm, found {type(algorithm).__name__}")
    replace = flag("replace", replace)
    package = sys.modules[_PACKAGE]
    name = algorithm.name
    if name in registered:
        if registered[name] is not algorithm and not replace:
            raise InputError(f"gp.{name} is registered already; use replace=True, or another name")
        unregister(name)
    elif is_taken(name):
        raise InputError(f"gp.{name} is a part of gaspipe; choose another name")
    registered[name] = algorithm
    setattr(package, name, algorithm.function)
    package.algorithms = (*package.algorithms, name)  # type: ignore[attr-defined]
    return algorithm.function


def is_taken(name: str) -> bool:
    """Whether gp.<name> is something already, or a module that is not imported yet."""
    module = None if "." in name else importlib.util.find_spec(f"{_PACKAGE}.{name}")
    return hasattr(sys.modules[_PACKAGE], name) or (module is not None and module.origin is not None)


def unregister(name: str) -> None:
    """Take back what :func:`register` did.

    Raises
    ------
    InputError
        If no algorithm of this name is registered.

    """
    if name not in registered:
        raise InputError(f"no algorithm {name!r} is registered; there is {', '.join(registered) or 'none'}")
    del registered[name]
    package = sys.modules[_PACKAGE]
    delattr(package, name)
    package.algorithms = tuple(n for n in package.algorithms if n != name)  # type: ignore[attr-defined]
