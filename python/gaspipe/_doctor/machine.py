# SPDX-License-Identifier: Apache-2.0
"""Checks of the machine: its cores, its memory, its temporary folder."""

from __future__ import annotations

import math
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator

from .. import _core
from .._memory import shown as size
from . import limits
from .finding import OK, PROBLEM, WARNING, Finding

_CPU = "/proc/cpuinfo"
_MEMORY = "/proc/meminfo"
_HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
_LITTLE_MEMORY = 500_000_000
_LITTLE_ROOM = 1_000_000_000
_VARIABLES = ("OMP_", "GOMP_", "KMP_")  # OpenMP's own, and those of its runtimes

# Features of the levels of x86-64, as Linux names them; each level has those of the one before.
_LEVELS = (
    {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"},
    {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"},
    {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"},
)


def cpu() -> Iterator[Finding]:
    """Model, cores that this process may use, vector instructions."""
    facts = _facts(_CPU)
    model = facts.get("model name") or platform.processor() or platform.machine()
    quota = limits.cores()
    limited = "" if quota is None else f", of which a control group allows the time of {quota:g}"
    found = f"{model}, {_num_cores()} of {os.cpu_count()} cores{limited}, {_vectors(facts)}"
    yield Finding("CPU", OK, found)


def threads() -> Iterator[Finding]:
    """Threads of OpenMP, and what of the environment changes them."""
    count, cores, quota = _core.default_num_threads(), _num_cores(), limits.cores()
    allowed = cores if quota is None else min(cores, max(1, math.ceil(quota)))
    given = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_VARIABLES)]
    found = f"{count} of OpenMP{', with ' * bool(given)}{', '.join(given)}"
    if count > allowed:
        found += f"; there is the time of {allowed} core{'s' * (allowed != 1)}, and more threads wait for each other"
        yield Finding("threads", WARNING, found, f"export OMP_NUM_THREADS={allowed}")
    else:
        more = f"; there is the time of {allowed} cores" if count < allowed else ""
        yield Finding("threads", OK, found + more)


def memory() -> Iterator[Finding]:
    """Memory of the machine, and what a control group leaves of it."""
    facts = {name: 1024 * int(value.split()[0]) for name, value in _facts(_MEMORY).items() if value.endswith("kB")}
    if not {"MemTotal", "MemAvailable"} <= set(facts):
        yield Finding("memory", OK, f"unknown: {_MEMORY} does not tell")
        return
    limit = limits.memory()
    found = f"{size(facts['MemTotal'])}, {size(facts['MemAvailable'])} available"
    if limit is not None:
        found += f"; a control group allows {size(limit)}"
    usable = facts["MemAvailable"] if limit is None else min(facts["MemAvailable"], limit)
    if usable < _LITTLE_MEMORY:
        remedy = "end other programs or raise the limit; gaspipe convert --memory is for graphs larger than memory"
        yield Finding("memory", WARNING, found, remedy)
    else:
        yield Finding("memory", OK, found)


def huge_pages() -> Iterator[Finding]:
    """Transparent huge pages, which large arrays ask for."""
    try:
        with open(_HUGE_PAGES, encoding="ascii") as file:
            chosen = re.search(r"\[(\w+)\]", file.read())
    except OSError:
        chosen = None
    if chosen is None:
        yield Finding("huge pages", OK, "the kernel has no transparent ones")
    elif chosen[1] == "never":
        remedy = f"echo madvise | sudo tee {_HUGE_PAGES}"
        yield Finding("huge pages", WARNING, "never: large graphs are read more slowly", remedy)
    else:
        yield Finding("huge pages", OK, f"{chosen[1]}: large arrays have them")


def temporary_files() -> Iterator[Finding]:
    """Room in the folder for temporary files."""
    remedy = "make room there, or set TMPDIR to another folder"
    try:
        folder = tempfile.gettempdir()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        yield Finding("temporary files", PROBLEM, error.strerror or str(error), remedy)
        return
    found = f"{folder}: {size(free) if free else 'nothing'} free"
    little = free < _LITTLE_ROOM
    yield Finding("temporary files", WARNING if little else OK, found, remedy if little else "")


def _facts(path: str) -> dict[str, str]:
    """First value of every name in a file of lines "name: value"; none where there is no such file."""
    facts: dict[str, str] = {}
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                facts.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    return facts


def _num_cores() -> int:
    """Cores that the scheduler may put this process on."""
    return len(os.sched_getaffinity(0))


def _vectors(facts: dict[str, str]) -> str:
    """Name the level of x86-64, or on ARM the vector instructions."""
    has = set((facts.get("flags") or facts.get("Features") or "").split())
    if "fpu" in has:
        level = next((k for k, needed in enumerate(_LEVELS) if not needed <= has), len(_LEVELS))
        return f"x86-64-v{level + 1}"
    found = [name for name in ("asimd", "sve", "sve2") if name in has]
    return f"{platform.machine()}{' with ' * bool(found)}{', '.join(found)}"
