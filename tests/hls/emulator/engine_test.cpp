// SPDX-License-Identifier: Apache-2.0
// What designs can do wrong, and what is then said; regions inside regions, and engines one after the other.
#include "hls/emulator/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "hls/stream.h"

namespace gaspipe {
namespace emulator {
namespace {

template <class Error, class Design>
std::string message(Design&& design) {
  std::string says = "(ended well)";
  try {
    design();
  } catch (const Error& error) {
    says = error.what();
  }
  EXPECT_EQ(Engine::current(), nullptr);
  EXPECT_EQ(Engine::running(), nullptr);
  return says;
}

void split(int n, stream<int>& all, stream<int>& tenths) {
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    all.write(i);
    if (i % 10 == 9) tenths.write(i);
  }
}
void expand(int n, stream<int>& in, stream<int>& out) {
  for (int i = 0; i < n / 10; ++i) {
    const int value = in.read();
    for (int j = 0; j < 10; ++j) {
      GASPIPE_PIPELINE(1);
      out.write(value + j);
    }
  }
}
void join(int n, stream<int>& a, stream<int>& b, long* sum) {
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    const int y = b.read();
    *sum += a.read() + y;
  }
}
// Paths that part and meet again: `all` has to hold what the other one gathers first.
long diamond(int n, int extra) {
  long sum = 0;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(int, all, 16);
  GASPIPE_STREAM(int, tenths, 2);
  GASPIPE_STREAM(int, tens, 2);
  GASPIPE_TASK(split(n, all, tenths));
  GASPIPE_TASK(expand(n, tenths, tens));
  GASPIPE_TASK(join(n + extra, all, tens, &sum));
  GASPIPE_RUN;
  return sum;
}
// Sets what engines of this thread start with, for as long as it lives.
struct With {
  explicit With(const Options& options) { Engine::current_options() = options; }
  ~With() { Engine::current_options() = {}; }
};

constexpr long kDiamond = 4950 + 10 * 540 + 10 * 45;  // 0 to 99; ten times 9, 19, ... 99; 0 to 9 with each of these

TEST(Deadlock, IsNoneWhereTheDepthSuffices) { EXPECT_EQ(diamond(100, 0), kDiamond); }

TEST(Deadlock, NamesTasksCyclesStreamsFillsAndTheCircle) {
  Options options;
  options.shallow = true;
  const With with(options);
  EXPECT_EQ(message<Deadlock>([] { diamond(100, 0); }),
            "deadlock: 3 of 3 tasks wait for ever\n"
            "  split, cycle 2: writes to all (1 of 1), which no task has read yet; named in join\n"
            "  expand, cycle 0: reads from tenths (0 of 1), which no task has written yet; named in split\n"
            "  join, cycle 1: reads from tens (0 of 1), which no task has written yet; named in expand\n"
            "  in a circle: split -> join -> expand -> split");
}
TEST(Deadlock, NamesWhoHasEnded) {
  const std::string says = message<Deadlock>([] { diamond(100, 1); });
  EXPECT_NE(says.find("deadlock: 1 of 3 tasks wait for ever\n  join, cycle "), std::string::npos) << says;
  EXPECT_NE(says.find(": reads from tens (0 of 2), which expand writes no more: it has ended\n  no circle"),
            std::string::npos)
      << says;
}

void copy(int n, stream<int>& in, stream<int>& out) {
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    out.write(in.read());
  }
}
void first_then_copy(int n, stream<int>& in, stream<int>& out) {
  out.write(1);
  copy(n, in, out);
}
TEST(Deadlock, TellsTasksOfOneFunctionApart) {
  // A ring where everybody reads first.
  const auto ring = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAMS(int, ring, 2, 4);
    GASPIPE_STREAM(int, back, 4);
    GASPIPE_TASK(copy(3, back, ring[0]));
    for (int i = 0; i < 1; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      GASPIPE_TASK_I(i, copy(3, ring[i], ring[i + 1]));
    }
    GASPIPE_TASK(emulator::copy(3, ring[1], back));
    GASPIPE_RUN;
  };
  const std::string says = message<Deadlock>(ring);
  EXPECT_NE(
      says.find("  copy(3, back, ring[0]), cycle 1: reads from back (0 of 4), which no task has written yet; named "
                "in emulator::copy(3, ring[1], back)\n"),
      std::string::npos)
      << says;
  EXPECT_NE(says.find("  copy[0], cycle 1: reads from ring[0] (0 of 4)"), std::string::npos) << says;
}
TEST(Deadlock, GoesRoundWhatHasRun) {
  // The first token goes round, and has to leave on the last lap.
  const auto loop = [](int n) {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, there, 4);
    GASPIPE_STREAM(int, back, 4);
    GASPIPE_TASK(first_then_copy(n - 1, back, there));
    GASPIPE_TASK(copy(n, there, back));
    GASPIPE_RUN;
  };
  EXPECT_EQ(message<DesignError>([&] { loop(5); }), "all tasks have ended, but tokens were left in: back (1)");
  const auto starve = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, there, 1);
    GASPIPE_STREAM(int, back, 1);
    GASPIPE_TASK(first_then_copy(5, back, there));
    GASPIPE_TASK([](stream<int>& in, stream<int>& out) { out.write(in.read() + in.read()); }(there, back));
    GASPIPE_RUN;
  };
  const std::string says = message<Deadlock>(starve);
  EXPECT_NE(says.find("first_then_copy, cycle 1: reads from back (0 of 1), which no task has written yet"),
            std::string::npos)
      << says;
  EXPECT_NE(says.find("reads from there (0 of 1), which first_then_copy writes\n"), std::string::npos) << says;
}

