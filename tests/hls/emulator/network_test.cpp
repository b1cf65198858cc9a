// SPDX-License-Identifier: Apache-2.0
// The engine's claim is that it gives what a simulation cycle by cycle gives. Here is one, of random networks: every
// read's cycle, every poll's answer, every task's end and every deadlock must be the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>

#include "hls/emulator/region.h"

namespace gaspipe {
namespace emulator {
namespace {

struct Kind {
  const char* name;
  bool polls, channel, latency, ports;
};

// What a task does: a tick; reads, writes, polls or drains a stream; a request to the channel; words of a buffer.
enum class Does : char { kTick, kRead, kWrite, kPoll, kDrain, kRequest, kWord };
struct Step {
  Does does;
  std::uint32_t what;              // cycles, stream, words asked for, or buffer
  std::uint64_t at = 0, last = 0;  // of words
};

constexpr std::uint32_t kNumBuffers = 6, kBufferWords = 500;

struct Net {
  struct Stream {
    std::uint32_t source, destination, depth, latency, num_tokens;
  };
  std::vector<Stream> streams;
  std::vector<std::vector<Step>> tasks;
  std::uint32_t channel_latency, gap, penalty, cycles_per_word;
};
constexpr bool writes(std::uint32_t buffer) { return buffer % 2 == 1; }

Net random_net(std::mt19937_64& random, const Kind& kind) {
  const auto up_to = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Net net;
  const std::uint32_t num_tasks = 2 + up_to(7), num_streams = num_tasks - 1 + up_to(num_tasks);
  net.channel_latency = up_to(40), net.gap = up_to(6), net.penalty = up_to(4), net.cycles_per_word = 1u << up_to(3);
  for (std::uint32_t s = 0; s < num_streams; ++s) {
    // A chain, and further streams forwards; sometimes one that goes back.
    std::uint32_t a = s < num_tasks - 1 ? s : up_to(num_tasks - 1);
    std::uint32_t b = s < num_tasks - 1 ? s + 1 : a + 1 + up_to(num_tasks - 1 - a);
    if (up_to(12) == 0) std::swap(a, b);
    net.streams.push_back({a, b, 1 + up_to(6), kind.latency ? up_to(4) : 0, 20 + up_to(60)});
  }
  // A task's tokens go by a common measure of progress, with some disorder: so that many networks run, and some not.
  net.tasks.resize(num_tasks);
  for (std::uint32_t t = 0; t < num_tasks; ++t) {
    std::vector<std::pair<double, Step>> steps;
    for (std::uint32_t s = 0; s < num_streams; ++s) {
      const Net::Stream& stream = net.streams[s];
      const bool polls = kind.polls && up_to(3) == 0;
      for (std::uint32_t i = 0; i < stream.num_tokens; ++i) {
        const double progress = (i + 0.01 * up_to(30)) / stream.num_tokens;
        if (stream.destination == t) steps.push_back({progress, {polls ? Does::kPoll : Does::kRead, s}});
        if (stream.source == t) steps.push_back({progress + 0.5 / stream.num_tokens, {Does::kWrite, s}});
      }
    }
    if (kind.channel) {
      for (std::uint32_t i = up_to(6); i > 0; --i)
        steps.push_back({0.001 * up_to(1000), {Does::kRequest, 1 + up_to(16)}});
    }
    for (std::uint32_t i = kind.ports ? up_to(4) : 0; i > 0; --i) {
      // A loop over a part of a buffer, as long as some way through the task. Loops of a buffer follow each other.
      const std::uint32_t buffer = up_to(kNumBuffers), first = up_to(kBufferWords - 1);
      const std::uint32_t last = first + 1 + up_to(std::min(kBufferWords - first, up_to(2) ? 300u : 5u));
      const double from = 0.3 * i, until = from + 0.3;
      for (std::uint64_t at = first; at < last; ++at) {
        steps.push_back({from + (until - from) * static_cast<double>(at - first) / (last - first),
                         {Does::kWord, buffer, at, last}});
      }
    }
    std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& step : steps) {
      if (up_to(2)) net.tasks[t].push_back({Does::kTick, 1 + up_to(3)});
      net.tasks[t].push_back(step.second);
    }
    for (std::uint32_t s = 0; s < num_streams; ++s) {  // what polls have missed
      if (net.streams[s].destination == t) net.tasks[t].push_back({Does::kDrain, s});
    }
  }
  return net;
}

struct Outcome {
  std::vector<std::vector<Cycle>> reads;   // of each stream, when
  std::vector<std::vector<bool>> answers;  // of each task's polls
  std::vector<Cycle> ends;                 // of each task; 0 if it never did
  bool is_deadlock = false;
  bool operator==(const Outcome& other) const {
    return reads == other.reads && answers == other.answers && ends == other.ends && is_deadlock == other.is_deadlock;
  }
};

Outcome by_engine(const Net& net) {
  static const std::vector<std::uint64_t> memory(std::size_t(kNumBuffers) * kBufferWords * 8);
  struct Line {
    std::uint64_t lane[8];
  };
  const auto buffer = [&](std::uint32_t b) { return reinterpret_cast<const Line*>(memory.data()) + b * kBufferWords; };
  ChannelConfig config;
  config.bytes_per_cycle = 64.0 / net.cycles_per_word;
  config.latency = net.channel_latency;
  config.burst_gap = net.gap;
  config.switch_penalty = net.penalty;
  MemoryMap map({Channel(config)});
  for (std::uint32_t b = 0; b < kNumBuffers; ++b) map.add("", buffer(b), kBufferWords * sizeof(Line), 0, writes(b));
  MemoryMap::current() = &map;

  const std::size_t num_tasks = net.tasks.size();
  Outcome outcome{std::vector<std::vector<Cycle>>(net.streams.size()), std::vector<std::vector<bool>>(num_tasks),
                  std::vector<Cycle>(num_tasks)};
  Engine engine;
  std::vector<Fifo<std::uint32_t>> streams(net.streams.size());
  for (std::size_t s = 0; s < streams.size(); ++s) {
    streams[s].declare(engine, "stream", net.streams[s].depth, 1, net.streams[s].latency);
  }
  for (std::size_t t = 0; t < num_tasks; ++t) {
    engine.add_task("task", [&, t] {
      Cycle& now = Engine::running()->clock;
      const auto read = [&](std::uint32_t s) {
        EXPECT_EQ(streams[s].read(), outcome.reads[s].size()) << "tokens come in order";
        outcome.reads[s].push_back(now);
      };
      std::vector<Port<Line, false>> inputs;
      std::vector<Port<Line, true>> outputs;
      for (std::uint32_t b = 0; b < kNumBuffers; ++b) inputs.emplace_back(buffer(b)), outputs.emplace_back(buffer(b));
      std::vector<std::uint32_t> num_written(streams.size());
      for (const Step& step : net.tasks[t]) {
        switch (step.does) {
          case Does::kTick:
            tick(step.what);
            break;
          case Does::kRead:
            read(step.what);
            break;
          case Does::kWrite:
            streams[step.what].write(num_written[step.what]++);
            break;
          case Does::kPoll:
            outcome.answers[t].push_back(!streams[step.what].empty());
            if (outcome.answers[t].back()) read(step.what);
            break;
          case Does::kDrain:
            while (outcome.reads[step.what].size() < net.streams[step.what].num_tokens) {
              tick(1);
              read(step.what);
            }
            break;
          case Does::kRequest: {
            engine.park(now, nullptr);
            const double start = map.channel(0).serve(static_cast<double>(now), step.what * 64.0, &net.tasks[t]);
            now = std::max(now, static_cast<Cycle>(start) + step.what);
            break;
          }
          case Does::kWord:
            writes(step.what) ? outputs[step.what].word(step.at, step.last)
                              : inputs[step.what].word(step.at, step.last);
            break;
        }
      }
      outcome.ends[t] = now;
    });
  }
  try {
    engine.run();
  } catch (const Deadlock&) {
    outcome.is_deadlock = true;
  }
  MemoryMap::current() = nullptr;
  return outcome;
}

// Cycle by cycle: every task does what it can in a cycle, in the order of the tasks; nothing done in a cycle is seen by
// another task in the same one.
class Clocked {
 public:
  explicit Clocked(const Net& net) : net_(net) {}

  Outcome run() {
    const std::size_t num_tasks = net_.tasks.size();
    outcome_.reads.resize(net_.streams.size());
    writes_.resize(net_.streams.size());
    outcome_.answers.resize(num_tasks);
    outcome_.ends.resize(num_tasks);
    states_.resize(num_tasks);
    std::size_t idle = 0;
    for (now_ = 0;; ++now_) {
      bool is_alive = false, moves = false;
      for (std::size_t t = 0; t < num_tasks; ++t) {
        State& state = states_[t];
        while (state.step < net_.tasks[t].size() && state.until <= now_ && advance(t, state)) moves = true;
        if (state.step == net_.tasks[t].size()) {
          outcome_.ends[t] = std::max(outcome_.ends[t], state.until);
        } else {
          is_alive = true;
          moves |= state.until > now_;
        }
      }
      if (!is_alive) return outcome_;
      idle = moves ? 0 : idle + 1;
      if (idle > 16) break;  // longer than any latency of a stream
    }
    outcome_.is_deadlock = true;
    return outcome_;
  }

 private:
  // A range of words under way: for reading the bursts whose words are not all used, for writing when bursts are done.
  struct Range {
    struct Burst {
      std::uint64_t last;
      Cycle next_word;  // arrives
    };
    std::uint64_t next = 0, last = 0, asked = 0;
    std::deque<Burst> coming;
    std::vector<Cycle> done;
  };
  struct State {
    std::size_t step = 0, phase = 0;
    Cycle until = 0;  // does nothing before
    std::optional<Range> ranges[kNumBuffers];
  };

