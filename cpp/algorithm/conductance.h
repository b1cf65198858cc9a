// SPDX-License-Identifier: Apache-2.0
// Conductance of a set of vertices: one pass over the edges.
#pragma once

#include <algorithm>
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

  // From the sums.
  void complete() {
    const std::int64_t smaller = std::min(members_degree, others_degree);
    if (cut != 0) conductance = static_cast<double>(cut) / static_cast<double>(smaller);
  }
  template <class Visit>
  void each(Visit&& visit) {
    visit("leaving", leaving, "of a member, how many of its edges lead to vertices that are none; 0 of all others");
    visit("conductance", conductance, "of the set; inf where some edge leaves and the others have none of their own");
    visit("cut", cut, "edges that lead from members to others");
    visit("members_degree", members_degree, "the sum of the members' degrees");
    visit("others_degree", others_degree, "the sum of the others' degrees");
  }
};

// By vertex, whether it is a member.
inline std::vector<std::uint8_t> members(const Csr& csr, const Parameters& parameters) {
  std::vector<std::uint8_t> is_member(csr.num_rows, 0);
  for (std::uint64_t i = 0; i < parameters.members.size; ++i) is_member[parameters.members.data[i]] = 1;
  return is_member;
}

// By member, its edges that lead to others.
inline Array<std::int64_t> leaving(const Csr& csr, const std::vector<std::uint8_t>& is_member, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 10;
  const Writable<std::int64_t> leaving(csr.num_rows);
  workers.phase("vertices", Workers::kNextLoop);
  workers.each(csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      leaving[v] = 0;
      if (is_member[v] == 0) continue;
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) leaving[v] += 1 - is_member[csr.targets[e]];
    }
  });
  workers.check();
  return leaving.freeze();
}

inline Answer run(CpuRun& run, const Parameters& parameters) {
  const std::shared_ptr<const Csr> csr = run.view(View::kForward);
  const std::vector<std::uint8_t> is_member = members(*csr, parameters);
  Answer answer;
  answer.leaving = leaving(*csr, is_member, run.workers);
  for (VertexId v = 0; v < csr->num_rows; ++v) {
    answer.cut += answer.leaving[v];
    if (is_member[v] != 0) answer.members_degree += static_cast<std::int64_t>(csr->degree(v));
  }
  answer.others_degree = static_cast<std::int64_t>(csr->num_edges()) - answer.members_degree;
  answer.complete();
  return answer;
}

}  // namespace conductance
}  // namespace algorithm
}  // namespace gaspipe
