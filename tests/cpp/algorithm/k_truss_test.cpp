// SPDX-License-Identifier: Apache-2.0
// Trusses, by one thread and several, against taking away edges that are in too few triangles.
#include <algorithm>
#include <iterator>
#include <map>

#include "tests/cpp/algorithm/undirected.h"

namespace gaspipe {
namespace {

using Neighbors = std::vector<std::set<VertexId>>;
using Trussness = std::map<std::pair<VertexId, VertexId>, std::int64_t>;

Trussness trussness_of(Neighbors neighbors) {
  Trussness found;
  for (std::size_t k = 2;; ++k) {
    for (bool changes = true; changes;) {
      changes = false;
      for (VertexId u = 0; u < neighbors.size(); ++u) {
        for (const VertexId v : std::set<VertexId>(neighbors[u])) {
          std::vector<VertexId> common;
          std::set_intersection(neighbors[u].begin(), neighbors[u].end(), neighbors[v].begin(), neighbors[v].end(),
                                std::back_inserter(common));
          if (common.size() + 2 >= k) continue;
          neighbors[u].erase(v);
          neighbors[v].erase(u);
          changes = true;
        }
      }
    }
    bool any = false;
    for (VertexId u = 0; u < neighbors.size(); ++u) {
      for (const VertexId v : neighbors[u]) {
        if (u < v) found[{u, v}] = static_cast<std::int64_t>(k);
        any = true;
      }
    }
    if (!any) return found;
  }
}

void expect_trusses(const Trussness& all, const Graph& graph, int num_threads) {
  std::int64_t most = 0;
  for (const auto& [ends, trussness] : all) most = std::max(most, trussness);
  for (const std::int64_t k : {2, 3, 4, 6}) {
    std::vector<VertexId> edges;
    std::vector<std::int64_t> by_edge;
    for (const auto& [ends, trussness] : all) {
      if (trussness < k) continue;
      edges.insert(edges.end(), {ends.first, ends.second});
      by_edge.push_back(trussness);
    }
    const testing::CpuAnswer found("k_truss", graph, num_threads, {{"k", k}});
    ASSERT_EQ(found.list<VertexId>("edges"), edges);
    EXPECT_EQ(found.list<std::int64_t>("trussness"), by_edge);
    EXPECT_EQ(found.number<std::int64_t>("num_vertices"),
              static_cast<std::int64_t>(std::set<VertexId>(edges.begin(), edges.end()).size()));
    EXPECT_EQ(found.number<std::int64_t>("max_trussness"), most);
  }
}

TEST(KTruss, HasTheEdgesThatAreInEnoughTriangles) {
  testing::each_undirected_graph([](VertexId, const Neighbors& neighbors, const Graph& graph, int num_threads) {
    expect_trusses(trussness_of(neighbors), graph, num_threads);
  });
}

TEST(KTruss, HoldsWhereEdgesFallInMass) {
  // Cliques of 3 to 24 vertices that share their first two, and random edges between them.
  testing::Edges edges = testing::random_edges(330, 3000, 4);
  VertexId next = 2;
  for (VertexId size = 3; size <= 24; ++size) {
    std::vector<VertexId> clique = {0, 1};
    while (clique.size() < size) clique.push_back(next++);
    for (const VertexId u : clique) {
      for (const VertexId v : clique) edges.push_back({u, v});
    }
  }
  const VertexId n = std::max<VertexId>(next, 330);
  const Trussness all = trussness_of(testing::neighbors_of(n, edges));
  for (const int num_threads : {1, 2, 4}) expect_trusses(all, testing::graph_of(n, edges), num_threads);
}

TEST(KTruss, RefusesKBelowTwo) {
  const Graph graph = testing::graph_of(2, {{0, 1}});
  EXPECT_THROW(testing::CpuAnswer("k_truss", graph, 1, {{"k", std::int64_t(1)}}), InputError);
}

}  // namespace
}  // namespace gaspipe
