# SPDX-License-Identifier: Apache-2.0
"""One process per card: a lock file for each."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time

from .._core import DeviceError
from . import xclbin as _xclbin
from .card import Card, slots

_COMMAND_LENGTH = 120
_LOCK_TRIES, _LOCK_PAUSE = 4, 0.02


def lock_path(card: Card) -> str:
    """File whose lock is the right to use a card; emulated ones are not the real ones, and share one address."""
    target = _xclbin.target()
    is_on_bus = card.address and target == "hw"
    name = card.address.replace("/", "_") if is_on_bus else f"{target}-{card.index}"
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"gaspipe-card-{name}.lock")


def lock_card(card: Card) -> int:
    """Lock a card for this process; return the file, which is locked until it is closed.

    Raises
    ------
    DeviceError
        If another process has it, or the file cannot be made.

    """
    import fcntl

    path, tries = lock_path(card), 0
    try:
        while True:
            file = _open_shared(path)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_still(file, path):
                    os.ftruncate(file, 0)
                    os.pwrite(file, f"{os.getpid()} {_command()}\n".encode("utf-8", "replace"), 0)
                    return file
            except BlockingIOError:
                tries += 1
                if tries < _LOCK_TRIES:  # the other may only be looking (holder_of)
                    os.close(file)
                    time.sleep(_LOCK_PAUSE)
                    continue
                holder = os.pread(file, 4 * _COMMAND_LENGTH, 0).decode("utf-8", "replace")
                os.close(file)
                raise DeviceError(f"{card} is in use by {_told(holder)}; wait for it or choose another card") from None
            except BaseException:
                os.close(file)
                raise
            os.close(file)  # the file was removed from the folder, so its lock protects nothing
    except OSError as error:
        raise DeviceError(f"{card} cannot be locked: {path}: {error.strerror or error}") from None


def holder_of(card: Card) -> str:
    """Return which other process uses a card; "" if none does."""
    if any(slot.card.index == card.index and slot.file is not None for slot in slots()):
        return ""
    import fcntl

    try:
        file = os.open(lock_path(card), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return ""
    except OSError:
        return _told(os.pread(file, 4 * _COMMAND_LENGTH, 0).decode("utf-8", "replace"))
    finally:
        os.close(file)


def _open_shared(path: str) -> int:
    """Open a file that every user may lock, made if it is not there."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    while True:
        # Opened first, made second: in /tmp, Linux refuses O_CREAT for an existing file of another user.
        try:
            file = os.open(path, flags)
            break
        except FileNotFoundError:
            pass
        with contextlib.suppress(FileExistsError):
            file = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
            os.fchmod(file, 0o666)  # regardless of the umask
            break
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:  # what is written to another name of a file changes it
        os.close(file)
        raise DeviceError(f"{path} is no regular file of one name; remove it")
    return file


def _is_still(file: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _command() -> str:
    words = list(getattr(sys, "orig_argv", None) or [sys.executable or "python", *sys.argv])
    words[0] = os.path.basename(words[0])
    return " ".join(" ".join(words).split())[:_COMMAND_LENGTH]


def _told(holder: str) -> str:
    pid, _, command = holder.partition("\n")[0].partition(" ")
    if not pid.isdecimal():
        return "another process"
    return f"process {pid}" + (f" ({command})" if command.isprintable() and command else "")
