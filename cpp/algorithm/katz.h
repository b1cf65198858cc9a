// SPDX-License-Identifier: Apache-2.0
// Katz centrality, by Jacobi iteration.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cpp/algorithm/common/edge_sums.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace katz {

constexpr CpuDescription kDescription = {
    "Katz centrality of every vertex: walks that end there, long ones counting less.",
    "The solution of x[v] = alpha * (the sum of x[u] over the edges u -> v) + beta, NetworkX's `katz_centrality`; "
    "in-edges count, so that of out-edges is that of the transposed graph. There is one if alpha is below 1 / the "
    "largest eigenvalue of the adjacency matrix; a run whose sums grow estimates that bound, in a warning, or in an "
    "`InputError` where they exceed all doubles. Parallel edges count as often as they are stored, self-loops as other "
    "edges.",
    "L. Katz, \"A New Status Index Derived from Sociometric Analysis\", Psychometrika 18(1), 1953, "
    "doi:10.1007/BF02289026."};

struct Parameters {
  double alpha = 0.1;
  double beta = 1;
  int max_iter = 1000;
  double tol = 1e-6;
  bool normalized = true;
  bool weights = false;
  template <class Visit>
  void each(Visit&& visit) {
    visit("alpha", alpha, Allowed::at_least(0), "How much of its source's centrality an edge carries.");
    visit("beta", beta, Allowed::any(), "What every vertex has by itself.");
    visit("max_iter", max_iter, Allowed::at_least(1), "Most steps.");
    visit("tol", tol, Allowed::at_least(0),
          "Mean change per vertex, before normalization, below which to stop; 0: run `max_iter` steps.");
    visit("normalized", normalized, Allowed::any(), "Whether the answer is divided by its Euclidean norm.");
    visit("weights", weights, Allowed::any(),
          "Whether the sum is weighted by the edges' weights, which must be finite then.");
  }
};

struct Answer {
  Array<double> centrality;
  std::int64_t num_steps = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("centrality", centrality, "of Euclidean norm 1 where it is normalized");
    visit("num_steps", num_steps, "steps that were taken");
  }
};

// Divides a vector by its Euclidean norm, unless that is 0.
inline void normalize(const Writable<double>& x, Workers& workers) {
  double largest = 0;  // squares of quotients do not overflow
  for (std::size_t v = 0; v < x.size(); ++v) largest = std::max(largest, std::abs(x[v]));
  if (largest == 0) return;
  const double squares = sum_of_parts(x.size(), workers, [&](std::uint64_t first, std::uint64_t last) {
    double sum = 0;
    for (std::uint64_t v = first; v < last; ++v) {
      x[v] /= largest;
      sum += x[v] * x[v];
    }
    return sum;
  });
  for (std::size_t v = 0; v < x.size(); ++v) x[v] /= std::sqrt(squares);
}

// What to do about an alpha that is too large: an estimate from how the steps' changes have grown, of two digits.
inline std::string remedy(double alpha, const std::vector<double>& changes) {
  std::string text = "alpha must be below 1 / the largest eigenvalue of the adjacency matrix";
  const double growth = std::log(changes.back()) - std::log(changes.front());
  const double bound = alpha / std::exp(growth / (static_cast<double>(changes.size()) - 1));
  if (!std::isfinite(bound) || bound <= 0) return text;
  const double unit = std::pow(10, std::floor(std::log10(bound)) - 1);
  return text + message(", here about ", std::floor(bound / unit) * unit);
}

inline Answer run(CpuRun& run, const Parameters& parameters) {
  if (parameters.weights) check_weights(*run.graph.csr(), true, "katz", run.workers);
  const WeightedEdges in = edges_of(run, View::kReverse, parameters.weights);
  const double n = run.graph.num_vertices(), alpha = parameters.alpha, beta = parameters.beta;
  Writable<double> x(run.graph.num_vertices()), next(x.size());
  std::vector<double> changes;
  const auto step = [&] {
    if (changes.empty()) {  // from zeros
      std::fill(x.data(), x.data() + x.size(), beta);
      changes.push_back(n * std::abs(beta));
      return changes.back();
    }
    const double change = take_edge_sums(in, x.data(), run.workers, [&](std::uint64_t v, double sum) {
      next[v] = alpha * sum + beta;
      return std::abs(next[v] - x[v]);
    });
    if (!std::isfinite(change)) {
      throw InputError(
          message("sums over walks exceed the largest double at alpha=", alpha, "; ", remedy(alpha, changes)));
    }
    std::swap(x, next);
    changes.push_back(change);
    return change;
  };
  Answer answer;
  answer.num_steps = iterate(run, parameters.max_iter, n * parameters.tol, step);
  if (!run.remedy().empty() && changes.back() > changes.front()) run.not_converged(remedy(alpha, changes));
  if (parameters.normalized) normalize(x, run.workers);
  answer.centrality = x.freeze();
  return answer;
}

}  // namespace katz
}  // namespace algorithm
}  // namespace gaspipe
