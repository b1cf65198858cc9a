// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches from many sources: in bundles of 64, or one by one where searches rarely meet.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpp/algorithm/common/bundle.h"
#include "gaspipe/engine/first_hit_map.h"

namespace gaspipe {
namespace algorithm {

// One search, alone. `queue` has room for all vertices and one more. Returns early when cancelled.
template <bool is_branchless, class AnyRows>
void search(const AnyRows rows, VertexId source, std::int32_t* depth, VertexId* queue, Workers& workers, int worker) {
  constexpr std::uint64_t kVerticesPerPoll = 1 << 13;
  std::fill_n(depth, rows.num_vertices(), -1);
  depth[source] = 0;
  queue[0] = source;
  for (std::uint64_t i = 0, size = 1; i < size; ++i) {
    if (i % kVerticesPerPoll == 0 && workers.poll(worker)) return;
    if (i + engine::kRowsAhead < size) rows.prefetch_row(queue[i + engine::kRowsAhead]);
    const std::int32_t level = depth[queue[i]] + 1;
    for (const auto edge : rows[queue[i]]) {
      std::int32_t& found = depth[edge.neighbor()];
      if constexpr (is_branchless) {
        const bool is_new = found < 0;
        queue[size] = edge.neighbor();
        found = is_new ? level : found;
        size += is_new;
      } else if (found < 0) {
        found = level;
        queue[size++] = edge.neighbor();
      }
    }
  }
}

// Keeps what it needs from run to run.
class Searches {
 public:
  // `in`: the edges into every vertex; null where they are not at hand.
  Searches(const Csr& out, const Csr* in, Workers& workers)
      : out_(out),
        in_(in),
        workers_(workers),
        is_branchless_(engine::are_hits_unpredictable(table_of(out))),
        alone_(static_cast<std::size_t>(workers.size())),
        queues_(static_cast<std::size_t>(workers.size())) {}

  // depth[k * num_vertices + v] becomes the depth of v from sources[k], or -1.
  void run(const VertexId* sources, std::uint64_t num_sources, std::int32_t* depth) {
    const std::uint64_t num_bundles = (num_sources + Bundle::kMost - 1) / Bundle::kMost;
    const auto num_workers = static_cast<std::uint64_t>(workers_.size());
    // Side by side as long as there is one for every worker; at the others all workers work together.
    const std::uint64_t num_beside = num_workers > 1 ? num_bundles / num_workers * num_workers : 0;
    std::vector<char> is_done(num_bundles, 0);
    const auto run_bundle = [&](Bundle& bundle, std::uint64_t i, int worker) {
      const std::uint64_t first = i * Bundle::kMost, size = std::min(Bundle::kMost, num_sources - first);
      is_done[i] = bundle.run(sources + first, size, depth + first * out_.num_rows, worker);
      if (is_done[i] == 0) is_bundled_.store(false, std::memory_order_relaxed);
    };
    workers_.each(num_beside, 1, [&](std::uint64_t i, std::uint64_t, int worker) {
      if (!is_bundled_.load(std::memory_order_relaxed)) return;
      run_bundle(made(alone_[static_cast<std::size_t>(worker)], false), i, worker);
    });
    for (std::uint64_t i = num_beside; i < num_bundles && is_bundled_; ++i) run_bundle(made(together_, true), i, 0);
    workers_.check();
    if (is_bundled_) return;
    workers_.each(num_sources, 1, [&](std::uint64_t k, std::uint64_t, int worker) {
      if (is_done[k / Bundle::kMost] != 0) return;
      std::vector<VertexId>& queue = queues_[static_cast<std::size_t>(worker)];
      queue.resize(std::size_t(out_.num_rows) + 1);
      engine::with_rows(table_of(out_), [&](const auto& rows) {
        std::int32_t* const row = depth + k * out_.num_rows;
        if (is_branchless_) {
          search<true>(rows, sources[k], row, queue.data(), workers_, worker);
        } else {
          search<false>(rows, sources[k], row, queue.data(), workers_, worker);
        }
      });
    });
  }

 private:
  Bundle& made(std::unique_ptr<Bundle>& bundle, bool is_shared) {
    if (!bundle) bundle = std::make_unique<Bundle>(out_, in_, workers_, is_shared);
    return *bundle;
  }

  const Csr& out_;
  const Csr* const in_;
  Workers& workers_;
  const bool is_branchless_;
  std::atomic<bool> is_bundled_{true};  // false once a bundle has given up
  std::unique_ptr<Bundle> together_;
  std::vector<std::unique_ptr<Bundle>> alone_;  // by worker
  std::vector<std::vector<VertexId>> queues_;   // likewise
};

}  // namespace algorithm
}  // namespace gaspipe
