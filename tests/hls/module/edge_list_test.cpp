// SPDX-License-Identifier: Apache-2.0
#include "hls/module/edge_list.h"

#include <cstring>

#include "tests/hls/module/launch.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Described;
using testing::OneBuffer;
using testing::Random;
using testing::random_words;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Three sub-partitions with 6, 0 and 20 words of edges, each followed by `more` of weights.
struct List {
  explicit List(u32 more) {
    Random random(more);
    u32 at = 3;
    for (const u32 num : {6u, 0u, 20u}) {
      all.push_back({at, num, 999, 10 * num, 16 * num + 1, 5 + num, 7 * num});
      memory.push_back(all.back().word());
      at += num * (1 + more);
    }
    const auto words = random_words<u32>(26 * (1 + more), random);
    memory.insert(memory.end(), words.begin(), words.end());
  }
  std::vector<Described> all;
  std::vector<Word<u32>> memory;
};

template <class Weight>
class EdgeList : public ::testing::Test {};
using Weights = ::testing::Types<u32, float, u64, double>;
TYPED_TEST_SUITE(EdgeList, Weights);

TYPED_TEST(EdgeList, IsReadIntoDescriptorsEdgesAndWeights) {
  using Weight = TypeParam;
  constexpr u32 more = sizeof(Weight) / 4;
  const List list(more);
  const OneBuffer board(list.memory, false);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<SubPartitionToken> found[3];
    std::vector<WordToken<u32>> edges;
    std::vector<WordToken<Weight>> weights;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAMS(SubPartitionToken, out, 3, 2);
      GASPIPE_STREAM(WordToken<u32>, edge, 2);
      GASPIPE_STREAM(WordToken<Weight>, weight, 2);
      GASPIPE_TASK(readEdgeList(list.memory.data(), 3, out[0], out[1], out[2], edge, weight));
      for (int i = 0; i < 3; ++i) {
        GASPIPE_TASK_I(i, testing::drain(out[i], 3, found[i]));
      }
      GASPIPE_TASK(testing::drain(edge, 29, edges));
      GASPIPE_TASK(testing::drain(weight, 26 * more + 3, weights));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("readEdgeList"), 26 * (1 + more));
    for (const auto& each : found) testing::expect_equal(each, testing::tokens_of(list.all));
    std::size_t edge = 0, weight = 0;
    for (const Described& each : list.all) {
      const Word<u32>* word = list.memory.data() + each.first_edge_word;
      for (u32 w = 0; w < each.num_edge_words; ++w) {
        ASSERT_FALSE(edges[edge].end);
        ASSERT_EQ(std::memcmp(&edges[edge++].word, word++, 64), 0);
        for (u32 k = 0; k < more; ++k) {
          ASSERT_FALSE(weights[weight].end);
          ASSERT_EQ(std::memcmp(&weights[weight++].word, word++, 64), 0);
        }
      }
      ASSERT_TRUE(edges[edge++].end);
      ASSERT_TRUE(weights[weight++].end);
    }
  });
}

TEST(EdgeListWithoutWeights, IsReadIntoDescriptorsAndEdges) {
  const List list(0);
  const OneBuffer board(list.memory, false);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<SubPartitionToken> found[3];
    std::vector<WordToken<u32>> edges;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAMS(SubPartitionToken, out, 3, 2);
      GASPIPE_STREAM(WordToken<u32>, edge, 2);
      GASPIPE_TASK(readEdgeList(list.memory.data(), 3, out[0], out[1], out[2], edge));
      for (int i = 0; i < 3; ++i) {
        GASPIPE_TASK_I(i, testing::drain(out[i], 3, found[i]));
      }
      GASPIPE_TASK(testing::drain(edge, 29, edges));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("readEdgeList"), 26u);
    for (const auto& each : found) testing::expect_equal(each, testing::tokens_of(list.all));
    std::size_t edge = 0;
    for (const Described& each : list.all) {
      for (u32 w = 0; w < each.num_edge_words; ++w) {
        ASSERT_FALSE(edges[edge].end);
        ASSERT_EQ(std::memcmp(&edges[edge++].word, &list.memory[each.first_edge_word + w], 64), 0);
      }
      ASSERT_TRUE(edges[edge++].end);
    }
  });
}

}  // namespace
}  // namespace gaspipe
