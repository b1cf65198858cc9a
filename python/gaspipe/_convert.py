# SPDX-License-Identifier: Apache-2.0
"""`gp.convert`: any graph into a file whose edges lie in blocks, in the memory that is given."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _formats, _memory, _progress
from ._core import InputError
from ._files import Path, file_name, names_file, open_bytes
from ._threads import thread_count

if TYPE_CHECKING:
    from .graph import GraphLike

    Source = Path | GraphLike

_CHUNK = 1 << 20
_WHOLE = 6  # bytes of memory per byte of a file that is read as a whole, at most


def convert(
    source: Source,
    out: Path,
    *,
    memory: _memory.Memory = "1 GB",
    views: Sequence[str] = ("forward",),
    workers: int | None = None,
    format: str | None = None,
    relabel: bool = False,
    rectangular: bool = False,
    header: bool | None = None,
    dialect: str | None = None,
    directed: bool | None = None,
    columns: Sequence[str] | None = None,
    scratch: Path | None = None,
    num_threads: int | None = None,
    progress: _progress.FileProgress = None,
) -> None:
    """Write a graph with its edges in blocks: the file of runs over graphs that are larger than memory.

    The source may be larger than memory too: edges are sorted in `memory`, and what does not fit waits in a temporary
    file. `Graph.load(out, memory=...)` then runs over the file, `Graph.load(out)` brings it into memory. Its bytes do
    not depend on `memory` or `num_threads`.

    Parameters
    ----------
    source : path, Graph, or all that `Graph` takes
        What to convert. Edge lists, Matrix Market, DIMACS-9, LDBC and gaspipe files, plain or compressed, are read
        piece by piece; files of other formats as a whole, if the memory suffices. A graph's own memory is not counted.
    out : str or path
        File to write, by convention `.gaspipe`. It takes its name when all of it is on disk.
    memory : int or str, default "1 GB"
        Bytes that may be in use at once, besides what Python and its modules take: a number, or a text such as
        "512MB" (powers of 1000) or "2GiB" (of 1024). Each vertex takes 4 bytes of it, and its label; unpacking xz
        takes as much as the file was packed with, which is not counted.
    views : sequence of {"forward", "reverse", "undirected"}, default ("forward",)
        The edges as they are, which is always among them; turned round; in both directions without repetition.
        Algorithms stream the view that they walk.
    workers : int, optional
        Write besides the lists of the vertices, split among so many workers, 1 to 1024: what
        `gp.bfs(graph, method="local_store")` reads of a graph that stays in its file. Another number of workers needs
        other lists, which a file in blocks converts to as well.
    format : str, optional
        Format of the source, as in `Graph.from_file`; by default recognised. So are the options that follow.
    relabel : bool, default False
        For edge lists: number the ids that occur 0..k-1 and keep them as labels; the list is then read as a whole.
    rectangular : bool, default False
        For Matrix Market, npz and gaspipe files: take a matrix that is not square.
    header : bool, optional
        For edge lists: whether the first line is a header `vertices edges`.
    dialect : {"metis", "dimacs10"}, optional
        For METIS files: what a 100 in `fmt` means.
    directed : bool, optional
        For lists and tables of edges False where a row is an edge in both directions; for LDBC files without
        `.properties`: whether edges are directed; for METIS files True where each is listed one way.
    columns : sequence of str, optional
        For CSV and Parquet: names of the columns with source, destination and, as a third, weights.
    scratch : str or path, optional
        Folder for the temporary file, which takes 8 bytes per edge, 16 with weights; by default that of `out`.
    num_threads : int, optional
        Threads to parse and sort with; by default as OpenMP is set, but one per 8 MB of memory at most.
    progress : callable or bool, optional
        True shows a bar (pip install tqdm). A function is called with "reading", the bytes of the source read so far
        and the bytes it has, or None; then with "writing", the edges written so far, and all.

    Raises
    ------
    InputError
        If `memory` does not suffice (the least that does is said), or as `Graph.from_file` does.
    GraphFormatError
        If the source cannot be parsed or is damaged.
    OSError
        If a file cannot be read or written, as on a full disk. Nothing is left behind.

    """
    budget = _memory.num_bytes(memory)
    threads = thread_count(num_threads)
    wanted = _formats.check_views(views)
    list_workers = _checked_workers(workers)
    options = _formats.ReadOptions(relabel, rectangular, header, dialect, directed, columns, threads)
    with _progress.of_files(progress) as told:
        common: dict[str, Any] = {"workers": list_workers, "scratch": scratch, "threads": threads, "progress": told}
        if not isinstance(source, (str, os.PathLike)):
            from .graph import as_graph

            if format is not None or options != _formats.ReadOptions(rectangular=rectangular, threads=threads):
                raise InputError("format= and options of reading are for files; the source is a graph in memory")
            graph = as_graph(source, rectangular=rectangular, num_threads=num_threads)
            vertices = _formats.Vertices(graph.shape, graph.labels, graph.vertex_data)
            return _formats.save_blocks(out, graph._core, vertices, views=wanted, memory=budget, **common)
        with names_file(source):
            kind = _formats.to_read(source, format)
        _formats.check_options(kind, options)
        with names_file(source), _formats.reading(source, kind, format, told):
            if kind.stream is not None and not relabel:
                intake = _formats.Intake(out, budget, scratch, threads, list_workers)
                vertices = kind.stream(source, options._replace(threads=intake.threads), intake)
            else:
                _check_whole(source, kind, budget, relabel)
                read = kind.read(source, options)
        if kind.stream is not None and not relabel:
            return _formats.write_blocks(out, intake, vertices, wanted, told)
        core = read.core
        vertices = _formats.Vertices(core.shape, read.labels, read.vertex_data or {})
        left = max(1, budget - _bytes_of(vertices, core))
        _formats.save_blocks(out, core, vertices, views=wanted, memory=left, **common)


def _checked_workers(workers: int | None) -> int | None:
    """Return for how many workers to write lists."""
    if workers is None:
        return None
    if isinstance(workers, (bool, np.bool_)) or not isinstance(workers, (int, np.integer)):
        raise InputError(f"workers is {workers!r}; an integer is needed, 1 to {_core.MOST_WORKERS}")
    if not 1 <= workers <= _core.MOST_WORKERS:
        raise InputError(f"workers is {workers}; allowed are 1 to {_core.MOST_WORKERS}")
    return int(workers)


def _check_whole(source: Path, kind: _formats.Format, memory: int, relabel: bool) -> None:
    """Refuse to read a file as a whole that the memory may not hold."""
    name = file_name(source)
    size = os.path.getsize(source) if os.path.isfile(source) else 0
    if kind.memory is None and re.search(r"\.(gz|xz|bz2)$", name, re.IGNORECASE):
        with open_bytes(source) as stream:
            size = sum(map(len, iter(lambda: stream.read(_CHUNK), b"")))
    needed = _WHOLE * size if kind.memory is None else kind.memory(source)
    if needed <= memory:
        return
    streamed = ", ".join(repr(each.name) for each in _formats.known().values() if each.stream is not None)
    what = "an edge list with relabel=True" if relabel else f"a file of format {kind.name!r}"
    raise InputError(
        f"{name}: {what} is read as a whole, which may take {_memory.shown(needed)}; memory is "
        f"{_memory.shown(memory)}. Give that much, or a file that is read piece by piece: {streamed}"
        f"{' (without relabel)' if relabel else ''}"
    )


def _bytes_of(vertices: _formats.Vertices, core: _core.Graph) -> int:
    arrays = [core.offsets, core.targets, core.weights, vertices.labels, *vertices.data.values()]
    return sum(array.nbytes for array in arrays if array is not None)
