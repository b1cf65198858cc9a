# SPDX-License-Identifier: Apache-2.0
"""The Python function of a custom algorithm."""

from __future__ import annotations

from dataclasses import replace
from types import FunctionType
from typing import Any, Callable

from .. import _render
from .._description import Description
from .._result import AnyResult
from .callables import Required

GLOBALS = frozenset({"call"})  # names that the text of the function looks up


def make(description: Description, call: Callable[..., AnyResult]) -> Callable[..., AnyResult]:
    """Return the function that a description stands for; `call` does the work."""
    # Any object may be a default. Those that cannot be written down are filled in afterwards.
    objects = {p.name: p.default for p in description.parameters if p.kind == "any"}
    shown = [replace(p, default=None) if p.name in objects else p for p in description.parameters]
    text = "from __future__ import annotations\n" + _render.render_function(description.with_parameters(shown))
    space: dict[str, Any] = dict.fromkeys(GLOBALS, call) | {"Required": Required}
    exec(compile(text, f"<gaspipe {description.name}>", "exec"), space)
    function: FunctionType = space[description.name]
    function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), **objects}
    return function
