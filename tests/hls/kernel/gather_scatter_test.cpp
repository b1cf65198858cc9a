// SPDX-License-Identifier: Apache-2.0
// The whole gather-scatter kernel on random edges, against a plain loop: widths, word sizes, weights, shallow streams,
// and what a design that is too shallow says of itself.
#include "hls/kernel/gather_scatter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "hls/algorithm/bfs.h"
#include "hls/algorithm/closeness.h"
#include "hls/algorithm/spmv.h"
#include "hls/algorithm/sssp.h"
#include "hls/emulator/fast.h"

namespace gaspipe {
namespace {

using emulator::Engine;

// A share of a partition: edges sorted by source into destinations [first, last), as device memory holds them.
template <class Hooks>
struct Share {
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  struct Edge {
    VertexId source, destination;
    Weight weight;
  };

  VertexId first, last;
  std::vector<Edge> edges;
  std::vector<Word<VertexId>> sources, destinations;
  std::vector<Word<Weight>> weights;
  std::vector<Word<Property>> properties;

  Share(VertexId num_vertices, VertexId first_vertex, VertexId last_vertex, std::size_t num_edges, unsigned seed)
      : first(first_vertex), last(last_vertex) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < num_edges; ++i) {
      edges.push_back(
          {VertexId(random() % num_vertices), VertexId(first + random() % (last - first)), Weight(random() % 9 + 1)});
    }
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.source < b.source; });
    const std::size_t num_words = (num_edges + 15) / 16;
    sources.resize(num_words);
    destinations.resize(num_words);
    weights.resize(num_words * 16 / Word<Weight>::kSize);
    for (std::size_t i = 0; i < num_words * 16; ++i) {
      const bool is_edge = i < num_edges;
      sources[i / 16].lane[i % 16] = is_edge ? edges[i].source : edges.back().source;
      destinations[i / 16].lane[i % 16] = is_edge ? edges[i].destination : kNoVertex;
      weights[i / Word<Weight>::kSize].lane[i % Word<Weight>::kSize] = is_edge ? edges[i].weight : Weight(0);
    }
    properties.resize((num_vertices + Word<Property>::kSize - 1) / Word<Property>::kSize);
    for (auto& word : properties) {
      for (Property& property : word.lane)
        property = random() % 3 == 0 ? Traits<Hooks>::identity() : Property(random() % 50);
    }
  }
  Property property(VertexId v) const { return properties[v / Word<Property>::kSize].lane[v % Word<Property>::kSize]; }

  // What every vertex of the range gathers.
  std::vector<Value> plain(bool weighted) const {
    std::vector<Value> gathered(last - first, Traits<Hooks>::identity());
    for (const Edge& edge : edges) {
      const Value update =
          Hooks::scatterFunc(Hooks::preprocessProperty(property(edge.source)), weighted ? edge.weight : Weight(1));
      if (!Traits<Hooks>::is_active(update)) continue;
      Value& at = gathered[edge.destination - first];
      at = Hooks::gatherFunc(at, update);
    }
    return gathered;
  }
  template <class Width, bool weighted>
  std::vector<Value> run(bool fast) const {
    std::vector<Word<Value>> words((last - first + Word<Value>::kSize - 1) / Word<Value>::kSize);
    const auto num_words = static_cast<std::uint32_t>(sources.size());
    if (fast) {
      emulator::fast_gather_scatter<Hooks, Width>(sources.data(), destinations.data(),
                                                  weighted ? weights.data() : nullptr, properties.data(), words.data(),
                                                  num_words, first, last);
    } else {
      gather_scatter<Hooks, Width, weighted>(sources.data(), destinations.data(), weights.data(), properties.data(),
                                             words.data(), num_words, first, last);
    }
    std::vector<Value> values;
    for (VertexId v = 0; v < last - first; ++v)
      values.push_back(words[v / Word<Value>::kSize].lane[v % Word<Value>::kSize]);
    return values;
  }
};

template <class Hooks, class Width, bool weighted>
void check(const char* what) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    for (const bool shallow : {false, true}) {
      SCOPED_TRACE(::testing::Message() << what << ", seed " << seed << (shallow ? ", shallow" : ""));
      Engine::current_options().shallow = shallow;
      const VertexId first = 16 * (seed % 3), width = 1 + 37 * seed;
      const Share<Hooks> share(3000, first, first + width, 50 + 700 * seed, seed);
      const auto wanted = share.plain(weighted);
      EXPECT_EQ((share.template run<Width, weighted>(false)), wanted);
      EXPECT_EQ((share.template run<Width, weighted>(true)), wanted);
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

TEST(GatherScatter, PredictsTheSameCyclesEveryTimeAndMoreWithShallowStreams) {
  using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
  const Share<Bfs> share(2000, 0, 2000, 20000, 7);
  emulator::Cycle cycles[3];
  for (int i = 0; i < 3; ++i) {
    Engine::current_options().shallow = i == 2;
    share.run<Config<8, 8>, false>(false);
    cycles[i] = Engine::last_cycles();
  }
  Engine::current_options().shallow = false;
  EXPECT_EQ(cycles[0], cycles[1]);
  EXPECT_GT(cycles[2], cycles[0]);
  EXPECT_GE(cycles[0], 20000u / 8);  // eight lanes
}

// The published design's habits change when things happen, never what is gathered.
TEST(GatherScatter, AsPublishedGivesTheSameAnswerLater) {
  using Published = Config<8, 16, 1 << 12, true>;
  check<algorithm::bfs::Hooks<std::uint32_t>, Published, false>("bfs, published");
  check<algorithm::sssp::Hooks<std::uint32_t>, Published, true>("sssp, published");
  check<algorithm::closeness::Hooks<std::uint64_t>, Published, false>("closeness, published");
  using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
  const Share<Bfs> share(2000, 0, 256, 20000, 7);
  share.run<Config<8, 16, 1 << 12>, false>(false);
  const emulator::Cycle ours = Engine::last_cycles();
  share.run<Published, false>(false);
  // The buffers of 256 values leave each PE, where 16 are in use, and are cleared before.
  EXPECT_GE(Engine::last_cycles(), ours + 240);
}

// The design with a FIFO of sources that is too shallow for the look-ahead of the line commands: the fetch waits for
// lines, whose commands wait for sources that no longer fit.
TEST(GatherScatter, SaysWhoWaitsForWhomInAnUndersizedDesign) {
  using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
  const Share<Bfs> share(16, 0, 64, 20000, 7);  // many edges per line: a run of lines stays open for long
  Engine::current_options().depths = {{"edge_sources", 8}, {"command_sources", 4}};
  std::string report;
  try {
    share.run<Config<8, 8>, false>(false);
  } catch (const emulator::Deadlock& error) {
    report = error.what();
  }
  Engine::current_options().depths.clear();
  EXPECT_NE(report.find("deadlock"), std::string::npos);
  EXPECT_NE(report.find("duplicateSources, cycle"), std::string::npos);
  EXPECT_NE(report.find("writes to edge_sources (8 of 8)"), std::string::npos);
  EXPECT_NE(report.find("fetchSources"), std::string::npos);
  EXPECT_NE(report.find("in a circle"), std::string::npos);
  if (std::getenv("GASPIPE_SHOW") != nullptr) std::printf("%s\n", report.c_str());
}

}  // namespace
}  // namespace gaspipe