TEST(Streams, MustBeDrained) {
  const auto design = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 4);
    GASPIPE_STREAMS(int, out, 2, 4);
    GASPIPE_TASK(split(3, in, out[0]));
    GASPIPE_TASK(copy(1, in, out[1]));
    GASPIPE_RUN;
  };
  EXPECT_EQ(message<DesignError>(design), "all tasks have ended, but tokens were left in: in (2), out[1] (1)");
}
TEST(Streams, HaveOneReaderAndOneWriter) {
  const auto readers = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 4);
    GASPIPE_STREAM(int, a, 4);
    GASPIPE_STREAM(int, b, 4);
    GASPIPE_TASK(split(4, in, b));
    GASPIPE_TASK(copy(2, in, a));
    GASPIPE_TASK(copy(2, in, b));
    GASPIPE_RUN;
  };
  EXPECT_EQ(
      message<DesignError>(readers),
      "stream in is read by two tasks, copy(2, in, a) and copy(2, in, b); a stream has one writer and one reader");
  const auto writers = [] {
    long sum = 0;
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 4);
    GASPIPE_STREAM(int, b, 4);
    GASPIPE_TASK(split(4, in, b));
    GASPIPE_TASK(split(3, in, b));
    GASPIPE_TASK(join(5, in, b, &sum));
    GASPIPE_RUN;
  };
  EXPECT_EQ(message<DesignError>(writers).substr(0, 35), "stream in is written by two tasks, ");
  const auto pollers = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 4);
    GASPIPE_TASK(clear_stream(in));
    GASPIPE_TASK(empty_stream(in));
    GASPIPE_RUN;
  };
  EXPECT_EQ(message<DesignError>(pollers).substr(0, 55), "stream in is read by two tasks, clear_stream and empty_");
}
TEST(Streams, AreForTheTasksOfTheirRegion) {
  const auto by_region = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 4);
    in.write(1);
    GASPIPE_RUN;
  };
  EXPECT_EQ(message<DesignError>(by_region), "stream in is written by the region itself; only its tasks may");
  const auto polled = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 4);
    EXPECT_TRUE(in.empty());
    GASPIPE_RUN;
  };
  EXPECT_EQ(message<DesignError>(polled), "stream in is read by the region itself; only its tasks may");
}
TEST(Streams, CannotBeShallowerThanDeclared) {
  const auto design = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, all, 8, 10);
    GASPIPE_RUN;
  };
  EXPECT_EQ(message<DesignError>(design), "stream all has a depth of 8; it needs at least 10");
}
TEST(Streams, AreAsShallowAsDeclaredLegal) {
  Options options;
  options.shallow = true;
  const With with(options);
  RunStats stats;
  Engine::statistics() = &stats;
  const auto design = [] {
    long sum = 0;
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, all, 100, 10);
    GASPIPE_STREAM(int, tenths, 100);
    GASPIPE_STREAM(int, tens, 100);
    GASPIPE_TASK(split(100, all, tenths));
    GASPIPE_TASK(expand(100, tenths, tens));
    GASPIPE_TASK(join(100, all, tens, &sum));
    GASPIPE_RUN;
    return sum;
  };
  EXPECT_EQ(design(), kDiamond);
  Engine::statistics() = nullptr;
  ASSERT_EQ(stats.streams.size(), 3u);
  EXPECT_EQ(stats.streams[0].name, "all");
  EXPECT_EQ(stats.streams[0].depth, 10u);
  EXPECT_EQ(stats.streams[1].depth, 1u);
}

