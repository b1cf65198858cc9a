// SPDX-License-Identifier: Apache-2.0
// Cycles: of pipelines small enough to count by hand, and, pinned, of the three gather-scatter kernels.
#include <gtest/gtest.h>

#include <vector>

#include "hls/algorithm/bfs.h"
#include "hls/algorithm/sssp.h"
#include "hls/kernel/gather_scatter.h"
#include "hls/thundergp/kernel.h"
#include "tests/hls/kernel/packed_launch.h"

namespace gaspipe {
namespace {

using emulator::Cycle;
using emulator::Engine;
using emulator::MemoryMap;
using testing::PackedLaunch;
using testing::SubPartition;
using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
using Sssp = algorithm::sssp::Hooks<std::uint32_t>;
using Ids = WordToken<std::uint32_t>;
using Words = std::vector<Word<std::uint32_t>>;

emulator::ChannelConfig channel(double bytes_per_cycle, std::uint32_t latency) {
  emulator::ChannelConfig config;
  config.bytes_per_cycle = bytes_per_cycle;
  config.latency = latency;
  return config;
}

TEST(Cycles, OfACopyAreThoseCountedByHand) {
  for (const Cycle latency : {0u, 20u, 100u}) {
    for (const Cycle num_bursts : {1u, 2u}) {
      const Words from(64 * num_bursts);
      Words to(from.size());
      MemoryMap map({emulator::Channel(channel(64, std::uint32_t(latency)))});
      map.add("from", from.data(), from.size() * 64, 0, false);
      map.add("to", to.data(), to.size() * 64, 0, true);
      MemoryMap::current() = &map;
      {
        GASPIPE_DATAFLOW;
        GASPIPE_STREAM(Ids, words, 128);
        GASPIPE_TASK(burstRead(0, std::uint32_t(from.size()), from.data(), words));
        GASPIPE_TASK(writeBack(0, to.data(), words));
        GASPIPE_RUN;
      }
      MemoryMap::current() = nullptr;
      // Asked for in cycle 1, word i = 1, 2, ... is there in cycle 1 + L + i, and can be taken a cycle later. A burst
      // is then filled in 64 cycles, handed to the port in 64, moved in 64 and answered after L; the words of the
      // second one wait in the stream. The end token takes the last cycle.
      EXPECT_EQ(Engine::last_cycles(), 2 + latency + num_bursts * (64 + 64 + 64 + latency) + 1);
    }
  }
}

// One sub-partition: 16 edges of one word, from sources of one line to a destination of each PE. No two requests
// overlap.
TEST(Cycles, OfAPackedSubPartitionAreThoseCountedByHand) {
  for (const Cycle latency : {0u, 20u, 100u}) {
    SubPartition<Bfs> sub_partition(16, 0, 16, 16, 1);
    for (VertexId i = 0; i < 16; ++i) sub_partition.edges[i] = {i, 15 - i, 1};
    for (std::uint32_t& level : sub_partition.properties[0].lane) level = 3;
    PackedLaunch<Bfs> launch({sub_partition});
    launch.channel = channel(64, std::uint32_t(latency));
    launch.run<Config<16, 16, 64>, false>();
    ASSERT_EQ(launch.values(0), std::vector<std::uint32_t>(16, 4));
    const Cycle described = 1 + latency + 1;          // readSubPartitions: asked for in cycle 1
    const Cycle edges = described + 2 + latency + 1;  // readEdges: read in described + 1, asked for a cycle later
    const Cycle decoded = edges + 1;                  // decodeEdges
    const Cycle run = decoded + 2;                    // lineCommands: with the end token
    const Cycle lines = run + 2 + latency + 1;        // lineRead
    const Cycle fetched = lines + 1;                  // fetchSources
    const Cycle updates = fetched + 1;                // propProcess
    const Cycle filtered = updates + 3;               // broadcastRows, shuffleDecoder, tupleFilter
    const Cycle solved = filtered + 1 + 1 + 4;        // rawSolver: the update, the end token, four steps of the window
    const Cycle sent = solved + 1 + 1 + 1;            // gatherRows: the update, the end token, the row
    const Cycle written = sent + 1 + 1 + latency;     // writeRows: the row; one word moves, and is answered
    EXPECT_EQ(written, 27 + 4 * latency);
    EXPECT_EQ(Engine::last_cycles(), written);
  }
}

// Changes only where the kernels or the emulator change.
struct Pinned {
  VertexId num_vertices, width;
  std::size_t num_edges;
  Cycle plain, published, packed;
};

template <class Hooks, bool weighted>
void check(const Pinned& pinned) {
  const SubPartition<Hooks> sub_partition(pinned.num_vertices, 0, pinned.width, pinned.num_edges, 42);
  const auto wanted = sub_partition.plain(weighted);
  for (int again = 0; again < 2; ++again) {
    std::vector<Word<typename Traits<Hooks>::Update>> gathered(sub_partition.num_gathered_words());
    MemoryMap map({emulator::Channel(channel(68.5, 64))});
    map.add("sources", sub_partition.sources.data(), sub_partition.sources.size() * 64, 0, false);
    map.add("destinations", sub_partition.destinations.data(), sub_partition.destinations.size() * 64, 0, false);
    map.add("weights", sub_partition.weights.data(), sub_partition.weights.size() * 64, 0, false);
    map.add("properties", sub_partition.properties.data(), sub_partition.properties.size() * 64, 0, false);
    map.add("gathered", gathered.data(), gathered.size() * 64, 0, true);
    MemoryMap::current() = &map;
    gather_scatter<Hooks, Config<8, 8, 4096>, weighted>(sub_partition.sources.data(), sub_partition.destinations.data(),
                                                        sub_partition.weights.data(), sub_partition.properties.data(),
                                                        gathered.data(), sub_partition.num_words(), sub_partition.first,
                                                        sub_partition.last);
    EXPECT_EQ(sub_partition.values_of(gathered), wanted);
    EXPECT_EQ(Engine::last_cycles(), pinned.plain);
    thundergp::gather_scatter<Hooks, Config<8, 16, 4096>, weighted>(
        sub_partition.sources.data(), sub_partition.destinations.data(), sub_partition.weights.data(),
        sub_partition.properties.data(), gathered.data(), sub_partition.num_words(), sub_partition.first,
        sub_partition.last, static_cast<std::uint32_t>(sub_partition.properties.size()));
    EXPECT_EQ(sub_partition.values_of(gathered), wanted);
    EXPECT_EQ(Engine::last_cycles(), pinned.published);
    PackedLaunch<Hooks> launch({sub_partition, sub_partition});
    launch.channel = channel(68.5, 64);
    launch.template run<Config<16, 16, 4096>, weighted>();
    EXPECT_EQ(launch.values(0), wanted);
    EXPECT_EQ(launch.values(1), wanted);
    EXPECT_EQ(Engine::last_cycles(), pinned.packed);
    MemoryMap::current() = nullptr;
  }
}

TEST(Cycles, OfTheKernelsArePinned) {
  check<Bfs, false>({500, 400, 3000, 977, 5862, 995});
  check<Bfs, false>({20000, 4096, 40000, 7615, 19237, 10486});
  check<Sssp, true>({3000, 1000, 20000, 4630, 12828, 5748});
}

}  // namespace
}  // namespace gaspipe
