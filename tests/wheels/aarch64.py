# SPDX-License-Identifier: Apache-2.0
"""Builds the core and its C++ tests for aarch64, and runs them here under qemu.

    python tests/wheels/aarch64.py [--gtest_filter=...]

It takes cmake and ninja (the extra `wheels`), and of Debian g++-aarch64-linux-gnu, qemu-user-static and googletest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from debian import run

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "aarch64"
TRIPLE = "aarch64-linux-gnu"
SYSTEM = f"/usr/{TRIPLE}"  # its libraries
NEEDED = {
    f"/usr/bin/{TRIPLE}-g++": f"g++-{TRIPLE}",
    "/usr/bin/qemu-aarch64-static": "qemu-user-static",
    "/usr/src/googletest/CMakeLists.txt": "googletest",
}


def configure(source: Path, build: Path, **variables: object) -> None:
    """CMake for the other processor."""
    given = {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": "aarch64",
        "CMAKE_CXX_COMPILER": f"{TRIPLE}-g++",
        "CMAKE_C_COMPILER": f"{TRIPLE}-gcc",
        "CMAKE_FIND_ROOT_PATH": SYSTEM,
        "CMAKE_FIND_ROOT_PATH_MODE_LIBRARY": "ONLY",
        "CMAKE_FIND_ROOT_PATH_MODE_INCLUDE": "ONLY",
        "CMAKE_CROSSCOMPILING_EMULATOR": f"qemu-aarch64-static;-L;{SYSTEM}",
        **variables,
    }
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", *(f"-D{name}={value}" for name, value in given.items()))


def main() -> None:
    """Build and run; the tests' exit code is that of the command."""
    lacking = [package for file, package in NEEDED.items() if not os.path.exists(file)]
    if lacking:
        raise SystemExit(
            f"the tests for aarch64 need {' '.join(lacking)} (Debian: apt-get install {' '.join(lacking)})"
        )
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    tests = BUILD / "googletest"
    configure(Path("/usr/src/googletest"), tests, BUILD_GMOCK="OFF", CMAKE_INSTALL_PREFIX=BUILD / "installed")
    run("cmake", "--build", tests, "--target", "install")
    # -O1: what it would save in the tests' time, -O3 takes many times over here.
    configure(
        ROOT,
        BUILD / "tree",
        CMAKE_BUILD_TYPE="Release",
        CMAKE_CXX_FLAGS_RELEASE="-O1",
        GASPIPE_BUILD_PYTHON="OFF",
        GASPIPE_BUILD_TESTS="ON",
        GASPIPE_XRT="OFF",
        GTest_DIR=BUILD / "installed" / "lib" / "cmake" / "GTest",
    )
    run("cmake", "--build", BUILD / "tree", "--target", "gaspipe_tests", "gaspipe_portable_tests")
    for name in ("gaspipe_tests", "gaspipe_portable_tests"):
        command = ["qemu-aarch64-static", "-L", SYSTEM, BUILD / "tree" / "tests" / name, *sys.argv[1:]]
        if subprocess.run(command, cwd=BUILD / "tree" / "tests").returncode:
            raise SystemExit(f"{name} failed on aarch64")


if __name__ == "__main__":
    main()
