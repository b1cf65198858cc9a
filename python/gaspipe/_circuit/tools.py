# SPDX-License-Identifier: Apache-2.0
"""The programs that make and measure circuits, and where Debian has them."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess

_LLVM = range(19, 14, -1)  # versions whose text `ir` reads; 16 is Debian's of 2023


@functools.cache
def llvm() -> tuple[str, str] | None:
    """Return clang++ and opt, of one version."""
    for version in [16, *_LLVM]:
        pair = f"clang++-{version}", f"opt-{version}"
        if all(shutil.which(tool) for tool in pair):
            return pair
    if shutil.which("clang++") and shutil.which("opt"):
        versions = {_version(tool) for tool in ("clang++", "opt")}
        if len(versions) == 1 and versions.pop() in _LLVM:
            return "clang++", "opt"
    return None


def _version(tool: str) -> int:
    text = subprocess.run([tool, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    m = re.search(r"version (\d+)", text)
    return int(m[1]) if m else 0


def missing(*, simulation: bool = False) -> list[str]:
    """Return Debian's packages that must be installed before a leaf is measured or, too, simulated."""
    packages = [] if llvm() else ["clang-16", "llvm-16"]
    if not shutil.which("yosys"):
        packages.append("yosys")
    if simulation and not shutil.which("verilator"):
        packages.append("verilator")
    return packages
