# SPDX-License-Identifier: Apache-2.0
"""A graph from and to tables and matrices of other libraries."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._flags import check_flags, flag
from .._threads import thread_count
from .base import GraphBase

if TYPE_CHECKING:
    import scipy.sparse

    from ..graph import Graph


class GraphTables(GraphBase):
    """Tables with a row per edge, and SciPy's matrices."""

    __slots__ = ()

    @classmethod
    def from_table(
        cls,
        table: Any,
        source: Hashable | None = None,
        destination: Hashable | None = None,
        weight: Hashable | bool | None = None,
        *,
        directed: bool = True,
        relabel: bool | None = None,
        num_vertices: int | None = None,
        num_threads: int | None = None,
    ) -> Graph:
        """Make a graph of a table with a row per edge.

        Parameters
        ----------
        table : pandas.DataFrame, polars.DataFrame or LazyFrame, pyarrow.Table
            A LazyFrame is collected. Or any object with `__arrow_c_stream__` or `__dataframe__`. All but pandas go
            through pyarrow (`pip install pyarrow`).
        source, destination : column name, optional
            Columns with the ends of the edges. By default those called source, src, from or u, and destination, dst,
            target, to or v, in upper or lower case, the first that is found; in a table of two or three columns
            without such names, the first and the second.
        weight : column name or False, optional
            Column with the weights, numbers (bools that are all True are none). By default the third of three columns,
            or else the one called weight, w or value, if there is one. False: no weights.
        directed : bool, default True
            False: a row is an edge in both directions; self-loops count once.
        relabel : bool, optional
            True: number the ids that occur 0..k-1, in ascending order, and keep them as `labels`. By default integers
            (and floats that are whole numbers) are vertex ids, and everything else (strings, categories, times,
            UUIDs) is relabelled, in ascending order too, or in order of appearance where values cannot be compared.
            False: take ids only. In tables of results ids and integers have the columns' dtype again (of floats,
            int64), and categories are the same ones, used or not; of columns with different ones they are those of
            both, without an order.
        num_vertices : int, optional
            For ids; by default the largest + 1.
        num_threads : int, optional
            Threads to build with.

        Raises
        ------
        InputError
            If columns cannot be told apart (the message lists them), an id or a weight is null or NaN (it names the
            row, from 0), or a column's type is none of these.

        """
        from .. import _tables

        directed = flag("directed", directed)
        check_flags(relabel=relabel)
        threads = thread_count(num_threads)
        return cls._made(
            *_tables.from_table(table, source, destination, weight, directed, relabel, num_vertices, threads)
        )

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Return a SciPy csr_array with its own memory; edges without weights become int32 ones."""
        import scipy.sparse

        fits = max(self.num_vertices, self.num_edges) < 2**31
        index = np.int32 if fits else np.int64
        weights = self._core.weights
        data = np.ones(self.num_edges, np.int32) if weights is None else weights.copy()
        return scipy.sparse.csr_array(
            (data, self._core.targets.astype(index), self._core.offsets[: self.shape[0] + 1].astype(index)),
            shape=self.shape,
        )

    def to_table(self, library: str = "pandas") -> Any:
        """Return the edges as a table with the columns `source`, `destination` and, where there are any, `weight`.

        Parameters
        ----------
        library : {"pandas", "polars", "arrow"}
            Make a pandas.DataFrame, polars.DataFrame or pyarrow.Table.

        Returns
        -------
        table
            A row per edge, in the order they are stored. Vertices are labels where the graph has any, else ids, in the
            type of the table that the graph is from (see `from_table`), else uint32. Weights, and destinations of
            uint32, share the graph's memory where the library can (pandas, arrow).

        """
        from .. import _tables

        ids = np.arange(self.num_vertices, dtype=np.uint32)
        ends = {"source": np.repeat(ids, self.out_degrees()), "destination": self._core.targets}
        columns: dict[str, Any] = {
            name: _tables.vertex_column(ids, self._labels, self._vertex_type) for name, ids in ends.items()
        }
        if self.is_weighted:
            columns["weight"] = self._core.weights
        return _tables.to_table(columns, library)
