// SPDX-License-Identifier: Apache-2.0
// Random orders and delays: repeatable, without effect where a design does not poll, and seen where one depends on
// them.
#include "hls/emulator/disorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hls/stream.h"
#include "hls/word.h"
#include "tests/hls/emulator/any_order.h"
#include "tests/hls/emulator/round_robin.h"

namespace gaspipe {
namespace emulator {
namespace {

using testing::difference_in_any_order;
using Number = UpdateToken<std::uint32_t>;
using Numbers = std::vector<std::uint32_t>;

void numbers(std::uint32_t first, std::uint32_t num, stream<Number>& out) {
  for (std::uint32_t i = 0; i <= num; ++i) {
    GASPIPE_PIPELINE(1);
    out.write({{0, first + i}, i == num});
  }
}
void collect(stream<Number>& in, Numbers* values) {
  while (true) {
    GASPIPE_PIPELINE(1);
    const Number token = in.read();
    if (token.end) break;
    values->push_back(token.update.value);
  }
}
// What arrives, in the order of arrival.
Numbers merged() {
  Numbers values;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Number, low, 4);
  GASPIPE_STREAM(Number, high, 4);
  GASPIPE_STREAM(Number, both, 4);
  GASPIPE_TASK(numbers(0, 50, low));
  GASPIPE_TASK(numbers(100, 70, high));
  GASPIPE_TASK(testing::roundRobin(low, high, both));
  GASPIPE_TASK(collect(both, &values));
  GASPIPE_RUN;
  return values;
}
// The wrong way to poll: takes an input to be at its end when nothing is there. It waits until that seems safe.
void untilEmpty(stream<Number>& a, stream<Number>& b, stream<Number>& out) {
  Number token;
  tick(20);
  while (!a.empty()) {
    GASPIPE_PIPELINE(1);
    a.read(token);
    if (!token.end) out.write(token);
  }
  do {
    GASPIPE_PIPELINE(1);
    b.read(token);
    out.write(token);
  } while (!token.end);
}

// Options of this thread while it lives.
struct With {
  Options before = Engine::current_options();
  explicit With(const Disorder& disorder) { Engine::current_options().disorder = disorder; }
  ~With() { Engine::current_options() = before; }
};

TEST(Random, IsUpToTheMostAndRepeatable) {
  Random first(3, 1), again(3, 1), other(3, 2);
  std::set<std::uint32_t> seen;
  int num_equal = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t value = first.up_to(9);
    EXPECT_EQ(again.up_to(9), value);
    num_equal += other.up_to(9) == value;
    seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(*seen.rbegin(), 9u);
  EXPECT_LT(num_equal, 300);
  EXPECT_EQ(first.up_to(0), 0u);
}
TEST(Disorder, OfTheSameSeedIsTheSame) {
  const With with({5, 20, 0});
  const Numbers values = merged();
  const Cycle cycles = Engine::last_cycles();
  EXPECT_EQ(merged(), values);
  EXPECT_EQ(Engine::last_cycles(), cycles);
}
TEST(Disorder, OfReadyTasksAloneChangesNothing) {
  const Numbers values = merged();
  const Cycle cycles = Engine::last_cycles();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const With with({seed, 0, 0});
    EXPECT_EQ(merged(), values) << seed;
    EXPECT_EQ(Engine::last_cycles(), cycles) << seed;
  }
}
TEST(Polling, GivesTheSameAnswerInAnyOrderWhereTheOrderOfTokensMeansNothing) {
  const auto sorted = [] {
    Numbers values = merged();
    std::sort(values.begin(), values.end());
    return values;
  };
  EXPECT_EQ(sorted().size(), 120u);
  EXPECT_EQ(difference_in_any_order(sorted), "");
}
TEST(Polling, IsSeenWhereTheAnswerDependsOnTheOrderOfTokens) {
  EXPECT_NE(difference_in_any_order(merged).find(": another answer"), std::string::npos);
}
TEST(Polling, IsSeenWhereItTakesALateTokenForTheEnd) {
  const auto design = [] {
    Numbers values;
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(Number, low, 64);
    GASPIPE_STREAM(Number, high, 64);
    GASPIPE_STREAM(Number, both, 4);
    GASPIPE_TASK(numbers(0, 50, low));
    GASPIPE_TASK(numbers(100, 70, high));
    GASPIPE_TASK(untilEmpty(low, high, both));
    GASPIPE_TASK(collect(both, &values));
    GASPIPE_RUN;
    return values;
  };
  EXPECT_EQ(design().size(), 120u);
  EXPECT_NE(difference_in_any_order(design).find("low"), std::string::npos);  // a deadlock, or tokens left in it
}

// The first words of bursts that two ports read, in the order in which they come.
struct Ports : ::testing::Test {
  using Line = Word<std::uint32_t>;
  std::vector<Line> left = std::vector<Line>(512), right = std::vector<Line>(512);
  std::vector<std::pair<char, std::uint64_t>> replies;

  void run() {
    replies.clear();
    ChannelConfig config;
    config.latency = 10;
    MemoryMap map({Channel(config), Channel(config)});
    map.add("left", left.data(), left.size() * sizeof(Line), 0, false);
    map.add("right", right.data(), right.size() * sizeof(Line), 1, false);
    MemoryMap::current() = &map;
    Engine engine;
    std::vector<std::pair<Cycle, std::pair<char, std::uint64_t>>> at;
    const auto reads = [&at](char name, const std::vector<Line>& lines) {
      Port<Line, false> port(lines.data());
      for (std::uint64_t i = 0; i < lines.size(); ++i) {
        tick(1);
        port.word(i, lines.size());
        if (i % 64 == 0) at.push_back({Engine::running()->clock, {name, i}});
      }
    };
    engine.add_task("left", [&] { reads('l', left); });
    engine.add_task("right", [&] { reads('r', right); });
    engine.run();
    MemoryMap::current() = nullptr;
    std::stable_sort(at.begin(), at.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& reply : at) replies.push_back(reply.second);
  }
};
TEST_F(Ports, GetRepliesInOrderEachButLateAndInAnyOrderAmongThem) {
  run();
  const auto usual = replies;
  const Cycle cycles = Engine::last_cycles();
  std::set<std::vector<std::pair<char, std::uint64_t>>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const With with({seed, 0, 500});
    run();
    orders.insert(replies);
    EXPECT_GT(Engine::last_cycles(), cycles);
    for (const char port : {'l', 'r'}) {
      std::vector<std::uint64_t> words;
      for (const auto& reply : replies) {
        if (reply.first == port) words.push_back(reply.second);
      }
      EXPECT_EQ(words.size(), 8u);
      EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
    }
  }
  EXPECT_GT(orders.size(), 5u);
  const With with({7, 0, 0});
  run();
  EXPECT_EQ(replies, usual);
  EXPECT_EQ(Engine::last_cycles(), cycles);
}

}  // namespace
}  // namespace emulator
}  // namespace gaspipe
