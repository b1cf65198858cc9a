// SPDX-License-Identifier: Apache-2.0
// One bank of rows, and a copy per lane, each beside a plain loop over the same sub-partitions.
#include "hls/module/one_bank.h"

#include "tests/hls/module/launch.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Described;
using testing::OneBuffer;
using testing::Random;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class V, int lanes>
struct Split {
  using Value = V;
  static constexpr int kLanes = lanes;
};
template <class Case>
class SplitLanes : public ::testing::Test {};
using Splits = ::testing::Types<Split<u32, 8>, Split<u32, 16>, Split<u64, 16>>;
TYPED_TEST_SUITE(SplitLanes, Splits);

TYPED_TEST(SplitLanes, GivesEveryLaneItsOwnUpdates) {
  using Value = typename TypeParam::Value;
  using Set = UpdateSet<Value, TypeParam::kLanes>;
  using Single = MarkedUpdate<Value>;
  constexpr int lanes = TypeParam::kLanes;
  constexpr u32 kSize = 64 / sizeof(Value);
  Random random(61);
  const auto sets = testing::random_sets<Value, lanes>({30, 0, 7}, 500, random);
  const std::vector<u32> vertices = {500, 1, 5 * kSize + 1};
  std::vector<Single> expected[lanes];
  std::size_t s = 0;
  for (const Set& set : sets) {
    for (int i = 0; i < lanes; ++i) {
      // A word of memory is two groups of four rows.
      if (set.end) expected[i].push_back({{(vertices[s] + kSize - 1) / kSize * 2, 0}, false, true});
      if (!set.end && (set.valid >> i & 1) != 0) expected[i].push_back({set.update[i], false, false});
    }
    s += set.end;
  }
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Single> found[lanes];
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(SubPartitionToken, sub_partitions, 2);
      GASPIPE_STREAM(Set, in, 2);
      GASPIPE_STREAMS(Single, out, lanes, 2);
      GASPIPE_TASK(testing::feed(testing::tokens_of(testing::of_vertices(vertices, kSize)), sub_partitions));
      GASPIPE_TASK(testing::feed(sets, in));
      GASPIPE_TASK(splitLanes(3, sub_partitions, in, out));
      for (int i = 0; i < lanes; ++i) {
        GASPIPE_TASK_I(i, testing::drain(out[i], expected[i].size(), found[i]));
      }
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("splitLanes"), sets.size());
    for (int i = 0; i < lanes; ++i) {
      for (std::size_t k = 0; k < found[i].size(); ++k) {
        ASSERT_EQ(found[i][k].end, expected[i][k].end);
        ASSERT_FALSE(found[i][k].mark);
        ASSERT_EQ(found[i][k].update.destination, expected[i][k].update.destination);
        if (!found[i][k].end) {
          ASSERT_EQ(found[i][k].update.value, expected[i][k].update.value);
        }
      }
    }
  });
}

template <class H>
class OneBank : public ::testing::Test {
 protected:
  using Value = typename Traits<H>::Update;
  static constexpr u32 kSize = 8 / sizeof(Value);

  // Updates of rows, sub-partition by sub-partition, and what they come to.
  struct Launch {
    std::vector<MarkedRow<Value>> tokens;
    std::vector<Value> gathered;
  };
  // An end's number is `num`; a sub-partition has `per_number` rows for each.
  static Launch launch(const std::vector<u32>& numbers, u32 per_number) {
    Launch all;
    Random random(per_number + kSize);
    for (const u32 number : numbers) {
      const u32 num_rows = number * per_number;
      std::vector<Value> values(num_rows * kSize, Traits<H>::identity());
      for (u32 i = 0; i < 5 * num_rows / 2; ++i) {
        MarkedRow<Value> token = {};
        token.update.row = static_cast<u32>(random() % num_rows);
        token.update.valid = static_cast<std::uint8_t>(random() % (1u << kSize));
        for (u32 lane = 0; lane < kSize; ++lane) {
          token.update.word.lane[lane] = static_cast<Value>(random() >> 9);
          Value& value = values[token.update.row * kSize + lane];
          if ((token.update.valid >> lane & 1) != 0) value = H::gatherFunc(value, token.update.word.lane[lane]);
        }
        all.tokens.push_back(token);
      }
      MarkedRow<Value> end = {};
      end.update.row = number;
      end.update.end = true;
      all.tokens.push_back(end);
      all.gathered.insert(all.gathered.end(), values.begin(), values.end());
    }
    return all;
  }
};
using Programs = ::testing::Types<testing::Sum<u32>, testing::Sum<u64>, testing::Min<u32>, testing::Min<u64>>;
TYPED_TEST_SUITE(OneBank, Programs);

