// SPDX-License-Identifier: Apache-2.0
#include "hls/module/parts.h"

#include "tests/hls/module/launch.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::OneBuffer;
using testing::Random;
using testing::random_words;
using u32 = std::uint32_t;

// Of streams for `most` pipelines those of a design's `units` are written.
template <int most>
void check_descriptors(int units) {
  Random random(most);
  const auto words = random_words<u32>(5, random);
  const OneBuffer board(words, false);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<PartToken> found[most];
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAMS(PartToken, out, most, 2);
      GASPIPE_TASK(readParts(words.data(), 5, units, out));
      for (int unit = 0; unit < units; ++unit) {
        GASPIPE_TASK_I(unit, testing::drain(out[unit], 5, found[unit]));
      }
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("readParts"), 5u);
    for (int unit = 0; unit < units; ++unit) {
      for (int p = 0; p < 5; ++p) {
        EXPECT_EQ(found[unit][p].first_word, words[p].lane[2 + unit]);
        EXPECT_EQ(found[unit][p].num_vertices, words[p].lane[1] - words[p].lane[0]);
      }
    }
  });
}
TEST(Parts, AreDescribedToEveryPipeline) {
  check_descriptors<1>(1);
  check_descriptors<14>(14);
  check_descriptors<14>(10);
}

template <class Hooks>
class PartOf : public ::testing::Test {};
using Programs = ::testing::Types<testing::Sum<u32>, testing::Min<u32>, testing::Min<std::uint64_t>>;
TYPED_TEST_SUITE(PartOf, Programs);

TYPED_TEST(PartOf, IsItsWordsAndIdentityWhereThereIsNone) {
  using Value = typename Traits<TypeParam>::Update;
  constexpr u32 kSize = 64 / sizeof(Value);
  Random random(31);
  const auto memory = random_words<Value>(60, random);
  const std::vector<PartToken> parts = {{7, 100},    {kNoPart, 3 * kSize}, {kNoPart, 1},        {0, 1},
                                        {50, kSize}, {40, kSize * 20},     {kNoPart, kSize + 1}};
  std::vector<Value> expected;
  u32 num_words = 0;
  for (const PartToken& part : parts) {
    const u32 num = (part.num_vertices + kSize - 1) / kSize;
    num_words += num;
    for (u32 i = 0; i < num * kSize; ++i) {
      expected.push_back(part.first_word == kNoPart ? Traits<TypeParam>::identity()
                                                    : memory[part.first_word + i / kSize].lane[i % kSize]);
    }
  }
  const OneBuffer board(memory, false);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Word<Value>> words;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(PartToken, in, 2);
      GASPIPE_STREAM(Word<Value>, out, 2);
      GASPIPE_TASK(testing::feed(parts, in));
      GASPIPE_TASK(readPart<TypeParam>(static_cast<u32>(parts.size()), memory.data(), in, out));
      GASPIPE_TASK(testing::drain(out, num_words, words));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("readPart"), num_words);
    EXPECT_EQ(testing::as_values(words), expected);
  });
}

}  // namespace
}  // namespace gaspipe
