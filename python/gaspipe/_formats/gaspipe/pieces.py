# SPDX-License-Identifier: Apache-2.0
"""Edges of a `.gaspipe` file piece by piece, with rows or blocks, in memory that does not grow with them."""

from __future__ import annotations

import os
import zlib
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..._core import GraphFormatError
from ..._files import Path, file_name, open_bytes, sized
from .._arrays import check_graph
from .._intake import Intake
from .._record import Vertices
from .checksums import BLOCK
from .layout import PREFIX, WEIGHTS, Header, Section, check_magic, check_padding, read_header
from .sections import WITH_CHECKSUMS, Known, contents, known_sections, vertex_sections
from .stored import blocks_of, stored_of

_PIECE = 1 << 16  # vertices or edges
_OF_EDGES = ("offsets", "targets", "weights")


def stream(path: Path, intake: Intake, *, rectangular: bool) -> Vertices:
    """Hand all edges over, checked as `load` checks them."""
    name = file_name(os.fspath(path))

    def check(start: bytes) -> int | None:
        check_magic(start, name)
        return int(PREFIX.unpack_from(start)[5]) if len(start) >= PREFIX.size else None

    with open_bytes(path) as opened, sized(opened, check) as (file, num_bytes):
        header = read_header(file, num_bytes, name)
        if not rectangular:
            check_graph(header.shape, name)
        # An index takes little; offsets are read whole where there are blocks.
        skipped = _OF_EDGES if header.facts is None else ()
        kept = [section for section in header.sections if section.kind not in (*skipped, *WITH_CHECKSUMS)]
        intake.reserve(sum(section.num_bytes for section in kept))
        with contents(file, num_bytes, False) as content_of:
            known = known_sections(header, content_of, name, True, intake.threads, skipped)
        check_padding(file, header.first, header.sections, name)
        if header.facts is None:
            _stream_rows(file, header, known, name, intake)
            labels, data = vertex_sections(known, header.num_vertices, name)
            return Vertices(header.shape, labels, data)
        stored = stored_of(header, known, name)
        _tell_type(intake, stored.weights)
        weights = "" if stored.weights is None else stored.weights.str
        for number, entry, block in blocks_of(file, stored.views["forward"], "forward", name):
            try:
                edges = _core.edges_of_block(entry, block, weights, True)
            except GraphFormatError as error:
                raise GraphFormatError(f"{name}: block {number} of its forward edges is damaged: {error}") from None
            intake.add(*edges)
        return Vertices(stored.shape, stored.labels, stored.vertex_data)


def _tell_type(intake: Intake, weights: np.dtype[Any] | None) -> None:
    """Take up no edges, which tell the type of weights: there may be none that do."""
    none = np.zeros(0, np.uint32)
    intake.add(none, none, None if weights is None else np.zeros(0, weights))


def _stream_rows(file: BinaryIO, header: Header, known: Known, name: str, intake: Intake) -> None:
    n, m = header.num_vertices, header.num_edges
    rows, columns = header.shape
    found = {}
    for kind, dtypes, count in (("offsets", ("<u4", "<u8"), n + 1), ("targets", ("<u4",), m), ("weights", WEIGHTS, m)):
        if (kind, "") not in known:
            if kind != "weights":
                raise GraphFormatError(f"{name}: there are no {kind}")
            continue
        section = known[kind, ""][0]
        if section.dtype not in dtypes or section.shape != (count,):
            raise GraphFormatError(
                f"{name}: {kind} are {section.dtype} of shape {section.shape}; allowed are {', '.join(dtypes)} of "
                f"shape ({count},)"
            )
        _check(file, header, section, name)
        found[kind] = section

    def part(kind: str, first: int, last: int) -> NDArray[Any]:
        section = found[kind]
        values = np.empty(last - first, section.dtype)
        file.seek(header.first + section.start + first * values.itemsize)
        if values.size and file.readinto(values.view(np.uint8).data) != values.nbytes:  # type: ignore[attr-defined]
            raise GraphFormatError(f"{name}: cut short while it was read")
        return values

    _tell_type(intake, np.dtype(found["weights"].dtype) if "weights" in found else None)
    end = 0
    for top in range(0, n, _PIECE):
        bottom = min(top + _PIECE, n)
        offsets = part("offsets", top, bottom + 1).astype(np.int64)
        if offsets[0] != end or not (offsets[1:] >= offsets[:-1]).all() or offsets[-1] > m:
            raise GraphFormatError(f"{name}: its offsets do not ascend from 0 to its {m} edges")
        end = int(offsets[-1])
        for first in range(int(offsets[0]), end, _PIECE):
            last = min(first + _PIECE, end)
            bounds = np.clip(offsets, first, last)
            sources = np.repeat(np.arange(top, bottom, dtype=np.uint32), bounds[1:] - bounds[:-1])
            targets = part("targets", first, last)
            if targets.max() >= columns or sources[-1] >= rows:
                raise GraphFormatError(f"{name}: it has an edge outside of its {rows} x {columns}")
            intake.add(sources, targets, part("weights", first, last) if "weights" in found else None)
    if end != m:
        raise GraphFormatError(f"{name}: its offsets do not ascend from 0 to its {m} edges")


def _check(file: BinaryIO, header: Header, section: Section, name: str) -> None:
    """Read a section to check it."""
    checksum = 0
    file.seek(header.first + section.start)
    for first in range(0, section.num_bytes, BLOCK):
        block = file.read(min(BLOCK, section.num_bytes - first))
        checksum = zlib.crc32(zlib.crc32(block).to_bytes(4, "little"), checksum)
    if checksum != section.checksum:
        raise GraphFormatError(f"{name}: damaged: the checksum of its {section} is wrong")
