# SPDX-License-Identifier: Apache-2.0
"""An answer to files, every rank its part; whole or not at all."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import secrets
import shutil
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, cast

import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .._files import file_name
from ._collective import bytes_of, exchange, view_of
from ._pieces import part_of

if TYPE_CHECKING:
    from ._graph import DistributedGraph


def to_npy(graph: DistributedGraph, values: NDArray[Any], path: str) -> None:
    """Write one file, in which every rank writes a range."""
    world, n = graph.world, graph.num_vertices
    with world.step():
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            cast(BinaryIO, header), {"descr": values.dtype.str, "fortran_order": False, "shape": (n,)}
        )
        start = header.tell()
        name = _temporary(graph, path)

        def create() -> None:
            if os.path.isdir(path):
                raise IsADirectoryError(21, "Is a directory", path)
            with open(name, "xb") as file:
                file.write(header.getvalue())
                file.truncate(start + n * values.itemsize)

        def write(first: int, part: NDArray[Any]) -> None:
            with open(name, "r+b") as file:
                _write_at(
                    file.fileno(),
                    view_of(part),
                    start + first * part.itemsize,
                )
                os.fsync(file.fileno())

        with _undone(lambda: os.unlink(name), graph):
            _on_rank_0(graph, create, path)
            first, part = _range_of(graph, values)
            _on_all(graph, lambda: write(first, part))
            _on_rank_0(graph, lambda: os.replace(name, path), path)


def to_parquet(graph: DistributedGraph, field: str, values: NDArray[Any], path: str) -> None:
    """Write a folder with a file of each rank, in the order of vertices."""
    world = graph.world
    with world.step():
        name = _temporary(graph, path.rstrip("/"))

        def create() -> None:
            if os.path.lexists(path):
                raise InputError(f"{file_name(path)} is there already; give a new name for the folder")
            os.mkdir(name)

        def write(first: int, part: NDArray[Any]) -> None:
            arrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
            vertices = np.arange(first, first + len(part), dtype=np.int64)
            parquet.write_table(arrow.table({"vertex": vertices, field: part}), f"{name}/part-{world.rank:05d}.parquet")

        with _undone(lambda: shutil.rmtree(name), graph):
            _on_all(graph, lambda: _pyarrow("pyarrow.parquet"))
            _on_rank_0(graph, create, path)
            first, part = _range_of(graph, values)
            _on_all(graph, lambda: write(first, part))
            _on_rank_0(graph, lambda: os.rename(name, path), path)


def _temporary(graph: DistributedGraph, path: str) -> str:
    token = bytes_of(graph.world.communicator, 0, secrets.token_hex(8).encode()).decode()
    return os.path.join(os.path.dirname(path), f".gaspipe-{token}.tmp")


def _on_rank_0(graph: DistributedGraph, do: Callable[[], Any], path: str) -> None:
    problem = None
    if graph.world.rank == 0:
        try:
            do()
        except Exception as error:
            problem = error
    graph.world.agree({"name of the file": path}, problem)


def _on_all(graph: DistributedGraph, do: Callable[[], Any]) -> None:
    problem = None
    try:
        do()
    except Exception as error:
        problem = error
    graph.world.agree({}, problem)


@contextlib.contextmanager
def _undone(undo: Callable[[], Any], graph: DistributedGraph) -> Any:
    try:
        yield
    except BaseException:
        if graph.world.rank == 0:
            with contextlib.suppress(OSError):
                undo()
        raise


def _range_of(graph: DistributedGraph, values: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Values of a range of vertices: this rank's own, or where these are no range, its share."""
    first = graph.first_own_id
    if first is not None:
        return first, np.ascontiguousarray(values)
    world, n, ids = graph.world, graph.num_vertices, graph.own_ids
    own = part_of(n, world.rank, world.size)
    bounds = np.searchsorted(ids, [part_of(n, rank, world.size).first for rank in range(world.size)] + [n])
    cuts = list(zip(bounds[:-1].tolist(), bounds[1:].tolist()))
    of_ids = [
        bytes(box) for box in exchange(world.communicator, [view_of(np.ascontiguousarray(ids[a:b])) for a, b in cuts])
    ]
    of_values = exchange(world.communicator, [view_of(np.ascontiguousarray(values[a:b])) for a, b in cuts])
    part = np.empty(own.last - own.first, values.dtype)
    for some_ids, some_values in zip(of_ids, of_values):
        part[np.frombuffer(some_ids, np.uint32) - np.uint32(own.first)] = np.frombuffer(some_values, values.dtype)
    return own.first, part


def _write_at(descriptor: int, data: memoryview, offset: int) -> None:
    while data:
        written = os.pwrite(descriptor, data[: 1 << 30], offset)
        data, offset = data[written:], offset + written


def _pyarrow(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from None
