// SPDX-License-Identifier: Apache-2.0
#include "hls/module/source_property.h"

#include <set>

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::as_tokens;
using testing::as_words;
using testing::at_all_depths;
using testing::Random;
using testing::random_words;
using testing::Statistics;

constexpr VertexId kVertices = 20000;

// Sources of a sub-partition, ascending and padded as the codec pads.
struct Sources {
  const char* name;
  std::vector<VertexId> ids;
};
std::vector<Sources> all_sources() {
  Random random(7);
  std::vector<Sources> all;
  const auto add = [&](const char* name, std::vector<VertexId> ids) {
    std::sort(ids.begin(), ids.end());
    all.push_back({name, std::move(ids)});
  };
  add("none", {});
  add("one edge", {5});
  add("first and last vertex", {0, kVertices - 1});
  add("one vertex with all edges", std::vector<VertexId>(10000, 12345));
  std::vector<VertexId> ids(kVertices);
  for (VertexId v = 0; v < kVertices; ++v) ids[v] = v;
  add("each vertex once", ids);
  for (VertexId& v : ids) v = v / 80 * 80;
  add("many edges of few vertices", ids);
  ids.clear();
  for (VertexId v = 3; v < kVertices; v += 48) ids.push_back(v);
  add("far apart", ids);
  for (int num : {100, 3000, 40000}) {
    ids.assign(num, 0);
    for (VertexId& v : ids) v = static_cast<VertexId>(random() % kVertices);
    add("random", ids);
  }
  ids.assign(20000, 0);
  for (VertexId& v : ids) v = static_cast<VertexId>((random() % kVertices) * (random() % kVertices) / kVertices);
  add("skewed", ids);
  return all;
}
std::vector<Word<VertexId>> source_words(const std::vector<VertexId>& ids) {
  return as_words(ids, ids.empty() ? 0 : ids.back());
}
template <class Property>
std::vector<std::uint32_t> needed_lines(const std::vector<VertexId>& ids) {
  std::set<std::uint32_t> lines;
  for (VertexId v : ids) lines.insert(v / (64 / sizeof(Property)));
  return {lines.begin(), lines.end()};
}

template <class Property, int lanes>
struct Case {
  using Number = Property;
  static constexpr int kLanes = lanes;
};
template <class Case>
class SourceProperty : public ::testing::Test {};
using Cases =
    ::testing::Types<Case<std::uint32_t, 8>, Case<std::uint32_t, 16>, Case<std::uint64_t, 8>, Case<std::uint64_t, 16>>;
TYPED_TEST_SUITE(SourceProperty, Cases);

// What markLines makes of the sources.
template <class Property>
struct Marks {
  stream<MarkedSources> commands;
  stream<SourcePlaces> edges;

  explicit Marks(const Sources& sources) {
    stream<WordToken<VertexId>> in;
    for (const auto& token : as_tokens(source_words(sources.ids))) in.write(token);
    markLines<Property>(in, commands, edges);
    EXPECT_EQ(in.size(), 0u);
  }
  std::vector<LineRun> runs() {
    stream<LineRun> out;
    lineCommands<Property>(commands, out);
    EXPECT_EQ(commands.size(), 0u);
    std::vector<LineRun> runs;
    testing::drain_to_end(out, runs);
    EXPECT_EQ(out.size(), 0u);
    return runs;
  }
};

TYPED_TEST(SourceProperty, MarksTheLanesThatAreTheFirstToNeedALine) {
  using Property = typename TypeParam::Number;
  constexpr VertexId kSize = 64 / sizeof(Property);
  for (const Sources& sources : all_sources()) {
    SCOPED_TRACE(sources.name);
    Marks<Property> marks(sources);
    std::vector<MarkedSources> commands;
    std::vector<SourcePlaces> edges;
    testing::drain_to_end(marks.commands, commands);
    testing::drain_to_end(marks.edges, edges);
    const auto words = source_words(sources.ids);
    ASSERT_EQ(commands.size(), words.size());
    ASSERT_EQ(edges.size(), words.size());
    std::int64_t last = -1;
    for (std::size_t w = 0; w < words.size(); ++w) {
      int num[2] = {0, 0};
      for (int i = 0; i < 16; ++i) {
        const VertexId source = words[w].lane[i];
        const std::int64_t line = source / kSize;
        const bool is_first = line != last;
        ASSERT_EQ(commands[w].source[i], source);
        ASSERT_EQ(edges[w].place >> (4 * i) & 15, source % kSize);
        ASSERT_EQ(edges[w].first >> i & 1, is_first);
        if (is_first) {
          const int k = num[0] + num[1]++;
          ASSERT_EQ(commands[w].lane >> (4 * k) & 15, std::uint64_t(i));
          ASSERT_EQ(commands[w].follows >> k & 1, line == last + 1);
        }
        if (i == 7) std::swap(num[0], num[1]);
        last = line;
      }
      ASSERT_EQ(commands[w].num, num[0] + num[1]);
      ASSERT_EQ(edges[w].num[0], num[0]);
      ASSERT_EQ(edges[w].num[1], num[1]);
    }
  }
}

