// SPDX-License-Identifier: Apache-2.0
#include "hls/thundergp/shuffle.h"

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace thundergp {
namespace {

template <class Value>
using Updates = std::vector<std::pair<VertexId, Value>>;

TEST(PackTable, HoldsThePositionsOfTheBitsOfEveryOpcode) {
  for (std::uint32_t op = 0; op < 256; ++op) {
    std::vector<int> expected, found;
    for (int lane = 0; lane < 8; ++lane) {
      if (op >> lane & 1) expected.push_back(lane);
    }
    for (int i = 0; i < kPackTable.num[op]; ++i) found.push_back(kPackTable.lane(op, i));
    EXPECT_EQ(found, expected) << op;
  }
}

template <class Value>
class PublishedShuffle : public ::testing::Test {};
using Values = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(PublishedShuffle, Values);

TYPED_TEST(PublishedShuffle, PacksWhatIsForThePeInOrderAndSendsNoEmptySets) {
  testing::Random random(15);
  stream<UpdateSet<TypeParam, 8>> in;
  stream<PackedSet<TypeParam, 8>> out;
  std::vector<Updates<TypeParam>> expected;
  for (std::uint32_t valid = 0; valid < 256; ++valid) {
    UpdateSet<TypeParam, 8> set;
    set.valid = valid;
    set.end = false;
    Updates<TypeParam> updates;
    for (int i = 0; i < 8; ++i) {
      set.update[i] = {static_cast<VertexId>(random() % 1000), static_cast<TypeParam>(random())};
      if ((valid >> i & 1) && set.update[i].destination % 4 == 3) {
        updates.push_back({set.update[i].destination, set.update[i].value});
      }
    }
    in.write(set);
    if (!updates.empty()) expected.push_back(updates);
  }
  UpdateSet<TypeParam, 8> end = {};
  end.end = true;
  in.write(end);
  shuffleDecoder<8, 4>(3, in, out);
  std::vector<PackedSet<TypeParam, 8>> packed;
  testing::drain_to_end(out, packed);
  ASSERT_EQ(packed.size(), expected.size());
  for (std::size_t s = 0; s < packed.size(); ++s) {
    Updates<TypeParam> found;
    for (std::uint32_t i = 0; i < packed[s].num; ++i) {
      found.push_back({packed[s].update[i].destination, packed[s].update[i].value});
    }
    EXPECT_EQ(found, expected[s]);
  }
}

}  // namespace
}  // namespace thundergp
}  // namespace gaspipe
