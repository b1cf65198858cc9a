// SPDX-License-Identifier: Apache-2.0
// Shortest paths by the array of PEs, against Dijkstra's algorithm.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <random>
#include <string>
#include <utility>

#include "gaspipe/error.h"
#include "hls/emulator/engine.h"
#include "hls/local_store/length.h"
#include "tests/hls/kernel/searches.h"

namespace gaspipe {
namespace {

using pe_array::Paths;
using pe_array::WeightedRows;
using testing::Named;
using testing::values;

Paths search(const WeightedRows& rows, VertexId root, const char* execution = "exact", const char* board = "u250") {
  RunOptions options;
  options.device = std::string("emulator:") + board;
  options.execution = execution;
  options.workers = rows.num_pes();
  return pe_array::shortest_paths(testing::borrowed(rows), root, options);
}
WeightedRows rows_of(const Csr& csr, int num_pes) {
  Workers workers(1);
  return WeightedRows(csr, num_pes, workers);
}
constexpr std::int64_t kFarthest = Length<std::uint32_t>::kFarthest;

std::vector<std::int64_t> distances(const Paths& paths) {
  return values(std::get<Array<std::int64_t>>(paths.distance));
}
std::vector<float> floats(const Paths& paths) { return values(std::get<Array<float>>(paths.distance)); }

Csr weighted(Csr csr, std::int32_t least, std::int32_t most, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) {
    weights.push_back(least + static_cast<std::int32_t>(random() % static_cast<unsigned>(most - least + 1)));
  }
  csr.weights = testing::array(weights);
  return csr;
}

std::vector<std::int64_t> dijkstra(const Csr& csr, VertexId root) {
  const auto* weights = std::get_if<Array<std::int32_t>>(&csr.weights);
  std::vector<std::int64_t> distance(csr.num_rows, -1);
  using Entry = std::pair<std::int64_t, VertexId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  heap.emplace(0, root);
  while (!heap.empty()) {
    const auto [length, v] = heap.top();
    heap.pop();
    if (distance[v] >= 0) continue;
    distance[v] = length;
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      heap.emplace(length + (weights == nullptr ? 1 : (*weights)[e]), csr.targets[e]);
    }
  }
  return distance;
}

// Long ways in small steps beside short ones in large steps, so that distances fall again and again without an order.
Csr grid(VertexId side) {
  testing::Edges edges;
  for (VertexId v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) edges.insert(edges.end(), {{v, v + 1}, {v + 1, v}});
    if (v + side < side * side) edges.insert(edges.end(), {{v, v + side}, {v + side, v}});
  }
  return weighted(testing::csr_of(side * side, edges), 1, 1000);
}

TEST(DeltaStepping, FindsTheDistancesOfDijkstraWithTwoFourAndEightPes) {
  std::vector<Named> graphs = testing::graphs();
  graphs.push_back({"a grid", grid(20)});
  struct Case {
    int num_pes, least, most;
  };
  for (const Named& graph : graphs) {
    for (const auto& [num_pes, least, most] : {Case{2, 0, 3}, Case{4, 1, 255}, Case{8, 0, 1'000'000}}) {
      const Csr csr = graph.csr.is_weighted() ? graph.csr : weighted(graph.csr, least, most);
      const VertexId root = std::min<VertexId>(5, csr.num_rows - 1);
      SCOPED_TRACE(std::string(graph.name) + ", PEs: " + std::to_string(num_pes) + ", up to " + std::to_string(most));
      const WeightedRows rows = rows_of(csr, num_pes);
      const Paths exact = search(rows, root);
      EXPECT_EQ(distances(exact), dijkstra(csr, root));
      EXPECT_EQ(exact.phase_cycles.size(), exact.stats.supersteps.size());
      for (const char* const execution : {"shallow", "fast"}) {
        if (num_pes != 4 && execution == std::string("shallow")) continue;
        const Paths other = search(rows, root, execution);
        EXPECT_EQ(distances(other), distances(exact)) << execution;
        EXPECT_EQ(other.stats.supersteps.size(), exact.stats.supersteps.size()) << execution;
        EXPECT_EQ(other.stats.supersteps.edges(), exact.stats.supersteps.edges()) << execution;
        EXPECT_EQ(other.num_buckets, exact.num_buckets) << execution;
      }
    }
  }
}

// Distances of float, each sum rounded: the least over all ways, whatever their order.
std::vector<float> dijkstra_of_floats(const Csr& csr, VertexId root) {
  const auto& weights = std::get<Array<float>>(csr.weights);
  std::vector<float> distance(csr.num_rows, std::numeric_limits<float>::infinity());
  using Entry = std::pair<float, VertexId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  distance[root] = 0;
  heap.emplace(0.0f, root);
  while (!heap.empty()) {
    const auto [length, v] = heap.top();
    heap.pop();
    if (length > distance[v]) continue;
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      const float found = length + weights[e];
      if (found >= distance[csr.targets[e]]) continue;
      distance[csr.targets[e]] = found;
      heap.emplace(found, csr.targets[e]);
    }
  }
  return distance;
}
TEST(DeltaStepping, FindsTheDistancesOfFloats) {
  std::vector<Named> graphs = testing::graphs();
  graphs.push_back({"a grid", grid(20)});
  std::mt19937 random(5);
  for (const Named& graph : graphs) {
    // Small beside large, below what float tells apart in their sums; large; some are 0, or -0.
    for (const auto& [scale, spread] : {std::pair(1.0f, 1.0f), std::pair(1e-30f, 1e12f), std::pair(1e32f, 10.0f)}) {
      Csr csr = graph.csr;
      std::vector<float> weights(csr.num_edges());
      for (float& weight : weights) {
        const float part = static_cast<float>(random() % 1000) / 1000;
        weight = random() % 16 == 0 ? (random() % 2 == 0 ? 0.0f : -0.0f) : scale * (1 + spread * part * part * part);
      }
      csr.weights = testing::array(weights);
      const VertexId root = std::min<VertexId>(5, csr.num_rows - 1);
      SCOPED_TRACE(std::string(graph.name) + ", " + std::to_string(scale));
      const std::vector<float> wanted = dijkstra_of_floats(csr, root);
      const WeightedRows rows = rows_of(csr, scale == 1 ? 8 : 2);
      const Paths exact = search(rows, root), fast = search(rows, root, "fast");
      EXPECT_EQ(floats(exact), wanted);
      EXPECT_EQ(floats(fast), wanted);
      EXPECT_EQ(fast.stats.supersteps.edges(), exact.stats.supersteps.edges());
      EXPECT_EQ(floats(search(rows_of(csr, 4), root, "fast")), wanted);
    }
  }
}

TEST(DeltaStepping, AnEdgeWithoutWeightIsOneLong) {
  for (const Named& graph : testing::graphs()) {
    EXPECT_EQ(distances(search(rows_of(graph.csr, 4), 0, "fast")), dijkstra(graph.csr, 0)) << graph.name;
  }
}

// A vertex is sent once in a phase, and seldom more often than once: without buckets every detour is sent again.
TEST(DeltaStepping, SendsMostVerticesOnce) {
  const Csr csr = grid(60);
  const Paths run = search(rows_of(csr, 8), 0, "fast");
  EXPECT_EQ(distances(run), dijkstra(csr, 0));
  EXPECT_EQ(run.edges, csr.num_edges());
  EXPECT_LT(run.stats.supersteps.edges(), 2 * csr.num_edges());
  EXPECT_GT(run.num_buckets, 10u);
  std::uint64_t sent = 0;
  for (const auto& phase : run.stats.supersteps.records()) sent += phase.active_vertices;
  EXPECT_LT(sent, 2 * csr.num_rows);
}