TYPED_TEST(SourceProperty, CommandsAskForEachNeededLineOnceAndForNoOther) {
  using Property = typename TypeParam::Number;
  for (const Sources& sources : all_sources()) {
    SCOPED_TRACE(sources.name);
    std::vector<std::uint32_t> lines;
    for (const LineRun& run : Marks<Property>(sources).runs()) {
      EXPECT_GE(run.count, 1u);
      EXPECT_LE(run.count, kRunLines);
      for (std::uint32_t i = 0; i < run.count; ++i) lines.push_back(run.first + i);
    }
    EXPECT_EQ(lines, needed_lines<Property>(sources.ids));
  }
}

// The runs of the words one after the other, without cycles.
template <class Property>
std::vector<std::pair<std::uint32_t, std::uint32_t>> plain_runs(const std::vector<Word<VertexId>>& words) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;  // the first line and how many
  bool open = false;
  std::size_t begun = 0;  // the word in which the open run began
  std::int64_t last = -1;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (w - begun == kRunSources - 1) open = false;
    for (const VertexId source : words[w].lane) {
      const std::int64_t line = source / (64 / sizeof(Property));
      if (line == last) continue;
      if (open && (line != last + 1 || runs.back().second == kRunLines)) open = false;
      if (!open) {
        runs.push_back({static_cast<std::uint32_t>(line), 0});
        open = true;
        begun = w;
      }
      ++runs.back().second;
      last = line;
    }
  }
  return runs;
}

TYPED_TEST(SourceProperty, RunsAreThoseOfAPlainReference) {
  using Property = typename TypeParam::Number;
  std::vector<Sources> all = all_sources();
  Random random(12);
  for (const int most_step : {2, 9, 40}) {  // lines that follow each other, and do not; words without a new one
    std::vector<VertexId> ids(30000);
    VertexId v = 0;
    for (VertexId& id : ids) id = v += random() % 8 == 0 ? static_cast<VertexId>(random() % most_step) : 0;
    all.push_back({"stepping", ids});
  }
  for (const Sources& sources : all) {
    SCOPED_TRACE(sources.name);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
    for (const LineRun& run : Marks<Property>(sources).runs()) runs.push_back({run.first, run.count});
    EXPECT_EQ(runs, plain_runs<Property>(source_words(sources.ids)));
  }
}

TYPED_TEST(SourceProperty, RunsAreAsLongAsTheyMayBe) {
  using Property = typename TypeParam::Number;
  for (const Sources& sources : all_sources()) {
    if (std::string(sources.name) != "each vertex once") continue;
    const std::uint32_t num_lines = kVertices / Word<Property>::kSize;
    // 64-bit properties have two lines per word of sources.
    EXPECT_LE(Marks<Property>(sources).runs().size(), num_lines / (kRunLines - 1) + 1);
  }
}

template <class Hooks, int lanes>
std::vector<SourceToken<typename Hooks::Property, lanes>> process(
    const std::vector<WordToken<VertexId>>& tokens, const std::vector<Word<typename Hooks::Property>>& memory,
    std::uint32_t pause) {
  using Token = SourceToken<typename Hooks::Property, lanes>;
  std::vector<Token> sets;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(WordToken<VertexId>, sources, 4);
    GASPIPE_STREAM(Token, out, 4);
    GASPIPE_TASK(testing::feed(tokens, sources, pause));
    GASPIPE_TASK(srcPropertyProcess<Hooks, lanes>(memory.data(), sources, out));
    GASPIPE_TASK(testing::drain_to_end(out, sets, pause));
    GASPIPE_RUN;
  }
  return sets;
}
template <class Property, int lanes>
std::vector<Property> properties_of(const std::vector<SourceToken<Property, lanes>>& sets) {
  std::vector<Property> properties;
  for (const auto& set : sets) properties.insert(properties.end(), set.property, set.property + lanes);
  return properties;
}

