// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/cpp/schedule/schedulers.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// Cycles by hand: 2 for each of the 4 words of edges, 2 for every 16 sources, 8 for the 64 vertices of the range.
TEST(EqualCycles, EvensOutTheUnitsOverAllPartitions) {
  const auto partitioning = partitioning_of(
      {
          {{0, 15, 64}, {16, 47, 64}},  // 18 and 20
          {{0, 15, 64}, {16, 47, 64}},  // 18 and 20
          {{0, 15, 64}, {16, 63, 64}},  // 18 and 22
      },
      192);
  const Schedule schedule = make_schedule(make_scheduler("equal_cycles"), *partitioning);
  // The last is the most uneven and goes first: 22 to unit 0, then 20 and 20 to unit 1, which makes 58 and 58.
  EXPECT_EQ(schedule.units, (std::vector<Ids>{{0, 1}, {0, 1}, {1, 0}}));
  EXPECT_EQ(schedule.partitions, (Ids{2, 0, 1}));
}

TEST(EqualCycles, CountsOnlyLinesThatHaveASource) {
  // 17 edges over 1,600 sources, but in two lines, are shorter than 17 over three lines that lie together.
  Edges edges;
  for (VertexId i = 0; i < 17; ++i) edges.emplace_back(i < 9 ? 0 : 1600, i);
  for (VertexId i = 0; i < 17; ++i) edges.emplace_back(1616 + 2 * i, i);
  const Graph graph = graph_of(2048, edges);
  Workers workers(1);
  const auto partitioning = graph.partition(View::kForward, {64, 2, "equal"}, abi::kNone, workers);
  EXPECT_EQ(make_schedule(make_scheduler("equal_cycles"), *partitioning).units[0], (Ids{1, 0}));
}

TEST(EqualCycles, TakesPartitionsWithoutEdges) {
  const Graph graph = graph_of(200, {{3, 5}});
  Workers workers(1);
  const auto partitioning = graph.partition(View::kForward, {64, 3, "equal"}, abi::kNone, workers);
  for (const char* name : {"equal_cycles", "longest_first"}) {
    EXPECT_EQ(make_schedule(make_scheduler(name), *partitioning).partitions, (Ids{0, 1, 2, 3})) << name;
  }
}

// Every partition has a sub-partition whose sources share a few lines of properties, and one with as many edges from
// all over. In order the second unit gets all of those.
TEST(EqualCycles, SavesTheCyclesThatItPredicts) {
  Edges edges;
  for (VertexId p = 0; p < 4; ++p) {
    for (VertexId i = 0; i < 4096; ++i) edges.emplace_back(i / 16, 4096 * p + i * 7 % 4096);
    for (VertexId i = 0; i < 4096; ++i) edges.emplace_back(256 + i * 16127ull / 4095, 4096 * p + i * 7 % 4096);
  }
  const Graph graph = graph_of(16384, edges);
  const Graph almost_empty = graph_of(16384, {{0, 0}});
  const auto cycles = [&](const Graph& asked, const char* scheduler) {
    RunOptions options = gas(4096, 2);
    options.device = "emulator:u250";
    options.scheduler = scheduler;
    options.number = "fixed";  // words of 32 bits, an update a cycle
    Running running(find_program("pagerank"), asked, {{"max_iter", std::int64_t(1)}, {"tol", 0.0}}, options);
    while (running.step()) continue;
    double units[2] = {0, 0}, apply = 0;
    for (const KernelTime& time : running.kernel_times()) {
      (time.unit == kApplyUnit ? apply : units[time.unit]) += static_cast<double>(time.cycles);
    }
    return std::max(units[0], units[1]) + apply;
  };
  // Applying takes as long with one edge; then gathering is four times the range of 4096, cleared and sent.
  const double rest = cycles(almost_empty, "in_order") - 4 * (512 + 512);
  const double in_order = cycles(graph, "in_order") - rest, equal = cycles(graph, "equal_cycles") - rest;
  const double shorter = 2 * 256 + 2 * 16 + 512, longer = 2 * 256 + 2 * 1008 + 512;
  EXPECT_NEAR(in_order, 4 * longer, 0.15 * 4 * longer);
  EXPECT_NEAR(equal, 2 * (longer + shorter), 0.15 * 2 * (longer + shorter));
}

}  // namespace
}  // namespace gaspipe
