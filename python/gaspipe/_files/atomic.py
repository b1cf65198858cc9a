# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all, packed where their name says so."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from typing import IO, cast

from .names import Path, names_file


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Open a binary file that takes the name `path` when the block ends without an exception.

    Until then it is a temporary file in the same directory, and whatever `path` was stays as it is; after an exception,
    KeyboardInterrupt too, the temporary file is gone. A new file has the permissions that open() would give it, one
    that takes a file's place has those of that file. A symbolic link stays: the file it leads to is replaced. What is
    no regular file, as a pipe or /dev/stdout, is written to as it is.

    Raises
    ------
    OSError
        As open() and write() do; names `path`. Also where the directory takes no new file.

    """
    with names_file(path), _written(os.fsdecode(os.fspath(path))) as file:
        yield file


@contextlib.contextmanager
def _written(name: str) -> Iterator[IO[bytes]]:
    target, is_stream = _destination(name)
    old: os.stat_result | None = None
    with contextlib.suppress(FileNotFoundError):
        old = os.stat(name)
    is_file = old is None or stat.S_ISREG(old.st_mode)
    if is_stream or not is_file or not os.path.basename(name):
        with _opened_as_it_is(target if is_stream else name) as file:
            yield file
        return
    if old is not None:
        with open(name, "r+b"):  # a file that may not be written must not be replaced either
            pass
    temporary = os.path.join(os.path.dirname(target), f".gaspipe-{secrets.token_hex(8)}.tmp")
    try:
        try:
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise OSError(error.errno, error.strerror, name) from None
        file = os.fdopen(descriptor, "wb")
        try:
            if old is not None:
                _copy_owner(descriptor, old)
            yield file
        except BaseException:
            with contextlib.suppress(OSError):  # as the disk is full; what happened first is what to report
                file.close()
            raise
        file.close()
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _opened_as_it_is(name: str) -> IO[bytes]:
    """Open what is no regular file, or an open file of a process: this one's where it has got to."""
    folder, number = os.path.split(name)
    if number.isdigit() and os.path.realpath(folder) == f"/proc/{os.getpid()}/fd":
        if sys.stdout is not None:
            sys.stdout.flush()  # what was printed before stays before
        return os.fdopen(os.dup(int(number)), "wb")
    return open(name, "ab" if os.path.isfile(name) else "wb")


@contextlib.contextmanager
def packed(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    """Pack what is written if the name ends in .gz, .xz or .bz2; the same content makes the same bytes."""
    ending = name.lower().rpartition(".")[2]
    if ending == "gz":
        import gzip

        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as stream:
            yield cast("IO[bytes]", stream)
    elif ending == "xz":
        import lzma

        with lzma.LZMAFile(file, "wb") as stream_xz:
            yield cast("IO[bytes]", stream_xz)
    elif ending == "bz2":
        import bz2

        with bz2.BZ2File(file, "wb") as stream_bz2:
            yield cast("IO[bytes]", stream_bz2)
    else:
        yield file


def _destination(name: str) -> tuple[str, bool]:
    """Follow links; also tell whether one of them is an open file of a process, as /dev/stdout is."""
    for _ in range(40):
        if os.path.realpath(os.path.dirname(name)).startswith("/proc/"):
            return name, True
        if not os.path.islink(name):
            break
        _check_link(name)
        name = os.path.join(os.path.dirname(name), os.readlink(name))
    return os.path.realpath(name), False


def _check_link(name: str) -> None:
    """Refuse what Linux refuses to open() too: a link of another user in a folder like /tmp may lead anywhere."""
    folder, link = os.stat(os.path.dirname(name) or "."), os.stat(name, follow_symlinks=False)
    is_shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
    if is_shared and link.st_uid not in (os.geteuid(), folder.st_uid):
        raise PermissionError(errno.EACCES, "a link of another user in a folder that all may write", name)


def _copy_owner(descriptor: int, old: os.stat_result) -> None:
    """Give a file the owner and permissions of another, as far as that is allowed."""
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    if stat.S_IMODE(new.st_mode) != stat.S_IMODE(old.st_mode):
        with contextlib.suppress(OSError):
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
