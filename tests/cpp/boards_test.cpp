// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/boards.h"

#include <gtest/gtest.h>

#include <limits>

#include "gaspipe/error.h"
#include "gaspipe/run.h"

namespace gaspipe {
namespace {

OwnBoard own() {
  OwnBoard board;
  board.name = "mine";
  board.platform = "my_platform";
  board.clocks = {{"bfs", 260}};
  board.board = find_board("u250");
  return board;
}

// What make_board says of a board after `change`.
template <class F>
std::string problem(const F& change) {
  OwnBoard board = own();
  change(board);
  try {
    make_board(board);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Boards, AreFoundByName) {
  EXPECT_STREQ(find_board("vcu1525").name, "vcu1525");
  try {
    find_board("u300");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no board \"u300\"; known are"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("u250"), std::string::npos);
  }
}

TEST(Boards, OfAUserKeepTheirTexts) {
  const std::shared_ptr<const OwnBoard> made = make_board(own());
  EXPECT_STREQ(made->board.name, "mine");
  EXPECT_STREQ(made->board.platform, "my_platform");
  EXPECT_EQ(made->clocks, (Clocks{{"bfs", 260}}));
}

TEST(Boards, HaveTheClocksThatWerePublishedForThem) {
  EXPECT_EQ(published_clocks("u280"), Clocks{});
  for (const char* board : {"u250", "vcu1525"}) {
    Clocks clocks = published_clocks(board);
    EXPECT_EQ(clocks.size(), 7u);
    for (const auto& [algorithm, mhz] : clocks) {
      EXPECT_NO_THROW(find_program(algorithm)) << algorithm;
      EXPECT_NEAR(mhz, 250, 13) << board << " " << algorithm;
    }
  }
}

TEST(Boards, MayLackWhatIsUnknown) {
  EXPECT_EQ(problem([](OwnBoard& b) {
              b.board.memory.peak_bytes_per_second = 0;
              b.board.memory.efficiency = 0;
              b.board.memory.latency_ns = 0;
              b.board.memory.bytes_per_bank = 0;
              b.board.num_slrs = 0;
              b.board.clock_mhz = 0;
              b.board.launch_us = 0;
              b.board.step_us = 0;
            }),
            "");
}

TEST(Boards, CannotBeImpossible) {
  EXPECT_EQ(problem([](OwnBoard& b) { b.name = ""; }), "a board needs a name");
  EXPECT_EQ(problem([](OwnBoard& b) { b.board.memory.num_banks = 0; }),
            "board mine: memory.num_banks is 0; allowed are 1 to 64");
  EXPECT_EQ(problem([](OwnBoard& b) { b.board.memory.efficiency = 1.5; }),
            "board mine: memory.efficiency is 1.5; allowed are 0.01 to 1, or 0 where it is unknown");
  EXPECT_EQ(problem([](OwnBoard& b) { b.board.clock_mhz = -250; }),
            "board mine: clock_mhz is -250 MHz; allowed are 1 to 2000, or 0 where it is unknown");
  EXPECT_EQ(problem([](OwnBoard& b) { b.board.slr[1].num_uram = 0; }),
            "board mine: the URAM of an SLR is 0; allowed are 1 to 1e+06");
  EXPECT_EQ(problem([](OwnBoard& b) { b.board.slr[1].num_luts = 0; }), "") << "unknown";
  EXPECT_EQ(problem([](OwnBoard& b) { b.board.slr[1].num_luts = -1; }),
            "board mine: the number of LUTs of an SLR is -1; allowed are 1 to 1e+08, or 0 where it is unknown");
  EXPECT_EQ(problem([](OwnBoard& b) { b.board.num_slrs = 5; }),
            "board mine: the number of slrs is 5; allowed are 1 to 4, or 0 where it is unknown");
  EXPECT_NE(problem([](OwnBoard& b) { b.board.memory.peak_bytes_per_second = -1; }), "");
  EXPECT_NE(problem([](OwnBoard& b) { b.board.memory.latency_ns = std::numeric_limits<double>::quiet_NaN(); }), "");
  EXPECT_NE(problem([](OwnBoard& b) { b.board.memory.burst_gap_ns = -1; }), "");
  EXPECT_NE(problem([](OwnBoard& b) { b.board.launch_us = 1e9; }), "");
  EXPECT_NE(problem([](OwnBoard& b) { b.clocks = {{"bfs", 0}}; }), "");
}

}  // namespace
}  // namespace gaspipe
