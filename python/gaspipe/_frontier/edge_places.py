# SPDX-License-Identifier: Apache-2.0
"""Where the edges of domains are among those of the whole graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._core import InputError
from ..graph import Graph


def edge_places(graph: Graph, domains: Sequence[_core.Domain], owners: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return for each domain the place of its edges in `indices` of the whole graph, in the domain's order.

    A domain has the edges into its own vertices: rows of its own vertices, then those of its ghosts, each row in the
    order of the whole one.
    """
    sources = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    owner_of_edge = owners[graph.indices]
    made = []
    for domain in domains:
        row_of = np.zeros(graph.num_vertices, np.int64)
        rows = np.concatenate([domain.ids(), domain.ghost_ids()])
        if len(np.unique(rows)) < len(rows):
            raise InputError("values of edges cannot be seen where domains have combine=False")
        row_of[rows] = np.arange(len(rows))
        places = np.flatnonzero(owner_of_edge == domain.rank)
        made.append(places[np.argsort(row_of[sources[places]], kind="stable")])
    return made
