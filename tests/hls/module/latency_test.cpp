// SPDX-License-Identifier: Apache-2.0
// Whether loops that read, merge and write may start iterations as often as hls/module/latency.h says: models of such
// pipelines, which do not use the kernels' loops, lose no update at that interval. One cycle less loses some.
#include "hls/module/latency.h"

#include <deque>
#include <vector>

#include "hls/module/gather.h"
#include "hls/module/uram_word.h"
#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::Random;

template <class Number, bool is_idempotent>
struct Merging : testing::Sum<Number> {
  static constexpr bool kIdempotent = is_idempotent;
};

constexpr int kNumUpdates = 20000;

// Sums of ones in a memory whose content changes `cycles` after an update was read; an iteration starts every
// `interval` cycles and takes what a RAW solver sent. The number of updates that are lost, of `num_vertices`.
int lost_in_memory(int num_vertices, int interval, int cycles) {
  using Hooks = testing::Sum<std::uint32_t>;
  struct Write {
    int visible;
    std::size_t at;
    std::uint32_t value;
  };
  std::vector<std::uint32_t> memory(static_cast<std::size_t>(num_vertices), 0);
  std::deque<Write> under_way;
  Random random(41);
  int now = 0;
  const auto gather = [&](const Update<std::uint32_t>& update) {
    while (!under_way.empty() && under_way.front().visible <= now) {
      memory[under_way.front().at] = under_way.front().value;
      under_way.pop_front();
    }
    under_way.push_back({now + cycles, update.destination, memory[update.destination] + update.value});
    now += interval;  // the solver's next may come at once: it merges no faster than it is asked here
  };
  RawSolver<Hooks> window;
  window.start();
  Update<std::uint32_t> out;
  for (int i = 0; i < kNumUpdates; ++i) {
    const Update<std::uint32_t> in = {std::uint32_t(random() % unsigned(num_vertices)), 1};
    if (window.step(in, out)) gather(out);
  }
  for (int i = 0; i < kRawWindow; ++i) {
    if (window.flush(out)) gather(out);
  }
  for (const Write& write : under_way) memory[write.at] = write.value;
  int arrived = 0;
  for (const std::uint32_t value : memory) arrived += static_cast<int>(value);
  return kNumUpdates - arrived;
}

// Sums in one entry of a window: what an iteration merges can be read `cycles` later.
int lost_in_window(int interval, int cycles) {
  int value = 0, now = 0;
  std::deque<std::pair<int, int>> under_way;  // when, what
  for (int i = 0; i < kNumUpdates; ++i, now += interval) {
    while (!under_way.empty() && under_way.front().first <= now) {
      value = under_way.front().second;
      under_way.pop_front();
    }
    under_way.emplace_back(now + cycles, value + 1);
  }
  return kNumUpdates - under_way.back().second;
}

template <class Hooks>
class Intervals : public ::testing::Test {};
using Cases = ::testing::Types<Merging<std::uint32_t, false>, Merging<std::int64_t, true>, Merging<float, false>,
                               Merging<float, true>, Merging<double, false>, Merging<double, true>>;
TYPED_TEST_SUITE(Intervals, Cases);

TYPED_TEST(Intervals, LoseNoUpdateBehindTheRawSolver) {
  constexpr int interval = gather_interval<TypeParam>(kRawWindow + 1);
  constexpr int cycles = kMemoryRead + merge_cycles<TypeParam>() + kMemoryWrite;
  for (const int num_vertices : {1, 5, 6, 8, 64}) {
    EXPECT_EQ(lost_in_memory(num_vertices, interval, cycles), 0) << num_vertices;
  }
  if (interval > 1) {
    EXPECT_GT(lost_in_memory(5, interval - 1, cycles), 0);
    EXPECT_GT(lost_in_memory(8, interval - 1, cycles), 0);
  }
}

// Why updates that take longer are not merged in the window.
TYPED_TEST(Intervals, LoseNoUpdateInTheWindow) {
  constexpr int cycles = merge_cycles<TypeParam>();
  EXPECT_EQ(lost_in_window(cycles, cycles), 0);
  if (cycles > 1) {
    EXPECT_GT(lost_in_window(cycles - 1, cycles), 0);
  }
}

