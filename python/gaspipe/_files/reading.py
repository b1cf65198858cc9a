# SPDX-License-Identifier: Apache-2.0
"""Bytes from plain or compressed files, and their number before memory is taken."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import select
import stat
import tempfile
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, BinaryIO, Callable, cast

from .._core import GraphFormatError
from .names import STANDARD_INPUT, Path, file_name, names_file

CHUNK = 4 << 20
START = 4096  # bytes that tell the format
LONGEST_LINE = 1 << 20
_PACKED = 1 << 16  # bytes that are unpacked at a time

# Called with the number of bytes whenever a reader has taken some from a file, for progress bars.
watched: ContextVar[Callable[[int], object] | None] = ContextVar("watched", default=None)


def took(num_bytes: int) -> None:
    """Tell what watches that a reader has taken so many bytes."""
    watch = watched.get()
    if watch is not None:
        watch(num_bytes)


@contextlib.contextmanager
def watching(progress: Callable[[str, int, int | None], object] | None, total: int | None) -> Iterator[None]:
    """Call progress("reading", done, total) whenever a reader takes bytes while the block runs."""
    if progress is None:
        yield
        return
    done = 0

    def add(num_bytes: int) -> None:
        nonlocal done
        done += num_bytes
        progress("reading", done if total is None else min(done, total), total)

    token = watched.set(add)
    try:
        yield
    finally:
        watched.reset(token)


class _File(io.FileIO):
    """A file that reports what is taken and names itself in errors; standard input begins where it has got to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.begin: int | None = None  # of a file that is standard input
        if os.fspath(path) != STANDARD_INPUT:
            super().__init__(path, "rb")
            return
        try:
            super().__init__(os.dup(0), "rb")
        except OSError as error:
            what = "standard input is closed" if error.errno == errno.EBADF else error.strerror
            raise OSError(error.errno, what, STANDARD_INPUT) from None
        if stat.S_ISREG(os.fstat(self.fileno()).st_mode):
            self.begin = super().tell()

    def readinto(self, buffer: Any) -> int:
        with names_file(self._path):
            while (taken := super().readinto(buffer)) is None:  # nothing yet, where the other end made it non-blocking
                ready = select.poll()
                ready.register(self, select.POLLIN)
                ready.poll()
        took(taken)
        return taken

    def readall(self) -> bytes:
        buffer = memoryview(bytearray(CHUNK))
        return b"".join(iter(lambda: bytes(buffer[: self.readinto(buffer)]), b""))

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        begin = self.begin or 0
        return super().seek(position + begin if whence == os.SEEK_SET else position, whence) - begin

    def tell(self) -> int:
        return super().tell() - (self.begin or 0)

    def close(self) -> None:
        if self.begin is not None and not self.closed:
            self.seek(0)  # it is opened again when its format has been recognised
        super().close()


@contextlib.contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if they are gzip, xz or bzip2; within, damaged data is a GraphFormatError."""
    opened: Any = io.BufferedReader(_File(path))
    with opened as raw, _unpacked(raw) as stream:
        try:
            yield stream
        except Exception as error:
            if stream is raw or not _is_damage(error):
                raise
            raise GraphFormatError(
                f"{file_name(path)}: the compressed file is damaged or cut short: {error}"
            ) from error


def _unpacked(raw: io.BufferedReader) -> BinaryIO:
    magic = raw.peek(10)
    if magic.startswith(b"\x1f\x8b"):
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if magic.startswith(b"\xfd7zXZ\0"):
        import lzma

        return cast(BinaryIO, io.BufferedReader(_Streams(raw, lzma.LZMADecompressor)))
    if re.match(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", magic):
        import bz2

        return cast(BinaryIO, io.BufferedReader(_Streams(raw, bz2.BZ2Decompressor)))
    return raw


class _Streams(io.RawIOBase):
    """The bytes of one compressed stream after the other, with nothing but zeros between and behind them.

    Python's own files leave out, without an error, what follows a stream if its first bytes are damaged.
    """

    def __init__(self, packed: io.BufferedReader, new: Callable[[], Any]) -> None:
        self._packed, self._new = packed, new
        self._stream = new()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data:
            packed = b""
            if self._stream.eof:
                packed = self._stream.unused_data
                while not (packed := packed.lstrip(b"\0")) and (packed := self._packed.read1(_PACKED)):
                    pass
                if not packed:
                    return 0
                self._stream = self._new()
            elif self._stream.needs_input and not (packed := self._packed.read1(_PACKED)):
                raise EOFError("it ends within a stream")
            data = self._stream.decompress(packed, len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _is_damage(error: Exception) -> bool:
    import lzma
    import zlib

    # gzip and bz2 also raise OSError of their own, which has no number.
    is_format = isinstance(error, OSError) and error.errno is None
    return is_format or isinstance(error, (EOFError, zlib.error, lzma.LZMAError))


@contextlib.contextmanager
def sized(stream: BinaryIO, check: Callable[[bytes], int | None]) -> Iterator[tuple[BinaryIO, int]]:
    """The bytes as a file that can be read again from its start, and its size.

    Devices, pipes and compressed files are copied to a temporary file, and may have no end. So `check` gets the first
    bytes beforehand: it refuses another format, and returns the largest possible size if the bytes tell it. At most a
    chunk more than that is copied.
    """
    start = b""
    while len(start) < START and (chunk := stream.read(START - len(start))):
        start += chunk
    most = check(start)
    raw = stream.raw if isinstance(stream, io.BufferedReader) else None
    if isinstance(raw, _File) and not raw.begin and stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
        stream.seek(0)
        yield stream, os.fstat(stream.fileno()).st_size
        return
    with tempfile.TemporaryFile() as copy:
        copy.write(start)
        while (most is None or copy.tell() <= most) and (chunk := stream.read(CHUNK)):
            copy.write(chunk)
        num_bytes = copy.tell()
        copy.seek(0)
        yield copy, num_bytes


def quoted(text: bytes) -> str:
    """The text for a message: printable and short."""
    shown = text.rstrip(b"\r\n").decode("latin-1").encode("ascii", "backslashreplace").decode()
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in shown[:40])
    return f'"{shown}..."' if len(text) > 42 else f'"{shown}"'
