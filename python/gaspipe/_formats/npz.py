# SPDX-License-Identifier: Apache-2.0
"""SciPy's sparse matrices in `.npz`, read and written with NumPy alone."""

from __future__ import annotations

import math
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Callable, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core, _inputs
from .._core import Error, GraphFormatError, InputError
from .._files import Path, file_name, open_bytes, sized
from ._arrays import (
    MANY_VERTICES,
    MANY_VERTICES_PER_EDGE,
    MOST_VERTICES,
    check_graph,
    graph_from_edges,
    graph_from_rows,
)
from ._record import Fill, Format, Reading, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from ..graph import Graph


def read(path: Path, options: ReadOptions) -> Reading:
    """SciPy's sparse matrices, whatever their layout, as scipy.sparse.save_npz writes them."""
    import errno
    import struct
    import tokenize
    import zipfile
    import zlib

    name = file_name(path)
    try:
        with open_bytes(path) as stream, sized(stream, _check_zip) as (file, num_bytes):
            arrays = _npz_arrays(file, num_bytes)
        layout = arrays["format"].item()
        layout = layout.decode("ascii") if isinstance(layout, bytes) else str(layout)
        if arrays["shape"].shape != (2,):
            raise ValueError(f"its shape is {arrays['shape'].tolist()}; a matrix has rows and columns")
        rows, columns = (int(size) for size in arrays["shape"])
        if min(rows, columns) < 0 or max(rows, columns) > MOST_VERTICES:
            raise ValueError(f"found {rows} x {columns}; at most {MOST_VERTICES} rows and columns")
    except (
        ArithmeticError, EOFError, KeyError, NotImplementedError, OSError, RuntimeError, SyntaxError, TypeError,
        ValueError, struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error,
    ) as error:  # fmt: skip
        # A directory of the archive that points before the file's start ends in a seek that the system refuses.
        if isinstance(error, Error) or (isinstance(error, OSError) and error.errno != errno.EINVAL):
            raise
        what = f"there is no array {error}" if isinstance(error, KeyError) else error
        raise GraphFormatError(f"{name}: not as scipy.sparse.save_npz writes it: {what}") from error
    if not options.rectangular:
        check_graph((rows, columns), name)
    try:
        return Reading(_from_scipy(layout, arrays, rows, columns, options.threads))
    except KeyError as error:
        raise GraphFormatError(f"{name}: there is no array {error}, which a matrix in {layout} needs") from error
    except (InputError, ValueError, TypeError, IndexError) as error:
        raise GraphFormatError(f"{name}: {error}") from error


def memory(path: Path) -> int:
    """Bytes that reading takes at most; 0 for what is no archive, which reading refuses."""
    import zipfile

    try:
        with open_bytes(path) as stream, sized(stream, _check_zip) as (file, _), zipfile.ZipFile(file) as archive:
            return 5 * sum(info.file_size for info in archive.infolist())
    except (ValueError, zipfile.BadZipFile):
        return 0


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
    n = max(num_rows, num_columns, 1)
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


class _OneWay:
    """A file that cannot be sought, as a packed one cannot; zipfile then writes sizes behind the data."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()


def write(graph: Graph, options: WriteOptions, suffix: str) -> Fill:
    """The arrays of a csr_array as scipy.sparse.save_npz names them; a graph without weights is a matrix of bools."""
    rows, columns = graph.shape
    indptr, indices, weights = graph.indptr[: rows + 1], graph.indices, graph.weights
    # SciPy's indices are signed, and all of one type.
    index: Any = np.int32 if max(rows, columns, graph.num_edges) < 2**31 else np.int64

    def signed(ids: NDArray[Any]) -> NDArray[Any]:
        return ids.view(index) if ids.itemsize == np.dtype(index).itemsize else ids.astype(index)

    arrays: dict[str, Callable[[], NDArray[Any]]] = {
        "indices": lambda: signed(indices),
        "indptr": lambda: signed(indptr),
        "format": lambda: np.array(b"csr"),
        "shape": lambda: np.array([rows, columns], np.int64),
        "data": lambda: np.ones(graph.num_edges, bool) if weights is None else weights,
        "_is_array": lambda: np.array(True),
    }

    def fill(file: IO[bytes]) -> None:
        import zipfile

        # Level 1 takes a seventh of the time of zlib's usual 6 for 4 % more bytes (Kronecker 16 with weights).
        with zipfile.ZipFile(cast("IO[bytes]", _OneWay(file)), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, make in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, make(), allow_pickle=False)

    return fill


FORMAT = Format(
    name="npz",
    suffixes=("npz",),
    read=read,
    memory=memory,
    write=write,
    sniff=lambda start: start.startswith(b"PK\x03\x04"),
    holds_rectangular=True,
    help=".npz",
    place=60,
)
