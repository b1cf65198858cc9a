// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/find_first.h"

#include <gtest/gtest.h>

namespace gaspipe {
namespace {

// Around the ends of blocks and of the workers' chunks; the first of several, wherever they lie.
TEST(FindFirst, TellsTheSmallest) {
  for (int threads : {1, 2}) {
    Workers workers(threads);
    for (std::uint64_t count : {0u, 1u, 1023u, 1024u, 1025u, 65536u, 200001u}) {
      for (std::uint64_t first : {0u, 1u, 1023u, 1024u, 65535u, 65536u, 199999u, 200000u, 200001u}) {
        for (std::uint64_t second : {first, first + 1, first + 1024, first + 65536}) {
          const std::uint64_t found =
              find_first(count, workers, [=](std::uint64_t i) { return i == first || i == second; });
          EXPECT_EQ(found, std::min(first, count)) << count << " " << second;
        }
      }
    }
  }
}

TEST(FindFirst, AsksForNothingBeyondTheEnd) {
  Workers workers(1);
  find_first(1500, workers, [](std::uint64_t i) {
    EXPECT_LT(i, 1500u);
    return false;
  });
}

}  // namespace
}  // namespace gaspipe
