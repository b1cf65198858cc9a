# SPDX-License-Identifier: Apache-2.0
"""Checks the packages that gaspipe uses against the versions that it asks for, as its own metadata list them."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from importlib import metadata
from typing import NamedTuple

from .finding import OK, PROBLEM, WARNING, Finding

_OF_DEVELOPERS = ("test", "docs", "wheels")  # extras
_USED = ("scipy", "networkx", "pandas", "polars")  # where they are installed; of the extras, only "test" names them
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[[^]]*\])?\s*\(?([^;)]*)\)?\s*(?:;(.*))?")


class _Wanted(NamedTuple):
    package: str
    least: str  # version, else empty
    extra: str  # of gaspipe; empty for one that it cannot do without
    is_required: bool


def packages() -> Iterator[Finding]:
    """Tell each package, its version, and the least that is asked for."""
    try:
        requirements = metadata.requires("gaspipe") or []
    except metadata.PackageNotFoundError:
        yield Finding("packages", WARNING, "gaspipe itself is not installed as a package", "pip install . where it is")
        return
    for wanted in _wanted(requirements):
        yield _look_at(wanted)


def _look_at(wanted: _Wanted) -> Finding:
    package, least = wanted.package, wanted.least
    newer = f"{package}>={least}" if least else package
    try:
        found = metadata.version(package)
    except metadata.PackageNotFoundError:
        if wanted.is_required:
            return Finding(package, PROBLEM, "not installed, and gaspipe needs it", f"pip install '{newer}'")
        # Not as an extra of gaspipe: a package index may have something else under that name.
        use = f", for the extra [{wanted.extra}]" if wanted.extra else ""
        return Finding(package, OK, f"not installed{use}", f"pip install '{newer}'")
    if _number(found) < _number(least):
        status = PROBLEM if wanted.is_required else WARNING
        return Finding(package, status, f"{found}, and gaspipe needs {least} or newer", f"pip install '{newer}'")
    return Finding(package, OK, found + (f" (needs {least} or newer)" if least else ""))


def _wanted(requirements: list[str]) -> Iterator[_Wanted]:
    """Read requirements such as "tqdm>=4.60; extra == 'progress'"; those for developers are left out."""
    for requirement in requirements:
        matched = _REQUIREMENT.match(requirement)
        if matched is None:
            continue
        package, versions, marker = matched[1], matched[2], matched[3] or ""
        extra = re.search(r"""extra\s*==\s*["']([^"']+)""", marker)
        name = extra[1] if extra else ""
        is_used = package in _USED
        if package == "gaspipe" or not _holds(marker) or (name in _OF_DEVELOPERS and not is_used):
            continue
        least = re.search(r">=\s*([^\s,]+)", versions)
        yield _Wanted(package, least[1] if least else "", "" if is_used else name, not name)


def _holds(marker: str) -> bool:
    """Whether what a marker says of Python's version is true here."""
    here = _number(".".join(platform.python_version_tuple()[:2]))
    for comparison, version in re.findall(r"""python_version\s*(<|>=)\s*["']([^"']+)""", marker):
        if (here < _number(version)) != (comparison == "<"):
            return False
    return True


def _number(version: str) -> tuple[int, ...]:
    """Numbers to compare versions by: 4.0 is 4, and 2.1rc1 is 2.1."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
