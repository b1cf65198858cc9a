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

struct Part {
  VertexId first, last;
  u32 gathered_word;
};

template <class Hooks>
class PartsOf : public ::testing::Test {};
using Programs = ::testing::Types<testing::Sum<u32>, testing::Min<u32>, testing::Min<std::uint64_t>>;
TYPED_TEST_SUITE(PartsOf, Programs);

// All vertices' words, as a plain loop has them, for descriptors of some partitions.
TYPED_TEST(PartsOf, AreAllWordsOfTheVerticesAndIdentityWhereThereIsNone) {
  using Value = typename Traits<TypeParam>::Update;
  constexpr u32 kSize = 64 / sizeof(Value);
  Random random(31);
  const auto memory = random_words<Value>(60, random);
  const std::vector<std::pair<VertexId, std::vector<Part>>> cases = {
      {1000, {{0, 160, 7}, {160, 320, 2}, {640, 656, 58}, {992, 1000, 0}}},  // the last one's last word is not full
      {1000, {{320, 480, 40}}},
      {160, {{0, 160, 1}}},
      {77, {}},
  };
  for (const auto& [num_vertices, parts] : cases) {
    const u32 num_words = (num_vertices + kSize - 1) / kSize;
    std::vector<Word<Value>> expected(num_words);
    for (auto& word : expected) std::fill(std::begin(word.lane), std::end(word.lane), Traits<TypeParam>::identity());
    std::vector<Word<u32>> descriptors = random_words<u32>(parts.size(), random);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      descriptors[p].lane[SubPartitionLane::kFirstVertex] = parts[p].first;
      descriptors[p].lane[SubPartitionLane::kLastVertex] = parts[p].last;
      descriptors[p].lane[SubPartitionLane::kFirstGatheredWord] = parts[p].gathered_word;
      for (u32 w = parts[p].first / kSize; w < (parts[p].last + kSize - 1) / kSize; ++w) {
        expected[w] = memory[parts[p].gathered_word + w - parts[p].first / kSize];
      }
    }
    descriptors.resize(parts.size() + 1);  // an array is never empty
    OneBuffer board(memory, false);
    board.add(descriptors);
    const auto num_parts = static_cast<u32>(parts.size());
    const VertexId vertices = num_vertices;
    at_all_depths([&, num = num_words] {
      testing::Statistics statistics;
      std::vector<Word<Value>> words;
      {
        GASPIPE_DATAFLOW;
        GASPIPE_STREAM(PartToken, described, 2);
        GASPIPE_STREAM(Word<Value>, out, 2);
        GASPIPE_TASK(readParts<Value>(descriptors.data(), num_parts, vertices, described));
        GASPIPE_TASK(sendParts<TypeParam>(num_parts, memory.data(), described, out));
        GASPIPE_TASK(testing::drain(out, num, words));
        GASPIPE_RUN;
      }
      EXPECT_EQ(statistics.busy("readParts"), num_parts);
      EXPECT_EQ(statistics.busy("sendParts"), num);
      EXPECT_EQ(testing::as_values(words), testing::as_values(expected));
    });
  }
}

}  // namespace
}  // namespace gaspipe
