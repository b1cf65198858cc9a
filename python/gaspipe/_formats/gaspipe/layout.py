# SPDX-License-Identifier: Apache-2.0
"""How a `.gaspipe` file is laid out: its prefix, its header, and checks of both."""

from __future__ import annotations

import json
import math
import re
import struct
import zlib
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._core import MOST_WORKERS, GraphFormatError
from .._arrays import MOST_VERTICES

MAGIC = b"\x89GSP\r\n\x1a\n"
MAJOR = 1
# Of files with rows, with blocks, with lists by owner besides, and with rows and their relabeled form.
MINOR, MINOR_STORED, MINOR_LISTS, MINOR_PREPARED = 0, 1, 2, 3
PREFIX = struct.Struct("<8sHHIQQ")
LARGEST_HEADER = 1 << 24
# What can be written raw and means the same everywhere; no objects, records or long doubles.
RAW = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<c(8|16)|<[mM]8(\[\d*[a-zA-Z]+\])?|<U\d{1,9}|\|S\d{1,9}")
WEIGHTS = ("<i4", "<i8", "<f4", "<f8")
VIEWS = ("forward", "reverse", "undirected")
INDEX_WORDS = 10
_KINDS = ("offsets", "targets", "weights", "labels", "vertex_data")
_KINDS_OF_VIEWS = ("edge_blocks", "edge_index")  # with the view as their name
KINDS_OF_LISTS = ("list_records", "list_checks", "list_targets")
KINDS_OF_PREPARED = ("prepared_ids", "prepared_offsets", "prepared_targets", "prepared_weights")
_ALIGNMENT = 64

Bytes = NDArray[np.uint8]


class Section(NamedTuple):
    kind: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    num_bytes: int
    checksum: int

    def __str__(self) -> str:
        if self.kind in _KINDS_OF_VIEWS:
            return f"{self.name} {'edges' if self.kind == 'edge_blocks' else 'index'}"
        if self.kind in KINDS_OF_LISTS:
            return f"{self.kind.removeprefix('list_')} of lists"
        if self.kind in KINDS_OF_PREPARED:
            return f"{self.kind.removeprefix('prepared_')} of the relabeled form"
        return f"vertex data {self.name!r}" if self.kind == "vertex_data" else self.kind


class Facts(NamedTuple):
    """What a file with blocks says of its edges."""

    weights: str | None  # their dtype
    symmetric: bool  # every edge has its reverse, as often; weights aside
    simple: bool  # no parallel edges
    negative_or_nan: bool
    largest_weight: float  # the largest finite one if above 0, else 0; 1 without weights


class Lists(NamedTuple):
    """What a file with lists by owner says of them."""

    version: int  # of how they are laid out
    workers: int
    code_bits: int


class Header(NamedTuple):
    """What a file's header says."""

    shape: tuple[int, int]
    num_edges: int
    first: int  # where the sections start, in bytes
    sections: list[Section]
    facts: Facts | None  # None: the edges lie as rows
    lists: Lists | None

    @property
    def num_vertices(self) -> int:
        return max(*self.shape, 1)


def aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def check_magic(start: bytes, name: str) -> None:
    if not start or start[: len(MAGIC)] != MAGIC[: len(start)]:
        raise GraphFormatError(f"{name}: not a .gaspipe file: it starts with {start[:8]!r} instead of {MAGIC!r}")


