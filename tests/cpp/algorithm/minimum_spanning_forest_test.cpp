// SPDX-License-Identifier: Apache-2.0
// Minimum spanning forests, by one thread and several, against Kruskal's algorithm.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "tests/cpp/algorithm/undirected.h"

namespace gaspipe {
namespace {

using testing::Edges;

template <class Weight>
Graph graph_of(VertexId n, const Edges& edges, const std::vector<Weight>& weights) {
  EdgeList list = testing::edge_list(n, edges);
  list.weights = testing::array(weights);
  Workers workers(1);
  return Graph(build_csr(list, n, workers));
}

// The ends of its edges, ascending.
template <class Weight>
std::vector<VertexId> by_kruskal(VertexId n, const Edges& edges, const std::vector<Weight>& weights) {
  std::vector<std::tuple<Weight, VertexId, VertexId>> ordered;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    ordered.emplace_back(weights[e], std::min(edges[e].first, edges[e].second),
                         std::max(edges[e].first, edges[e].second));
  }
  std::sort(ordered.begin(), ordered.end());
  std::vector<VertexId> tree(n);
  std::iota(tree.begin(), tree.end(), 0);
  std::set<std::pair<VertexId, VertexId>> forest;
  for (const auto& [weight, u, v] : ordered) {
    const VertexId from = tree[u], to = tree[v];
    if (from == to) continue;
    std::replace(tree.begin(), tree.end(), from, to);
    forest.insert({u, v});
  }
  std::vector<VertexId> ends;
  for (const auto& [u, v] : forest) ends.insert(ends.end(), {u, v});
  return ends;
}

// Weights 0 to `most`, and what make() makes of them.
template <class Weight, class Make>
void expect_those_of_kruskal(std::uint32_t most, const Make& make) {
  std::mt19937 random(5);
  for (const auto& [n, edges] : testing::undirected_graphs()) {
    std::vector<Weight> weights;
    for (std::size_t e = 0; e < edges.size(); ++e) weights.push_back(make(random() % (most + 1)));
    const Graph graph = graph_of(n, edges, weights);
    const std::vector<VertexId> wanted = by_kruskal(n, edges, weights);
    for (const int num_threads : {1, 3}) {
      const testing::CpuAnswer found("minimum_spanning_forest", graph, num_threads);
      ASSERT_EQ(found.list<VertexId>("edges"), wanted) << n << " vertices, " << edges.size() << " edges";
      const auto by_edge = found.list<double>("weight");
      EXPECT_EQ(by_edge.size(), wanted.size() / 2);
      EXPECT_EQ(found.number<std::int64_t>("num_components"), n - static_cast<std::int64_t>(by_edge.size()));
    }
  }
}

TEST(MinimumSpanningForest, IsThatOfKruskalForAllTypesOfWeights) {
  expect_those_of_kruskal<double>(1 << 30, [](std::uint32_t drawn) { return drawn / 3.0 - (1 << 28); });
  expect_those_of_kruskal<float>(1000, [](std::uint32_t drawn) { return static_cast<float>(drawn) / 7; });
  expect_those_of_kruskal<std::int32_t>(9, [](std::uint32_t drawn) { return static_cast<int>(drawn) - 4; });
  expect_those_of_kruskal<std::int64_t>(
      100, [](std::uint32_t drawn) { return (std::int64_t(1) << 62) + drawn; });  // all the same double
}

TEST(MinimumSpanningForest, OfEqualEdgesTakesTheFirst) {
  for (const auto& [n, edges] : testing::undirected_graphs()) {
    const std::vector<double> ones(edges.size(), 1);
    const std::vector<VertexId> wanted = by_kruskal(n, edges, ones);
    for (const int num_threads : {1, 3}) {
      for (const Graph& graph : {testing::graph_of(n, edges), graph_of(n, edges, ones)}) {
        const testing::CpuAnswer found("minimum_spanning_forest", graph, num_threads);
        EXPECT_EQ(found.list<VertexId>("edges"), wanted);
        EXPECT_EQ(found.number<double>("total_weight"), static_cast<double>(wanted.size() / 2));
      }
    }
  }
}

TEST(MinimumSpanningForest, RefusesNanOnly) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const Graph infinite = graph_of<double>(3, {{0, 1}, {1, 2}, {2, 0}}, {kInfinite, -kInfinite, -0.0});
  EXPECT_EQ(testing::CpuAnswer("minimum_spanning_forest", infinite, 1).list<double>("weight"),
            (std::vector<double>{0, -kInfinite}));
  const Graph bad = graph_of<double>(3, {{0, 1}, {2, 1}}, {1, std::nan("")});
  try {
    testing::CpuAnswer("minimum_spanning_forest", bad, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("edge 2 -> 1 has weight nan"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gaspipe
