// SPDX-License-Identifier: Apache-2.0
// Maximal independent sets, by one thread and several: the property itself, and the same set for any number of threads.
#include <algorithm>

#include "tests/cpp/algorithm/undirected.h"

namespace gaspipe {
namespace {

testing::CpuAnswer answer_of(const Graph& graph, int num_threads, std::int64_t seed) {
  return {"maximal_independent_set", graph, num_threads, {{"seed", seed}}};
}

TEST(MaximalIndependentSet, MembersAreNoNeighborsAndAllOthersHaveOne) {
  testing::each_undirected_graph([](VertexId n, const auto& neighbors, const Graph& graph, int num_threads) {
    for (const std::int64_t seed : {0, 1, 2147483647}) {
      const testing::CpuAnswer answer = answer_of(graph, num_threads, seed);
      const auto member = answer.list<bool>("member");
      ASSERT_EQ(member.size(), n);
      for (VertexId v = 0; v < n; ++v) {
        const bool has_member =
            std::any_of(neighbors[v].begin(), neighbors[v].end(), [&](auto u) { return member[u]; });
        EXPECT_NE(member[v], has_member) << v << ", seed " << seed;
      }
      EXPECT_EQ(answer.number<std::int64_t>("size"), std::count(member.begin(), member.end(), true));
    }
  });
}

TEST(MaximalIndependentSet, IsTheSameForAnyNumberOfThreads) {
  testing::each_undirected_graph([](VertexId, const auto&, const Graph& graph, int num_threads) {
    EXPECT_EQ(answer_of(graph, num_threads, 5).list<bool>("member"), answer_of(graph, 2, 5).list<bool>("member"));
  });
}

TEST(MaximalIndependentSet, DependsOnTheSeed) {
  const Graph graph = testing::graph_of(3000, testing::random_edges(3000, 20000, 7));
  EXPECT_NE(answer_of(graph, 2, 0).list<bool>("member"), answer_of(graph, 2, 1).list<bool>("member"));
}

TEST(MaximalIndependentSet, RefusesSeedsOutOfRange) {
  const Graph graph = testing::graph_of(2, {{0, 1}});
  EXPECT_THROW(answer_of(graph, 1, -1), InputError);
  EXPECT_THROW(answer_of(graph, 1, std::int64_t(1) << 31), InputError);
}

}  // namespace
}  // namespace gaspipe
