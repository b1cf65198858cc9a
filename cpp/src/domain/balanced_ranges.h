// SPDX-License-Identifier: Apache-2.0
// Ranges of ids of about equal cost: an edge costs 1 at the domain that its target is in, and so does a vertex. The
// boundaries are as near to equal shares as whole vertices allow; a domain may be empty. Order is kept, so graphs whose
// neighbors have near ids get small cuts.
//
// Two passes, without a counter per vertex: edges are counted by buckets of consecutive targets; then one by one, but
// only in the buckets that a boundary falls into.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gaspipe/domain.h"

namespace gaspipe {
namespace detail {

using TargetCounts = std::vector<EdgeCount>;

// `count(num_sums, add)` returns num_sums sums, after add(target, sums) for every edge.
template <class Count>
Ownership balanced_ranges(std::uint64_t n, int size, const Count& count) {
  constexpr std::uint64_t kMostBuckets = 1 << 14;
  int shift = 0;
  while ((n >> shift) >= kMostBuckets) ++shift;
  const std::uint64_t width = std::uint64_t(1) << shift, num_buckets = (n >> shift) + 1;
  const TargetCounts in_bucket = count(num_buckets, [shift](VertexId v, EdgeCount* sums) { ++sums[v >> shift]; });
  TargetCounts cost(num_buckets + 1);  // of all buckets before
  for (std::uint64_t b = 0; b < num_buckets; ++b) {
    cost[b + 1] = cost[b] + in_bucket[b] + std::min((b + 1) << shift, n) - std::min(b << shift, n);
  }

  const auto ranks = static_cast<std::uint64_t>(size);
  const EdgeCount total = cost[num_buckets], share = total / ranks, rest = total % ranks;
  const auto goal = [&](std::uint64_t rank) { return share * rank + rest * rank / ranks; };
  const auto bucket_of = [&](std::uint64_t rank) {
    const auto above = std::upper_bound(cost.begin(), cost.end(), goal(rank));
    return std::min<std::uint64_t>(static_cast<std::uint64_t>(above - cost.begin()) - 1, num_buckets - 1);
  };
  constexpr std::uint32_t kNone = ~std::uint32_t(0);
  std::vector<std::uint32_t> place(num_buckets, kNone);  // of the buckets that are counted one by one
  std::uint32_t num_places = 0;
  for (std::uint64_t rank = 1; rank < ranks; ++rank) {
    std::uint32_t& found = place[bucket_of(rank)];
    if (found == kNone) found = num_places++;
  }
  const TargetCounts in_vertex = count(num_places * width, [&, mask = width - 1](VertexId v, EdgeCount* sums) {
    const std::uint32_t at = place[v >> shift];
    if (at != kNone) ++sums[at * width + (v & mask)];
  });

  Ownership ownership;
  ownership.size = size;
  ownership.first.assign(ranks + 1, static_cast<VertexId>(n));
  ownership.first[0] = 0;
  for (std::uint64_t rank = 1; rank < ranks; ++rank) {
    const std::uint64_t bucket = bucket_of(rank), end = std::min((bucket + 1) << shift, n), here = goal(rank);
    const EdgeCount* const edges = in_vertex.data() + place[bucket] * width;
    std::uint64_t v = bucket << shift;
    EdgeCount before = cost[bucket];  // of all vertices before v
    for (; v < end && before < here; ++v) {
      const EdgeCount after = before + edges[v & (width - 1)] + 1;
      if (after > here && after - here > here - before) break;
      before = after;
    }
    ownership.first[rank] = static_cast<VertexId>(v);
  }
  return ownership;
}

}  // namespace detail
}  // namespace gaspipe
