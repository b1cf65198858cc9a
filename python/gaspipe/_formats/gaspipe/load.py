# SPDX-License-Identifier: Apache-2.0
"""Reading a `.gaspipe` file: a plain one with rows is mapped; a compressed one, a pipe or blocks take memory."""

from __future__ import annotations

import os

from ... import _core
from ..._core import GraphFormatError, InputError
from ..._files import Path, file_name, open_bytes, sized, took
from .._record import Reading
from .layout import KINDS_OF_PREPARED, PREFIX, WEIGHTS, check_magic, check_padding, read_header
from .sections import contents, known_sections, take, vertex_sections
from .stored import rows_of_blocks


def load(path: Path, *, mmap: bool = True, verify: bool = True, threads: int = 0) -> Reading:
    """Read the file; a plain one with rows is mapped, others take memory."""
    name = file_name(os.fspath(path))

    def check(start: bytes) -> int | None:
        check_magic(start, name)
        return int(PREFIX.unpack_from(start)[5]) if len(start) >= PREFIX.size else None

    with open_bytes(path) as stream, sized(stream, check) as (file, num_bytes):
        header = read_header(file, num_bytes, name)
        is_stored = header.facts is not None
        is_mapped = mmap and file is stream and not is_stored
        with contents(file, num_bytes, is_mapped) as content_of:
            # What is mapped is read when it is checked.
            known = known_sections(header, content_of, name, verify, threads, told=took if is_mapped else None)
            check_padding(file, header.first, header.sections, name)
        if is_stored:
            return rows_of_blocks(file, header, known, name, verify=verify, threads=threads)
    n = header.num_vertices
    offsets = take(known, "offsets", ("<u4", "<u8"), n + 1, name)
    targets = take(known, "targets", ("<u4",), header.num_edges, name)
    if offsets is None or targets is None:
        raise GraphFormatError(f"{name}: there are no {'offsets' if offsets is None else 'targets'}")
    weights = take(known, "weights", WEIGHTS, header.num_edges, name)
    ids, rows, ends, row_weights = (
        take(known, kind, dtypes, count, name)
        for kind, dtypes, count in zip(
            KINDS_OF_PREPARED,
            (("<u4",), ("<u4", "<u8"), ("<u4",), WEIGHTS),
            (n, n + 1, header.num_edges, header.num_edges),
        )
    )
    labels, vertex_data = vertex_sections(known, n, name)
    try:
        core = _core.Graph.from_csr(n, n, offsets, targets, weights, False, threads)
        if ids is not None and rows is not None and ends is not None:
            core.keep_prepared(ids, rows, ends, row_weights, threads)
        core = core if header.shape == (n, n) else core.as_matrix(*header.shape, threads)
    except InputError as error:
        raise GraphFormatError(f"{name}: {error}") from error
    return Reading(core, labels, vertex_data)
