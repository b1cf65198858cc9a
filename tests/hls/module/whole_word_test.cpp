// SPDX-License-Identifier: Apache-2.0
// Values that fill a word of memory, on their way from edges to PEs, beside a plain loop over the edges.
#include "hls/module/whole_word.h"

#include "hls/bit_set.h"
#include "hls/module/raw_solver.h"
#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Random;
using Set = BitSet<512>;

// Unions; what scatters nothing is not active.
struct Union {
  using Property = Set;
  using EdgeProperty = std::uint32_t;
  static constexpr bool kIdempotent = true;
  static bool isActive(const Set& update) { return has_any(update); }
  static Set preprocessProperty(const Set& p) { return {{p.word[0] >> 1, p.word[1], 0, 0, 0, 0, 0, p.word[7]}}; }
  static Set scatterFunc(const Set& p, EdgeProperty) { return p; }
  static Set updateMergeInRAWSolver(const Set& a, const Set& b) { return a | b; }
  static Set gatherFunc(const Set& a, const Set& b) { return a | b; }
  static Set applyMerge(const Set& a, const Set& b) { return a | b; }
};

template <int pes>
void check(std::size_t num_edges, VertexId num_sources, VertexId first, VertexId last) {
  SCOPED_TRACE(::testing::Message() << num_edges << " edges from " << num_sources << " sources, " << pes << " PEs");
  using Ids = WordToken<VertexId>;
  using Line = Word<Set>;
  using Shared = SharedSource<Set>;
  using Updates = SharedSet<Set>;
  using Listed = SharedListed<Set>;
  using Single = UpdateToken<Set>;
  Random random(num_edges);
  std::vector<Line> properties(num_sources);
  for (Line& line : properties) {
    line.lane[0] = Set{};
    if (random() % 3 != 0) line.lane[0].word[random() % 3] = random() & random();  // word 2 is dropped
  }
  // Sorted sources; a padding edge has no destination. Words by source in them are what cycles are for.
  std::vector<VertexId> sources(num_edges), destinations(num_edges);
  for (VertexId& source : sources) source = static_cast<VertexId>(random() % num_sources);
  std::sort(sources.begin(), sources.end());
  for (VertexId& to : destinations) {
    to = random() % 10 == 0 ? kNoVertex : first + static_cast<VertexId>(random() % (last - first));
  }
  std::vector<Set> expected(last - first, Set{});
  std::size_t num_cycles = 0, num_values = 0, num_for_pe[pes] = {}, num_lists[pes] = {};
  for (std::size_t begin = 0; begin < num_edges;) {
    std::size_t end = begin;
    while (end < num_edges && sources[end] == sources[begin] && end / 16 == begin / 16) ++end;
    const Set update = Union::preprocessProperty(properties[sources[begin]].lane[0]);
    std::size_t of_pe[pes] = {};
    for (std::size_t e = begin; e < end; ++e) {
      if (destinations[e] == kNoVertex || !has_any(update)) continue;
      expected[destinations[e] - first] = expected[destinations[e] - first] | update;
      ++of_pe[destinations[e] % pes];
      ++num_values;
    }
    for (int pe = 0; pe < pes; ++pe) {
      num_for_pe[pe] += of_pe[pe];
      num_lists[pe] += of_pe[pe] != 0;
    }
    ++num_cycles;
    begin = end;
  }
  ASSERT_GT(num_values, 0u);
  const auto padded = [](std::vector<VertexId> values, VertexId with) {
    values.resize((values.size() + 15) / 16 * 16, with);
    return testing::as_tokens(testing::as_words(values, with));
  };
  const auto source_words = padded(sources, sources.back()), words = padded(destinations, kNoVertex);
  const std::size_t num_rows = (last - first + pes - 1) / pes;
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Set> values[pes];
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Ids, ids, 2);
      GASPIPE_STREAM(Ids, to, 64);
      GASPIPE_STREAM(MarkedSources, commands, 2);
      GASPIPE_STREAM(SourcePlaces, places, 2 * kSourcesAhead, kSourcesAhead);
      GASPIPE_STREAM(LineRun, runs, 2);
      GASPIPE_STREAM(Line, lines, 2);
      GASPIPE_STREAM(Shared, shared, 2);
      GASPIPE_STREAM(Updates, updates, 2);
      GASPIPE_STREAMS(Updates, pe_updates, pes, 2);
      GASPIPE_STREAMS(Listed, listed, pes, 2);
      GASPIPE_STREAMS(Single, filtered, pes, 2);
      GASPIPE_STREAMS(Single, solved, pes, 2);
      GASPIPE_STREAMS(Set, out, pes, 2);
      GASPIPE_TASK(testing::feed(source_words, ids));
      GASPIPE_TASK(testing::feed(words, to));
      GASPIPE_TASK(markLines<Set>(ids, commands, places));
      GASPIPE_TASK(lineCommands<Set>(commands, runs));
      GASPIPE_TASK(lineRead<Set>(properties.data(), runs, lines));
      GASPIPE_TASK(fetchSources<Union, 16>(places, lines, shared));
      GASPIPE_TASK(propProcess<Union, 16>(shared, to, updates));
      GASPIPE_TASK(broadcast(updates, pe_updates));
      for (int pe = 0; pe < pes; ++pe) {
        GASPIPE_TASK_I(pe, shuffleDecoder<16, pes>(pe, pe_updates[pe], listed[pe]));
        GASPIPE_TASK_I(pe, tupleFilter<16>(listed[pe], filtered[pe]));
        GASPIPE_TASK_I(pe, rawSolver<Union>(filtered[pe], solved[pe]));
        GASPIPE_TASK_I(pe, dstPropertyProcess<Union, pes, 1024>(pe, first, last, solved[pe], out[pe]));
        GASPIPE_TASK_I(pe, testing::drain(out[pe], num_rows, values[pe]));
      }
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("fetchSources"), num_cycles + 1);
    EXPECT_EQ(statistics.busy("propProcess"), num_cycles + 1);
    for (int pe = 0; pe < pes; ++pe) {
      const std::string number = "[" + std::to_string(pe) + "]";
      EXPECT_EQ(statistics.busy("shuffleDecoder" + number), num_cycles + 1);
      EXPECT_EQ(statistics.num_tokens("listed" + number), num_lists[pe] + 1);
      EXPECT_EQ(statistics.num_tokens("filtered" + number), num_for_pe[pe] + 1);
      EXPECT_EQ(statistics.busy("tupleFilter" + number), num_for_pe[pe] + 1);
      EXPECT_EQ(statistics.busy("dstPropertyProcess" + number),
                2 * num_rows + statistics.num_tokens("solved" + number));
      for (VertexId v = first; v < last; ++v) {
        if (v % pes != VertexId(pe)) continue;
        EXPECT_EQ(values[pe][(v - first) / pes], expected[v - first]) << v;
      }
    }
  });
}
TEST(WholeWord, GathersWhatAPlainLoopGathers) {
  check<4>(20, 3, 0, 30);
  check<8>(500, 30, 64, 200);
  check<16>(800, 3000, 1024, 1024 + 333);
}

TEST(WholeWord, TakesWeightsThatItDoesNotRead) {
  stream<SharedSource<Set>> sources;
  stream<WordToken<VertexId>> ids;
  stream<WordToken<std::uint32_t>> weights;
  stream<SharedSet<Set>> out;
  sources.write({Set{{1}}, 0xffff, true, false});
  sources.write({Set{}, 0, false, true});
  for (const auto& token : testing::as_tokens(std::vector<Word<VertexId>>(1, Word<VertexId>{{5, 6}}))) ids.write(token);
  propProcess<Union, 16>(sources, ids, weights, out);
  ASSERT_EQ(out.size(), 2u);
  const SharedSet<Set> set = out.read();
  EXPECT_EQ(set.valid, 0xffffu);
  EXPECT_EQ(set.destination[1], 6u);
  EXPECT_TRUE(out.read().end);
}

}  // namespace
}  // namespace gaspipe