TYPED_TEST(OneBank, SendsItsRowsAndIsEmptyForTheNextSubPartition) {
  using Value = typename TestFixture::Value;
  using Solved = MarkedRow<Value>;
  using Row = UramWord<Value>;
  constexpr u32 kSize = TestFixture::kSize;
  const auto launch = this->launch({20, 1, 7, 20}, 1);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Row> rows;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Solved, in, 2);
      GASPIPE_STREAM(Row, out, 2);
      GASPIPE_TASK(testing::feed(launch.tokens, in));
      GASPIPE_TASK(gatherBank<TypeParam, 8, 20 * 8 * kSize, 0>(4, 20, in, out));
      GASPIPE_TASK(testing::drain(out, launch.gathered.size() / kSize, rows));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("gatherBank"), 20 + launch.tokens.size() + rows.size());
    std::vector<Value> found;
    for (const Row& row : rows) found.insert(found.end(), row.lane, row.lane + kSize);
    EXPECT_EQ(found, launch.gathered);
  });
}

TYPED_TEST(OneBank, OfALaneSendsGroupsOfFourRows) {
  using Value = typename TestFixture::Value;
  using Solved = MarkedRow<Value>;
  using Group = RowGroup<Value>;
  constexpr u32 kSize = TestFixture::kSize;
  const auto launch = this->launch({20, 1, 7, 20}, 4);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Group> groups;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Solved, in, 2);
      GASPIPE_STREAM(Group, out, 2);
      GASPIPE_TASK(testing::feed(launch.tokens, in));
      GASPIPE_TASK(gatherCopy<TypeParam, 20 * 4 * kSize, 0>(4, 20, in, out));
      GASPIPE_TASK(testing::drain(out, 48, groups));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("gatherCopy"), 20 + launch.tokens.size() + 48);
    std::vector<Value> found;
    for (const Group& group : groups) {
      for (const auto& row : group.row) found.insert(found.end(), row.lane, row.lane + kSize);
    }
    EXPECT_EQ(found, launch.gathered);
  });
}

template <class Hooks, int copies>
void check_merged() {
  using Value = typename Traits<Hooks>::Update;
  using Group = RowGroup<Value>;
  constexpr u32 kSize = 64 / sizeof(Value), kRow = 8 / sizeof(Value);
  Random random(copies);
  const auto described = testing::of_vertices({3 * kSize, 1, kSize + 1}, kSize);
  const u32 num_words = 3 + 1 + 2;
  std::vector<Group> groups[copies];
  std::vector<Value> expected(num_words * kSize);
  for (int c = 0; c < copies; ++c) {
    groups[c].resize(2 * num_words);
    for (u32 v = 0; v < num_words * kSize; ++v) {
      const auto value = static_cast<Value>(random() >> 9);
      groups[c][v / (4 * kRow)].row[v / kRow % 4].lane[v % kRow] = value;
      expected[v] = c == 0 ? value : Hooks::applyMerge(expected[v], value);
    }
  }
  std::vector<Word<Value>> memory(described.back().first_gathered_word + 2);
  const OneBuffer board(memory, true);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::fill(memory.begin(), memory.end(), Word<Value>{});
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(SubPartitionToken, sub_partitions, 2);
      GASPIPE_STREAM(SubPartitionToken, write_sub_partitions, 2);
      GASPIPE_STREAMS(Group, in, copies, 2);
      GASPIPE_STREAM(Word<Value>, words, 2);
      GASPIPE_TASK(testing::feed(testing::tokens_of(described), sub_partitions));
      for (int c = 0; c < copies; ++c) {
        GASPIPE_TASK_I(c, testing::feed(groups[c], in[c], static_cast<u32>(c % 3)));
      }
      GASPIPE_TASK(mergeCopies<Hooks>(3, sub_partitions, in, write_sub_partitions, words));
      GASPIPE_TASK(writeWords(3, write_sub_partitions, words, memory.data()));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("mergeCopies"), 2 * num_words);
    EXPECT_EQ(statistics.busy("writeWords"), num_words);
    const std::vector<Word<Value>> written(memory.begin() + described[0].first_gathered_word, memory.end());
    EXPECT_EQ(testing::as_values(written), expected);
  });
}
TYPED_TEST(OneBank, OfAllLanesAreMergedIntoWordsOfMemory) {
  check_merged<TypeParam, 8>();
  check_merged<TypeParam, 16>();
}

}  // namespace
}  // namespace gaspipe
