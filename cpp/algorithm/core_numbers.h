// SPDX-License-Identifier: Apache-2.0
// Core numbers, by peeling one degree after the other.
#pragma once

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {
namespace core_numbers {

constexpr CpuDescription kDescription = {
    "Core number of every vertex: the largest k for which it is in the k-core.",
    "The k-core is the largest part of the graph in which every vertex has k neighbors or more within it. Directions "
    "of edges, self-loops, weights and repeated edges are ignored.",
    "H. Kabir, K. Madduri, \"Parallel k-core Decomposition on Multicore Platforms\", IPDPSW 2017, "
    "doi:10.1109/IPDPSW.2017.151."};

struct Parameters {
  template <class Visit>
  void each(Visit&&) {}
};

struct Answer {
  Array<std::int32_t> core;
  std::int64_t degeneracy = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("core", core, "0 of vertices without neighbors");
    visit("degeneracy", degeneracy, "the largest core number");
  }
};

// Degrees fall as neighbors are peeled, down to the core that is being peeled; then they are core numbers.
template <class AnyRows>
class Peeling {
 public:
  Peeling(const AnyRows& rows, Workers& workers)
      : rows_(rows), workers_(workers), degree_(rows.num_vertices()), left_(rows.num_vertices()) {
    workers.each(rows.num_vertices(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        EdgeCount degree = rows.degree(static_cast<VertexId>(v));
        for (const auto edge : rows[static_cast<VertexId>(v)]) degree -= edge.neighbor() == v;
        degree_[v] = static_cast<std::int32_t>(degree);
        left_[v] = static_cast<VertexId>(v);
      }
    });
  }

  Writable<std::int32_t> run() {
    const auto degree_of = [&](VertexId v) { return degree_[v]; };
    workers_.phase("vertices", left_.size());
    for (;;) {
      workers_.done(degree_.size() - left_.size());
      // The last round has left nothing with so few.
      left_.erase(std::remove_if(left_.begin(), left_.end(), [&](VertexId v) { return degree_of(v) <= lowest_; }),
                  left_.end());
      if (left_.empty()) {
        workers_.done(degree_.size());
        return std::move(degree_);
      }
      lowest_ = std::numeric_limits<std::int32_t>::max();
      for (const VertexId v : left_) lowest_ = std::min(lowest_, degree_of(v));
      peeled_.clear();
      std::copy_if(left_.begin(), left_.end(), std::back_inserter(peeled_),
                   [&](VertexId v) { return degree_of(v) == lowest_; });
      workers_.each(peeled_.size(), kPeelGrain, [&](std::uint64_t first, std::uint64_t last, int) {
        std::vector<VertexId> open(peeled_.data() + first, peeled_.data() + last);
        while (!open.empty()) {
          const VertexId v = open.back();
          open.pop_back();
          peel(v, open);
        }
      });
    }
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 13, kPeelGrain = 64;

  // Takes v off; a neighbor that is left with as few becomes open.
  void peel(VertexId v, std::vector<VertexId>& open) {
    std::int32_t* const degree = degree_.data();
    for (const auto edge : rows_[v]) {
      const VertexId u = edge.neighbor();
      if (__atomic_load_n(degree + u, __ATOMIC_RELAXED) <= lowest_) continue;
      const std::int32_t before = __atomic_fetch_sub(degree + u, 1, __ATOMIC_RELAXED);
      if (before == lowest_ + 1) open.push_back(u);
      if (before <= lowest_) __atomic_fetch_add(degree + u, 1, __ATOMIC_RELAXED);  // another was faster
    }
  }

  const AnyRows rows_;
  Workers& workers_;
  Writable<std::int32_t> degree_;
  std::vector<VertexId> left_, peeled_;
  std::int32_t lowest_ = -1;  // degree of what is being peeled
};

inline Answer run(CpuRun& run, const Parameters&) {
  const std::shared_ptr<const PreparedGraph> form = run.relabeled(/*in_any_order=*/true);
  const Graph& graph = form ? form->graph : run.graph;
  const std::shared_ptr<const Csr> csr = run.prepare([&] { return graph.view(View::kUndirected, run.workers); });
  const Array<std::int32_t> core = engine::with_rows(table_of(*csr), [&](const auto& rows) {
                                     return Peeling<std::decay_t<decltype(rows)>>(rows, run.workers).run();
                                   }).freeze();
  return {form ? form->by_id(core, run.workers) : core, *std::max_element(core.begin(), core.end())};
}

}  // namespace core_numbers
}  // namespace algorithm
}  // namespace gaspipe
