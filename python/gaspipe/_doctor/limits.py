# SPDX-License-Identifier: Apache-2.0
"""What the control groups of this process allow it, as containers and batch systems set them.

A limit of a group holds for the groups below it, so the least on the way up counts. Version 1 has a hierarchy per
controller, version 2 has one; where the group's own folder is not there, as in a container, its mount is looked at.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

_OWN = "/proc/self/cgroup"
_MOUNTED = "/sys/fs/cgroup"


def cores() -> float | None:
    """Cores' worth of time that may be used, or None where nothing limits it."""
    found = []
    for folder in _folders("cpu"):
        words = _words(folder, "cpu.max")
        words = words or _words(folder, "cpu.cfs_quota_us") + _words(folder, "cpu.cfs_period_us")
        if len(words) == 2 and words[0] not in ("max", "-1"):
            found.append(int(words[0]) / int(words[1]))
    return min(found, default=None)


def memory() -> int | None:
    """Bytes that may be used, or None where nothing limits them."""
    found = []
    for folder in _folders("memory"):
        words = _words(folder, "memory.max") or _words(folder, "memory.limit_in_bytes") or ["max"]
        if words[0] != "max" and int(words[0]) < 1 << 60:  # version 1 writes "no limit" as a huge number
            found.append(int(words[0]))
    return min(found, default=None)


def _folders(controller: str) -> Iterator[str]:
    """Folders of the groups that this process is in, from its own up, of both versions."""
    with contextlib.suppress(OSError), open(_OWN, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            if controllers and controller not in controllers.split(","):
                continue
            root = os.path.join(_MOUNTED, controller if controllers else "")
            while True:
                yield os.path.join(root, path.strip("/"))
                if not path.strip("/"):
                    break
                path = os.path.dirname(path)


def _words(folder: str, name: str) -> list[str]:
    """Words of a file; none where it is not there."""
    try:
        with open(os.path.join(folder, name), encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []
