// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/buckets.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <queue>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// A grid with both directions of every street: long paths, small frontiers.
Edges grid(VertexId side) {
  Edges edges;
  const auto street = [&](VertexId a, VertexId b) {
    edges.emplace_back(a, b);
    edges.emplace_back(b, a);
  };
  for (VertexId v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) street(v, v + 1);
    if (v + side < side * side) street(v, v + side);
  }
  return edges;
}

template <class T>
std::vector<double> dijkstra(const Csr& csr, const std::vector<T>& weights) {
  std::vector<double> distance(csr.num_rows, std::numeric_limits<double>::infinity());
  std::priority_queue<std::pair<double, VertexId>, std::vector<std::pair<double, VertexId>>, std::greater<>> heap;
  distance[0] = 0;
  heap.emplace(0, 0);
  while (!heap.empty()) {
    const auto [length, v] = heap.top();
    heap.pop();
    if (length > distance[v]) continue;
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      const double longer = length + static_cast<double>(weights[e]);
      if (longer >= distance[csr.targets[e]]) continue;
      distance[csr.targets[e]] = longer;
      heap.emplace(longer, csr.targets[e]);
    }
  }
  return distance;
}

TEST(Buckets, SettleMostVerticesOfARoadGridOnce) {
  Csr csr = csr_of(80 * 80, grid(80));
  std::mt19937 random(7);
  std::vector<std::int32_t> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(1 + random() % 1000);
  csr.weights = array(weights);
  const std::vector<double> expected = dijkstra(csr, weights);
  const EdgeCount num_edges = csr.num_edges();
  const Graph graph(std::move(csr));
  for (int threads : {1, 2}) {
    RunOptions options;
    options.num_threads = threads;
    const Result result = run(find_program("sssp"), graph, {}, options);
    const auto distance = values_of<std::int64_t>(result);
    EXPECT_EQ(std::vector<double>(distance.begin(), distance.end()), expected);
    const EdgeCount streamed =
        std::accumulate(result.stats.supersteps.begin(), result.stats.supersteps.end(), EdgeCount(0),
                        [](EdgeCount sum, const abi::Superstep& step) { return sum + step.edges; });
    EXPECT_LT(streamed, 2 * num_edges) << "without an order, every shorter detour is walked again";
  }
}

TEST(Buckets, TakeWeightsOfAnySize) {
  const Edges edges = random_edges(400, 900, 5);
  const double inf = std::numeric_limits<double>::infinity();
  for (const double scale : {0.0, 1e-300, 1e-3, 1.0, 1e300, inf}) {
    Csr csr = csr_of(400, edges);
    std::mt19937 random(9);
    std::vector<double> weights;
    for (EdgeCount e = 0; e < csr.num_edges(); ++e)
      weights.push_back(random() % 4 == 0 ? scale : (random() % 100) * 1e-3);
    csr.weights = array(weights);
    const std::vector<double> expected = dijkstra(csr, weights);
    EXPECT_EQ(values_of<double>(run(find_program("sssp"), Graph(std::move(csr)), {})), expected) << scale;
  }
}

}  // namespace
}  // namespace gaspipe
