// SPDX-License-Identifier: Apache-2.0
// The packed kernel on random sub-partitions, several per launch, against a plain loop.
#include "hls/kernel/packed_gather_scatter.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "hls/algorithm/bfs.h"
#include "hls/algorithm/closeness.h"
#include "hls/algorithm/pagerank.h"
#include "hls/algorithm/spmv.h"
#include "hls/algorithm/sssp.h"
#include "tests/hls/kernel/packed_launch.h"
#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using emulator::Cycle;
using emulator::Engine;
using testing::PackedLaunch;
using testing::SubPartition;
using Bfs = algorithm::bfs::Hooks<std::uint32_t>;

// Sub-partitions of all kinds, over 300,000 vertices: gaps of sources far over 4095 in the thin ones.
template <class Hooks>
std::vector<SubPartition<Hooks>> mixed_sub_partitions(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<SubPartition<Hooks>> sub_partitions;
  const std::size_t num_edges[] = {0, 1, 17, 300, 4000, 0, 9000, 20, 1};
  for (const std::size_t num : num_edges) {
    const VertexId first = 16 * (random() % 50), width = 1 + random() % 3000;
    sub_partitions.emplace_back(300000, first, first + width, num, 1000 * seed + unsigned(sub_partitions.size()), 77);
  }
  return sub_partitions;
}

template <class Hooks, class Width, bool weighted>
void check(const char* what) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const auto sub_partitions = mixed_sub_partitions<Hooks>(seed);
    testing::at_all_depths([&] {
      SCOPED_TRACE(::testing::Message() << what << ", seed " << seed);
      PackedLaunch<Hooks> launch(sub_partitions);
      launch.template run<Width, weighted>();
      for (std::size_t s = 0; s < sub_partitions.size(); ++s) {
        ASSERT_EQ(launch.values(s), sub_partitions[s].plain(weighted)) << "sub-partition " << s;
      }
    });
  }
}

TEST(PackedGatherScatter, GathersWhatAPlainLoopGathers) {
  check<Bfs, Config<16, 16, 4096>, false>("bfs 16 x 16");
  check<Bfs, Config<8, 16, 4096>, false>("bfs 8 x 16");
  check<Bfs, Config<16, 8, 4096>, false>("bfs 16 x 8");
}
TEST(PackedGatherScatter, TakesWordsOf32And64BitsWithAndWithoutWeights) {
  check<algorithm::sssp::Hooks<std::uint32_t>, Config<16, 16, 4096>, true>("sssp 32");
  check<algorithm::sssp::Hooks<std::uint64_t>, Config<16, 16, 4096>, true>("sssp 64");
  check<algorithm::spmv::Hooks<std::int32_t>, Config<16, 16, 4096>, true>("spmv 32");
  check<algorithm::pagerank::Hooks<Fixed<32>>, Config<16, 16, 4096>, false>("pagerank, fixed point");
  check<algorithm::closeness::Hooks<std::uint64_t>, Config<16, 16, 4096>, false>("closeness 64");
}
TEST(PackedGatherScatter, TakesPartitionsOfHalfAMillionVertices) {
  constexpr VertexId kCapacity = 1 << 19;
  std::vector<SubPartition<Bfs>> sub_partitions;
  sub_partitions.emplace_back(600000, 0, kCapacity, 30000, 1, 5);
  sub_partitions.emplace_back(600000, kCapacity, 600000, 5000, 2, 5);
  sub_partitions.emplace_back(600000, 0, kCapacity, 100, 3, 5);
  PackedLaunch<Bfs> launch(sub_partitions);
  launch.run<Config<16, 16, kCapacity>, false>();
  for (std::size_t s = 0; s < sub_partitions.size(); ++s)
    ASSERT_EQ(launch.values(s), sub_partitions[s].plain(false)) << s;
}
TEST(PackedGatherScatter, RunsWithoutSubPartitions) {
  PackedLaunch<Bfs> launch({});
  launch.run<Config<16, 16, 64>, false>();
}
TEST(PackedGatherScatter, ClearsItsBanksWhereAsked) {
  std::vector<SubPartition<Bfs>> sub_partitions;
  sub_partitions.emplace_back(1000, 0, 64, 100, 1, 5);
  Cycle cycles[2];
  for (std::uint32_t cleared : {0u, 2048u}) {
    PackedLaunch<Bfs> launch(sub_partitions);
    launch.num_cleared = cleared;
    launch.run<Config<16, 16, 1 << 16>, false>();
    EXPECT_EQ(launch.values(0), sub_partitions[0].plain(false));
    cycles[cleared != 0] = Engine::last_cycles();
  }
  EXPECT_GT(cycles[1], 2048u);
  EXPECT_LT(cycles[0], 1000u);
}
// The rows of a sub-partition leave while the next is gathered.
TEST(PackedGatherScatter, FlushesASubPartitionUnderTheNext) {
  const VertexId width = 1 << 14;  // 512 rows of the PEs: 1024 words
  std::vector<SubPartition<Bfs>> one, three;
  for (unsigned s = 0; s < 3; ++s) three.emplace_back(20000, 0, width, 80000, 5 + s, 5);
  one.push_back(three[0]);
  Cycle cycles[2];
  for (const auto& sub_partitions : {one, three}) {
    PackedLaunch<Bfs> launch(sub_partitions);
    launch.channel.bytes_per_cycle = 1000;  // the memory is not what they wait for
    launch.run<Config<16, 16, width>, false>();
    for (std::size_t s = 0; s < sub_partitions.size(); ++s) ASSERT_EQ(launch.values(s), sub_partitions[s].plain(false));
    cycles[sub_partitions.size() == 3] = Engine::last_cycles();
  }
  EXPECT_GT(cycles[0], 80000u / 16 + width / 16);
  // Two sub-partitions more take two times the edges, without the rows, which one alone sends in the end.
  EXPECT_LT(cycles[1] - cycles[0], 2 * (cycles[0] - width / 16));
}

