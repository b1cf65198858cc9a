// SPDX-License-Identifier: Apache-2.0
// Ids of vertices, counts of edges, and the update that travels from a vertex to another.
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
