# SPDX-License-Identifier: Apache-2.0
"""Custom algorithms: those registered, and those in Python files that a command or the environment names."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import _core, _description, _registered
from .._core import InputError
from .._description import Description

if TYPE_CHECKING:
    from .._own import Algorithm

VARIABLE = "GASPIPE_ALGORITHMS"
_loaded: dict[str, list[Algorithm]] = {}  # by file
_places: dict[Algorithm, tuple[str, str]] = {}  # file and variable of those loaded


def descriptions() -> list[Description]:
    """Describe the built-in algorithms, then the custom ones."""
    for path in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        try:
            _check_place(path)
            for algorithm in load(path):
                _register(algorithm)
        except _core.Error as error:
            raise InputError(f"{VARIABLE} names {path}: {error}") from error
    own = [_with_options(a) for a in _registered.algorithms.values()]
    return [*_description.built_in().values(), *own]


def _check_place(path: str) -> None:
    """Refuse a file that the environment names and a stranger may have put there: every command would run it."""
    if not os.path.isabs(path):
        raise InputError("it would be looked for in whatever folder is the current one; give a path from the root on")
    if os.geteuid() == 0 and os.path.exists(path):
        from .._compile import why_not_trusted

        problem = why_not_trusted(path)
        if problem:
            raise InputError(f"{problem}; root runs only what is root's")


def pipelines() -> list[Description]:
    """Describe those of hooks, which run on every device."""
    return [a for a in descriptions() if a.is_pipeline]


def find(called: str) -> Description | None:
    """Describe the algorithm that `file.py::name` means, or `file.py` with one in it; None if it means none."""
    algorithm = find_algorithm(called)
    return None if algorithm is None else _with_options(algorithm)


def find_algorithm(called: str) -> Algorithm | None:
    """Return the algorithm that `file.py::name` means; registered from now on."""
    path, _, name = called.partition("::")
    if not path.endswith(".py"):
        return None
    found = load(path)
    names = ", ".join(a.name for a in found) or "none"
    if name:
        found = [a for a in found if a.name == name]
        if not found:
            raise InputError(f"{path} has no gp.Algorithm {name!r}; it has {names}")
    if len(found) != 1:
        raise InputError(f"{path} has {len(found)} algorithms ({names}); say which: {path}::NAME")
    _register(found[0])
    return found[0]


def load(path: str) -> list[Algorithm]:
    """Algorithms that a Python file makes at its top level; it runs once."""
    path = os.path.abspath(path)
    if path not in _loaded:
        from .._own import Algorithm

        if not os.path.isfile(path):
            raise InputError(f"there is no file {path}")
        if not path.endswith(".py"):
            raise InputError(f"{path} does not end in .py, as a file of Python's does")
        spec = importlib.util.spec_from_file_location(f"gaspipe_own_{len(_loaded)}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # as an import would; what the file defines may be looked up there
        try:
            spec.loader.exec_module(module)
        except (_core.Error, OSError):
            raise
        except Exception as error:
            at = error.__traceback__
            lines = []
            while at is not None:
                if at.tb_frame.f_code.co_filename == path:
                    lines.append(at.tb_lineno)
                at = at.tb_next
            where = f"{path}:{lines[-1]}" if lines else path
            raise InputError(f"{where}: {type(error).__name__}: {error}") from error
        found = {a: variable for variable, a in reversed(vars(module).items()) if isinstance(a, Algorithm)}
        _loaded[path] = list(reversed(found))
        _places.update((a, (path, variable)) for a, variable in found.items())
    return _loaded[path]


def _register(algorithm: Algorithm) -> None:
    from .._own import register

    register(algorithm, replace=True)


def _with_options(algorithm: Algorithm) -> Description:
    """Describe an algorithm with what a command line can say: numbers, flags and arrays from files."""
    description = algorithm.description
    parameters = [
        replace(p, kind="array", default=None) if p.kind == "values" else p
        for p in description.parameters
        if p.kind != "any"
    ]
    return description.with_parameters(parameters)


def spelled(name: str) -> tuple[str, str]:
    """How Python code elsewhere names an algorithm: what it imports beside gaspipe, and the function."""
    algorithm = _registered.algorithms.get(name)
    if algorithm in _places:
        path, variable = _places[algorithm]
        return "import runpy; ", f"runpy.run_path({path!r})[{variable!r}]"
    return "", f"gp.{name}"
