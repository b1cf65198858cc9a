// SPDX-License-Identifier: Apache-2.0
#include "hls/module/duplicate.h"

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::as_values;
using testing::at_all_depths;
using testing::Random;
using testing::random_words;

template <class V, int units>
struct Case {
  using Value = V;
  static constexpr int kUnits = units;
};
template <class Case>
class Duplicate : public ::testing::Test {};
using Cases =
    ::testing::Types<Case<std::uint32_t, 1>, Case<std::uint64_t, 2>, Case<std::uint32_t, 4>, Case<std::uint64_t, 16>>;
TYPED_TEST_SUITE(Duplicate, Cases);

TYPED_TEST(Duplicate, GivesEveryUnitTheSameWords) {
  constexpr int units = TypeParam::kUnits;
  using V = typename TypeParam::Value;
  Random random(21);
  const auto words = random_words<V>(100, random);
  at_all_depths([&] {
    std::vector<Word<V>> copies[units];
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Word<V>, in, 2);
      GASPIPE_STREAMS(Word<V>, out, units, 2);
      GASPIPE_TASK(testing::feed(words, in));
      GASPIPE_TASK(cuDuplicate(in, 100, units, out));
      for (int unit = 0; unit < units; ++unit) {
        GASPIPE_PRAGMA(HLS UNROLL);
        GASPIPE_TASK_I(unit, testing::drain(out[unit], 100, copies[unit], static_cast<std::uint32_t>(unit % 4)));
      }
      GASPIPE_RUN;
    }
    for (const auto& copy : copies) EXPECT_EQ(as_values(copy), as_values(words));
  });
}

TYPED_TEST(Duplicate, TakesAsManyWordsAsItIsTold) {
  stream<Word<std::uint32_t>> in, out[TypeParam::kUnits];
  Random random(22);
  testing::feed(random_words<std::uint32_t>(5, random), in);
  cuDuplicate(in, 3, TypeParam::kUnits, out);
  EXPECT_EQ(in.size(), 2u);
  for (const auto& copy : out) EXPECT_EQ(copy.size(), 3u);
}

}  // namespace
}  // namespace gaspipe
