// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

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

// Estimates and units as the comments of equal_cycles.cpp and assign.h have them, by plain loops over the edges.
struct Plain {
  std::vector<Ids> units;
  Ids partitions;
};
// Positions by what they have, the largest first, of equal ones the first.
Ids by_size(std::vector<double> sizes) {
  Ids order;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto most = std::max_element(sizes.begin(), sizes.end());
    order.push_back(static_cast<std::uint32_t>(most - sizes.begin()));
    *most = -INFINITY;
  }
  return order;
}
Plain schedule_plainly(const Partitioning& all) {
  std::vector<std::vector<double>> costs;
  std::vector<double> spreads, longest;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const Partition part = all.get_partition(static_cast<std::int64_t>(p));
    const double range = (part.last_vertex() - part.first_vertex() + 7) / 8;
    costs.emplace_back();
    for (std::size_t i = 0; i < part.size(); ++i) {
      const SubPartition sub = part.get_sub_partition(static_cast<std::int64_t>(i));
      const auto encoded = sub.encode();
      std::set<VertexId> lines;
      for (std::size_t e = 0; e < sub.num_edges(); ++e) lines.insert(encoded.sources[e] / 16);
      const double streamed = 2.0 * (encoded.sources.size() / 16) + 2.0 * lines.size();
      costs[p].push_back(std::max(range, streamed) + range);
    }
    longest.push_back(*std::max_element(costs[p].begin(), costs[p].end()));
    spreads.push_back(longest[p] - *std::min_element(costs[p].begin(), costs[p].end()));
  }
  Plain plain;
  plain.units.resize(all.size());
  std::vector<double> sums(costs[0].size(), 0);
  for (const std::uint32_t p : by_size(spreads)) {
    const std::vector<double> before = sums;
    std::vector<double> room;
    for (const double sum : before) room.push_back(-sum);
    const Ids subs = by_size(costs[p]), units = by_size(room);
    plain.units[p].resize(subs.size());
    for (std::size_t i = 0; i < subs.size(); ++i) {
      plain.units[p][subs[i]] = units[i];
      sums[units[i]] += costs[p][subs[i]];
    }
  }
  plain.partitions = by_size(longest);
  return plain;
}
TEST(EqualCycles, AreThoseOfAPlainLoopOverTheEdges) {
  std::mt19937 random(83);
  for (int round = 0; round < 200; ++round) {
    // Few sources or many, edges of one source that a cut divides, a last partition that is smaller.
    const VertexId num_vertices = 20 + random() % 300, capacity = 8 + random() % 120;
    const VertexId num_sources = 1 + random() % num_vertices;
    Edges edges(1 + random() % 400);
    for (auto& [source, target] : edges) {
      source = random() % 3 == 0 ? 0 : random() % num_sources;
      target = random() % 2 == 0 ? random() % num_vertices : random() % 10;
    }
    const Graph graph = graph_of(num_vertices, edges);
    Workers workers(1);
    const std::uint32_t units = 2 + random() % 6;
    for (const char* cut : {"equal", "balanced"}) {
      const auto partitioning = graph.partition(View::kForward, {capacity, units, cut}, abi::kNone, workers);
      const Schedule schedule = make_schedule(make_scheduler("equal_cycles"), *partitioning);
      const Plain plain = schedule_plainly(*partitioning);
      ASSERT_EQ(schedule.units, plain.units) << round << ", " << cut;
      ASSERT_EQ(schedule.partitions, plain.partitions) << round << ", " << cut;
    }
  }
}

// More units than edges: what a unit without edges begins inside of is not counted.
TEST(EqualCycles, CountNoLineForAUnitWithoutEdges) {
  const Graph graph = graph_of(8, {{0, 1}, {0, 2}, {0, 3}});
  Workers workers(1);
  const auto partitioning = graph.partition(View::kForward, {8, 16, "balanced"}, abi::kNone, workers);
  const Plain plain = schedule_plainly(*partitioning);
  EXPECT_EQ(make_schedule(make_scheduler("equal_cycles"), *partitioning).units, plain.units);
  EXPECT_EQ(plain.units[0], (Ids{3, 4, 5, 6, 7, 0, 8, 9, 10, 11, 1, 12, 13, 14, 15, 2}));
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
