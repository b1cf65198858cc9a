# SPDX-License-Identifier: Apache-2.0
"""Writing a `.gaspipe` file: everything is checked and checksummed before the first byte is written."""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..._core import InputError
from ..._files import Path, atomic_write, file_name, telling
from ..._progress import OfFiles
from .._record import Fill
from .checksums import BLOCK, checksums
from .labels import labels_to_json
from .layout import (
    KINDS_OF_PREPARED,
    LARGEST_HEADER,
    MAGIC,
    MAJOR,
    MINOR,
    MINOR_PREPARED,
    PREFIX,
    RAW,
    Bytes,
    aligned,
)


def save(
    path: Path,
    core: _core.Graph,
    labels: NDArray[Any] | None,
    vertex_data: Mapping[str, NDArray[Any]],
    threads: int,
    progress: OfFiles | None = None,
) -> None:
    """Write the file; it appears under its name when all of it is on disk."""
    file_name(path)  # refuses what is no path
    fill, num_bytes = writer(core, labels, vertex_data, threads)
    with atomic_write(path) as file:
        fill(telling(file, progress, num_bytes))
        file.flush()
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            os.fsync(file.fileno())  # or a crash could leave the name with a part of the file


def writer(
    core: _core.Graph, labels: NDArray[Any] | None, vertex_data: Mapping[str, NDArray[Any]], threads: int
) -> tuple[Fill, int]:
    """Check and checksum all there is to write; return what writes it, and how many bytes that are."""
    given: list[tuple[str, str, Any]] = [("offsets", "", core.offsets), ("targets", "", core.targets)]
    if core.weights is not None:
        given.append(("weights", "", core.weights))
    if labels is not None:
        given.append(("labels", "", labels))
    given += [("vertex_data", name, values) for name, values in vertex_data.items()]
    form = core.prepared()
    is_prepared = form is not None and form[4]
    if form is not None and is_prepared:
        arrays = form[1], form[0].offsets, form[0].targets, form[0].weights
        given += [(kind, "", values) for kind, values in zip(KINDS_OF_PREPARED, arrays) if values is not None]

    rows, columns = core.shape
    contents = []
    sections: list[dict[str, Any]] = []
    start = 0
    for kind, name, values in given:
        dtype, extent, content = content_of(kind, name, values)
        section: dict[str, Any] = {"kind": kind}
        if kind == "vertex_data":
            section["name"] = encodable(name)
        section.update(dtype=dtype, shape=list(extent), start=start, bytes=len(content))
        sections.append(section)
        contents.append(content)
        start = aligned(start + len(content))
    for section, checksum in zip(sections, checksums(contents, threads)):
        section["crc32"] = f"{checksum:08x}"
    described = {"rows": rows, "columns": columns, "edges": core.num_edges, "sections": sections}
    text = json.dumps(described, separators=(",", ":"), ensure_ascii=False).encode()
    num_bytes = PREFIX.size + len(text)
    if num_bytes > LARGEST_HEADER:
        raise InputError(f"the names of {len(sections)} arrays make a header of {num_bytes} bytes; allowed are 16 MiB")
    end = aligned(num_bytes) + sections[-1]["start"] + sections[-1]["bytes"]
    minor = MINOR_PREPARED if is_prepared else MINOR
    prefix = PREFIX.pack(MAGIC, MAJOR, minor, 0, num_bytes, end)
    prefix = PREFIX.pack(MAGIC, MAJOR, minor, zlib.crc32(prefix + text), num_bytes, end)

    def fill(file: IO[bytes]) -> None:
        file.write(prefix + text)
        written = num_bytes
        for content in contents:
            file.write(bytes(aligned(written) - written))
            for first in range(0, len(content), BLOCK):
                file.write(content[first : first + BLOCK].data)
            written = aligned(written) + len(content)

    return fill, end


def content_of(kind: str, name: str, values: Any) -> tuple[str, tuple[int, ...], Bytes]:
    """dtype and shape as the header has them, and the bytes."""
    array = np.asarray(values)
    if kind == "labels" and array.dtype == object:
        return "json", array.shape, np.frombuffer(labels_to_json(array.tolist()), np.uint8)
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    dtype = array.dtype.str
    if array.dtype.names is not None or not RAW.fullmatch(dtype):
        what = "labels" if kind == "labels" else f"vertex_data[{name!r}]"
        raise InputError(f"{what} of dtype {array.dtype} cannot be saved; numbers, times and strings can")
    flat = array.reshape(-1)
    return dtype, array.shape, flat.view(np.uint8) if flat.nbytes else np.zeros(0, np.uint8)


def encodable(name: str) -> str:
    """Return the name of an array; it can be written."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InputError(f"vertex_data has the name {name!r}, which has no UTF-8") from None
    return name
