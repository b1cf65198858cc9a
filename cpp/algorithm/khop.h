// SPDX-License-Identifier: Apache-2.0
// Vertices within some hops of others.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>
#include <vector>

#include "cpp/algorithm/common/ball.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace khop {

constexpr CpuDescription kDescription = {
    "The vertices within k hops of one of some vertices, and how far they are.",
    "Hops follow the edges in their direction or, with `any_direction`, in either. The sources are members, at "
    "distance 0. Weights, self-loops and repeated edges play no part.",
    "C. Y. Lee, \"An Algorithm for Path Connections and Its Applications\", IRE Transactions on Electronic "
    "Computers EC-10(3), 1961, doi:10.1109/TEC.1961.5219222."};

struct Parameters {
  VertexListView sources;
  int k = 2;
  bool any_direction = false;

  template <class Visit>
  void each(Visit&& visit) {
    visit("sources", sources, Allowed::vertex(), "Where distances are counted from; by default everywhere.");
    visit("k", k, Allowed::between(0, std::numeric_limits<int>::max()), "The largest distance, in hops.");
    visit("any_direction", any_direction, Allowed::any(), "Whether hops follow edges against their direction too.");
  }
};

struct Answer {
  Table<VertexId> vertex{"num_members", /*has_vertices=*/true};
  Table<std::int32_t> distance{"num_members"};

  template <class Visit>
  void each(Visit&& visit) {
    visit("vertex", vertex, "the members, in ascending order");
    visit("distance", distance, "of every member from the nearest source, in hops");
  }
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  const std::shared_ptr<const Csr> csr = run.view(parameters.any_direction ? View::kUndirected : View::kForward);
  std::vector<VertexId> sources(parameters.sources.data, parameters.sources.data + parameters.sources.size);
  if (parameters.sources.data == nullptr) {
    sources.resize(csr->num_rows);
    std::iota(sources.begin(), sources.end(), VertexId(0));
  }
  const Ball ball = ball_around(*csr, sources, static_cast<std::uint64_t>(parameters.k), run.workers);
  Answer answer;
  std::tie(answer.vertex.values, answer.distance.values) = listed(ball, run.workers);
  return answer;
}

}  // namespace khop
}  // namespace algorithm
}  // namespace gaspipe
