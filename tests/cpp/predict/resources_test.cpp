// SPDX-License-Identifier: Apache-2.0
// Blocks that can be counted by hand, and what fits the boards.
#include "../../../cpp/src/predict/resources.h"

#include <gtest/gtest.h>

#include "gaspipe/boards.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace predict {
namespace {

TEST(Resources, AreCountedInWholeBlocks) {
  EXPECT_EQ(blocks(4096, 8, kUramRows, kUramBits), 1);
  EXPECT_EQ(blocks(4097, 8, kUramRows, kUramBits), 2);
  EXPECT_EQ(blocks(4096, 9, kUramRows, kUramBits), 1);
  EXPECT_EQ(blocks(4096, 10, kUramRows, kUramBits), 2);
  EXPECT_EQ(blocks(0, 8, kUramRows, kUramBits), 0);
}

TEST(Resources, OfAKernelAreItsMemoriesAndDeepStreams) {
  emulator::RunStats stats;
  stats.memories.push_back({"buffer", "gather[0]", 16384, 8, emulator::MemoryKind::kUram});
  stats.memories.push_back({"cache", "fetch", 4096, 8, emulator::MemoryKind::kUram});
  stats.memories.push_back({"burst", "write", 64, 64, emulator::MemoryKind::kBram});
  stats.memories.push_back({"window", "solve", 4, 8, emulator::MemoryKind::kLutram});
  stats.streams.push_back({"deep", 128, 5, 64, 10, 0, 0});
  stats.streams.push_back({"shallow", 32, 5, 64, 10, 0, 0});
  stats.streams.push_back({"unused", 128, 0, 64, 0, 0, 0});
  const Blocks all = blocks_of(stats, 1), half = blocks_of(stats, 0.5);
  EXPECT_EQ(all.uram, 4 + 1);
  EXPECT_EQ(half.uram, 2 + 1);
  EXPECT_EQ(all.bram, 8 + 8);  // 512 bits over 72 are eight blocks side by side
}

TEST(Resources, OfThePublishedDesignFitAsPublished) {
  // X. Chen et al., FPGA 2021: partitions of 2^19 vertices on VCU1525, of 2^20 on U250, four units each.
  EXPECT_EQ(capacity_on(kThunderGp, find_board("vcu1525"), 4, 4, 0), VertexId(1) << 19);
  EXPECT_EQ(capacity_on(kThunderGp, find_board("u250"), 4, 4, 0), VertexId(1) << 20);
  EXPECT_EQ(capacity_on(kThunderGp, find_board("u50"), 8, 4, 0), VertexId(1) << 18) << "four in each of two regions";
  Board unknown = find_board("u50");
  unknown.num_slrs = 0;
  for (Slr& slr : unknown.slr) slr = {0, 0};
  EXPECT_EQ(capacity_on(kThunderGp, unknown, 8, 4, 77), 77u);
}

TEST(Resources, AreRefusedWhereABoardLacksThem) {
  const Board& board = find_board("u250");
  EXPECT_NO_THROW(check_resources(kPacked, board, 4, 4, 1 << 19));
  EXPECT_NO_THROW(check_resources(kPacked, board, 8, 4, 1 << 19)) << "two units of 128 blocks in each region of 320";
  try {
    check_resources(kPacked, board, 12, 4, 1 << 19);
    FAIL();
  } catch (const CapacityError& error) {
    EXPECT_STREQ(error.what(),
                 "a compute unit of configuration \"packed\" with room for 524288 vertices takes 128 blocks of URAM, "
                 "and 12 units are asked for; u250 has room for 8 (regions of 320, 320, 320, 320 blocks); use a "
                 "capacity of at most 262144 or fewer units");
  }
}

}  // namespace
}  // namespace predict
}  // namespace gaspipe
