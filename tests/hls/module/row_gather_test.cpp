// SPDX-License-Identifier: Apache-2.0
// The tasks between updates and rows, each beside a plain loop over the same sub-partitions.
#include "hls/module/row_gather.h"

#include <deque>

#include "tests/hls/module/launch.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Described;
using testing::OneBuffer;
using testing::Random;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class V, int lanes, int pes>
struct Case {
  using Value = V;
  static constexpr int kLanes = lanes, kPes = pes;
};
template <class Case>
class RowShuffle : public ::testing::Test {
 protected:
  using Value = typename Case::Value;
  static constexpr int kLanes = Case::kLanes, kPes = Case::kPes;
  using Set = UpdateSet<Value, kLanes>;
  using Listed = MarkedSet<Value, kLanes>;
  static constexpr u32 kOfRow = kPes * 8 / sizeof(Value);  // vertices of a row of all PEs

  // Sub-partitions of few and many rows and sets, so that marks end with either.
  const std::vector<u32> sizes{40, 7, 0, 90, 31}, vertices{9 * kOfRow, 1, 5 * kOfRow + 1, kOfRow, 6 * kOfRow - 1};
  Random random{51};
  const std::vector<Described> described = testing::of_vertices(vertices, 64 / sizeof(Value));
  // What broadcastRows makes of sets: every fourth is marked while the sub-partition before has rows to send.
  std::vector<Set> marked(std::vector<Set> sets, bool marks) const {
    u32 before = 0, s = 0, place = 0, sent = 0;
    for (Set& set : sets) {
      const u32 own = (vertices[s] + kOfRow - 1) / kOfRow;
      if (set.end) {
        set.update[0].destination = own;
        before = own;
        ++s;
        place = sent = 0;
      } else if (++place % 4 == 0 && sent < before && marks) {
        set.valid |= 0x80000000u;
        ++sent;
      }
    }
    return sets;
  }
};
using Cases = ::testing::Types<Case<u32, 16, 8>, Case<u32, 8, 16>, Case<u64, 16, 16>, Case<u64, 8, 8>>;
TYPED_TEST_SUITE(RowShuffle, Cases);

template <class Value, int lanes>
void expect_same(const UpdateSet<Value, lanes>& a, const UpdateSet<Value, lanes>& b) {
  ASSERT_EQ(a.end, b.end);
  ASSERT_EQ(a.valid, b.valid);
  for (int i = 0; i < lanes; ++i) {
    ASSERT_EQ(a.update[i].destination, b.update[i].destination);
    ASSERT_EQ(a.update[i].value, b.update[i].value);
  }
}

template <int pes, bool marks, class Value, int lanes>
void check_broadcast(const std::vector<UpdateSet<Value, lanes>>& sets, const std::vector<Described>& described,
                     const std::vector<UpdateSet<Value, lanes>>& expected) {
  using Set = UpdateSet<Value, lanes>;
  const auto num = static_cast<u32>(described.size());
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Set> found[pes];
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(SubPartitionToken, sub_partitions, 2);
      GASPIPE_STREAM(Set, in, 2);
      GASPIPE_STREAMS(Set, out, pes, 2);
      GASPIPE_TASK(testing::feed(testing::tokens_of(described), sub_partitions));
      GASPIPE_TASK(testing::feed(sets, in));
      GASPIPE_TASK(broadcastRows<pes, marks>(num, sub_partitions, in, out));
      for (int pe = 0; pe < pes; ++pe) {
        GASPIPE_TASK_I(pe, testing::drain(out[pe], sets.size(), found[pe]));
      }
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("broadcastRows"), sets.size());
    for (const auto& each : found) {
      for (std::size_t i = 0; i < sets.size(); ++i) expect_same(each[i], expected[i]);
    }
  });
}
TYPED_TEST(RowShuffle, MarksEveryFourthSetWhileRowsAreLeft) {
  using Value = typename TypeParam::Value;
  constexpr int lanes = TypeParam::kLanes, pes = TypeParam::kPes;
  const auto sets = testing::random_sets<Value, lanes>(this->sizes, 9999, this->random);
  check_broadcast<pes, true, Value, lanes>(sets, this->described, this->marked(sets, true));
  check_broadcast<pes, false, Value, lanes>(sets, this->described, this->marked(sets, false));
}