// Counts live objects: what stands on a task's stack must be destroyed, however the run ends.
struct Witness {
  explicit Witness(int* count) : count_(count), memory_(new int(7)) { ++*count_; }
  ~Witness() {
    --*count_;
    delete memory_;
  }
  Witness(const Witness&) = delete;
  int* count_;
  int* memory_;
};
void waits(int* alive, stream<int>& in) {
  const Witness witness(alive);
  std::vector<int> heap(100);
  heap[0] = in.read();
}
void throws(int* alive, int after, stream<int>& in, stream<int>& out) {
  const Witness witness(alive);
  for (int i = 0; i < after; ++i) {
    GASPIPE_PIPELINE(1);
    write_to_stream(in, i);
    int value;
    read_from_stream(out, value);
  }
  throw std::invalid_argument("of its own");
}
TEST(Tasks, LeaveNothingBehindInADeadlock) {
  int alive = 0;
  EXPECT_NE(message<Deadlock>([&] {
              GASPIPE_DATAFLOW;
              GASPIPE_STREAM(int, never, 4);
              GASPIPE_STREAM(int, sent, 4);
              GASPIPE_TASK(waits(&alive, never));
              GASPIPE_TASK(waits(&alive, sent));
              GASPIPE_RUN;
            }).find("2 of 2 tasks"),
            std::string::npos);
  EXPECT_EQ(alive, 0);
}
TEST(Tasks, HandOnWhatTheyThrow) {
  for (const int after : {0, 1, 50}) {
    int alive = 0;
    EXPECT_EQ(message<std::invalid_argument>([&] {
                GASPIPE_DATAFLOW;
                GASPIPE_STREAMS(int, never, 2, 4);
                GASPIPE_STREAM(int, there, 4);
                GASPIPE_STREAM(int, back, 4);
                GASPIPE_TASK(waits(&alive, never[0]));
                GASPIPE_TASK(copy(1000, there, back));
                GASPIPE_TASK(throws(&alive, after, there, back));
                GASPIPE_TASK(waits(&alive, never[1]));
                GASPIPE_RUN;
              }),
              "of its own");
    EXPECT_EQ(alive, 0);
  }
}
// Two tasks that go on for ever, by reads and writes or by polls.
void for_ever(int* alive, bool polls, stream<int>& in, stream<int>& out) {
  const Witness witness(alive);
  if (!polls) out.write(1);
  while (true) {
    GASPIPE_PIPELINE(1);
    int value = 0;
    if (polls) {
      read_from_stream_nb(in, value);
    } else {
      out.write(in.read());
    }
  }
}
TEST(Tasks, StopWhenInterrupted) {
  for (const bool polls : {false, true}) {
    int asked = 0, alive = 0;
    Options options;
    options.stopped_self = &asked;
    options.stopped = [](void* count) { return ++*static_cast<int*>(count) == 3; };
    const With with(options);
    const auto design = [&] {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(int, there, 4);
      GASPIPE_STREAM(int, back, 4);
      GASPIPE_TASK(for_ever(&alive, polls, there, back));
      GASPIPE_TASK(for_ever(&alive, polls, back, there));
      GASPIPE_RUN;
    };
    EXPECT_THROW(design(), Stopped);
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(Engine::current(), nullptr);
    EXPECT_EQ(Engine::running(), nullptr);
  }
}
TEST(Tasks, OfALonePollerStopToo) {
  int alive = 0;
  Options options;
  options.stopped = [](void*) { return true; };
  const With with(options);
  const auto design = [&] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 4);
    GASPIPE_STREAM(int, out, 4);
    GASPIPE_TASK(for_ever(&alive, true, in, out));
    GASPIPE_RUN;
  };
  EXPECT_THROW(design(), Stopped);
  EXPECT_EQ(alive, 0);
}

