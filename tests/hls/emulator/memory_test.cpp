// SPDX-License-Identifier: Apache-2.0
#include "hls/emulator/memory.h"

#include <gtest/gtest.h>

#include "hls/stream.h"
#include "hls/word.h"

namespace gaspipe {
namespace emulator {
namespace {

using Line = Word<std::uint32_t>;

// The map that this thread sees while it lives.
struct InUse {
  explicit InUse(MemoryMap& map) { MemoryMap::current() = &map; }
  ~InUse() { MemoryMap::current() = nullptr; }
};

// A loop over words [first, last), a word per cycle, and when it ended.
template <bool writes>
void touch(const Line* memory, std::uint64_t first, std::uint64_t last, Cycle* ended) {
  Port<Line, writes> port(memory);
  for (std::uint64_t i = first; i < last; ++i) {
    tick(1);
    port.word(i, last);
  }
  *ended = Engine::running()->clock;
}
constexpr auto& reads = touch<false>;
constexpr auto& writes = touch<true>;

struct Memory : ::testing::Test {
  std::vector<Line> lines = std::vector<Line>(8192), others = std::vector<Line>(8192);
  MemoryMap map;

  explicit Memory(const ChannelConfig& config = {}) : map({Channel(config), Channel(config)}) {
    map.add("lines", lines.data(), lines.size() * sizeof(Line), 0, true);
    map.add("others", others.data(), others.size() * sizeof(Line), 1, false);
  }
  static ChannelConfig with(double bytes_per_cycle, std::uint32_t latency, std::uint32_t gap = 0,
                            std::uint32_t penalty = 0) {
    ChannelConfig config;
    config.bytes_per_cycle = bytes_per_cycle;
    config.latency = latency;
    config.burst_gap = gap;
    config.switch_penalty = penalty;
    return config;
  }
  // Cycles of one loop of `touch` on a channel of its own.
  Cycle alone(const ChannelConfig& config, void (&loop)(const Line*, std::uint64_t, std::uint64_t, Cycle*),
              std::uint64_t first, std::uint64_t last) {
    MemoryMap own({Channel(config)});
    own.add("lines", lines.data(), lines.size() * sizeof(Line), 0, true);
    const InUse in_use(own);
    Cycle ended = 0;
    Engine engine;
    engine.add_task("loop", [&] { loop(lines.data(), first, last, &ended); });
    engine.run();
    return ended;
  }
  std::string message(const Line* memory, bool write, std::uint64_t first, std::uint64_t last) {
    const InUse in_use(map);
    Engine engine;
    engine.add_task("loop", [&] {
      Cycle ended;
      (write ? writes : reads)(memory, first, last, &ended);
    });
    try {
      engine.run();
    } catch (const DesignError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Memory, IsReadAtAWordPerCycleAfterTheLatency) {
  // Asked for in cycle 1. A fifth burst is asked for in the cycle after the first one's last word, so that three bursts
  // of 64 words cover a latency of 191.
  for (std::uint32_t latency : {0u, 1u, 64u, 191u}) {
    for (std::uint64_t n : {1u, 63u, 64u, 65u, 256u, 1000u, 8192u}) {
      EXPECT_EQ(alone(with(64, latency), reads, 0, n), 1 + latency + n) << latency << " " << n;
    }
  }
}
TEST_F(Memory, IsReadSlowerWhereTooFewBurstsAreUnderWay) {
  // 32 rounds of four bursts; a round begins a cycle after the last word of the first burst of the one before.
  EXPECT_EQ(alone(with(64, 1000), reads, 0, 8192), 1 + 31 * (1000 + 64 + 1) + 1000 + 4 * 64u);
}
TEST_F(Memory, IsReadAndWrittenNoFasterThanTheChannel) {
  for (const double bytes : {32.0, 16.0, 19.2, 12.8}) {
    const double words = 4096 * 64 / bytes;
    EXPECT_NEAR(static_cast<double>(alone(with(bytes, 40), reads, 0, 4096)), 41 + words, 1) << bytes;
    // Writing starts when the first burst is complete, in cycle 64, and ends with the last answer.
    EXPECT_NEAR(static_cast<double>(alone(with(bytes, 40), writes, 0, 4096)), 64 + words + 40, 1) << bytes;
  }
}
TEST_F(Memory, LosesCyclesBetweenBursts) {
  // From 100 on: 28 words to the 4 KB border, then 13 whole bursts and 40 words: 15 bursts, 14 gaps.
  EXPECT_EQ(alone(with(64, 20, 7), reads, 100, 1000), 1 + 20 + 900 + 14 * 7u);
}
TEST_F(Memory, IsWrittenAtAWordPerCycle) {
  EXPECT_EQ(alone(with(64, 64), writes, 0, 1000), 64 + 1000 + 64u) << "sent from cycle 64 on, then answered";
  EXPECT_EQ(alone(with(64, 0), writes, 0, 1), 1 + 0 + 1u);
}
TEST_F(Memory, IsSharedFairly) {
  MemoryMap shared({Channel(with(64, 50))});
  shared.add("lines", lines.data(), lines.size() * sizeof(Line), 0, true);
  shared.add("others", others.data(), others.size() * sizeof(Line), 0, false);
  const InUse in_use(shared);
  Cycle ended[2] = {};
  Engine engine;
  engine.add_task("a", [&] { reads(lines.data(), 0, 4096, &ended[0]); });
  engine.add_task("b", [&] { reads(others.data(), 0, 4096, &ended[1]); });
  engine.run();
  EXPECT_EQ(std::max(ended[0], ended[1]), 1 + 50 + 2 * 4096u) << "the channel is never idle";
  EXPECT_GE(std::min(ended[0], ended[1]), 2 * 4096u - 4 * 64) << "neither is ahead by more than its bursts under way";
  EXPECT_EQ(shared.channel(0).num_bytes(), 2 * 4096 * 64.0);
  EXPECT_EQ(shared.channel(0).busy_cycles(), 2 * 4096.0);
}
TEST_F(Memory, InOtherBanksIsNotShared) {
  const InUse in_use(map);
  Cycle ended[2] = {};
  Engine engine;
  engine.add_task("a", [&] { reads(lines.data(), 0, 4096, &ended[0]); });
  engine.add_task("b", [&] { reads(others.data(), 0, 4096, &ended[1]); });
  engine.run();
  EXPECT_EQ(ended[0], 1 + 64 + 4096u);
  EXPECT_EQ(ended[1], 1 + 64 + 4096u);
}
TEST_F(Memory, ChargesForTurningFromPortToPort) {
  MemoryMap shared({Channel(with(64, 10, 0, 5))});
  shared.add("lines", lines.data(), lines.size() * sizeof(Line), 0, true);
  shared.add("others", others.data(), others.size() * sizeof(Line), 0, true);
  const InUse in_use(shared);
  Cycle ended[2] = {};
  Engine engine;
  engine.add_task("a", [&] { reads(lines.data(), 0, 64, &ended[0]); });
  engine.add_task("b", [&] {
    tick(20);  // asks in cycle 21, while the first burst moves
    reads(others.data(), 0, 64, &ended[1]);
  });
  engine.run();
  EXPECT_EQ(ended[0], 1 + 5 + 10 + 64u);
  EXPECT_EQ(ended[1], 1 + 5 + 64 + 5 + 10 + 64u);
}
TEST_F(Memory, ChargesGapsAndTurnsOfSeveralPorts) {
  // Two bursts of each of three ports, of which two read and one writes: 64 cycles, a gap of 3 after each, 5 before one
  // of another port. The readers ask for both of theirs in cycle 1, the first task first; the writer for its first when
  // 64 words are there, in cycle 64, and for its second in cycle 128: both find the channel taken.
  MemoryMap shared({Channel(with(64, 10, 3, 5))});
  std::vector<Line> written(128);
  shared.add("lines", lines.data(), lines.size() * sizeof(Line), 0, true);
  shared.add("others", others.data(), others.size() * sizeof(Line), 0, true);
  shared.add("written", written.data(), written.size() * sizeof(Line), 0, true);
  const InUse in_use(shared);
  Cycle ended[3] = {};
  Engine engine;
  engine.add_task("a", [&] { reads(lines.data(), 0, 128, &ended[0]); });
  engine.add_task("b", [&] { reads(others.data(), 0, 128, &ended[1]); });
  engine.add_task("c", [&] { writes(written.data(), 0, 128, &ended[2]); });
  engine.run();
  const Cycle burst = 64 + 3;
  const Cycle a = 1 + 5, b = a + 2 * burst + 5, c = b + 2 * burst + 5;  // when their first bursts begin
  EXPECT_EQ(ended[0], a + burst + 10 + 64);
  EXPECT_EQ(ended[1], b + burst + 10 + 64);
  EXPECT_EQ(ended[2], c + burst + 10 + 64);
  EXPECT_EQ(shared.channel(0).busy_cycles(), 6 * 64.0);
  EXPECT_EQ(shared.use("lines").last_done, ended[0]);
  EXPECT_EQ(shared.use("written").last_done, ended[2]);
}
TEST_F(Memory, SaysHowLongTasksWaitForIt) {
  const InUse in_use(map);
  RunStats stats;
  Engine::statistics() = &stats;
  {
    Engine engine;
    Cycle ended = 0;
    engine.add_task("reads", [&] { reads(lines.data(), 0, 1000, &ended); });
    engine.add_task("writes", [&] {
      tick(5000);
      writes(lines.data(), 64, 164, &ended);
    });
    engine.run();
  }
  Engine::statistics() = nullptr;
  ASSERT_EQ(stats.tasks.size(), 2u);
  EXPECT_EQ(stats.tasks[0].name, "reads");
  EXPECT_EQ(stats.tasks[0].finish, 1 + 64 + 1000u);
  EXPECT_EQ(stats.tasks[0].busy(), 1000u);
  EXPECT_EQ(stats.tasks[0].waited_memory, 65u);
  // The first burst is sent in cycle 5064, the second, of 36 words, in 5100, but moves from 5128 on.
  EXPECT_EQ(stats.tasks[1].finish, 5064 + 64 + 36 + 64u);
  EXPECT_EQ(stats.tasks[1].busy(), 5100u);
  EXPECT_EQ(stats.tasks[1].waited_in + stats.tasks[1].waited_out, 0u);
}
TEST_F(Memory, KnowsWhenABufferOrAPartOfItWasComplete) {
  const std::size_t half = map.add_part(lines.data() + 128, 128 * sizeof(Line));
  const std::size_t rest = map.add_part(lines.data() + 256, 64 * sizeof(Line));
  const InUse in_use(map);
  Cycle ended[2] = {};
  Engine engine;
  engine.add_task("writes", [&] { writes(lines.data(), 64, 320, &ended[0]); });
  engine.add_task("reads", [&] { reads(others.data(), 0, 10, &ended[1]); });
  engine.run();
  // Bursts of 64 words are sent in cycles 64, 128, 192 and 256, done 64 words and the latency of 64 later.
  EXPECT_EQ(map.use_of_part(half).last_done, 192 + 64 + 64u);
  EXPECT_EQ(map.use_of_part(rest).last_done, 256 + 64 + 64u);
  EXPECT_EQ(map.use("lines").last_done, ended[0]);
  EXPECT_EQ(map.use("lines").bytes_written, 256 * 64.0);
  EXPECT_EQ(map.use("lines").bytes_read, 0.0);
  EXPECT_EQ(map.use_of_part(half).bytes_written, 128 * 64.0);
  EXPECT_EQ(map.use("others").bytes_read, 10 * 64.0);
  EXPECT_EQ(map.use("others").last_done, ended[1]);
  EXPECT_THROW(map.use("none"), DesignError);
}
TEST_F(Memory, OfALoopThatStartsElsewhereIsAskedForAnew) {
  MemoryMap own({Channel(with(64, 30))});
  own.add("lines", lines.data(), lines.size() * sizeof(Line), 0, true);
  const InUse in_use(own);
  Engine engine;
  engine.add_task("loop", [&] {
    Port<Line, false> port(lines.data());
    for (std::uint64_t first : {1000u, 10u, 5000u}) {
      for (std::uint64_t i = first; i < first + 20; ++i) {
        tick(1);
        port.word(i, first + 20);
      }
    }
  });
  engine.run();
  // 1000 to 1020 and 5000 to 5020 are two bursts each, of which the second is under way.
  EXPECT_EQ(engine.cycles(), 3 * (1 + 30 + 20u));
}
TEST_F(Memory, EndsADesignThatTouchesWhatIsNotItsBuffer) {
  EXPECT_EQ(message(lines.data(), false, 0, 8192), "");
  EXPECT_EQ(message(lines.data(), true, 8191, 8192), "");
  EXPECT_EQ(message(lines.data(), false, 0, 8193), "loop: a port reads word 0 of 8193 of buffer lines, which has 8192");
  EXPECT_EQ(message(lines.data() + 8000, true, 5, 193),
            "loop: a port writes word 5 of 193 of buffer lines, which has 192");
  EXPECT_EQ(message(others.data(), true, 0, 1),
            "loop: a port writes word 0 of 1 of buffer others, which may only be read");
  const Line stray{};
  EXPECT_EQ(message(&stray, false, 0, 1), "loop: a port reads word 0 of 1 where there is no buffer");
}
TEST_F(Memory, TellsWhoeverWatchesWhatIsReadAndWritten) {
  struct Access {
    const void* data;
    std::size_t num_bytes;
    bool writes;
  };
  std::vector<Access> seen;
  map.watch([&](const void* data, std::size_t num_bytes, bool writes) -> std::string {
    seen.push_back({data, num_bytes, writes});
    return data == &lines[20] ? "which the test forbids" : "";
  });
  EXPECT_EQ(message(lines.data(), false, 3, 5), "");
  EXPECT_EQ(message(&lines[10], true, 1, 2), "");
  EXPECT_EQ(message(lines.data(), false, 20, 21),
            "loop: a port reads word 20 of 21 of buffer lines, which the test forbids");
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].data, &lines[3]);
  EXPECT_EQ(seen[0].num_bytes, 2 * sizeof(Line));
  EXPECT_FALSE(seen[0].writes);
  EXPECT_EQ(seen[1].data, &lines[11]);
  EXPECT_EQ(seen[1].num_bytes, sizeof(Line));
  EXPECT_TRUE(seen[1].writes);
}
TEST_F(Memory, EndsADesignThatGoesPastItsOwnLoop) {
  const InUse in_use(map);
  Engine engine;
  engine.add_task("loop", [&] {
    Port<Line, false> port(lines.data());
    for (std::uint64_t i = 0; i <= 10; ++i) port.word(i, 10);
  });
  try {
    engine.run();
    FAIL();
  } catch (const DesignError& error) {
    EXPECT_STREQ(error.what(), "loop: a port reads word 10 of 10 of buffer lines, past the end of its own loop");
  }
}
TEST_F(Memory, ChecksPortsOutsideOfRegionsToo) {
  const InUse in_use(map);
  Port<Line, false> port(lines.data());
  EXPECT_NO_THROW(port.word(0, 8192));
  EXPECT_THROW(port.word(0, 8193), DesignError);
}
TEST_F(Memory, MapsNoBufferTwiceNorOutsideOfItsBanks) {
  EXPECT_THROW(map.add("x", this, 8, 2, true), DesignError);
  EXPECT_THROW(map.add("x", lines.data() + 1, 64, 0, true), DesignError);
  EXPECT_THROW(map.add("x", lines.data(), 64, 0, true), DesignError);
  EXPECT_THROW(map.add("x", lines.data(), lines.size() * sizeof(Line), 1, true), DesignError) << "in two banks";
  // One buffer may be two arguments; what one of them may write may be written.
  EXPECT_NO_THROW(map.add("others, to write", others.data(), others.size() * sizeof(Line), 1, true));
  EXPECT_EQ(message(others.data(), true, 0, 1), "");
}
TEST_F(Memory, CostsNothingWithoutAMap) {
  Cycle ended = 0;
  Engine engine;
  engine.add_task("loop", [&] { reads(lines.data(), 0, 100, &ended); });
  engine.run();
  EXPECT_EQ(ended, 100u);
}

}  // namespace
}  // namespace emulator
}  // namespace gaspipe
