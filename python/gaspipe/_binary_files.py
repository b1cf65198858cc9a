# SPDX-License-Identifier: Apache-2.0
"""Binary graph files: SciPy's `.npz` and GAP's `.sg` and `.wsg`, read with NumPy alone."""

from __future__ import annotations

import math
import re
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from . import _core, _inputs
from ._core import Error, GraphFormatError, InputError
from ._reading import (
    MANY_VERTICES,
    MANY_VERTICES_PER_EDGE,
    MOST_VERTICES,
    Options,
    Path,
    Reading,
    file_name,
    graph_from_edges,
    graph_from_rows,
    open_bytes,
    sized,
)


def read_npz(path: Path, options: Options) -> Reading:
    """SciPy's sparse matrices, whatever their layout, as scipy.sparse.save_npz writes them."""
    import errno
    import struct
    import zipfile
    import zlib

    name = file_name(path)
    try:
        with open_bytes(path) as stream, sized(stream, _check_zip) as (file, num_bytes):
            arrays = _npz_arrays(file, num_bytes)
        layout = arrays["format"].item()
        layout = layout.decode("ascii") if isinstance(layout, bytes) else str(layout)
        rows, columns = (int(size) for size in arrays["shape"])
        if min(rows, columns) < 0 or max(rows, columns) > MOST_VERTICES:
            raise ValueError(f"found {rows} x {columns}; at most {MOST_VERTICES} rows and columns")
    except (
        ArithmeticError, EOFError, KeyError, NotImplementedError, OSError, RuntimeError, SyntaxError, TypeError,
        ValueError, struct.error, zipfile.BadZipFile, zlib.error,
    ) as error:  # fmt: skip
        # A directory of the archive that points before the file's start ends in a seek that the system refuses.
        if isinstance(error, Error) or (isinstance(error, OSError) and error.errno != errno.EINVAL):
            raise
        what = f"there is no array {error}" if isinstance(error, KeyError) else error
        raise GraphFormatError(f"{name}: not as scipy.sparse.save_npz writes it: {what}") from error
    if not options.rectangular:
        _inputs.check_square((rows, columns), name)
    try:
        return Reading(_from_scipy(layout, arrays, rows, columns, options.threads))
    except KeyError as error:
        raise GraphFormatError(f"{name}: there is no array {error}, which a matrix in {layout} needs") from error
    except (InputError, ValueError, TypeError, IndexError) as error:
        raise GraphFormatError(f"{name}: {error}") from error


def read_gap(path: Path, options: Options) -> Reading:
    """GAP's serialised graphs: bool directed; int64 edges, vertices; int64 offsets; int32 targets or, in .wsg, pairs.

    Directed ones hold the in-edges after that in the same way, which are not read: they follow from the others.
    """
    name = file_name(path)
    suffix = re.search(r"\.(w?sg)(\.(gz|xz|bz2))?$", name, re.IGNORECASE)
    widths = (4, 8) if suffix is None else (4,) if suffix[1].lower() == "sg" else (8,)

    def header(start: bytes) -> tuple[int, int, dict[int, int]]:
        """Vertices, edges, and bytes of the file by those of an edge."""
        if len(start) < 17 or start[0] > 1:
            found = f"{len(start)} bytes" if len(start) < 17 else f"{start[0]} as its first byte"
            raise GraphFormatError(f"{name}: found {found}; allowed is a header of 17 bytes that starts with 0 or 1")
        num_edges, n = (int(count) for count in np.frombuffer(start[1:17], "<i8"))
        if not 1 <= n <= 1 << 31 or num_edges < 0:
            raise GraphFormatError(
                f"{name}: found {n} vertices and {num_edges} edges; allowed are 1 to {1 << 31} and at least 0"
            )
        sides = 1 + start[0]
        return n, num_edges, {width: 17 + sides * (8 * (n + 1) + width * num_edges) for width in widths}

    with open_bytes(path) as stream, sized(stream, lambda start: max(header(start)[2].values())) as (file, num_bytes):
        n, num_edges, sizes = header(file.read(17))
        width = next((width for width, size in sizes.items() if size == num_bytes), None)
        if width is None:
            raise GraphFormatError(
                f"{name}: found {num_bytes} bytes; {n} vertices and {num_edges} edges take "
                f"{' or '.join(map(str, sizes.values()))}"
            )
        offsets = np.frombuffer(file.read(8 * (n + 1)), "<i8")
        entries = np.frombuffer(file.read(width * num_edges), "<i4")
    targets, weights = (entries, None) if width == 4 else (entries[0::2], entries[1::2])
    try:
        return Reading(graph_from_rows(offsets, targets, weights, n, options.threads))
    except InputError as error:
        raise GraphFormatError(f"{name}: {error}") from error


