// SPDX-License-Identifier: Apache-2.0
// Hubs and authorities, by power iteration.
#pragma once

#include <algorithm>

#include "cpp/algorithm/common/edge_sums.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace hits {

constexpr CpuDescription kDescription = {
    "Hubs and authorities (HITS): hubs have edges to authorities, and authorities have edges from hubs.",
    "A step makes every vertex's authority the sum of the hubs over its in-edges, and its hub the sum of these "
    "authorities over its out-edges; each divided by the sum over all vertices. Hubs start alike. Parallel edges count "
    "as often as they are stored, self-loops as other edges. Where all edges weigh 0, or there are none, the answer is "
    "0. (NetworkX's `hits` finds the same vectors by other means, so that its `tol` and `max_iter` count otherwise.)",
    "J. Kleinberg, \"Authoritative Sources in a Hyperlinked Environment\", J. ACM 46(5), 1999, "
    "doi:10.1145/324133.324140."};

struct Parameters {
  int max_iter = 100;
  double tol = 1e-8;
  bool weights = true;
  template <class Visit>
  void each(Visit&& visit) {
    visit("max_iter", max_iter, Allowed::at_least(1), "Most steps.");
    visit("tol", tol, Allowed::at_least(0),
          "L1 change of all hubs, which sum to 1, below which to stop; 0: run `max_iter` steps.");
    visit("weights", weights, Allowed::any(),
          "Whether sums are weighted by the edges' weights, if there are any, as NetworkX's are; they must be finite "
          "and >= 0 then.");
  }
};

struct Answer {
  Array<double> hub, authority;
  std::int64_t num_steps = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("hub", hub, "sums to 1");
    visit("authority", authority, "sums to 1");
    visit("num_steps", num_steps, "steps that were taken");
  }
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  if (parameters.weights) check_weights(*run.graph.csr(), false, "hits", run.workers);
  const WeightedEdges out = edges_of(run, View::kForward, parameters.weights);
  const WeightedEdges in = edges_of(run, View::kReverse, parameters.weights);
  const std::size_t n = run.graph.num_vertices();
  const Writable<double> hub(n), authority(n), next(n);
  std::fill(hub.data(), hub.data() + n, 1.0 / static_cast<double>(n));
  std::fill(authority.data(), authority.data() + n, 0.0);
  // Brings vector to the sums of another over edges, divided by their sum. Returns its L1 change.
  const auto follow = [&](const WeightedEdges& edges, const Writable<double>& from, const Writable<double>& to) {
    const double sum = take_edge_sums(edges, from.data(), run.workers,
                                      [&](std::uint64_t v, double sum_of_v) { return next[v] = sum_of_v; });
    check_sum(sum);
    return divide_and_replace(to, next, sum > 0 ? sum : 1, run.workers);
  };
  Answer answer;
  answer.num_steps = iterate(run, parameters.max_iter, parameters.tol, [&] {
    follow(in, hub, authority);
    return follow(out, authority, hub);
  });
  answer.hub = hub.freeze();
  answer.authority = authority.freeze();
  return answer;
}

}  // namespace hits
}  // namespace algorithm
}  // namespace gaspipe
