// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/run/overflow.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace testing;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of a graph 0 -> 1 -> 2 and a format that ends at 100.
bool overflowed(const Weights& weights, View view, const std::vector<double>& values) {
  abi::Instance instance{};
  instance.largest_sum = 100;
  instance.value_type = abi::kFloat64;
  Csr csr = csr_of(3, {{0, 1}, {1, 2}});
  csr.weights = weights;
  Workers workers(2);
  const bool found = has_overflowed(instance, Graph(csr), view, /*is_part=*/false, values.data(), workers);
  std::vector<std::int64_t> integers;
  for (const double value : values) integers.push_back(value == kInfinity ? -1 : static_cast<std::int64_t>(value));
  instance.value_type = abi::kInt64;
  EXPECT_EQ(has_overflowed(instance, Graph(csr), view, /*is_part=*/false, integers.data(), workers), found);
  instance.largest_sum = 0;
  EXPECT_FALSE(has_overflowed(instance, Graph(csr), view, /*is_part=*/false, integers.data(), workers));
  return found;
}

TEST(Overflow, IsAVertexWithoutAnAnswerBehindOneThatHasOne) {
  const Weights weights = array<std::int32_t>({60, 60});
  EXPECT_TRUE(overflowed(weights, View::kForward, {0, 60, kInfinity}));
  EXPECT_FALSE(overflowed(weights, View::kForward, {0, 60, 100}));
  EXPECT_FALSE(overflowed(weights, View::kForward, {kInfinity, 100, 0}));
  EXPECT_FALSE(overflowed(weights, View::kForward, {kInfinity, kInfinity, 0})) << "nothing leads from 2";
}

TEST(Overflow, IsLookedForAlongTheEdgesThatTheProgramWalks) {
  const Weights weights = array<std::int64_t>({60, 60});
  EXPECT_TRUE(overflowed(weights, View::kReverse, {kInfinity, 60, 0}));
  EXPECT_FALSE(overflowed(weights, View::kReverse, {0, 60, kInfinity}));
  EXPECT_TRUE(overflowed(weights, View::kUndirected, {0, 60, kInfinity}));
}

TEST(Overflow, IsNoneAlongAnEdgeOfInfiniteWeight) {
  EXPECT_FALSE(overflowed(array<double>({60, kInfinity}), View::kForward, {0, 60, kInfinity}));
  EXPECT_TRUE(overflowed(array<double>({60, 1e300}), View::kForward, {0, 60, kInfinity}));
}

}  // namespace
}  // namespace gaspipe
