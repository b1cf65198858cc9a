# SPDX-License-Identifier: Apache-2.0
"""Names of files: as text for messages, and how they end."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Union

from .._core import InputError

Path = Union[str, "os.PathLike[str]"]

# Standard input by name: descriptor 0 itself, which may be a socket, or a file of which a part has been read.
STANDARD_INPUT = "/dev/stdin"

# What a compressed file's name has after its own suffix; "" is a plain file.
PACKED = ("", ".gz", ".xz", ".bz2")


def file_name(path: Path) -> str:
    """The path for messages and for C++, where a name that is not UTF-8 has no string.

    Raises
    ------
    InputError
        If no file can have that name.

    """
    name = os.fsdecode(path)
    try:
        is_name = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise InputError(f"the path {name!a} has a NUL or a lone surrogate, which no file's name can have")
    return name.encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def names_file(path: Path) -> Iterator[None]:
    """Name the file in an OSError that names none: those of read(), write(), fsync() and close()."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = os.fsdecode(path)
        raise


def suffix_of(name: str) -> str:
    """The name's suffix in lower case, without its dot and without .gz, .xz or .bz2; "" where there is none."""
    found = re.search(r"\.([a-z]+)(\.(?:gz|xz|bz2))?$", name, re.IGNORECASE)
    return found[1].lower() if found else ""
