# SPDX-License-Identifier: Apache-2.0
"""Nodes among a call's arguments: one, several, or None for all."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from .graph import GaspipeGraph


def chosen(G: GaspipeGraph, nodes: Any) -> NDArray[np.int64]:
    """Return the vertices of `nodes` in their order, leaving out what is no node, as NetworkX's nbunch_iter does."""
    if nodes is None:
        return np.arange(len(G), dtype=np.int64)
    if nodes in G:
        return np.array([G.ids[nodes]], np.int64)
    try:
        given = list(nodes)
    except TypeError as error:
        raise nx.NetworkXError(f"Node {nodes} is not in the graph, and no sequence of nodes") from error
    try:
        return np.array([G.ids[node] for node in given if node in G.ids], np.int64)
    except TypeError as error:
        raise nx.NetworkXError(f"Nodes are hashable; {error}") from error
