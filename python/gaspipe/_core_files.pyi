# SPDX-License-Identifier: Apache-2.0
# Types of the native core that read and write files: of gaspipe._core, as the others; there is no module of this name.
import enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import Graph, RunOptions

BLOCK_READ_AHEAD: int
LEAST_SORTING_MEMORY: int
LISTS_VERSION: int
LIST_PAGE: int
MOST_WORKERS: int

class EdgeSyntax(enum.Enum):
    PLAIN = 0
    DIMACS9 = 1
    MATRIX_MARKET = 2

class TextFormat(enum.Enum):
    EDGE_LIST = 0
    MATRIX_MARKET = 1
    DIMACS9 = 2
    METIS = 3

class EdgeListParser:
    def __init__(
        self,
        file_name: str,
        num_threads: int,
        syntax: EdgeSyntax,
        *,
        header: bool | None = None,
        may_be_empty: bool = False,
        buffer_bytes: int = 0,
    ) -> None: ...
    def feed(self, text: bytes) -> None: ...
    def take(
        self, relabel: bool
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any] | None, int, NDArray[np.int64] | None]: ...
    def finish(
        self, relabel: bool
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any] | None, int, NDArray[np.int64] | None]: ...
    def shape(self) -> tuple[int, int]: ...

class MetisParser:
    def __init__(self, file_name: str, num_threads: int, dialect: str, directed: bool = False) -> None: ...
    def feed(self, text: bytes) -> None: ...
    def finish(
        self,
    ) -> tuple[
        int,
        NDArray[Any],
        NDArray[np.uint32],
        NDArray[Any] | None,
        NDArray[np.int64] | None,
        int,
        NDArray[np.int64] | None,
    ]: ...

class GraphText:
    def __init__(
        self,
        graph: Graph,
        format: TextFormat,
        num_threads: int,
        *,
        header: bool = True,
        separator: str = " ",
        names: NDArray[np.int64] | None = None,
        is_multigraph: bool = False,
        num_constraints: int = 0,
        vertex_weights: NDArray[np.int64] | None = None,
        vertex_sizes: NDArray[np.int64] | None = None,
    ) -> None: ...
    def next(self) -> bytes: ...

class EdgeDirection(enum.Enum):
    FORWARD = ...
    REVERSE = ...
    BOTH = ...

class EdgeOrder(enum.Enum):
    BLOCKS = ...
    ROWS = ...

class EdgeSorter:
    def __init__(self, folder: str, memory: int, num_threads: int, order: EdgeOrder = ...) -> None: ...
    def add(
        self,
        sources: NDArray[np.uint32],
        targets: NDArray[np.uint32],
        weights: NDArray[Any] | None,
        direction: EdgeDirection,
    ) -> None: ...
    def sort(self, memory: int) -> None: ...
    def clear(self) -> None: ...
    @property
    def num_edges(self) -> int: ...
    @property
    def num_vertices(self) -> int: ...
    @property
    def num_spilled(self) -> int: ...
    @property
    def weight_type(self) -> str | None: ...

class ViewWriter:
    def __init__(
        self,
        sorter: EdgeSorter,
        descriptor: int,
        start: int,
        path: str,
        *,
        drops_repeated: bool,
        counts_degrees: bool,
        num_vertices: int,
    ) -> None: ...
    def write(self, most_edges: int) -> int: ...
    def finish(self) -> tuple[int, int, bytes]: ...
    def write_offsets(self, start: int) -> tuple[int, int]: ...
    @property
    def facts(self) -> dict[str, Any]: ...
    @property
    def num_edges(self) -> int: ...

class ListWriter:
    def __init__(
        self,
        sorter: EdgeSorter,
        forward: ViewWriter,
        num_workers: int,
        descriptor: int,
        start: int,
        path: str,
        folder: str,
    ) -> None: ...
    def write(self, most_edges: int) -> int: ...
    def finish(self) -> tuple[int, int, NDArray[np.uint32], NDArray[np.uint8]]: ...
    @property
    def code_bits(self) -> int: ...

class BlockRows:
    def __init__(self, offsets: NDArray[Any], weight_type: str) -> None: ...
    def add(self, entry: NDArray[np.uint32], block: NDArray[np.uint8], verify: bool) -> None: ...
    def finish(self) -> tuple[NDArray[np.uint32], NDArray[Any] | None]: ...

def edges_of_block(
    entry: NDArray[np.uint32], block: NDArray[np.uint8], weight_type: str, verify: bool
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any] | None]: ...
def view_writer_memory(weight_bytes: int) -> int: ...
def list_writer_memory(num_vertices: int, num_edges: int, num_workers: int) -> int: ...

class StoredLists:
    def __init__(
        self,
        graph: Graph,
        num_workers: int,
        code_bits: int,
        first_byte: int,
        num_bytes: int,
        checks: NDArray[np.uint32],
        targets: NDArray[np.uint8],
    ) -> None: ...
    @property
    def num_workers(self) -> int: ...

def run_stored_lists(
    lists: StoredLists, root: int, options: RunOptions, folder: str, other_bytes: int
) -> tuple[NDArray[Any], dict[str, Any]]: ...