// Delays and orders of tasks and replies change nothing that is found, nor when.
TEST(DeltaStepping, DependsOnNoTiming) {
  const Csr csr = weighted(testing::csr_of(3000, testing::random_edges(3000, 30'000, 9)), 1, 255);
  const WeightedRows rows = rows_of(csr, 4);
  const Paths plain = search(rows, 7);
  emulator::Options& options = emulator::Engine::current_options();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    options.disorder = {seed, 9, 300};
    const Paths other = search(rows, 7, seed % 2 == 0 ? "exact" : "shallow");
    options.disorder = {};
    EXPECT_EQ(distances(other), distances(plain));
    EXPECT_EQ(other.stats.supersteps.edges(), plain.stats.supersteps.edges());
  }
}

// Where all vertices of a phase wait, a PE takes an edge a cycle; the rest is reading and writing cells, 16 a cycle.
TEST(DeltaStepping, TakesAnEdgeACycle) {
  const VertexId num_vertices = 16'000;
  testing::Edges edges;
  for (VertexId v = 1; v <= 2000; ++v) edges.push_back({0, v});
  for (const auto& [u, v] : testing::random_edges(14'000, 160'000, 4)) edges.push_back({1 + u % 2000, 2000 + v});
  const Csr csr = weighted(testing::csr_of(num_vertices, edges), 5, 5);
  const Paths run = search(rows_of(csr, 8), 0, "exact", "u280");
  ASSERT_EQ(run.stats.supersteps.size(), 3u);
  const std::uint64_t of_a_pe = 160'000 / 8, cells = 3 * num_vertices / 8 / 16;
  EXPECT_GE(run.phase_cycles[1], of_a_pe);
  EXPECT_LT(run.phase_cycles[1], of_a_pe + of_a_pe / 5 + cells + 1500);
}

template <class F>
std::string says(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(DeltaStepping, RefusesWhatItCannotKeep) {
  Csr csr = testing::csr_of(3, {{0, 1}, {1, 2}});
  csr.weights = testing::array(std::vector<std::int32_t>{1, -4});
  EXPECT_EQ(says([&] { rows_of(csr, 2); }),
            "edge 1 -> 2 has weight -4; method=\"delta_stepping\" takes integers from 0 to 2147483645; use "
            "device=\"cpu\"");
  csr.weights = testing::array(std::vector<std::int64_t>{1, kFarthest});
  EXPECT_NE(says([&] { rows_of(csr, 2); }).find("has weight 2147483646"), std::string::npos);
  csr.weights = testing::array(std::vector<double>{1, 2});
  EXPECT_NE(says([&] { rows_of(csr, 2); }).find("the weights are float64"), std::string::npos);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {-0.5f, infinity, std::numeric_limits<float>::quiet_NaN()}) {
    csr.weights = testing::array(std::vector<float>{1, bad});
    EXPECT_NE(says([&] { rows_of(csr, 2); }).find("takes finite numbers from 0 on"), std::string::npos) << bad;
  }
  csr.weights = testing::array(std::vector<float>{3e38f, 3e38f});
  for (const char* const execution : {"exact", "fast"}) {
    EXPECT_EQ(says([&] { search(rows_of(csr, 2), 0, execution); }),
              "the distance of vertex 2 is beyond float32; method=\"delta_stepping\" keeps 31 bits; use smaller "
              "weights, or device=\"cpu\" with float64");
  }
  csr.weights = testing::array(std::vector<std::int64_t>{1, kFarthest - 1});
  EXPECT_EQ(says([&] { search(rows_of(csr, 2), 0); }),
            "the distance of vertex 2 is 2147483646 or more; method=\"delta_stepping\" keeps 31 bits; use smaller "
            "weights, or device=\"cpu\"");
  EXPECT_EQ(distances(search(rows_of(csr, 2), 1)), (std::vector<std::int64_t>{-1, 0, kFarthest - 1}));
  EXPECT_EQ(says([&] { search(rows_of(csr, 2), 3); }), "root is 3; the graph's 3 vertices allow 0 to 2");
  EXPECT_NE(says([&] { rows_of(csr, 3); }).find("workers is 3"), std::string::npos);
}

TEST(DeltaStepping, RefusesWhatABoardDoesNotHold) {
  const Csr large = testing::csr_of((1u << 22) + 1, {{0, 1}});
  EXPECT_NE(says([&] {
              search(rows_of(large, 8), 0, "fast", "u280");
            }).find("would own 524289 vertices, and the URAM of u280 has room for distances of 524288 in each"),
            std::string::npos);
}

}  // namespace
}  // namespace gaspipe