  // Does the task's step, or its next phase; false if it has to wait for somebody.
  bool advance(std::size_t t, State& state) {
    const Step& step = net_.tasks[t][state.step];
    state.until = now_;
    switch (step.does) {
      case Does::kTick:
        state.until += step.what;
        break;
      case Does::kRead:
        if (!read(step.what)) return false;
        break;
      case Does::kPoll:
        outcome_.answers[t].push_back(read(step.what));
        break;
      case Does::kDrain:
        if (outcome_.reads[step.what].size() == net_.streams[step.what].num_tokens) break;
        if (state.phase == 0) {
          state.phase = 1;
          ++state.until;
          return true;
        }
        if (!read(step.what)) return false;
        state.phase = 0;
        return true;
      case Does::kWrite: {
        const Net::Stream& stream = net_.streams[step.what];
        const std::vector<Cycle>& reads = outcome_.reads[step.what];
        std::vector<Cycle>& written = writes_[step.what];
        const std::size_t places = stream.depth + stream.latency;
        if (written.size() >= places) {
          const std::size_t before = written.size() - places;  // whose place it takes
          if (reads.size() <= before || reads[before] + 1 > now_) return false;
        }
        written.push_back(now_);
        break;
      }
      case Does::kRequest:
        state.until = std::max(now_, serve(step.what, 1000 + t) + step.what);
        break;
      case Does::kWord:
        if (!state.ranges[step.what] || state.ranges[step.what]->next != step.at ||
            state.ranges[step.what]->last != step.last) {
          state.ranges[step.what] = Range{step.at, step.last, step.at, {}, {}};
        }
        if (!(writes(step.what) ? write_word(step, *state.ranges[step.what], state)
                                : read_word(step, *state.ranges[step.what], state))) {
          return true;
        }
        ++state.ranges[step.what]->next;
        break;
    }
    ++state.step;
    state.phase = 0;
    return true;
  }
  bool read(std::uint32_t s) {
    std::vector<Cycle>& reads = outcome_.reads[s];
    const std::size_t i = reads.size();
    if (i >= writes_[s].size() || writes_[s][i] + 1 + net_.streams[s].latency > now_) return false;
    reads.push_back(now_);
    return true;
  }
  static std::uint64_t burst_end(std::uint64_t at, std::uint64_t last) {
    while (++at < last && at % 64 != 0) {
    }
    return at;
  }
  bool read_word(const Step& step, Range& range, State& state) {
    while (range.asked < range.last && range.coming.size() < 4) {
      const std::uint64_t end = burst_end(range.asked, range.last);
      range.coming.push_back({end, serve(end - range.asked, step.what) + net_.cycles_per_word});
      range.asked = end;
    }
    Range::Burst& burst = range.coming.front();
    state.until = std::max(now_, burst.next_word);
    burst.next_word += net_.cycles_per_word;
    if (step.at + 1 == burst.last) range.coming.pop_front();
    return true;
  }
  bool write_word(const Step& step, Range& range, State& state) {
    if (step.at == range.asked && state.phase == 0 && range.done.size() >= 4) {
      state.phase = 1;
      state.until = std::max(now_, range.done[range.done.size() - 4]);
      return false;
    }
    const std::uint64_t end = burst_end(range.asked, range.last);
    if (step.at + 1 < end) return true;
    range.done.push_back(serve(end - range.asked, step.what) + (end - range.asked) * net_.cycles_per_word);
    range.asked = end;
    if (end == range.last) state.until = std::max(now_, range.done.back());
    return true;
  }
  // When the first word moves.
  Cycle serve(std::uint64_t num_words, std::size_t port) {
    const Cycle start = std::max(channel_free_, now_) + (port == channel_port_ ? 0 : net_.penalty);
    channel_port_ = port;
    channel_free_ = start + num_words * net_.cycles_per_word + net_.gap;
    return start + net_.channel_latency;
  }

