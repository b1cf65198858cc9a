// SPDX-License-Identifier: Apache-2.0
// The stream calls of kernels (L1), in and out of a dataflow region.
#include "hls/stream.h"

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using emulator::Engine;
using testing::at_all_depths;

void write_many(stream<int>& out, int num, std::vector<std::uint64_t>& clocks) {
  for (int i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(1);
    write_to_stream(out, i);
    clocks.push_back(Engine::running()->clock);
  }
}
void read_many(stream<int>& in, int num, int wait, std::vector<int>& values) {
  for (int i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(wait);
    int value = -1;
    EXPECT_EQ(read_from_stream(in, value), 0);
    values.push_back(value);
  }
}

TEST(Stream, ReadsInTheOrderOfTheWrites) {
  stream<int> s;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(write_to_stream(s, i), 0);
  int value = -1;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(read_from_stream(s, value), 0);
    EXPECT_EQ(value, i);
  }
  EXPECT_TRUE(s.empty());
}

TEST(Stream, WritesWaitForAPlaceAndReadsForAToken) {
  for (std::uint32_t depth : {1u, 3u, 16u}) {
    std::vector<int> values, expected;
    std::vector<std::uint64_t> clocks;
    emulator::RunStats statistics;
    Engine::statistics() = &statistics;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(int, tokens, depth);
      GASPIPE_TASK(write_many(tokens, 50, clocks));
      GASPIPE_TASK(read_many(tokens, 50, 10, values));
      GASPIPE_RUN;
    }
    Engine::statistics() = nullptr;
    for (int i = 0; i < 50; ++i) expected.push_back(i);
    EXPECT_EQ(values, expected);
    ASSERT_EQ(statistics.streams.size(), 1u);
    EXPECT_EQ(statistics.streams[0].num_tokens, 50u);
    EXPECT_EQ(statistics.streams[0].most, depth);
    EXPECT_GT(statistics.streams[0].writer_waited, 0u);
    // The first `depth` have places at once; then one gets free every 10 cycles, and can be taken one cycle later.
    std::uint64_t clock = 0;
    for (std::uint32_t i = 0; i < 50; ++i) {
      clock = std::max<std::uint64_t>(clock + 1, i < depth ? 0 : 10 * (i - depth + 1) + 1);
      EXPECT_EQ(clocks[i], clock) << i;
    }
  }
}

TEST(Stream, ReadingWhatNobodyWritesIsADeadlockThatNamesTheStream) {
  std::vector<int> values;
  std::vector<std::uint64_t> clocks;
  const auto run = [&] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, scarce, 2);
    GASPIPE_TASK(write_many(scarce, 3, clocks));
    GASPIPE_TASK(read_many(scarce, 4, 1, values));
    GASPIPE_RUN;
  };
  try {
    run();
    FAIL();
  } catch (const emulator::Deadlock& deadlock) {
    EXPECT_NE(std::string(deadlock.what()).find("reads from scarce"), std::string::npos) << deadlock.what();
  }
}

void poll(stream<int>& in, int num, std::vector<int>& polls, std::vector<int>& values) {
  while (static_cast<int>(values.size()) < num) {
    GASPIPE_PIPELINE(1);
    int value = -1;
    polls.push_back(read_from_stream_nb(in, value));
    if (polls.back() == 1) {
      values.push_back(value);
    } else {
      EXPECT_EQ(value, -1);
    }
  }
}
void write_every(stream<int>& out, int num, int cycles) {
  for (int i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(cycles);
    write_to_stream(out, i);
  }
}

TEST(Stream, NonBlockingReadsTellWhetherSomethingIsThereInTheirCycle) {
  stream<int> s;
  int value = 7;
  EXPECT_EQ(read_from_stream_nb(s, value), 0);
  EXPECT_EQ(value, 7);
  s.write(9);
  EXPECT_EQ(read_from_stream_nb(s, value), 1);
  EXPECT_EQ(value, 9);

  at_all_depths([] {
    std::vector<int> polls, values;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(int, tokens, 4);
      GASPIPE_TASK(poll(tokens, 5, polls, values));
      GASPIPE_TASK(write_every(tokens, 5, 3));
      GASPIPE_RUN;
    }
    // Written in cycles 3, 6, ..., there in 4, 7, ...; polls are in 1, 2, ...
    std::vector<int> expected(16, 0);
    for (int i = 0; i < 5; ++i) expected[static_cast<std::size_t>(3 * i + 3)] = 1;
    EXPECT_EQ(polls, expected);
    EXPECT_EQ(values, (std::vector<int>{0, 1, 2, 3, 4}));
  });
}

void clear_task(stream<int>& in) { clear_stream(in); }
void empty_task(stream<int>& in) { empty_stream(in); }

TEST(Stream, ClearingThrowsAwayWhatIsLeft) {
  for (int num : {0, 1, 1000}) {
    stream<int> s;
    for (int i = 0; i < num; ++i) s.write(i);
    EXPECT_EQ(clear_stream(s), 0);
    EXPECT_EQ(s.size(), 0u);
    // Undrained tokens would end the region with an error.
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(int, tokens, 8);
      GASPIPE_TASK(write_every(tokens, num, 1));
      GASPIPE_TASK(clear_task(tokens));
      GASPIPE_RUN;
    }
    EXPECT_GE(Engine::last_cycles(), static_cast<emulator::Cycle>(num + kIdlePollsToClear));
    EXPECT_LE(Engine::last_cycles(), static_cast<emulator::Cycle>(num + kIdlePollsToClear + 3));
  }
}

TEST(Stream, ClearingCountsAllIdlePollsAndEmptyingThoseInARow) {
  // A pause of 5 idle polls before each of 100 tokens: 500 in all are too many for clear_stream, not for empty_stream.
  const auto clear = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, tokens, 8);
    GASPIPE_TASK(write_every(tokens, 100, 6));
    GASPIPE_TASK(clear_task(tokens));
    GASPIPE_RUN;
  };
  EXPECT_THROW(clear(), emulator::DesignError);
  const auto empty = [](int pause) {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, tokens, 8);
    GASPIPE_TASK(write_every(tokens, 20, pause));
    GASPIPE_TASK(empty_task(tokens));
    GASPIPE_RUN;
  };
  EXPECT_NO_THROW(empty(kIdlePollsToEmpty));
  EXPECT_GE(Engine::last_cycles(), static_cast<emulator::Cycle>(21 * kIdlePollsToEmpty));
  EXPECT_THROW(empty(kIdlePollsToEmpty + 100), emulator::DesignError);
}

TEST(Stream, ReadingAnUndeclaredEmptyStreamIsAnErrorInAndOutOfARegion) {
  stream<int> nothing;
  EXPECT_THROW(nothing.read(), emulator::DesignError);
  std::vector<int> values;
  const auto run = [&] {
    GASPIPE_DATAFLOW;
    GASPIPE_TASK(read_many(nothing, 1, 1, values));
    GASPIPE_RUN;
  };
  EXPECT_THROW(run(), emulator::DesignError);
}

TEST(Stream, WhatIsLeftAtTheEndOfARegionIsAnError) {
  const auto run = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, leaks, 8);
    GASPIPE_TASK(write_every(leaks, 3, 1));
    GASPIPE_RUN;
  };
  try {
    run();
    FAIL();
  } catch (const emulator::DesignError& error) {
    EXPECT_NE(std::string(error.what()).find("leaks (3)"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gaspipe