def _check_zip(start: bytes) -> None:
    if not start.startswith((b"PK\x03\x04", b"PK\x05\x06")):  # the second is an empty one's
        raise ValueError(f"it starts with {start[:4]!r} instead of b'PK', so it is not a zip file")


def _npz_arrays(file: BinaryIO, num_bytes: int) -> dict[str, NDArray[Any]]:
    """The arrays of a sparse matrix; their declared sizes are checked before memory is taken."""
    import zipfile

    arrays: dict[str, NDArray[Any]] = {}
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            name, _, suffix = info.filename.rpartition(".")
            if suffix != "npy" or name not in _SPARSE_ARRAYS:
                continue
            # Deflate packs at most 1032 bytes into one.
            if info.compress_size > num_bytes or info.file_size > 1032 * info.compress_size + 1024:
                raise ValueError(f"{name} of {info.file_size} bytes cannot be in a file of {num_bytes}")
            with archive.open(info) as member:
                version = np.lib.format.read_magic(member)
                read_header = {
                    (1, 0): np.lib.format.read_array_header_1_0,
                    (2, 0): np.lib.format.read_array_header_2_0,
                }.get(version)
                if read_header is None:
                    raise ValueError(f"{name} has version {version} of the npy format; allowed are 1.0 and 2.0")
                shape, is_fortran, dtype = read_header(member)
                if dtype.kind not in "biufcSU" or min(shape, default=0) < 0:
                    raise ValueError(f"{name} has dtype {dtype}, shape {shape}; allowed are arrays of numbers")
                size = math.prod(shape) * dtype.itemsize
                if size != info.file_size - member.tell():
                    raise ValueError(f"{name} of shape {shape} takes {size} bytes, not {info.file_size} with header")
                values = np.frombuffer(member.read(), dtype)
            arrays[name] = values.reshape(shape, order="F" if is_fortran else "C")
    return arrays


_SPARSE_ARRAYS = ("format", "shape", "data", "indices", "indptr", "row", "col", "coords", "offsets")


def _from_scipy(
    layout: str, arrays: dict[str, NDArray[Any]], num_rows: int, num_columns: int, threads: int
) -> _core.Graph:
    data = arrays["data"]
    n = max(num_rows, num_columns)
    if layout == "csr":
        offsets = _inputs.padded(arrays["indptr"], num_rows, n)
        return graph_from_rows(offsets, arrays["indices"], data, n, threads).as_matrix(num_rows, num_columns, threads)
    if layout == "csc":  # the rows of its arrays are columns
        offsets = _inputs.padded(arrays["indptr"], num_columns, n)
        core = graph_from_rows(offsets, arrays["indices"], data, n, threads)
        return core.as_matrix(num_columns, num_rows, threads).transpose(threads)
    if layout == "coo":
        rows, columns = arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"])
    elif layout == "bsr":
        starts, blocks = arrays["indptr"].astype(np.int64), arrays["indices"].astype(np.int64)
        lengths = np.diff(starts)
        if data.ndim != 3 or len(data) != len(blocks) or (lengths < 0).any() or lengths.sum() != len(blocks):
            raise InputError(f"data of shape {data.shape} are not the blocks of {len(blocks)} indices")
        _, height, width = data.shape
        tops = height * np.repeat(np.arange(len(lengths)), lengths)
        rows = np.broadcast_to(tops[:, None, None] + np.arange(height)[:, None], data.shape).ravel()
        columns = np.broadcast_to(width * blocks[:, None, None] + np.arange(width), data.shape).ravel()
        data = data.ravel()
    elif layout == "dia":
        if data.ndim != 2 or arrays["offsets"].shape != (len(data),):
            raise InputError(f"data of shape {data.shape} are not the diagonals of {arrays['offsets'].shape} offsets")
        diagonals, columns = np.nonzero(data)
        rows = columns - arrays["offsets"].astype(np.int64)[diagonals]
        inside = (rows >= 0) & (rows < num_rows) & (columns < num_columns)
        diagonals, rows, columns = diagonals[inside], rows[inside], columns[inside]
        data = data[diagonals, columns]
    else:
        raise InputError(f"found a matrix in {layout!r}; allowed are 'csr', 'csc', 'coo', 'bsr' and 'dia'")
    if n > max(MANY_VERTICES, MANY_VERTICES_PER_EDGE * (len(data) + 1)):
        raise InputError(
            f"a matrix of {num_rows} x {num_columns} for {len(data)} entries; if that is meant, pass it to "
            "gaspipe.Graph"
        )
    if not len(rows) == len(columns) == len(data):
        raise InputError(f"found {len(rows)} rows, {len(columns)} columns and {len(data)} data; they must be equal")
    return graph_from_edges(rows, columns, data, n, threads).as_matrix(num_rows, num_columns, threads)
