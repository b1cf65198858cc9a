// SPDX-License-Identifier: Apache-2.0
#include "hls/module/sub_partition.h"

#include "tests/hls/module/launch.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Described;
using testing::OneBuffer;
using testing::Random;
using testing::random_words;
using u32 = std::uint32_t;

const std::vector<Described> kThree = {
    {40, 5, 71, 64, 300, 2, 9000}, {4, 0, 3, 300, 301, 17, 4}, {10, 30, 8, 0, 7, 1, 77}};

template <class Read>
void check_descriptors(int num_streams, const Read& read) {
  std::vector<Word<u32>> memory;
  for (const Described& each : kThree) memory.push_back(each.word());
  const OneBuffer board(memory, false);
  const auto expected = testing::tokens_of(kThree);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<SubPartitionToken> found[5];
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAMS(SubPartitionToken, out, 5, 2);
      GASPIPE_TASK(read(memory.data(), out));
      for (int i = 0; i < num_streams; ++i) {
        GASPIPE_TASK_I(i, testing::drain(out[i], 3, found[i]));
      }
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("read"), 3u);
    for (int i = 0; i < num_streams; ++i) testing::expect_equal(found[i], expected);
  });
}
TEST(SubPartitions, GoToEveryTaskThatTakesOne) {
  check_descriptors(5, [](const Word<u32>* memory, auto& out) {
    readSubPartitions(memory, 3, out[0], out[1], out[2], out[3], out[4]);
  });
  check_descriptors(
      4, [](const Word<u32>* memory, auto& out) { readSubPartitions(memory, 3, out[0], out[1], out[2], out[3]); });
}

template <class T>
void expect_words(const std::vector<WordToken<T>>& tokens, const std::vector<Word<T>>& memory,
                  const std::vector<std::pair<u32, u32>>& ranges) {
  std::size_t at = 0;
  for (const auto& [first, num] : ranges) {
    for (u32 i = 0; i < num; ++i) {
      ASSERT_FALSE(tokens.at(at).end);
      for (int k = 0; k < Word<T>::kSize; ++k) EXPECT_EQ(tokens[at].word.lane[k], memory[first + i].lane[k]);
      ++at;
    }
    ASSERT_TRUE(tokens.at(at++).end);
  }
  EXPECT_EQ(at, tokens.size());
}
template <class T>
void check_words(bool weights, u32 times) {
  Random random(3);
  const auto memory = random_words<T>(8 + 30 * times + 63, random);
  const OneBuffer board(memory, false);
  std::vector<WordToken<T>> tokens;
  testing::Statistics statistics;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(SubPartitionToken, sub_partitions, 2);
    GASPIPE_STREAM(WordToken<T>, out, 2);
    GASPIPE_TASK(testing::feed(testing::tokens_of(kThree), sub_partitions));
    if (weights) {
      GASPIPE_TASK(readWeights(memory.data(), 3, sub_partitions, out));
    } else if constexpr (std::is_same<T, u32>::value) {
      GASPIPE_TASK(readEdges(memory.data(), 3, sub_partitions, out));
    }
    GASPIPE_TASK(testing::drain(out, 35 * times + 3, tokens));
    GASPIPE_RUN;
  }
  EXPECT_EQ(statistics.busy(weights ? "readWeights" : "readEdges"), 35 * times);
  if (weights) {
    expect_words(tokens, memory, {{71, 5 * times}, {3, 0}, {8, 30 * times}});
  } else {
    expect_words(tokens, memory, {{40, 5}, {4, 0}, {10, 30}});
  }
}
TEST(SubPartitions, HaveTheirWordsOfEdgesAndWeights) {
  check_words<u32>(false, 1);
  check_words<u32>(true, 1);
  check_words<float>(true, 1);
  check_words<std::uint64_t>(true, 2);
}

