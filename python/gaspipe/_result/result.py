# SPDX-License-Identifier: Apache-2.0
"""What an algorithm returns: the answer as an array, and how it was found."""

from __future__ import annotations

import html
import operator
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._description import Field
from .._reported import Reported
from .columns import as_dict, columns
from .stats import Stats

if TYPE_CHECKING:
    from .._tables import VertexType


class NotConvergedWarning(UserWarning):
    """An iteration ended at its limit of super-steps, above its tolerance."""


class Result(Reported):
    """An answer: as a rule one value per vertex, also under its field's own name (`result.depth`), and `result.stats`.

    `np.asarray(result)` gives the values; `len`, iteration, indexing and comparison work as on the array, so
    `result > 0` is an array of bools. Indices are positions, in the order of `labels` where there are any; `to_dict`
    goes by label. Functions of `gaspipe` return a class of their own each, e.g. `BfsResult`, which has the field.

    Attributes
    ----------
    values : numpy.ndarray
        Shape (num_vertices,), in vertex order, unless the algorithm says another; dtype as it says.
    field : str
        The answer's own name.
    row : str
        What has a value each: "vertex"; or "pair", "edge", "walk" and the like.
    stats : Stats
        How it was found.
    labels : numpy.ndarray or None
        The graph's labels, when its vertices have names (NetworkX graphs, `relabel=True`).

    Some have more answers, under names of their own, e.g. the `total` of `gp.triangles`.
    """

    algorithm: str
    field: str
    values: NDArray[Any]
    stats: Stats
    labels: NDArray[Any] | None

    def __init__(
        self,
        algorithm: str,
        field: str,
        values: NDArray[Any],
        stats: Stats,
        labels: Any = None,
        others: dict[str, Any] | None = None,
        fields: tuple[Field, ...] = (),
        vertex_type: VertexType = None,
    ) -> None:
        self.algorithm = algorithm
        self.field = field
        self.values = values
        self.stats = stats
        self.labels = labels
        self._fields = fields  # none of a custom algorithm
        self._vertex_type = vertex_type  # of the table that the graph is from
        self.__dict__.update(others or {})

    if not TYPE_CHECKING:  # checkers take the fields that classes declare

        def __getattr__(self, name: str) -> NDArray[Any]:
            # Only called for names that are not attributes: the field, or a mistake.
            if name == self.__dict__.get("field"):
                return self.values
            field = self.__dict__.get("field", "?")
            algorithm = self.__dict__.get("algorithm", "?")
            raise AttributeError(f"the result of {algorithm} has no {name!r}; it has {field!r}")

    @property
    def row(self) -> str:
        """What has a value each."""
        return self._fields[0].row if self._fields else "vertex"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), self.field]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is not None and np.dtype(dtype) != self.values.dtype:
            if copy is False:
                raise ValueError(f"values are {self.values.dtype}; as {np.dtype(dtype)} they must be copied")
            return self.values.astype(dtype)
        return self.values.copy() if copy else self.values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return iter(self.values)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def _compared(self, compare: Callable[[Any, Any], Any], other: object) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = compare(self.values, other.values if isinstance(other, Result) else other)
        return found

    def __eq__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        return self._compared(operator.eq, other)

    def __ne__(self, other: object) -> NDArray[np.bool_]:  # type: ignore[override]
        return self._compared(operator.ne, other)

    def __lt__(self, other: object) -> NDArray[np.bool_]:
        return self._compared(operator.lt, other)

    def __le__(self, other: object) -> NDArray[np.bool_]:
        return self._compared(operator.le, other)

    def __gt__(self, other: object) -> NDArray[np.bool_]:
        return self._compared(operator.gt, other)

    def __ge__(self, other: object) -> NDArray[np.bool_]:
        return self._compared(operator.ge, other)

    # As for arrays: what compares element by element cannot be a key.
    __hash__ = None  # type: ignore[assignment]

    def path_to(self, vertex: Hashable) -> list[Any]:
        """Return the vertices of a shortest path to a vertex, from the root on; empty where it is not reached.

        Of results of `gp.bfs(..., parents=True)` and `gp.sssp(..., predecessors=True)`.

        Parameters
        ----------
        vertex : vertex
            Where the path ends. Where the graph has labels, a label, and the path is one of labels; `gp.index(3)` is
            the id 3 there too.

        Raises
        ------
        InputError
            If there is no such vertex, or the result has no paths.

        """
        from .._predecessors import path_to

        return path_to(self, vertex)

    def to_dict(self) -> dict[Hashable, Any]:
        """Return {vertex: value}, with the graph's labels as keys where it has them, and for values that are vertices.

        Where values are by edge or by pair, keys are (source, target), and the value True where edges are the whole
        answer. `gp.multi_source` gives {source: {vertex: depth}}, `gp.random_walks` {walk's number: its vertices}.
        """
        return as_dict(self)

    def to_table(self, library: str = "pandas") -> Any:
        """Return a table with the columns `vertex` (labels where the graph has any, else ids) and the field's name.

        Of an algorithm with several answers by vertex it has all of them. Answers that are vertices (`parent`,
        `component`) are labels too, missing where there is none. Where values are by edge or by pair, the
        columns are `source`, `target` and the answers; else the number of the row, and the answers. Where a row has
        many values, the table has a row for each of them: `source`, `vertex`, `depth` of `gp.multi_source`; `walk`,
        `step`, `vertex` of `gp.random_walks`, up to the end of each walk.

        Vertices of a graph from a table (`Graph.from_table`) have the type of its columns: integers theirs, categories
        the same ones, used or not.

        Parameters
        ----------
        library : {"pandas", "polars", "arrow"}
            Make a pandas.DataFrame, polars.DataFrame or pyarrow.Table. pandas and arrow share the values' memory.

        """
        from .. import _tables

        return _tables.to_table(columns(self), library)

    def plot(self, kind: str | None = None, *, ax: Any = None) -> Any:
        """Draw the answer, or how it was found, with matplotlib (`pip install matplotlib`).

        Parameters
        ----------
        kind : str, optional
            What to draw. By default what suits the answer: levels for `depth`, a histogram for `distance` and
            `closeness`, components for `component`; for other fields by their values: levels for integers of 32 bits,
            a histogram for longer ones and where floats are negative or all the same, else the distribution.

            - levels: vertices per level, in bars.
            - histogram: vertices by value, without the unreached.
            - components: sizes of components, from the largest on; in bars where there are few, else on logarithmic
              axes.
            - distribution: fraction of vertices that have at least a value; an axis of a decade or more is logarithmic.
            - supersteps: for every super-step the time of scatter-gather and apply, stacked, and on the right axis
              edges streamed and active vertices; marks at the foot tell pushed and pulled steps. More than 1000
              super-steps are drawn as means; those without records are a gap.
            - periods: what workers with local stores did when, in some periods from the middle of the search, with the
              iteration's number on each step; of `gp.bfs(..., method="local_store", trace=True)`.

            What was predicted (`stats.prediction`), for runs in the emulator with clocks:

            - roofline: edges per second against bytes per edge, below what the memory's bandwidth and the kernels'
              clock allow; both axes logarithmic.
            - stages: where the tasks of every stage of the kernels spent their time, in percent.
            - pes: updates that each gather PE took, beside their mean.
            - blocks: of a run with `design="graphops"`, the chain of blocks: every stream with the most tokens that it
              held and its depth, the darker the fuller, the ports of memory, and the limiting block in color.
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure. A figure of your own leaves room for labels and the
            legend with `layout="constrained"`.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on; nothing is shown yet.

        Raises
        ------
        InputError
            If there is no such kind, it is not for these values, or matplotlib is missing.

        """
        from .. import _plot

        return _plot.plot(self, kind, ax)

    def __repr__(self) -> str:
        shown = np.array2string(self.values, threshold=8, edgeitems=3, separator=", ")
        return f"Result({self.algorithm}: {self.field}={shown}, {self.values.dtype}, {self.stats!r})"

    def _repr_html_(self) -> str:
        rows, total = 8, len(self.values)
        chosen = list(range(total)) if total <= rows else [*range(rows // 2), None, *range(total - rows // 2, total)]
        cells = []
        for v in chosen:
            if v is None:
                cells.append("<tr><td>...</td><td>...</td></tr>")
                continue
            name = v if self.labels is None or self.row != "vertex" else self.labels[v]
            cells.append(f"<tr><td>{html.escape(str(name))}</td><td>{html.escape(str(self.values[v]))}</td></tr>")
        s = self.stats
        how = [s.number] * bool(s.number) + ["not converged"] * (not s.converged)
        count = f"{total:,} {'vertices' if self.row == 'vertex' else f'{self.row}s'}"
        note = f"{self.algorithm}, {count}, " + f"{s.num_edges:,} edges, " * (self.row != "edge")
        note += f"{s.num_supersteps} super-steps, " * bool(s.number)
        note += f"{1e3 * s.seconds:.3g} ms on {s.device}" + f" ({', '.join(how)})" * bool(how)
        return (
            f"<table><thead><tr><th>{html.escape(self.row)}</th><th>{html.escape(self.field)}</th></tr></thead>"
            f"<tbody>{''.join(cells)}</tbody></table><p>{html.escape(note)}</p>"
        )


if TYPE_CHECKING:

    class AnyResult(Result):
        """The result of an algorithm that is chosen at run time, or of the user's own: it may have any field."""

        def __getattr__(self, name: str) -> NDArray[Any]: ...

else:
    AnyResult = Result
