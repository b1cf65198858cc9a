# SPDX-License-Identifier: Apache-2.0
"""Writes the module with the functions of the built-in algorithms, and the classes of their results."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from .._description import PATHS, Description
from .docstring import answers
from .function import render_function
from .text import wrap

_HEADER = '''# SPDX-License-Identifier: Apache-2.0
"""The algorithms, and what they return. Written by the build from the headers in hls/algorithm and cpp/algorithm; do
not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._call import Phases, Progress, call, call_cpu
from ._core import Partitioning
from ._result import Result

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from ._vertices import Index
    from .graph import GraphLike
'''


def render_module(algorithms: Sequence[Description]) -> str:
    """Return the source of a module with a class of results and a function per algorithm."""
    names = [a.name for a in algorithms]
    pipelines = [a.name for a in algorithms if a.is_pipeline]
    others = [a.name for a in algorithms if not a.is_pipeline]
    classes = {a.name: class_name(a) for a in algorithms}
    parts = [
        _HEADER
        + f"\n__all__ = {_listed([*names, *classes.values()])}\nalgorithms = {_listed(pipelines, '()')}\n"
        + f"cpu_algorithms = {_listed(others, '()')}",
        *(render_class(a) for a in algorithms),
        "results: dict[str, Any] = {\n"
        + "".join(f"    {name!r}: {result},\n" for name, result in classes.items())
        + "}",
        *(render_function(a, classes[a.name]) for a in algorithms),
    ]
    return "\n\n\n".join(parts) + "\n"


def _listed(names: list[str], brackets: str = "[]") -> str:
    return "\n".join([brackets[0], *(f"    {name!r}," for name in names), brackets[1]])


def class_name(algorithm: Description) -> str:
    """Name of the class of an algorithm's results: ArticleRankResult."""
    return "".join(word.capitalize() for word in algorithm.name.split("_")) + "Result"


def render_class(algorithm: Description) -> str:
    """Return the source of the class of an algorithm's results: what they are, and the types of the answers."""
    lines = [
        f"class {class_name(algorithm)}(Result):",
        textwrap.indent(f'r"""{_about(algorithm)}\n"""', "    ", bool),
        "",
    ]
    if algorithm.fields:
        return "\n".join(lines + _cpu_types(algorithm))
    types = {i.value_type for i in algorithm.instances}
    array = f"NDArray[np.{types.pop()}]" if len(types) == 1 else "NDArray[Any]"
    lines += [f"    values: {array}", f"    {algorithm.field}: {array}"]
    if algorithm.name in PATHS:
        lines.append(f"    {PATHS[algorithm.name].field}: NDArray[np.int64]")
    return "\n".join(lines)


def _about(algorithm: Description) -> str:
    """What `help` and notebooks say of a result."""
    told = answers(algorithm)
    if algorithm.name in PATHS:
        offer = PATHS[algorithm.name]
        told.append(f"`{offer.field}`, with `{offer.option}=True`: (num_vertices,) int64; {offer.meaning}.")
    items = [wrap(f"- {text}", "  ").strip() for text in told]
    parts = [wrap(f"The :class:`Result` of `gaspipe.{algorithm.name}`: {algorithm.summary}"), "\n".join(items)]
    if algorithm.reference:
        parts.append(wrap(algorithm.reference))
    return "\n\n".join(parts)


def _cpu_types(algorithm: Description) -> list[str]:
    first = algorithm.fields[0]
    numbers = {"bool": "bool", "float64": "float"}
    lines = [f"    values: NDArray[np.{first.dtype}]"]
    for f in algorithm.fields:
        one = numbers.get(f.dtype, "int")
        lines.append(f"    {f.name}: " + (one if not f.shape else f"NDArray[np.{f.dtype}]"))
    return lines
