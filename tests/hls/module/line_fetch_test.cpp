// SPDX-License-Identifier: Apache-2.0
#include "hls/module/line_fetch.h"

#include <cstring>

#include "tests/hls/module/launch.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::OneBuffer;
using testing::Random;

// A word's bits as another type's.
template <class T>
Word<T> as(const Word<std::uint32_t>& word) {
  Word<T> found;
  std::memcpy(&found, &word, sizeof found);
  return found;
}
template <class T>
void expect_equal_bits(const std::vector<Word<T>>& found, const std::vector<Word<T>>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(Word<T>)), 0);
}

template <class T>
class LineFetch : public ::testing::Test {};
using Numbers = ::testing::Types<std::uint32_t, double>;
TYPED_TEST_SUITE(LineFetch, Numbers);

TYPED_TEST(LineFetch, SendsTheLinesOfEveryRunACycleEach) {
  using Line = Word<TypeParam>;
  Random random(29);
  const auto memory = testing::random_words<std::uint32_t>(300, random);
  std::vector<LineRun> runs;
  std::vector<Line> expected;
  for (const int num_runs : {40, 0, 3}) {
    for (int run = 0; run < num_runs; ++run) {
      const auto count = static_cast<std::uint32_t>(1 + random() % kRunLines);
      const auto first = static_cast<std::uint32_t>(random() % (memory.size() - count + 1));
      runs.push_back({first, count, false});
      for (std::uint32_t i = 0; i < count; ++i) expected.push_back(as<TypeParam>(memory[first + i]));
    }
    runs.push_back({0, 0, true});
  }
  const OneBuffer board(memory, false);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Line> lines;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(LineRun, in, 4);
      GASPIPE_STREAM(Line, out, 4);
      GASPIPE_TASK(testing::feed(runs, in));
      GASPIPE_TASK(lineFetch(memory.data(), 3, in, out));
      GASPIPE_TASK(testing::drain(out, expected.size(), lines));
      GASPIPE_RUN;
    }
    // The task ends when its last line is there, as late as memory is.
    EXPECT_GE(statistics.busy("lineFetch"), expected.size() + 3);
    EXPECT_LE(statistics.busy("lineFetch"), expected.size() + 3 + 30);
    expect_equal_bits(lines, expected);
  });
}

// Lines and weights as a plain loop over the sources has them. FIFOs of any depth do: no weight waits for a later line.
TYPED_TEST(LineFetch, SendsTheLinesOfEveryGroupBeforeItsFarWeights) {
  using Property = TypeParam;
  using Weight = TypeParam;
  constexpr std::uint32_t kPropertyWords = 250, kLine = Word<Property>::kSize, kFar = far_words<Weight>();
  Random random(37);
  const auto memory = testing::random_words<std::uint32_t>(kPropertyWords + 200, random);
  std::vector<MarkedSources> sources;
  std::vector<SubPartitionToken> sub_partitions;
  std::vector<Word<Property>> lines;
  std::vector<Word<Weight>> weights;
  std::vector<std::size_t> weights_of;  // a sub-partition
  std::uint32_t next_weight = kPropertyWords;
  // Many sources a line, one line for each source, and both in turn.
  for (const auto& [num_groups, most_gap] : {std::pair<int, std::uint32_t>{6, 2}, {0, 1}, {1, 3 * kLine}, {9, kLine}}) {
    SubPartitionToken sub_partition = {};
    sub_partition.first_weight_word = next_weight;
    sub_partitions.push_back(sub_partition);
    std::uint32_t last = kNoLine;
    VertexId source = 0;
    for (int w = 0; w < num_groups * int(kGroupWords); ++w) {
      VertexId of_word[16];
      for (VertexId& id : of_word) {
        const std::uint32_t line = source / kLine;
        if (id = source; line != last) lines.push_back(as<Property>(memory[line]));
        last = line;
        source = std::min<VertexId>(source + static_cast<VertexId>(random() % most_gap), kPropertyWords * kLine - 1);
      }
      std::uint32_t marked_last = w == 0 ? kNoLine : sources.back().source[15] / kLine;
      MarkedSources marked{};
      SourcePlaces places;
      mark_lines<Property>(of_word, marked_last, marked, places);
      sources.push_back(marked);
      if ((w + 1) % int(kGroupWords) != 0) continue;
      for (std::uint32_t i = 0; i < kFar; ++i) weights.push_back(as<Weight>(memory[next_weight++]));
    }
    weights_of.push_back(weights.size());
    MarkedSources end{};
    end.end = true;
    sources.push_back(end);
  }
  const OneBuffer board(memory, false);
  const auto num = static_cast<std::uint32_t>(sub_partitions.size());
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Word<Property>> found;
    std::vector<WordToken<Weight>> found_weights;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(MarkedSources, in, 4);
      GASPIPE_STREAM(SubPartitionToken, described, 4);
      GASPIPE_STREAM(GroupRun, runs, 4);
      GASPIPE_STREAM(Word<Property>, line, 4);
      GASPIPE_STREAM(WordToken<Weight>, far, 4);
      GASPIPE_TASK(testing::feed(sources, in));
      GASPIPE_TASK(testing::feed(sub_partitions, described));
      GASPIPE_TASK(groupCommands<Property>(num, in, runs));
      GASPIPE_TASK(lineFetch(memory.data(), num, described, runs, line, far));
      GASPIPE_TASK(testing::drain(line, lines.size(), found));
      GASPIPE_TASK(testing::drain(far, weights.size() + num, found_weights));
      GASPIPE_RUN;
    }
    // A word a cycle, and the ends.
    EXPECT_GE(statistics.busy("lineFetch"), lines.size() + weights.size());
    EXPECT_LE(statistics.busy("lineFetch"), lines.size() + weights.size() + 40);
    expect_equal_bits(found, lines);
    std::size_t at = 0, ends = 0;
    for (const auto& token : found_weights) {
      if (token.end) {
        EXPECT_EQ(at, weights_of[ends++]);
      } else {
        ASSERT_EQ(std::memcmp(&token.word, &weights[at], 64), 0) << at;
        ++at;
      }
    }
    EXPECT_EQ(ends, num);
  });
}

}  // namespace
}  // namespace gaspipe