TEST(PackedEdgeCodec, BridgesGapsAndFillsWords) {
  const std::vector<VertexId> sources = {7, 7, 4102, 4103, 12295, 40000}, destinations = {0, 5, 1048574, 3, 2, 9};
  std::vector<std::uint32_t> words;
  std::vector<EdgeCount> edges;
  const auto source = [&](EdgeCount i) { return sources[i]; };
  const EdgeCount places = PackedEdgeCodec::encode(
      sources.size(), 7, source, [&](EdgeCount i) { return destinations[i]; },
      [&](EdgeCount place, std::uint32_t word, EdgeCount edge) {
        EXPECT_EQ(place, words.size());
        words.push_back(word);
        edges.push_back(edge);
      });
  // 4102 - 7 = 4095 needs no bridge; 12295 - 4103 = 8192 = 2 * 4095 + 2 two; 27705 = 6 * 4095 + 3135 six.
  EXPECT_EQ(places, 16u);
  EXPECT_EQ(PackedEdgeCodec::padded(sources.size(), 7, source), 16u);
  VertexId at = 7;
  std::size_t next = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    at += PackedEdgeCodec::gap(words[i]);
    if (PackedEdgeCodec::destination(words[i]) == PackedEdgeCodec::kPadding) {
      EXPECT_EQ(edges[i], PackedEdgeCodec::kNoEdge);
      continue;
    }
    ASSERT_LT(next, sources.size());
    EXPECT_EQ(edges[i], next);
    EXPECT_EQ(at, sources[next]);
    EXPECT_EQ(PackedEdgeCodec::destination(words[i]), destinations[next++]);
  }
  EXPECT_EQ(next, sources.size());
  EXPECT_EQ(std::count(edges.begin(), edges.end(), PackedEdgeCodec::kNoEdge), 2 + 6 + 2);
  EXPECT_EQ(PackedEdgeCodec::padded(0, 0, source), 0u);
  EXPECT_EQ(PackedEdgeCodec::padded(1, 0, [](EdgeCount) { return 4095u * 16; }), 16u);
  EXPECT_EQ(PackedEdgeCodec::padded(1, 0, [](EdgeCount) { return 4095u * 16 + 1; }), 32u);
}

}  // namespace
}  // namespace gaspipe
