// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

template <class Weight>
Graph weighted(VertexId num_vertices, const Edges& edges, const std::vector<Weight>& weights) {
  Csr csr = csr_of(num_vertices, edges);
  csr.weights = array(weights);
  return Graph(csr);
}

template <class T>
std::vector<T> weights_of(const Graph& graph) {
  return list(std::get<Array<T>>(graph.csr()->weights));
}

const Edges kEdges = {{0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}, {2, 3}};

TEST(Transitions, AreSharesOfARowWithoutEdgesThatWeighNothing) {
  Workers workers(2);
  const Graph graph = weighted<std::int32_t>(4, kEdges, {1, 0, 3, 0, 5, 5});
  const Graph found = graph.transitions(abi::kFloat64, workers);
  EXPECT_EQ(list(found.csr()->targets), (std::vector<VertexId>{1, 3, 0, 3}));
  EXPECT_EQ(found.csr()->degree(1), 0u);
  EXPECT_EQ(weights_of<double>(found), (std::vector<double>{0.25, 0.75, 0.5, 0.5}));
  EXPECT_EQ(weights_of<float>(graph.transitions(abi::kFloat32, workers)), (std::vector<float>{0.25, 0.75, 0.5, 0.5}));
  EXPECT_EQ(graph.num_edges(), kEdges.size());
}

TEST(Transitions, OfEdgesWithoutWeightsAreAlike) {
  Workers workers(1);
  const Graph graph = graph_of(4, kEdges);
  const Graph found = graph.transitions(abi::kFloat64, workers);
  EXPECT_EQ(weights_of<double>(found), (std::vector<double>{1 / 3.0, 1 / 3.0, 1 / 3.0, 1, 0.5, 0.5}));
  EXPECT_EQ(found.csr()->targets.data(), graph.csr()->targets.data()) << "shared";
}

TEST(Transitions, InFixedPointAddUpExactlyAndAreARoundingAwayAtMost) {
  Workers workers(2);
  std::mt19937 random(3);
  Edges edges;
  std::vector<double> weights;
  for (VertexId v = 0; v < 50; ++v) {
    for (VertexId i = 0; i <= v * v; ++i) {
      edges.emplace_back(v, random() % 50);
      weights.push_back(std::ldexp(1 + random() % 1000, static_cast<int>(random() % 40)));
    }
  }
  const Graph found = weighted(50, edges, weights).transitions(abi::kUint32, workers);
  const auto fractions = weights_of<std::int64_t>(found);
  const Csr& csr = *found.csr();
  for (VertexId v = 0; v < 50; ++v) {
    double sum = 0;
    std::int64_t whole = 0;
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) sum += weights[e];
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
      EXPECT_NEAR(static_cast<double>(fractions[e]), std::ldexp(weights[e] / sum, 31), 1.01);
      whole += fractions[e];
    }
    EXPECT_EQ(whole, std::int64_t(1) << 31);
  }
}

TEST(Transitions, NeedWeightsThatSharesCanBeMadeOf) {
  Workers workers(1);
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const Graph graph = weighted<double>(4, kEdges, {1, 2, 3, 4, bad, 5});
    try {
      graph.transitions(abi::kFloat64, workers);
      ADD_FAILURE() << bad;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("edge 2 -> 0 has weight"), std::string::npos) << error.what();
    }
  }
}

TEST(Transitions, AreMadeOnceUntilTheCacheIsCleared) {
  Workers workers(1);
  const Graph graph = weighted<float>(4, kEdges, {1, 2, 3, 4, 5, 6});
  const Csr* first = graph.transitions(abi::kFloat64, workers).csr().get();
  EXPECT_EQ(graph.transitions(abi::kFloat64, workers).csr().get(), first);
  EXPECT_NE(graph.transitions(abi::kFloat32, workers).csr().get(), first);
  EXPECT_EQ(graph.transitions(abi::kFloat64, workers).csr().get(), first);
  graph.clear_cache();
  EXPECT_EQ(weights_of<double>(graph.transitions(abi::kFloat64, workers))[0], 1 / 6.0);
}

}  // namespace
}  // namespace gaspipe
