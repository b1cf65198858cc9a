# SPDX-License-Identifier: Apache-2.0
"""Checks of what gaspipe was built with, of cards, and of the compiler for programs of the user's."""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Iterator

from .. import cache
from .._build_info import build_info, commit_text
from .._card import check as _check
from .._card import xclbin
from .._compile import CompileError, store, trial
from .._compile import compiler as find_compiler
from .finding import OK, PROBLEM, WARNING, Finding

_VENDORS = "/sys/bus/pci/devices/*/vendor"
_XILINX = "0x10ee"
_MODULE = "/sys/module/xocl"


def build() -> Iterator[Finding]:
    """Version, and the compiler of the core."""
    info = build_info()
    compiler = ", ".join(filter(None, (info["compiler"], info["build_type"])))
    found = f"gaspipe {info['version']}, commit {commit_text(info)}, {compiler}; Python {info['python']}"
    if info["build_type"] == "Debug":
        yield Finding("build", WARNING, f"{found}; a Debug build is many times slower", "pip install . again")
    else:
        yield Finding("build", OK, found)


def liburing() -> Iterator[Finding]:
    """How files are read that are larger than memory."""
    if build_info()["liburing"]:
        yield Finding("liburing", OK, "built in: graphs on disk are read through io_uring")
    else:
        remedy = "install liburing-dev, then gaspipe from its source"
        yield Finding("liburing", OK, "not built in: graphs on disk are read by threads", remedy)


def cards() -> Iterator[Finding]:
    """XRT, and what a card of this machine still needs. XRT is loaded only where there may be a card."""
    version = build_info()["xrt"]
    built = f"built with XRT {version}" if version else "built without XRT"
    if not _may_have_card():
        yield Finding("cards", OK, f"{built}; there is no card, which nothing but device='fpga' needs")
        return
    steps = _check.check()
    missing = _check.first_missing(steps)
    if missing is not None:
        yield Finding("cards", WARNING, f"{built}; missing: {missing.title}. {missing.found}", missing.remedy)
    else:
        listed = next(step.found for step in steps if step.title == "cards")
        yield Finding("cards", OK, f"{built}; {listed}")


def compiler() -> Iterator[Finding]:
    """Which compiler gp.Algorithm takes, and whether it compiles."""
    try:
        command = find_compiler()
    except CompileError as error:
        found, _, remedy = str(error).partition("; ")
        if os.environ.get("CXX", "").strip():
            yield Finding("compiler", PROBLEM, found, remedy or "correct it or unset it")
        else:
            needing = "" if build_info()["kernels"] == "built" else "so do the emulator and predictions; "
            yield Finding("compiler", WARNING, f"{found} ({needing}all else works without)", remedy)
        return
    flags = os.environ.get("CXXFLAGS", "")
    told = f"{shlex.join(command)}{f', CXXFLAGS={flags}' if flags else ''}"
    if "ziglang" in command:
        told += " (that of the extra [compiler])"
    try:
        version = trial.version(command)
        trial.compile()
    except CompileError as error:
        remedy = "correct it, or set CXX to another C++17 compiler"
        yield Finding("compiler", PROBLEM, f"{told}: {' '.join(str(error).split())}", remedy)
        return
    yield Finding("compiler", OK, f"{told}: {version or 'of an unknown version'}; it compiles")


def cache_folder() -> Iterator[Finding]:
    """Where compiled programs are kept."""
    refused = store.refused()
    if refused:
        found = f"compiled programs are kept for one process only: {refused}"
        yield Finding("cache", WARNING, found, "correct it, or set XDG_CACHE_HOME to a folder of yours")
        return
    info = cache.info()
    found = f"{info.path}: {info.num_libraries} compiled snippets ({info.num_bytes:,} bytes)"
    yield Finding("cache", OK, found)


def _may_have_card() -> bool:
    """Whether a card is on the bus, its driver is loaded, or an emulated one is asked for."""
    if xclbin.target() != "hw" or os.path.isdir(_MODULE):
        return True
    for path in glob.glob(_VENDORS):
        with open(path, encoding="ascii") as file:
            if file.read().strip() == _XILINX:
                return True
    return False
