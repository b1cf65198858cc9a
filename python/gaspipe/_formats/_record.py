# SPDX-License-Identifier: Apache-2.0
"""What a file format is: the record that every format's file has as its constant FORMAT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Callable, NamedTuple

from numpy.typing import NDArray

from .. import _core
from .._core import InputError
from .._files import Path

if TYPE_CHECKING:
    from .._tables import VertexType
    from ..graph import Graph
    from ._intake import Intake


class Reading(NamedTuple):
    """What a file holds: a graph, what its vertices are called, and other data by vertex; of which type they are."""

    core: _core.Graph
    labels: NDArray[Any] | None = None
    vertex_data: dict[str, NDArray[Any]] | None = None
    vertex_type: VertexType = None


class Vertices(NamedTuple):
    """What is known of vertices, where edges have gone another way."""

    shape: tuple[int, int]
    labels: NDArray[Any] | None = None
    data: Mapping[str, NDArray[Any]] = {}

    @property
    def num_vertices(self) -> int:
        return max(*self.shape, 1)


class ReadOptions(NamedTuple):
    """Arguments of Graph.from_file; None and False are not given."""

    relabel: bool = False
    rectangular: bool = False
    header: bool | None = None
    dialect: str | None = None
    directed: bool | None = None
    columns: Sequence[str] | None = None
    threads: int = 0


class WriteOptions(NamedTuple):
    """Arguments of Graph.to_file; None and False are not given."""

    header: bool | None = None
    labels: bool = False
    dialect: str | None = None
    threads: int = 0


# Writes into an open file; whatever the format cannot say was refused before the file was opened.
Fill = Callable[[IO[bytes]], None]


class Option(NamedTuple):
    """An option of reading for files of one format: an argument of Graph.from_file, flags of the command line."""

    name: str
    flags: str  # "--header/--no-header"
    help: str
    choices: tuple[str, ...] = ()  # values
    default: bool | None = None
    metavar: str = ""  # of a value that is a list of names; without choices and this it is a flag


DIRECTED = Option(
    "directed",
    "--directed/--not-directed",
    "Lists and tables of edges: with --not-directed a row is an edge in both directions; self-loops count once.",
)


SAID_DIRECTED = DIRECTED._replace(help="GraphML and GAP files say it themselves, and have to agree.")


def check_direction(name: str, directed: bool | None, is_directed: bool) -> None:
    """Refuse another direction than the file itself says."""
    if directed not in (None, is_directed):
        raise InputError(f"directed={directed}, but {name} says {is_directed}")


class Format(NamedTuple):
    """One file format."""

    name: str  # as `format=` takes it; also the name of the file that defines it
    suffixes: tuple[str, ...]  # in lower case, without a dot, before .gz, .xz or .bz2
    read: Callable[[Path, ReadOptions], Reading]
    # Hands the file's edges over piece by piece, in little memory. None: such files are read as a whole.
    stream: Callable[[Path, ReadOptions, Intake], Vertices] | None = None
    # Bytes of memory that reading the file takes at most, where its size does not tell.
    memory: Callable[[Path], int] | None = None
    # Its last argument is the file's suffix. None: such files are read, not written.
    write: Callable[[Graph, WriteOptions, str], Fill] | None = None
    sniff: Callable[[bytes], bool] | None = None  # whether a file without a known suffix starts as this format does
    # For a graph in several files: whether the path leads to one, and the files to read, both by their names alone.
    leads_to: Callable[[Path], bool] | None = None
    parts: Callable[[Path], list[str]] | None = None
    takes_rest: bool = False  # Reads what no format claims; its suffixes are for writing. One format does this.
    options: tuple[Option, ...] = ()  # of reading, those that not all formats have
    write_options: tuple[str, ...] = ()
    holds_rectangular: bool = False  # matrices that are not square
    holds_labels: bool = False  # labels of any type, without being asked to
    is_mapped: bool = False  # Graph.save writes it and Graph.load maps it
    help: str = ""  # suffixes to write, for the command line's help; "" where there is nothing to write
    place: int = 100  # Formats are listed and tried by ascending place, then by name.

    def takes(self, option: str) -> bool:
        """Whether an option of reading is for files of this format."""
        if option == "rectangular":
            return self.holds_rectangular
        return any(known.name == option for known in self.options)
