// SPDX-License-Identifier: Apache-2.0
// Searches from many sources, bounds of the diameter and vertices within some hops, by one thread and several, against
// plain searches.
#include <algorithm>
#include <cstdint>

#include "tests/cpp/algorithm/undirected.h"

namespace gaspipe {
namespace {

using testing::Edges;
using Hops = std::vector<std::int32_t>;

// Of every vertex from one, -1 where there is no path.
template <class Rows>
Hops hops_from(VertexId source, const Rows& rows) {
  Hops hops(rows.size(), -1);
  std::vector<VertexId> queue{source};
  hops[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const VertexId u : rows[queue[i]]) {
      if (hops[u] >= 0) continue;
      hops[u] = hops[queue[i]] + 1;
      queue.push_back(u);
    }
  }
  return hops;
}

std::vector<std::vector<VertexId>> rows_of(const Graph& graph) {
  const Csr& csr = *graph.csr();
  std::vector<std::vector<VertexId>> rows(csr.num_rows);
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) rows[v].push_back(csr.targets[e]);
  }
  return rows;
}

// As an argument.
Array<std::int64_t> ids(const std::vector<VertexId>& vertices) {
  return testing::array(std::vector<std::int64_t>(vertices.begin(), vertices.end()));
}

TEST(MultiSource, DepthsAreThoseOfOneSearchAfterTheOther) {
  testing::each_undirected_graph([](VertexId n, const auto&, const Graph& graph, int num_threads) {
    const auto rows = rows_of(graph);
    std::vector<VertexId> sources;
    for (VertexId k = 0; k < 260; ++k) sources.push_back(k * k * 7 % n);  // passes side by side, and one more
    const testing::CpuAnswer answer("multi_source", graph, num_threads, {{"sources", ids(sources)}});
    EXPECT_EQ(answer.list<VertexId>("sources"), sources);
    const Hops depth = answer.list<std::int32_t>("depth");
    ASSERT_EQ(depth.size(), sources.size() * n);
    for (std::size_t k = 0; k < sources.size(); k += 1 + n / 500) {
      const auto first = depth.begin() + static_cast<std::ptrdiff_t>(k * n);
      EXPECT_EQ(Hops(first, first + n), hops_from(sources[k], rows)) << k;
    }
  });
}

TEST(MultiSource, LongPathsAreSearchedOneByOne) {
  Edges edges;
  const VertexId n = 5000;
  for (VertexId v = 0; v + 1 < n; ++v) edges.push_back({v, v + 1});
  const Graph graph = testing::graph_of(n, edges);
  std::vector<VertexId> sources;
  for (VertexId k = 0; k < 200; ++k) sources.push_back(k * 25);
  for (const int num_threads : {1, 2, 5}) {
    const testing::CpuAnswer answer("multi_source", graph, num_threads, {{"sources", ids(sources)}});
    const Hops depth = answer.list<std::int32_t>("depth");
    for (std::size_t k = 0; k < sources.size(); ++k) {
      for (VertexId v = 0; v < n; v += 17) {
        const auto wanted = v < sources[k] ? -1 : static_cast<std::int32_t>(v - sources[k]);
        ASSERT_EQ(depth[k * n + v], wanted) << k << ", " << v;
      }
    }
  }
}

TEST(Diameter, BoundsMeetAtTheLargestDistance) {
  testing::each_undirected_graph([](VertexId n, const auto& neighbors, const Graph& graph, int num_threads) {
    if (n > 1000) return;
    Hops eccentricity(n);
    for (VertexId v = 0; v < n; ++v) {
      const Hops hops = hops_from(v, neighbors);
      eccentricity[v] = *std::max_element(hops.begin(), hops.end());
    }
    const std::int64_t diameter = *std::max_element(eccentricity.begin(), eccentricity.end());
    for (const std::int64_t limit : {0, 1, 3, 20}) {
      const testing::CpuAnswer answer("diameter", graph, num_threads, {{"max_searches", limit}});
      const Hops lower = answer.list<std::int32_t>("eccentricity_lower");
      const Hops upper = answer.list<std::int32_t>("eccentricity_upper");
      for (VertexId v = 0; v < n; ++v) {
        EXPECT_LE(lower[v], eccentricity[v]);
        EXPECT_GE(upper[v], eccentricity[v]);
      }
      EXPECT_LE(answer.number<std::int64_t>("lower"), diameter);
      EXPECT_GE(answer.number<std::int64_t>("upper"), diameter);
      if (limit > 0) {
        EXPECT_LE(answer.number<std::int64_t>("num_searches"), limit);
      } else {
        EXPECT_EQ(answer.number<std::int64_t>("lower"), answer.number<std::int64_t>("upper"));
      }
    }
  });
}

TEST(Khop, MembersAreNearEnough) {
  testing::each_undirected_graph([](VertexId n, const auto& neighbors, const Graph& graph, int num_threads) {
    const std::vector<VertexId> sources{n - 1, n / 2};
    for (const std::int64_t any_direction : {0, 1}) {
      const auto rows = rows_of(graph);
      const Hops first = any_direction ? hops_from(sources[0], neighbors) : hops_from(sources[0], rows);
      const Hops second = any_direction ? hops_from(sources[1], neighbors) : hops_from(sources[1], rows);
      for (const std::int64_t k : {0, 1, 2, 5, 2147483647}) {
        std::vector<VertexId> members;
        Hops distance;
        for (VertexId v = 0; v < n; ++v) {
          const std::int32_t hops =
              first[v] < 0 || second[v] < 0 ? std::max(first[v], second[v]) : std::min(first[v], second[v]);
          if (hops < 0 || hops > k) continue;
          members.push_back(v);
          distance.push_back(hops);
        }
        const testing::CpuAnswer answer("khop", graph, num_threads,
                                        {{"sources", ids(sources)}, {"k", k}, {"any_direction", any_direction}});
        EXPECT_EQ(answer.list<VertexId>("vertex"), members);
        EXPECT_EQ(answer.list<std::int32_t>("distance"), distance);
      }
    }
  });
}

TEST(Ego, EdgesAreThoseBetweenMembersInTheirOrder) {
  testing::each_undirected_graph([](VertexId n, const auto&, const Graph& graph, int num_threads) {
    const Csr& csr = *graph.csr();
    for (const std::int64_t center : {0, 1}) {
      const auto root = static_cast<std::int64_t>(n / 3);
      const testing::CpuAnswer answer("ego", graph, num_threads,
                                      {{"root", root}, {"radius", std::int64_t(2)}, {"center", center}});
      const auto members = answer.list<VertexId>("vertex");
      const std::set<VertexId> is_member(members.begin(), members.end());
      EXPECT_EQ(is_member.count(static_cast<VertexId>(root)), static_cast<std::size_t>(center));
      std::vector<VertexId> ends;
      std::vector<std::int64_t> indices;
      for (const VertexId v : is_member) {
        for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
          if (is_member.count(csr.targets[e]) == 0) continue;
          ends.insert(ends.end(), {v, csr.targets[e]});
          indices.push_back(static_cast<std::int64_t>(e));
        }
      }
      EXPECT_EQ(answer.list<VertexId>("edges"), ends);
      EXPECT_EQ(answer.list<std::int64_t>("edge_indices"), indices);
    }
  });
}

}  // namespace
}  // namespace gaspipe
