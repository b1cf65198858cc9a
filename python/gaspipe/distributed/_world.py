# SPDX-License-Identifier: Apache-2.0
"""A rank among the others, and the graphs that they make together."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core, _inputs, _progress
from .._core import InputError
from .._domains import Strategy, name_of, owners_by
from .._files import Path
from .._flags import check_flags
from .._progress import FileProgress, OfPhases
from .._threads import thread_count
from ._collective import bytes_of_all, disagreement, words_of_all
from ._generate import WorldGenerate
from ._graph import DistributedGraph
from ._pieces import Piece, Pieces, add_all, fault_of
from ._reading import read_pieces
from ._registry import Communicator
from ._table import piece_of_table
from ._watch import Watch


class World:
    """This rank, and what all ranks do together.

    Every method is called by all ranks, in the same order. Where their arguments differ, all get an InputError; where a
    rank cannot go on, the others get a RankError that names it.

    Attributes
    ----------
    communicator : Communicator
        How this rank reaches the others.
    num_threads : int
        Threads of this rank.
    generate : WorldGenerate
        Graphs from a recipe, of which every rank makes a part: `world.generate.kronecker(scale=22)`.
    has_failed : bool
        Whether a rank has been lost, or stopped in the middle of a step: nothing more can be done.

    """

    def __init__(self, communicator: Communicator, num_threads: int | None = None, watch: Watch | None = None) -> None:
        self.communicator = communicator
        self.num_threads = thread_count(num_threads)
        self.has_failed = False
        self._is_closed = False
        self._watch = watch
        self._agreed: BaseException | None = None
        self.generate = WorldGenerate(self)

    @property
    def rank(self) -> int:
        """This rank, 0 to size - 1."""
        return self.communicator.rank

    @property
    def size(self) -> int:
        """Number of ranks."""
        return self.communicator.size

    def __repr__(self) -> str:
        return f"World(rank {self.rank} of {self.size}, {self.num_threads} threads)"

    def read(
        self,
        path: Path,
        *,
        format: str | None = None,
        header: bool | None = None,
        source: Any = None,
        destination: Any = None,
        weight: Any = None,
        undirected: bool = False,
        directed: bool | None = None,
        strategy: str | Strategy = "balanced",
        num_vertices: int | None = None,
        progress: FileProgress = None,
    ) -> DistributedGraph:
        """Read a graph from a file, which all ranks see under this name.

        Ranks read their parts of plain edge lists (ranges of bytes, cut at lines), of Parquet (row groups) and of
        `.gaspipe` files (rows). Files of other formats, compressed ones and pipes are read by rank 0, which hands
        edges on piece by piece.

        Parameters
        ----------
        path : str or path
            File to read; of Parquet also a folder of files.
        format : str, optional
            As `gp.Graph.from_file` takes it, or "parquet". By default recognised from name and content.
        header : bool, optional
            For edge lists, as `gp.Graph.from_file` takes it.
        source, destination, weight : str, optional
            For Parquet: names of columns, as `gp.Graph.from_table` takes them.
        undirected : bool, default False
            Take every edge in both directions, without repetition, as `Graph.symmetrize` does.
        directed : bool, optional
            As `gp.Graph.from_file` and `from_table` take it: False where a row is an edge in both directions.
        strategy : {"balanced", "hash", "mix"} or callable
            Which rank owns which vertices: "balanced" gives every rank a range of ids with about as many edges; "hash"
            and "mix" are functions of the id. So is one of your own, as `Graph.domains` takes it: from all ids and the
            number of ranks, the rank of each; all ranks call it.
        num_vertices : int, optional
            By default what the file says, or the largest id + 1.
        progress : callable or bool, optional
            progress("reading", done, total), in bytes of about what this rank reads, every few MB; ranks need not have
            the same. True shows a bar on rank 0 (pip install tqdm). A `DaskWorld` calls it on the client, about once a
            second and at the end, with the sums of all ranks.

        Raises
        ------
        GraphFormatError, InputError, OSError
            As `gp.Graph.from_file`; on the ranks that see the fault.
        RankError
            If another rank cannot go on.
        InputError
            If ranks see different files, or have different arguments.

        """
        columns = source, destination, weight
        shown = None if isinstance(progress, bool) and self.rank > 0 else progress
        with self.step(), _progress.of_files(shown) as told:
            pieces = read_pieces(self, path, format, header, columns, self.num_threads, directed, told)
        return self._graph(pieces, strategy, num_vertices, undirected)

    def load(
        self, path: Path, *, strategy: str | Strategy = "balanced", progress: FileProgress = None
    ) -> DistributedGraph:
        """Load a graph that `Graph.save` wrote: `read` with `format="gaspipe"`.

        Parameters
        ----------
        path : str or path
            File, which all ranks see.
        strategy : {"balanced", "hash", "mix"} or callable
            As in `read`.
        progress : callable or bool, optional
            As in `read`.

        """
        return self.read(path, format="gaspipe", strategy=strategy, progress=progress)

    def edges(
        self,
        sources: ArrayLike,
        targets: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        undirected: bool = False,
        directed: bool | None = None,
        strategy: str | Strategy = "balanced",
        num_vertices: int | None = None,
        progress: FileProgress = None,
    ) -> DistributedGraph:
        """Make a graph of edge arrays, of which every rank has some.

        Parameters
        ----------
        sources, targets : array_like
            Ends of this rank's edges, integers of shape (k,); k may be 0.
        weights : array_like, optional
            Weights of these edges. All ranks' edges have weights, or none.
        undirected, directed, strategy, num_vertices
            As in `read`.
        progress : callable or bool, optional
            progress(phase, done, total), ten times a second and when a phase has ended, of what this rank does: its
            edges are checked ("checking"), counted by destination ("owners", of the strategy "balanced") and sent to
            the ranks that own them ("sending"); then those that came become rows ("ghosts", "numbering", twice
            "counting", "sorting" and "rows", with `undirected` also "merging" and "moving", and "comparing"). Ranks
            need not have the same. True shows a bar on rank 0 (pip install tqdm).

        """
        pieces = self._own_pieces({"call": "edges"}, lambda: piece_of(sources, targets, weights), progress)
        with self._telling("edges", progress) as told:
            return self._graph(pieces, strategy, num_vertices, undirected, directed, told)

    def table(
        self,
        table: Any,
        *,
        source: Any = None,
        destination: Any = None,
        weight: Any = None,
        undirected: bool = False,
        directed: bool | None = None,
        strategy: str | Strategy = "balanced",
        num_vertices: int | None = None,
        progress: FileProgress = None,
    ) -> DistributedGraph:
        """Make a graph of tables with a row per edge, of which every rank has one.

        Parameters
        ----------
        table : pandas, polars or pyarrow table
            This rank's edges, which may be none. Vertices are integers.
        source, destination, weight : str, optional
            Names of columns, as `gp.Graph.from_table` takes them.
        undirected, directed, strategy, num_vertices
            As in `read`.
        progress : callable or bool, optional
            As in `edges`.

        """
        what = {"call": "table", "columns": repr((source, destination, weight))}
        pieces = self._own_pieces(what, lambda: piece_of_table(table, source, destination, weight), progress)
        with self._telling("table", progress) as told:
            return self._graph(pieces, strategy, num_vertices, undirected, directed, told)

    def barrier(self) -> None:
        """Wait until all ranks are here."""
        with self.step():
            words_of_all(self.communicator, [0])

    def gather(self, text: bytes) -> list[bytes]:
        """Return the bytes of every rank, on all ranks: for small messages of a program's own."""
        with self.step():
            return bytes_of_all(self.communicator, text)

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """Do within what ranks do together: an exception that not all ranks have ends it for the others as well."""
        if self._is_closed:
            raise _core.RankError("this world has been closed; open another, and make graphs and results in it")
        if self.has_failed:
            raise _core.RankError("a rank of this world has been lost; nothing more can be done in it")
        self._count_step(1)
        try:
            yield
        except BaseException as error:
            if not self.is_agreed(error):
                self.fail(error)
            raise
        finally:
            self._count_step(-1)

    def _count_step(self, change: int) -> None:
        if self._watch is not None:
            self._watch.num_steps += change

    def agree(self, what: Mapping[str, Any], problem: Exception | None = None) -> None:
        """Within a step: raise `problem`, that of another rank, or that `what` is not equal on all ranks.

        All ranks raise something then, so that they are in step and can go on.
        """
        error = disagreement(self.communicator, what, problem)
        if error is not None:
            self._agreed = error
            raise error

    def agree_in_step(self, what: Mapping[str, Any], problem: Exception | None = None) -> None:
        """Do the same as a step of its own."""
        with self.step():
            self.agree(what, problem)

    def is_agreed(self, error: BaseException) -> bool:
        """Whether all ranks have an exception like this one."""
        return error is self._agreed

    def fail(self, error: BaseException) -> None:
        """Tell the others that this rank cannot go on."""
        first = not self.has_failed
        self.has_failed = True
        if first and not isinstance(error, _core.RankError):
            self.communicator.fail(described(error))

    def close(self) -> None:
        """Refuse all further calls, of its graphs and results as well."""
        self._is_closed = True

    def recover(self) -> None:
        """Begin anew after a failure; for communicators that can, between calls of which no rank is in one."""
        self.has_failed = False
        self._agreed = None

    def _own_pieces(self, what: Mapping[str, Any], make: Callable[[], Piece], progress: FileProgress) -> Pieces:
        with self.step():
            problem: Exception | None = None
            pieces = Pieces()
            try:
                _progress.check_phases(progress)
                pieces.edges = [make()]
            except Exception as error:
                problem = error
            self.agree(what, problem)
            return pieces

    def _check(self, pieces: Pieces, n: int | None) -> None:
        weights = [weights for sources, _, weights in pieces.edges if len(sources)]
        has = [any(each is not None for each in weights), any(each is None for each in weights)]
        self.agree({}, fault_of(pieces, n, words_of_all(self.communicator, has)))

    def _telling(self, name: str, progress: FileProgress) -> contextlib.AbstractContextManager[OfPhases | None]:
        is_quiet = self.rank > 0 and isinstance(progress, (bool, np.bool_))  # the bar is rank 0's
        return _progress.of_phases(name, None if is_quiet else progress)

    def _graph(
        self,
        pieces: Pieces,
        strategy: Any,
        num_vertices: Any,
        undirected: bool,
        directed: bool | None = None,
        told: OfPhases | None = None,
    ) -> DistributedGraph:
        with self.step():
            problem: Exception | None = None
            function = strategy if callable(strategy) else None
            try:
                strategy, num_vertices = _strategy(strategy), _number(num_vertices)
                check_flags(directed=directed)
            except InputError as error:
                problem = error
            given = {
                "version of gaspipe": _core.__version__,
                "strategy": strategy,
                "num_vertices": num_vertices,
                "undirected": bool(undirected),
                "directed": directed,
            }
            self.agree(given, problem)
            n = pieces.num_vertices if num_vertices is None else num_vertices
            self._check(pieces, n)
            owners = None
            if function is not None:
                n = self._size_of(pieces, n)
                owners = self._owners(function, n)
            simplify = bool(undirected) or pieces.simplify
            edges = _core.DistributedEdges(self.communicator, strategy, owners, n, simplify)
            add_all(edges, pieces.edges, bool(undirected) or directed is False or pieces.both_directions)
            pieces.edges = []
            edges.finish(self.num_threads, told)
            return DistributedGraph._of(self, edges, strategy)

    def _size_of(self, pieces: Pieces, n: int | None) -> int:
        if n is not None:
            return n
        largest = max((int(ids.max()) for piece in pieces.edges for ids in piece[:2] if len(ids)), default=0)
        return int(words_of_all(self.communicator, [largest]).max()) + 1

    def _owners(self, function: Strategy, n: int) -> NDArray[np.uint16]:
        problem: Exception | None = None
        owners = np.empty(0, np.uint16)
        try:
            owners = owners_by(function, n, self.size)
        except Exception as error:
            problem = error
        self.agree({"ranks that the strategy gives vertices to": owners}, problem)
        return owners


