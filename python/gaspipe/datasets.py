# SPDX-License-Identifier: Apache-2.0
"""A real graph to try things on."""

from __future__ import annotations

from importlib import resources

from .graph import Graph


def roads_ny() -> Graph:
    """Roads of New York City: 264,346 crossings, 730,100 directed edges, int32 lengths. Ships with the package.

    From USA-road-d.NY of the 9th DIMACS Implementation Challenge, made of US Census TIGER/Line data: public domain.
    """
    with resources.as_file(resources.files(__package__) / "data" / "roads-ny.txt.xz") as path:
        return Graph.from_file(path, format="edge_list", header=False).symmetrize()
