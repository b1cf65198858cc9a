# SPDX-License-Identifier: Apache-2.0
"""How the tasks of a kernel are wired, read from its region (hls/kernel/<name>.h)."""

from __future__ import annotations

import re
from typing import NamedTuple

from .._paths import get_include
from .kernels import read_text

_TASK = re.compile(r"GASPIPE_TASK\((?:block::)?(\w+)(?:<[^;]*?>)?\(([^;]*)\)\);")
_STREAM = re.compile(r"GASPIPE_STREAM\([\w:<>]+, (\w+),")
_MEMORY_UNITS = ("mem_rd_unit", "mem_wr_unit")  # their first argument is a port
_ACKS = 4  # of a unit that writes: the argument after memory, switch, requests and lines, where there are six


class Task(NamedTuple):
    """A task of a region, by the streams that it reads and writes; of memory units the port."""

    function: str
    port: str  # "" of a block
    reads: tuple[str, ...]
    writes: tuple[str, ...]


def tasks(kernel: str) -> list[Task]:
    """Tasks of a kernel of GraphOps' blocks, in their order, but for those that collect the ends.

    A stream's writer comes before its reader, but for the acknowledgements of writes, which go back.
    """
    text = read_text(get_include(), f"hls/kernel/{kernel}.h")
    streams = _STREAM.findall(text)
    calls = [(function, [a.strip() for a in arguments.split(",")]) for function, arguments in _TASK.findall(text)]
    written: set[str] = set()
    for function, arguments in calls:
        if function == "mem_wr_unit" and arguments[_ACKS] in streams:
            written.add(arguments[_ACKS])
    back = set(written)
    found = []
    for function, arguments in calls:
        used = [name for name in arguments if name in streams]
        own_acks = {name for name in used if name in back and function == "mem_wr_unit"}
        reads = tuple(name for name in used if name in written and name not in own_acks)
        writes = tuple(name for name in used if name not in reads)
        written.update(writes)
        if used:
            found.append(Task(function, arguments[0] if function in _MEMORY_UNITS else "", reads, writes))
    return found
