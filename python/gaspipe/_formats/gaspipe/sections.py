# SPDX-License-Identifier: Apache-2.0
"""Sections of a `.gaspipe` file as arrays, checked against their checksums."""

from __future__ import annotations

import contextlib
import errno
import mmap as memory_map
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Callable

import numpy as np
from numpy.typing import NDArray

from ..._core import GraphFormatError
from .checksums import BLOCK, checksums
from .labels import labels_from_json
from .layout import Bytes, Header, Section

WITH_CHECKSUMS = ("edge_blocks", "list_records")  # of their own, part by part

Known = dict[tuple[str, str], tuple[Section, Bytes]]  # by kind and name


def known_sections(
    header: Header,
    content_of: Callable[[int, int], Bytes],
    name: str,
    verify: bool,
    threads: int,
    skipped: Sequence[str] = (),
    told: Callable[[int], object] | None = None,
) -> Known:
    """All sections with their bytes; what is skipped, and blocks and lists, which have their own checksums, without.

    `told` is called with the number of bytes whenever some have been checked.
    """
    known: Known = {}
    found, contents = [], []
    for section in header.sections:
        if section.kind in WITH_CHECKSUMS or section.kind in skipped:
            known[section.kind, section.name] = (section, np.zeros(0, np.uint8))
            continue
        content = content_of(header.first + section.start, section.num_bytes)
        known[section.kind, section.name] = (section, content)
        # What is JSON is read as a whole anyway, and damage would not always show; what an index says is trusted.
        if verify or section.dtype == "json" or section.kind == "edge_index":
            found.append(section)
            contents.append(content)
    for section, checksum in zip(found, checksums(contents, threads, told)):
        if checksum != section.checksum:
            raise GraphFormatError(f"{name}: damaged: the checksum of its {section} is wrong")
    return known


def take(known: Known, kind: str, dtypes: Sequence[str], count: int, name: str) -> NDArray[Any] | None:
    """Take the array of a kind that comes once, or None; its type and length must be those allowed."""
    if (kind, "") not in known:
        return None
    section, content = known.pop((kind, ""))
    if section.dtype not in dtypes or section.shape != (count,):
        raise GraphFormatError(
            f"{name}: {kind} are {section.dtype} of shape {section.shape}; allowed are {', '.join(dtypes)} of "
            f"shape ({count},)"
        )
    return array_of(section, content, name)


def vertex_sections(known: Known, n: int, name: str) -> tuple[NDArray[Any] | None, dict[str, NDArray[Any]]]:
    """Labels, and data by vertex."""
    labels, vertex_data = None, {}
    for (kind, key), (section, content) in known.items():
        if kind not in ("labels", "vertex_data"):
            continue
        if section.shape[:1] != (n,) or (kind == "labels" and len(section.shape) != 1):
            raise GraphFormatError(f"{name}: {section} has shape {section.shape} for {n} vertices")
        if kind == "vertex_data":
            vertex_data[key] = array_of(section, content, name)
        elif section.dtype == "json":
            labels = labels_from_json(content, n, name)
        else:
            labels = array_of(section, content, name)
    return labels, vertex_data


def array_of(section: Section, content: Bytes, name: str) -> NDArray[Any]:
    """The values, over the same memory; sizes have been checked."""
    dtype = np.dtype(section.dtype)
    try:
        if content.size == 0:
            return np.zeros(section.shape, dtype)
        array = content.view(dtype).reshape(section.shape)
    except (ValueError, MemoryError) as error:
        raise GraphFormatError(f"{name}: {section} of shape {section.shape}: {error}") from error
    return array if dtype.isnative else array.astype(dtype.newbyteorder("="))


@contextlib.contextmanager
def contents(file: BinaryIO, num_bytes: int, mmap: bool) -> Iterator[Callable[[int, int], Bytes]]:
    """A function that gives the bytes from a place on: views of a map, which lives as long as they do, or copies."""
    if mmap:
        try:
            whole = memory_map.mmap(file.fileno(), num_bytes, access=memory_map.ACCESS_READ)
        except OSError as error:
            if error.errno != errno.ENOMEM:
                raise
            raise MemoryError(f"no room in memory to map a file of {num_bytes} bytes") from error
        mapped = np.frombuffer(whole, np.uint8)
        yield lambda start, size: mapped[start : start + size]
        return

    def copy(start: int, size: int) -> Bytes:
        content = np.empty(size, np.uint8)
        file.seek(start)
        for first in range(0, size, BLOCK):
            block = content[first : first + BLOCK]
            if file.readinto(block.data) != len(block):  # type: ignore[attr-defined]
                raise GraphFormatError("the file was cut short while it was read")
        content.flags.writeable = False
        return content

    yield copy
