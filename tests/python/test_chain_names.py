# SPDX-License-Identifier: Apache-2.0
"""Names of chains: a kernel is a function of C, so a name that C's headers declare is refused."""

import subprocess

import pytest

import gaspipe as gp
from test_kernels import COMPILER

pytestmark = pytest.mark.needs("g++")

HEADERS = ("assert", "ctype", "math", "setjmp", "signal", "stdarg", "stdint", "stdio", "stdlib", "string", "time")


def compiles(name, tmp_path):
    source = tmp_path / "kernel.cpp"
    source.write_text(
        "".join(f"#include <{header}.h>\n" for header in HEADERS) + f'extern "C" void {name}(int*) {{}}\n'
    )
    command = [*COMPILER, "-std=c++14", "-fsyntax-only", str(source)]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


@pytest.mark.parametrize(
    "name",
    ["time", "abs", "printf", "signal", "exit", "y0", "clock", "stdin", "isalpha", "assert", "uint32_t", "va_end"],
)
def test_names_that_headers_of_c_declare_are_refused(name, tmp_path):
    assert not compiles(name, tmp_path)
    with pytest.raises(gp.InputError, match=rf"the name of a chain is '{name}', which C\+\+ needs itself; choose"):
        gp.Chain(name)


@pytest.mark.parametrize("name", ["sums", "ring", "time_of_day", "end_collect", "bfs", "t"])
def test_other_names_are_free(name, tmp_path):
    assert compiles(name, tmp_path)
    assert gp.Chain(name).name == name
