// SPDX-License-Identifier: Apache-2.0
// The ego graph of a vertex.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "cpp/algorithm/common/ball.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace ego {

constexpr CpuDescription kDescription = {
    "The ego graph of a vertex: the vertices within some hops of it, and the edges between them.",
    "Hops follow the edges in their direction or, with `any_direction`, in either; edges are those of the graph both "
    "times, self-loops and parallel ones too. NetworkX's `ego_graph` without `distance` (its `undirected=True` is "
    "`any_direction=True`): weights play no part.",
    "L. C. Freeman, \"Centered Graphs and the Structure of Ego Networks\", Mathematical Social Sciences 3(3), 1982, "
    "doi:10.1016/0165-4896(82)90076-2."};

struct Parameters {
  VertexId root = 0;
  int radius = 1;
  bool center = true, any_direction = false;

  template <class Visit>
  void each(Visit&& visit) {
    visit("root", root, Allowed::vertex(), "The vertex in the center.");
    visit("radius", radius, Allowed::between(0, std::numeric_limits<int>::max()), "The largest distance, in hops.");
    visit("center", center, Allowed::any(), "Whether the root is a member itself.");
    visit("any_direction", any_direction, Allowed::any(), "Whether hops follow edges against their direction too.");
  }
};

struct Answer {
  Table<VertexId> vertex{"num_members", /*has_vertices=*/true};
  Table<std::int32_t> distance{"num_members"};
  Table<VertexId> edges{"num_edges, 2", /*has_vertices=*/true};
  Table<std::int64_t> edge_indices{"num_edges"};

  template <class Visit>
  void each(Visit&& visit) {
    visit("vertex", vertex, "the members, in ascending order");
    visit("distance", distance, "of every member from the root, in hops");
    visit("edges", edges, "source and target of the edges between members, in the order of `graph.indices`");
    visit("edge_indices", edge_indices, "where they are there: `graph.weights[edge_indices]` are their weights");
  }
};

// The edges whose ends are both members, and where they are.
inline std::pair<Table<VertexId>, Table<std::int64_t>> edges_between(const Csr& csr, const Array<VertexId>& vertices,
                                                                     const engine::Bitmap& members, Workers& workers) {
  constexpr std::uint64_t kGrain = 64;
  std::vector<EdgeCount> first_of(vertices.size() + 1, 0);
  const auto each_edge = [&](std::uint64_t i, const auto& visit) {
    const VertexId v = vertices[i];
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::uint64_t(v) + 1]; ++e) {
      if (members.get(csr.targets[e])) visit(e);
    }
  };
  workers.each(vertices.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      EdgeCount count = 0;
      each_edge(i, [&](EdgeCount) { ++count; });
      first_of[i + 1] = count;
    }
  });
  for (std::uint64_t i = 0; i < vertices.size(); ++i) first_of[i + 1] += first_of[i];
  const Writable<VertexId> ends(2 * first_of.back());
  const Writable<std::int64_t> indices(first_of.back());
  workers.each(vertices.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      EdgeCount at = first_of[i];
      each_edge(i, [&](EdgeCount e) {
        ends[2 * at] = vertices[i];
        ends[2 * at + 1] = csr.targets[e];
        indices[at++] = static_cast<std::int64_t>(e);
      });
    }
  });
  return {{"num_edges, 2", true, ends.freeze(), 2}, {"num_edges", false, indices.freeze()}};
}

inline Answer run(CpuRun& run, const Parameters& parameters) {
  const std::shared_ptr<const Csr> csr = run.view(parameters.any_direction ? View::kUndirected : View::kForward);
  Ball ball = ball_around(*csr, {parameters.root}, static_cast<std::uint64_t>(parameters.radius), run.workers);
  if (!parameters.center) ball.members.clear(parameters.root);
  Answer answer;
  std::tie(answer.vertex.values, answer.distance.values) = listed(ball, run.workers);
  std::tie(answer.edges, answer.edge_indices) =
      edges_between(*run.graph.csr(), answer.vertex.values, ball.members, run.workers);
  return answer;
}

}  // namespace ego
}  // namespace algorithm
}  // namespace gaspipe