TYPED_TEST(RowShuffle, ListsAndFiltersWhatIsForAPe) {
  using Value = typename TypeParam::Value;
  using Set = typename TestFixture::Set;
  using Listed = typename TestFixture::Listed;
  using Single = MarkedUpdate<Value>;
  constexpr int lanes = TypeParam::kLanes, pes = TypeParam::kPes;
  auto sets = testing::random_sets<Value, lanes>(this->sizes, 40, this->random);
  for (Set& set : sets) {
    if (this->random() % 2 == 0) set.valid &= static_cast<u32>(this->random() & this->random());
  }
  sets = this->marked(sets, true);
  for (const int pe : {0, 1, pes - 1}) {
    std::vector<Single> expected;
    u64 num_listed = 0;
    for (const Set& set : sets) {
      bool mark = !set.end && set.valid >> 31 != 0;
      std::size_t num = 0;
      for (int i = 0; i < lanes && !set.end; ++i) {
        if ((set.valid >> i & 1) == 0 || set.update[i].destination % pes != VertexId(pe)) continue;
        expected.push_back({set.update[i], mark && num == 0, false});
        ++num;
      }
      if (mark && num == 0) expected.push_back({{0xffffffffu, 0}, true, false});
      if (set.end) expected.push_back({{set.update[0].destination, 0}, false, true});
      num_listed += mark || num != 0 || set.end;
    }
    at_all_depths([&] {
      testing::Statistics statistics;
      std::vector<Single> found;
      {
        GASPIPE_DATAFLOW;
        GASPIPE_STREAM(Set, in, 2);
        GASPIPE_STREAM(Listed, listed, 2);
        GASPIPE_STREAM(Single, out, 2);
        GASPIPE_TASK(testing::feed(sets, in));
        GASPIPE_TASK(shuffleDecoder<lanes, pes>(pe, 5, in, listed));
        GASPIPE_TASK(tupleFilter<lanes>(5, listed, out));
        GASPIPE_TASK(testing::drain(out, expected.size(), found));
        GASPIPE_RUN;
      }
      EXPECT_EQ(statistics.num_tokens("listed"), num_listed);
      EXPECT_EQ(statistics.busy("shuffleDecoder"), sets.size());
      EXPECT_EQ(statistics.busy("tupleFilter"), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(found[i].end, expected[i].end) << i;
        ASSERT_EQ(found[i].mark, expected[i].mark) << i;
        ASSERT_EQ(found[i].update.destination, expected[i].update.destination) << i;
        if (found[i].end || found[i].update.destination == kNoVertex) continue;
        ASSERT_EQ(found[i].update.value, expected[i].update.value) << i;
      }
    });
  }
}

// Rows that wait, as RowSolver holds them: the oldest leaves when a fifth one comes.
template <class Hooks>
struct Waiting {
  using Value = typename Traits<Hooks>::Update;
  static constexpr u32 kSize = 8 / sizeof(Value);
  struct Row {
    u32 row, valid;
    Value lane[kSize];
  };
  std::deque<Row> rows;

  // Whether one left.
  bool take(u32 number, const Value& value, Row& left) {
    const u32 lane = number % kSize;
    for (Row& row : rows) {
      if (row.row != number / kSize) continue;
      const bool has = (row.valid >> lane & 1) != 0;
      row.lane[lane] = has ? Hooks::updateMergeInRAWSolver(row.lane[lane], value) : value;
      row.valid |= 1u << lane;
      return false;
    }
    rows.push_back({number / kSize, 1u << lane, {}});
    rows.back().lane[lane] = value;
    if (rows.size() <= 4) return false;
    left = rows.front();
    rows.pop_front();
    return true;
  }
};

template <class Hooks>
class RowsOf : public ::testing::Test {
 protected:
  using Value = typename Traits<Hooks>::Update;
  using Solved = MarkedRow<Value>;
  static constexpr u32 kSize = 8 / sizeof(Value);
  Random random{53};

