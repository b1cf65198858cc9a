# SPDX-License-Identifier: Apache-2.0
"""Compiles the source of a program into a library, with the compiler of the user's machine."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any

from . import _core, _notice, _paths, _private, cache

COMPILERS = ("c++", "g++", "clang++")
FLAGS = (
    *("-std=c++17", "-O3", "-fPIC", "-shared", "-fvisibility=hidden"),
    *("-ffp-contract=off", "-fno-trapping-math", "-Werror=return-type"),
)
_LONGEST_FILE_NAME = 255
_NO_ROOM = re.compile(
    r"^.*(No space left on device|Disk quota exceeded|File size limit exceeded|File too large).*$", re.M
)
_ESSENTIAL = 8  # lines of a compiler's output that an error shows
_HINT = (
    "install one (Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; conda: conda install cxx-compiler; "
    "pip: pip install ziglang), or set CXX"
)


class CompileError(_core.Error):
    """A snippet could not be compiled, or there is no compiler.

    Attributes
    ----------
    log : str
        All that the compiler said; empty where there is none.
    command : str
        The compiler's command line.

    """

    def __init__(self, message: str, log: str = "", command: str = "") -> None:
        super().__init__(message)
        self.log = log
        self.command = command


def compiler() -> list[str]:
    """Command of the compiler: `$CXX` with its arguments, else c++, g++ or clang++, else that of the pip extra.

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
    raise CompileError(f"gp.Algorithm needs a C++17 compiler, and there is no {', '.join(COMPILERS)}; {_HINT}")


def library(name: str, sources: dict[str, str], quoted: dict[str, str]) -> str:
    """Path of the library of a program; compiled now, or found in the cache.

    Parameters
    ----------
    name : str
        Of the algorithm.
    sources : dict
        Text by file name; the first is what is compiled, and includes the others.
    quoted : dict
        Texts that `#line` speaks of, by name: compilers show their lines.

    Raises
    ------
    CompileError
        If there is no compiler, or it finds a fault.
    InputError
        If a text has no UTF-8, or the name is too long for a file.

    """
    command = [*compiler(), *FLAGS, *shlex.split(os.environ.get("CXXFLAGS", ""))]
    include = _paths.get_include()
    parts = [_identity(tuple(command)), headers_digest(include), *command]
    parts += [part for item in sources.items() for part in item]
    _check_texts(name, {**quoted, **sources})
    key = hashlib.sha256("\0".join([str(len(parts)), *parts]).encode(errors="surrogateescape")).hexdigest()

    def compile(folder: str, path: str) -> dict[str, Any]:
        for file_name, text in {**quoted, **sources}.items():
            with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
                file.write(text)
        # Run where the sources are, so that messages name the files alone.
        with _notice.shown(f"compiling {name}, which takes some seconds the first time ..."):
            _run([*command, "-I", include, "-I", ".", next(iter(sources)), "-o", os.path.basename(path)], folder, name)
        return {"algorithm": name, "command": command}

    return cache.library(name, key, compile)[0]


def _check_texts(name: str, texts: dict[str, str]) -> None:
    for file_name, text in texts.items():
        for part in (file_name, text):
            try:
                part.encode()
            except UnicodeEncodeError as error:
                found = ascii(part[error.start])
                where = (
                    "the algorithm's name" if part is file_name else f"line {part.count(chr(10), 0, error.start) + 1}"
                )
                raise _core.InputError(
                    f"{name!a}: {where} has the lone surrogate {found}, which no file of UTF-8 can hold; remove it"
                ) from None
        if len(file_name.encode()) > _LONGEST_FILE_NAME:
            raise _core.InputError(
                f"the name of {name[:20]}... makes a file name of {len(file_name.encode())} bytes; at most "
                f"{_LONGEST_FILE_NAME} are allowed, give it a shorter one"
            )


def _run(command: list[str], folder: str, name: str) -> None:
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a compiler starts others, which end with it as a group
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise CompileError(f"the compiler {command[0]} does not start: {error.strerror}; {_HINT}") from None
    with process:
        try:
            out, err = process.communicate()
        except BaseException:  # KeyboardInterrupt
            os.killpg(process.pid, signal.SIGTERM)  # on which compilers delete their temporary files
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        log = (err + out).strip()
        text = shlex.join(command)
        full = _NO_ROOM.search(log)
        if full:
            raise CompileError(
                f"there is no room to compile {name}: {full[0].strip()}; make room where compiled snippets are kept "
                f"and in {_private.shown(tempfile.gettempdir())}, or set XDG_CACHE_HOME and TMPDIR to other folders",
                log,
                text,
            )
        raise CompileError(f"{name} does not compile:\n{essential(log, process.returncode)}", log, text)


_MESSAGE = re.compile(r"^(?P<where>\S[^:\n]*:\d+(?::\d+)?): (?P<kind>fatal error|error): ", re.MULTILINE)


def essential(log: str, returncode: int) -> str:
    """Lines of a compiler's output that tell what to do, the errors first, those in the user's files before others."""
    lines = log.splitlines()
    errors = []
    for i, line in enumerate(lines):
        if _MESSAGE.match(line):
            quoted = [text for text in lines[i + 1 : i + 3] if re.match(r"\s*(\d+ )?\s*\||\s", text)]
            errors.append((line, quoted))
    ours = [e for e in errors if not e[0].startswith(("/", "gaspipe/", "hls/")) and ".program.h:" not in e[0]]
    shown: list[str] = []
    for line, quoted in [*ours, *(e for e in errors if e not in ours)]:
        if len(shown) + 1 + len(quoted) > _ESSENTIAL and shown:
            break
        shown += [line, *quoted]
    if not shown:
        shown = lines[-_ESSENTIAL:] or [f"the compiler ended with status {returncode} and said nothing"]
    hidden = len(lines) - len(shown)
    return "\n".join(shown) + (f"\n({hidden} more lines in the exception's .log)" if hidden > 0 else "")


@functools.lru_cache(maxsize=8)
def _identity(command: tuple[str, ...]) -> str:
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


@functools.lru_cache(maxsize=2)
def headers_digest(include: str) -> str:
    """SHA-256 of all headers."""
    digest = hashlib.sha256()
    for folder in ("gaspipe", "hls"):
        for path, folders, names in os.walk(os.path.join(include, folder), followlinks=True):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".h"):
                    with open(os.path.join(path, name), "rb") as file:
                        text = file.read()
                    digest.update(f"{folder}/{name} {len(text)}\n".encode())
                    digest.update(text)
    return digest.hexdigest()
