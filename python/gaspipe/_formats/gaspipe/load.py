# SPDX-License-Identifier: Apache-2.0
"""Reading a `.gaspipe` file: a plain one is mapped, a compressed one or a pipe takes memory."""

from __future__ import annotations

import contextlib
import errno
import mmap as memory_map
import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Callable

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..._core import GraphFormatError, InputError
from ..._files import Path, file_name, open_bytes, sized
from .._record import Reading
from .checksums import BLOCK, checksums
from .labels import labels_from_json
from .layout import PREFIX, Bytes, Section, check_magic, check_padding, read_header

_WEIGHTS = ("<i4", "<i8", "<f4", "<f8")


def load(path: Path, *, mmap: bool = True, verify: bool = True, threads: int = 0) -> Reading:
    """Read the file; a plain one is mapped, a compressed one or a pipe takes memory."""
    name = file_name(os.fspath(path))

    def check(start: bytes) -> int | None:
        check_magic(start, name)
        return int(PREFIX.unpack_from(start)[5]) if len(start) >= PREFIX.size else None

    with open_bytes(path) as stream, sized(stream, check) as (file, num_bytes):
        shape, num_edges, first, sections = read_header(file, num_bytes, name)
        with _contents(file, num_bytes, mmap and file is stream) as content_of:
            known, contents = {}, []
            for section in sections:
                content = content_of(first + section.start, section.num_bytes)
                contents.append(content)
                known[section.kind, section.name] = (section, content)
            check_padding(file, first, sections, name)
            # What is JSON is read as a whole anyway, and damage would not always show.
            checked = [verify or section.dtype == "json" for section in sections]
            found = iter(checksums([c for c, is_checked in zip(contents, checked) if is_checked], threads))
            for section, is_checked in zip(sections, checked):
                if is_checked and next(found) != section.checksum:
                    raise GraphFormatError(f"{name}: damaged: the checksum of its {section} is wrong")
    n = max(shape)

    def take(kind: str, dtypes: Sequence[str], count: int) -> NDArray[Any] | None:
        if (kind, "") not in known:
            return None
        section, content = known.pop((kind, ""))
        if section.dtype not in dtypes or section.shape != (count,):
            raise GraphFormatError(
                f"{name}: {kind} are {section.dtype} of shape {section.shape}; allowed are {', '.join(dtypes)} of "
                f"shape ({count},)"
            )
        return _array(section, content, name)

    offsets, targets = take("offsets", ("<u4", "<u8"), n + 1), take("targets", ("<u4",), num_edges)
    if offsets is None or targets is None:
        raise GraphFormatError(f"{name}: there are no {'offsets' if offsets is None else 'targets'}")
    weights = take("weights", _WEIGHTS, num_edges)
    labels, vertex_data = None, {}
    for (kind, key), (section, content) in known.items():
        if kind not in ("labels", "vertex_data"):
            continue
        if section.shape[:1] != (n,) or (kind == "labels" and len(section.shape) != 1):
            raise GraphFormatError(f"{name}: {section} has shape {section.shape} for {n} vertices")
        if kind == "vertex_data":
            vertex_data[key] = _array(section, content, name)
        elif section.dtype == "json":
            labels = labels_from_json(content, n, name)
        else:
            labels = _array(section, content, name)
    try:
        core = _core.Graph.from_csr(n, n, offsets, targets, weights, False, threads)
        core = core if shape == (n, n) else core.as_matrix(*shape, threads)
    except InputError as error:
        raise GraphFormatError(f"{name}: {error}") from error
    return Reading(core, labels, vertex_data)


def _array(section: Section, content: Bytes, name: str) -> NDArray[Any]:
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
def _contents(file: BinaryIO, num_bytes: int, mmap: bool) -> Iterator[Callable[[int, int], Bytes]]:
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
