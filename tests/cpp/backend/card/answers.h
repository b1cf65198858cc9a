// SPDX-License-Identifier: Apache-2.0
// A card's answers beside those of the CPU.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "gaspipe/abi.h"
#include "gaspipe/error.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace testing {

inline const abi::Instance& instance_of(const abi::Program& program, const std::string& number) {
  for (std::uint32_t i = 0; i < program.num_instances; ++i) {
    if (number == program.instances[i].number) return program.instances[i];
  }
  throw InputError(number);
}

template <class T>
void expect_near(const Result& found, const Result& expected, double tolerance) {
  const auto a = values_of<T>(found), b = values_of<T>(expected);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t v = 0; v < a.size(); ++v) {
    if (a[v] == b[v] || (std::isnan(a[v]) && std::isnan(b[v]))) continue;  // infinity too
    ASSERT_NEAR(a[v], b[v], tolerance * (1 + std::abs(b[v]))) << v;
  }
}

// Floating-point numbers of 4 and 8 bytes to within 1e-5 and 1e-12, times `slack`.
inline void expect_same(const Result& found, const Result& expected, const abi::Instance& instance, double slack = 1) {
  ASSERT_EQ(found.type, expected.type);
  if (instance.value_type < abi::kFloat32 || instance.is_fixed_point != 0) {
    EXPECT_EQ(list(found.values), list(expected.values));
    EXPECT_EQ(found.stats.supersteps.size(), expected.stats.supersteps.size());
  } else if (instance.value_type == abi::kFloat32) {
    expect_near<float>(found, expected, 1e-5 * slack);
  } else {
    expect_near<double>(found, expected, slack * (instance.property_type == abi::kFloat32 ? 1e-5 : 1e-12));
  }
}

}  // namespace testing
}  // namespace gaspipe
