// SPDX-License-Identifier: Apache-2.0
// How many neighbors pairs of vertices share.
#pragma once

#include "cpp/algorithm/common/pairs.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace common_neighbors {

constexpr CpuDescription kDescription = {
    "Number of neighbors that pairs of vertices share.",
    "A neighbor is one in either direction. Self-loops, edge weights and repeated edges are ignored: no vertex is its "
    "own neighbor. The length of NetworkX's `common_neighbors`.",
    "D. Liben-Nowell, J. Kleinberg, \"The Link-Prediction Problem for Social Networks\", JASIST 58(7), 2007, "
    "doi:10.1002/asi.20591."};

using Parameters = PairParameters;

struct Answer {
  Table<std::int64_t> count{"num_pairs"};
  Table<VertexId> pairs{"num_pairs, 2", /*has_vertices=*/true};

  template <class Visit>
  void each(Visit&& visit) {
    visit("count", count, "vertices that are neighbors of both, by pair");
    visit("pairs", pairs, "what each is of");
  }
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  Answer answer;
  answer.count.values = of_pairs<std::int64_t>(run, parameters.pairs,
                                               [](std::int64_t common, std::int64_t /*either*/) { return common; });
  answer.pairs = listed(run, parameters.pairs);
  return answer;
}

}  // namespace common_neighbors
}  // namespace algorithm
}  // namespace gaspipe
