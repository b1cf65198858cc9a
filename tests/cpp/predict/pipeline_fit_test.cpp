// SPDX-License-Identifier: Apache-2.0
// How many pipelines of the designs for HBM a board takes, counted by hand.
#include "../../../cpp/src/predict/pipeline_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gaspipe/boards.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace predict {
namespace {

using Kinds = std::pair<int, int>;  // dense and sparse pipelines

Kinds kinds_on(const Board& board, const TimedNumbers& numbers = {}, bool is_weighted = false) {
  const PipelineShape shape = fit_pipelines("hbm", *find_config("hbm").pipelines, board, numbers, is_weighted);
  return {shape.dense.num_pipelines, shape.sparse.num_pipelines};
}

Board with_regions(const std::vector<Slr>& regions) {
  Board board = find_board("u280");
  board.num_slrs = static_cast<int>(regions.size());
  for (Slr& slr : board.slr) slr = {0, 0};
  for (std::size_t i = 0; i < regions.size(); ++i) board.slr[i] = regions[i];
  return board;
}

std::string refusal(const char* config, const Board& board) {
  try {
    fit_pipelines(config, *find_config(config).pipelines, board, {}, false);
  } catch (const CapacityError& error) {
    return error.what();
  }
  return "";
}

TEST(PipelineFit, TheSparseOnesHaveTheirShareOfTheLargestDesign) {
  const std::vector<Kinds> by_number = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1},  {5, 2}, {6, 2},
                                        {7, 2}, {8, 2}, {9, 2}, {9, 3}, {10, 3}, {11, 3}};
  for (std::size_t i = 0; i < by_number.size(); ++i) {
    const PipelineShape shape = with_pipelines(*find_config("hbm").pipelines, static_cast<int>(i) + 2);
    EXPECT_EQ(Kinds(shape.dense.num_pipelines, shape.sparse.num_pipelines), by_number[i]) << i + 2;
  }
}

TEST(PipelineFit, BoardsTakeAsManyAsTheirRegionsAndChannelsAllow) {
  EXPECT_EQ(kinds_on(find_board("u280")), Kinds(11, 3));
  EXPECT_EQ(kinds_on(find_board("u55c")), Kinds(11, 3));
  EXPECT_EQ(kinds_on(find_board("u50")), Kinds(8, 2)) << "four and one in each region: 288 of 320 blocks, 90 %";
  EXPECT_EQ(kinds_on(find_board("u50"), {8, true, false, true}, true), Kinds(8, 2));
  Board few = find_board("u280");
  few.memory.num_banks = 17;
  EXPECT_EQ(kinds_on(few), Kinds(5, 1)) << "(17 - 4) / 2";
  few.memory.num_banks = 64;
  EXPECT_EQ(kinds_on(few), Kinds(11, 3));
  EXPECT_EQ(kinds_on(with_regions({})), Kinds(11, 3)) << "unknown";
}

TEST(PipelineFit, APipelineLiesInOneRegionThatHasBothKindsOfBlocks) {
  EXPECT_EQ(kinds_on(with_regions({{72, 672}, {72, 672}, {72, 672}, {72, 672}})), Kinds(3, 1));
  // Of BRAM 34 for a dense one, 26 for a sparse one, 8 * (2 * pipelines + 1) for apply.
  EXPECT_EQ(kinds_on(with_regions({{1000, 278}})), Kinds(4, 1)) << "250 of BRAM";
  EXPECT_EQ(kinds_on(with_regions({{1000, 277}})), Kinds(3, 1));
  EXPECT_EQ(kinds_on(with_regions({{1000, 30}, {110, 672}})), Kinds(1, 1)) << "most URAM is where BRAM is short";
}

int luts_of(const char* kernel) { return fabric_of(FabricQuestion{kernel, 16, 16, 4, false, false}).luts; }
const Fabric kApplyOfTwo = fabric_of_apply("apply_parts", 2, 4, false, 0);

TEST(PipelineFit, APipelineLiesInOneRegionThatHasItsLuts) {
  const int dense = luts_of("dense_gather_scatter"), sparse = luts_of("sparse_gather_scatter");
  const int two = dense + sparse + kApplyOfTwo.luts;
  ASSERT_GT(std::min({dense, sparse, kApplyOfTwo.luts}), 0);
  EXPECT_EQ(kinds_on(with_regions({{1000, 2000, two}})), Kinds(1, 1)) << "all of them may be taken";
  EXPECT_NE(refusal("hbm", with_regions({{1000, 2000, two - 1}})), "");
  EXPECT_EQ(kinds_on(with_regions({{1000, 2000, dense}, {900, 2000, sparse + kApplyOfTwo.luts}})), Kinds(1, 1));
  EXPECT_NE(refusal("hbm", with_regions({{1000, 2000, dense - 1}, {900, 2000, two - dense}})), "");
  const Fabric of_three = fabric_of_apply("apply_parts", 3, 4, false, 0);
  EXPECT_EQ(kinds_on(with_regions({{1000, 2000, 2 * dense + sparse + of_three.luts}})), Kinds(2, 1));
  // Of floating-point numbers there is no estimate, so nothing is refused for want of LUTs.
  EXPECT_EQ(kinds_on(with_regions({{1000, 2000, 1}}), {4, true, false, false}), Kinds(11, 3));
}

TEST(PipelineFit, RefusesWhatDoesNotFit) {
  EXPECT_EQ(
      refusal("hbm", with_regions({{71, 672}, {36, 672}})),
      message(
          "config \"hbm\" needs room for 2 pipelines and apply, each in one region. Blocks of URAM, of BRAM, and "
          "LUTs (estimated by yosys, which finds more than Vivado): one takes 64, 34 and about ",
          luts_of("dense_gather_scatter"), ", the other 32, 26 and about ", luts_of("sparse_gather_scatter"),
          ", apply 0, 40 and about ", kApplyOfTwo.luts,
          "; the regions of u280 have 71, 672 and an unknown number; 36, 672 and an unknown number, of whose blocks "
          "90 % may be used; use \"packed\" there, or a board with more (u280)"));
  EXPECT_EQ(
      refusal("hbm", find_board("u250")),
      "config \"hbm\" needs at least 8 pseudo-channels of HBM; u250 has 4 banks of DDR; use \"packed\" there, or a "
      "board with HBM (u280)");
  Board one = find_board("u280");
  one.memory.num_banks = 3;
  EXPECT_EQ(
      refusal("hbm", one),
      "config \"hbm\" needs at least 8 pseudo-channels of HBM, for 2 pipelines and apply; u280 has 3; use \"packed\" "
      "there, or a board with more (u280)");
}

TEST(PipelineFit, APublishedDesignIsWholeOrRefused) {
  EXPECT_EQ(num_pipelines(fit_pipelines("regraph", kReGraph, find_board("u280"), {}, false)), 14);
  EXPECT_NE(refusal("regraph", find_board("u50")).find("takes 896 blocks of URAM; u50 has 640"), std::string::npos);
}

}  // namespace
}  // namespace predict
}  // namespace gaspipe