def piece_of(sources: ArrayLike, targets: ArrayLike, weights: ArrayLike | None) -> Piece:
    """Check edge arrays."""
    ends: list[NDArray[Any]] = [
        _inputs.ids_of(name, ids) for name, ids in (("source", sources), ("destination", targets))
    ]
    if len(ends[0]) != len(ends[1]):
        raise InputError(f"there are {len(ends[0])} sources and {len(ends[1])} destinations; the two must be equal")
    found = _inputs.weights_of(weights)
    if found is not None and len(found) != len(ends[0]):
        raise InputError(f"there are {len(ends[0])} edges and {len(found)} weights; every edge needs one")
    for name, ids in zip(("sources", "destinations"), ends):
        wrong = (ids < 0) | (ids >= _inputs.MOST_VERTICES)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InputError(f"{name}[{at}] is {ids[at]}; vertex ids go from 0 to {_inputs.MOST_VERTICES - 1}")
    return ends[0], ends[1], found


def described(error: BaseException) -> str:
    """Return the class and the text of an exception."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _strategy(strategy: Any) -> str:
    if callable(strategy):
        return name_of(strategy)
    known = _core.domain_strategies()
    if strategy not in known:
        raise InputError(
            f"strategy is {strategy!r}; allowed are {', '.join(map(repr, known))} and a function (ids, size) -> ranks"
        )
    return str(strategy)


def _number(num_vertices: Any) -> int | None:
    if num_vertices is None:
        return None
    is_integer = isinstance(num_vertices, (int, np.integer)) and not isinstance(num_vertices, bool)
    if not is_integer or not 1 <= num_vertices <= _inputs.MOST_VERTICES:
        raise InputError(f"num_vertices is {num_vertices!r}; an integer from 1 to {_inputs.MOST_VERTICES} is needed")
    return int(num_vertices)
