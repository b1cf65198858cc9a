// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

bool is_symmetric(VertexId num_vertices, const Edges& edges) {
  Workers workers(2);
  return graph_of(num_vertices, edges).is_symmetric(workers);
}

TEST(IsSymmetric, TellsASingleEdgeAmongMany) {
  const VertexId n = 10000;
  Edges edges;
  for (const auto& [a, b] : random_edges(n, 100000, 5)) {
    edges.emplace_back(a, b);
    edges.emplace_back(b, a);
  }
  EXPECT_TRUE(is_symmetric(n, edges));
  edges.emplace_back(77, 77);
  EXPECT_TRUE(is_symmetric(n, edges)) << "a loop is its own reverse";
  edges.emplace_back(edges[10]);
  EXPECT_FALSE(is_symmetric(n, edges)) << "one of two parallel edges";
  edges.back() = {edges[10].second, edges[11].second};
  edges.emplace_back(edges.back().second, edges.back().first);
  EXPECT_TRUE(is_symmetric(n, edges));
  std::swap(edges[500].second, edges[501].first);
  std::swap(edges[500].first, edges[900].first);
  EXPECT_FALSE(is_symmetric(n, edges));
}

TEST(IsSymmetric, IsNotFooledByEqualDegrees) {
  // As many edges into every vertex as out of it, and no sample finds them in a row this long.
  const VertexId n = 3000;
  Edges wheel, both;
  for (VertexId v = 0; v < n; ++v) {
    for (VertexId k = 1; k <= 1100; ++k) wheel.emplace_back(v, (v + k) % n);
  }
  for (VertexId v = 0; v < n; ++v) {
    for (VertexId k = 1; k <= 3; ++k) both.insert(both.end(), {{v, (v + k) % n}, {(v + k) % n, v}});
  }
  EXPECT_FALSE(is_symmetric(n, wheel));
  EXPECT_TRUE(is_symmetric(n, both));
  EXPECT_FALSE(is_symmetric(3, {{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_TRUE(is_symmetric(3, {}));
}

// Whether a view of the edges in both directions is the graph as it is.
bool is_its_own_view(Csr csr) {
  Workers workers(2);
  const Graph graph(std::move(csr));
  return graph.view(View::kUndirected, workers) == graph.csr();
}

Csr triangle(std::vector<VertexId> targets, Weights weights = {}) {
  const std::vector<std::uint32_t> offsets = {0, 2, 4, 6};
  return {3, 3, Offsets(array(offsets)), array(targets), std::move(weights)};
}

TEST(IsKnownSymmetric, IsFoundOutWhenAskedAgain) {
  Workers workers(1);
  const Graph graph = graph_of(3, {{0, 1}, {1, 0}}), same = graph;
  EXPECT_FALSE(graph.is_known_symmetric(workers));
  EXPECT_TRUE(same.is_known_symmetric(workers)) << "they share what is known";
  EXPECT_TRUE(graph.is_known_symmetric(workers));
  graph.clear_cache();
  EXPECT_FALSE(graph.is_known_symmetric(workers));
  graph.clear_cache();
  EXPECT_TRUE(graph.is_symmetric(workers));
  EXPECT_TRUE(graph.is_known_symmetric(workers));

  const Graph directed = graph_of(3, {{0, 1}});
  for (int time = 0; time < 3; ++time) EXPECT_FALSE(directed.is_known_symmetric(workers));
}

TEST(UndirectedView, IsTheGraphItselfWhereRowsAreAsItsWouldBe) {
  EXPECT_TRUE(is_its_own_view(triangle({1, 2, 0, 2, 0, 1})));
  EXPECT_TRUE(is_its_own_view(triangle({0, 1, 0, 2, 1, 2}))) << "a loop is its own reverse";
  EXPECT_FALSE(is_its_own_view(triangle({2, 1, 0, 2, 0, 1}))) << "not sorted";
  EXPECT_FALSE(is_its_own_view(triangle({1, 1, 0, 0, 2, 2}))) << "parallel edges";
  EXPECT_FALSE(is_its_own_view(triangle({1, 2, 0, 2, 1, 2}))) << "2 -> 0 is missing";
}

TEST(UndirectedView, IsTheGraphItselfOnlyWhereReversesWeighTheSame) {
  EXPECT_TRUE(is_its_own_view(triangle({1, 2, 0, 2, 0, 1}, array<float>({5, 6, 5, 7, 6, 7}))));
  EXPECT_FALSE(is_its_own_view(triangle({1, 2, 0, 2, 0, 1}, array<float>({5, 6, 5, 7, 6, 8}))));
  EXPECT_TRUE(is_its_own_view(triangle({1, 2, 0, 2, 0, 1}, array<std::int64_t>({-5, 6, -5, 7, 6, 7}))));
  EXPECT_FALSE(is_its_own_view(triangle({1, 2, 0, 2, 0, 1}, array<std::int64_t>({5, 6, 7, 7, 6, 5}))));
}

}  // namespace
}  // namespace gaspipe
