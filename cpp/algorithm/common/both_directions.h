// SPDX-License-Identifier: Apache-2.0
// A graph whose edges count in both directions, with integers as weights: the matrix plus its transpose.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cpp/algorithm/common/community_graph.h"
#include "cpp/algorithm/common/edge_sums.h"
#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {

// The power of 2 of which weights are made multiples, so that four times their sum is below 2^61.
inline int exponent_of_unit(const double* weights, double largest, EdgeCount num_edges, Workers& workers) {
  int exponent = 0, more = 0;
  std::frexp(largest, &exponent);
  if (num_edges == 0) return exponent;
  const double sum = sum_of_parts(num_edges, workers, [&](std::uint64_t first, std::uint64_t last) {
    double part = 0;
    for (std::uint64_t e = first; e < last; ++e) part += std::ldexp(weights[e], -exponent);
    return part;
  });
  std::frexp(sum, &more);
  return exponent + more - 58;
}

// A stored edge counts at both ends, and a self-loop `loop_factor` times at each. Weights must be finite and >= 0.
inline CommunityGraph both_directions(CpuRun& run, bool with_weights, std::int64_t loop_factor) {
  const WeightedEdges out = edges_of(run, View::kForward, with_weights),
                      in = edges_of(run, View::kReverse, with_weights);
  const engine::Rows<double> forward(table_of(*out.csr, out.weights.data()));
  const engine::Rows<double> reverse(table_of(*in.csr, in.weights.data()));
  const auto* const weights = reinterpret_cast<const double*>(out.weights.data());
  const int exponent =
      with_weights ? exponent_of_unit(weights, run.graph.largest_weight(run.workers), forward.num_edges(), run.workers)
                   : 0;
  std::vector<VertexId> itself(forward.num_vertices());
  std::iota(itself.begin(), itself.end(), 0);
  const auto each_edge = [&](VertexId v, const auto& take) {
    for (const auto* const rows : {&forward, &reverse}) {
      for (const auto edge : (*rows)[v]) {
        const std::int64_t weight = with_weights ? std::llrint(std::ldexp(edge.weight(), -exponent)) : 1;
        if (weight > 0) take(edge.neighbor(), edge.neighbor() == v ? loop_factor * weight : weight);
      }
    }
  };
  std::vector<CommunitySums> sums(static_cast<std::size_t>(run.workers.size()));
  return aggregate(itself, forward.num_vertices(), each_edge, sums, run.workers);
}

}  // namespace algorithm
}  // namespace gaspipe
