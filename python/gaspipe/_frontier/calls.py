# SPDX-License-Identifier: Apache-2.0
"""The calls of a frontier program, and the values it has, as the core numbers them."""

from __future__ import annotations

# In the order of abi::FrontierCall, with what a functor needs for it.
CALLS = {
    "edge_filter": "a struct with gather and reduce",
    "edge_map": "a struct with gather and reduce",
    "vertex_filter": "a struct with cond and update",
    "vertex_map": "a function (VertexValue& value, AccumValue accumulator), with or without a VertexId as its third "
    "argument, or a struct with such an operator()",
    "edge_vertex_filter": "a struct with gather, reduce, cond and update",
    "vertex_reduce": "a struct with T identity(), T map(const VertexValue& value) and T reduce(T a, T b)",
    "run": "a function of Engine&, or of Engine& and const Parameters&",
}
NAMES = tuple(CALLS)
EDGE_FILTER, EDGE_MAP, VERTEX_FILTER, VERTEX_MAP, EDGE_VERTEX_FILTER, VERTEX_REDUCE, RUN = range(len(CALLS))
EDGE_CALLS = EDGE_FILTER, EDGE_MAP, EDGE_VERTEX_FILTER
VERTICES, EDGES, ACCUMULATORS = range(3)


def calls_of(bits: int) -> tuple[str, ...]:
    """Names of the calls that a functor serves."""
    return tuple(name for i, name in enumerate(CALLS) if bits >> i & 1)
