// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/cpp/schedule/schedulers.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// Of equally many edges those over more sources take longer: 0.26 ns a source. By hand, in ns above what all have
// (309,600 and 0.6971 each for 16 edges): spans of 0, 100 and 1000 give 0, 26.5 and 264.8.
TEST(LongestFirst, GivesTheLongestToTheUnitWithTheLeast) {
  const auto partitioning = partitioning_of(
      {
          {{0, 100, 16}, {101, 1101, 16}, {1102, 1102, 16}},    // to units 1, 0, 2: 264.8, 26.5, 0
          {{0, 1000, 16}, {1001, 1101, 16}, {1102, 1102, 16}},  // longest to 2, then 1, then 0: 264.8, 53.0, 264.8
          {{0, 0, 16}, {1, 101, 16}, {102, 1102, 16}},          // longest to 1; 0 and 2 are equal, 0 comes first
      },
      2000);
  const Schedule schedule = make_schedule(make_scheduler("longest_first"), *partitioning);
  EXPECT_EQ(schedule.units[0], (Ids{1, 0, 2}));
  EXPECT_EQ(schedule.units[1], (Ids{2, 1, 0}));
  EXPECT_EQ(schedule.units[2], (Ids{2, 0, 1}));
}

TEST(LongestFirst, RunsPartitionsWithMoreEdgesFirst) {
  const auto partitioning = partitioning_of(
      {{{0, 9, 10}, {10, 19, 10}}, {{0, 9, 30}, {10, 19, 30}}, {{0, 9, 10}, {10, 19, 10}}, {{0, 9, 40}, {10, 19, 40}}},
      256);
  const Schedule schedule = make_schedule(make_scheduler("longest_first"), *partitioning);
  EXPECT_EQ(schedule.partitions, (Ids{3, 1, 0, 2}));
}

// The square of the span counts. Sub-partitions of two edges over 12, 7, 7 and 1 million sources, beside one over a
// single source each, take 9.2, 3.9, 3.9 and 0.3 ms above what all take. The first goes to unit 0, the next two to unit
// 1, and so does the last: 7.8 < 9.2. By the linear terms alone it would not: 14 > 12.
TEST(LongestFirst, CountsTheTermsOfSecondOrder) {
  constexpr VertexId kMany = 1 << 24, kCapacity = kMany / 4;
  Edges edges;
  const VertexId spans[] = {12000000, 7000000, 7000000, 1000000};
  for (VertexId p = 0; p < 4; ++p) {
    for (const VertexId source : {0u, spans[p], spans[p], spans[p]}) edges.emplace_back(source, p * kCapacity);
  }
  const Graph graph = graph_of(kMany, edges);
  Workers workers(1);
  const auto partitioning = graph.partition(View::kForward, {kCapacity, 2, "equal"}, abi::kNone, workers);
  const Schedule schedule = make_schedule(make_scheduler("longest_first"), *partitioning);
  EXPECT_EQ(schedule.units, (std::vector<Ids>{{0, 1}, {1, 0}, {1, 0}, {1, 0}}));
}

// One edge more is 0.6971 ns, a source more 0.2648. Units 0 and 1 have, in ns, 1.39 and 0.70 after the first partition,
// 2.79 and 2.89 after the second; so the longest of the third goes to unit 0.
TEST(LongestFirst, WeighsEdgesAgainstSources) {
  const auto partitioning =
      partitioning_of({{{0, 0, 2}, {1, 1, 1}}, {{0, 3, 2}, {4, 4, 2}}, {{0, 5, 2}, {6, 6, 2}}}, 192);
  const Schedule schedule = make_schedule(make_scheduler("longest_first"), *partitioning);
  EXPECT_EQ(schedule.units, (std::vector<Ids>{{0, 1}, {1, 0}, {0, 1}}));
}

// A source more is 0.2648 ns and nothing beside: unit 0 is 0.6971 ahead by an edge, 0.43 and 0.17 after one source more
// for unit 1 each, and 0.10 behind after the third.
TEST(LongestFirst, WeighsASourceAtLessThanAnEdge) {
  const auto partitioning = partitioning_of({{{0, 0, 2}, {1, 1, 1}},
                                             {{0, 1, 2}, {2, 2, 2}},
                                             {{0, 1, 2}, {2, 2, 2}},
                                             {{0, 1, 2}, {2, 2, 2}},
                                             {{0, 1, 2}, {2, 2, 2}}},
                                            320);
  const Schedule schedule = make_schedule(make_scheduler("longest_first"), *partitioning);
  EXPECT_EQ(schedule.units, (std::vector<Ids>{{0, 1}, {1, 0}, {1, 0}, {1, 0}, {0, 1}}));
}

// The product of edges and span counts less: 10,000 edges over 12 million sources take 1,291 ns less for it. So unit 0
// has less than unit 1, which took 2 edges over 900 sources fewer: that is 1,143 ns less by the terms of the span.
TEST(LongestFirst, CountsTheProductOfEdgesAndSpan) {
  constexpr VertexId kMany = 1 << 24, kCapacity = kMany / 4, kSpan = 12000000;
  Edges edges(10000, {0, 0});
  edges.back().first = kSpan;
  edges.insert(edges.end(), 10000, {kSpan, 0});
  for (VertexId p = 1; p < 3; ++p) {
    for (const VertexId source : {0u, kSpan - 900, kSpan - 900, kSpan - 900}) edges.emplace_back(source, p * kCapacity);
  }
  const Graph graph = graph_of(kMany, edges);
  Workers workers(1);
  const auto partitioning = graph.partition(View::kForward, {kCapacity, 2, "equal"}, abi::kNone, workers);
  const auto units = make_schedule(make_scheduler("longest_first"), *partitioning).units;
  EXPECT_EQ(std::vector<Ids>(units.begin(), units.begin() + 3), (std::vector<Ids>{{0, 1}, {1, 0}, {0, 1}}));
}

}  // namespace
}  // namespace gaspipe
