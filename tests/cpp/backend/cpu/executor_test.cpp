// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <queue>

#include "gaspipe/run.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

TEST(Run, PushesSparseFrontiersOnlyWhenAllowedTo) {
  Edges path;
  for (VertexId v = 0; v + 1 < 1000; ++v) path.emplace_back(v, v + 1);
  const Graph graph = graph_of(1000, path);
  const Result automatic = run(find_program("bfs"), graph, {});
  RunOptions plain;
  plain.method = "gas";
  const Result gas = run(find_program("bfs"), graph, {}, plain);
  EXPECT_EQ(values_of<std::int32_t>(automatic), values_of<std::int32_t>(gas));
  ASSERT_EQ(automatic.stats.supersteps.size(), 1000u);
  ASSERT_EQ(gas.stats.supersteps.size(), 1000u);
  for (const auto& step : automatic.stats.supersteps.records()) EXPECT_EQ(step.kind, abi::kPushStep);
  for (const auto& step : gas.stats.supersteps.records()) EXPECT_EQ(step.kind, abi::kGasStep);
  EXPECT_EQ(automatic.stats.supersteps.records()[5].active_vertices, 1u);
  EXPECT_EQ(gas.stats.supersteps.records()[5].active_vertices, 1u);
  EXPECT_EQ(automatic.stats.supersteps.records()[5].edges, 1u);
  EXPECT_EQ(gas.stats.supersteps.records()[5].edges, 999u);
}

TEST(Run, SharedPushFindsTheSameDistances) {
  // Frontiers of some thousand edges: more than one thread pushes.
  const VertexId n = 60000;
  Csr csr = csr_of(n, random_edges(n, 900000, 17));
  std::vector<std::int32_t> weights;
  std::mt19937 random(4);
  for (std::size_t e = 0; e < csr.num_edges(); ++e) weights.push_back(1 + random() % 1000);
  csr.weights = array(weights);
  std::vector<std::int64_t> expected(n, -1);
  std::priority_queue<std::pair<std::int64_t, VertexId>, std::vector<std::pair<std::int64_t, VertexId>>, std::greater<>>
      heap;
  heap.emplace(0, 0);
  while (!heap.empty()) {
    const auto [distance, v] = heap.top();
    heap.pop();
    if (expected[v] >= 0) continue;
    expected[v] = distance;
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) heap.emplace(distance + weights[e], csr.targets[e]);
  }
  const Graph graph(std::move(csr));
  for (int threads : {1, 2, 4}) {
    RunOptions options;
    options.num_threads = threads;
    const Result result = run(find_program("sssp"), graph, {}, options);
    EXPECT_EQ(values_of<std::int64_t>(result), expected);
    const auto steps = result.stats.supersteps.records();
    EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [](const auto& step) {
      return step.kind == abi::kPushStep && step.edges > engine::kMostEdgesPushedSerially;
    }));
  }
}

TEST(Run, RepeatsAnIntegerRunThatOverflowsInWiderWords) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  Csr csr = csr_of(4, {{0, 1}, {1, 2}, {2, 3}});
  csr.weights = array<std::int32_t>({most, most, most});
  const Result wide = run(find_program("sssp"), Graph(std::move(csr)), {});
  EXPECT_EQ(wide.stats.number, "uint64");
  EXPECT_EQ(wide.stats.attempts, 2);
  EXPECT_EQ(values_of<std::int64_t>(wide),
            (std::vector<std::int64_t>{0, most, 2 * std::int64_t(most), 3 * std::int64_t(most)}));

  Csr shorter = csr_of(3, {{0, 1}, {1, 2}});
  shorter.weights = array<std::int32_t>({most, most - 1});
  const Result narrow = run(find_program("sssp"), Graph(std::move(shorter)), {});
  EXPECT_EQ(narrow.stats.number, "uint32");
  EXPECT_EQ(narrow.stats.attempts, 1);
  EXPECT_EQ(values_of<std::int64_t>(narrow)[2], 2 * std::int64_t(most) - 1);
}

TEST(Run, RefusesADistanceNoWordHolds) {
  Csr csr = csr_of(3, {{0, 1}, {1, 2}});
  csr.weights = array<std::int64_t>({std::numeric_limits<std::int64_t>::max() - 5, 10});
  EXPECT_THROW(run(find_program("sssp"), Graph(std::move(csr)), {}), CapacityError);
}

TEST(Run, ReportsEverySuperstepAndPassesAnExceptionOn) {
  const Graph graph = graph_of(4, {{0, 1}, {1, 2}, {2, 3}});
  std::vector<std::uint64_t> steps;
  RunOptions options;
  options.progress = [&](std::uint64_t step, const abi::Superstep&) { steps.push_back(step); };
  run(find_program("bfs"), graph, {}, options);
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{0, 1, 2, 3}));
  options.progress = [](std::uint64_t step, const abi::Superstep&) {
    if (step == 1) throw InputError("stop here");
  };
  EXPECT_THROW(run(find_program("bfs"), graph, {}, options), InputError);
}

TEST(Run, StopsWhenInterrupted) {
  const Graph graph{csr_of(1000, random_edges(1000, 50000, 1))};
  const Arguments endless = {{"tol", 0.0}, {"max_iter", std::int64_t(1) << 30}};
  for (int threads : {1, 2}) {
    RunOptions options;
    options.num_threads = threads;
    int asked = 0;
    options.interrupted = [&] { return ++asked > 3; };
    EXPECT_THROW(run(find_program("pagerank"), graph, endless, options), Cancelled);
    EXPECT_EQ(asked, 4);
  }
}

TEST(Run, ChecksArgumentsAgainstTheHeader) {
  const Graph graph = graph_of(3, {{0, 1}});
  const auto fails = [&](const char* name, const Arguments& arguments) {
    EXPECT_THROW(run(find_program(name), graph, arguments), InputError);
  };
  fails("bfs", {{"root", std::int64_t(3)}});
  fails("bfs", {{"root", std::int64_t(-1)}});
  fails("bfs", {{"root", 1.0}});
  fails("bfs", {{"start", std::int64_t(0)}});
  fails("pagerank", {{"damping", 1.5}});
  fails("pagerank", {{"damping", std::nan("")}});
  fails("pagerank", {{"max_iter", std::int64_t(0)}});
  fails("pagerank", {{"personalization", array<double>({1, 2})}});
  fails("pagerank", {{"personalization", array<double>({1, -2, 1})}});
  fails("pagerank", {{"personalization", array<double>({0, 0, 0})}});
  EXPECT_THROW(find_program("bsf"), InputError);
}

TEST(Run, FixedPointComesDownToAScaleThatHolds) {
  // A star: the hub's rank is far above the mean, so the first scale saturates.
  Edges star;
  for (VertexId v = 1; v < 1000; ++v) star.emplace_back(v, 0);
  const Graph graph = graph_of(1000, star);
  RunOptions fixed;
  fixed.number = "fixed";
  const Result result = run(find_program("pagerank"), graph, {}, fixed);
  EXPECT_GT(result.stats.attempts, 1);
  EXPECT_LT(result.stats.scale_bits, 40);
  const auto exact = values_of<double>(run(find_program("pagerank"), graph, {})), words = values_of<double>(result);
  double difference = 0;
  for (int v = 0; v < 1000; ++v) difference += std::abs(exact[v] - words[v]);
  EXPECT_LT(difference, 1e-5);
}

}  // namespace
}  // namespace gaspipe
