# SPDX-License-Identifier: Apache-2.0
"""Gaspipe as a backend of NetworkX: `nx.pagerank(G, backend="gaspipe")`.

The entry point `networkx.backends` names `backend`, whose attributes are the functions that NetworkX dispatches.
"""

from . import communities, components, distances, hops, local, ranks, weighted  # noqa: F401 (they register functions)
from .convert import convert_from_nx, convert_to_nx
from .dispatch import backend, functions
from .graph import GaspipeGraph

__all__ = ["GaspipeGraph", "backend", "convert_from_nx", "convert_to_nx", "functions"]