void inner(int n, long* sum) {
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(int, all, 16);
  GASPIPE_STREAM(int, tenths, 2);
  GASPIPE_STREAM(int, tens, 2);
  GASPIPE_TASK(split(n, all, tenths));
  GASPIPE_TASK(expand(n, tenths, tens));
  GASPIPE_TASK(join(n, all, tens, sum));
  GASPIPE_RUN;
}
void runs_inner(int n, stream<int>& in, stream<int>& out, Cycle* took) {
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    const int value = in.read();
    long sum = 0;
    const Cycle before = Engine::running()->clock;
    inner(20, &sum);
    *took = Engine::running()->clock - before;
    out.write(value + static_cast<int>(sum));
  }
}
void sums(int n, stream<int>& in, stream<int>& beside, long* sum) {
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    *sum += in.read();
  }
  for (int i = 0; i < n / 10; ++i) {
    GASPIPE_PIPELINE(1);
    *sum += beside.read();
  }
}
TEST(Regions, RunInsideTasksOfOthers) {
  long alone = 0, sum = 0;
  inner(20, &alone);
  const Cycle cycles = Engine::last_cycles();
  Cycle took = 0;
  const auto outer = [&] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 2);
    GASPIPE_STREAM(int, out, 2);
    GASPIPE_STREAM(int, tenths, 4);
    GASPIPE_TASK(split(30, in, tenths));
    GASPIPE_TASK(runs_inner(30, in, out, &took));
    GASPIPE_TASK(sums(30, out, tenths, &sum));
    GASPIPE_RUN;
  };
  outer();
  EXPECT_EQ(sum, 435 + 30 * alone + 9 + 19 + 29);
  EXPECT_EQ(took, cycles) << "the task that opens a region takes as long as the region";
  EXPECT_GE(Engine::last_cycles(), 30 * cycles);
  EXPECT_EQ(Engine::current(), nullptr);
}
TEST(Regions, RunBeforeTheTasksOfARegionThatOpensThemItself) {
  long first = 0, sum = 0;
  const auto region = [&](bool opens) {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 2);
    GASPIPE_STREAM(int, tenths, 4);
    if (opens) inner(20, &first);
    GASPIPE_TASK(split(30, in, tenths));
    GASPIPE_TASK(sums(30, in, tenths, &sum));
    GASPIPE_RUN;
    return Engine::last_cycles();
  };
  long alone = 0;
  inner(20, &alone);
  const Cycle before = Engine::last_cycles(), after = region(false);
  EXPECT_EQ(region(true), before + after) << "its tasks begin when the region inside has ended";
  EXPECT_EQ(first, alone);
  EXPECT_EQ(sum, 2 * (435 + 9 + 19 + 29));
  EXPECT_EQ(Engine::current(), nullptr);
}
// A module of three tasks: in -> out, as `relay` in one.
void relay_in_three(int n, stream<int>& in, stream<int>& out) {
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(int, first, 1);
  GASPIPE_STREAM(int, second, 1);
  GASPIPE_TASK(copy(n, in, first));
  GASPIPE_TASK(copy(n, first, second));
  GASPIPE_TASK(copy(n, second, out));
  GASPIPE_RUN;
}
void relay_often(int times, int n, stream<int>& in, stream<int>& out) {
  for (int i = 0; i < times; ++i) relay_in_three(n, in, out);
}
void count_up(int n, stream<int>& out) {
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    out.write(i);
  }
}
void expect_up(int n, stream<int>& in) {
  for (int i = 0; i < n; ++i) {
    GASPIPE_PIPELINE(1);
    EXPECT_EQ(in.read(), i);
  }
}
TEST(Regions, OfSeveralModulesAreToldApart) {
  RunStats stats;
  Engine::statistics() = &stats;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAMS(int, links, 3, 2);
    GASPIPE_TASK(count_up(9, links[0]));
    for (int i = 0; i < 2; ++i) {
      GASPIPE_TASK_I(i, relay_in_three(9, links[i], links[i + 1]));
    }
    GASPIPE_TASK(expect_up(9, links[2]));
    GASPIPE_RUN;
  }
  Engine::statistics() = nullptr;
  std::multiset<std::string> tasks, streams;
  for (const TaskStats& task : stats.tasks) tasks.insert(task.name);
  for (const StreamStats& stream : stats.streams) streams.insert(stream.name);
  EXPECT_EQ(tasks, (std::multiset<std::string>{"count_up", "relay_in_three[0]", "relay_in_three[1]", "copy[0]",
                                               "copy[0]", "copy[0]", "copy[1]", "copy[1]", "copy[1]", "expect_up"}));
  EXPECT_EQ(streams, (std::multiset<std::string>{"links[0]", "links[1]", "links[2]", "first[0]", "second[0]",
                                                 "first[1]", "second[1]"}));
}
TEST(Regions, OfAModuleRunBesideTheTasksAroundThem) {
  RunStats flat, nested;
  Engine::statistics() = &flat;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 2);
    GASPIPE_STREAM(int, first, 1);
    GASPIPE_STREAM(int, second, 1);
    GASPIPE_STREAM(int, out, 2);
    GASPIPE_TASK(count_up(1000, in));
    GASPIPE_TASK(copy(1000, in, first));
    GASPIPE_TASK(copy(1000, first, second));
    GASPIPE_TASK(copy(1000, second, out));
    GASPIPE_TASK(expect_up(1000, out));
    GASPIPE_RUN;
  }
  const Cycle cycles = Engine::last_cycles();
  EXPECT_LT(cycles, 2100u);
  Engine::statistics() = &nested;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 2);
    GASPIPE_STREAM(int, out, 2);
    GASPIPE_TASK(count_up(1000, in));
    GASPIPE_TASK(relay_in_three(1000, in, out));
    GASPIPE_TASK(expect_up(1000, out));
    GASPIPE_RUN;
  }
  Engine::statistics() = nullptr;
  EXPECT_EQ(Engine::last_cycles(), cycles);
  EXPECT_EQ(nested.tasks.size(), flat.tasks.size() + 1);
  const auto sorted = [](const RunStats& stats) {
    std::vector<std::tuple<std::string, std::uint64_t, Cycle, Cycle>> all;
    for (const StreamStats& s : stats.streams) {
      all.emplace_back(s.name, s.num_tokens, s.reader_waited, s.writer_waited);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(sorted(nested), sorted(flat));
  for (const TaskStats& task : nested.tasks) {
    EXPECT_TRUE(task.name != "relay_in_three" || task.busy() == 0) << "its tasks are";
  }
}
TEST(Regions, OfAModuleThatIsCalledAgainUseTheSameStreams) {
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(int, in, 2);
  GASPIPE_STREAM(int, out, 2);
  GASPIPE_TASK(count_up(200, in));
  GASPIPE_TASK(relay_often(40, 5, in, out));
  GASPIPE_TASK(expect_up(200, out));
  GASPIPE_RUN;
}
void leaves_a_token() {
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(int, own, 2);
  GASPIPE_TASK(count_up(1, own));
  GASPIPE_RUN;
}
TEST(Regions, InsideTasksLeaveNothingInTheirStreams) {
  EXPECT_EQ(message<DesignError>([] {
              GASPIPE_DATAFLOW;
              GASPIPE_TASK(leaves_a_token());
              GASPIPE_RUN;
            }),
            "all tasks have ended, but tokens were left in: own (1)");
}
void inner_deadlock(int* alive) {
  const Witness witness(alive);
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(int, never, 1);
  GASPIPE_TASK(waits(alive, never));
  GASPIPE_RUN;
}
TEST(Regions, HandTheirFailuresToTheOuterOne) {
  int alive = 0;
  const std::string says = message<Deadlock>([&] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, in, 2);
    GASPIPE_TASK(waits(&alive, in));
    GASPIPE_TASK(inner_deadlock(&alive));
    GASPIPE_RUN;
  });
  EXPECT_NE(says.find("2 of 2 tasks wait for ever\n"), std::string::npos) << says;
  EXPECT_NE(says.find("reads from in (0 of 2)"), std::string::npos) << says;
  EXPECT_NE(says.find("reads from never (0 of 1)"), std::string::npos) << says;
  EXPECT_EQ(alive, 0);
}