// Updates of 64 vertices in turn, through the kernel's loops.
template <class Hooks>
emulator::Cycle cycles_of_a_pe(std::uint32_t num) {
  using Value = typename Traits<Hooks>::Update;
  using Single = UpdateToken<Value>;
  std::vector<Single> tokens;
  for (std::uint32_t i = 0; i < num; ++i) tokens.push_back({{16 * (i % 64), Value(1)}, false});
  tokens.push_back({{0, Value(0)}, true});
  std::vector<Value> values;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Single, filtered, 16);
  GASPIPE_STREAM(Single, solved, 16);
  GASPIPE_STREAM(Value, gathered, 16);
  GASPIPE_TASK(testing::feed(tokens, filtered));
  GASPIPE_TASK(rawSolver<Hooks>(filtered, solved));
  GASPIPE_TASK(dstPropertyProcess<Hooks, 16, 1024>(0, 0, 16, solved, gathered));
  GASPIPE_TASK(testing::drain(gathered, values_per_pe<Value, 16>(0, 16), values));
  GASPIPE_RUN;
  return emulator::Engine::last_cycles();
}
TYPED_TEST(Intervals, AreACycleInAPe) {
  EXPECT_GE(cycles_of_a_pe<TypeParam>(1000), 1000u);
  EXPECT_LE(cycles_of_a_pe<TypeParam>(1000), 1050u);
}

// The same guarantee for rows, of which two neighbours share one: between two updates of a row lie kRawWindow others.
TEST(RowSolver, KeepsRowsApart) {
  using Hooks = testing::Sum<std::uint32_t>;
  Random random(42);
  RowSolver<Hooks> window;
  window.start();
  RowUpdate<std::uint32_t> in, out;
  in.end = false;
  std::vector<int> sent(4, -kRawWindow - 1);
  int at = 0;
  const auto take = [&] {
    EXPECT_GE(at - sent[out.row], kRawWindow + 1) << "row " << out.row;
    sent[out.row] = at++;
  };
  for (int i = 0; i < kNumUpdates; ++i) {
    row_update(std::uint32_t(random() % 8), 1u, in);
    if (window.step(in, out)) take();
  }
  EXPECT_EQ(at, 0) << "four rows never leave a window of four";
  sent.assign(8, -kRawWindow - 1);
  for (int i = 0; i < kNumUpdates; ++i) {
    row_update(std::uint32_t(random() % 16), 1u, in);
    if (window.step(in, out)) take();
  }
  EXPECT_GT(at, kNumUpdates / 10);
}

TEST(Latency, LeavesIntegersACycle) {
  EXPECT_EQ(gather_interval<testing::Sum<std::uint32_t>>(kRawWindow + 1), 1);
  EXPECT_EQ(gather_interval<testing::Min<std::uint64_t>>(kRawWindow + 1), 1);
  EXPECT_EQ(merge_cycles<testing::Sum<std::uint64_t>>(), 1);
  EXPECT_EQ(sum_turns<testing::Sum<std::uint64_t>>(), 1);
  EXPECT_EQ(update_distance<testing::Sum<std::uint32_t>>(), kRawWindow + 1);
}

// Reading takes 3 cycles and writing 1; between them an addition of `float` takes 7, a comparison 2, one of `double` 8.
TEST(Latency, IsThatOfReadingMergingAndWriting) {
  EXPECT_EQ((merge_cycles<Merging<float, false>>()), 7);
  EXPECT_EQ((merge_cycles<Merging<float, true>>()), 2);
  EXPECT_EQ((merge_cycles<Merging<double, false>>()), 8);
  EXPECT_EQ((merge_cycles<Merging<double, true>>()), 2);
  EXPECT_EQ((gather_interval<Merging<float, false>>(1)), 11);
  EXPECT_EQ((gather_interval<Merging<float, false>>(5)), 3);
  EXPECT_EQ((gather_interval<Merging<float, false>>(11)), 1);
  EXPECT_EQ((gather_interval<Merging<double, true>>(2)), 3);
  EXPECT_EQ((gather_interval<Merging<double, true>>(3)), 2);
  EXPECT_EQ((update_distance<Merging<float, false>>()), 11);
  EXPECT_EQ((update_distance<Merging<float, true>>()), 6);
  EXPECT_EQ((update_distance<Merging<double, false>>()), 12);
}
template <int extras, class Number>
struct Counting : testing::Sum<std::uint32_t> {
  using Extra = Number;
  static constexpr int kExtras = extras;
};
TEST(Latency, OfAnAdditionIsTheNumberOfPartialSumsWhereThereAreSome) {
  EXPECT_EQ((sum_turns<Counting<0, double>>()), 1);
  EXPECT_EQ((sum_turns<Counting<1, double>>()), 8);
  EXPECT_EQ((sum_turns<Counting<2, float>>()), 8);  // added as double
  EXPECT_EQ((sum_turns<Counting<2, unsigned>>()), 1);
}

TEST(UramWord, PacksItsLanes) {
  UramWord<float> row;
  row.lane[0] = 1;
  row.lane[1] = -2;
  EXPECT_EQ(pack_row(row), 0xc00000003f800000u);
  EXPECT_EQ(unpack_row<float>(pack_row(row)).lane[1], -2.0f);
  UramWord<double> wide;
  wide.lane[0] = 0.1;
  EXPECT_EQ(unpack_row<double>(pack_row(wide)).lane[0], 0.1);
}

}  // namespace
}  // namespace gaspipe
