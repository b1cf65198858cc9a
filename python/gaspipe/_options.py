# SPDX-License-Identifier: Apache-2.0
"""The options of a call, read once into the record that the core takes.

The core has the table of options (cpp/include/gaspipe/run_options.h). Names, defaults and texts of functions, of
gp.Accelerator and of the command line come from it: to add an option, add its row there and use it.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any

from . import _core, _executors
from ._core import InputError

TABLE = tuple(_core.options())
DEFAULTS: dict[str, Any] = {option.name: option.default for option in TABLE}
_ALL_DEFAULT = _core.RunOptions()  # records do not change


def read(**given: Any) -> _core.RunOptions:
    """Check options given by name, and make the record; those that are not given have their defaults.

    Raises
    ------
    InputError
        If a value is of a wrong type, or there can be no such device.

    """
    if all(map(_is_default, given, given.values())):
        return _ALL_DEFAULT
    _executors.check(given.get("device", DEFAULTS["device"]), given.get("xclbin"))
    check_folders(given)
    return _core.RunOptions(**given)


def _is_default(name: str, value: Any) -> bool:
    if name not in DEFAULTS:
        return False
    default = DEFAULTS[name]
    # Of another type, what is equal may be no value of the option at all: 1 is True, and an array is not one answer.
    return value is default or (type(value) is type(default) and isinstance(value, (str, bool)) and value == default)


def check_folders(given: Mapping[str, Any]) -> None:
    """InputError for an option that names a folder by what cannot be the name of one."""
    for name in ("checkpoint", "resume"):
        folder = given.get(name)
        if folder is None:
            continue
        try:
            path = os.fsencode(folder)
        except (TypeError, UnicodeError):
            path = b""
        if not path or b"\0" in path:
            raise InputError(f"{name} is {folder!r}; the path of a folder is needed")


def keywords(options: list[_core.Option]) -> list[inspect.Parameter]:
    """Parameters of a function that takes options."""
    return [
        inspect.Parameter(o.name, inspect.Parameter.KEYWORD_ONLY, default=o.default, annotation=o.annotation)
        for o in options
    ]
