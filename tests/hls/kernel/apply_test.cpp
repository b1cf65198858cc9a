// SPDX-License-Identifier: Apache-2.0
#include "hls/kernel/apply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gaspipe/engine/emulated_kernels.h"
#include "hls/algorithm/bfs.h"
#include "hls/algorithm/pagerank.h"
#include "hls/thundergp/memory.h"

namespace gaspipe {
namespace {

using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
constexpr std::uint32_t kUnreached = Bfs::kUnreached;

using Words = std::vector<Word<std::uint32_t>>;

Words random_levels(std::mt19937& random, std::size_t num_words) {
  Words words(num_words);
  for (auto& word : words) {
    for (std::uint32_t& level : word.lane) level = random() % 3 == 0 ? random() % 9 : kUnreached;
  }
  return words;
}

// Through the table that the engine calls, for any number of units.
TEST(Apply, MergesAnyNumberOfUnitsAndHandsTheResultToAll) {
  std::mt19937 random(7);
  const VertexId first = 32, last = 93, n = 120;
  for (const abi::Execution execution : {abi::kExact, abi::kExactShallow}) {
    for (int units = 1; units <= kMostUnits; ++units) {
      const Words properties = random_levels(random, (n + 15) / 16);
      std::vector<Words> gathered, updated(static_cast<std::size_t>(units), properties);
      for (int unit = 0; unit < units; ++unit) gathered.push_back(random_levels(random, (last - first + 15) / 16));
      ResultWord sums[2] = {};
      const std::uint32_t scalars[2 + kArgWords] = {first, last};
      std::vector<abi::Buffer> buffers;  // in the order of the table of ports
      const auto add = [&](const Words& words) {
        buffers.push_back({const_cast<Word<std::uint32_t>*>(words.data()), words.size() * 64});
      };
      for (const Words& words : gathered) add(words);
      add(properties);
      for (const Words& words : updated) add(words);
      buffers.push_back({sums, sizeof sums});
      const abi::KernelCall call = {buffers.data(), scalars, units, 0};
      std::vector<char> report(1000);
      abi::Emulation emulation{};
      emulation.execution = execution;
      emulation.banks_per_unit = 1;
      emulation.bytes_per_cycle = 57.6;
      emulation.latency = 64;
      emulation.stopped = [](void*) -> std::int32_t { return 0; };
      emulation.report = report.data();
      emulation.report_size = report.size();
      ASSERT_EQ(engine::run_kernel<engine::ApplyKernel<Bfs>>(&call, &emulation), abi::kOk) << report.data();
      std::uint64_t reached = 0;
      for (VertexId v = first; v < last; ++v) {
        const VertexId i = v - first;
        std::uint32_t least = kUnreached;
        for (const Words& words : gathered) least = std::min(least, words[i / 16].lane[i % 16]);
        const std::uint32_t old = properties[v / 16].lane[v % 16];
        reached += least < old;
        for (const Words& words : updated) ASSERT_EQ(words[v / 16].lane[v % 16], std::min(least, old)) << units;
      }
      EXPECT_EQ(sums[0].lane[0], reached) << units;
      for (const Words& words : updated) {
        for (VertexId v = 0; v < n; ++v) {
          if (v >= first && v < last) continue;
          ASSERT_EQ(words[v / 16].lane[v % 16], properties[v / 16].lane[v % 16]) << v;
        }
      }
    }
  }
}

// Properties after an apply of three units in banks of their own, and its cycles.
template <class Memory>
Words applied(VertexId first, VertexId last, std::uint64_t* sum, emulator::Cycle* cycles) {
  std::mt19937 random(5);
  const Words properties = random_levels(random, 400);
  std::vector<Words> gathered, updated(3, properties);
  for (int unit = 0; unit < 3; ++unit) gathered.push_back(random_levels(random, (last - first + 15) / 16));
  std::vector<ResultWord> sums(2);
  emulator::ChannelConfig channel;
  channel.bytes_per_cycle = 1000;
  channel.latency = 30;
  emulator::MemoryMap map(std::vector<emulator::Channel>(4, emulator::Channel(channel)));
  map.add("properties", properties.data(), properties.size() * 64, 3, false);
  map.add("sums", sums.data(), sums.size() * 64, 3, true);
  const Word<std::uint32_t>* gathered_at[kMostUnits];
  Word<std::uint32_t>* updated_at[kMostUnits];
  const Word<std::uint32_t>* inputs[1] = {properties.data()};
  for (std::size_t unit = 0; unit < 3; ++unit) {
    gathered_at[unit] = gathered[unit].data();
    updated_at[unit] = updated[unit].data();
    map.add("gathered", gathered[unit].data(), gathered[unit].size() * 64, unit, false);
    map.add("updated", updated[unit].data(), updated[unit].size() * 64, unit, true);
  }
  emulator::MemoryMap::current() = &map;
  const std::uint32_t arg[kArgWords] = {};
  apply<Bfs, Memory>(3, gathered_at, properties.data(), inputs, updated_at, sums.data(), first, last, arg);
  emulator::MemoryMap::current() = nullptr;
  *sum = sums[0].lane[0];
  *cycles = emulator::Engine::last_cycles();
  EXPECT_EQ(std::memcmp(updated[0].data(), updated[2].data(), updated[0].size() * 64), 0);
  return updated[1];
}
TEST(Apply, AsPublishedGivesTheSameAnswerLater) {
  const VertexId first = 16, last = 16 + 6000;  // 375 words
  std::uint64_t sums[2];
  emulator::Cycle cycles[2];
  const Words ours = applied<StreamingMemory>(first, last, &sums[0], &cycles[0]);
  const Words published = applied<thundergp::BufferedMemory>(first, last, &sums[1], &cycles[1]);
  EXPECT_EQ(std::memcmp(ours.data(), published.data(), ours.size() * 64), 0);
  EXPECT_EQ(sums[0], sums[1]);
  // Three bursts are read before the last of them is sent on; that one is written in a burst and what is left of it.
  EXPECT_GT(cycles[1], 2 * (128 + 30 + 128) + (128 + 30) + 119u + (55 + 30));
  EXPECT_LT(cycles[0], 375 + 300u);
}

TEST(ToArg, PutsWordsTogetherAsTheyLieInMemory) {
  EXPECT_EQ(to_arg<unsigned>(7u, 1u, 2u, 3u, 4u, 5u, 6u, 8u), 7u);
  using Doubles = algorithm::pagerank::Arg<double>;
  const Doubles sent = {0.1, -2.5e300};
  std::uint32_t words[8] = {};
  static_assert(sizeof sent == 16, "two doubles");
  std::memcpy(words, &sent, sizeof sent);
  const Doubles got = to_arg<Doubles>(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]);
  EXPECT_EQ(got.base, sent.base);
  EXPECT_EQ(got.damping, sent.damping);
}

}  // namespace
}  // namespace gaspipe
