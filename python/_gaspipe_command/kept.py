# SPDX-License-Identifier: Apache-2.0
"""The names that can be completed, kept in a file: making them loads the package, and takes as long as any command.

It lies in the user's cache folder, one file for every place where gaspipe is installed, and is made again when a file
of the package has changed, or one that GASPIPE_ALGORITHMS names.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from importlib.util import find_spec
from typing import Any

_ALGORITHMS = "GASPIPE_ALGORITHMS"
_SOURCES = (".py", ".so")


def names() -> dict[str, Any]:
    """Return the table of all commands, as `gaspipe.cli.completion` makes it."""
    found, state = _places(), _state()
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError), open(found, encoding="utf-8") as file:
        kept = json.load(file)
        if kept["state"] == state:
            return dict(kept["names"])
    return keep()


def keep() -> dict[str, Any]:
    """Make the table now, and keep it where that is possible."""
    from gaspipe.cli import main
    from gaspipe.cli.completion import table

    path, state, made = _places(), _state(), table(main)
    part = f"{path}.{os.getpid()}"
    with contextlib.suppress(OSError):  # without the file, completing takes longer
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        try:
            with open(part, "w", encoding="utf-8") as file:
                json.dump({"state": state, "names": made}, file)
            os.replace(part, path)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(part)
    return made


def _places() -> str:
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # as where compiled snippets are kept
        base = os.path.join(os.path.expanduser("~"), ".cache")
    installed = _crc([*_folders(), os.environ.get(_ALGORITHMS, "")])
    return os.path.join(base, "gaspipe", f"completion-{installed:08x}.json")


def _folders() -> list[str]:
    spec = find_spec("gaspipe")  # does not load it
    return [] if spec is None else list(spec.submodule_search_locations or ())


def _state() -> int:
    """Digest of what the names depend on: sizes and times of the files."""
    files = list(filter(None, os.environ.get(_ALGORITHMS, "").split(os.pathsep)))
    for root in _folders():
        for folder, _, inside in os.walk(root):
            files += [os.path.join(folder, name) for name in inside if name.endswith(_SOURCES)]
    facts = []
    for path in sorted(files):
        with contextlib.suppress(OSError):
            status = os.stat(path)
            facts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return _crc(facts)


def _crc(words: list[str]) -> int:
    return zlib.crc32("\0".join(words).encode(errors="surrogateescape"))
