// SPDX-License-Identifier: Apache-2.0
// Cycles that the loops of the pipeline's modules take, waiting left out: one for each token, word or row, as the text
// of each module says. Tasks of the later kernels have theirs in tests of their own (sub_partition, row_gather,
// one_bank).
#include "hls/module/apply.h"
#include "hls/module/burst_read.h"
#include "hls/module/collect.h"
#include "hls/module/duplicate.h"
#include "hls/module/gather.h"
#include "hls/module/merge.h"
#include "hls/module/property_process.h"
#include "hls/module/raw_solver.h"
#include "hls/module/shuffle.h"
#include "hls/module/source_property.h"
#include "hls/module/update_filter.h"
#include "hls/module/write_back.h"
#include "tests/hls/module/launch.h"

namespace gaspipe {
namespace {

using testing::Random;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Hooks = testing::Sum<u32>;
using Words = Word<u32>;
using Token = WordToken<u32>;

TEST(Pace, OfReadingIsAWordACycle) {
  Random random(71);
  const auto memory = testing::random_words<u32>(200, random);
  testing::Statistics statistics;
  std::vector<Token> ended;
  std::vector<Words> counted;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Token, a, 4);
  GASPIPE_STREAM(Words, b, 4);
  GASPIPE_TASK(burstRead(10, 150, memory.data(), a));
  GASPIPE_TASK(burstReadLite(20, 200, memory.data(), b));
  GASPIPE_TASK(testing::drain_to_end(a, ended));
  GASPIPE_TASK(testing::drain(b, 180, counted));
  GASPIPE_RUN;
  EXPECT_EQ(statistics.busy("burstRead"), 140u);
  EXPECT_EQ(statistics.busy("burstReadLite"), 180u);
}

TEST(Pace, OfWritingIsAWordInACycleAndOutInAnother) {
  Random random(72);
  const auto words = testing::random_words<u32>(150, random);
  std::vector<Words> memory(400);
  testing::Statistics statistics;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Token, a, 4);
  GASPIPE_STREAM(Words, b, 4);
  GASPIPE_TASK(testing::feed(testing::as_tokens(words), a));
  GASPIPE_TASK(testing::feed(words, b));
  GASPIPE_TASK(writeBack(5, memory.data(), a));
  GASPIPE_TASK(writeBackLite(200, 350, memory.data(), b));
  GASPIPE_RUN;
  EXPECT_EQ(statistics.busy("writeBack"), 150u + 1 + 150);
  EXPECT_EQ(statistics.busy("writeBackLite"), 150u);
}

TEST(Pace, OfCopyingAndMergingIsAWordACycle) {
  Random random(73);
  const auto words = testing::random_words<u32>(90, random);
  testing::Statistics statistics;
  std::vector<Words> merged;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Words, in, 4);
  GASPIPE_STREAMS(Words, copies, 2, 4);
  GASPIPE_STREAM(Words, out, 4);
  GASPIPE_TASK(testing::feed(words, in));
  GASPIPE_TASK(cuDuplicate(in, 90, 2, copies));
  GASPIPE_TASK(cuMerge<Hooks>(copies[0], copies[1], 90, out));
  GASPIPE_TASK(testing::drain(out, 90, merged));
  GASPIPE_RUN;
  EXPECT_EQ(statistics.busy("cuDuplicate"), 90u);
  EXPECT_EQ(statistics.busy("cuMerge"), 90u);
}

