// SPDX-License-Identifier: Apache-2.0
// The graph whose vertices are the communities of another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cpp/algorithm/common/community_moves.h"
#include "gaspipe/array.h"
#include "gaspipe/rows.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace algorithm {

// Rows in both directions, without self-loops and repetition.
struct CommunityGraph {
  using Rows = engine::RowsOf<std::int64_t, engine::OffsetsOf<std::uint64_t>>;
  VertexId num_vertices = 0;
  Writable<std::uint64_t> offsets;
  Writable<VertexId> targets;
  Writable<std::int64_t> weights;
  std::vector<std::int64_t> inner;  // weight of what is inside every community, as each_edge has it

  Rows rows() const {
    return Rows(abi::Csr{num_vertices, targets.size(), offsets.data(), 8, targets.data(), weights.data()});
  }
};

// Numbers the communities 0, 1, ... in ascending order; returns how many.
inline VertexId number_communities(std::vector<VertexId>& community) {
  std::vector<VertexId> number(community.size(), 0);
  for (const VertexId c : community) number[c] = 1;
  VertexId count = 0;
  for (VertexId& of : number) {
    const VertexId is_used = of;
    of = count;
    count += is_used;
  }
  for (VertexId& c : community) c = number[c];
  return count;
}

inline Strengths strengths_of(const Strengths& vertices, const std::vector<VertexId>& community,
                              VertexId num_communities) {
  Strengths communities{std::vector<std::int64_t>(num_communities, 0), vertices.sum};
  for (std::size_t v = 0; v < community.size(); ++v) communities.of[community[v]] += vertices.of[v];
  return communities;
}

// The members of communities 0, 1, ...: those of c are from first[c] to first[c + 1].
struct Members {
  std::vector<VertexId> first, vertices;

  Members(const std::vector<VertexId>& community, VertexId num_communities)
      : first(std::size_t(num_communities) + 2, 0), vertices(community.size()) {
    for (const VertexId c : community) ++first[std::size_t(c) + 2];
    std::partial_sum(first.begin(), first.end(), first.begin());
    for (VertexId v = 0; v < community.size(); ++v) vertices[first[std::size_t(community[v]) + 1]++] = v;
  }
};

// `each_edge(v, take)` calls take(neighbor, weight), weight > 0, for every edge of a vertex.
template <class EachEdge>
CommunityGraph aggregate(const std::vector<VertexId>& community, VertexId num_communities, const EachEdge& each_edge,
                         std::vector<CommunitySums>& sums, Workers& workers) {
  constexpr std::uint64_t kGrain = 64;
  const Members members(community, num_communities);
  // Every worker writes its rows one after the other.
  struct Written {
    std::vector<VertexId> targets;
    std::vector<std::int64_t> weights;
  };
  struct Place {
    std::uint32_t worker;
    std::uint64_t first, size;
  };
  std::vector<Written> written(static_cast<std::size_t>(workers.size()));
  std::vector<Place> places(num_communities);
  CommunityGraph graph;
  graph.num_vertices = num_communities;
  graph.inner.resize(num_communities);
  workers.each(num_communities, kGrain, [&](std::uint64_t begin, std::uint64_t end, int worker) {
    CommunitySums& mine = sums[static_cast<std::size_t>(worker)];
    Written& out = written[static_cast<std::size_t>(worker)];
    mine.prepare(num_communities);
    CommunitySums::Slot* const slots = mine.slots.data();
    VertexId* const met = mine.met.data();
    for (std::uint64_t c = begin; c < end; ++c) {
      std::size_t num_met = 0;
      for (VertexId i = members.first[c]; i < members.first[c + 1]; ++i) {
        each_edge(members.vertices[i], [&](VertexId u, std::int64_t weight) {
          const VertexId d = community[u];
          std::int64_t& sum = slots[d].weight;
          met[num_met] = d;
          num_met += sum == 0;
          sum += weight;
        });
      }
      graph.inner[c] = slots[c].weight;
      const std::uint64_t first = out.targets.size();
      for (std::size_t k = 0; k < num_met; ++k) {
        const VertexId d = met[k];
        if (d != c) {
          out.targets.push_back(d);
          out.weights.push_back(slots[d].weight);
        }
        slots[d].weight = 0;
      }
      places[c] = {static_cast<std::uint32_t>(worker), first, out.targets.size() - first};
    }
  });
  graph.offsets = Writable<std::uint64_t>(std::size_t(num_communities) + 1);
  std::uint64_t sum = 0;
  for (VertexId c = 0; c < num_communities; ++c) {
    graph.offsets[c] = sum;
    sum += places[c].size;
  }
  graph.offsets[num_communities] = sum;
  graph.targets = Writable<VertexId>(sum);
  graph.weights = Writable<std::int64_t>(sum);
  workers.each(num_communities, kGrain, [&](std::uint64_t begin, std::uint64_t end, int) {
    for (std::uint64_t c = begin; c < end; ++c) {
      const auto& [worker, first, size] = places[c];
      std::copy_n(written[worker].targets.data() + first, size, graph.targets.data() + graph.offsets[c]);
      std::copy_n(written[worker].weights.data() + first, size, graph.weights.data() + graph.offsets[c]);
    }
  });
  return graph;
}

}  // namespace algorithm
}  // namespace gaspipe
