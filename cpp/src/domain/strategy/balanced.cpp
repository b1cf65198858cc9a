// SPDX-License-Identifier: Apache-2.0
// Ranges of ids of about equal cost: an edge costs 1 at the domain that its target is in, and so does a vertex. The
// boundaries are as near to equal shares as whole vertices allow; a domain may be empty. Order is kept, so graphs whose
// neighbors have near ids get small cuts.
//
// Two passes, without a counter per vertex: edges are counted by buckets of consecutive targets; then one by one, but
// only in the buckets that a boundary falls into.
#include <algorithm>
#include <vector>

#include "gaspipe/domain.h"

namespace gaspipe {
namespace domain_strategy {
namespace {

constexpr std::uint64_t kMostBuckets = 1 << 14;
constexpr std::uint64_t kEdgeGrain = 1 << 16;

using Counts = std::vector<EdgeCount>;

// Sums of `count(edges, sums)` for pieces of the edges' targets, one array of sums per worker.
template <class Count>
Counts count_targets(const Csr& rows, std::size_t num_sums, Workers& workers, const Count& count) {
  std::vector<Counts> of_workers(static_cast<std::size_t>(workers.size()));
  workers.each(num_sums == 0 ? 0 : rows.num_edges(), kEdgeGrain,
               [&](std::uint64_t first, std::uint64_t last, int worker) {
                 Counts& sums = of_workers[static_cast<std::size_t>(worker)];
                 sums.resize(num_sums);
                 for (std::uint64_t e = first; e < last; ++e) count(rows.targets[e], sums.data());
               });
  Counts total(num_sums);
  for (const Counts& sums : of_workers) {
    for (std::size_t i = 0; i < sums.size(); ++i) total[i] += sums[i];
  }
  return total;
}

}  // namespace

Ownership balanced(const Csr& rows, int size, Workers& workers) {
  const std::uint64_t n = rows.num_rows;
  int shift = 0;
  while ((n >> shift) >= kMostBuckets) ++shift;
  const std::uint64_t width = std::uint64_t(1) << shift, num_buckets = (n >> shift) + 1;
  const Counts in_bucket =
      count_targets(rows, num_buckets, workers, [shift](VertexId v, EdgeCount* sums) { ++sums[v >> shift]; });
  Counts cost(num_buckets + 1);  // of all buckets before
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
  const Counts in_vertex =
      count_targets(rows, num_places * width, workers, [&, mask = width - 1](VertexId v, EdgeCount* sums) {
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

}  // namespace domain_strategy
}  // namespace gaspipe
