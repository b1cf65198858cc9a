// SPDX-License-Identifier: Apache-2.0
// Sums over the edges of every vertex: products of the adjacency matrix and a vector, for iterations. All sums are the
// same for any number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "cpp/algorithm/common/weights.h"
#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {

// The edges out of every vertex, or into it.
struct WeightedEdges {
  std::shared_ptr<const Csr> csr;
  Array<std::uint8_t> weights;  // of doubles; null: all edges weigh 1
};

// The edges of View::kForward or kReverse, with the graph's weights if asked for and there.
inline WeightedEdges edges_of(CpuRun& run, View which, bool with_weights) {
  with_weights = with_weights && run.graph.is_weighted();
  return run.prepare([&] {
    WeightedEdges edges;
    edges.csr =
        which == View::kForward ? run.graph.csr() : run.graph.in_edges(View::kForward, with_weights, true, run.workers);
    if (with_weights) edges.weights = run.graph.weights_as(which, abi::kFloat64, run.workers);
    return edges;
  });
}

// The sum of part(first, last) over chunks of [0, n), n > 0.
template <class Part>
double sum_of_parts(std::uint64_t n, Workers& workers, const Part& part) {
  constexpr std::uint64_t kGrain = 1 << 10;
  std::vector<double> parts((n - 1) / kGrain + 1);
  workers.each(n, kGrain,
               [&](std::uint64_t first, std::uint64_t last, int) { parts[first / kGrain] = part(first, last); });
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

inline double weighted(const engine::Edge<engine::Unweighted>&, double value) { return value; }
inline double weighted(const engine::Edge<double>& edge, double value) { return edge.weight() * value; }

// Calls take(v, the sum of weight * values[neighbor] over the edges of v) for every vertex; returns the sum of what
// take returns.
template <class Take>
double take_edge_sums(const WeightedEdges& edges, const double* values, Workers& workers, const Take& take) {
  const auto over = [&](const auto& rows) {
    return sum_of_parts(rows.num_vertices(), workers, [&](std::uint64_t first, std::uint64_t last) {
      const auto local = rows;
      double total = 0;
      for (std::uint64_t v = first; v < last; ++v) {
        double sum = 0;
        for (const auto edge : local[static_cast<VertexId>(v)]) sum += weighted(edge, values[edge.neighbor()]);
        total += take(v, sum);
      }
      return total;
    });
  };
  const abi::Csr table = table_of(*edges.csr, edges.weights.data());
  return table.weights != nullptr ? engine::with_rows<double>(table, over) : engine::with_rows(table, over);
}

// Divides a vector that replaces another, and returns the L1 distance of the two.
inline double divide_and_replace(const Writable<double>& old, const Writable<double>& next, double divisor,
                                 Workers& workers) {
  return sum_of_parts(old.size(), workers, [&](std::uint64_t first, std::uint64_t last) {
    double change = 0;
    for (std::uint64_t v = first; v < last; ++v) {
      const double value = next[v] / divisor;
      change += std::abs(value - old[v]);
      old[v] = value;
    }
    return change;
  });
}

// Calls step(), which returns how much it has changed, until that is below `close`, or `max_iter` times: without having
// converged, unless `close` is 0. Returns the number of steps.
template <class Step>
int iterate(CpuRun& run, int max_iter, double close, const Step& step) {
  int num_steps = 0;
  double change = 0;
  run.workers.phase("steps", static_cast<std::uint64_t>(max_iter));
  do {
    change = step();
    run.workers.done(static_cast<std::uint64_t>(++num_steps));
  } while (!(change < close) && num_steps < max_iter);
  if (close > 0 && !(change < close)) run.not_converged();
  return num_steps;
}

// InputError where weights have brought a sum beyond all doubles.
inline void check_sum(double sum) {
  if (std::isfinite(sum)) return;
  throw InputError("the edge weights are too large: sums of them exceed the largest double; scale them down");
}

}  // namespace algorithm
}  // namespace gaspipe
