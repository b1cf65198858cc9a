# SPDX-License-Identifier: Apache-2.0
"""Tools that tests need: `@pytest.mark.needs("clang++")`, or `require("xrt")` in a fixture.

Without its tool a test is skipped, and in CI, where tests/run installs all of them, it fails. Other reasons to skip
(the system, the user's rights, the data folder) use `skipif` and `pytest.skip` as usual; test_tools.py lists them.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

from gaspipe import _circuit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "card"))
sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import card

import races

REPOSITORY = Path(__file__).resolve().parents[2]

# Commands by the Debian package that has them.
COMMANDS = {"g++": "g++", "clang++": "clang", "chromium": "chromium"}


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def whole() -> bool:
    """Whether also those cases run of which tests usually take a sample: GASPIPE_WHOLE=1."""
    return os.environ.get("GASPIPE_WHOLE", "").lower() not in ("", "0", "false")


def missing(tool: str) -> str:
    """Why a tool cannot be used here; empty if it can. One that is no other kind of tool is a Python module."""
    if tool in COMMANDS:
        return "" if shutil.which(tool) else f"{tool} is not installed (Debian: {COMMANDS[tool]})"
    if tool == "circuit":  # what makes and measures circuits
        packages = _circuit.missing_packages(simulation=True)
        return f"circuits need Debian's {' '.join(packages)}" if packages else ""
    if tool == "llvm-cov":  # with the clang++ of its version
        versions = ("-16", "-19", "-18", "-17", "-15")
        has_both = any(shutil.which(f"llvm-cov{v}") and shutil.which(f"clang++{v}") for v in versions)
        return "" if has_both else "there is no llvm-cov beside its clang++ (Debian: clang-16 llvm-16)"
    if tool == "tsan":
        return races.missing()
    if tool == "xrt":
        return card.available()
    if tool == "driver":
        has_driver = importlib.util.find_spec("gaspipe._fpga") is not None
        return "" if has_driver else "this gaspipe was built without XRT (Debian: libxrt-dev uuid-dev)"
    if tool == "mpi":  # a launcher, and a library that mpi4py can load
        beside = Path(sys.executable).parent / "mpiexec"
        has_one = beside.exists() or shutil.which("mpiexec")
        return "" if has_one else "there is no mpiexec; pip install '.[test]' (Debian: openmpi-bin libopenmpi-dev)"
    if tool == "wheel":
        has_wheel = any((REPOSITORY / "build" / "wheel").glob("gaspipe-*.whl"))
        return "" if has_wheel else "there is no wheel in build/wheel; tests/run makes one"
    try:
        found = importlib.util.find_spec(tool)
    except ModuleNotFoundError:  # what it is a part of
        found = None
    return "" if found else f"the Python module {tool} is not installed; pip install '.[test]'"


def require(tool: str) -> None:
    """Skip the test that runs, or in CI fail, where there is no such tool."""
    if reason := missing(tool):
        if in_ci():
            pytest.fail(f"{reason}; CI has to have it", pytrace=False)
        pytest.skip(reason)
