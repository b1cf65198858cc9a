# SPDX-License-Identifier: Apache-2.0
"""What NetworkX finds by chance, where the call leaves it to chance: communities and independent sets."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _algorithms
from . import components
from .dispatch import adds_parallel_edges, answers
from .graph import GaspipeGraph


def _is_seeded(a: Mapping[str, Any]) -> str | None:
    # NetworkX passes Python's generator for seed=None; a seed asks for NetworkX's own sequence.
    if a["seed"] is None or a["seed"] is getattr(random, "_inst", None):
        return None
    return "seed= asks for the answer that NetworkX finds with these random numbers"


def _is_directed(a: Mapping[str, Any]) -> str | None:
    return "the graph is directed; gaspipe's louvain ignores directions" if a["G"].is_directed() else None


@answers(lambda a: _is_seeded(a) or _is_directed(a) or adds_parallel_edges(a))
def louvain_communities(
    G: GaspipeGraph,
    weight: Any = "weight",
    resolution: float = 1,
    threshold: float = 1e-7,
    max_level: int | None = None,
    seed: Any = None,
) -> list[set[Any]]:
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    graph, weights = G.with_weights(weight)
    found = _algorithms.louvain(
        graph,
        resolution=float(resolution),
        threshold=float(threshold),
        max_level=max_level or 1000,
        weights=weights is not None,
    )
    return list(components.groups(G, found.community))


@answers(lambda a: _is_seeded(a) or ("nodes= must be members" if a["nodes"] else None))
def maximal_independent_set(G: GaspipeGraph, nodes: Any = None, seed: Any = None) -> list[Any]:
    if G.is_loop.any():
        raise NotImplementedError("a node with a self-loop is its own neighbor")
    found = _algorithms.maximal_independent_set(G.plain, seed=random.randrange(1 << 31))
    return [G.node_list[v] for v in np.flatnonzero(found.member).tolist()]
