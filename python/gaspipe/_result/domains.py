# SPDX-License-Identifier: Apache-2.0
"""What the domains of a run did."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_OF_STEP = (
    "bytes_sent",
    "bytes_received",
    "values_sent",
    "values_received",
    "computing_seconds",
    "exchanging_seconds",
    "waiting_seconds",
)


class DomainReport:
    """What one domain of a run did: an element of `result.stats.domains`.

    Attributes
    ----------
    rank : int
        Its number, from 0.
    device : str
        What really ran: "cpu", "emulator:u250", "fpga:u250", ...
    num_vertices, num_ghosts, num_edges : int
        Vertices of its own, copies of other domains' vertices, and edges, all of which lead to own vertices.
    value_bytes : int
        Size of a vertex's value in a box.
    supersteps : numpy.ndarray
        A record per super-step: `edges` streamed or looked at; `bytes_sent` and `bytes_received` in boxes (values, and
        which vertices they are of); `values_sent`, `values_received`; `computing_seconds`; `exchanging_seconds`, in
        which boxes were written and read; `waiting_seconds`, for other domains and for what travels. Of a run of more
        than 65,536 super-steps the first 32,768 are kept.
    first_exchange : numpy.void
        The same of what comes before the first super-step. Domains know the initial values of their ghosts, and send
        none; in a run that goes on from a checkpoint they get them here.

    """

    rank: int
    device: str
    num_vertices: int
    num_ghosts: int
    num_edges: int
    value_bytes: int
    supersteps: NDArray[np.void]
    first_exchange: np.void

    def __init__(self, values: dict[str, Any]) -> None:
        columns = {name: values.pop(name) for name in _OF_STEP}
        edges = values.pop("edges")
        self.__dict__.update(values)
        fields = [("edges", edges.dtype), *((name, column.dtype) for name, column in columns.items())]
        num_steps = max(0, min(len(edges), len(columns["bytes_sent"]) - 1))
        self.supersteps = np.zeros(num_steps, dtype=fields)
        self.supersteps["edges"] = edges[:num_steps]
        first = np.zeros(1, dtype=fields)
        for name, column in columns.items():
            self.supersteps[name] = column[1 : num_steps + 1]
            first[name] = column[:1]
        self.first_exchange = first[0]

    @property
    def bytes_sent(self) -> int:
        """Bytes sent in `supersteps` together."""
        return int(self.supersteps["bytes_sent"].sum())

    @property
    def bytes_received(self) -> int:
        """Bytes received in `supersteps` together."""
        return int(self.supersteps["bytes_received"].sum())

    def __repr__(self) -> str:
        return (
            f"DomainReport(rank={self.rank}, device={self.device!r}, num_vertices={self.num_vertices:,}, "
            f"num_ghosts={self.num_ghosts:,}, num_edges={self.num_edges:,}, bytes_sent={self.bytes_sent:,})"
        )