  // Rows of updates, some marked, then the end with its number of rows; marks, at most as many as rows before.
  std::vector<Solved> tokens(const std::vector<u32>& num_rows, std::size_t num_updates) {
    std::vector<Solved> all;
    u32 before = 0;
    for (const u32 rows : num_rows) {
      u32 marks = 0;
      for (std::size_t i = 0; i < num_updates; ++i) {
        Solved token = {};
        const bool none = random() % 5 == 0;
        token.mark = (none || random() % 4 == 0) && marks < before;
        if (none && !token.mark) continue;
        marks += token.mark;
        token.update.row = none ? 0xffffffffu : static_cast<u32>(random() % rows);
        token.update.valid = static_cast<std::uint8_t>(none ? 0 : 1 + random() % ((1u << kSize) - 1));
        for (Value& value : token.update.word.lane) value = static_cast<Value>(random() >> 9);
        all.push_back(token);
      }
      Solved end = {};
      end.update.row = rows;
      end.update.end = true;
      end.update.valid = (1u << kSize) - 1;  // of what the solver held last, which means nothing
      for (Value& value : end.update.word.lane) value = 3;
      all.push_back(end);
      before = rows;
    }
    return all;
  }
};
using Programs = ::testing::Types<testing::Sum<u32>, testing::Sum<u64>, testing::Min<u32>, testing::Min<u64>>;
TYPED_TEST_SUITE(RowsOf, Programs);

template <class Hooks, int pes>
void check_solver(Random& random, u32 num_vertices) {
  using Value = typename Traits<Hooks>::Update;
  using Single = MarkedUpdate<Value>;
  using Solved = MarkedRow<Value>;
  using Row = typename Waiting<Hooks>::Row;
  std::vector<Single> updates;
  std::vector<std::pair<Row, int>> expected;  // and 0: leaves, 1: with a mark, 2: a mark alone, 3: the end
  for (const u32 size : {600u, 0u, 2u, 100u}) {
    Waiting<Hooks> waiting;
    for (u32 i = 0; i < size; ++i) {
      Single token = {};
      token.mark = random() % 5 == 0;
      const bool none = token.mark && random() % 2 == 0;
      token.update = {none ? 0xffffffffu : static_cast<VertexId>(random() % num_vertices * pes + 1),
                      static_cast<Value>(random() >> 9)};
      updates.push_back(token);
      Row left = {};
      const bool leaves = !none && waiting.take(token.update.destination / pes, token.update.value, left);
      if (leaves || token.mark) expected.push_back({left, !leaves ? 2 : token.mark ? 1 : 0});
    }
    updates.push_back({{size + 3, 0}, false, true});
    for (const Row& row : waiting.rows) expected.push_back({row, 0});
    expected.push_back({{size + 3, 0, {}}, 3});
  }
  const auto num_flushes = 4 * kRawWindow;
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Solved> found;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Single, in, 2);
      GASPIPE_STREAM(Solved, out, 2);
      GASPIPE_TASK(testing::feed(updates, in));
      GASPIPE_TASK(rawSolver<Hooks, pes>(4, in, out));
      GASPIPE_TASK(testing::drain(out, expected.size(), found));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("rawSolver"), updates.size() + num_flushes);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& [row, kind] = expected[i];
      ASSERT_EQ(found[i].update.end, kind == 3) << i;
      ASSERT_EQ(found[i].mark, kind == 1 || kind == 2) << i;
      ASSERT_EQ(found[i].update.row, kind == 2 ? 0xffffffffu : row.row) << i;
      if (kind == 3) continue;
      ASSERT_EQ(found[i].update.valid, row.valid) << i;
      for (u32 lane = 0; lane < Waiting<Hooks>::kSize; ++lane) {
        if ((row.valid >> lane & 1) != 0) {
          ASSERT_EQ(found[i].update.word.lane[lane], row.lane[lane]) << i;
        }
      }
    }
  });
}
TYPED_TEST(RowsOf, UpdatesAreMergedInAWindowThatIsEmptyBetweenSubPartitions) {
  for (const u32 num_vertices : {1u, 4u, 12u, 1000u}) {
    check_solver<TypeParam, 1>(this->random, num_vertices);
    check_solver<TypeParam, 8>(this->random, num_vertices);
  }
}

