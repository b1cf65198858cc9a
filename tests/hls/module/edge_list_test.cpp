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

// Three sub-partitions with 8, 0 and 20 words of edges, four of which are followed by `near` words of weights; `far` of
// their weights are elsewhere.
struct List {
  List(u32 near, u32 far) {
    Random random(near);
    u32 at = 3, weights_at = 5;
    for (const u32 num : {8u, 0u, 20u}) {
      all.push_back({at, num, weights_at, 10 * num, 16 * num + 1, 5 + num, 7 * num});
      memory.push_back(all.back().word());
      at += num / 4 * (4 + near);
      weights_at += num / 4 * far;
    }
    const auto words = random_words<u32>(7 * (4 + near), random);
    memory.insert(memory.end(), words.begin(), words.end());
  }
  std::vector<Described> all;
  std::vector<Word<u32>> memory;
};

template <class Weight>
class EdgeList : public ::testing::Test {};
using Weights = ::testing::Types<u32, float, u64, double>;
TYPED_TEST_SUITE(EdgeList, Weights);

TYPED_TEST(EdgeList, IsReadIntoDescriptorsEdgesAndNearWeights) {
  using Weight = TypeParam;
  constexpr u32 near = sizeof(Weight) == 4 ? 1 : 4;
  const List list(near, 0);
  const OneBuffer board(list.memory, false);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<SubPartitionToken> found[4];
    std::vector<WordToken<u32>> edges;
    std::vector<WordToken<Weight>> weights;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAMS(SubPartitionToken, out, 4, 2);
      GASPIPE_STREAM(WordToken<u32>, edge, 2);
      GASPIPE_STREAM(WordToken<Weight>, weight, 2);
      GASPIPE_TASK(readEdgeList(list.memory.data(), 3, out[0], out[1], out[2], out[3], edge, weight));
      for (int i = 0; i < 4; ++i) {
        GASPIPE_TASK_I(i, testing::drain(out[i], 3, found[i]));
      }
      GASPIPE_TASK(testing::drain(edge, 31, edges));
      GASPIPE_TASK(testing::drain(weight, 7 * near + 3, weights));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("readEdgeList"), 7 * (4 + near));
    for (const auto& each : found) testing::expect_equal(each, testing::tokens_of(list.all));
    std::size_t edge = 0, weight = 0;
    for (const Described& each : list.all) {
      const Word<u32>* word = list.memory.data() + each.first_edge_word;
      for (u32 group = 0; group < each.num_edge_words / 4; ++group) {
        for (u32 w = 0; w < 4; ++w) {
          ASSERT_FALSE(edges[edge].end);
          ASSERT_EQ(std::memcmp(&edges[edge++].word, word++, 64), 0);
        }
        for (u32 w = 0; w < near; ++w) {
          ASSERT_FALSE(weights[weight].end);
          ASSERT_EQ(std::memcmp(&weights[weight++].word, word++, 64), 0);
        }
      }
      ASSERT_TRUE(edges[edge++].end);
      ASSERT_TRUE(weights[weight++].end);
    }
  });
}

// Near and far weights together are those of the groups, in order.
TYPED_TEST(EdgeList, HasItsNearAndFarWeightsJoined) {
  using Weight = TypeParam;
  constexpr u32 near = sizeof(Weight) == 4 ? 1 : 4, far = sizeof(Weight) == 4 ? 3 : 4;
  const List list(near, far);
  Random random(3);
  std::vector<WordToken<Weight>> near_tokens, far_tokens, expected;
  for (const Described& each : list.all) {
    for (u32 group = 0; group < each.num_edge_words / 4; ++group) {
      for (u32 w = 0; w < near; ++w) {
        near_tokens.push_back({random_words<Weight>(1, random)[0], false});
        expected.push_back(near_tokens.back());
      }
      for (u32 w = 0; w < far; ++w) {
        far_tokens.push_back({random_words<Weight>(1, random)[0], false});
        expected.push_back(far_tokens.back());
      }
    }
    near_tokens.push_back({Word<Weight>{}, true});
    far_tokens.push_back({Word<Weight>{}, true});
    expected.push_back({Word<Weight>{}, true});
  }
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<WordToken<Weight>> found;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(WordToken<Weight>, a, 2);
      GASPIPE_STREAM(WordToken<Weight>, b, 2);
      GASPIPE_STREAM(WordToken<Weight>, joined, 2);
      GASPIPE_TASK(testing::feed(near_tokens, a));
      GASPIPE_TASK(testing::feed(far_tokens, b));
      GASPIPE_TASK(joinWeights(3, a, b, joined));
      GASPIPE_TASK(testing::drain(joined, expected.size(), found));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("joinWeights"), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found[i].end, expected[i].end) << i;
      if (expected[i].end) continue;
      ASSERT_EQ(std::memcmp(&found[i].word, &expected[i].word, 64), 0) << i;
    }
  });
}

TEST(EdgeListWithoutWeights, IsReadIntoDescriptorsAndEdges) {
  const List list(0, 0);
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
      GASPIPE_TASK(testing::drain(edge, 31, edges));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("readEdgeList"), 28u);
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
