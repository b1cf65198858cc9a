# SPDX-License-Identifier: Apache-2.0
"""A build without a compiler says what to install."""

import os
import subprocess

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
