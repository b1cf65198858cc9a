// SPDX-License-Identifier: Apache-2.0
// Minimum spanning forest.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "cpp/algorithm/common/spanning_forest.h"
#include "cpp/algorithm/common/weights.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace minimum_spanning_forest {

constexpr CpuDescription kDescription = {
    "Minimum spanning forest: of every component the tree that joins its vertices at the smallest total weight.",
    "Edges count in both directions, and of those between the same two vertices the lightest; self-loops are ignored. "
    "Without weights all edges weigh 1. Weights may be negative or infinite, not NaN. Edges that weigh the same are "
    "preferred in the order of their smaller ends, then of their larger ones, so there is one forest only. Integers "
    "are compared as they are, and given as float64. NetworkX's `minimum_spanning_edges`, where no two edges weigh the "
    "same.",
    "V. Osipov, P. Sanders, J. Singler, \"The Filter-Kruskal Minimum Spanning Tree Algorithm\", ALENEX 2009, "
    "doi:10.1137/1.9781611972894.5."};

struct Parameters {
  template <class Visit>
  void each(Visit&&) {}
};

struct Answer {
  Table<VertexId> edges{"num_edges, 2", /*has_vertices=*/true};
  Table<double> weight{"num_edges"};
  double total_weight = 0;
  std::int64_t num_components = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("edges", edges, "the edges of the forest, ascending; the smaller end first");
    visit("weight", weight, "of each");
    visit("total_weight", total_weight, "their sum; NaN where infinite ones of both signs are among them");
    visit("num_components", num_components, "trees of the forest; a vertex without edges is one too");
  }
};

template <class Weight>
Answer answer_of(const Csr& csr, const Weight* weights, Workers& workers) {
  constexpr bool are_integers = !std::is_floating_point_v<Weight>;
  constexpr std::uint64_t kGrain = 1 << 14;
  const engine::Rows<Weight> rows(table_of(csr, weights));
  const Writable<OrderedEdge> found = SpanningForest<engine::Rows<Weight>>(rows, workers).run();
  const std::uint64_t size = found.size();
  const Writable<VertexId> ends(2 * size);
  const Writable<double> by_edge(size);
  workers.each(size, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      ends[2 * i] = found[i].u;
      ends[2 * i + 1] = found[i].v;
      by_edge[i] = are_integers ? static_cast<double>(order::integer(found[i].order)) : order::real(found[i].order);
    }
  });
  double total = 0;
  if (are_integers) {
    // In two halves, whose sums are exact.
    std::int64_t high = 0;
    std::uint64_t low = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      high += order::integer(found[i].order) >> 32;
      low += found[i].order & 0xffffffff;
    }
    high += static_cast<std::int64_t>(low >> 32);
    total = std::ldexp(static_cast<double>(high), 32) + static_cast<double>(low & 0xffffffff);
  } else {
    for (std::uint64_t i = 0; i < size; ++i) total += by_edge[i];
  }
  return {{"num_edges, 2", true, ends.freeze(), 2},
          {"num_edges", false, by_edge.freeze()},
          total,
          std::int64_t(csr.num_rows) - static_cast<std::int64_t>(size)};
}

inline Answer run(CpuRun& run, const Parameters&) {
  const Csr& stored = *run.graph.csr();
  return std::visit(
      [&](const auto& weights) {
        using Weights = std::decay_t<decltype(weights)>;
        if constexpr (std::is_same_v<Weights, std::monostate>) {
          return answer_of<engine::Unweighted>(*run.view(View::kUndirected), nullptr, run.workers);
        } else {
          if constexpr (std::is_floating_point_v<typename Weights::Element>) {
            refuse_weights(
                stored, [](double weight) { return std::isnan(weight); },
                "minimum_spanning_forest needs numbers, negative or infinite ones too; drop the edge or give it a "
                "weight",
                run.workers);
          }
          const std::shared_ptr<const Csr> csr = run.view(View::kUndirected);
          return answer_of(*csr, std::get<Weights>(csr->weights).data(), run.workers);
        }
      },
      stored.weights);
}

}  // namespace minimum_spanning_forest
}  // namespace algorithm
}  // namespace gaspipe
