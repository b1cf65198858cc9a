// SPDX-License-Identifier: Apache-2.0
// LUTs and BRAM of kernels by hand, from their regions, and what boards have room for.
#include "gaspipe/fabric.h"

#include <gtest/gtest.h>

#include "../../../cpp/src/predict/fabric_fit.h"
#include "gaspipe/boards.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace predict {
namespace {

Fabric of(const char* kernel, int width, bool is_weighted = false, int word_bytes = 4, bool is_floating = false) {
  return gaspipe::fabric_of(FabricQuestion{kernel, width, width, word_bytes, is_weighted, is_floating});
}

TEST(Fabric, BramIsThatOfDeepFifosAndBuffers) {
  // Eight blocks side by side hold words of 512 bits or tokens of a few more, two hold places of 128 bits.
  EXPECT_EQ(of("gather_scatter", 8).bram, 2 + 8 + 8 + 8 + 8) << "places, lines, destinations, words; a burst to write";
  EXPECT_EQ(of("gather_scatter", 8, true).bram, 34 + 8) << "weights";
  EXPECT_EQ(of("packed_gather_scatter", 16).bram, 8 + 2 + 8 + 8) << "edges, places, destinations, lines";
  EXPECT_EQ(of("packed_gather_scatter", 16, true, 8).bram, 26 + 8);
  EXPECT_EQ(of("sparse_gather_scatter", 16).bram, 26);
  EXPECT_EQ(of("dense_gather_scatter", 16).bram, 26 + 8) << "words to write";
  EXPECT_EQ(of("dense_gather_scatter", 16, true).bram, 26 + 8 + 2 * 8) << "two FIFOs of weights";
  // Three FIFOs of ids, runs of 96 bits, lines; two buffers of what is read, one of lines, two of what is written.
  EXPECT_EQ(of("thundergp", 8).bram, 3 * 8 + 2 + 8 + 5 * 8);
  // A FIFO of words for each array read and written, but for the first unit's.
  EXPECT_EQ(fabric_of_apply("apply", 4, 4, false, 0).bram, 8 * (3 + 1 + 4));
  EXPECT_EQ(fabric_of_apply("apply", 4, 4, false, 2).bram, 8 * (3 + 3 + 4));
  EXPECT_EQ(fabric_of_apply("apply_parts", 14, 4, false, 0).bram, 8 * (13 + 1 + 15)) << "one copy is its own";
  EXPECT_EQ(fabric_of_apply("thundergp", 4, 4, false, 0).bram, 8 * (3 + 1 + 4) + 8 * (4 + 1) + 8 * 4);
}

TEST(Fabric, LutsAreThoseOfTheTasksAndShallowFifos) {
  // burstRead twice, four tasks of lines, fetchSources, propProcess, broadcast; four tasks of each PE; collect.
  const int tasks = 2 * 1087 + (1374 + 877 + 120 + 224) + 18177 + 1702 + 554 + 8 * (130 + 2203 + 1607 + 276) + 1431;
  // Bytes of tokens, two bits in a LUT: ids, marked sources, runs, properties; updates to all and to each PE, lists,
  // single ones, values.
  const int bytes = 68 + 80 + 12 + 36 + 9 * 72 + 8 * 80 + 16 * 12 + 8 * 4;
  EXPECT_EQ(of("gather_scatter", 8).luts, tasks + 4 * bytes);
  EXPECT_EQ(of("gather_scatter", 8, true).luts, tasks + 4 * bytes + 1087 + 2969 - 1702) << "weights are read as well";
  // Units' words and merges, properties, apply, copies; FIFOs of 64 bytes: merged for each unit, applied, results.
  const int apply = 5 * 61 + 3 * 925 + 4373 + 579 + 4 * 61 + 560;
  EXPECT_EQ(fabric_of_apply("apply", 4, 4, false, 0).luts, apply + 4 * 64 * (4 + 1 + 1));
}

TEST(Fabric, LutsAreNotEstimatedWhereATaskIsNotMeasured) {
  EXPECT_EQ(of("thundergp", 8).luts, 0);
  EXPECT_EQ(of("packed_gather_scatter", 16, false, 4, true).luts, 0) << "floating point";
  EXPECT_EQ(of("gather_scatter", 8, false, 64).luts, 0);
  EXPECT_EQ(of("gather_scatter", 16, false, 8).luts, 0) << "not shuffled in that width";
  EXPECT_EQ(fabric_of_apply("apply", 4, 64, false, 0).luts, 0);
  const FabricQuestion few = {"packed_gather_scatter", 16, 8, 4, false, false};
  EXPECT_EQ(gaspipe::fabric_of(few).luts, 0);
  EXPECT_EQ(gaspipe::fabric_of(few).bram, 26);
  EXPECT_GT(of("gather_scatter", 8, true, 8).luts, 0);
  EXPECT_GT(of("packed_gather_scatter", 16, true, 8).luts, 0);
  EXPECT_GT(of("sparse_gather_scatter", 16, true, 8).luts, 0);
  EXPECT_GT(of("dense_gather_scatter", 16, true, 8).luts, 0);
  EXPECT_THROW(of("no_kernel", 8), InputError);
}

Board with_region(int uram, int bram, int luts, int num) {
  Board board = find_board("u250");
  board.name = "mine";
  board.num_slrs = num;
  for (int i = 0; i < kMostSlrs; ++i) board.slr[i] = i < num ? Slr{uram, bram, luts} : Slr{0, 0, 0};
  return board;
}

TEST(FabricFit, ARegionHasRoomForWholeUnitsAndForApply) {
  const ConfigFabric fabric = {{1000, 30}, {500, 20}};
  const auto is_refused = [&](const Board& board, int units) {
    try {
      check_fabric(kPacked, board, units, 10, fabric);
    } catch (const CapacityError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(is_refused(with_region(40, 80, 2500, 2), 4)) << "two units and apply in each";
  EXPECT_TRUE(is_refused(with_region(40, 80, 2500, 2), 5)) << "a third needs 90 blocks and 3,000 LUTs";
  EXPECT_TRUE(is_refused(with_region(40, 79, 2500, 2), 4)) << "no BRAM for apply";
  EXPECT_TRUE(is_refused(with_region(40, 80, 2499, 2), 4)) << "no LUTs for apply";
  EXPECT_TRUE(is_refused(with_region(40, 59, 9999, 2), 4)) << "no BRAM for two units";
  EXPECT_TRUE(is_refused(with_region(19, 99, 9999, 2), 4)) << "no URAM for two units";
  EXPECT_FALSE(is_refused(with_region(40, 80, 0, 2), 4)) << "LUTs of the board unknown";
  EXPECT_FALSE(is_refused(with_region(1, 1, 1, 0), 99)) << "regions unknown";
}

TEST(FabricFit, ARefusalSaysWhatIsTakenAndWhatThereIs) {
  try {
    check_fabric(kPacked, with_region(320, 500, 1700, 2), 4, 10, {{1000, 30}, {500, 20}});
    FAIL();
  } catch (const CapacityError& error) {
    EXPECT_STREQ(error.what(),
                 "a compute unit of configuration \"packed\" takes 30 blocks of BRAM and about 1000 LUTs, apply 20 "
                 "blocks of BRAM and about 500 LUTs, each in one region; 4 units are asked for, and mine has room for "
                 "2; its regions have blocks and LUTs: 500 and 1700, 500 and 1700; use fewer units, another "
                 "configuration or a board with more. LUTs are an estimate by yosys, which finds more than Vivado: a "
                 "board whose LUTs are left out is not checked for them");
  }
  try {
    check_fabric(kPacked, with_region(320, 30, 0, 1), 1, 10, {{0, 30}, {0, 20}});
    FAIL();
  } catch (const CapacityError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("takes 30 blocks of BRAM (LUTs are not estimated), apply 20 blocks of BRAM (LUTs are not "
                        "estimated), each in one region; 1 unit is asked for, and mine has room for 1 without apply; "
                        "its regions have blocks and LUTs: 30 and an unknown number; use"),
              std::string::npos)
        << error.what();
  }
}

TEST(FabricFit, NoBoardOfOursRefusesWhatItsUramTakes) {
  for (const KernelConfig* config : {&kPlain, &kPacked, &kThunderGp}) {
    for (const Board* board : boards()) {
      const int units = board->memory.kind == MemoryKind::kDdr ? 4 : 8;
      const VertexId capacity = 1 << 16;
      EXPECT_NO_THROW(check_fabric(*config, *board, units, config->uram(capacity, 4),
                                   predict::fabric_of(*config, {}, true, units, 2)))
          << config->description.name << " " << board->name;
    }
  }
}

}  // namespace
}  // namespace predict
}  // namespace gaspipe
