# SPDX-License-Identifier: Apache-2.0
"""Makes the sdist and installs from it in a fresh virtual environment where the one tool is g++; runs `gaspipe demo`.

    python tests/wheels/sdist.py

CMake and Ninja come from PyPI, as `pip install` wants them. `CMAKE_CXX_COMPILER_LAUNCHER=ccache` works as everywhere.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import venv
from pathlib import Path

from debian import run

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "sdist"
TOOLS = ("g++", "as", "ld", "ar", "ranlib", "nm", "strip", "uname", "ccache", "gcc-ar", "gcc-nm", "gcc-ranlib")


def main() -> None:
    """Make, install, run."""
    shutil.rmtree(BUILD, ignore_errors=True)
    run(sys.executable, "-m", "build", "-q", "--sdist", "-o", BUILD, ROOT)
    sdist = next(BUILD.glob("gaspipe-*.tar.gz"))
    tools = BUILD / "tools"
    tools.mkdir()
    for name in TOOLS:
        if place := shutil.which(name):
            (tools / name).symlink_to(place)
    venv.create(BUILD / "venv", with_pip=True)
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("CCACHE_", "CMAKE_CXX_COMPILER_L", "PIP_"))
    }
    variables = {**kept, "CXX": shutil.which("g++"), "PATH": str(tools), "HOME": str(BUILD), "TMPDIR": str(BUILD)}
    start = time.monotonic()
    run(BUILD / "venv/bin/python", "-m", "pip", "install", "-q", sdist, env=variables)
    print(f"{time.monotonic() - start:.0f} s for pip install {sdist.name} ({sdist.stat().st_size / 1e6:.1f} MB)")
    told = run(BUILD / "venv/bin/gaspipe", "demo", env=variables)
    if "All answers agree." not in told:
        raise SystemExit(f"gaspipe demo of the installed sdist does not say that all answers agree:\n{told}")
    print("installed with g++ alone; gaspipe demo: all answers agree")


if __name__ == "__main__":
    main()
