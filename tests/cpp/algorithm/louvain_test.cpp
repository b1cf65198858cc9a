// SPDX-License-Identifier: Apache-2.0
// Communities, by one thread and several: what is told of them, and that there are no better neighbors to be with.
#include <map>
#include <vector>

#include "tests/cpp/algorithm/undirected.h"

namespace gaspipe {
namespace {

// Every edge as one of an undirected graph.
double modularity(const testing::Edges& edges, const std::vector<std::int64_t>& community) {
  double inner = 0, expected = 0;
  std::map<std::int64_t, double> strength;
  for (const auto& [source, target] : edges) {
    inner += community[source] == community[target];
    ++strength[community[source]];
    ++strength[community[target]];
  }
  const auto count = static_cast<double>(edges.size());
  for (const auto& [name, sum] : strength) expected += sum / (2 * count) * sum / (2 * count);
  return edges.empty() ? 0 : inner / count - expected;
}

TEST(Louvain, TellsTheModularityOfItsCommunities) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const VertexId n = 20 + 40 * seed;
    const testing::Edges edges = testing::random_edges(n, 3 * n, seed);  // loops and parallel edges among them
    for (const int num_threads : {1, 3}) {
      const testing::CpuAnswer answer("louvain", testing::graph_of(n, edges), num_threads);
      const auto community = answer.list<std::int64_t>("community");
      EXPECT_NEAR(answer.number<double>("modularity"), modularity(edges, community), 1e-12);
      std::int64_t count = 0;
      for (VertexId v = 0; v < n; ++v) {
        EXPECT_LE(community[v], v);
        EXPECT_EQ(community[community[v]], community[v]);
        count += community[v] == v;
      }
      EXPECT_EQ(answer.number<std::int64_t>("num_communities"), count);
    }
  }
}

TEST(Louvain, CommunitiesAreConnected) {
  testing::each_undirected_graph([](VertexId n, const auto& neighbors, const Graph& graph, int num_threads) {
    const auto community = testing::CpuAnswer("louvain", graph, num_threads).list<std::int64_t>("community");
    std::vector<bool> is_seen(n, false);
    for (VertexId first = 0; first < n; ++first) {
      if (community[first] != first) continue;
      std::vector<VertexId> stack = {first};
      is_seen[first] = true;
      while (!stack.empty()) {
        const VertexId v = stack.back();
        stack.pop_back();
        for (const VertexId u : neighbors[v]) {
          if (is_seen[u] || community[u] != first) continue;
          is_seen[u] = true;
          stack.push_back(u);
        }
      }
    }
    for (VertexId v = 0; v < n; ++v) EXPECT_TRUE(is_seen[v]) << v;
  });
}

TEST(Louvain, StripesGiveTheSameForAnyNumberOfThreads) {
  // 64 blocks make two stripes. Groups whose members are spread over both are found within few rounds.
  constexpr VertexId kGroups = 4096, kMembers = 16, n = kGroups * kMembers;
  testing::Edges edges = testing::random_edges(n, 650'000, 5);
  for (VertexId v = 0; v < n; ++v) {
    for (VertexId other = v + kGroups; other < n; other += kGroups) edges.emplace_back(v, other);
  }
  const Graph graph = testing::graph_of(n, edges);
  const testing::CpuAnswer one("louvain", graph, 1, {{"max_level", std::int64_t(1)}}),
      three("louvain", graph, 3, {{"max_level", std::int64_t(1)}});
  EXPECT_GT(one.number<double>("modularity"), 0);
  EXPECT_EQ(one.list<std::int64_t>("community"), three.list<std::int64_t>("community"));
  EXPECT_EQ(one.number<double>("modularity"), three.number<double>("modularity"));
}

}  // namespace
}  // namespace gaspipe
