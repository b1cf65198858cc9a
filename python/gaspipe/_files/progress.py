# SPDX-License-Identifier: Apache-2.0
"""Files that tell how much has been written to them."""

from __future__ import annotations

from typing import IO, Any, Callable, cast


def telling(file: IO[bytes], progress: Callable[[str, int, int | None], object] | None, total: int | None) -> IO[bytes]:
    """Return the file, which calls progress("saving", done, total) after every write: bytes, before they are packed."""
    return file if progress is None else cast("IO[bytes]", _Telling(file, progress, total))


class _Telling:
    def __init__(self, file: IO[bytes], progress: Callable[[str, int, int | None], object], total: int | None) -> None:
        self._file, self._progress, self._total = file, progress, total
        self._done = 0

    def write(self, data: Any) -> int:
        written = self._file.write(data)
        self._done += written
        self._progress("saving", self._done, self._total)
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
