# SPDX-License-Identifier: Apache-2.0
"""Compiles the source of a program into a library."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Callable

from .. import _notice, _paths
from .._core import InputError
from .messages import CompileError, essential
from .private import shown
from .store import stored
from .toolchain import FLAGS, HINT, Looked, compiler, identity, looked_in

_LONGEST_FILE_NAME = 255
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_NO_ROOM = re.compile(
    r"^.*(No space left on device|Disk quota exceeded|File size limit exceeded|File too large).*$", re.M
)


def library(
    name: str,
    sources: dict[str, str],
    quoted: dict[str, str],
    telling: Callable[[str], AbstractContextManager[None]] = _notice.shown,
) -> str:
    """Path of the library of a program; compiled now, or found in the cache.

    Parameters
    ----------
    name : str
        Of the algorithm.
    sources : dict
        Text by file name; the first is what is compiled, and includes the others.
    quoted : dict
        Texts that `#line` speaks of, by name: compilers show their lines.
    telling : callable
        Shows a line while the compiler runs.

    Raises
    ------
    CompileError
        If there is no compiler, or it finds a fault.
    InputError
        If a text has no UTF-8, or the name is too long for a file.

    """
    command = command_line()
    include = _paths.get_include()
    _check_texts(name, {**quoted, **sources})
    parts = [identity(tuple(command)), headers_digest(include, sources.values(), looked_in(command)), *command]
    parts += [part for item in sources.items() for part in item]
    key = hashlib.sha256("\0".join([str(len(parts)), *parts]).encode(errors="surrogateescape")).hexdigest()

    def compile(folder: str, path: str) -> dict[str, Any]:
        for file_name, text in {**quoted, **sources}.items():
            with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
                file.write(text)
        # Run where the sources are, so that messages name the files alone.
        with telling(f"compiling {name}, which takes some seconds the first time ..."):
            # Without -I ".", where a snippet's text would stand for a system header of its name.
            run_compiler([*command, "-I", include, next(iter(sources)), "-o", os.path.basename(path)], folder, name)
        return {"algorithm": name, "command": command}

    return stored(name, key, compile)[0]


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
                raise InputError(
                    f"{name!a}: {where} has the lone surrogate {found}, which no file of UTF-8 can hold; remove it"
                ) from None
        if len(file_name.encode()) > _LONGEST_FILE_NAME:
            raise InputError(
                f"the name of {name[:20]}... makes a file name of {len(file_name.encode())} bytes; at most "
                f"{_LONGEST_FILE_NAME} are allowed, give it a shorter one"
            )


def command_line() -> list[str]:
    """Return the compiler with all flags; CompileError where there is none."""
    flags = os.environ.get("CXXFLAGS", "")
    try:
        return [*compiler(), *FLAGS, *shlex.split(flags)]
    except ValueError as error:
        raise CompileError(f"CXXFLAGS is {flags!r}: {error}; correct it or unset it") from None


def run_compiler(command: list[str], folder: str, name: str) -> None:
    """Run a compiler in a folder; CompileError has the essence of what it says of a program called `name`."""
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
        raise CompileError(f"the compiler {command[0]} does not start: {error.strerror}; {HINT}") from None
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
                f"and in {shown(tempfile.gettempdir())}, or set XDG_CACHE_HOME and TMPDIR to other folders",
                log,
                text,
            )
        raise CompileError(f"{name} does not compile:\n{essential(log, process.returncode)}", log, text)


def headers_digest(include: str, texts: Iterable[str], looked: Looked | None = None) -> str:
    """SHA-256 of the headers that texts include, and those that these do, under whatever condition.

    They are those of the package, and those of the user: included by an absolute path, beside such a header, or in a
    folder in which the compiler looks. Where several folders have one of a name, all of these are part of it.
    """
    folders, files = looked or Looked([], [])
    found: dict[str, str] = {}
    waiting = [*files, *(name for text in texts for name in _INCLUDE.findall(text))]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        if os.path.isabs(name):
            found[name], names = _own_header(name)
        else:
            found[name], names = _header(include, name)
            waiting += [path for folder in folders if os.path.isfile(path := os.path.join(folder, name))]
        waiting += names
    listed = "\n".join([*folders, *(f"{name} {found[name]}" for name in sorted(found))])
    return hashlib.sha256(listed.encode(errors="surrogateescape")).hexdigest()


def _own_header(path: str) -> tuple[str, list[str]]:
    """Digest of a header of the user, who may change it, and what it includes: by name, and by its path beside it."""
    if not os.path.isfile(path):
        return "", []
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return "", []
    names = _INCLUDE.findall(text.decode(errors="surrogateescape"))
    beside = [os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in names]
    return hashlib.sha256(text).hexdigest(), [*names, *filter(os.path.isfile, beside)]


@functools.lru_cache(maxsize=1024)
def _header(include: str, name: str) -> tuple[str, list[str]]:
    """Digest of a header of the package, and the names that it includes; empty for any other header."""
    try:
        with open(os.path.join(include, *name.split("/")), "rb") as file:
            text = file.read()
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return "", []
    return hashlib.sha256(text).hexdigest(), _INCLUDE.findall(text.decode(errors="surrogateescape"))
