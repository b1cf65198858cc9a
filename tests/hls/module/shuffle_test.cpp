// SPDX-License-Identifier: Apache-2.0
#include "hls/module/shuffle.h"

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Random;

template <class Value, int lanes>
UpdateSet<Value, lanes> random_set(Random& random, std::uint32_t valid) {
  UpdateSet<Value, lanes> set;
  for (auto& update : set.update) {
    update = {static_cast<VertexId>(random() % 100000), static_cast<Value>(random())};
  }
  set.valid = valid;
  set.end = false;
  return set;
}
template <class Value>
using Updates = std::vector<std::pair<VertexId, Value>>;
template <class Value, int lanes>
Updates<Value> kept(const ListedSet<Value, lanes>& listed) {
  Updates<Value> updates;
  for (int i = 0; i < listed.num; ++i) {
    const auto& update = listed.update[listed.lane >> (4 * i) & 15];
    updates.push_back({update.destination, update.value});
  }
  return updates;
}

TEST(LaneLists, HoldThePlacesOfTheBitsOfEveryFour) {
  for (std::uint32_t four = 0; four < 16; ++four) {
    for (std::uint32_t group = 0; group < 4; ++group) {
      std::uint32_t list = 0;
      int num = 0;
      for (std::uint32_t lane = 0; lane < 4; ++lane) {
        if (four >> lane & 1) list |= (4 * group + lane) << (4 * num++);
      }
      EXPECT_EQ(kLaneLists[group][four], list) << group << " " << four;
      EXPECT_EQ(kNumBits[four], num) << four;
    }
  }
}

template <class V, int lanes, int pes>
struct Case {
  using Value = V;
  static constexpr int kLanes = lanes, kPes = pes;
};
template <class Case>
class Shuffle : public ::testing::Test {
 protected:
  using Value = typename Case::Value;
  static constexpr int kLanes = Case::kLanes, kPes = Case::kPes;
  using Set = UpdateSet<Value, kLanes>;
  using Listed = ListedSet<Value, kLanes>;

  Random random{15};
  static Set end() {
    Set set = {};
    set.end = true;
    return set;
  }
};
using Cases = ::testing::Types<Case<std::uint32_t, 8, 4>, Case<std::uint32_t, 8, 8>, Case<std::uint32_t, 8, 16>,
                               Case<std::uint32_t, 16, 4>, Case<std::uint32_t, 16, 8>, Case<std::uint32_t, 16, 16>,
                               Case<std::uint64_t, 8, 8>, Case<std::uint64_t, 16, 16>>;
TYPED_TEST_SUITE(Shuffle, Cases);

TYPED_TEST(Shuffle, ListsEveryOpcodeLikeBruteForce) {
  constexpr int lanes = TypeParam::kLanes;
  using Value = typename TypeParam::Value;
  for (std::uint32_t bits = 0; bits < 1u << lanes; ++bits) {
    const auto set = random_set<Value, lanes>(this->random, ~0u);
    Updates<Value> expected;
    for (int i = 0; i < lanes; ++i) {
      if (bits >> i & 1) expected.push_back({set.update[i].destination, set.update[i].value});
    }
    ListedSet<Value, lanes> listed;
    list_lanes(set, bits, listed);
    ASSERT_EQ(kept(listed), expected) << bits;
  }
}

TYPED_TEST(Shuffle, OpcodeNamesTheValidLanesOfAPe) {
  constexpr int lanes = TypeParam::kLanes, pes = TypeParam::kPes;
  for (int round = 0; round < 1000; ++round) {
    const auto set = random_set<typename TypeParam::Value, lanes>(
        this->random, static_cast<std::uint32_t>(this->random()) & ((1u << lanes) - 1));
    std::uint32_t all = 0;
    for (int pe = 0; pe < pes; ++pe) {
      const std::uint32_t bits = opcode<pes>(set, pe);
      EXPECT_EQ(all & bits, 0u);
      all |= bits;
      for (int i = 0; i < lanes; ++i) {
        ASSERT_EQ(bits >> i & 1, (set.valid >> i & 1) && set.update[i].destination % pes == VertexId(pe));
      }
    }
    EXPECT_EQ(all, set.valid);
  }
}

TYPED_TEST(Shuffle, SendsEveryUpdateToItsPeInOrderAndNoEmptySets) {
  constexpr int lanes = TypeParam::kLanes, pes = TypeParam::kPes;
  using Value = typename TypeParam::Value;
  using Set = typename TestFixture::Set;
  using Listed = typename TestFixture::Listed;
  std::vector<Set> sets;
  Updates<Value> expected[pes];
  for (int round = 0; round < 300; ++round) {
    sets.push_back(random_set<Value, lanes>(
        this->random, static_cast<std::uint32_t>(this->random() & this->random()) & ((1u << lanes) - 1)));
    for (int i = 0; i < lanes; ++i) {
      const auto& update = sets.back().update[i];
      if (sets.back().valid >> i & 1) expected[update.destination % pes].push_back({update.destination, update.value});
    }
  }
  sets.push_back(this->end());
  at_all_depths([&] {
    for (std::uint32_t pause : {0u, 3u}) {
      std::vector<Listed> listed[pes];
      {
        GASPIPE_DATAFLOW;
        GASPIPE_STREAM(Set, in, 2);
        GASPIPE_STREAMS(Set, copies, pes, 2);
        GASPIPE_STREAMS(Listed, out, pes, 16);
        GASPIPE_TASK(testing::feed(sets, in, pause));
        GASPIPE_TASK(broadcast(in, copies));
        for (int pe = 0; pe < pes; ++pe) {
          GASPIPE_PRAGMA(HLS UNROLL);
          GASPIPE_TASK_I(pe, shuffleDecoder<lanes, pes>(pe, copies[pe], out[pe]));
          GASPIPE_TASK_I(pe, testing::drain_to_end(out[pe], listed[pe], pause));
        }
        GASPIPE_RUN;
      }
      for (int pe = 0; pe < pes; ++pe) {
        Updates<Value> found;
        for (const Listed& set : listed[pe]) {
          EXPECT_NE(set.num, 0u);
          for (const auto& update : kept(set)) found.push_back(update);
        }
        EXPECT_EQ(found, expected[pe]) << "PE " << pe;
      }
    }
  });
}

TYPED_TEST(Shuffle, EndsOnceWhereNothingCame) {
  stream<typename TestFixture::Set> in;
  stream<typename TestFixture::Listed> out;
  in.write(random_set<typename TypeParam::Value, TypeParam::kLanes>(this->random, 0));
  in.write(this->end());
  shuffleDecoder<TypeParam::kLanes, TypeParam::kPes>(0, in, out);
  EXPECT_EQ(in.size(), 0u);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out.read().end);
}

}  // namespace
}  // namespace gaspipe
