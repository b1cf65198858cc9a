// SPDX-License-Identifier: Apache-2.0
#include "hls/module/merge.h"

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::as_values;
using testing::at_all_depths;
using testing::Random;
using testing::random_words;

// Not commutative: shows the order in which units are merged.
template <class Number>
struct Ordered : testing::Sum<Number> {
  static Number applyMerge(Number a, Number b) { return a * 31 + b; }
};

template <class H, int units>
struct Case {
  using Hooks = H;
  static constexpr int kUnits = units;
};
template <class Case>
class Merge : public ::testing::Test {};
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Cases = ::testing::Types<Case<testing::Sum<u32>, 1>, Case<testing::Sum<u64>, 2>, Case<testing::Min<u32>, 3>,
                               Case<testing::Min<u64>, 4>, Case<Ordered<u32>, 2>, Case<Ordered<u64>, 7>,
                               Case<testing::Sum<u32>, 16>, Case<Ordered<u32>, 16>>;
TYPED_TEST_SUITE(Merge, Cases);

TYPED_TEST(Merge, MergesTheUnitsLaneByLaneInTheirOrder) {
  constexpr int units = TypeParam::kUnits;
  using H = typename TypeParam::Hooks;
  using V = typename Traits<H>::Update;
  Random random(20);
  for (std::uint32_t num : {0u, 1u, 50u}) {
    std::vector<Word<V>> parts[units];
    for (auto& part : parts) part = random_words<V>(num, random);
    std::vector<V> expected = as_values(parts[0]);
    for (int unit = 1; unit < units; ++unit) {
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] = H::applyMerge(expected[i], parts[unit][i / Word<V>::kSize].lane[i % Word<V>::kSize]);
      }
    }
    at_all_depths([&] {
      std::vector<Word<V>> merged;
      {
        GASPIPE_DATAFLOW;
        GASPIPE_STREAMS(Word<V>, in, units, 2);
        GASPIPE_STREAMS(Word<V>, sums, units, 2);
        GASPIPE_TASK(testing::feed(parts[0], sums[0]));
        for (int unit = 1; unit < units; ++unit) {
          GASPIPE_PRAGMA(HLS UNROLL);
          GASPIPE_TASK_I(unit, testing::feed(parts[unit], in[unit], static_cast<std::uint32_t>(unit % 4)));
          GASPIPE_TASK_I(unit, cuMerge<H>(sums[unit - 1], in[unit], num, sums[unit]));
        }
        GASPIPE_TASK(testing::drain(sums[units - 1], num, merged, 2));
        GASPIPE_RUN;
      }
      EXPECT_EQ(as_values(merged), expected);
    });
  }
}

}  // namespace
}  // namespace gaspipe
