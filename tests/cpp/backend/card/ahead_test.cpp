// SPDX-License-Identifier: Apache-2.0
// Super-steps that a card's host begins before it has read the sums of those before them.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/cpp/backend/card/answers.h"
#include "tests/cpp/backend/card/rig.h"

namespace gaspipe {
namespace testing {
namespace {

constexpr int kPartitions = 5, kUnits = 2, kQueued = 2;  // partitions whose runs are begun
constexpr int kRuns = kPartitions * (kUnits + 1);        // of a super-step

Graph graph_of_partitions(unsigned seed = 5) { return graph_of(64 * kPartitions, random_edges(320, 3000, seed)); }

Arguments steps(int max_iter, double tol = 0) { return {{"max_iter", std::int64_t(max_iter)}, {"tol", tol}}; }

TEST(CardAhead, GathersBeforeSumsAreRead) {
  Rig rig("pagerank", "fixed", kUnits);
  const Graph graph = graph_of_partitions();
  rig.run(graph, steps(1));
  const int before = rig.count("start");
  RunOptions options = rig.options();
  std::vector<int> started;  // after every super-step
  options.progress = [&](std::uint64_t, const abi::Superstep&) { started.push_back(rig.count("start") - before); };
  const Result result = run(find_program("pagerank"), graph, steps(4), options);
  ASSERT_EQ(result.stats.attempts, 1u);
  expect_same(result, on_cpu(rig, graph, steps(4)), *rig.driver.instance);
  // With tol=0 the program knows which is the last: nothing runs in vain.
  constexpr int kBegun = kQueued * kUnits;
  EXPECT_EQ(started, (std::vector<int>{kRuns + kBegun, 2 * kRuns + kBegun, 3 * kRuns + kBegun, 4 * kRuns}));
}

TEST(CardAhead, RunsInVainOnceWhereARunConverges) {
  Rig rig("pagerank", "fixed", kUnits);
  const Graph graph = graph_of_partitions();
  const Result result = rig.run(graph, steps(100, 1e-4));
  const auto num_steps = static_cast<int>(result.stats.supersteps.size());
  ASSERT_GT(num_steps, 3);
  ASSERT_LT(num_steps, 100);
  expect_same(result, on_cpu(rig, graph, steps(100, 1e-4)), *rig.driver.instance);
  EXPECT_EQ(rig.count("start"), num_steps * kRuns + kQueued * kUnits);
  EXPECT_EQ(rig.count("done"), rig.count("start"));
  expect_same(rig.run(graph, steps(100, 1e-4)), result, *rig.driver.instance);
}

TEST(CardAhead, WaitsWhereItPassesOverWhatTakesLongerThanTheHost) {
  // A path through ids of all partitions, and 40,000 edges beside it that are idle but for one super-step.
  Edges edges;
  for (VertexId v = 0; v + 1 < 20; ++v) edges.emplace_back(v, v + 1);
  for (VertexId i = 0; i < 40000; ++i) edges.emplace_back(20 + i % 300, 20 + i % 299);
  const Graph graph = graph_of(320, edges);
  for (const bool skip_idle : {true, false}) {
    for (const int clock_mhz : {1, 250}) {
      Rig rig("bfs", "uint32", kUnits);
      rig.design.clock_mhz = clock_mhz;
      RunOptions options = rig.options();
      options.skip_idle = skip_idle;
      const Result result = run(find_program("bfs"), graph, {}, options);
      expect_same(result, on_cpu(rig, graph), *rig.driver.instance);
      const std::uint64_t steps = result.stats.supersteps.size();
      ASSERT_EQ(steps, 20u);
      const bool waits = skip_idle && clock_mhz == 1;
      const int all = static_cast<int>(steps) * kRuns;
      if (waits) EXPECT_LT(rig.count("start"), all / 2);
      if (waits) EXPECT_LT(result.stats.supersteps.edges(), 20u * 40000 / 2);
      if (!skip_idle) EXPECT_EQ(rig.count("start"), all + kQueued * kUnits);
      // The first two super-steps are planned: of the second it is not known before whether it comes.
      if (!waits) EXPECT_GE(result.stats.supersteps.edges(), 18 * graph.num_edges());
      EXPECT_EQ(rig.count("done"), rig.count("start"));
    }
  }
}

TEST(CardAhead, ASingleStepIsTheLast) {
  Rig rig("spmv", "int32", kUnits);
  const Graph graph = graph_of_partitions();
  const std::vector<std::int32_t> x(320, 3);
  const Arguments arguments = {{"x", array(x)}};
  expect_same(rig.run(graph, arguments), on_cpu(rig, graph, arguments), *rig.driver.instance);
  EXPECT_EQ(rig.count("start"), kRuns);
}

TEST(CardAhead, IsDroppedWhereTheScaleWasTooFine) {
  // A hub of all others: its rank overflows the first scale, and the run begins again with other properties.
  std::vector<std::pair<VertexId, VertexId>> edges;
  for (VertexId v = 1; v < 320; ++v) edges.emplace_back(v, 0);
  const Graph graph = graph_of(320, edges);
  Rig rig("pagerank", "fixed", kUnits);
  const Result result = rig.run(graph, steps(20));
  expect_same(result, on_cpu(rig, graph, steps(20)), *rig.driver.instance);
  EXPECT_EQ(rig.count("done"), rig.count("start"));
}

TEST(CardAhead, FailuresAreToldOrHarmless) {
  const Graph graph = graph_of_partitions();
  for (const bool starts : {true, false}) {
    for (int nth = 1; nth <= 4 * kRuns + 6; ++nth) {
      Rig rig("pagerank", "fixed", kUnits);
      rig.load();
      const Result expected = on_cpu(rig, graph, steps(4, 1e-12));
      (starts ? rig.driver.faults.start : rig.driver.faults.wait) = nth;
      try {
        expect_same(rig.run(graph, steps(4, 1e-12)), expected, *rig.driver.instance);
      } catch (const DeviceError&) {
      }
      rig.driver.faults = {};
      expect_same(rig.run(graph, steps(4, 1e-12)), expected, *rig.driver.instance);
    }
  }
}

TEST(CardAhead, StopsWhereARunIsCancelled) {
  const Graph graph = graph_of_partitions();
  Rig rig("pagerank", "fixed", kUnits);
  RunOptions options = rig.options();
  bool stops = false;
  options.interrupted = [&] { return stops; };
  options.progress = [&](std::uint64_t step, const abi::Superstep&) { stops = step >= 2; };
  EXPECT_THROW(run(find_program("pagerank"), graph, steps(1 << 20), options), Cancelled);
  EXPECT_EQ(rig.count("done"), rig.count("start"));
  expect_same(rig.run(graph, steps(5)), on_cpu(rig, graph, steps(5)), *rig.driver.instance);
}

}  // namespace
}  // namespace testing
}  // namespace gaspipe
