# SPDX-License-Identifier: Apache-2.0
"""The compiled snippets of this user: where they lie, and how to be rid of them.

They lie in `$XDG_CACHE_HOME/gaspipe`, else `~/.cache/gaspipe`, in a folder that only its owner may enter. A library is
found again by what it was made of: the program's text, gaspipe's headers, the compiler and its flags. It is loaded only
if it belongs to this user, no other user may write it or replace a folder above it, and it still has the checksum that
it was stored with; else it is compiled again. Where there can be no such folder, a temporary one is used until the
process ends, with a warning.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from ._compile import store

__all__ = ["Info", "clear", "info"]


@dataclass(frozen=True)
class Info:
    """What the cache holds.

    Attributes
    ----------
    path : str
        The folder.
    num_libraries : int
        Compiled snippets; one per algorithm, version of its text, and kind of device.
    num_bytes : int
        Bytes of all files.
    algorithms : tuple of str
        Names of the algorithms, sorted.

    """

    path: str
    num_libraries: int
    num_bytes: int
    algorithms: tuple[str, ...]


def info() -> Info:
    """Tell where the cache is and what it holds.

    Returns
    -------
    Info
        Folder, number of libraries, bytes, names of the algorithms.

    """
    folder = store.found()
    names, libraries, num_bytes = set(), 0, 0
    for entry in store.entries(folder):
        with contextlib.suppress(OSError):
            num_bytes += entry.stat(follow_symlinks=False).st_size
            if entry.name.endswith(".so"):
                libraries += 1
                names.add(entry.name.rpartition("-")[0])
    return Info(folder.path if folder else store.wanted(), libraries, num_bytes, tuple(sorted(names)))


def clear() -> int:
    """Delete all compiled snippets.

    Libraries that a process has loaded keep working in it; what one is compiling right now stays.

    Returns
    -------
    int
        How many libraries were deleted.

    """
    return store.clear(store.found())
