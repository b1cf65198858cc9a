# SPDX-License-Identifier: Apache-2.0
"""The leaves of shortest paths by buckets (hls/local_store/distances.h, relax.h), but for two that have two bursts."""

from __future__ import annotations

from leaf import Leaf, read, written

_LINE = "Word<L>"
_CELLS = "random_cells(256, random)"
_WORDS, _LIMIT = ("words", "U", "256"), ("limit", "U", "5000")  # 4,096 vertices


def delta_leaves() -> list[Leaf]:
    """Return them."""
    found = [
        Leaf(
            "findNear",
            "findNear(words, limit, scanned, runs, groups)",
            inputs=(read("scanned", _LINE, _CELLS),),
            outputs=(written("runs", "LineRun"), written("groups", "NearGroup")),
            scalars=(_WORDS, _LIMIT),
        ),
        Leaf(
            "spreadNear",
            "spreadNear(groups, heads, out)",
            inputs=(
                read("groups", "NearGroup", "random_near_groups(300, random)"),
                read("heads", _LINE, "random_heads(600, random)"),
            ),
            outputs=(written("out", "NearVertex"),),
        ),
        Leaf(
            "planEdges",
            "planEdges(in, runs, edges)",
            inputs=(read("in", "NearVertex", "random_near_vertices(800, random)"),),
            outputs=(written("runs", "LineRun"), written("edges", "EdgeRun")),
        ),
        Leaf(
            "unpackEdges_8",
            "unpackEdges<8, std::uint32_t>(3, runs, edges, out)",
            inputs=(
                read("runs", "EdgeRun", "random_edge_runs(100, random)"),
                read("edges", _LINE, "random_edges(300, random)"),
            ),
            outputs=(written("out", "OwnedDistance"),),
        ),
        Leaf(
            "watchCells",
            "watchCells(in, out)",
            inputs=(read("in", "DistanceMessage", "random_distances(3000, 4096, random)"),),
            outputs=(written("out", "DistanceRequest"),),
        ),
        Leaf(
            "relaxDistances",
            "relaxDistances<1 << 12>(words, loaded, in, out)",
            inputs=(
                read("loaded", _LINE, _CELLS),
                read("in", "DistanceRequest", "random_distance_requests(4000, 4096, random)"),
            ),
            outputs=(written("out", _LINE),),
            scalars=(_WORDS,),
        ),
    ]
    for pes in (2, 8):
        wires = [f"wire_{i}" for i in range(pes)]
        found += [
            Leaf(
                f"dispatchDistances_{pes}",
                f"dispatchLists(in, {', '.join(wires)})",
                inputs=(read("in", "OwnedDistance", f"random_owned_distances({pes}, 4000, random)"),),
                outputs=tuple(written(wire, "DistanceMessage") for wire in wires),
            ),
            Leaf(
                f"exchangeDistances_{pes}",
                f"exchangeCodes(out, {', '.join(wires)})",
                inputs=tuple(read(wire, "DistanceMessage", "random_distance_periods(12, random)") for wire in wires),
                outputs=(written("out", "DistanceMessage"),),
            ),
        ]
    return found
