# SPDX-License-Identifier: Apache-2.0
"""Tries whether the compiler works, on a program of a few lines."""

from __future__ import annotations

import os
import subprocess
import tempfile

from .. import _notice
from .library import command_line, run_compiler
from .messages import CompileError

_PROGRAM = """#include <cstdint>
#include <vector>
extern "C" std::uint32_t gaspipe_trial() {
  const std::vector<std::uint32_t> values{40, 2};
  std::uint32_t sum = 0;
  if constexpr (sizeof(sum) == 4) {
    for (const std::uint32_t value : values) sum += value;
  }
  return sum;
}
"""
_SECONDS = 60


def compile() -> None:
    """Compile it as programs of users are compiled; CompileError says what fails."""
    with tempfile.TemporaryDirectory(prefix="gaspipe-") as folder:
        with open(os.path.join(folder, "trial.cpp"), "w", encoding="utf-8") as file:
            file.write(_PROGRAM)
        with _notice.shown("trying the compiler ..."):  # zig first makes its C++ library
            run_compiler([*command_line(), "trial.cpp", "-o", "trial.so"], folder, "a program of a few lines")


def version(command: list[str]) -> str:
    """First line of what a compiler says of itself; empty where it says nothing."""
    try:
        done = subprocess.run(
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "LC_ALL": "C"},
            timeout=_SECONDS,
            check=False,
        )
    except OSError as error:
        raise CompileError(f"it does not start: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise CompileError(f"it does not tell its version in {_SECONDS} s") from None
    return next(iter(done.stdout.strip().splitlines()), "")
