// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// Weights below 0, without cycles: distances fall below the bucket at work after they have been sent.
template <class Number>
struct SignedHooks {
  using Property = Number;
  static constexpr Property kIdentity = std::numeric_limits<Number>::max();
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr bool kIdempotent = true;
  static constexpr int kAux = 0;
  static bool isActive(Property update) { return update != kIdentity; }
  static bool isSource(Property distance) { return distance != kIdentity; }
  static Property priority(Property distance) { return distance; }
  static Property preprocessProperty(Property distance) { return distance; }
  static Property scatterFunc(Property distance, Property weight) {
    return distance == kIdentity ? kIdentity : distance + weight;
  }
  static Property updateMergeInRAWSolver(Property a, Property b) { return std::min(a, b); }
  static Property gatherFunc(Property a, Property b) { return std::min(a, b); }
  static Property applyMerge(Property a, Property b) { return std::min(a, b); }
  static Property applyFunc(Property tProp, Property distance, Property, unsigned& extra, unsigned) {
    extra += tProp < distance;
    return std::min(distance, tProp);
  }
};
template <class Number>
struct SignedProgram {
  using Hooks = SignedHooks<Number>;
  using Value = Number;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v == 0 ? 0 : Hooks::kIdentity; }
  Until until(int, const std::uint64_t* sums) const { return done_if(sums[0] == 0); }
  Value finish(Number distance, VertexId) const { return distance; }
};

TEST(Buckets, GoBackForVerticesThatFallBelow) {
  const auto& program = program_of<SignedProgram, std::int32_t>("signed_paths");
  constexpr VertexId kNumVertices = 3000;
  for (const unsigned seed : {1, 2, 3}) {
    std::mt19937 random(seed);
    Edges edges;
    for (VertexId v = 1; v < kNumVertices; ++v) {
      for (int k = 0; k < 4; ++k) edges.emplace_back(v - 1 - random() % std::min<VertexId>(v, 200), v);
    }
    Csr csr = csr_of(kNumVertices, edges);
    std::vector<std::int32_t> weights;
    for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(static_cast<int>(random() % 1000) - 400);
    csr.weights = array(weights);
    std::vector<std::int32_t> expected(kNumVertices, SignedHooks<std::int32_t>::kIdentity);
    expected[0] = 0;
    for (VertexId v = 0; v < kNumVertices; ++v) {  // in topological order
      if (expected[v] == SignedHooks<std::int32_t>::kIdentity) continue;
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
        expected[csr.targets[e]] = std::min(expected[csr.targets[e]], expected[v] + weights[e]);
      }
    }
    const Graph graph(std::move(csr));
    for (const int threads : {1, 2, 3}) {
      RunOptions options;
      options.num_threads = threads;
      EXPECT_EQ(values_of<std::int32_t>(run(program, graph, {}, options)), expected);
    }
  }
}

// Streets with a city at their end: buckets become wider, then narrower again.
TEST(Buckets, ChangeTheirWidthOnTheWay) {
  constexpr VertexId kStreet = 4000, kNumVertices = 400000;
  std::mt19937 random(3);
  Edges edges;
  for (VertexId v = 1; v < kStreet; ++v) edges.emplace_back(v - 1, v);
  for (VertexId v = kStreet; v < kNumVertices; ++v) {
    edges.emplace_back(kStreet - 1 + random() % (v - kStreet + 1), v);
    edges.emplace_back(v, kStreet + random() % (kNumVertices - kStreet));
  }
  Csr csr = csr_of(kNumVertices, edges);
  std::vector<std::int32_t> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(1 + random() % 100000);
  csr.weights = array(weights);
  const std::vector<double> expected = dijkstra(csr, weights);
  const Graph graph(std::move(csr));
  for (const int threads : {1, 2}) {
    RunOptions options;
    options.num_threads = threads;
    const auto distance = values_of<std::int64_t>(run(find_program("sssp"), graph, {}, options));
    EXPECT_EQ(std::vector<double>(distance.begin(), distance.end()), expected);
  }
}

}  // namespace
}  // namespace gaspipe
