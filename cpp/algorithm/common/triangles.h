// SPDX-License-Identifier: Apache-2.0
// Triangles at every vertex of an undirected graph: by marks over its oriented form or, where no vertex has many
// neighbors, by merging the rows as they are.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpp/algorithm/common/oriented.h"

namespace gaspipe {
namespace algorithm {

// Whether rows are so short that orienting them takes longer than merging.
template <class AnyRows>
bool has_short_rows(const AnyRows& rows, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 14;
  constexpr EdgeCount kLongest = 32, kMeanDegree = 8;
  if (rows.num_edges() > kMeanDegree * rows.num_vertices()) return false;
  std::atomic<bool> is_short{true};
  workers.each(rows.num_vertices(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    if (!is_short.load(std::memory_order_relaxed)) return;
    EdgeCount longest = 0;
    for (std::uint64_t v = first; v < last; ++v) longest = std::max(longest, rows.degree(static_cast<VertexId>(v)));
    if (longest > kLongest) is_short.store(false, std::memory_order_relaxed);
  });
  return is_short;
}

// From rows that are sorted, without repetition, and symmetric. Both rows are read from their ends, where the larger
// neighbors are: a vertex with less than two of them needs no other row.
template <class AnyRows>
Writable<std::int64_t> triangles_by_merging(const AnyRows& rows, const VertexId* targets, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 13;
  const Writable<std::int64_t> counts(rows.num_vertices());
  std::int64_t* const count = counts.data();
  workers.each(rows.num_vertices(), kGrain,
               [&](std::uint64_t first, std::uint64_t last, int) { std::fill(count + first, count + last, 0); });
  const auto add = [&](VertexId v, std::int64_t found) { __atomic_fetch_add(count + v, found, __ATOMIC_RELAXED); };
  workers.phase("vertices", Workers::kNextLoop);
  workers.each(rows.num_vertices(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      const auto u = static_cast<VertexId>(i);
      const VertexId* const begin = targets + rows.begin(u);
      const VertexId* const end = targets + rows.end(u);
      if (end - begin < 2) continue;
      for (const VertexId* above = end - 1; above > begin && above[-1] > u; --above) {
        // Of the neighbors above v, those in both rows; u, which is below, ends the row of v.
        const VertexId v = above[-1];
        const VertexId *of_u = end - 1, *of_v = targets + rows.end(v) - 1;
        while (of_u >= above && *of_v > v) {
          if (*of_u == *of_v) {
            add(u, 1);
            add(v, 1);
            add(*of_u, 1);
          }
          const VertexId a = *of_u, b = *of_v;
          of_u -= a >= b;
          of_v -= b >= a;
        }
      }
    }
  });
  return counts;
}

// From rows that are sorted, without repetition, and symmetric; self-loops do not count.
template <class AnyRows>
Writable<std::int64_t> triangles_of(const AnyRows& rows, const VertexId* targets, Workers& workers) {
  if (has_short_rows(rows, workers)) return triangles_by_merging(rows, targets, workers);
  return sum_over_triangles<false>(orient(rows, false, [](VertexId, VertexId) { return 0; }, workers), workers);
}

}  // namespace algorithm
}  // namespace gaspipe
