# SPDX-License-Identifier: Apache-2.0
"""Bytes of .gaspipe files, written from the documentation alone, and graphs to compare with."""

import json
import struct
import zlib

import numpy as np
import pytest

import gaspipe as gp

MAGIC = b"\x89GSP\r\n\x1a\n"


def assert_same(one, other):
    assert one.shape == other.shape
    for part in ("indptr", "indices", "weights", "labels"):
        a, b = getattr(one, part), getattr(other, part)
        assert (a is None) == (b is None), part
        assert a is None or (a.dtype == b.dtype and a.shape == b.shape), part
        assert a is None or a.dtype == object or a.tobytes() == b.tobytes(), part
    if one.labels is not None and one.labels.dtype == object:
        assert list(map(typed, one.labels)) == list(map(typed, other.labels))
    assert list(one.vertex_data) == list(other.vertex_data)
    for name, values in one.vertex_data.items():
        assert values.dtype == other.vertex_data[name].dtype
        assert values.shape == other.vertex_data[name].shape
        assert values.tobytes() == other.vertex_data[name].tobytes()


def typed(label):
    """A label so that True, 1 and 1.0, 0.0 and -0.0, and nan compare as they should."""
    if isinstance(label, tuple):
        return (tuple, *map(typed, label))
    return (type(label), repr(label))


def labelled(labels):
    """A path with such labels."""
    n = len(labels)
    graph = gp.Graph((range(n - 1), range(1, n)), num_vertices=n)
    if not isinstance(labels, np.ndarray):
        array = np.empty(n, object)
        for v, label in enumerate(labels):
            array[v] = label
        labels = array
    graph._labels = labels
    return graph


def refusal(path, error=gp.GraphFormatError, **options):
    with pytest.raises(error) as caught:
        gp.Graph.load(path, **options)
    return str(caught.value)


def encode(header, sections=b"", *, magic=MAGIC, major=1, minor=0, header_bytes=None, file_bytes=None, checksum=None):
    """A file from the documentation alone: struct, json and zlib."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = 32 + len(text)
    padding = bytes(-size % 64)
    end = size + len(padding) + len(sections)

    def prefix(crc):
        return struct.pack(
            "<8sHHIQQ",
            magic,
            major,
            minor,
            crc,
            size if header_bytes is None else header_bytes,
            end if file_bytes is None else file_bytes,
        )

    crc = zlib.crc32(prefix(0) + text) if checksum is None else checksum
    return prefix(crc) + text + padding + sections


def section_of(kind, content, dtype, shape, start, **more):
    blocks = [content[i : i + (4 << 20)] for i in range(0, len(content), 4 << 20)]
    checksum = zlib.crc32(b"".join(struct.pack("<I", zlib.crc32(block)) for block in blocks))
    return {
        "kind": kind,
        "dtype": dtype,
        "shape": shape,
        "start": start,
        "bytes": len(content),
        "crc32": f"{checksum:08x}",
        **more,
    }


def small(**changes):
    """The header and sections of 0 -> 1, 0 -> 2, 2 -> 0, with changes to the header's sections by kind."""
    offsets, targets = struct.pack("<4I", 0, 2, 2, 3), struct.pack("<3I", 1, 2, 0)
    sections = [
        section_of("offsets", offsets, "<u4", [4], 0),
        section_of("targets", targets, "<u4", [3], 64),
    ]
    for section in sections:
        section.update(changes.get(section["kind"], {}))
    header = {"rows": 3, "columns": 3, "edges": 3, "sections": sections, **changes.get("header", {})}
    return header, offsets.ljust(64, b"\0") + targets
