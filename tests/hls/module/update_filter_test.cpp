// SPDX-License-Identifier: Apache-2.0
#include "hls/module/update_filter.h"

#include <numeric>

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Random;

template <class V, int lanes>
struct Case {
  using Value = V;
  static constexpr int kLanes = lanes;
};
template <class Case>
class UpdateFilter : public ::testing::Test {
 protected:
  using Value = typename Case::Value;
  using Listed = ListedSet<Value, Case::kLanes>;
  using Token = UpdateToken<Value>;
  using Updates = std::vector<std::pair<VertexId, Value>>;

  // Sets of `low` to `high` updates, and the end.
  std::vector<Listed> sets(int num, std::uint32_t low, std::uint32_t high) {
    std::vector<Listed> all(num + 1);
    for (Listed& set : all) {
      for (auto& update : set.update) update = {static_cast<VertexId>(random()), static_cast<Value>(random())};
      set.num = static_cast<std::uint8_t>(low + random() % (high - low + 1));
      int lanes[Case::kLanes];
      std::iota(lanes, lanes + Case::kLanes, 0);
      std::shuffle(lanes, lanes + Case::kLanes, random);
      set.lane = random();  // beyond the list it means nothing
      for (int i = 0; i < set.num; ++i) {
        set.lane &= ~(std::uint64_t(15) << (4 * i));
        set.lane |= std::uint64_t(lanes[i]) << (4 * i);
      }
      set.end = &set == &all.back();
    }
    return all;
  }
  static Updates expected(const std::vector<Listed>& sets) {
    Updates updates;
    for (std::size_t s = 0; s + 1 < sets.size(); ++s) {
      for (std::uint32_t i = 0; i < sets[s].num; ++i) {
        const auto& update = sets[s].update[sets[s].lane >> (4 * i) & 15];
        updates.push_back({update.destination, update.value});
      }
    }
    return updates;
  }
  static Updates run(const std::vector<Listed>& sets, std::uint32_t pause) {
    std::vector<Token> tokens;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Listed, in, 16);
      GASPIPE_STREAM(Token, out, 4);
      GASPIPE_TASK(testing::feed(sets, in, pause));
      GASPIPE_TASK(tupleFilter(in, out));
      GASPIPE_TASK(testing::drain_to_end(out, tokens, pause));
      GASPIPE_RUN;
    }
    Updates updates;
    for (const Token& token : tokens) updates.push_back({token.update.destination, token.update.value});
    return updates;
  }
  Random random{16};
};
using Cases =
    ::testing::Types<Case<std::uint32_t, 8>, Case<std::uint32_t, 16>, Case<std::uint64_t, 8>, Case<std::uint64_t, 16>>;
TYPED_TEST_SUITE(UpdateFilter, Cases);

TYPED_TEST(UpdateFilter, SendsEveryUpdateInOrderAndTheEnd) {
  for (const auto& sets :
       {this->sets(0, 1, 1), this->sets(1, 1, 1), this->sets(500, 1, TypeParam::kLanes), this->sets(100, 0, 2)}) {
    const auto expected = this->expected(sets);
    at_all_depths([&] {
      EXPECT_EQ(this->run(sets, 0), expected);
      EXPECT_EQ(this->run(sets, 4), expected);
    });
  }
}

TYPED_TEST(UpdateFilter, TakesACyclePerUpdate) {
  for (std::uint32_t size : {1, TypeParam::kLanes}) {
    const auto sets = this->sets(2000, size, size);
    this->run(sets, 0);
    EXPECT_LE(emulator::Engine::last_cycles(), 2000u * size + 10);
  }
}

}  // namespace
}  // namespace gaspipe
