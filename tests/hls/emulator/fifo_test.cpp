// SPDX-License-Identifier: Apache-2.0
// When tokens move: hand-counted cycles.
#include "hls/emulator/fifo.h"

#include <gtest/gtest.h>

#include "hls/stream.h"

namespace gaspipe {
namespace emulator {
namespace {

struct Pipe {
  std::uint32_t depth = 2, latency = 0;
  std::uint32_t writer_ii = 1, reader_ii = 1;
  int num_tokens = 100;
  std::vector<Cycle> written, read;  // when
  StreamStats stats;

  Cycle run(const Options& options = {}) {
    Engine engine(options);
    Fifo<int> pipe;
    pipe.declare(engine, "pipe", depth, 1, latency);
    engine.add_task("writer", [&] {
      for (int i = 0; i < num_tokens; ++i) {
        tick(writer_ii);
        pipe.write(i);
        written.push_back(Engine::running()->clock);
      }
    });
    engine.add_task("reader", [&] {
      for (int i = 0; i < num_tokens; ++i) {
        tick(reader_ii);
        EXPECT_EQ(pipe.read(), i);
        read.push_back(Engine::running()->clock);
      }
    });
    engine.run();
    stats = pipe.stats();
    return engine.cycles();
  }
};

TEST(Fifo, MovesATokenPerCycleFromDepthTwoOn) {
  for (std::uint32_t depth : {2u, 3u, 16u, 100u}) {
    Pipe pipe;
    pipe.depth = depth;
    EXPECT_EQ(pipe.run(), 101u) << depth;
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(pipe.written[i], i + 1);
      EXPECT_EQ(pipe.read[i], i + 2);
    }
  }
}
TEST(Fifo, OfDepthOneMovesATokenEverySecondCycle) {
  Pipe pipe;
  pipe.depth = 1;
  EXPECT_EQ(pipe.run(), 200u);
  EXPECT_EQ(pipe.written[3], 7u);
  EXPECT_EQ(pipe.read[3], 8u);
}
TEST(Fifo, DelaysByItsLatencyWithoutLosingSpeed) {
  for (std::uint32_t latency : {1u, 4u, 30u}) {
    Pipe pipe;
    pipe.latency = latency;
    EXPECT_EQ(pipe.run(), 101u + latency);
  }
}
TEST(Fifo, HoldsTheWriterToTheReadersPace) {
  Pipe pipe;
  pipe.reader_ii = 3;
  pipe.depth = 4;
  EXPECT_EQ(pipe.run(), 300u);  // reads in cycles 3, 6, ...
  EXPECT_EQ(pipe.written[3], 4u);
  EXPECT_EQ(pipe.written[4], 5u);     // the place left in cycle 3 is free in cycle 4
  EXPECT_EQ(pipe.written[5], 7u);     // that left in cycle 6
  EXPECT_EQ(pipe.written[99], 289u);  // that left by token 95, in cycle 96 * 3
  EXPECT_EQ(pipe.stats.reader_waited, 0u);
  EXPECT_EQ(pipe.stats.writer_waited, 289u - 100u);
}
TEST(Fifo, HoldsTheReaderToTheWritersPace) {
  Pipe pipe;
  pipe.writer_ii = 3;
  EXPECT_EQ(pipe.run(), 301u);
  EXPECT_EQ(pipe.stats.writer_waited, 0u);
  EXPECT_EQ(pipe.stats.reader_waited, 301u - 100u);
}
TEST(Fifo, CountsWhatWentThroughAndWhatItHeld) {
  Pipe pipe;
  pipe.reader_ii = 2;
  pipe.depth = 7;
  pipe.run();
  EXPECT_EQ(pipe.stats.name, "pipe");
  EXPECT_EQ(pipe.stats.depth, 7u);
  EXPECT_EQ(pipe.stats.most, 7u);
  EXPECT_EQ(pipe.stats.num_tokens, 100u);
}
TEST(Fifo, IsAsShallowAsTheDesignAllowsWhenAsked) {
  Options shallow;
  shallow.shallow = true;
  Pipe pipe;
  pipe.depth = 16;
  EXPECT_EQ(pipe.run(shallow), 200u);
  EXPECT_EQ(pipe.stats.most, 1u);
}
TEST(Fifo, CannotBeShallowerThanItDeclares) {
  Engine engine;
  Fifo<int> stream;
  EXPECT_THROW(stream.declare(engine, "edges", 3, 4), DesignError);
  EXPECT_THROW(stream.declare(engine, "edges", 0, 0), DesignError);
  EXPECT_NO_THROW(stream.declare(engine, "edges", 4, 4));
}

// A poll answers for its own cycle, whichever task the engine happened to run first.
TEST(Fifo, PollsSeeATokenOneCycleAfterItWasWritten) {
  for (const bool reader_first : {false, true}) {
    Engine engine;
    Fifo<int> stream;
    stream.declare(engine, "stream", 4);
    std::vector<Cycle> seen, missed;
    const auto read = [&] {
      while (seen.size() < 3) {
        tick(1);
        int value = -1;
        (read_from_stream_nb(stream, value) ? seen : missed).push_back(Engine::running()->clock);
      }
    };
    if (reader_first) engine.add_task("reader", read);
    engine.add_task("writer", [&] {
      for (int i = 0; i < 3; ++i) {
        tick(5);
        write_to_stream(stream, i);
      }
    });
    if (!reader_first) engine.add_task("reader", read);
    engine.run();
    EXPECT_EQ(seen, (std::vector<Cycle>{6, 11, 16}));
    EXPECT_EQ(missed, (std::vector<Cycle>{1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15}));
  }
}
TEST(Fifo, ClearingEndsAfterIdlePollsInAllAndEmptyingAfterIdlePollsInARow) {
  for (const bool empties : {false, true}) {
    Engine engine;
    Fifo<int> stream;
    stream.declare(engine, "stream", 4);
    engine.add_task("writer", [&] {
      for (int i = 0; i < 5; ++i) {
        tick(10);
        stream.write(i);
      }
    });
    engine.add_task("reader", [&] { empties ? empty_stream(stream, 20) : clear_stream(stream, 60); });
    engine.run();
    // The last token is seen in cycle 51. Emptying polls 21 times more; clearing misses 61 times and sees 5.
    EXPECT_EQ(engine.cycles(), empties ? 51u + 21u : 61u + 5u);
    EXPECT_EQ(stream.size(), 0u);
  }
}

TEST(Fifo, OutsideOfARegionHoldsAnyNumber) {
  stream<int> tokens;
  for (int i = 0; i < 5000; ++i) write_to_stream(tokens, i);
  for (int i = 0; i < 5000; ++i) {
    int value = -1;
    EXPECT_EQ(read_from_stream(tokens, value), 0);
    EXPECT_EQ(value, i);
  }
  EXPECT_TRUE(tokens.empty());
  EXPECT_THROW(tokens.read(), Deadlock);
}

TEST(Fifo, StaysExactWhereTheRingWrapsAround) {
  Pipe pipe;
  pipe.depth = 5;  // in a ring of 8
  pipe.reader_ii = 2;
  pipe.num_tokens = 1000;
  EXPECT_EQ(pipe.run(), 2000u);
  for (std::size_t i = 20; i < 1000; ++i) EXPECT_EQ(pipe.written[i], pipe.read[i - 5] + 1) << i;
}

}  // namespace
}  // namespace emulator
}  // namespace gaspipe
