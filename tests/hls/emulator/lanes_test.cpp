// SPDX-License-Identifier: Apache-2.0
#include "hls/emulator/lanes.h"

#include <gtest/gtest.h>

#include <random>

#include "hls/types.h"

namespace gaspipe {
namespace {

template <class Value, int lanes>
class Sets {
 public:
  // Destinations of all sizes, some of them none.
  void draw() {
    for (Update<Value>& update : updates) {
      update.destination = random_() % 8 == 0 ? kNoVertex : static_cast<VertexId>(random_() >> random_() % 32);
      update.value = static_cast<Value>(random_());
    }
  }
  Update<Value> updates[lanes];

 private:
  std::mt19937 random_{17};
};

template <class Value, int lanes>
void expect_matches() {
  Sets<Value, lanes> sets;
  for (int round = 0; round < 500; ++round) {
    sets.draw();
    for (const std::uint32_t num_pes : {1u, 4u, 8u, 16u, 65536u}) {
      std::uint32_t seen = 0;
      for (const std::uint32_t pe : {0u, 1u, 3u, 7u, 15u, 65535u}) {
        if (pe >= num_pes) continue;
        const std::uint32_t bits = matching_lanes(sets.updates, num_pes - 1, pe);
        ASSERT_EQ(bits >> lanes, 0u);
        ASSERT_EQ(bits & seen, 0u) << "a lane is for two PEs";
        seen |= bits;
        for (int i = 0; i < lanes; ++i) {
          ASSERT_EQ((bits >> i & 1u) != 0, sets.updates[i].destination % num_pes == pe)
              << "lane " << i << ", destination " << sets.updates[i].destination << ", PE " << pe << " of " << num_pes;
        }
      }
    }
  }
}

TEST(MatchingLanes, AreThoseWhoseDestinationIsThePes) {
  expect_matches<std::uint32_t, 8>();
  expect_matches<std::uint32_t, 16>();
  expect_matches<double, 8>();
  expect_matches<double, 16>();
}

}  // namespace
}  // namespace gaspipe
