// SPDX-License-Identifier: Apache-2.0
// The accelerator of blocks that cpp/examples composes, against loops over plain arrays. (GOP-36)
#include "cpp/examples/accelerator.h"

#include <cmath>

#include "gaspipe/error.h"
#include "tests/cpp/testing.h"
#include "tests/hls/block/chain.h"

namespace gaspipe {
namespace {

using block::testing::at_all_depths;

std::vector<float> values_of(VertexId num) {
  std::vector<float> values;
  for (VertexId v = 0; v < num; ++v) values.push_back(static_cast<float>(v * 37 % 101) - 20);
  return values;
}

std::vector<double> plain_averages(const Csr& rows, const std::vector<float>& values) {
  std::vector<double> averages;
  for (VertexId v = 0; v < rows.num_rows; ++v) {
    double weighted = 0, weights = 0;
    for (EdgeCount e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
      const VertexId u = rows.targets[e];
      const double weight = rows.degree(u) == 0 ? 1 : static_cast<double>(rows.degree(u));
      weighted += weight * values[u];
      weights += weight;
    }
    averages.push_back(weighted / weights);  // NaN of none
  }
  return averages;
}

void check(const Csr& rows, const Board& board) {
  const std::vector<float> values = values_of(rows.num_rows);
  const std::vector<double> expected = plain_averages(rows, values);
  const example::AverageRun run = example::run_weighted_average(rows, values, board);
  ASSERT_EQ(run.averages.size(), expected.size());
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (std::isnan(expected[v])) {
      EXPECT_TRUE(std::isnan(run.averages[v])) << v;
    } else {
      EXPECT_NEAR(run.averages[v], expected[v], 1e-3) << v;  // values are up to 80
    }
  }
}

TEST(WeightedAverage, IsThatOfLoopsAtAllDepthsAndInAnyOrderOfReplies) {
  using Sizes = std::vector<std::pair<VertexId, std::size_t>>;
  for (const auto& [num_vertices, num_edges] : Sizes{{1, 0}, {1, 3}, {40, 0}, {300, 2500}}) {
    const Csr rows = testing::csr_of(num_vertices, testing::random_edges(num_vertices, num_edges, num_vertices));
    at_all_depths([&] { check(rows, find_board("u250")); });
    emulator::Options& options = emulator::Engine::current_options();
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      options.disorder = {seed, seed % 2 == 0 ? 9u : 0u, 300};
      check(rows, find_board("u250"));
      options.disorder = {};
    }
  }
}

TEST(WeightedAverage, HasASetLongerThanItsStreams) {
  testing::Edges edges;
  for (VertexId v = 1; v < 4000; ++v) edges.insert(edges.end(), {{0, v}, {v, 0}});
  check(testing::csr_of(4000, edges), find_board("u280"));
}

TEST(WeightedAverage, ReportsBytesAndCyclesOfTheBoard) {
  // A line of 16 neighbors for each of 64 vertices. The loop that adds takes 8 cycles a line.
  testing::Edges edges;
  for (VertexId v = 0; v < 64; ++v) {
    for (VertexId k = 0; k < 16; ++k) edges.push_back({v, (v + k) % 64});
  }
  const Csr rows = testing::csr_of(64, edges);
  const Board& board = find_board("u250");
  const example::AverageRun run = example::run_weighted_average(rows, values_of(64), board);
  // Rows: 65 offsets of 8 bytes; two arrays of 64 lines; 8 lines of averages, complete, so written and not read; the
  // ends: 7 words of 8 bytes.
  EXPECT_EQ(run.num_bytes, 64u * (9 + 64 + 64 + 8 + 1));
  EXPECT_GE(run.cycles, 64u * 8);
  EXPECT_LT(run.cycles, 64u * 8 + 10 * 58);
  EXPECT_DOUBLE_EQ(run.seconds, static_cast<double>(run.cycles) / 250e6);
}

TEST(WeightedAverage, RefusesOtherNumbersOfValues) {
  const Csr rows = testing::csr_of(4, {{0, 1}});
  EXPECT_THROW(example::run_weighted_average(rows, values_of(3), find_board("u250")), InputError);
}

}  // namespace
}  // namespace gaspipe
