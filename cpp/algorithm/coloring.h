// SPDX-License-Identifier: Apache-2.0
// Colors of vertices, largest degree first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {
namespace coloring {

constexpr CpuDescription kDescription = {
    "Color of every vertex: neighbors have different ones, and there are few.",
    "Vertices take, from the largest degree down and of equal degrees by id, the smallest color that no neighbor has: "
    "NetworkX's `greedy_color` with its strategy \"largest_first\". There are at most as many colors as the largest "
    "degree, and one. Directions of edges, self-loops, weights and repeated edges are ignored.",
    "M. Jones, P. Plassmann, \"A Parallel Graph Coloring Heuristic\", SIAM J. Scientific Computing 14(3), 1993, "
    "doi:10.1137/0914041; W. Hasenplaugh, T. Kaler, T. Schardl, C. Leiserson, \"Ordering Heuristics for Parallel Graph "
    "Coloring\", SPAA 2014, doi:10.1145/2612669.2612697."};

struct Parameters {
  template <class Visit>
  void each(Visit&&) {}
};

struct Answer {
  Array<std::int32_t> color;
  std::int64_t num_colors = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("color", color, "0, 1, ... num_colors - 1");
    visit("num_colors", num_colors, "how many colors there are");
  }
};

// The workers take vertices from one queue, in order, and a vertex waits until the neighbors before it have colors. The
// first that has none never waits.
template <class AnyRows>
class Queue {
 public:
  Queue(const AnyRows& rows, Workers& workers)
      : rows_(rows),
        workers_(workers),
        degree_(rows.num_vertices()),
        order_(rows.num_vertices()),
        color_(rows.num_vertices()) {
    std::vector<std::uint32_t> most(static_cast<std::size_t>(workers.size()), 0);
    workers.each(rows.num_vertices(), kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      std::uint32_t& largest = most[static_cast<std::size_t>(worker)];
      for (std::uint64_t i = first; i < last; ++i) {
        const auto v = static_cast<VertexId>(i);
        auto degree = static_cast<std::uint32_t>(rows.degree(v));
        for (const auto edge : rows[v]) degree -= edge.neighbor() == v;
        degree_[v] = degree;
        color_[v] = kNone;
        largest = std::max(largest, degree);
      }
    });
    most_ = *std::max_element(most.begin(), most.end());
    // Largest degree first.
    std::vector<VertexId> next(std::size_t(most_) + 2, 0);
    for (VertexId v = 0; v < rows.num_vertices(); ++v) ++next[most_ - degree_[v] + 1];
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    for (VertexId v = 0; v < rows.num_vertices(); ++v) order_[next[most_ - degree_[v]]++] = v;
  }

  Answer run() {
    std::vector<std::vector<VertexId>> taken(static_cast<std::size_t>(workers_.size()),
                                             std::vector<VertexId>(std::size_t(most_) + 1, kNoVertex));
    std::atomic<std::uint64_t> next{0};
    workers_.together([&](int worker, int) {
      VertexId* const taken_by = taken[static_cast<std::size_t>(worker)].data();
      while (!workers_.poll(worker)) {
        const std::uint64_t first = next.fetch_add(kChunk, std::memory_order_relaxed);
        const std::uint64_t last = std::min<std::uint64_t>(first + kChunk, order_.size());
        for (std::uint64_t i = first; i < last; ++i) {
          if (i + engine::kRowsAhead < last) rows_.prefetch_row(order_[i + engine::kRowsAhead]);
          if (!paint(order_[i], taken_by, worker)) return;
        }
        if (last == order_.size()) return;
      }
    });
    std::int32_t highest = 0;
    for (std::size_t v = 0; v < color_.size(); ++v) highest = std::max(highest, color_[v]);
    return {color_.freeze(), std::int64_t(highest) + 1};
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 13, kChunk = 256;
  static constexpr int kTries = 100;  // before other threads may have the core
  static constexpr std::int32_t kNone = -1;

  bool is_before(VertexId u, VertexId v) const {
    return degree_[u] > degree_[v] || (degree_[u] == degree_[v] && u < v);
  }
  std::int32_t color_of(VertexId v) const { return __atomic_load_n(color_.data() + v, __ATOMIC_RELAXED); }

  // False when cancelled. `taken_by`: the last vertex that had a neighbor of this color.
  bool paint(VertexId v, VertexId* taken_by, int worker) const {
    for (const auto edge : rows_[v]) {
      const VertexId u = edge.neighbor();
      std::int32_t color = color_of(u);
      if (color == kNone) {
        if (u == v || !is_before(u, v)) continue;
        for (int tries = 0; (color = color_of(u)) == kNone; ++tries) {
          if (workers_.poll(worker)) return false;
          if (tries > kTries) std::this_thread::yield();
        }
      }
      if (static_cast<std::uint32_t>(color) <= degree_[v]) taken_by[color] = v;
    }
    std::int32_t color = 0;
    while (taken_by[color] == v) ++color;
    __atomic_store_n(color_.data() + v, color, __ATOMIC_RELAXED);
    return true;
  }

  const AnyRows rows_;
  Workers& workers_;
  Writable<std::uint32_t> degree_;
  Writable<VertexId> order_;
  Writable<std::int32_t> color_;
  std::uint32_t most_ = 0;  // largest degree
};

inline Answer run(CpuRun& run, const Parameters&) {
  const std::shared_ptr<const Csr> csr = run.view(View::kUndirected);
  return engine::with_rows(
      table_of(*csr), [&](const auto& rows) { return Queue<std::decay_t<decltype(rows)>>(rows, run.workers).run(); });
}

}  // namespace coloring
}  // namespace algorithm
}  // namespace gaspipe
