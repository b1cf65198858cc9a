// SPDX-License-Identifier: Apache-2.0
// The published design's kernel: its habits change when things happen, never what is gathered; and what they cost.
#include "hls/thundergp/kernel.h"

#include <gtest/gtest.h>

#include <vector>

#include "hls/algorithm/bfs.h"
#include "hls/algorithm/closeness.h"
#include "hls/algorithm/sssp.h"
#include "tests/hls/kernel/sub_partition.h"
#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using emulator::Cycle;
using emulator::Engine;
using emulator::MemoryMap;
using testing::SubPartition;
using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
constexpr VertexId kCapacity = 1 << 13;
using Published = Config<8, 16, kCapacity>;

struct Setting {
  std::uint32_t log_block_lines = 6;
  emulator::ChannelConfig channel;
  VertexId flushed = 0;  // vertices, if not the range
};

// All of a unit's memory in one bank.
template <bool weighted, class Hooks>
std::vector<typename Traits<Hooks>::Update> run(const SubPartition<Hooks>& sub_partition, const Setting& setting = {}) {
  using Value = typename Traits<Hooks>::Update;
  const VertexId last = setting.flushed != 0 ? sub_partition.first + setting.flushed : sub_partition.last;
  std::vector<Word<Value>> words((last - sub_partition.first + Word<Value>::kSize - 1) / Word<Value>::kSize);
  MemoryMap map({emulator::Channel(setting.channel)});
  const auto add = [&](const char* name, const auto& array, bool writable) {
    map.add(name, array.data(), array.size() * sizeof(array[0]), 0, writable);
  };
  if (!sub_partition.edges.empty()) {
    add("sources", sub_partition.sources, false);
    add("destinations", sub_partition.destinations, false);
    add("weights", sub_partition.weights, false);
  }
  add("properties", sub_partition.properties, false);
  add("gathered", words, true);
  MemoryMap::current() = &map;
  thundergp::gather_scatter<Hooks, Published, weighted>(
      sub_partition.sources.data(), sub_partition.destinations.data(), sub_partition.weights.data(),
      sub_partition.properties.data(), words.data(), sub_partition.num_words(), sub_partition.first, last,
      static_cast<std::uint32_t>(sub_partition.properties.size()), setting.log_block_lines);
  MemoryMap::current() = nullptr;
  return sub_partition.values_of(words);
}

template <bool weighted, class Hooks>
void check(const char* what) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const VertexId num_vertices = seed == 5 ? 700000 : 3000;  // sources far apart: more than the cache holds
    const VertexId first = 16 * (seed % 3), width = seed == 6 ? kCapacity : 1 + 37 * seed;
    const SubPartition<Hooks> sub_partition(num_vertices, first, first + width, seed == 4 ? 1 : 50 + 700 * seed, seed);
    const auto wanted = sub_partition.plain(weighted);
    testing::at_all_depths([&] {
      for (const std::uint32_t log_block_lines : {6u, 7u}) {
        SCOPED_TRACE(::testing::Message() << what << ", seed " << seed << ", 2^" << log_block_lines << " lines");
        Setting setting;
        setting.log_block_lines = log_block_lines;
        EXPECT_EQ(run<weighted>(sub_partition, setting), wanted);
      }
    });
  }
}

TEST(ThunderGp, GathersWhatAPlainLoopGathers) {
  check<false, Bfs>("bfs");
  check<false, algorithm::closeness::Hooks<std::uint64_t>>("closeness 64");
  check<true, algorithm::sssp::Hooks<std::uint32_t>>("sssp 32");
  check<true, algorithm::sssp::Hooks<std::uint64_t>>("sssp 64");
}
TEST(ThunderGp, FlushesABurstAfterTheOther) {
  const SubPartition<Bfs> none(64, 0, 32, 0, 1), some(4000, 0, 100, 3000, 2);
  Cycle cycles[2];
  for (const std::uint32_t latency : {20u, 59u}) {
    Setting setting;
    setting.channel.latency = latency;
    for (int i = 0; i < 2; ++i) {
      setting.flushed = i == 0 ? kCapacity / 2 : kCapacity;
      run<false>(none, setting);
      cycles[i] = Engine::last_cycles();
    }
    // Four bursts more. Each: 32 rows of the PEs; the burst begins with its first word, a cycle later; 64 words move;
    // the answer comes.
    EXPECT_EQ(cycles[1] - cycles[0], kCapacity / 2 / 1024 * (32 + 1 + 64 + latency));
  }
  Setting setting;
  setting.flushed = kCapacity;
  EXPECT_EQ(run<false>(some, setting), some.plain(false));
}
TEST(ThunderGp, TakesTwoCyclesPerUpdateAndHasTheMemoryOfTheSources) {
  const SubPartition<Bfs> sub_partition(4000, 0, 16, 20000, 3);  // one vertex per PE
  testing::Statistics statistics;
  EXPECT_EQ(run<false>(sub_partition), sub_partition.plain(false));
  std::uint64_t bits = 0, num_updates = 0;
  for (const auto& memory : statistics.all().memories) {
    if (memory.kind == emulator::MemoryKind::kUram) bits += memory.num_words * memory.word_bytes * 8;
  }
  // The cache of 32 blocks of 4096 words; capacity / 2 words in the PEs' buffers together.
  EXPECT_EQ(bits, (32 * 4096 + kCapacity / 2) * 64u);
  std::uint64_t busiest = 0;
  for (int pe = 0; pe < 16; ++pe) {
    const std::uint64_t num = statistics.num_tokens("filtered[" + std::to_string(pe) + "]") - 1;
    num_updates += num;
    busiest = std::max(busiest, num);
  }
  std::uint64_t active = 0;
  for (const auto& edge : sub_partition.edges) {
    active += Traits<Bfs>::is_active(Bfs::scatterFunc(Bfs::preprocessProperty(sub_partition.property(edge.source)), 1));
  }
  EXPECT_EQ(num_updates, active);
  EXPECT_GT(Engine::last_cycles(), 2 * busiest + thundergp::kIdleCycles);
}

}  // namespace
}  // namespace gaspipe
