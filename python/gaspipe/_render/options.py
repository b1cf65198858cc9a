# SPDX-License-Identifier: Apache-2.0
"""The options of a run: keywords that the function of every algorithm takes and hands to `_call.call`.

They are those of the core's table (cpp/include/gaspipe/run_options.h), but for the number format, of which every
algorithm has its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import _core
from .._description import Description
from .text import wrap

# Of algorithms of the CPU whose answer kernels find too.
_OF_KERNELS = ("device", "xclbin", "execution", "num_threads", "scheduler", "fallback")
RUN_OPTIONS = tuple(option for option in _core.options() if option.name != "number")


def offered_options(algorithm: Description) -> tuple[_core.Option, ...]:
    """Return the options that an algorithm's function takes."""
    name = "" if algorithm.kernel_header else algorithm.name  # a custom algorithm may be called bfs too
    if algorithm.is_pipeline:
        own = [option.of(name) for option in RUN_OPTIONS]
    elif algorithm.kernels:
        own = [option.of("") if option.name in _OF_KERNELS else None for option in RUN_OPTIONS]
    else:
        of_blocks = {option.name: option.of_blocks() for option in RUN_OPTIONS if algorithm.has_blocks}
        own = [option if option.name == "num_threads" else of_blocks.get(option.name) for option in RUN_OPTIONS]
    return tuple(option for option in own if option is not None)


def rows(options: Sequence[_core.Option]) -> list[tuple[str, str]]:
    """Heads and texts for a docstring."""
    return [(f"{option.name} : {option.type}", option.doc) for option in options]


def listed(options: Sequence[_core.Option], indent: str) -> str:
    """Text of them in the docstring of a class."""
    lines = [(indent + head, wrap(text, indent + "    ")) for head, text in rows(options)]
    return "\n".join(line for pair in lines for line in pair)
