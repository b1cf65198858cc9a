# SPDX-License-Identifier: Apache-2.0
"""Folders that only this user may enter, opened along a path that no other user can change, and kept open.

A folder's owner and mode are no protection where another user may rename a folder above it. So a path is walked from
the root, as OpenSSH checks a user's keys: every folder and every link on the way belongs to this user or to root, and
others may write it only where its sticky bit keeps them from what is not theirs, as in /tmp. Files are then named
through the open folder, so that what is read, checked and loaded is in the folder that was checked.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

_MOST_LINKS = 40
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class NotPrivateError(Exception):
    """Why a folder cannot be had or must not be trusted, as half a sentence."""


class Folder:
    """An open folder of this user.

    Attributes
    ----------
    path : str
        Where it is, for people.

    """

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._place = _place(descriptor)

    def __truediv__(self, name: str) -> str:
        """Path of a file that leads through the open folder, for this process and for others while this one lives.

        Without /proc it is an ordinary path; then only the check of the folders above protects it.
        """
        number, process = self._descriptor, os.getpid()
        with contextlib.suppress(OSError):
            if _place(number) == self._place == _place(f"/proc/{process}/fd/{number}"):
                return f"/proc/{process}/fd/{number}/{name}"
        return os.path.join(self.path, name)

    def is_open(self) -> bool:
        """Whether the descriptor is still this folder's: other code may have closed all there are."""
        try:
            return _place(self._descriptor) == self._place
        except OSError:
            return False

    def is_same(self, other: Folder) -> bool:
        return self._place == other._place

    def close(self) -> None:
        os.close(self._descriptor)


def open_private(path: str, make: bool) -> Folder:
    """Open a folder that only this user may enter, made with those above it if that is asked for.

    Raises
    ------
    NotPrivateError
        If there is none, it or one above it is not to be trusted, or it cannot be written.

    """
    if not os.path.isabs(path):
        raise NotPrivateError(f"{shown(path)} does not start at the root; there is no home folder")
    passed = _walk(path, make)
    try:
        found = os.fstat(passed)
        if found.st_uid != os.geteuid():
            raise NotPrivateError(f"{shown(path)} belongs to another user")
        if found.st_mode & 0o022:
            mode = stat.S_IMODE(found.st_mode)
            raise NotPrivateError(f"others may write {shown(path)} (mode {mode:o}), so what is in it is not trusted")
        try:
            descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=passed)
        except OSError as error:
            raise NotPrivateError(f"{shown(path)}: {error.strerror}") from None
    finally:
        os.close(passed)
    folder = Folder(path, descriptor)
    try:
        if found.st_mode & 0o077:
            os.fchmod(descriptor, 0o700)
        if not os.access(folder / ".", os.W_OK | os.X_OK):
            raise NotPrivateError(f"{shown(path)} cannot be written")
    except OSError as error:
        folder.close()
        raise NotPrivateError(f"{shown(path)}: {error.strerror}") from None
    except NotPrivateError:
        folder.close()
        raise
    return folder


def why_not_trusted(path: str) -> str:
    """Why another user could have made or changed a file, or a folder; empty where only this user and root could."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return f"{shown(path)}: {error.strerror}"
    try:
        found, real = os.fstat(opened), os.path.realpath(path)
        if found.st_uid not in (0, os.geteuid()):
            return f"{shown(path)} belongs to another user"
        if found.st_mode & 0o002 or (found.st_mode & 0o020 and not _is_own_group(found.st_gid)):
            return f"others may write {shown(path)} (mode {stat.S_IMODE(found.st_mode):o})"
        for way in (os.path.abspath(path), real):
            folder = os.path.dirname(way)
            passed = _walk(folder, make=False)
            try:
                _check(os.fstat(passed), folder)
            finally:
                os.close(passed)
    except NotPrivateError as problem:
        return str(problem)
    finally:
        os.close(opened)
    return ""


def open_new(path: str) -> Folder:
    """Open a folder that tempfile.mkdtemp has just made, wherever it is: it is ours, closed and empty."""
    folder = Folder(path, os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC))
    found = os.fstat(folder._descriptor)
    if found.st_uid != os.geteuid() or found.st_mode & 0o077 or os.listdir(folder._descriptor):
        folder.close()
        raise OSError(errno.EPERM, "another user has changed it", path)
    return folder


def shown(path: str) -> str:
    """The path for messages, also where it is no UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode()


def _walk(path: str, make: bool) -> int:
    """Descriptor of a folder; every part of the way to it has been checked."""
    here = os.open("/", _PASS)
    at, links = "/", 0
    parts = _parts(path)
    try:
        _check(os.fstat(here), at)
        while parts:
            name = parts.pop(0)
            at = os.path.join(at, name)
            try:
                found = _look(name, here, make)
                if stat.S_ISLNK(found.st_mode):
                    if found.st_uid not in (0, os.geteuid()):
                        raise NotPrivateError(f"{shown(at)} is a link of another user")
                    links += 1
                    if links > _MOST_LINKS:
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                    target = os.readlink(name, dir_fd=here)
                    parts = _parts(target) + parts
                    is_absolute = target.startswith("/")
                    at = "/" if is_absolute else os.path.dirname(at)
                    after = os.open("/", _PASS) if is_absolute else os.dup(here)
                else:
                    after = os.open(name, _PASS, dir_fd=here)
            except OSError as error:
                what = "is no folder" if error.errno == errno.ENOTDIR else error.strerror
                raise NotPrivateError(f"{shown(at)}{' ' if what == 'is no folder' else ': '}{what}") from None
            os.close(here)
            here = after
            if parts:
                _check(os.fstat(here), at)
        return here
    except BaseException:
        os.close(here)
        raise


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _look(name: str, here: int, make: bool) -> os.stat_result:
    try:
        return os.stat(name, dir_fd=here, follow_symlinks=False)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):  # another process was faster
        os.mkdir(name, 0o700, dir_fd=here)
    return os.stat(name, dir_fd=here, follow_symlinks=False)


def _check(found: os.stat_result, path: str) -> None:
    """Refuse a folder in which another user could replace our files."""
    if found.st_uid not in (0, os.geteuid()):
        raise NotPrivateError(f"{shown(path)} belongs to another user, who may replace what is in it")
    is_writable = found.st_mode & 0o002 or (found.st_mode & 0o020 and not _is_own_group(found.st_gid))
    if is_writable and not found.st_mode & stat.S_ISVTX:
        raise NotPrivateError(
            f"others may write {shown(path)} (mode {stat.S_IMODE(found.st_mode):o}) and replace what is in it"
        )


def _is_own_group(group: int) -> bool:
    """Whether a group is this user's alone, as many systems make one per user and let it write."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return group == user.pw_gid and found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}


def _place(file: int | str) -> tuple[int, int]:
    found = os.stat(file)
    return found.st_dev, found.st_ino