// Words of sources that need `lines` lines each, of memory that has a board's bounds.
TEST(Pace, OfSourcesIsALineACycleOrASetWhereThereIsNone) {
  Random random(74);
  const auto memory = testing::random_words<u32>(500, random);
  std::vector<Words> words;
  VertexId line = 0;
  u64 cycles = 0, num_lines = 0;
  for (const u32 lines : {1u, 0u, 16u, 3u, 0u, 2u, 1u, 7u}) {
    Words word;
    for (u32 i = 0; i < 16; ++i) {
      if (i < lines) line += 1 + i % 3;
      word.lane[i] = 16 * line + i;
    }
    words.push_back(word);
    num_lines += lines;
    cycles += lines == 0 ? 1 : lines;
  }
  ASSERT_LT(line, memory.size());
  const testing::OneBuffer board(memory, false);
  testing::Statistics statistics;
  using Set = SourceToken<u32, 16>;
  std::vector<Set> sets;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Token, in, 4);
  GASPIPE_STREAM(MarkedSources, commands, 4);
  GASPIPE_STREAM(SourcePlaces, places, 2 * kSourcesAhead, kSourcesAhead);
  GASPIPE_STREAM(LineRun, runs, 4);
  GASPIPE_STREAM(Words, lines, 4);
  GASPIPE_STREAM(Set, out, 4);
  GASPIPE_TASK(testing::feed(testing::as_tokens(words), in));
  GASPIPE_TASK(markLines<u32>(in, commands, places));
  GASPIPE_TASK(lineCommands<u32>(commands, runs));
  GASPIPE_TASK(lineRead<u32>(memory.data(), runs, lines));
  GASPIPE_TASK(fetchSources<Hooks, 16>(places, lines, out));
  GASPIPE_TASK(testing::drain_to_end(out, sets));
  GASPIPE_RUN;
  EXPECT_EQ(statistics.busy("markLines"), words.size() + 1);
  EXPECT_EQ(statistics.busy("lineCommands"), cycles + 1);
  EXPECT_EQ(statistics.busy("lineRead"), num_lines);
  EXPECT_EQ(statistics.busy("fetchSources"), cycles + 1);
  EXPECT_EQ(sets.size(), words.size());
}

template <int lanes, bool weighted>
void check_updates() {
  using Set = SourceToken<u32, lanes>;
  using Updates = UpdateSet<u32, lanes>;
  constexpr std::size_t num = 30;
  Random random(75);
  const auto ids = testing::as_tokens(testing::random_words<u32>(num, random));
  std::vector<Set> sources(num * 16 / lanes);
  sources.push_back(Set{});
  sources.back().end = true;
  std::vector<Updates> sets;
  testing::Statistics statistics;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Set, in, 4);
  GASPIPE_STREAM(Token, destinations, 4);
  GASPIPE_STREAM(Token, weights, 4);
  GASPIPE_STREAM(Updates, out, 4);
  GASPIPE_TASK(testing::feed(sources, in));
  GASPIPE_TASK(testing::feed(ids, destinations));
  if (weighted) {
    GASPIPE_TASK(testing::feed(ids, weights));
    GASPIPE_TASK(propProcess<Hooks, lanes>(in, destinations, weights, out));
  } else {
    GASPIPE_TASK(propProcess<Hooks, lanes>(in, destinations, out));
  }
  GASPIPE_TASK(testing::drain_to_end(out, sets));
  GASPIPE_RUN;
  EXPECT_EQ(statistics.busy("propProcess"), sources.size());
  EXPECT_EQ(sets.size() + 1, sources.size());
}
TEST(Pace, OfUpdatesIsASetACycle) {
  check_updates<8, false>();
  check_updates<16, false>();
  check_updates<8, true>();
  check_updates<16, true>();
}

