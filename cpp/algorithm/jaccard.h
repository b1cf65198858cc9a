// SPDX-License-Identifier: Apache-2.0
// Jaccard coefficient of pairs of vertices.
#pragma once

#include "cpp/algorithm/common/pairs.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace jaccard {

constexpr CpuDescription kDescription = {
    "Jaccard coefficient of pairs of vertices: which part of their neighbors they share.",
    "The number of vertices that are neighbors of both, over the number that are neighbors of one of them or both; 0 "
    "where neither has neighbors. A neighbor is one in either direction. Self-loops, edge weights and repeated edges "
    "are ignored: no vertex is its own neighbor. NetworkX's `jaccard_coefficient`, where no vertex has a self-loop.",
    "D. Liben-Nowell, J. Kleinberg, \"The Link-Prediction Problem for Social Networks\", JASIST 58(7), 2007, "
    "doi:10.1002/asi.20591."};

using Parameters = PairParameters;

struct Answer {
  Table<double> coefficient{"num_pairs"};
  Table<VertexId> pairs{"num_pairs, 2", /*has_vertices=*/true};

  template <class Visit>
  void each(Visit&& visit) {
    visit("coefficient", coefficient, "0 to 1, by pair");
    visit("pairs", pairs, "what each is of");
  }
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  Answer answer;
  answer.coefficient.values = of_pairs<double>(run, parameters.pairs, [](std::int64_t common, std::int64_t either) {
    return either == 0 ? 0 : static_cast<double>(common) / static_cast<double>(either);
  });
  answer.pairs = listed(run, parameters.pairs);
  return answer;
}

}  // namespace jaccard
}  // namespace algorithm
}  // namespace gaspipe
