# SPDX-License-Identifier: Apache-2.0
"""A build without a compiler, or without Python's headers, says what to install."""

import os
import subprocess
import sys

import pytest

from tools import REPOSITORY


@pytest.mark.needs("cmake")
@pytest.mark.parametrize(
    ("given", "found"),
    [({"CXX": "/nonexistent"}, 'CXX is "/nonexistent", which is no program'), ({"PATH": ""}, "there is none in PATH")],
)
def test_a_missing_compiler_is_named_with_its_remedy(tmp_path, given, found):
    import cmake

    program = os.path.join(cmake.CMAKE_BIN_DIR, "cmake")
    kept = {name: value for name, value in os.environ.items() if name != "CXX"}
    command = [program, "-S", str(REPOSITORY), "-B", str(tmp_path)]
    done = subprocess.run(command, env={**kept, **given}, capture_output=True, text=True, timeout=60)
    text = " ".join(done.stderr.split())
    assert done.returncode != 0
    assert "needs a C++17 compiler with OpenMP" in text
    assert found in text
    assert "apt-get install g++" in text
    assert "CMAKE_CXX_COMPILER" not in text


@pytest.mark.needs("cmake")
@pytest.mark.needs("ninja")
def test_missing_headers_of_python_are_named_with_their_remedy(tmp_path):
    import cmake
    import ninja
    import pybind11

    given = {
        "CMAKE_MAKE_PROGRAM": os.path.join(ninja.BIN_DIR, "ninja"),
        "GASPIPE_XRT": "OFF",
        "Python_EXECUTABLE": sys.executable,
        "Python_INCLUDE_DIR": str(tmp_path),
        "pybind11_DIR": pybind11.get_cmake_dir(),
    }
    command = [
        os.path.join(cmake.CMAKE_BIN_DIR, "cmake"),
        "-G",
        "Ninja",
        "-S",
        str(REPOSITORY),
        "-B",
        str(tmp_path / "build"),
    ]
    command += [f"-D{name}={value}" for name, value in given.items()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    text = " ".join(done.stderr.split())
    assert done.returncode != 0
    assert f"needs the headers of Python 3.9 or newer, and {sys.executable}" in text
    assert "apt-get install python3-dev" in text