def read_header(file: BinaryIO, num_bytes: int, name: str) -> Header:
    """Read the header; all sizes are held against the file's."""
    prefix = file.read(PREFIX.size)
    check_magic(prefix, name)
    if len(prefix) < PREFIX.size:
        raise GraphFormatError(f"{name}: cut short: {num_bytes} bytes are less than a header")
    _, major, _, checksum, header_bytes, file_bytes = PREFIX.unpack(prefix)
    if major > MAJOR:
        raise GraphFormatError(
            f"{name}: written by a newer gaspipe: format version {major}, this one reads up to {MAJOR}"
        )
    if not PREFIX.size <= header_bytes <= LARGEST_HEADER:
        raise GraphFormatError(
            f"{name}: damaged: a header of {header_bytes} bytes; allowed are {PREFIX.size} to {LARGEST_HEADER}"
        )
    if header_bytes > num_bytes:
        raise GraphFormatError(f"{name}: cut short: {num_bytes} bytes are less than its header of {header_bytes}")
    text = file.read(header_bytes - PREFIX.size)
    if zlib.crc32(prefix[:12] + bytes(4) + prefix[16:] + text) != checksum or major < 1:
        raise GraphFormatError(f"{name}: damaged: the checksum of its header is wrong")
    if file_bytes != num_bytes:
        what = "cut short" if num_bytes < file_bytes else "followed by other data"
        raise GraphFormatError(f"{name}: {what}: found {num_bytes} bytes, it was written with {file_bytes}")
    first = aligned(header_bytes)
    try:
        header = json.loads(text)
        shape = tuple(_integer(header[key], 0, MOST_VERTICES) for key in ("rows", "columns"))
        num_edges = _integer(header["edges"], 0, num_bytes)
        sections, end = _sections(header["sections"], num_bytes - first)
        facts = _facts(header["stored"]) if "stored" in header else None
        lists = _lists(header["lists"]) if facts is not None and "lists" in header else None
    except (KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise GraphFormatError(f"{name}: its header is wrong: {what}") from error
    if first + end != num_bytes:
        raise GraphFormatError(f"{name}: its header is wrong: sections end at {first + end} of {num_bytes} bytes")
    return Header((shape[0], shape[1]), num_edges, first, sections, facts, lists)


def _facts(said: Any) -> Facts:
    """What the header says of edges in blocks."""
    facts = Facts(**{key: said[key] for key in Facts._fields})
    if facts.weights not in (None, *WEIGHTS) or not all(isinstance(fact, bool) for fact in facts[1:4]):
        raise ValueError(f"stored is {str(said)[:200]}")
    largest = facts.largest_weight
    if type(largest) not in (int, float) or not 0 <= largest < math.inf:
        raise ValueError(f"the largest weight is {str(largest)[:40]}")
    return facts._replace(largest_weight=float(largest))


def _lists(said: Any) -> Lists:
    """What the header says of lists by owner."""
    lists = Lists(_integer(said["version"], 1, 1 << 30), _integer(said["workers"], 1, MOST_WORKERS), said["code_bits"])
    if type(lists.code_bits) is not int or lists.code_bits not in (32, 64):
        raise ValueError(f"codes of {str(lists.code_bits)[:40]} bits")
    return lists


def _sections(described: Any, num_bytes: int) -> tuple[list[Section], int]:
    """Sections from the header, and where the last one ends. They lie one after the other, so none overlap."""
    if not isinstance(described, list):
        raise ValueError("sections are no array")
    sections: list[Section] = []
    seen = set()
    end = 0
    for item in described:
        if not isinstance(item, dict) or not all(isinstance(item[key], str) for key in ("kind", "dtype", "crc32")):
            raise ValueError("a section is no object with texts for kind, dtype and crc32")
        kind, dtype, name = item["kind"], item["dtype"], item.get("name", "")
        start, size = _integer(item["start"], 0, num_bytes), _integer(item["bytes"], 0, num_bytes)
        if start != aligned(end):
            raise ValueError(f"section {kind!r} starts at {start}; {aligned(end)} is next")
        end = start + size
        if end > num_bytes:
            raise ValueError(f"section {kind!r} ends at {end} of {num_bytes} bytes")
        if not re.fullmatch("[0-9a-f]{8}", item["crc32"]):
            raise ValueError(f"section {kind!r} has the checksum {item['crc32']!r}; eight digits are needed")
        checksum = int(item["crc32"], 16)
        if kind not in (*_KINDS, *_KINDS_OF_VIEWS, *KINDS_OF_LISTS, *KINDS_OF_PREPARED):
            if item.get("required", False) is not False:
                raise ValueError(f"section {kind!r} is needed and not known to this gaspipe; a newer one may know it")
            sections.append(Section(kind, str(len(sections)), "unknown", (), start, size, checksum))
            continue
        names = VIEWS if kind in _KINDS_OF_VIEWS else ("",)
        if not isinstance(name, str) or (kind != "vertex_data" and name not in names):
            raise ValueError(f"section {kind!r} has the name {name!r}")
        if (kind, name) in seen:
            raise ValueError(f"section {kind!r} {name!r} is there twice")
        seen.add((kind, name))
        if not isinstance(item["shape"], list) or not 1 <= len(item["shape"]) <= 32:
            raise ValueError(f"section {kind!r} has the shape {item['shape']!r}")
        shape = tuple(_integer(extent, 0, 1 << 62) for extent in item["shape"])
        if not (kind == "labels" and dtype == "json"):
            if not RAW.fullmatch(dtype):
                raise ValueError(f"section {kind!r} has the dtype {dtype!r}")
            if math.prod(shape) * np.dtype(dtype).itemsize != size:
                raise ValueError(f"section {kind!r} of {dtype} and shape {shape} cannot have {size} bytes")
        sections.append(Section(kind, name, dtype, shape, start, size, checksum))
    return sections, end


def _integer(value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"found {str(value)[:40]} where an integer of {low} to {high} must be")
    return value


def check_padding(file: BinaryIO, first: int, sections: list[Section], name: str) -> None:
    """Between header and sections are zeros, so that every bit of the file is known to be right."""
    file.seek(16)
    header_end = int.from_bytes(file.read(8), "little")
    for end in [header_end, *(first + section.start + section.num_bytes for section in sections[:-1])]:
        file.seek(end)
        if any(file.read(aligned(end) - end)):
            raise GraphFormatError(f"{name}: damaged: the bytes after byte {end} are not zero")
