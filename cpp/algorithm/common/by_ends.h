// SPDX-License-Identifier: Apache-2.0
// Edges in ascending order of their ends, by counting.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "gaspipe/array.h"
#include "gaspipe/workers.h"
#include "hls/types.h"

namespace gaspipe {
namespace algorithm {

// The edges, which have ends `u` and `v`, by u and then v; those without (u is kNoVertex) are left out. No two have the
// same ends.
template <class Edge>
Writable<Edge> by_ends(const Writable<Edge>& edges, VertexId num_vertices, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 13;
  const std::uint64_t n = num_vertices;
  const Writable<EdgeCount> next(n + 1);
  EdgeCount* const place = next.data();
  workers.each(n + 1, kGrain,
               [&](std::uint64_t first, std::uint64_t last, int) { std::fill(place + first, place + last, 0); });
  workers.each(edges.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      if (edges[i].u != kNoVertex) __atomic_fetch_add(place + edges[i].u, 1, __ATOMIC_RELAXED);
    }
  });
  EdgeCount sum = 0;
  for (std::uint64_t u = 0; u <= n; ++u) sum += std::exchange(place[u], sum);
  const Writable<Edge> sorted(sum);
  workers.each(edges.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      if (edges[i].u != kNoVertex) sorted[__atomic_fetch_add(place + edges[i].u, 1, __ATOMIC_RELAXED)] = edges[i];
    }
  });
  // Every place has become that of the next row.
  workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    EdgeCount start = first == 0 ? 0 : place[first - 1];
    for (std::uint64_t u = first; u < last; start = place[u++]) {
      if (place[u] - start < 2) continue;
      std::sort(sorted.data() + start, sorted.data() + place[u],
                [](const Edge& a, const Edge& b) { return a.v < b.v; });
    }
  });
  return sorted;
}

}  // namespace algorithm
}  // namespace gaspipe
