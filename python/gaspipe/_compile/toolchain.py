# SPDX-License-Identifier: Apache-2.0
"""Finds the C++ compiler of the user's machine, and tells one from another."""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import shlex
import shutil
import sys
from typing import NamedTuple

from .messages import CompileError

COMPILERS = ("c++", "g++", "clang++")
FLAGS = (
    *("-std=c++17", "-O3", "-fPIC", "-shared", "-fvisibility=hidden"),
    *("-ffp-contract=off", "-fno-trapping-math", "-Werror=return-type"),
)
_FOLDERS = ("-I", "-iquote", "-isystem", "-idirafter")  # options and variables of g++ and clang++ alike
_FILES = ("-include", "-imacros")
_VARIABLES = ("CPATH", "CPLUS_INCLUDE_PATH")
HINT = (
    "install one (Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; conda: conda install cxx-compiler; "
    "pip: pip install ziglang), or set CXX"
)


def compiler(needed_for: str = "gp.Algorithm needs") -> list[str]:
    """Command of the compiler: `$CXX` with its arguments, else c++, g++ or clang++, else that of the pip extra.

    Parameters
    ----------
    needed_for : str
        What needs it, with its verb: how the error begins where there is none.

    Raises
    ------
    CompileError
        If there is none.

    """
    chosen = os.environ.get("CXX", "").strip()
    if chosen:
        try:
            words = shlex.split(chosen)
        except ValueError as error:
            raise CompileError(f"CXX is {chosen!r}: {error}") from None
        found = shutil.which(words[0])
        if found is None:
            raise CompileError(f"CXX is {chosen!r}, and there is no program {words[0]!r}; correct it or unset it")
        return [found, *words[1:]]
    for name in COMPILERS:
        found = shutil.which(name)
        if found is not None:
            return [found]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "c++"]
    raise CompileError(f"{needed_for} a C++17 compiler, and there is no {', '.join(COMPILERS)}; {HINT}")


class Looked(NamedTuple):
    """Where a compiler looks for headers of the user: folders, and files that it includes before any text."""

    folders: list[str]
    files: list[str]


def looked_in(command: list[str]) -> Looked:
    """Return where a command looks for headers, by its options and by the environment.

    Relative paths are left out: a compiler runs in a folder of its own, which has none of the user's headers.
    """
    found: dict[str, list[str]] = {option: [] for option in (*_FOLDERS, *_FILES)}
    words = iter(command)
    for word in words:
        for option in found:
            if word.startswith(option):
                found[option].append(word[len(option) :] or next(words, ""))
                break
    folders = [path for option in _FOLDERS for path in found[option]]
    for name in _VARIABLES:
        folders += os.environ.get(name, "").split(os.pathsep)
    files = [path for option in _FILES for path in found[option]]
    return Looked(list(filter(os.path.isabs, folders)), list(filter(os.path.isabs, files)))


@functools.lru_cache(maxsize=8)
def identity(command: tuple[str, ...]) -> str:
    """Which compiler this is, and for which processor it works.

    The file tells without being run: a package that replaces a compiler replaces it too.
    """
    real = os.path.realpath(command[0])
    found = os.stat(real)
    parts = [real, str(found.st_size), str(found.st_mtime_ns), platform.machine()]
    is_zig = command[1:3] == ("-m", "ziglang")
    if is_zig:
        from importlib.metadata import version

        parts.append(version("ziglang"))
    if is_zig or any("native" in word for word in command):  # zig compiles for this very processor unless told
        parts.append(_processor())
    return "\0".join(parts)


def _processor() -> str:
    """Features of the processor, for which alone -march=native compiles."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            lines = {line.partition(":")[0].strip(): line for line in file.read().split("\n\n")[0].splitlines()}
        return "\n".join(lines[k] for k in ("model name", "flags", "Features", "CPU part") if k in lines)
    except OSError:
        return platform.processor()
