// SPDX-License-Identifier: Apache-2.0
// The words every kernel, engine and algorithm shares: vertices, edges, updates, number formats and the vocabulary
// of a program (hls/program.h). An algorithm header includes this file and nothing else. C++14, no standard library
// beyond the fixed-width integers, so that Vitis and a host compiler read the same text.
#pragma once

#include <cstdint>

namespace gaspipe {

using VertexId = std::uint32_t;   // ids 0..n-1
using EdgeCount = std::uint64_t;  // counts and offsets of edges

// A destination that no edge has: the padding of an edge word.
constexpr VertexId kNoVertex = 0xffffffffu;

// What scatter emits and gather consumes: the tuple that travels through the shuffle.
template <class Value>
struct Update {
  VertexId destination;
  Value value;
};

}  // namespace gaspipe

#include "hls/fixed.h"
#include "hls/program.h"
