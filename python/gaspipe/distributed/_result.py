# SPDX-License-Identifier: Apache-2.0
"""An answer that is spread over ranks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _tables
from .._core import InputError
from .._files import Path
from .._reported import Reported
from .._result import Result, Stats
from . import _output
from ._collective import exchange, view_of

if TYPE_CHECKING:
    from ._graph import DistributedGraph


class DistributedResult(Reported):
    """A rank's part of an answer: the values of its own vertices, also under the field's name (`result.depth`).

    Attributes
    ----------
    values : numpy.ndarray
        Shape (number of own vertices,), in the order of `ids`; dtype as the algorithm says.
    field : str
        The answer's own name.
    stats : Stats
        How it was found, on all ranks: counts are sums, times those of the slowest rank. `stats.domains` says what each
        rank did.

    """

    field: str
    values: NDArray[Any]
    stats: Stats

    def __init__(
        self,
        graph: DistributedGraph,
        algorithm: str,
        field: str,
        values: NDArray[Any],
        stats: Stats,
        answer: type[Result],
    ) -> None:
        self.algorithm = algorithm
        self.field = field
        self.values = values
        self.stats = stats
        self._graph = graph
        self._answer = answer
        self._missing = ""  # why ranks ran on the CPU in place of cards

    if not TYPE_CHECKING:  # checkers take the fields that classes declare

        def __getattr__(self, name: str) -> NDArray[Any]:
            if name == self.__dict__.get("field"):
                return self.values
            raise AttributeError(f"a part of the result of {self.__dict__.get('algorithm', '?')} has no {name!r}")

    @property
    def ids(self) -> NDArray[np.uint32]:
        """Vertices that `values` are of, ascending, shape (number of own vertices,), uint32."""
        return self._graph.own_ids

    @property
    def num_vertices(self) -> int:
        """Number of vertices of the whole graph."""
        return self._graph.num_vertices

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype, copy=True) if copy or dtype is not None else self.values

    def __len__(self) -> int:
        return len(self.values)

    def to_dict(self) -> dict[int, Any]:
        """Return {vertex: value} of the rank's own vertices."""
        return dict(zip(self.ids.tolist(), self.values.tolist()))

    def to_table(self, library: str = "pandas") -> Any:
        """Return the rank's part as a table, with the columns `vertex` and the field's name.

        Parameters
        ----------
        library : {"pandas", "polars", "arrow"}
            Make a pandas.DataFrame, polars.DataFrame or pyarrow.Table. pandas and arrow share the values' memory.

        """
        return _tables.to_table({"vertex": self.ids, self.field: self.values}, library)

    def gather(self, root: int | None = None) -> Result | None:
        """Bring the whole answer to one rank, or to all; all ranks call this together.

        Parameters
        ----------
        root : int, optional
            Rank that gets it, and the memory it takes; by default all get it.

        Returns
        -------
        Result or None
            As the algorithm returns it in one process; None on ranks that do not get it.

        Raises
        ------
        InputError
            If there is no such rank.

        """
        world, graph = self._graph.world, self._graph
        with world.step():
            problem = None
            if root is not None and (not isinstance(root, (int, np.integer)) or not 0 <= root < world.size):
                problem = InputError(f"root is {root!r}; the {world.size} ranks are 0 to {world.size - 1}")
            world.agree({"root": root}, problem)
            is_for = [root is None or rank == root for rank in range(world.size)]
            own = np.ascontiguousarray(self.values)
            first = graph.first_own_id
            ids = np.array([first], np.uint32) if first is not None else graph.own_ids
            none = memoryview(b"")
            # Ids first: what has come is valid until the next exchange only.
            of_ids = [
                bytes(box) for box in exchange(world.communicator, [view_of(ids) if to else none for to in is_for])
            ]
            of_values = exchange(world.communicator, [view_of(own) if to else none for to in is_for])
            if not is_for[world.rank]:
                return None
            parts = [
                (int(places[0]) if first is not None else places, np.frombuffer(some_values, own.dtype))
                for places, some_values in zip((np.frombuffer(some, np.uint32) for some in of_ids), of_values)
            ]
            whole = assembled(graph.num_vertices, own.dtype, parts)
        return self._answer(self.algorithm, self.field, whole, self.stats, None)

    def to_npy(self, path: Path) -> None:
        """Write the whole answer to one `.npy` file, every rank its part; all ranks call this together.

        The file takes its name when it is whole. All ranks must see the same folder.

        Parameters
        ----------
        path : str or path
            File to write; one of that name is replaced.

        Raises
        ------
        OSError
            If a rank cannot write its part.

        """
        _output.to_npy(self._graph, self.values, os.fsdecode(os.fspath(path)))

    def to_parquet(self, path: Path) -> None:
        """Write the whole answer to a folder of Parquet files, one for each rank; all ranks call this together.

        The files have the columns `vertex` and the field's name, and the folder takes its name when it is whole. All
        ranks must see the same folder.

        Parameters
        ----------
        path : str or path
            Folder to make.

        Raises
        ------
        InputError
            If there is something of that name.
        ImportError
            If pyarrow is missing.
        OSError
            If a rank cannot write its part.

        """
        _output.to_parquet(self._graph, self.field, self.values, os.fsdecode(os.fspath(path)))

    def __repr__(self) -> str:
        shown = np.array2string(self.values, threshold=8, edgeitems=3, separator=", ")
        world = self._graph.world
        return (
            f"DistributedResult({self.algorithm}, rank {world.rank} of {world.size}: {self.field}={shown}, "
            f"{self.values.dtype}, {self.stats!r})"
        )


def assembled(num_vertices: int, dtype: np.dtype[Any], parts: Sequence[tuple[Any, NDArray[Any]]]) -> NDArray[Any]:
    """Return the values of all vertices; a part is the first of a range of vertices, or their ids, and the values."""
    whole = np.empty(num_vertices, dtype)
    for places, values in parts:
        whole[slice(places, places + len(values)) if isinstance(places, int) else places] = values
    return whole
