// SPDX-License-Identifier: Apache-2.0
// Colors of vertices, largest degree first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
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

// The workers take vertices from one queue, in order. A color depends on the neighbors before it in the order alone. A
// worker that finds one without a color, because the worker that took it is behind or was switched out, waits for a
// moment, then colors itself all that others have taken before and not finished. Where both color a vertex the first
// color stays: the second of them may have seen neighbors that come later with colors already.
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
    const auto num_workers = static_cast<std::size_t>(workers_.size());
    std::vector<std::vector<VertexId>> taken(num_workers, std::vector<VertexId>(std::size_t(most_) + 1, kNoVertex));
    begun_ = std::vector<Begun>(num_workers);
    workers_.phase("vertices", Workers::kNextLoop);
    // How many chunks there are matters, not which: each call takes the next of the queue.
    workers_.each(order_.size(), kChunk, [&](std::uint64_t some, std::uint64_t some_last, int worker) {
      VertexId* const taken_by = taken[static_cast<std::size_t>(worker)].data();
      std::atomic<std::uint64_t>& begun = begun_[static_cast<std::size_t>(worker)].first;
      begun.store(next_.load(std::memory_order_relaxed), std::memory_order_relaxed);  // where it will be, or before
      const std::uint64_t first = next_.fetch_add(some_last - some, std::memory_order_acq_rel);
      const std::uint64_t last = first + (some_last - some);
      for (std::uint64_t i = first; i < last; ++i) {
        if (i + engine::kRowsAhead < last) rows_.prefetch_row(order_[i + engine::kRowsAhead]);
        if (!paint(order_[i], taken_by)) {
          for (std::uint64_t j = first_unfinished(); j <= i; ++j) {
            if (color_of(order_[j]) == kNone) paint(order_[j], taken_by);
          }
        }
      }
      begun.store(kNothing, std::memory_order_release);
    });
    std::int32_t highest = 0;
    for (std::size_t v = 0; v < color_.size(); ++v) highest = std::max(highest, color_[v]);
    return {color_.freeze(), std::int64_t(highest) + 1};
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 13, kChunk = 256;
  static constexpr int kTries = 10000;  // some microseconds; most neighbors have a color by then
  static constexpr std::int32_t kNone = -1;
  static constexpr std::uint64_t kNothing = ~std::uint64_t(0);
  // Where the chunk begins that a worker has taken.
  struct alignas(64) Begun {
    std::atomic<std::uint64_t> first{kNothing};
  };

  bool is_before(VertexId u, VertexId v) const {
    return degree_[u] > degree_[v] || (degree_[u] == degree_[v] && u < v);
  }
  std::int32_t color_of(VertexId v) const { return __atomic_load_n(color_.data() + v, __ATOMIC_RELAXED); }

  // All before have colors.
  std::uint64_t first_unfinished() const {
    std::uint64_t first = kNothing;
    for (const Begun& begun : begun_) first = std::min(first, begun.first.load(std::memory_order_acquire));
    return first;
  }

  // False where a neighbor that comes before v has no color yet. `taken_by`: the last vertex that had a neighbor of
  // this color.
  bool paint(VertexId v, VertexId* taken_by) const {
    for (const auto edge : rows_[v]) {
      const VertexId u = edge.neighbor();
      std::int32_t color = color_of(u);
      if (color == kNone) {
        if (u == v || !is_before(u, v)) continue;
        for (int tries = 0; tries < kTries && color == kNone; ++tries) color = color_of(u);
        if (color == kNone) return false;
      }
      if (static_cast<std::uint32_t>(color) <= degree_[v]) taken_by[color] = v;
    }
    std::int32_t color = 0;
    while (taken_by[color] == v) ++color;
    std::int32_t none = kNone;
    __atomic_compare_exchange_n(color_.data() + v, &none, color, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return true;
  }

  const AnyRows rows_;
  Workers& workers_;
  Writable<std::uint32_t> degree_;
  Writable<VertexId> order_;
  Writable<std::int32_t> color_;
  std::uint32_t most_ = 0;              // largest degree
  std::vector<Begun> begun_;            // by worker
  std::atomic<std::uint64_t> next_{0};  // of the queue
};

inline Answer run(CpuRun& run, const Parameters&) {
  const std::shared_ptr<const Csr> csr = run.view(View::kUndirected);
  return engine::with_rows(
      table_of(*csr), [&](const auto& rows) { return Queue<std::decay_t<decltype(rows)>>(rows, run.workers).run(); });
}

}  // namespace coloring
}  // namespace algorithm
}  // namespace gaspipe