TEST(Engines, RunOneAfterTheOther) {
  EXPECT_EQ(diamond(100, 0), kDiamond);
  const Cycle cycles = Engine::last_cycles();
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(diamond(100, 0), kDiamond);
    EXPECT_EQ(Engine::last_cycles(), cycles);
    if (i % 10 != 0) continue;
    EXPECT_THROW(diamond(100, 1), Deadlock);
  }
}
TEST(Engines, RunBesideEachOtherOnThreads) {
  diamond(100, 0);
  const Cycle cycles = Engine::last_cycles();
  std::atomic<int> wrong{0}, deadlocks{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        wrong += diamond(100, 0) != kDiamond || Engine::last_cycles() != cycles;
        try {
          if (i % 5 == t) diamond(100, 1);
        } catch (const Deadlock&) {
          ++deadlocks;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(deadlocks, 40);
}
TEST(Engines, HoldHundredsOfTasks) {
  const int n = 300;  // more than there are spare stacks
  Engine engine;
  std::vector<Fifo<int>> chain(n + 1);
  for (int i = 0; i <= n; ++i) chain[i].declare(engine, "chain", 2);
  engine.add_task("first", [&] {
    for (int i = 0; i < 50; ++i) {
      tick(1);
      chain[0].write(i);
    }
  });
  for (int i = 0; i < n; ++i) engine.add_task("copy", [&, i] { copy(50, chain[i], chain[i + 1]); });
  int sum = 0;
  engine.add_task("last", [&] {
    for (int i = 0; i < 50; ++i) {
      tick(1);
      sum += chain[n].read();
    }
  });
  engine.run();
  EXPECT_EQ(sum, 49 * 25);
  EXPECT_EQ(engine.cycles(), 50u + n + 1);
}
TEST(Engines, HaveNothingToDoWithoutTasks) {
  Engine engine;
  EXPECT_NO_THROW(engine.run());
  EXPECT_EQ(engine.cycles(), 0u);
}

void recurses(volatile int n, stream<int>& out) {
  volatile char frame[4096];
  frame[n % 4096] = 1;
  if (n > 0) recurses(n - 1, out);
  out.write(frame[n % 4096]);
}
TEST(EnginesDeathTest, EndWhenATaskOverflowsItsStack) {
  const auto design = [] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(int, out, 2);
    GASPIPE_TASK(recurses(100000, out));
    GASPIPE_RUN;
  };
  EXPECT_DEATH(design(), "");
}

void numbers(int num, stream<int>& out) {
  for (int i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(1);
    out.write(i);
  }
}
void stores(int index, int num, stream<int>& in) {
  for (int i = 0; i < 2; ++i) {
    GASPIPE_ON_CHIP(std::uint64_t, table, 1000, URAM);
    GASPIPE_ON_CHIP(short, lines, 64, BRAM);
    GASPIPE_ON_CHIP(int, few, 4, LUTRAM);
    table[0] = static_cast<std::uint64_t>(index);
    lines[0] = 0;
    few[0] = 0;
  }
  for (int i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(2);
    in.read();
  }
}
TEST(OnChip, IsCountedOncePerTaskThatDeclaresIt) {
  RunStats stats;
  Engine::statistics() = &stats;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAMS(int, values, 2, 4);
    GASPIPE_TASK(numbers(10, values[0]));
    GASPIPE_TASK(numbers(10, values[1]));
    for (int i = 0; i < 2; ++i) GASPIPE_TASK_I(i, stores(i, 10, values[i]));
    GASPIPE_RUN;
  }
  Engine::statistics() = nullptr;
  ASSERT_EQ(stats.memories.size(), 6u);
  for (std::size_t i = 0; i < 2; ++i) {
    const MemoryStats* of = &stats.memories[3 * i];
    EXPECT_EQ(of[0].name, "table");
    EXPECT_EQ(of[0].task, "stores[" + std::to_string(i) + "]");
    EXPECT_EQ(of[0].num_words, 1000u);
    EXPECT_EQ(of[0].word_bytes, 8u);
    EXPECT_EQ(of[0].kind, MemoryKind::kUram);
    EXPECT_EQ(of[1].name, "lines");
    EXPECT_EQ(of[1].word_bytes, 2u);
    EXPECT_EQ(of[1].kind, MemoryKind::kBram);
    EXPECT_EQ(of[2].kind, MemoryKind::kLutram);
  }
  // The reader takes tokens in cycles 2, 4, ..., 20; the writer's eighth to tenth wait for their places up to 9,
  // 11, 13.
  ASSERT_EQ(stats.tasks.size(), 4u);
  EXPECT_EQ(stats.tasks[2].name, "stores[0]");
  EXPECT_EQ(stats.tasks[2].busy(), 20u);
  EXPECT_EQ(stats.tasks[2].finish, 20u);
  EXPECT_EQ(stats.tasks[0].finish, 13u);
  EXPECT_EQ(stats.tasks[0].waited_out, 3u);
  EXPECT_EQ(stats.streams[0].token_bytes, sizeof(int));
  EXPECT_EQ(stats.streams[1].num_tokens, 10u);
}
TEST(OnChip, BelongsToWhoDeclaresIt) {
  const auto local = [] {
    GASPIPE_ON_CHIP(std::uint64_t, buffer, 1 << 16, LUTRAM);
    for (int i = 0; i < 1 << 16; ++i) buffer[i] = static_cast<std::uint64_t>(i);
    return buffer[1234];
  };
  EXPECT_EQ(local(), 1234u);
  long sum = 0;
  Engine engine;  // more than a task's stack
  engine.add_task("task", [&] { sum = static_cast<long>(local()); });
  engine.run();
  EXPECT_EQ(sum, 1234);
}

}  // namespace
}  // namespace emulator
}  // namespace gaspipe
