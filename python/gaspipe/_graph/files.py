# SPDX-License-Identifier: Apache-2.0
"""A graph from and to files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from .. import _progress
from .._core import InputError
from .._files import names_file, watching
from .._flags import flag
from .._memory import Memory, num_bytes
from .._progress import FileProgress
from .._threads import thread_count
from .base import GraphBase

if TYPE_CHECKING:
    from ..graph import Graph


class GraphFiles(GraphBase):
    """Reading, writing, saving and loading."""

    __slots__ = ()

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        relabel: bool = False,
        rectangular: bool = False,
        header: bool | None = None,
        dialect: str | None = None,
        directed: bool | None = None,
        columns: Sequence[str] | None = None,
        num_threads: int | None = None,
        progress: FileProgress = None,
    ) -> Graph:
        """Read a graph from a file, plain or compressed with gzip, xz or bzip2.

        Parameters
        ----------
        path : str or path
            File to read. LDBC: the `.v` or the `.e` file, or their common stem.
        format : str, optional
            By default recognised from name and content.

            - edge_list: SNAP's format, lines of `source destination [weight]`, comments after `#` or `%`.
            - matrix_market (`.mtx`): coordinate format; symmetric matrices are expanded.
            - metis (`.graph`, `.metis`): METIS and DIMACS-10, undirected: both directions become edges, unless
              `directed=True`. Weights and sizes of vertices are in `vertex_data`.
            - dimacs9 (`.gr`): the arcs of the shortest-path challenge.
            - ldbc (`.v` with `.e`): Graphalytics; ids become `labels`, in ascending order. Undirected edges count in
              both directions.
            - npz (`.npz`): what scipy.sparse.save_npz writes.
            - gap (`.sg`, `.wsg`): the GAP benchmark's serialised graphs, with or without weights.
            - csv: columns between commas, tabs, `;` or `|`, with a header or with names for ids; read by pyarrow, as
              `from_table` reads tables. `.csv` files of numbers alone are edge lists.
            - parquet (`.parquet`): likewise.
            - graphml (`.graphml`): names of nodes become `labels`, in their order, and the edges' attribute `weight`
              weights. Undirected edges count in both directions.
            - gaspipe (`.gaspipe`): what `save` writes; a plain file is mapped, as by `load`.
        relabel : bool, default False
            For edge lists, CSV and Parquet: number the ids that occur 0..k-1 and keep them as `labels`. By default ids
            are vertices and there are as many as the header says, or else as the largest id + 1.
        rectangular : bool, default False
            For Matrix Market, npz and gaspipe files: take a matrix that is not square, for `gp.spmv`.
        header : bool, optional
            For edge lists: whether the first line, comments aside, is a header `vertices edges`. By default it is one
            exactly if that many edge lines follow and all their ids are below the number of vertices. For CSV: whether
            the first row names the columns; by default told by the names, or by the types of the second row.
        dialect : {"metis", "dimacs10"}, optional
            For METIS files: what a 100 in their `fmt` means, sizes of vertices or (DIMACS-10) loops and parallel edges
            and a header that counts entries. By default the number of entries decides where `fmt` is 100, and "metis"
            where it is 101, 110 or 111.
        directed : bool, optional
            For edge lists, CSV, Parquet and DIMACS-9 False says that a row is an edge in both directions; self-loops
            count once. For LDBC files without a `.properties` file that says so. For METIS files True says that each
            edge is listed one way, by its source, and that the header counts these (as GAP's `.graph` files do).
            GraphML and GAP's `.sg` files say it themselves, and have to agree. Other files hold edges as they are; use
            `symmetrize`.
        columns : sequence of str, optional
            For CSV and Parquet: names of the columns with source, destination and, as a third, weights. By default as
            `from_table` finds them. Without a header columns are called f0, f1, ...
        num_threads : int, optional
            Threads to parse and build with.
        progress : callable or bool, optional
            True shows a bar (pip install tqdm). A function is called with "reading", the bytes of the file read so far,
            and the bytes it has or None.

        Raises
        ------
        GraphFormatError
            If the file cannot be parsed; names file and line.
        InputError
            If the matrix is not square, ids are so sparse that `relabel=True` must be meant, or an option is not for
            this format.
        OSError
            If the file cannot be read.

        """
        from .. import _formats

        threads = thread_count(num_threads)
        options = _formats.ReadOptions(relabel, rectangular, header, dialect, directed, columns, threads)
        with names_file(path), _progress.of_files(progress) as told:
            return cls._made(*_formats.read(path, format, options, told))

    @classmethod
    def from_edge_list_file(
        cls,
        path: str | os.PathLike[str],
        *,
        relabel: bool = False,
        header: bool | None = None,
        directed: bool | None = None,
        num_threads: int | None = None,
        progress: FileProgress = None,
    ) -> Graph:
        """Read an edge list whatever the file is called: `from_file` with `format="edge_list"`, also fromEdgeListFile.

        Parameters
        ----------
        path : str or path
            File to read, plain or compressed.
        relabel : bool, default False
            Number the ids that occur 0..k-1 and keep them as `labels`.
        header : bool, optional
            Whether the first line, comments aside, is `vertices edges`; by default if the lines that follow agree.
        directed : bool, optional
            False: a line is an edge in both directions; self-loops count once.
        num_threads : int, optional
            Threads to parse and build with.
        progress : callable or bool, optional
            As in `from_file`.

        """
        return cls.from_file(
            path,
            format="edge_list",
            relabel=relabel,
            header=header,
            directed=directed,
            num_threads=num_threads,
            progress=progress,
        )

    @classmethod
    def from_dimacs_file(
        cls,
        path: str | os.PathLike[str],
        *,
        dialect: str | None = None,
        directed: bool | None = None,
        num_threads: int | None = None,
        progress: FileProgress = None,
    ) -> Graph:
        """Read a DIMACS-10 or METIS file: `from_file` with `format="metis"`, also fromDimacsFile.

        For the `.gr` files of the 9th DIMACS challenge use `from_file`.

        Parameters
        ----------
        path : str or path
            File to read, plain or compressed.
        dialect : {"metis", "dimacs10"}, optional
            What a 100 in `fmt` means, as in `from_file`.
        directed : bool, optional
            True: each edge is listed one way, as in `from_file`.
        num_threads : int, optional
            Threads to parse and build with.
        progress : callable or bool, optional
            As in `from_file`.

        """
        return cls.from_file(
            path, format="metis", dialect=dialect, directed=directed, num_threads=num_threads, progress=progress
        )

    def to_file(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        header: bool | None = None,
        labels: bool = False,
        dialect: str | None = None,
        num_threads: int | None = None,
        progress: FileProgress = None,
    ) -> None:
        """Write the graph to a file, which `from_file` reads back as the same graph.

        Same means: as many vertices, the same edges in the same order in their rows, weights of equal value. Their
        type is the one that reading the format gives. The file appears when it is whole: after an error or Ctrl-C
        there is what was there before.

        Parameters
        ----------
        path : str or path
            File to write. If it ends in `.gz`, `.xz` or `.bz2` it is compressed. A link is followed; a pipe or
            `/dev/stdout` is written to as it is.
        format : {"edge_list", "matrix_market", "metis", "dimacs9", "npz", "gaspipe"}, optional
            By default as the name ends.

            - edge_list (`.txt`, `.el`, `.wel`, `.edges`, `.edgelist`, `.tsv` with tabs, `.csv` with commas): lines of
              `source destination [weight]`. Integer weights come back as int32 if all fit, else int64; others as
              float64.
            - matrix_market (`.mtx`): a general matrix of pattern, integer or real. Integers come back as int64, others
              as float64.
            - metis (`.graph`, `.metis`): undirected graphs with weights that are integers from 1, read as int32 if all
              fit, else int64; with `vertex_data["weights"]` and `["sizes"]` where the graph has them.
            - dimacs9 (`.gr`): graphs with weights, which come back as from an edge list. Those who defined the format
              take integers only.
            - npz (`.npz`): as scipy.sparse.save_npz writes a csr_array, of bools if there are no weights. Weights keep
              their type.
            - gaspipe (`.gaspipe`): all there is, labels and vertex data too, as `save` writes it.
        header : bool, optional
            For edge lists: start with a line `vertices edges`. By default there is one, unless `labels`. A file
            without one does not tell of vertices above the largest id, and is read for certain with `header=False`.
        labels : bool, default False
            For edge lists: write the labels, integers from 0, for the ids; to be read with `relabel=True`, which
            numbers vertices by ascending label. Vertices without edges are then not in the file. By default, and in
            all other formats but gaspipe, labels are left out.
        dialect : {"metis", "dimacs10"}, default "metis"
            For METIS files: "dimacs10" allows loops and parallel edges, as its `fmt` 100. Where edges or vertices have
            weights too, reading needs `dialect="dimacs10"` again.
        num_threads : int, optional
            Threads to format text with.
        progress : callable or bool, optional
            progress("saving", done, total), bytes before they are compressed, after every few megabytes; the total is
            None where it is not known before. True shows a bar (pip install tqdm).

        Raises
        ------
        InputError
            If the name does not say a format that can be written, an option is not for this format, or the format
            cannot say what the graph is: METIS for an edge without one back (use `symmetrize`), DIMACS-9 without
            weights, edge lists with labels that are no integers, a matrix that is rectangular or 0 x 0 in all but
            matrix_market, npz and gaspipe.
        OSError
            If the file cannot be written.

        Notes
        -----
        Edge lists and DIMACS-9 do not tell a graph of no edges with weights from one without. `from_file` refuses them,
        and Matrix Market, if they have over 2**24 vertices and less than an edge for 64 of them.

        """
        from .. import _formats

        options = _formats.WriteOptions(header, labels, dialect, thread_count(num_threads))
        with _progress.of_files(progress) as told:
            _formats.write(cast("Graph", self), path, format, options, told)

    # The names that Olive gives them.
    fromEdgeListFile = from_edge_list_file
    fromDimacsFile = from_dimacs_file

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        blocks: bool = False,
        views: Sequence[str] = ("forward",),
        num_threads: int | None = None,
        progress: FileProgress = None,
    ) -> None:
        """Write the graph to a file that `load` maps into memory: by convention `.gaspipe`.

        The file holds offsets, destinations, weights, labels and vertex data with checksums, and the form that
        `prepare` made if it was called, in a format that is documented byte by byte in `gaspipe._formats.gaspipe`. It
        takes its name when all of it is on disk; until then, and after any error, whatever had that name stays as it
        was. A graph that is mapped from a file can be saved over it: the new file is another one.

        Parameters
        ----------
        path : str or path
            File to write.
        blocks : bool, default False
            Write the edges in blocks, as runs over graphs that are larger than memory read them; `load` then makes
            rows of them, each by ascending destination. It takes up to 1 GB besides the graph; `gp.convert` writes
            such files with other budgets, and from files that are larger than memory.
        views : sequence of {"forward", "reverse", "undirected"}, default ("forward",)
            For blocks: the edges as they are, which is always among them; turned round; in both directions without
            repetition. Algorithms stream the view that they walk.
        num_threads : int, optional
            Threads to compute checksums, and to sort edges with.
        progress : callable or bool, optional
            progress("saving", done, total), in bytes, after every few megabytes; of blocks progress("writing", done,
            total), in edges. True shows a bar (pip install tqdm).

        Raises
        ------
        InputError
            If a label is none of str, int, float, bool, None and tuples of these, nor of a NumPy array of numbers,
            times or strings; if `views` are given without `blocks`.
        OSError
            If the file cannot be written.

        """
        from .. import _formats

        threads = thread_count(num_threads)
        if not isinstance(blocks, bool):
            raise InputError(f"blocks is {blocks!r}; a bool is needed, and views= says which edges are written")
        if not blocks:
            if not isinstance(views, (list, tuple)) or tuple(views) != ("forward",):
                raise InputError("views= is for blocks=True; a file of rows has the edges as they are")
            with _progress.of_files(progress) as told:
                return _formats.save(path, self._core, self._labels, self._vertex_data, threads, told)
        vertices = _formats.Vertices(self.shape, self._labels, self._vertex_data)
        with _progress.of_files(progress) as told:
            _formats.save_blocks(path, self._core, vertices, views=views, memory=10**9, threads=threads, progress=told)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        memory: Memory | None = None,
        mmap: bool = True,
        verify: bool = True,
        num_threads: int | None = None,
        progress: FileProgress = None,
    ) -> Graph:
        """Load what `save` or `gp.convert` wrote.

        Parameters
        ----------
        path : str or path
            File to load. One that is compressed with gzip, xz or bzip2 takes memory, and so does one whose edges lie
            in blocks, without `memory`.
        memory : int or str, optional
            For a file whose edges lie in blocks: leave them there, and keep the process to this many bytes ("2 GB",
            "512 MiB") in all, its own and Python's included. Every algorithm of hooks runs so on the CPU, built-in or
            not: vertices are in memory, edges are read ahead of use, and blocks without active sources are passed over.
            Integers are the same as in memory, floats to rounding. The file may be replaced or removed meanwhile; where
            it is written to, runs say so. A run that needs more refuses to begin and says how much it needs.
            `gp.bfs(graph, method="local_store")` reads the lists that `gp.convert(..., workers=8)` writes, and has its
            queues in a temporary file, of 4 or 8 bytes per vertex, beside that file; where nothing can be written
            there, in the folder for temporary files (TMPDIR).
        mmap : bool, default True
            The graph's arrays are the file's pages, which the system reads when they are needed and shares between
            processes; it takes no other memory. The file may be replaced (as `save` does) or removed meanwhile. It
            must not be written to or truncated in place: answers would be undefined, and access beyond its end kills
            the process (SIGBUS), as does a disk that fails. False: the graph has its own memory.
        verify : bool, default True
            Check all checksums, which reads the whole file once; those of lists by owner are checked when a search
            reads them. False: only those of the header and of labels that are Python objects; that offsets and
            destinations are in range is checked all the same.
        num_threads : int, optional
            Threads to check with.
        progress : callable or bool, optional
            progress("reading", done, total), in bytes, while they are read or checked; nothing is told of edges that
            stay in the file. True shows a bar (pip install tqdm).

        Raises
        ------
        GraphFormatError
            If the file is damaged, or in a newer version of the format.
        InputError
            If `memory` is no number of bytes, or is given where the edges do not lie in blocks or a matrix is 0 x 0.
        OSError
            If the file cannot be read.

        """
        from .. import _formats

        flag("mmap", mmap)
        flag("verify", verify)
        if memory is not None:
            budget = num_bytes(memory)
            with names_file(path):
                streamed = _formats.open_streamed(path, budget, thread_count(num_threads))
            graph = cls._made(*streamed.reading)
            graph._streamed = streamed
            return graph
        size = os.path.getsize(path) if os.path.isfile(path) else None
        with names_file(path), _progress.of_files(progress) as told, watching(told, size):
            saved = _formats.load(path, mmap=mmap, verify=verify, threads=thread_count(num_threads))
        return cls._made(*saved)
