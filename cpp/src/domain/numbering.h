// SPDX-License-Identifier: Apache-2.0
// The numbers that vertices have in the domains that own them.
#pragma once

#include <cstdint>
#include <vector>

#include "gaspipe/domain.h"

namespace gaspipe {
namespace detail {

struct Numbering {
  // O(V + domains), on all workers; the same whatever their number.
  static Numbering make(const Ownership& ownership, VertexId num_vertices, Workers& workers);

  int size = 1;
  std::vector<std::uint64_t>
      first;                    // size + 1: the vertices of rank r are at first[r] to first[r + 1] - 1 of the order
  Array<std::uint16_t> owners;  // of every vertex
  // Vertices by owner, then by id; and the number of every vertex. Both are empty where owners have ranges of ids.
  Array<VertexId> order, numbers;

  bool is_contiguous() const { return order.size() == 0; }
  std::uint64_t num_own(int rank) const { return first[std::size_t(rank) + 1] - first[rank]; }
  VertexId vertex(std::uint64_t place) const { return is_contiguous() ? static_cast<VertexId>(place) : order[place]; }
  VertexId number(VertexId v, std::uint16_t owner) const {
    return is_contiguous() ? v - static_cast<VertexId>(first[owner]) : numbers[v];
  }
};

}  // namespace detail
}  // namespace gaspipe
