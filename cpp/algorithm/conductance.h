// SPDX-License-Identifier: Apache-2.0
// Conductance of a set of vertices: one pass over the edges.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace conductance {

constexpr CpuDescription kDescription = {
    "Conductance of a set of vertices: the share of its edges that leave it.",
    "Edges from members to others, over the smaller of the sums of degrees of members and of others; 0 where no edge "
    "leaves. Of a symmetric graph it is NetworkX's of the undirected one. Of a directed graph degrees are out-degrees, "
    "and edges into the set do not count. Parallel edges and self-loops count as often as they are stored; weights are "
    "ignored.",
    "R. Kannan, S. Vempala, A. Vetta, \"On Clusterings: Good, Bad and Spectral\", JACM 51(3), 2004, "
    "doi:10.1145/990308.990313."};

struct Parameters {
  VertexListView members;
  template <class Visit>
  void each(Visit&& visit) {
    visit("members", members, Allowed::vertex(),
          "The set, each vertex of it once or more often; by default nothing is in it.");
  }
};

struct Answer {
  Array<std::int64_t> leaving;
  double conductance = 0;
  std::int64_t cut = 0, members_degree = 0, others_degree = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("leaving", leaving, "of a member, how many of its edges lead to vertices that are none; 0 of all others");
    visit("conductance", conductance, "of the set; inf where some edge leaves and the others have none of their own");
    visit("cut", cut, "edges that lead from members to others");
    visit("members_degree", members_degree, "the sum of the members' degrees");
    visit("others_degree", others_degree, "the sum of the others' degrees");
  }
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  const std::shared_ptr<const Csr> csr = run.view(View::kForward);
  const std::uint64_t n = csr->num_rows;
  constexpr std::uint64_t kGrain = 1 << 10;
  std::vector<std::uint8_t> is_member(n, 0);
  for (std::uint64_t i = 0; i < parameters.members.size; ++i) is_member[parameters.members.data[i]] = 1;
  Answer answer;
  const Writable<std::int64_t> leaving(n);
  std::atomic<std::int64_t> cut{0}, members_degree{0};
  run.workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    std::int64_t leave = 0, degrees = 0;
    for (std::uint64_t v = first; v < last; ++v) {
      leaving[v] = 0;
      if (is_member[v] == 0) continue;
      for (EdgeCount e = csr->offsets[v]; e < csr->offsets[v + 1]; ++e) leaving[v] += 1 - is_member[csr->targets[e]];
      leave += leaving[v];
      degrees += static_cast<std::int64_t>(csr->degree(static_cast<VertexId>(v)));
    }
    cut += leave;
    members_degree += degrees;
  });
  run.workers.check();
  answer.leaving = leaving.freeze();
  answer.cut = cut;
  answer.members_degree = members_degree;
  answer.others_degree = static_cast<std::int64_t>(csr->num_edges()) - answer.members_degree;
  const std::int64_t smaller = std::min(answer.members_degree, answer.others_degree);
  if (answer.cut != 0) answer.conductance = static_cast<double>(answer.cut) / static_cast<double>(smaller);
  return answer;
}

}  // namespace conductance
}  // namespace algorithm
}  // namespace gaspipe
