// SPDX-License-Identifier: Apache-2.0
// The connected parts of a graph's communities, by union-find: S. Jayanti, R. Tarjan, "A Randomized Concurrent
// Algorithm for Disjoint Set Union", PODC 2016, doi:10.1145/2933057.2933108, with ids in place of random numbers.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "gaspipe/workers.h"
#include "hls/types.h"

namespace gaspipe {
namespace algorithm {

class Sets {
 public:
  explicit Sets(VertexId n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  // The smallest member, once no more sets are joined.
  VertexId find(VertexId v) {
    for (;;) {
      const VertexId parent = load(v);
      if (parent == v) return v;
      const VertexId above = load(parent);
      if (above != parent)
        __atomic_store_n(&parent_[v], above, __ATOMIC_RELAXED);  // closer to the root, whichever thread writes last
      v = parent;
    }
  }
  void join(VertexId u, VertexId v) {
    for (;;) {
      u = find(u);
      v = find(v);
      if (u == v) return;
      if (u < v) std::swap(u, v);
      VertexId root = u;
      if (__atomic_compare_exchange_n(&parent_[u], &root, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    }
  }

 private:
  VertexId load(VertexId v) const { return __atomic_load_n(&parent_[v], __ATOMIC_RELAXED); }
  std::vector<VertexId> parent_;
};

// The smallest vertex of the part that every vertex is in.
template <class AnyRows>
std::vector<VertexId> connected_parts(const AnyRows& rows, const std::vector<VertexId>& community, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 10;
  const VertexId n = rows.num_vertices();
  Sets sets(n);
  workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      for (const auto edge : rows[static_cast<VertexId>(v)]) {
        const VertexId u = edge.neighbor();
        if (u < v && community[u] == community[v]) sets.join(static_cast<VertexId>(v), u);
      }
    }
  });
  std::vector<VertexId> smallest(n);
  workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) smallest[v] = sets.find(static_cast<VertexId>(v));
  });
  return smallest;
}

}  // namespace algorithm
}  // namespace gaspipe