// Packed edges, and what their sources hold, found by one walk.
template <class Hooks, int lanes>
void check_sources(std::size_t num_properties) {
  using Property = typename Hooks::Property;
  using Token = SourceToken<Property, lanes>;
  using Line = Word<Property>;
  Random random(7);
  const auto properties = random_words<Property>(num_properties / Line::kSize, random);
  const std::vector<u32> num_words = {9, 0, 40};
  std::vector<Described> described;
  std::vector<WordToken<u32>> edges;
  std::vector<std::vector<VertexId>> destinations;
  std::vector<std::vector<Property>> expected;
  for (const u32 num : num_words) {
    const VertexId base = static_cast<VertexId>(random() % 50);
    VertexId source = base;
    described.push_back({0, num, 0, 0, 100, 0, base});
    for (u32 w = 0; w < num; ++w) {
      WordToken<u32> token;
      token.end = false;
      destinations.emplace_back();
      expected.emplace_back();
      for (u32& lane : token.word.lane) {
        const u32 gap = static_cast<u32>(random() % 4 == 0 ? random() % 40 : 0), to = static_cast<u32>(random() % 100);
        const bool is_padding = random() % 9 == 0;
        lane = gap << 20 | (is_padding ? 0xfffffu : to);
        source += gap;
        destinations.back().push_back(is_padding ? 0xffffffffu : to);
        expected.back().push_back(
            Hooks::preprocessProperty(properties[source / Line::kSize].lane[source % Line::kSize]));
      }
      ASSERT_LT(source, num_properties);
      edges.push_back(token);
    }
    edges.push_back({Word<u32>{}, true});
  }
  const OneBuffer board(properties, false);
  std::vector<WordToken<VertexId>> found;
  std::vector<Token> sources;
  at_all_depths([&] {
    testing::Statistics statistics;
    found.clear();
    sources.clear();
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(SubPartitionToken, sub_partitions, 2);
      GASPIPE_STREAM(WordToken<u32>, packed, 2);
      GASPIPE_STREAM(MarkedSources, commands, 2);
      GASPIPE_STREAM(SourcePlaces, places, 2 * kSourcesAhead, kSourcesAhead);
      GASPIPE_STREAM(WordToken<VertexId>, out, 2 * kSourcesAhead, kSourcesAhead);
      GASPIPE_STREAM(LineRun, runs, 2);
      GASPIPE_STREAM(Line, lines, 2);
      GASPIPE_STREAM(Token, all, 2);
      GASPIPE_TASK(testing::feed(testing::tokens_of(described), sub_partitions));
      GASPIPE_TASK(testing::feed(edges, packed));
      GASPIPE_TASK(decodeEdges<Property>(3, sub_partitions, packed, commands, places, out));
      GASPIPE_TASK(lineCommands<Property>(3, commands, runs));
      GASPIPE_TASK(lineRead<Property>(properties.data(), 3, runs, lines));
      GASPIPE_TASK(fetchSources<Hooks, lanes>(3, places, lines, all));
      GASPIPE_TASK(testing::drain(out, edges.size(), found));
      GASPIPE_TASK(testing::drain(all, 49 * (16 / lanes) + 3, sources));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("decodeEdges"), edges.size());
  });
  std::size_t word = 0, set = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    ASSERT_EQ(found.at(e).end, edges[e].end);
    for (int part = 0; part < (edges[e].end ? 1 : 16 / lanes); ++part) {
      const Token& token = sources.at(set++);
      ASSERT_EQ(token.end, edges[e].end);
      if (edges[e].end) continue;
      for (int i = 0; i < lanes; ++i) {
        ASSERT_EQ(found[e].word.lane[lanes * part + i], destinations[word][lanes * part + i]);
        ASSERT_EQ(token.property[i], expected[word][lanes * part + i]);
      }
    }
    word += !edges[e].end;
  }
}
TEST(SubPartitions, GivePackedEdgesTheirSourcesAndDestinations) {
  check_sources<testing::Sum<u32>, 16>(6400);
  check_sources<testing::Sum<u32>, 8>(6400);
  check_sources<testing::Min<std::uint64_t>, 8>(6400);
}

}  // namespace
}  // namespace gaspipe
