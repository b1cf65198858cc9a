# SPDX-License-Identifier: Apache-2.0
r"""Gaspipe's own file, `.gaspipe`: a graph as it lies in memory, checksummed, to be mapped instead of read.

Format, version 1.0. All numbers are little-endian.

====== ===== ===========================================================================================
byte   size  what
====== ===== ===========================================================================================
0      8     magic: 89 47 53 50 0D 0A 1A 0A (``b"\x89GSP\r\n\x1a\n"``)
8      2     uint16, major version: 1. A reader refuses a larger one: all after this may differ.
10     2     uint16, minor version: 0. Larger ones only add what a reader may pass over.
12     4     uint32, CRC-32 of bytes 0 to H - 1 with these four as zeros
16     8     uint64, H: bytes of the header, which is these 32 and the JSON
24     8     uint64, bytes of the whole file
32     H-32  JSON in UTF-8, an object, see below
H            zeros up to D, the next multiple of 64 (H itself if it is one)
D            the sections, in the order of the JSON; each starts at the next multiple of 64, zeros between
====== ===== ===========================================================================================

The JSON object::

    {"rows": 4, "columns": 4, "edges": 3, "sections": [
        {"kind": "offsets", "dtype": "<u4", "shape": [5], "start": 0, "bytes": 20, "crc32": "9f2f7a5c"}, ...]}

rows, columns : integers of 1 to 2**32 - 1
    Shape of the matrix; n, the number of vertices, is the larger of the two.
edges : integer
    m, the number of stored edges.
sections : array of objects
    ``kind``; ``name`` (of vertex data); ``dtype``, as NumPy writes it, or "json"; ``shape``; ``start``, bytes from D
    on; ``bytes``; ``crc32``, eight hexadecimal digits; ``required``, true where a reader that does not know the kind
    must refuse the file (absent: false, the section may be passed over). Other keys are passed over.

=========== ============================================ ==================================================
kind        dtype, shape                                 what
=========== ============================================ ==================================================
offsets     "<u4" or "<u8", [n + 1]                      the edges of vertex v are offsets[v] to offsets[v + 1] - 1
targets     "<u4", [m]                                   destinations, less than `columns`
weights     "<i4", "<i8", "<f4" or "<f8", [m]            absent where edges have none
labels      a number, time or text of fixed width, or    what the vertices are called; absent where ids are all
            "json", [n]                                  there is
vertex_data a number, time or text of fixed width,       one section per `name`
            [n, ...]
=========== ============================================ ==================================================

offsets and targets come once, weights and labels at most once, vertex data once per name. Arrays are in C order.

JSON labels are an array of n values: strings, integers, floats (numbers with a point or an exponent), true, false,
null, and objects of one key for what JSON lacks: ``{"tuple": [...]}`` of any of these, ``{"float": "nan"}`` (also
"inf", "-inf"), ``{"int": "0x..."}`` for integers of very many digits, ``{"str": [...]}`` of code points for strings
that UTF-8 cannot hold (lone surrogates).

Checksums: a section's bytes are cut into blocks of 4 MiB (the last one may be shorter; no bytes make no block); its
``crc32`` is the CRC-32 of the blocks' CRC-32s, written one after the other as uint32. So blocks can be checked in
parallel, and a damaged span of up to 32 bits never goes unnoticed. CRC-32 is zlib's. It guards against accidents, not
against forgers; against these, readers check sizes and that offsets and targets are in range.

To read one with NumPy alone::

    import json, numpy as np
    data = np.memmap("graph.gaspipe", np.uint8, "r")
    size = int(data[16:24].view("<u8")[0])
    header = json.loads(bytes(data[32:size]))
    first = -(-size // 64) * 64
    arrays = {}
    for section in header["sections"]:
        if section["dtype"] != "json":
            start = first + section["start"]
            values = data[start : start + section["bytes"]].view(section["dtype"]).reshape(section["shape"])
            arrays[section["kind"], section.get("name")] = values
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import mmap as memory_map
import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, BinaryIO, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core, _inputs
from ._atomic import atomic_write
from ._checksums import BLOCK, checksums
from ._core import GraphFormatError, InputError
from ._reading import MOST_VERTICES, Options, Path, Reading, file_name, open_bytes, sized

MAGIC = b"\x89GSP\r\n\x1a\n"
MAJOR, MINOR = 1, 0
_PREFIX = struct.Struct("<8sHHIQQ")
_ALIGNMENT = 64
_LARGEST_HEADER = 1 << 24
_WEIGHTS = ("<i4", "<i8", "<f4", "<f8")
# What can be written raw and means the same everywhere; no objects, records or long doubles.
_RAW = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<c(8|16)|<[mM]8(\[\d*[a-zA-Z]+\])?|<U\d{1,9}|\|S\d{1,9}")

Bytes = NDArray[np.uint8]


class Saved(NamedTuple):
    """What a file holds."""

    core: _core.Graph
    labels: NDArray[Any] | None
    vertex_data: dict[str, NDArray[Any]]


class _Section(NamedTuple):
    kind: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    num_bytes: int
    checksum: int

    def __str__(self) -> str:
        return f"vertex data {self.name!r}" if self.kind == "vertex_data" else self.kind


def save(
    path: Path,
    core: _core.Graph,
    labels: NDArray[Any] | None,
    vertex_data: Mapping[str, NDArray[Any]],
    threads: int,
) -> None:
    """Write the file; it appears under its name when all of it is on disk."""
    file_name(path)  # refuses what is no path
    fill = writer(core, labels, vertex_data, threads)
    with atomic_write(path) as file:
        fill(file)
        file.flush()
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            os.fsync(file.fileno())  # or a crash could leave the name with a part of the file


def writer(
    core: _core.Graph, labels: NDArray[Any] | None, vertex_data: Mapping[str, NDArray[Any]], threads: int
) -> Callable[[IO[bytes]], None]:
    """Check and checksum all there is to write, and return what writes it."""
    given: list[tuple[str, str, Any]] = [("offsets", "", core.offsets), ("targets", "", core.targets)]
    if core.weights is not None:
        given.append(("weights", "", core.weights))
    if labels is not None:
        given.append(("labels", "", labels))
    given += [("vertex_data", name, values) for name, values in vertex_data.items()]

    rows, columns = core.shape
    contents = []
    sections: list[dict[str, Any]] = []
    start = 0
    for kind, name, values in given:
        dtype, extent, content = _content(kind, name, values)
        section: dict[str, Any] = {"kind": kind}
        if kind == "vertex_data":
            section["name"] = _encodable(name)
        section.update(dtype=dtype, shape=list(extent), start=start, bytes=len(content))
        sections.append(section)
        contents.append(content)
        start = _aligned(start + len(content))
    for section, checksum in zip(sections, checksums(contents, threads)):
        section["crc32"] = f"{checksum:08x}"
    described = {"rows": rows, "columns": columns, "edges": core.num_edges, "sections": sections}
    text = json.dumps(described, separators=(",", ":"), ensure_ascii=False).encode()
    num_bytes = _PREFIX.size + len(text)
    if num_bytes > _LARGEST_HEADER:
        raise InputError(f"the names of {len(sections)} arrays make a header of {num_bytes} bytes; allowed are 16 MiB")
    end = _aligned(num_bytes) + sections[-1]["start"] + sections[-1]["bytes"]
    prefix = _PREFIX.pack(MAGIC, MAJOR, MINOR, 0, num_bytes, end)
    prefix = _PREFIX.pack(MAGIC, MAJOR, MINOR, zlib.crc32(prefix + text), num_bytes, end)

    def fill(file: IO[bytes]) -> None:
        file.write(prefix + text)
        written = num_bytes
        for content in contents:
            file.write(bytes(_aligned(written) - written))
            for first in range(0, len(content), BLOCK):
                file.write(content[first : first + BLOCK].data)
            written = _aligned(written) + len(content)

    return fill


def load(path: Path, *, mmap: bool = True, verify: bool = True, threads: int = 0) -> Saved:
    """Read the file; a plain one is mapped, a compressed one or a pipe takes memory."""
    name = file_name(os.fspath(path))

    def check(start: bytes) -> int | None:
        _check_magic(start, name)
        return int(_PREFIX.unpack_from(start)[5]) if len(start) >= _PREFIX.size else None

    with open_bytes(path) as stream, sized(stream, check) as (file, num_bytes):
        shape, num_edges, first, sections = _header(file, num_bytes, name)
        with _contents(file, num_bytes, mmap and file is stream) as content_of:
            known, contents = {}, []
            for section in sections:
                content = content_of(first + section.start, section.num_bytes)
                contents.append(content)
                known[section.kind, section.name] = (section, content)
            _check_padding(file, first, sections, name)
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
            labels = _labels_from_json(content, n, name)
        else:
            labels = _array(section, content, name)
    try:
        core = _core.Graph.from_csr(n, n, offsets, targets, weights, False, threads)
        core = core if shape == (n, n) else core.as_matrix(*shape, threads)
    except InputError as error:
        raise GraphFormatError(f"{name}: {error}") from error
    return Saved(core, labels, vertex_data)


def read(path: Path, options: Options) -> Reading:
    """As the other readers."""
    saved = load(path, threads=options.threads)
    if not options.rectangular:
        _inputs.check_square(saved.core.shape)
    return Reading(*saved)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _content(kind: str, name: str, values: Any) -> tuple[str, tuple[int, ...], Bytes]:
    """dtype and shape as the header has them, and the bytes."""
    array = np.asarray(values)
    if kind == "labels" and array.dtype == object:
        return "json", array.shape, np.frombuffer(_labels_to_json(array.tolist()), np.uint8)
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    dtype = array.dtype.str
    if array.dtype.names is not None or not _RAW.fullmatch(dtype):
        what = "labels" if kind == "labels" else f"vertex_data[{name!r}]"
        raise InputError(f"{what} of dtype {array.dtype} cannot be saved; numbers, times and strings can")
    flat = array.reshape(-1)
    return dtype, array.shape, flat.view(np.uint8) if flat.nbytes else np.zeros(0, np.uint8)


def _encodable(name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InputError(f"vertex_data has the name {name!r}, which has no UTF-8") from None
    return name


def _array(section: _Section, content: Bytes, name: str) -> NDArray[Any]:
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


def _check_magic(start: bytes, name: str) -> None:
    if not start or start[: len(MAGIC)] != MAGIC[: len(start)]:
        raise GraphFormatError(f"{name}: not a .gaspipe file: it starts with {start[:8]!r} instead of {MAGIC!r}")


def _header(file: BinaryIO, num_bytes: int, name: str) -> tuple[tuple[int, int], int, int, list[_Section]]:
    """Shape, number of edges, where the sections start, and what they are; all sizes are held against the file's."""
    prefix = file.read(_PREFIX.size)
    _check_magic(prefix, name)
    if len(prefix) < _PREFIX.size:
        raise GraphFormatError(f"{name}: cut short: {num_bytes} bytes are less than a header")
    _, major, _, checksum, header_bytes, file_bytes = _PREFIX.unpack(prefix)
    if major > MAJOR:
        raise GraphFormatError(
            f"{name}: written by a newer gaspipe: format version {major}, this one reads up to {MAJOR}"
        )
    if not _PREFIX.size <= header_bytes <= _LARGEST_HEADER:
        raise GraphFormatError(
            f"{name}: damaged: a header of {header_bytes} bytes; allowed are {_PREFIX.size} to {_LARGEST_HEADER}"
        )
    if header_bytes > num_bytes:
        raise GraphFormatError(f"{name}: cut short: {num_bytes} bytes are less than its header of {header_bytes}")
    text = file.read(header_bytes - _PREFIX.size)
    if zlib.crc32(prefix[:12] + bytes(4) + prefix[16:] + text) != checksum or major < 1:
        raise GraphFormatError(f"{name}: damaged: the checksum of its header is wrong")
    if file_bytes != num_bytes:
        what = "cut short" if num_bytes < file_bytes else "followed by other data"
        raise GraphFormatError(f"{name}: {what}: found {num_bytes} bytes, it was written with {file_bytes}")
    first = _aligned(header_bytes)
    try:
        header = json.loads(text)
        shape = tuple(_integer(header[key], 1, MOST_VERTICES) for key in ("rows", "columns"))
        num_edges = _integer(header["edges"], 0, num_bytes)
        sections, end = _sections(header["sections"], num_bytes - first)
    except (KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise GraphFormatError(f"{name}: its header is wrong: {what}") from error
    if first + end != num_bytes:
        raise GraphFormatError(f"{name}: its header is wrong: sections end at {first + end} of {num_bytes} bytes")
    return (shape[0], shape[1]), num_edges, first, sections


def _sections(described: Any, num_bytes: int) -> tuple[list[_Section], int]:
    """Sections from the header, and where the last one ends. They lie one after the other, so none overlap."""
    if not isinstance(described, list):
        raise ValueError("sections are no array")
    sections: list[_Section] = []
    seen = set()
    end = 0
    for item in described:
        if not isinstance(item, dict) or not all(isinstance(item[key], str) for key in ("kind", "dtype", "crc32")):
            raise ValueError("a section is no object with texts for kind, dtype and crc32")
        kind, dtype, name = item["kind"], item["dtype"], item.get("name", "")
        start, size = _integer(item["start"], 0, num_bytes), _integer(item["bytes"], 0, num_bytes)
        if start != _aligned(end):
            raise ValueError(f"section {kind!r} starts at {start}; {_aligned(end)} is next")
        end = start + size
        if end > num_bytes:
            raise ValueError(f"section {kind!r} ends at {end} of {num_bytes} bytes")
        if not re.fullmatch("[0-9a-f]{8}", item["crc32"]):
            raise ValueError(f"section {kind!r} has the checksum {item['crc32']!r}; eight digits are needed")
        checksum = int(item["crc32"], 16)
        if kind not in ("offsets", "targets", "weights", "labels", "vertex_data"):
            if item.get("required", False) is not False:
                raise ValueError(f"section {kind!r} is needed and not known to this gaspipe; a newer one may know it")
            sections.append(_Section(kind, str(len(sections)), "unknown", (), start, size, checksum))
            continue
        if not isinstance(name, str) or (kind != "vertex_data" and name):
            raise ValueError(f"section {kind!r} has the name {name!r}")
        if (kind, name) in seen:
            raise ValueError(f"section {kind!r} {name!r} is there twice")
        seen.add((kind, name))
        if not isinstance(item["shape"], list) or not 1 <= len(item["shape"]) <= 32:
            raise ValueError(f"section {kind!r} has the shape {item['shape']!r}")
        shape = tuple(_integer(extent, 0, 1 << 62) for extent in item["shape"])
        if not (kind == "labels" and dtype == "json"):
            if not _RAW.fullmatch(dtype):
                raise ValueError(f"section {kind!r} has the dtype {dtype!r}")
            if math.prod(shape) * np.dtype(dtype).itemsize != size:
                raise ValueError(f"section {kind!r} of {dtype} and shape {shape} cannot have {size} bytes")
        sections.append(_Section(kind, name, dtype, shape, start, size, checksum))
    return sections, end


def _integer(value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"found {str(value)[:40]} where an integer of {low} to {high} must be")
    return value


def _check_padding(file: BinaryIO, first: int, sections: list[_Section], name: str) -> None:
    """Between header and sections are zeros, so that every bit of the file is known to be right."""
    file.seek(16)
    header_end = int.from_bytes(file.read(8), "little")
    for end in [header_end, *(first + section.start + section.num_bytes for section in sections[:-1])]:
        file.seek(end)
        if any(file.read(_aligned(end) - end)):
            raise GraphFormatError(f"{name}: damaged: the bytes after byte {end} are not zero")


def _labels_to_json(labels: list[Any]) -> bytes:
    if set(map(type, labels)) <= {str, int, float, bool, type(None)}:
        with contextlib.suppress(ValueError):  # NaN, surrogates, thousands of digits
            return json.dumps(labels, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
    values = []
    for v, label in enumerate(labels):
        try:
            values.append(_to_json(label))
        except (TypeError, RecursionError):
            shown = repr(label) if not isinstance(label, tuple) else "of a tuple"
            shown = shown if len(shown) <= 60 else shown[:57] + "..."
            raise InputError(
                f"the label {shown} of vertex {v} is a {_inputs.kind(_culprit(label))}; a file can hold str, int, "
                "float, bool, None and tuples of these"
            ) from None
    return json.dumps(values, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def _culprit(label: Any) -> Any:
    """What in a label cannot be written."""
    for _ in range(100):
        if type(label) is not tuple:
            break
        for part in label:
            try:
                _to_json(part)
            except (TypeError, RecursionError):
                label = part
                break
    return label


def _to_json(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        try:
            value.encode()
        except UnicodeEncodeError:
            return {"str": list(map(ord, value))}
    elif kind is int:
        return {"int": hex(value)} if value.bit_length() > 2048 else value
    elif kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    elif kind is tuple:
        return {"tuple": list(map(_to_json, value))}
    elif kind is not bool and value is not None:
        raise TypeError
    return value


def _labels_from_json(content: Bytes, num_vertices: int, name: str) -> NDArray[Any]:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    try:
        values = json.loads(content.tobytes().decode(), parse_constant=refuse)
        if not isinstance(values, list) or len(values) != num_vertices:
            raise ValueError(f"found no array of {num_vertices} values")
        if not set(map(type, values)) <= {str, int, float, bool, type(None)}:
            values = [_from_json(value) for value in values]
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise GraphFormatError(f"{name}: its labels are wrong: {error}") from error
    labels = np.empty(num_vertices, object)
    for v, label in enumerate(values):  # all at once, NumPy would look into tuples
        labels[v] = label
    return labels


def _from_json(value: Any) -> Any:
    if not isinstance(value, (dict, list)):
        return value
    if isinstance(value, dict) and len(value) == 1:
        ((kind, of),) = value.items()
        if kind == "tuple" and isinstance(of, list):
            return tuple(map(_from_json, of))
        if kind == "float" and of in ("nan", "inf", "-inf"):
            return float(of)
        if kind == "int" and isinstance(of, str):
            return int(of, 16)
        if kind == "str" and isinstance(of, list):
            return "".join(map(chr, of))
    raise ValueError(f"a label is {str(value)[:40]}")
