// SPDX-License-Identifier: Apache-2.0
// The whole gather-scatter kernel on random edges, against a plain loop: widths, word sizes, weights, shallow streams,
// and what a design that is too shallow says of itself.
#include "hls/kernel/gather_scatter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "gaspipe/engine/fast_kernels.h"
#include "hls/algorithm/bfs.h"
#include "hls/algorithm/closeness.h"
#include "hls/algorithm/spmv.h"
#include "hls/algorithm/sssp.h"
#include "tests/hls/kernel/sub_partition.h"

namespace gaspipe {
namespace {

using emulator::Engine;
using testing::SubPartition;

template <class Width, bool weighted, class Hooks>
std::vector<typename Traits<Hooks>::Update> run(const SubPartition<Hooks>& sub_partition, bool fast) {
  std::vector<Word<typename Traits<Hooks>::Update>> words(sub_partition.num_gathered_words());
  if (fast) {
    engine::fast_gather_scatter<Hooks, Width>(sub_partition.sources.data(), sub_partition.destinations.data(),
                                              weighted ? sub_partition.weights.data() : nullptr,
                                              sub_partition.properties.data(), words.data(), sub_partition.num_words(),
                                              sub_partition.first, sub_partition.last);
  } else {
    gather_scatter<Hooks, Width, weighted>(sub_partition.sources.data(), sub_partition.destinations.data(),
                                           sub_partition.weights.data(), sub_partition.properties.data(), words.data(),
                                           sub_partition.num_words(), sub_partition.first, sub_partition.last);
  }
  return sub_partition.values_of(words);
}

template <class Hooks, class Width, bool weighted>
void check(const char* what) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    for (const bool shallow : {false, true}) {
      SCOPED_TRACE(::testing::Message() << what << ", seed " << seed << (shallow ? ", shallow" : ""));
      Engine::current_options().shallow = shallow;
      const VertexId first = 16 * (seed % 3), width = 1 + 37 * seed;
      const SubPartition<Hooks> sub_partition(3000, first, first + width, 50 + 700 * seed, seed);
      const auto wanted = sub_partition.plain(weighted);
      EXPECT_EQ((run<Width, weighted>(sub_partition, false)), wanted);
      EXPECT_EQ((run<Width, weighted>(sub_partition, true)), wanted);
    }
  }
  Engine::current_options().shallow = false;
}

TEST(GatherScatter, GathersWhatAPlainLoopGathersInEveryWidth) {
  using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
  check<Bfs, Config<8, 4>, false>("bfs 8 x 4");
  check<Bfs, Config<8, 8>, false>("bfs 8 x 8");
  check<Bfs, Config<8, 16>, false>("bfs 8 x 16");
  check<Bfs, Config<16, 8>, false>("bfs 16 x 8");
  check<Bfs, Config<16, 16>, false>("bfs 16 x 16");
}

TEST(GatherScatter, TakesWordsOf32And64BitsWithAndWithoutWeights) {
  check<algorithm::sssp::Hooks<std::uint32_t>, Config<8, 8>, true>("sssp 32");
  check<algorithm::sssp::Hooks<std::uint64_t>, Config<8, 16>, true>("sssp 64");
  check<algorithm::sssp::Hooks<std::uint64_t>, Config<16, 16>, true>("sssp 64, 16 lanes");
  check<algorithm::sssp::Hooks<std::uint32_t>, Config<16, 4>, false>("sssp without weights");
  check<algorithm::spmv::Hooks<std::int64_t>, Config<8, 4>, true>("spmv 64");
  check<algorithm::closeness::Hooks<std::uint64_t>, Config<8, 8>, false>("closeness 64");
}

TEST(GatherScatter, TakesValuesThatFillAWordOfMemory) {
  using Searches = algorithm::closeness::Hooks<BitSet<512>>;
  check<Searches, Config<8, 8, 4096>, false>("closeness 512, 8 PEs");
  check<Searches, Config<8, 4, 4096>, false>("closeness 512, 4 PEs");
  check<Searches, Config<16, 16, 4096>, false>("closeness 512, 16 PEs");
}

// The value of a source travels once for its edges of a word, and an edge takes no cycle of its own.
TEST(GatherScatter, TakesACycleForTheEdgesOfASourceWhereAValueFillsAWord) {
  using Searches = algorithm::closeness::Hooks<BitSet<512>>;
  const auto cycles = [](VertexId num_sources) {
    std::vector<SubPartition<Searches>::Edge> edges;
    for (VertexId i = 0; i < 16384; ++i) edges.push_back({i * num_sources / 16384, i % 64, 1});
    SubPartition<Searches> sub_partition(0, 64, edges);
    sub_partition.properties.assign(num_sources, Word<BitSet<512>>{{BitSet<512>{{1}}}});
    run<Config<8, 8, 4096>, false>(sub_partition, false);
    return Engine::last_cycles();
  };
  const emulator::Cycle few = cycles(64), many = cycles(4096), all = cycles(16384);
  EXPECT_LT(few, 3000u);  // 16 edges a cycle, but two to each of 8 PEs
  EXPECT_GT(many, 4096u);
  EXPECT_LT(many, 4700u);  // 4 edges each
  EXPECT_GT(all, 16384u);
}

TEST(GatherScatter, PredictsTheSameCyclesEveryTimeAndMoreWithShallowStreams) {
  using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
  const SubPartition<Bfs> sub_partition(2000, 0, 2000, 20000, 7);
  emulator::Cycle cycles[3];
  for (int i = 0; i < 3; ++i) {
    Engine::current_options().shallow = i == 2;
    run<Config<8, 8>, false>(sub_partition, false);
    cycles[i] = Engine::last_cycles();
  }
  Engine::current_options().shallow = false;
  EXPECT_EQ(cycles[0], cycles[1]);
  EXPECT_GT(cycles[2], cycles[0]);
  EXPECT_GE(cycles[0], 20000u / 8);  // eight lanes
}

// The design with a FIFO of sources that is too shallow for the look-ahead of the line commands: the fetch waits for
// lines, whose commands wait for sources that no longer fit.
TEST(GatherScatter, SaysWhoWaitsForWhomInAnUndersizedDesign) {
  using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
  const SubPartition<Bfs> sub_partition(16, 0, 64, 20000,
                                        7);  // many edges per line: a run of lines stays open for long
  Engine::current_options().depths = {{"edge_sources", 8}, {"command_sources", 4}};
  std::string report;
  try {
    run<Config<8, 8>, false>(sub_partition, false);
  } catch (const emulator::Deadlock& error) {
    report = error.what();
  }
  Engine::current_options().depths.clear();
  EXPECT_NE(report.find("deadlock"), std::string::npos);
  EXPECT_NE(report.find("markLines, cycle"), std::string::npos);
  EXPECT_NE(report.find("writes to edge_sources (8 of 8)"), std::string::npos);
  EXPECT_NE(report.find("fetchSources"), std::string::npos);
  EXPECT_NE(report.find("in a circle"), std::string::npos);
  if (std::getenv("GASPIPE_SHOW") != nullptr) std::printf("%s\n", report.c_str());
}

}  // namespace
}  // namespace gaspipe
