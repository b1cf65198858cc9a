# SPDX-License-Identifier: Apache-2.0
"""What an algorithm returns: the answer as an array, and how it was found."""

from __future__ import annotations

import html
import operator
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._vertices import keys
from .prediction import Prediction

_KINDS = np.array(["gas", "push", "pull", "components"])  # in the order of abi::StepKind


class NotConvergedWarning(UserWarning):
    """An iteration ended at its limit of super-steps, above its tolerance."""


class Stats:
    """How a run went.

    Attributes
    ----------
    device : str
        What really ran: "cpu", "emulator" or "fpga".
    execution : str
        How the emulator ran the kernels; empty elsewhere.
    board : str
        The board of the card, or that the emulator stood for; empty elsewhere.
    clock_mhz : int
        Clock of that board's kernels, MHz; 0 elsewhere, or where a card does not say.
    prediction : Prediction or None
        All that the emulator predicts: time, throughput, what limits it; None where the run had no clocks.
    method : str
        "auto" or "gas" (the plain pipeline in every super-step).
    number : str
        Number format of the run, e.g. "uint32", "float64", "fixed"; empty for an algorithm of the CPU, which has
        neither super-steps nor phases.
    scale_bits : int
        In fixed point, a value is word / 2**scale_bits; else 0.
    attempts : int
        Runs until the number format was wide enough; 1 as a rule.
    num_threads : int
        Threads lent to the engine.
    converged : bool
        False when an iteration ended at its limit, above its tolerance.
    seconds : float
        Engine time: start, super-steps, finish. Preparation is apart.
    phases : dict of str to float
        Where these seconds went: `scatter_gather`, `apply` and `frontier` (the rest of super-steps: the next frontier,
        sums, buffers), all super-steps together; `start` (initial properties), `finish` (answers from properties),
        `control` (between super-steps), `check` (whether the answer fits the number format), `earlier_attempts` (in a
        finer fixed-point scale, which a number did not fit).
    prepare_seconds : float
        Time to make the views and partitions this run needed; about 0 when the graph had them.
    num_edges : int
        Edges of the view walked.
    capacity, compute_units, partitioner : int, int, str
        Configuration of the partitions.
    library : str
        What drove the card, with its version, e.g. "XRT 2.13.0"; empty elsewhere.
    bytes_to_card, bytes_from_card : int
        Moved by this run between host and card; 0 elsewhere.
    edge_bytes_uploaded : int
        Share of the bytes to the card that are edges: 0 where the graph was there from an earlier call.
    card_calls : dict
        Calls into the card's driver by kind, and bytes moved; zeros elsewhere.
    num_supersteps : int
        Number of super-steps.
    edges_streamed : int
        Edges streamed in all super-steps together.
    supersteps : numpy.ndarray
        One record per super-step, with the fields `step` (0, 1, ...), `kind`, `active_vertices` (that sent updates),
        `edges` (streamed or looked at), `scatter_gather_seconds`, `apply_seconds`. Kinds: "gas", all edges through the
        pipeline; "push", the out-edges of the active vertices; "pull", in-edges, of each vertex until no more can
        change it; "components", union-find over all edges. Of a run of more than 65,536 super-steps the first and the
        last 32,768 are kept.
    """

    _FIELDS = ("step", "kind", "active_vertices", "edges", "scatter_gather_seconds", "apply_seconds")

    device: str
    execution: str
    board: str
    clock_mhz: int
    prediction: Prediction | None
    method: str
    number: str
    scale_bits: int
    attempts: int
    num_threads: int
    converged: bool
    seconds: float
    phases: dict[str, float]
    prepare_seconds: float
    num_edges: int
    num_supersteps: int
    edges_streamed: int
    capacity: int
    compute_units: int
    partitioner: str
    library: str
    bytes_to_card: int
    bytes_from_card: int
    edge_bytes_uploaded: int
    card_calls: dict[str, int]

    def __init__(self, values: dict[str, Any]) -> None:
        columns = {field: values.pop(field) for field in self._FIELDS}
        columns["kind"] = _KINDS[columns["kind"]]
        self._columns = columns
        predicted = values.pop("prediction", None)
        self.prediction = None if predicted is None else Prediction(predicted)
        self.__dict__.update(values)

    @property
    def supersteps(self) -> NDArray[np.void]:
        """One record per super-step."""
        records = np.empty(len(self._columns["step"]), dtype=[(name, c.dtype) for name, c in self._columns.items()])
        for name, column in self._columns.items():
            records[name] = column
        return records

    @property
    def mteps(self) -> float:
        """Million edges streamed per second of engine time (edges of all super-steps)."""
        return self.edges_streamed / self.seconds / 1e6 if self.seconds > 0 else float("nan")

    @property
    def predicted_cycles(self) -> int:
        """Cycles that the emulator predicts for the kernels on the board; 0 where the run had no clocks."""
        return 0 if self.prediction is None else self.prediction.cycles

    @property
    def predicted_seconds(self) -> float:
        """Seconds that the emulator predicts for the kernels on the board; NaN where the run had no clocks."""
        return float("nan") if self.prediction is None else self.prediction.seconds

    @property
    def predicted_mteps(self) -> float:
        """Million edges streamed per predicted second, over all super-steps; NaN where the run had no clocks."""
        return float("nan") if self.prediction is None else self.prediction.streamed_mteps

    def __repr__(self) -> str:
        extra = "" if self.converged else ", not converged"
        if not self.number:
            return f"Stats(device={self.device!r}, num_threads={self.num_threads}, seconds={self.seconds:.3g}{extra})"
        if self.predicted_cycles > 0:
            extra += f", predicted_mteps={self.predicted_mteps:.4g} on {self.board}"
        return (
            f"Stats(device={self.device!r}, method={self.method!r}, number={self.number!r}, "
            f"supersteps={self.num_supersteps}, seconds={self.seconds:.3g}, mteps={self.mteps:.4g}{extra})"
        )


