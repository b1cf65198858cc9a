# SPDX-License-Identifier: Apache-2.0
"""What a run on ranks is predicted to take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..._reported import Reported
from .network import Network, resolve

STEP_FIELDS = [
    ("step", np.int64),
    ("kind", "U10"),
    ("edges", np.float64),
    ("most_edges", np.float64),
    ("bytes_sent", np.float64),
    ("most_bytes", np.float64),
    ("messages", np.float64),
    ("compute_seconds", np.float64),
    ("exchange_seconds", np.float64),
    ("seconds", np.float64),
]
_SHOWN = 12  # super-steps; of longer runs the first and the last ones


@dataclass(frozen=True, eq=False)
class RanksPrediction(Reported):
    """A run on ranks, predicted. Nothing here was measured on these ranks; `print` shows it as a table.

    Attributes
    ----------
    program : str
        What runs.
    num_vertices, num_edges : int
        Of the whole graph; edges of the view that the program walks.
    ranks : int
        Number of ranks.
    strategy : str
        Which rank owns which vertices.
    network : Network
        Between the ranks.
    supersteps : numpy.ndarray
        A record per super-step: `step`, `kind`, `edges` (looked at by all ranks) and `most_edges` (by the busiest),
        `bytes_sent` in boxes (by all ranks, as `stats.domains` counts them), `most_bytes` (sent or received by one
        rank, with all that is around values), `messages` (sent by a rank), `compute_seconds`, `exchange_seconds`,
        `seconds`.
    one_rank_seconds : float
        Time of the super-steps on one rank with the whole graph, without regard to its memory.
    memory_bytes : int
        Of the rank that needs most, while it runs: its edges and what the engine makes of them, ghosts, boxes, and the
        degrees of all vertices. Reading or making the graph takes more for a while.
    method : dict of str to str
        By figure, how it was found.

    """

    program: str
    num_vertices: int
    num_edges: int
    ranks: int
    strategy: str
    network: Network
    supersteps: NDArray[np.void]
    one_rank_seconds: float
    memory_bytes: int
    method: dict[str, str]
    _again: Callable[[Network], RanksPrediction]

    def on_network(self, network: str | Network) -> RanksPrediction:
        """Return the prediction for another network, from the same counts and measurements.

        Parameters
        ----------
        network : str or Network
            As `predict` takes it.

        """
        return self._again(resolve(network))

    @property
    def num_supersteps(self) -> int:
        """Number of super-steps."""
        return len(self.supersteps)

    @property
    def seconds(self) -> float:
        """Time of all super-steps; without reading the graph and preparations."""
        return float(self.supersteps["seconds"].sum())

    @property
    def bytes_sent(self) -> float:
        """Bytes in boxes of all ranks and super-steps."""
        return float(self.supersteps["bytes_sent"].sum())

    @property
    def speedup(self) -> float:
        """Time on one rank / time on these; NaN for a run without super-steps."""
        return self.one_rank_seconds / self.seconds if self.seconds > 0 else float("nan")

    @property
    def exchange_share(self) -> float:
        """Share of the time that exchanges take, 0 to 1."""
        exchanging = float(self.supersteps["exchange_seconds"].sum())
        return exchanging / self.seconds if self.seconds > 0 else float("nan")

    def __repr__(self) -> str:
        return (
            f"RanksPrediction({self.program}, {self.ranks} ranks, {self.network.name}: predicted {self.seconds:.3g} s, "
            f"{self.num_supersteps} super-steps, speedup {self.speedup:.3g})"
        )

    def __str__(self) -> str:
        head = (
            f"Predicted: {self.program} on {self.ranks} ranks by {self.strategy}, {self.num_vertices:,} vertices, "
            f"{self.num_edges:,} edges"
        )
        lines = [head, f"network             {self.network}"]
        heads = ("compute", "exchange", "time")
        lines.append(
            f"{'step':>5} {'kind':>10} {'most edges':>14} {'bytes sent':>14} "
            + " ".join(f"{head:>10}" for head in heads)
        )
        n = self.num_supersteps
        shown = range(n) if n <= _SHOWN else [*range(_SHOWN // 2), -1, *range(n - _SHOWN // 2, n)]
        for index in shown:
            if index < 0:
                lines.append(f"{'...':>5}")
                continue
            step = self.supersteps[index]
            times = " ".join(f"{duration(step[f'{what}seconds']):>10}" for what in ("compute_", "exchange_", ""))
            counts = f"{step['most_edges']:>14,.0f} {step['bytes_sent']:>14,.0f}"
            lines.append(f"{step['step']:>5} {step['kind']:>10} {counts} {times}")
        lines += [
            f"predicted time      {duration(self.seconds)} in {n} super-steps, {self.exchange_share:.0%} in exchanges",
            f"predicted speedup   {self.speedup:.3g} over one rank ({duration(self.one_rank_seconds)})",
            f"predicted memory    {self.memory_bytes / 1e9:.3g} GB on the rank that needs most",
        ]
        lines += [f"{what:<19} {how}" for what, how in self.method.items()]
        return "\n".join(lines)


def duration(seconds: float) -> str:
    """Return seconds in the unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds * 1e6:.3g} us"
