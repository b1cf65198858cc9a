# SPDX-License-Identifier: Apache-2.0
"""The list of all checks, and how they are run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import build, machine, packages, runs
from .finding import PROBLEM, Finding

CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "CPU": machine.cpu,
    "threads": machine.threads,
    "memory": machine.memory,
    "huge pages": machine.huge_pages,
    "temporary files": machine.temporary_files,
    "build": build.build,
    "liburing": build.liburing,
    "cards": build.cards,
    "compiler": build.compiler,
    "cache": build.cache_folder,
    "packages": packages.packages,
    "run on cpu": runs.on_cpu,
    "run in emulator": runs.in_emulator,
}


def examine() -> Iterator[Finding]:
    """Run all checks. One that fails by an exception is a problem of that check, and the others go on."""
    for name, check in CHECKS.items():
        try:
            yield from check()
        except Exception as error:
            told = " ".join(f"{type(error).__name__}: {error}".split())
            yield Finding(
                name, PROBLEM, f"the check failed: {told}", "report it as a bug, with all of gaspipe --version"
            )