TEST(Pace, OfShufflingIsASetACycleAndThenAnUpdate) {
  using Set = UpdateSet<u32, 8>;
  using Listed = ListedSet<u32, 8>;
  using Single = UpdateToken<u32>;
  constexpr int pes = 8;
  constexpr VertexId num_vertices = 500;
  Random random(76);
  const auto sets = testing::random_sets<u32, 8>({100}, num_vertices, random);
  u64 num_updates[pes] = {};
  for (const Set& set : sets) {
    for (int i = 0; i < 8 && !set.end; ++i) num_updates[set.update[i].destination % pes] += set.valid >> i & 1;
  }
  testing::Statistics statistics;
  std::vector<Token> words;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Set, in, 4);
  GASPIPE_STREAMS(Set, copies, pes, 4);
  GASPIPE_STREAMS(Listed, listed, pes, 4);
  GASPIPE_STREAMS(Single, filtered, pes, 4);
  GASPIPE_STREAMS(Single, solved, pes, 4);
  GASPIPE_STREAMS(u32, values, pes, 4);
  GASPIPE_STREAM(Token, out, 4);
  GASPIPE_TASK(testing::feed(sets, in));
  GASPIPE_TASK(broadcast(in, copies));
  for (int pe = 0; pe < pes; ++pe) {
    GASPIPE_TASK_I(pe, shuffleDecoder<8, pes>(pe, copies[pe], listed[pe]));
    GASPIPE_TASK_I(pe, tupleFilter(listed[pe], filtered[pe]));
    GASPIPE_TASK_I(pe, rawSolver<Hooks>(filtered[pe], solved[pe]));
    GASPIPE_TASK_I(pe, dstPropertyProcess<Hooks, pes, 1024>(pe, 0, num_vertices, solved[pe], values[pe]));
  }
  GASPIPE_TASK(collect(0, num_vertices, values, out));
  GASPIPE_TASK(testing::drain_to_end(out, words));
  GASPIPE_RUN;
  EXPECT_EQ(statistics.busy("broadcast"), sets.size());
  for (int pe = 0; pe < pes; ++pe) {
    const std::string number = "[" + std::to_string(pe) + "]";
    EXPECT_EQ(statistics.busy("shuffleDecoder" + number), sets.size());
    EXPECT_EQ(statistics.busy("tupleFilter" + number), num_updates[pe] + 1);
    EXPECT_EQ(statistics.busy("rawSolver" + number), num_updates[pe] + 1 + kRawWindow);
    // 500 vertices are 32 words, and so 64 values of each PE, which are cleared and sent.
    EXPECT_EQ(statistics.busy("dstPropertyProcess" + number), 64 + statistics.num_tokens("solved" + number) + 64);
  }
  EXPECT_EQ(statistics.busy("collect"), 64u);
  EXPECT_EQ(words.size(), 32u);
}

template <class H, int aux>
void check_apply(u32 num_vertices, u64 cycles) {
  using Property = typename H::Property;
  using Value = typename Traits<H>::Update;
  using Inputs = Word<typename Traits<H>::Aux>;
  using Properties = Word<Property>;
  using Values = Word<Value>;
  Random random(77);
  const std::size_t num = (num_vertices + Properties::kSize - 1) / Properties::kSize;
  const auto words = testing::random_words<Property>(num, random);
  testing::Statistics statistics;
  std::vector<Properties> applied;
  std::vector<ResultWord> sums;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Values, gathered, 4);
  GASPIPE_STREAM(Properties, properties, 4);
  GASPIPE_STREAMS(Inputs, inputs, 1, 4);
  GASPIPE_STREAM(Properties, out, 4);
  GASPIPE_STREAM(ResultWord, results, 4);
  GASPIPE_TASK(testing::feed(words, gathered));
  GASPIPE_TASK(testing::feed(words, properties));
  if constexpr (aux != 0) {
    GASPIPE_TASK(testing::feed(words, inputs[0]));
    GASPIPE_TASK(applyProcess<H>(num_vertices, 3, gathered, properties, inputs, out, results));
  } else {
    GASPIPE_TASK(applyProcess<H>(num_vertices, 3, gathered, properties, out, results));
  }
  GASPIPE_TASK(testing::drain(out, num, applied));
  GASPIPE_TASK(testing::drain(results, 2, sums));
  GASPIPE_RUN;
  EXPECT_EQ(statistics.busy("applyProcess"), cycles + 2);
}
TEST(Pace, OfApplyIsAWordACycleAndOneForEachOfItsTwoResults) {
  check_apply<Hooks, 1>(16 * 20 + 1, 21);
  check_apply<testing::Sum<u64>, 1>(8 * 20 + 1, 21);
  check_apply<testing::Min<u32>, 0>(16 * 20 + 1, 21);
}

}  // namespace
}  // namespace gaspipe
