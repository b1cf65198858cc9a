// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/largest_finite.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gaspipe {
namespace {

TEST(LargestFinite, IsFoundWhereverItLies) {
  Workers workers(3);
  std::vector<float> numbers(200'003, 2.5f);
  for (std::size_t i : {0u, 15u, 16u, 65'535u, 65'536u, 131'080u, 199'999u, 200'002u}) {
    numbers[i] = 7;
    EXPECT_EQ(largest_finite(numbers.data(), numbers.size(), workers), 7) << i;
    numbers[i] = 2.5f;
  }
}

TEST(LargestFinite, PassesOverWhatIsNotFiniteOrBelowZero) {
  Workers workers(1);
  const std::vector<double> numbers = {-3, INFINITY, NAN, 0.5, -INFINITY};
  EXPECT_EQ(largest_finite(numbers.data(), numbers.size(), workers), 0.5);
  const std::vector<std::int64_t> below = {-1, -5};
  EXPECT_EQ(largest_finite(below.data(), below.size(), workers), 0);
  EXPECT_EQ(largest_finite(below.data(), 0, workers), 0);
}

}  // namespace
}  // namespace gaspipe