class Result:
    """An answer: one value per vertex, also under its field's own name (`result.depth`), and `result.stats`.

    `np.asarray(result)` gives the values; `len`, iteration, indexing and comparison work as on the array, so
    `result > 0` is an array of bools. Indices are positions, in the order of `labels` where there are any; `to_dict`
    goes by label. Functions of `gaspipe` return a class of their own each, e.g. `BfsResult`, which has the field.

    Attributes
    ----------
    values : numpy.ndarray
        Shape (num_vertices,), in vertex order; dtype as the algorithm says.
    field : str
        The answer's own name.
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
    ) -> None:
        self.algorithm = algorithm
        self.field = field
        self.values = values
        self.stats = stats
        self.labels = labels
        self.__dict__.update(others or {})

    if not TYPE_CHECKING:  # checkers take the fields that classes declare

        def __getattr__(self, name: str) -> NDArray[Any]:
            # Only called for names that are not attributes: the field, or a mistake.
            if name == self.__dict__.get("field"):
                return self.values
            field = self.__dict__.get("field", "?")
            algorithm = self.__dict__.get("algorithm", "?")
            raise AttributeError(f"the result of {algorithm} has no {name!r}; it has {field!r}")

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
        """Return {vertex: value}, with the graph's labels as keys where it has them."""
        vertices = range(len(self.values)) if self.labels is None else keys(self.labels)
        return dict(zip(vertices, self.values.tolist()))

    def to_table(self, library: str = "pandas") -> Any:
        """Return a table with the columns `vertex` (labels where the graph has any, else ids) and the field's name.

        Parameters
        ----------
        library : {"pandas", "polars", "arrow"}
            Make a pandas.DataFrame, polars.DataFrame or pyarrow.Table. pandas and arrow share the values' memory.

        """
        from .. import _tables

        ids = np.arange(len(self.values), dtype=np.uint32)
        vertices = ids if self.labels is None else (self.labels, ids)
        return _tables.to_table({"vertex": vertices, self.field: self.values}, library)

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

            What was predicted (`stats.prediction`), for runs in the emulator with clocks:

            - roofline: edges per second against bytes per edge, below what the memory's bandwidth and the kernels'
              clock allow; both axes logarithmic.
            - stages: where the tasks of every stage of the kernels spent their time, in percent.
            - pes: updates that each gather PE took, beside their mean.
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
            name = v if self.labels is None else self.labels[v]
            cells.append(f"<tr><td>{html.escape(str(name))}</td><td>{html.escape(str(self.values[v]))}</td></tr>")
        s = self.stats
        how = [s.number] * bool(s.number) + ["not converged"] * (not s.converged)
        note = f"{self.algorithm}, {total:,} vertices, {s.num_edges:,} edges, "
        note += f"{s.num_supersteps} super-steps, " * bool(s.number)
        note += f"{1e3 * s.seconds:.3g} ms on {s.device}" + f" ({', '.join(how)})" * bool(how)
        return (
            f"<table><thead><tr><th>vertex</th><th>{html.escape(self.field)}</th></tr></thead>"
            f"<tbody>{''.join(cells)}</tbody></table><p>{html.escape(note)}</p>"
        )


if TYPE_CHECKING:

    class AnyResult(Result):
        """The result of an algorithm that is chosen at run time, or of the user's own: it may have any field."""

        def __getattr__(self, name: str) -> NDArray[Any]: ...

else:
    AnyResult = Result