TYPED_TEST(SourceProperty, GivesEveryEdgeItsPreprocessedSource) {
  using Property = typename TypeParam::Number;
  constexpr int lanes = TypeParam::kLanes;
  Random random(8);
  const auto memory = random_words<Property>(kVertices / Word<Property>::kSize, random);
  for (const Sources& sources : all_sources()) {
    SCOPED_TRACE(sources.name);
    const auto words = source_words(sources.ids);
    const auto tokens = as_tokens(words);
    std::vector<Property> expected;
    for (VertexId v : testing::as_values(words)) {
      expected.push_back(memory[v / Word<Property>::kSize].lane[v % Word<Property>::kSize] * 3 + 1);
    }
    at_all_depths([&] {
      for (std::uint32_t pause : {0u, 3u}) {
        const Statistics statistics;
        const auto sets = process<testing::Sum<Property>, lanes>(tokens, memory, pause);
        EXPECT_EQ(properties_of(sets), expected);
        // Lines over edges is the share of misses.
        EXPECT_EQ(statistics.num_tokens("lines"), needed_lines<Property>(sources.ids).size());
        EXPECT_EQ(statistics.num_tokens("out"), expected.size() / lanes + 1);
      }
    });
  }
}

TYPED_TEST(SourceProperty, TakesACyclePerSetWhereLinesAreReused) {
  using Property = typename TypeParam::Number;
  constexpr int lanes = TypeParam::kLanes;
  Random random(9);
  const auto memory = random_words<Property>(kVertices / Word<Property>::kSize, random);
  std::vector<VertexId> ids(16 * 4000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<VertexId>(i / 8);
  process<testing::Sum<Property>, lanes>(as_tokens(source_words(ids)), memory, 0);
  EXPECT_LE(emulator::Engine::last_cycles(), ids.size() / lanes + 300);
}

TYPED_TEST(SourceProperty, DeadlocksWithTooFewSourcesAheadAndSaysSo) {
  using Property = typename TypeParam::Number;
  constexpr int lanes = TypeParam::kLanes;
  Random random(10);
  const auto memory = random_words<Property>(kVertices / Word<Property>::kSize, random);
  const auto tokens = as_tokens(source_words(std::vector<VertexId>(10000, 99)));
  auto& depths = emulator::Engine::current_options().depths;
  depths = {{"edge_sources", kRunSources}};
  EXPECT_NO_THROW((process<testing::Sum<Property>, lanes>(tokens, memory, 0)));
  depths = {{"edge_sources", kRunSources / 2}};
  try {
    process<testing::Sum<Property>, lanes>(tokens, memory, 0);
    ADD_FAILURE() << "no deadlock";
  } catch (const emulator::Deadlock& deadlock) {
    EXPECT_NE(std::string(deadlock.what()).find("writes to edge_sources"), std::string::npos) << deadlock.what();
  }
  depths.clear();
}

// As a user's kernel may call it alone, over streams without a depth.
TEST(SourcePropertyAlone, ReadsItsLinesFromMemory) {
  std::vector<Word<std::uint32_t>> memory(10);
  for (std::uint32_t v = 0; v < 160; ++v) memory[v / 16].lane[v % 16] = 1000 + v;
  stream<WordToken<VertexId>> sources;
  for (const auto& token : as_tokens(source_words({0, 1, 1, 17, 40, 41, 41, 159}))) sources.write(token);
  stream<SourceToken<std::uint32_t, 8>> out;
  srcPropertyProcess<testing::Sum<std::uint32_t>, 8>(memory.data(), sources, out);
  std::vector<SourceToken<std::uint32_t, 8>> sets;
  testing::drain_to_end(out, sets);
  EXPECT_EQ(properties_of(sets), (std::vector<std::uint32_t>{3001, 3004, 3004, 3052, 3121, 3124, 3124, 3478,  // 3 p + 1
                                                             3478, 3478, 3478, 3478, 3478, 3478, 3478, 3478}));
}

}  // namespace
}  // namespace gaspipe
