// SPDX-License-Identifier: Apache-2.0
// Eigenvector centrality, by power iteration.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cpp/algorithm/common/edge_sums.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace eigenvector {

constexpr CpuDescription kDescription = {
    "Eigenvector centrality of every vertex: in proportion to the sum over its in-neighbors.",
    "The eigenvector of the adjacency matrix's largest eigenvalue, NetworkX's `eigenvector_centrality`; in-edges "
    "count, so that of out-edges is that of the transposed graph. A step adds to every vertex the sum over its "
    "in-edges and divides all by their Euclidean norm. Parallel edges count as often as they are stored, self-loops as "
    "other edges. On a graph without cycles, where the largest eigenvalue is 0, steps converge slowly.",
    "P. Bonacich, \"Power and Centrality: A Family of Measures\", American Journal of Sociology 92(5), 1987, "
    "doi:10.1086/228631."};

struct Parameters {
  int max_iter = 100;
  double tol = 1e-6;
  ArrayView nstart;
  bool weights = false;
  template <class Visit>
  void each(Visit&& visit) {
    visit("max_iter", max_iter, Allowed::at_least(1), "Most steps.");
    visit("tol", tol, Allowed::at_least(0), "Mean change per vertex below which to stop; 0: run `max_iter` steps.");
    visit("nstart", nstart, Allowed::at_least(0),
          "Where steps start, one number per vertex, not all 0; by default all alike.");
    visit("weights", weights, Allowed::any(),
          "Whether the sum is weighted by the edges' weights, which must be finite and >= 0 then.");
  }
};

struct Answer {
  Array<double> centrality;
  std::int64_t num_steps = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("centrality", centrality, "of Euclidean norm 1");
    visit("num_steps", num_steps, "steps that were taken");
  }
};

// A vector of sum 1.
inline Writable<double> start_vector(const ArrayView& wanted, VertexId n) {
  Writable<double> x(n);
  std::fill(x.data(), x.data() + n, 1.0 / n);
  if (wanted.data == nullptr) return x;
  const double largest = *std::max_element(wanted.data, wanted.data + n);
  if (largest == 0) throw InputError("nstart is 0 at every vertex; give at least one a positive number");
  for (VertexId v = 0; v < n; ++v) x[v] = wanted.data[v] / largest;  // whose sum does not overflow
  const double sum = std::accumulate(x.data(), x.data() + n, 0.0);
  for (VertexId v = 0; v < n; ++v) x[v] /= sum;
  return x;
}

inline Answer run(CpuRun& run, const Parameters& parameters) {
  if (parameters.weights) check_weights(*run.graph.csr(), false, "eigenvector", run.workers);
  const Writable<double> x = start_vector(parameters.nstart, run.graph.num_vertices());
  const WeightedEdges in = edges_of(run, View::kReverse, parameters.weights);
  const Writable<double> next(x.size());
  Answer answer;
  answer.num_steps = iterate(run, parameters.max_iter, parameters.tol * static_cast<double>(x.size()), [&] {
    const double squares = take_edge_sums(in, x.data(), run.workers, [&](std::uint64_t v, double sum) {
      next[v] = x[v] + sum;
      return next[v] * next[v];
    });
    check_sum(squares);
    return divide_and_replace(x, next, std::sqrt(squares), run.workers);
  });
  answer.centrality = x.freeze();
  return answer;
}

}  // namespace eigenvector
}  // namespace algorithm
}  // namespace gaspipe