  const Net& net_;
  Cycle now_ = 0, channel_free_ = 0;
  std::size_t channel_port_ = ~std::size_t(0);
  std::vector<State> states_;
  std::vector<std::vector<Cycle>> writes_;
  Outcome outcome_;
};

class Networks : public ::testing::TestWithParam<Kind> {};

TEST_P(Networks, RunAsCycleByCycle) {
  const char* wanted = std::getenv("GASPIPE_NETWORKS");  // how many; more than in CI
  const std::uint64_t num_networks = wanted == nullptr ? 600 : std::strtoull(wanted, nullptr, 10);
  std::uint64_t num_deadlocks = 0, num_differences = 0;
  for (std::uint64_t seed = 1; seed <= num_networks; ++seed) {
    std::mt19937_64 random(seed);
    const Net net = random_net(random, GetParam());
    const Outcome expected = Clocked(net).run(), found = by_engine(net);
    num_deadlocks += expected.is_deadlock;
    if (found == expected) continue;
    ADD_FAILURE() << "seed " << seed << ": deadlock " << found.is_deadlock << " (" << expected.is_deadlock
                  << "), reads " << (found.reads == expected.reads) << ", answers "
                  << (found.answers == expected.answers) << ", ends " << ::testing::PrintToString(found.ends) << " ("
                  << ::testing::PrintToString(expected.ends) << ")";
    if (++num_differences == 5) break;
  }
  // The networks are worth something only if many run and some do not.
  EXPECT_GT(num_deadlocks, num_networks / 20);
  EXPECT_LT(num_deadlocks, num_networks * 3 / 4);
}
INSTANTIATE_TEST_SUITE_P(All, Networks,
                         ::testing::Values(Kind{"Blocking", false, false, false, false},
                                           Kind{"Polls", true, false, false, false},
                                           Kind{"Channel", false, true, false, false},
                                           Kind{"Ports", false, false, true, true},
                                           Kind{"Everything", true, true, true, true}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace emulator
}  // namespace gaspipe
