# SPDX-License-Identifier: Apache-2.0
"""Algorithms in C++ that several tests share, so that each is compiled once in a session."""

import functools

import numpy as np

import gaspipe as gp

WIDEST = r"""
// The width of the widest path: bottleneck of weights.
inline prop_t preprocessProperty(prop_t p)            { return p; }
inline prop_t scatterFunc(prop_t p, prop_t w)         { return p < w ? p : w; }
inline prop_t updateMergeInRAWSolver(prop_t a, prop_t b) { return a > b ? a : b; }
inline prop_t gatherFunc(prop_t a, prop_t b)          { return a > b ? a : b; }
inline prop_t applyMerge(prop_t a, prop_t b)          { return a > b ? a : b; }
inline prop_t applyFunc(prop_t tProp, prop_t source, prop_t outDeg, unsigned int &extra, unsigned int arg) {
  if (tProp > source) { extra += 1; return tProp; }
  return source;
}
"""

# Levels from 1 in the low bits; bit 31 marks the frontier; 0 is "not reached". Buffers start as zeros.
ACTIVE_BIT = r"""
#define IS_ACTIVE_VERTEX(a) ((a) & VERTEX_ACTIVE_BIT_MASK)
inline prop_t preprocessProperty(prop_t prop) { return IS_ACTIVE_VERTEX(prop) ? prop + 1 : 0; }
inline prop_t updateCalculation(prop_t source, prop_t edge) { return source; }
inline prop_t updateDestination(prop_t a, prop_t b) { return a == 0 ? b : b == 0 ? a : a < b ? a : b; }
inline prop_t applyFunc(prop_t tProp, prop_t source, prop_t outDeg, unsigned int &extra, unsigned int arg) {
  if (IS_ACTIVE_VERTEX(tProp) && source == 0) { extra++; return tProp; }
  return source & ~VERTEX_ACTIVE_BIT_MASK;  // no longer active
}
"""

PAGERANK = r"""
inline prop_t preprocessProperty(prop_t contribution) { return contribution; }
inline prop_t scatterFunc(prop_t contribution, prop_t) { return contribution; }
inline prop_t gatherFunc(prop_t a, prop_t b) { return a + b; }
inline prop_t applyFunc(prop_t tProp, prop_t source, const prop_t (&aux)[2], unsigned int &extra, Arg arg) {
  const prop_t rank = (1 - arg.damping) * aux[1] + arg.damping * tProp;
  return rank / max(aux[0], prop_t(1));
}
"""

# Ranks are words in a scale; `damping` arrives as a fraction of 2^31.
FIXED_PAGERANK = r"""
inline prop_t gatherFunc(prop_t a, prop_t b) { return saturating_add(a, b); }
inline prop_t applyFunc(prop_t tProp, prop_t source, const prop_t (&aux)[2], unsigned int &extra, Arg arg) {
  const prop_t jumps = multiply_fraction(aux[1], (1u << 31) - arg.damping, 31);
  const prop_t rank = saturating_add(jumps, multiply_fraction(tProp, arg.damping, 31));
  return rank / max(aux[0], 1u);
}
"""

STRUCT_BFS = r"""
template <class Number = std::uint32_t>
struct Hooks {
  using Property = Number;
  static constexpr Property kUnreached = 0xffffffff;
  static constexpr Property kIdentity = kUnreached;
  static constexpr bool kReadsEdgeProperty = false;
  static constexpr bool kIdempotent = true;
  static constexpr bool kFinalOnceSet = true;
  static constexpr int kAux = 0;
  static bool isActive(Property update) { return update != kUnreached; }
  static bool isSource(Property level) { return level != kUnreached; }
  static Property preprocessProperty(Property level) { return level == kUnreached ? level : level + 1; }
  static Property scatterFunc(Property level, Property /*edge*/) { return level; }
  static Property gatherFunc(Property level, Property update) { return update < level ? update : level; }
  static Property applyFunc(Property tProp, Property source, Property /*outDeg*/, unsigned& extra, unsigned /*arg*/) {
    extra += tProp < source;
    return gatherFunc(source, tProp);
  }
};
"""


def from_root(graph, root=0):
    start = np.zeros(graph.num_vertices, np.uint32)
    start[root] = 2**32 - 1
    return start


@functools.cache
def widest():
    return gp.Algorithm("widest_path", WIDEST, initial=from_root, doc="Width of the widest path. From one root.")


@functools.cache
def active_bit():
    return gp.Algorithm(
        "zero_filled_bfs",
        ACTIVE_BIT,
        initial="v == root ? (VERTEX_ACTIVE_BIT_MASK | 1) : 0",
        parameters={"root": 0},
        finish="prop == 0 ? -1 : std::int32_t(prop & ~VERTEX_ACTIVE_BIT_MASK) - 1",
        dtype="int32",
        field="depth",
    )


@functools.cache
def pagerank():
    return gp.Algorithm(
        "my_pagerank",
        PAGERANK,
        prop="float64",
        parameters={"damping": gp.Parameter(0.85, 0, 1, "Probability of following an edge.")},
        inputs={"degree": "out_degree(v)", "teleport": "1.0 / n"},
        initial="1.0 / n / (out_degree(v) == 0 ? 1 : out_degree(v))",
        finish="prop * (out_degree(v) == 0 ? 1 : out_degree(v))",
        until=("tol", 1e-12),
        field="rank",
    )


@functools.cache
def fixed_pagerank():
    return gp.Algorithm(
        "fixed_pagerank",
        FIXED_PAGERANK,
        prop=gp.fixed(),
        parameters={"damping": gp.Parameter(0.85, 0, 1)},
        inputs={"degree": "out_degree(v)", "teleport": "word(1.0 / n)"},
        initial="word(1.0 / n) / (out_degree(v) == 0 ? 1 : out_degree(v))",
        finish="prop * (out_degree(v) == 0 ? 1 : out_degree(v))",
        until=("tol", 1e-4),
        field="rank",
    )


@functools.cache
def struct_bfs():
    return gp.Algorithm(
        "struct_bfs",
        STRUCT_BFS,
        initial="v == root ? 0 : user::Hooks<>::kUnreached",
        parameters={"root": 0},
        finish="std::int32_t(prop)",
        dtype="int32",
        field="depth",
    )


@functools.cache
def one_line():
    return gp.Algorithm(
        "one_line_widest",
        scatter="min(src, edge)",
        gather="max(a, b)",
        initial="v == root ? 0xffffffff : 0",
        parameters={"root": 0},
    )