TYPED_TEST(RowsOf, AreGatheredInOneBankAndSentFromTheOther) {
  using Value = typename Traits<TypeParam>::Update;
  using Solved = MarkedRow<Value>;
  using Row = UramWord<Value>;
  constexpr u32 kSize = 8 / sizeof(Value), kCleared = 20;
  const std::vector<u32> num_rows = {20, 1, 7, 20, 3};
  const auto tokens = this->tokens(num_rows, 25);
  std::vector<std::vector<Value>> gathered{{}};
  u64 cycles = kCleared, marks = 0;
  std::size_t s = 0;
  for (const Solved& token : tokens) {
    gathered[s].resize(num_rows[s] * kSize, Traits<TypeParam>::identity());
    ++cycles;
    marks += token.mark;
    if (token.update.end && ++s < num_rows.size()) gathered.emplace_back();
    if (token.update.end || token.update.row == 0xffffffffu) continue;
    for (u32 lane = 0; lane < kSize; ++lane) {
      if ((token.update.valid >> lane & 1) == 0) continue;
      Value& value = gathered[s][token.update.row * kSize + lane];
      value = TypeParam::gatherFunc(value, token.update.word.lane[lane]);
    }
  }
  std::vector<Value> expected;
  for (const auto& each : gathered) expected.insert(expected.end(), each.begin(), each.end());
  cycles += expected.size() / kSize - marks;
  at_all_depths([&] {
    testing::Statistics statistics;
    std::vector<Row> rows;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Solved, in, 2);
      GASPIPE_STREAM(Row, out, 2);
      GASPIPE_TASK(testing::feed(tokens, in));
      GASPIPE_TASK(gatherRows<TypeParam, 8, 20 * 8 * kSize, 0>(5, kCleared, in, out));
      GASPIPE_TASK(testing::drain(out, expected.size() / kSize, rows));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("gatherRows"), cycles);
    std::vector<Value> found;
    for (const Row& row : rows) found.insert(found.end(), row.lane, row.lane + kSize);
    EXPECT_EQ(found, expected);
  });
}

// A row leaves with the mark, whatever comes behind it: PEs that wait for one another depend on that.
TYPED_TEST(RowsOf, LeaveWithTheirMarks) {
  using Value = typename Traits<TypeParam>::Update;
  stream<MarkedRow<Value>> in;
  stream<UramWord<Value>> out;
  MarkedRow<Value> token = {};
  token.update.row = 3;
  token.update.end = true;
  in.write(token);  // a sub-partition of three rows
  token.update.row = 0xffffffffu;
  token.update.end = false;
  token.mark = true;
  in.write(token);
  token.mark = false;
  token.update.row = 0;
  in.write(token);
  EXPECT_THROW((gatherRows<TypeParam, 8, 1024, 1>(2, 0, in, out)), emulator::Deadlock);
  EXPECT_EQ(out.size(), 1u);
}

template <class Value, int pes>
void check_written() {
  constexpr u32 kSize = 64 / sizeof(Value), kOfRow = pes * 8 / sizeof(Value);
  Random random(pes);
  const auto described = testing::of_vertices({3 * kOfRow, 1, 5 * kOfRow - kSize, kSize + 1, 2 * kOfRow}, kSize);
  std::vector<UramWord<Value>> rows[pes];
  std::vector<Word<Value>> memory(described.back().first_gathered_word + 2 * kOfRow / kSize, Word<Value>{}),
      expected = memory;
  for (const Described& each : described) {
    const u32 num = each.last_vertex - each.first_vertex, first = each.first_gathered_word;
    for (u32 r = 0; r < (num + kOfRow - 1) / kOfRow; ++r) {
      for (int pe = 0; pe < pes; ++pe) {
        UramWord<Value> row;
        for (u32 lane = 0; lane < kOfRow / pes; ++lane) {
          row.lane[lane] = static_cast<Value>(random());
          const u32 v = r * kOfRow + lane * pes + static_cast<u32>(pe);
          if (v / kSize < (num + kSize - 1) / kSize) expected[first + v / kSize].lane[v % kSize] = row.lane[lane];
        }
        rows[pe].push_back(row);
      }
    }
  }
  const OneBuffer board(memory, true);
  at_all_depths([&] {
    testing::Statistics statistics;
    std::fill(memory.begin(), memory.end(), Word<Value>{});
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(SubPartitionToken, sub_partitions, 2);
      GASPIPE_STREAMS(UramWord<Value>, in, pes, 2);
      GASPIPE_TASK(testing::feed(testing::tokens_of(described), sub_partitions));
      for (int pe = 0; pe < pes; ++pe) {
        GASPIPE_TASK_I(pe, testing::feed(rows[pe], in[pe], static_cast<u32>(pe % 3)));
      }
      GASPIPE_TASK(writeRows(5, sub_partitions, in, memory.data()));
      GASPIPE_RUN;
    }
    EXPECT_EQ(statistics.busy("writeRows"), memory.size() - described[0].first_gathered_word);
    EXPECT_EQ(testing::as_values(memory), testing::as_values(expected));
  });
}
TEST(WriteRows, PutsTheRowsOfAllPesIntoWordsOfMemory) {
  check_written<u32, 8>();
  check_written<u32, 16>();
  check_written<u64, 8>();
  check_written<u64, 16>();
}

}  // namespace
}  // namespace gaspipe
