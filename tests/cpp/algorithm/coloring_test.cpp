// SPDX-License-Identifier: Apache-2.0
// Colors, by one thread and several: different for neighbors, and those of one vertex after the other.
#include <algorithm>
#include <numeric>

#include "tests/cpp/algorithm/undirected.h"

namespace gaspipe {
namespace {

TEST(Coloring, NeighborsHaveDifferentColors) {
  testing::each_undirected_graph([](VertexId n, const auto& neighbors, const Graph& graph, int num_threads) {
    const testing::CpuAnswer answer("coloring", graph, num_threads);
    const auto color = answer.list<std::int32_t>("color");
    ASSERT_EQ(color.size(), n);
    std::size_t largest_degree = 0;
    for (VertexId v = 0; v < n; ++v) {
      largest_degree = std::max(largest_degree, neighbors[v].size());
      EXPECT_GE(color[v], 0);
      for (const VertexId u : neighbors[v]) EXPECT_NE(color[u], color[v]) << u << " and " << v;
    }
    const auto num_colors = answer.number<std::int64_t>("num_colors");
    EXPECT_EQ(num_colors, *std::max_element(color.begin(), color.end()) + 1);
    EXPECT_LE(num_colors, static_cast<std::int64_t>(largest_degree) + 1);
  });
}

TEST(Coloring, VerticesTakeTheSmallestColorInOrderOfTheirDegrees) {
  testing::each_undirected_graph([](VertexId n, const auto& neighbors, const Graph& graph, int num_threads) {
    std::vector<VertexId> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](VertexId u, VertexId v) { return neighbors[u].size() > neighbors[v].size(); });
    std::vector<std::int32_t> color(n, -1);
    for (const VertexId v : order) {
      std::set<std::int32_t> taken;
      for (const VertexId u : neighbors[v]) taken.insert(color[u]);
      for (color[v] = 0; taken.count(color[v]) > 0;) ++color[v];
    }
    EXPECT_EQ(testing::CpuAnswer("coloring", graph, num_threads).list<std::int32_t>("color"), color);
  });
}

}  // namespace
}  // namespace gaspipe
