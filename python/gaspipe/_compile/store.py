# SPDX-License-Identifier: Apache-2.0
"""Keeps compiled libraries in a folder of the user, as the documentation of `gaspipe.cache` describes."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from .._core import Error
from .private import Folder, NotPrivateError, open_new, open_private, shown

SNIPPETS = "snippets-1"
BUILD = ".build-"
_ABANDONED = 3600  # seconds after which the folder of a build that was killed is swept away
_LONGEST_NAME = 64  # letters of an algorithm's name in that of a file; the key tells longer ones apart
_folders: list[Folder] = []  # kept open: libraries are loaded through them
_temporary: Folder | None = None


def entries(folder: Folder | None) -> list[os.DirEntry[str]]:
    """Files of the folder; none where there is none."""
    if folder is None:
        return []
    try:
        with os.scandir(folder / "") as found:
            return list(found)
    except OSError:
        return []


def wanted() -> str:
    """Path of the folder, if it can be had."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG specification: relative paths are to be ignored
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "gaspipe", SNIPPETS)


def _kept_open(folder: Folder) -> Folder:
    """The folder, or the same one as it was opened before: what is loaded through one stays loaded."""
    for i, known in enumerate(_folders):
        if known.is_same(folder):
            if known.is_open():
                folder.close()
                return known
            del _folders[i]
            break
    _folders.append(folder)
    return folder


def found() -> Folder | None:
    """Return the folder of this process if there is one."""
    if _temporary is not None:
        return _temporary
    try:
        return _kept_open(open_private(wanted(), make=False))
    except NotPrivateError:
        return None


def refused() -> str:
    """Why there can be no folder that outlives this process, which is made if need be; else empty."""
    try:
        _kept_open(open_private(wanted(), make=True))
    except NotPrivateError as error:
        return str(error)
    return ""


def _folder() -> Folder:
    """Return the cache's folder, made if need be; a temporary one where there can be none that is private."""
    global _temporary
    if _temporary is not None and _temporary.is_open() and os.path.isdir(_temporary.path):
        return _temporary
    try:
        return _kept_open(open_private(wanted(), make=True))
    except NotPrivateError as error:
        problem = str(error)
    try:
        path = tempfile.mkdtemp(prefix="gaspipe-")  # 0700
        _temporary = open_new(path)
    except OSError as error:
        raise Error(
            f"compiled snippets cannot be kept: {problem}, and no temporary folder can be made ({error.strerror}); "
            "set XDG_CACHE_HOME to a folder of yours that can be written"
        ) from None
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    warnings.warn(
        f"compiled snippets are kept for this process only: {problem}; set XDG_CACHE_HOME to a folder of yours that "
        "can be written",
        RuntimeWarning,
        stacklevel=2,
    )
    return _temporary


def stored(name: str, key: str, compile: Callable[[str, str], dict[str, Any]]) -> tuple[str, bool]:
    """Path of a library, and whether it was compiled now.

    The path leads through the folder that has been checked, and is good while this process lives.

    Parameters
    ----------
    name, key : str
        Of the algorithm, and of all that the library is made of.
    compile : callable
        `compile(folder, path)` makes the library at `path`, with `folder` to work in, and returns what to note of it.
        Of several processes that want the same library one calls it, and the others wait; if that one dies, the next
        takes over.

    """
    folder = _folder()
    try:
        return _library(folder, name, key, compile)
    except OSError as error:
        raise Error(
            f"the compiled {name[:_LONGEST_NAME]} cannot be kept in {shown(folder.path)}: {error.strerror}; make room "
            "or correct it there, or set XDG_CACHE_HOME to another folder of yours"
        ) from error


def _library(folder: Folder, name: str, key: str, compile: Callable[[str, str], dict[str, Any]]) -> tuple[str, bool]:
    stem = f"{name[:_LONGEST_NAME]}-{key[:32]}"
    path = folder / f"{stem}.so"
    if _is_sound(path, key):
        return path, False
    with _locked(folder / f"{stem}.lock"):
        if _is_sound(path, key):
            return path, False
        _sweep(folder)
        work = tempfile.mkdtemp(prefix=f"{BUILD}{stem}-", dir=folder / "")
        try:
            made = os.path.join(work, "library.so")
            note = compile(work, made)
            os.chmod(made, 0o700)
            with open(made, "rb") as file:
                note |= {"key": key, "sha256": hashlib.sha256(file.read()).hexdigest()}
            with open(os.path.join(work, "note"), "w", encoding="utf-8") as text:
                json.dump(note, text)
            os.chmod(text.name, 0o600)
            # The note goes last: a library without one, or with that of another, is compiled again.
            os.replace(made, path)
            os.replace(text.name, _note(path))
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return path, True


def _note(path: str) -> str:
    return path[: -len(".so")] + ".json"


def _is_sound(path: str, key: str) -> bool:
    """Whether a library and its note belong to this user and are complete."""
    try:
        note = json.loads(_read_own(_note(path)))
        return bool(note["key"] == key and note["sha256"] == hashlib.sha256(_read_own(path)).hexdigest())
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _read_own(path: str) -> bytes:
    """Content of a regular file that belongs to this user and only this user may write; OSError for any other."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise PermissionError(f"{path} is not a private file")
        return file.read()


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    """Hold a lock that the system releases with the process."""
    import fcntl

    while True:
        descriptor = _open_lock(path, os.O_CREAT)
        try:
            with contextlib.suppress(OSError):  # a file system without locks: the same library may be compiled twice
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, path):  # else `clear` deleted it meanwhile, and the next process would make another
                yield
                return
        finally:
            os.close(descriptor)


def _open_lock(path: str, flags: int) -> int:
    return os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | flags, 0o600)


def _is_at(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def clear(folder: Folder | None) -> int:
    """Delete all but what a process is compiling; the number of libraries deleted."""
    found = entries(folder)
    locks = [entry for entry in found if entry.name.endswith(".lock")]
    busy = tuple(entry.name[: -len(".lock")] for entry in locks if not _is_deleted(entry.path))
    deleted = 0
    for entry in found:
        with contextlib.suppress(OSError):
            if entry.name.removeprefix(BUILD).startswith(busy):
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name.startswith(BUILD):
                    shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
                deleted += entry.name.endswith(".so")
    return deleted


def _is_deleted(lock: str) -> bool:
    """Delete a lock unless a process holds it; whether that was so."""
    import fcntl

    try:
        descriptor = _open_lock(lock, 0)
    except OSError:
        return True  # no lock of ours
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(lock)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    finally:
        os.close(descriptor)
    return True


def _sweep(folder: Folder) -> None:
    now = time.time()
    for entry in entries(folder):
        with contextlib.suppress(OSError):
            if entry.name.startswith(BUILD) and now - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED:
                shutil.rmtree(entry.path)
